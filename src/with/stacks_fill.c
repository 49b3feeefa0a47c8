/* See the header. */
#include "with/stacks_fill.h"

/* c_lr of the 2009 paper, section 3.1.4: how long a load that goes to memory waits in the window for its address. Not
 * for loads under another such miss, whose penalty theirs is part of; and of a load that had to wait for another one's
 * data only what came after that, for the wait before was the other one's penalty. */
void stacks_resolution_push(struct stacks_resolution *x, const struct culprit_record *records, size_t count)
{
	for (const struct culprit_record *r = records, *end = records + count; r != end; r++) {
		if (r->dlevel != CULPRIT_LEVEL_MEMORY || !(r->flags & CULPRIT_LOAD) || (r->flags & CULPRIT_MERGED))
			continue;
		if (r->issue >= x->until) {
			x->loads++;
			x->cycles += r->issue - (r->dispatch > x->until ? r->dispatch : x->until);
		}
		x->until = r->complete > x->until ? r->complete : x->until;
	}
}

static void fill_methods(struct stacks_report *r, const struct stacks *s)
{
	struct stacks_table *t = &r->methods;
	*t = (struct stacks_table){.key = "cycles",
				   .title = "CPI stacks by counter architecture",
				   .row_count = STACK_COMPONENTS,
				   .column_count = STACK_METHODS,
				   .unit = 1};
	for (unsigned i = 0; i < STACK_COMPONENTS; i++)
		t->rows[i] = (struct stacks_row){stack_component_name(i), stack_component_meaning(i), NULL};
	for (unsigned i = 0; i < STACK_METHODS; i++) {
		struct stacks_column *c = &t->columns[i];
		*c = (struct stacks_column){.name = stack_method_name(i),
					    .label = stack_method_label(i),
					    .meaning = stack_method_meaning(i),
					    .has_storage = true,
					    .storage_bits = stacks_storage_bits(s, i)};
		stacks_components(s, i, c->amounts);
	}
}

static void fill_stages(struct stacks_report *r, const struct stacks *s)
{
	struct stacks_table *t = &r->stages;
	*t = (struct stacks_table){.key = "stages",
				   .title = "CPI stacks by pipeline stage",
				   .row_count = STAGE_ROWS,
				   .column_count = STACK_STAGES,
				   .unit = stacks_stage_width(s)};
	for (unsigned i = 0; i < STAGE_ROWS; i++)
		t->rows[i] = (struct stacks_row){stage_row_name(i), stage_row_meaning(i), NULL};
	for (unsigned i = 0; i < STACK_STAGES; i++) {
		t->columns[i].name = t->columns[i].label = stack_stage_name(i);
		for (unsigned j = 0; j < STAGE_ROWS; j++)
			t->columns[i].amounts[j] = (int64_t)stacks_stage(s, i)[j];
	}
}

static void fill_slots(struct stacks_report *r, const struct stacks *s)
{
	struct stacks_table *t = &r->slots;
	uint64_t slots[SLOTS_ROWS];
	r->has_slots = stacks_slots(s, slots);
	*t = (struct stacks_table){.key = "topdown",
				   .title = "Top-down, % of dispatch slots",
				   .row_count = SLOTS_ROWS,
				   .column_count = 1,
				   .unit = stacks_parameters(s)->dispatch_width};
	t->columns[0].name = "slots";
	for (unsigned i = 0; i < SLOTS_ROWS; i++) {
		enum slots_row parent = slots_row_parent(i);
		t->rows[i] = (struct stacks_row){slots_row_name(i), slots_row_meaning(i),
						 parent != i ? slots_row_name(parent) : NULL};
		t->columns[0].amounts[i] = (int64_t)slots[i];
	}
}

/* Cycles whose claims include all of one mask and some of another. */
static uint64_t claimed(const struct stacks *s, unsigned all, unsigned some)
{
	uint64_t cycles = 0;
	for (unsigned i = 0; i < CLAIM_SETS; i++)
		if ((i & all) == all && (i & some))
			cycles += stacks_claims(s)[i];
	return cycles;
}

static void add_overlap(struct stacks_report *r, const char *name, const char *meaning, uint64_t cycles)
{
	r->overlap_rows[r->overlap_count] = (struct stacks_row){name, meaning, NULL};
	r->overlaps[r->overlap_count++] = cycles;
}

static void fill_overlaps(struct stacks_report *r, const struct stacks *s)
{
	for (unsigned i = 0; i < CLAIM_SETS; i++)
		r->contested += i & (i - 1) ? stacks_claims(s)[i] : 0;
	uint64_t long_front = claimed(s, CLAIM_LONG, CLAIM_FETCH | CLAIM_BRANCH);
	add_overlap(r, "front_end_and_full", "front-end penalty while a long data miss holds a full ROB (table 1)",
		    stacks_penalties(s)->overlap);
	add_overlap(r, "front_end_and_long", "front-end penalty under a long data miss, whatever the ROB", long_front);
	add_overlap(r, "fetch_and_long", "instruction miss under a long data miss",
		    claimed(s, CLAIM_LONG, CLAIM_FETCH));
	add_overlap(r, "bmisp_and_long", "misprediction under a long data miss", claimed(s, CLAIM_LONG, CLAIM_BRANCH));
	add_overlap(r, "fetch_and_short", "instruction miss while an L1D miss or unit holds a full ROB",
		    claimed(s, CLAIM_SHORT, CLAIM_FETCH));
	add_overlap(r, "bmisp_and_short", "misprediction while an L1D miss or unit holds a full ROB",
		    claimed(s, CLAIM_SHORT, CLAIM_BRANCH));
	add_overlap(r, "fetch_and_bmisp", "instruction miss while a misprediction's right path is on its way",
		    claimed(s, CLAIM_FETCH, CLAIM_BRANCH));
}

static struct stacks_fact *add_fact(struct stacks_report *r, const char *key, const char *label)
{
	struct stacks_fact *f = &r->facts[r->fact_count++];
	f->key = key;
	f->label = label;
	return f;
}

/* Cycles of a component for each of `events`, by architecture; stores are events of the naive ones only. */
static void add_penalty(struct stacks_report *r, const char *key, const char *label, enum stack_component c,
			uint64_t events, uint64_t stores)
{
	struct stacks_fact *f = add_fact(r, key, label);
	f->count = STACK_METHODS;
	for (unsigned i = 0; i < STACK_METHODS; i++) {
		uint64_t all = events + (i <= STACK_METHOD_naive_nonspec ? stores : 0);
		f->known[i] = all != 0;
		f->values[i] = all ? (double)r->methods.columns[i].amounts[c] / (double)all : 0;
	}
}

static void add_measured(struct stacks_report *r, const char *key, const char *label, uint64_t cycles, uint64_t events)
{
	struct stacks_fact *f = add_fact(r, key, label);
	f->count = 1;
	f->known[0] = events != 0;
	f->values[0] = events ? (double)cycles / (double)events : 0;
}

static void fill_penalties(struct stacks_report *r, const struct stacks *s, const struct stacks_resolution *resolution)
{
	const struct stacks_penalties *p = stacks_penalties(s);
	const struct stacks_events *e = &p->committed;
	add_penalty(r, "l1i", "L1I miss, to L2", STACK_l1i, e->l1i - e->l2i, 0);
	add_penalty(r, "l2i", "L2I miss, to memory", STACK_l2i, e->l2i, 0);
	add_penalty(r, "itlb", "ITLB miss", STACK_itlb, e->itlb, 0);
	add_penalty(r, "bmisp", "mispredicted branch", STACK_bmisp, e->bmisp, 0);
	add_measured(r, "bmisp_resolution", "... dispatch-resolve", p->resolution, p->tracked);
	add_measured(r, "bmisp_refill", "... resolve-dispatch", p->refill, p->tracked);
	add_penalty(r, "l1d", "L1D miss, to L2", STACK_l1d, e->l1d, 0);
	add_penalty(r, "l2d", "long data miss", STACK_l2d, e->l2d, p->stores.l2d);
	add_penalty(r, "l2d_isolated", "... overlaps as one", STACK_l2d, e->l2d_isolated, p->stores.l2d);
	add_penalty(r, "dtlb", "DTLB miss", STACK_dtlb, e->dtlb, p->stores.dtlb);
	add_measured(r, "l2d_resolution", "long data, till issue", resolution->cycles, resolution->loads);
}

static void add_event(struct stacks_report *r, const char *name, uint64_t count)
{
	r->events[r->event_count].name = name;
	r->events[r->event_count++].count = count;
}

static void fill_events(struct stacks_report *r, const struct stacks *s)
{
	const struct stacks_events *e = &stacks_penalties(s)->committed;
	add_event(r, "l1i", e->l1i - e->l2i);
	add_event(r, "l2i", e->l2i);
	add_event(r, "itlb", e->itlb);
	add_event(r, "bmisp", e->bmisp);
	add_event(r, "l1d", e->l1d);
	add_event(r, "l2d", e->l2d);
	add_event(r, "l2d_isolated", e->l2d_isolated);
	add_event(r, "dtlb", e->dtlb);
}

static void fill_fmt(struct stacks_report *r, const struct stacks *s)
{
	const struct stacks_penalties *p = stacks_penalties(s);
	r->fmt_rows = stacks_parameters(s)->fmt_rows;
	r->counter_bits = stacks_parameters(s)->counter_bits;
	r->fmt_rows_used = p->rows_used;
	r->fmt_overflowed = p->overflowed;
	r->fmt_untracked = p->untracked;
	r->fmt_filled = p->filled;
}

void stacks_fill(struct stacks_report *r, const struct stacks *s, const struct stacks_resolution *resolution,
		 uint64_t cycles, uint64_t instructions)
{
	r->cycles = cycles;
	r->instructions = instructions;
	fill_fmt(r, s);
	fill_methods(r, s);
	fill_stages(r, s);
	fill_slots(r, s);
	fill_overlaps(r, s);
	fill_events(r, s);
	fill_penalties(r, s, resolution);
}
