/* --with stacks: CPI stacks of every counter architecture side by side. */
#include "analysis/replay/replay.h"
#include "analysis/stacks/stacks.h"
#include "base/nearest.h"
#include "base/output.h"
#include "with/analyses.h"
#include "report/stacks/report.h"

#include <stdlib.h>
#include <string.h>

struct with_stacks {
	struct stacks *stacks;
	struct replay *replay;
	const char *svg, *csv;
	/* committed loads that went to memory, not overlapping; cycles they waited for their address; when the last
	 * returns */
	uint64_t long_loads, long_resolution, long_until;
	struct stacks_report report;
};

static void destroy(void *self)
{
	struct with_stacks *w = self;
	replay_destroy(w->replay);
	stacks_destroy(w->stacks);
}

static bool parse_rules(const char *list, uint32_t *rules, struct error *err)
{
	while (list && *list) {
		size_t length = strcspn(list, ",");
		enum fmt_rule rule = fmt_rule_find(list, length);
		if (rule == FMT_RULES) {
			char names[100] = "";
			struct nearest near;
			nearest_begin(&near, list, length);
			for (unsigned i = 0; i < FMT_RULES; i++) {
				nearest_consider(&near, fmt_rule_name(i));
				strncat(names, i ? ", " : "", sizeof names - strlen(names) - 1);
				strncat(names, fmt_rule_name(i), sizeof names - strlen(names) - 1);
			}
			return error_set(err, ERROR_USAGE, "--fmt-rule: no rule '%.*s'%s (there are %s)", (int)length,
					 list, nearest_hint(&near), names);
		}
		*rules |= 1u << rule;
		list += length + (list[length] == ',');
	}
	return true;
}

static bool find_params(const struct analysis_context *context, struct stacks_params *params, struct error *err)
{
	const struct options *o = context->options;
	stacks_params_from_machine(params, context->machine);
	if (o->fmt_rows > 65536)
		return error_set(err, ERROR_USAGE, "--fmt-rows: at most 65536");
	if (o->fmt_rows)
		params->fmt_rows = (uint32_t)o->fmt_rows;
	return parse_rules(o->fmt_rule, &params->fmt_rules, err);
}

/* c_lr of the 2009 paper, section 3.1.4: how long a load that goes to memory waits in the window for its address. Not
 * for loads under another such miss, whose penalty theirs is part of; and of a load that had to wait for another one's
 * data only what came after that, for the wait before was the other one's penalty. */
static void measure_resolution(struct with_stacks *w, const struct culprit_record *records, size_t count)
{
	for (const struct culprit_record *r = records, *end = records + count; r != end; r++) {
		if (r->dlevel != CULPRIT_LEVEL_MEMORY || !(r->flags & CULPRIT_LOAD) || (r->flags & CULPRIT_MERGED))
			continue;
		if (r->issue >= w->long_until) {
			w->long_loads++;
			w->long_resolution += r->issue - (r->dispatch > w->long_until ? r->dispatch : w->long_until);
		}
		w->long_until = r->complete > w->long_until ? r->complete : w->long_until;
	}
}

static bool create_replay(struct with_stacks *w, const struct machine *m, struct error *err)
{
	struct replay_params params;
	replay_params_from_machine(&params, m);
	w->replay = replay_create(&params, stacks_observer(w->stacks), err);
	return w->replay != NULL;
}

static bool create(void *self, const struct analysis_context *context, struct error *err)
{
	struct with_stacks *w = self;
	struct stacks_params params;
	const struct options *o = context->options;
	TRY(find_params(context, &params, err));
	w->svg = o->stacks_svg;
	w->csv = o->stacks_csv;
	w->report.program = o->arguments ? o->arguments[0] : "";
	w->report.machine = context->machine->name;
	TRY(w->stacks = stacks_create(&params, err));
	return create_replay(w, context->machine, err);
}

static void log_part(void *self, const struct culprit_log_part *part)
{
	struct with_stacks *w = self;
	replay_log(w->replay, part);
}

static void records(void *self, const struct culprit_record *records, size_t count)
{
	struct with_stacks *w = self;
	replay_records(w->replay, records, count);
	measure_resolution(w, records, count);
}

/* --- fill the report --- */

static void fill_methods(struct with_stacks *w)
{
	struct stacks_table *t = &w->report.methods;
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
					    .storage_bits = stacks_storage_bits(w->stacks, i)};
		stacks_components(w->stacks, i, c->amounts);
	}
}

static void fill_stages(struct with_stacks *w)
{
	struct stacks_table *t = &w->report.stages;
	*t = (struct stacks_table){.key = "stages",
				   .title = "CPI stacks by pipeline stage",
				   .row_count = STAGE_ROWS,
				   .column_count = STACK_STAGES,
				   .unit = stacks_stage_width(w->stacks)};
	for (unsigned i = 0; i < STAGE_ROWS; i++)
		t->rows[i] = (struct stacks_row){stage_row_name(i), stage_row_meaning(i), NULL};
	for (unsigned i = 0; i < STACK_STAGES; i++) {
		t->columns[i].name = t->columns[i].label = stack_stage_name(i);
		for (unsigned j = 0; j < STAGE_ROWS; j++)
			t->columns[i].amounts[j] = (int64_t)stacks_stage(w->stacks, i)[j];
	}
}

static void fill_slots(struct with_stacks *w)
{
	struct stacks_table *t = &w->report.slots;
	uint64_t slots[SLOTS_ROWS];
	w->report.has_slots = stacks_slots(w->stacks, slots);
	*t = (struct stacks_table){.key = "topdown",
				   .title = "Top-down, % of dispatch slots",
				   .row_count = SLOTS_ROWS,
				   .column_count = 1,
				   .unit = stacks_parameters(w->stacks)->dispatch_width};
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

static void fill_overlaps(struct with_stacks *w)
{
	struct stacks_report *r = &w->report;
	const struct stacks *s = w->stacks;
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

static void fill_penalties(struct with_stacks *w)
{
	struct stacks_report *r = &w->report;
	const struct stacks_penalties *p = stacks_penalties(w->stacks);
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
	add_measured(r, "l2d_resolution", "long data, till issue", w->long_resolution, w->long_loads);
}

static void add_event(struct stacks_report *r, const char *name, uint64_t count)
{
	r->events[r->event_count].name = name;
	r->events[r->event_count++].count = count;
}

static void fill_events(struct with_stacks *w)
{
	struct stacks_report *r = &w->report;
	const struct stacks_events *e = &stacks_penalties(w->stacks)->committed;
	add_event(r, "l1i", e->l1i - e->l2i);
	add_event(r, "l2i", e->l2i);
	add_event(r, "itlb", e->itlb);
	add_event(r, "bmisp", e->bmisp);
	add_event(r, "l1d", e->l1d);
	add_event(r, "l2d", e->l2d);
	add_event(r, "l2d_isolated", e->l2d_isolated);
	add_event(r, "dtlb", e->dtlb);
}

/* A picture may show many reports. */
static void print_svg(const struct stacks_report *r, FILE *out)
{
	stacks_report_svg((const struct stacks_report *const[]){r}, 1, out);
}

static bool finish(void *self, const struct analysis_totals *totals, struct error *err)
{
	struct with_stacks *w = self;
	TRY(replay_finish(w->replay, err));
	TRY(stacks_finish(w->stacks, totals->cycles, totals->instructions, err));
	struct stacks_report *r = &w->report;
	r->cycles = totals->cycles;
	r->instructions = totals->instructions;
	const struct stacks_penalties *p = stacks_penalties(w->stacks);
	r->fmt_rows = stacks_parameters(w->stacks)->fmt_rows;
	r->counter_bits = stacks_parameters(w->stacks)->counter_bits;
	r->fmt_rows_used = p->rows_used;
	r->fmt_overflowed = p->overflowed;
	r->fmt_untracked = p->untracked;
	r->fmt_filled = p->filled;
	fill_methods(w);
	fill_stages(w);
	fill_slots(w);
	fill_overlaps(w);
	fill_events(w);
	fill_penalties(w);
	TRY(OUTPUT_WRITE(w->svg, NULL, print_svg, r, err));
	return OUTPUT_WRITE(w->csv, NULL, stacks_report_csv, r, err);
}

static void text(void *self, FILE *out)
{
	struct with_stacks *w = self;
	stacks_report_text(&w->report, out);
}

static json_t *json(void *self)
{
	struct with_stacks *w = self;
	return stacks_report_json(&w->report);
}

const struct analysis analysis_stacks = {
	.name = "stacks",
	.help = "CPI stacks of five counter architectures, by stage and top-down",
	.size = sizeof(struct with_stacks),
	.create = create,
	.records = records,
	.log = log_part,
	.finish = finish,
	.text = text,
	.json = json,
	.destroy = destroy,
};
