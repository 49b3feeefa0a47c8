/* --with stacks: CPI stacks of every counter architecture side by side. */
#include "analysis/stacks.h"
#include "base/output.h"
#include "cli/analyses.h"
#include "report/stacks_report.h"

#include <stdlib.h>
#include <string.h>

struct with_stacks {
	struct stacks *stacks;
	const char *svg;
	struct stacks_report report;
};

static void destroy(void *self)
{
	struct with_stacks *w = self;
	stacks_destroy(w->stacks);
	free(w);
}

static void *create(const struct analysis_context *context, struct error *err)
{
	struct with_stacks *w = calloc(1, sizeof *w);
	if (!w) {
		error_set(err, ERROR_SYSTEM, "out of memory for CPI stacks");
		return NULL;
	}
	struct stacks_params params;
	stacks_params_from_machine(&params, context->machine);
	const struct options *o = context->options;
	if (o->fmt_rows > 65536) {
		error_set(err, ERROR_USAGE, "--fmt-rows: at most 65536");
		free(w);
		return NULL;
	}
	if (o->fmt_rows)
		params.fmt_rows = (uint32_t)o->fmt_rows;
	w->svg = o->stacks_svg;
	w->report.program = o->arguments ? o->arguments[0] : "";
	w->report.machine = context->machine->name;
	w->stacks = stacks_create(&params, err);
	if (w->stacks)
		return w;
	free(w);
	return NULL;
}

static const struct culprit_observer *observer(void *self)
{
	struct with_stacks *w = self;
	return stacks_observer(w->stacks);
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
	add_overlap(r, "front_end_and_long", "front-end penalty under a long data miss (table 1 of the paper)",
		    long_front);
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

/* Cycles of a component for each of `events`, by architecture. */
static void add_penalty(struct stacks_report *r, const char *key, const char *label, enum stack_component c,
			uint64_t events)
{
	struct stacks_fact *f = add_fact(r, key, label);
	f->count = STACK_METHODS;
	for (unsigned i = 0; i < STACK_METHODS; i++) {
		f->known[i] = events != 0;
		f->values[i] = events ? (double)r->methods.columns[i].amounts[c] / (double)events : 0;
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
	add_penalty(r, "l1i", "L1I miss that L2 serves", STACK_l1i, e->l1i - e->l2i);
	add_penalty(r, "l2i", "instruction miss that memory serves", STACK_l2i, e->l2i);
	add_penalty(r, "itlb", "ITLB miss", STACK_itlb, e->itlb);
	add_penalty(r, "bmisp", "mispredicted branch", STACK_bmisp, e->bmisp);
	add_penalty(r, "l1d", "L1D miss that L2 serves", STACK_l1d, e->l1d);
	add_penalty(r, "l2d", "long data miss, any", STACK_l2d, e->l2d);
	add_penalty(r, "l2d_isolated", "long data miss, overlapping ones as one", STACK_l2d, e->l2d_isolated);
	add_penalty(r, "dtlb", "DTLB miss", STACK_dtlb, e->dtlb);
	add_measured(r, "bmisp_resolution", "misprediction: dispatch to resolve", p->resolution, p->tracked);
	add_measured(r, "bmisp_refill", "misprediction: resolve to dispatch", p->refill, p->tracked);
}

static bool finish(void *self, const struct analysis_totals *totals, struct error *err)
{
	struct with_stacks *w = self;
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
	fill_methods(w);
	fill_stages(w);
	fill_slots(w);
	fill_overlaps(w);
	fill_penalties(w);
	if (!w->svg)
		return true;
	struct output o;
	TRY(output_open(&o, w->svg, err));
	stacks_report_svg((const struct stacks_report *const[]){r}, 1, o.file);
	return output_commit(&o, err);
}

static void text(void *self, FILE *out)
{
	struct with_stacks *w = self;
	stacks_report_text(&w->report, out);
}

static void json(void *self, json_t *root)
{
	struct with_stacks *w = self;
	json_object_set_new(root, "stacks", stacks_report_json(&w->report));
}

const struct analysis analysis_stacks = {
	.name = "stacks",
	.help = "CPI stacks of five counter architectures, by stage and top-down",
	.create = create,
	.observer = observer,
	.finish = finish,
	.text = text,
	.json = json,
	.destroy = destroy,
};
