/* From the outcomes of the simulations to the report's figures. */
#include "base/interaction.h"
#include "truth/truth.h"

#include <stdlib.h>
#include <string.h>

const struct truth_outcome *truth_outcome(const struct truth *t, uint32_t point, culprit_event_set ideal)
{
	size_t job = truth_plan_find(&t->plan, point, ideal);
	if (job == SIZE_MAX || t->pool.jobs[job].state != POOL_DONE)
		return NULL;
	return (const void *)t->pool.jobs[job].result;
}

static uint64_t time_of(const struct truth *t, uint32_t point, culprit_event_set ideal)
{
	const struct truth_outcome *o = truth_outcome(t, point, ideal);
	return o ? o->cycles : TRUTH_UNKNOWN;
}

static void fill_times(const struct truth *t, uint32_t point, struct truth_times *times)
{
	for (uint32_t set = 0; set < 1u << times->classes; set++)
		times->time[set] = time_of(t, point, truth_plan_events(&t->plan, set));
}

/* --- the list of simulations --- */

static const char *failure(struct truth *t, size_t job)
{
	struct pool_job *j = &t->pool.jobs[job];
	switch (j->state) {
	case POOL_DONE:
		return NULL;
	case POOL_FAILED:
		return j->why.text;
	default:
		return "not finished";
	}
}

static bool fill_runs(struct truth *t, struct error *err)
{
	struct truth_report *r = &t->report;
	r->run_count = t->plan.job_count;
	r->runs = calloc(r->run_count, sizeof *r->runs);
	if (!r->runs)
		return error_set(err, ERROR_SYSTEM, "out of memory for the report");
	for (size_t i = 0; i < r->run_count; i++) {
		struct truth_run_row *row = &r->runs[i];
		const struct truth_job *j = &t->plan.jobs[i];
		truth_set_name(j->ideal, row->name, sizeof row->name);
		truth_point_name(&t->plan, j->point, t->plan.sweep_count, row->point, sizeof row->point);
		row->failure = failure(t, i);
		row->cycles = row->failure ? 0 : ((const struct truth_outcome *)(void *)t->pool.jobs[i].result)->cycles;
		r->failed += row->failure != NULL;
	}
	return true;
}

/* All simulate the same instructions, or their times say nothing about one another. */
static void check_instructions(struct truth *t)
{
	const struct truth_outcome *base = truth_outcome(t, 0, 0);
	for (size_t i = 1; base && i < t->plan.job_count; i++) {
		struct pool_job *j = &t->pool.jobs[i];
		const struct truth_outcome *o = (const void *)j->result;
		if (j->state != POOL_DONE || o->instructions == base->instructions)
			continue;
		j->state = POOL_FAILED;
		error_set(&j->why, ERROR_INTERNAL, "it committed %llu instructions, the base run %llu",
			  (unsigned long long)o->instructions, (unsigned long long)base->instructions);
	}
}

/* --- costs and interaction costs --- */

static void fill_cost(struct truth *t, const struct truth_times *times, uint32_t point, uint32_t class)
{
	struct truth_value_row *v = &t->report.costs[t->report.cost_count++];
	*v = (struct truth_value_row){
		.size = 1, .base = times->time[0], .meaning = culprit_event_what(t->plan.classes[class])};
	snprintf(v->name, sizeof v->name, "%s", culprit_event_name(t->plan.classes[class]));
	truth_point_name(&t->plan, point, t->plan.sweep_count, v->point, sizeof v->point);
	v->known = truth_cost(times, 1u << class, &v->cycles);
}

/* The classes as the user named them, in that order. */
static void name_set(const struct truth_plan *plan, uint32_t set, char *text, size_t size)
{
	size_t used = 0;
	text[0] = 0;
	for (uint32_t i = 0; i < plan->class_count && used < size; i++)
		if (set >> i & 1)
			used += (size_t)snprintf(text + used, size - used, "%s%s", used ? "+" : "",
						 culprit_event_name(plan->classes[i]));
}

static void fill_icost(struct truth *t, const struct truth_times *times, uint32_t point, uint32_t set)
{
	struct truth_value_row *v = &t->report.icosts[t->report.icost_count++];
	*v = (struct truth_value_row){.size = (uint32_t)__builtin_popcount(set), .base = times->time[0]};
	name_set(&t->plan, set, v->name, sizeof v->name);
	truth_point_name(&t->plan, point, t->plan.sweep_count, v->point, sizeof v->point);
	v->known = truth_icost(times, set, &v->cycles);
	double percent = v->known && times->time[0] ? 100 * (double)v->cycles / (double)times->time[0] : 0;
	enum interaction i = interaction_of(percent);
	v->word = interaction_name(i);
	v->meaning = interaction_meaning(i);
}

static void fill_values(struct truth *t, const struct truth_times *times, uint32_t point)
{
	for (uint32_t i = 0; i < t->plan.class_count; i++)
		fill_cost(t, times, point, i);
	for (size_t i = 0; i < t->plan.set_count; i++)
		fill_icost(t, times, point, t->plan.sets[i]);
}

static void fill_other(struct truth_report *r)
{
	int64_t rest = (int64_t)r->cycles;
	r->has_other = r->cycles != 0;
	for (size_t i = 0; i < r->cost_count; i++) {
		r->has_other &= r->costs[i].known;
		rest -= r->costs[i].cycles;
	}
	for (size_t i = 0; i < r->icost_count; i++) {
		r->has_other &= r->icosts[i].known;
		rest -= r->icosts[i].cycles;
	}
	r->other = rest;
}

static void fill_identity(struct truth *t, const struct truth_times *times)
{
	struct truth_report *r = &t->report;
	struct truth_identity i = truth_identity(times);
	r->full = true;
	r->identity_known = i.known;
	r->identity_holds = i.holds;
	r->identity_sum = i.sum;
	r->identity_remainder = i.remainder;
}

static bool fill_breakdown(struct truth *t, struct error *err)
{
	struct truth_report *r = &t->report;
	uint32_t row = t->plan.sweep_count ? t->plan.sweeps[t->plan.sweep_count - 1].count : 1,
		 starts = t->plan.point_count / row;
	struct truth_times times = {.classes = t->plan.class_count};
	times.time = calloc((size_t)1 << times.classes, sizeof *times.time);
	r->costs = calloc((size_t)starts * t->plan.class_count, sizeof *r->costs);
	r->icosts = calloc((size_t)starts * t->plan.set_count + 1, sizeof *r->icosts);
	if (!times.time || !r->costs || !r->icosts) {
		free(times.time);
		return error_set(err, ERROR_SYSTEM, "out of memory for the report");
	}
	for (uint32_t point = 0; point < t->plan.point_count; point += row) {
		fill_times(t, point, &times);
		fill_values(t, &times, point);
		if (t->plan.full)
			fill_identity(t, &times);
	}
	if (!t->plan.sweep_count)
		fill_other(r);
	free(times.time);
	return true;
}

/* --- stacks --- */

static struct truth_stack_table *new_stack(struct truth_report *r, const char *key, const char *title)
{
	struct truth_stack_table *s = &r->stacks[r->stack_count++];
	*s = (struct truth_stack_table){.key = key, .title = title, .known = true};
	return s;
}

static void add_row(struct truth_stack_table *s, const char *name, const char *meaning, int64_t cycles)
{
	s->rows[s->count++] = (struct truth_stack_row){name, meaning, cycles};
}

static void fill_reference(struct truth *t, enum truth_order order)
{
	uint64_t times[TRUTH_REFERENCE_ROWS + 1];
	struct truth_stack stack;
	bool inverse = order == TRUTH_ORDER_INVERSE;
	struct truth_stack_table *s =
		new_stack(&t->report, inverse ? "reference_inverse" : "reference",
			  inverse ? "Reference stack, inverse order: data side before instruction side"
				  : "Reference stack: cycles added as perfect parts become real, one by one");
	for (uint32_t step = 0; step <= TRUTH_REFERENCE_ROWS; step++) {
		times[step] = time_of(t, 0, truth_reference_ideal(order, step));
		s->known &= times[step] != TRUTH_UNKNOWN;
	}
	if (!s->known)
		return;
	truth_reference_stack(order, times, &stack);
	add_row(s, "base", "perfect branch prediction, caches and TLBs", (int64_t)stack.base);
	for (uint32_t step = 1; step <= TRUTH_REFERENCE_ROWS; step++) {
		enum truth_reference_row row = truth_reference_step(order, step);
		add_row(s, truth_reference_name(row), truth_reference_meaning(row), stack.cycles[row]);
	}
}

static void fill_commit_stack(struct truth *t, const struct truth_outcome *base)
{
	struct truth_stack_table *s = new_stack(&t->report, "commit_stack", "The base run by what commit waited for");
	for (unsigned i = 0; i < COMMIT_ROWS; i++)
		if (base->stack[i])
			add_row(s, commit_row_name(i), commit_row_meaning(i), (int64_t)base->stack[i]);
}

/* --- sweeps --- */

static bool fill_curves(struct truth *t, struct error *err)
{
	struct truth_report *r = &t->report;
	if (!t->plan.sweep_count)
		return true;
	const struct truth_sweep *x = &t->plan.sweeps[t->plan.sweep_count - 1];
	_Static_assert(TRUTH_SWEEPS_MAX <= (int)TRUTH_VARIED_MAX, "room for every key");
	for (uint32_t i = 0; i < t->plan.sweep_count; i++) {
		const struct truth_sweep *s = &t->plan.sweeps[i];
		r->varied[r->varied_count++] = (struct truth_varied){s->key, s->count, s->values};
	}
	r->x_key = x->key;
	r->x_count = x->count;
	r->x_values = x->values;
	r->curve_count = t->plan.point_count / x->count;
	r->curves = calloc(r->curve_count, sizeof *r->curves);
	t->curve_cycles = calloc(t->plan.point_count, sizeof *t->curve_cycles);
	if (!r->curves || !t->curve_cycles)
		return error_set(err, ERROR_SYSTEM, "out of memory for the report");
	for (uint32_t point = 0; point < t->plan.point_count; point++)
		t->curve_cycles[point] = time_of(t, point, 0);
	for (uint32_t i = 0; i < r->curve_count; i++) {
		truth_point_name(&t->plan, i * x->count, t->plan.sweep_count - 1, r->curves[i].name,
				 sizeof r->curves[i].name);
		r->curves[i].cycles = &t->curve_cycles[i * x->count];
	}
	return true;
}

bool truth_fill(struct truth *t, struct error *err)
{
	struct truth_report *r = &t->report;
	check_instructions(t);
	const struct truth_outcome *base = truth_outcome(t, 0, 0);
	r->exit_status = base ? base->exit_status : -1;
	if (base)
		r->killed = base->killed;
	if (base) {
		r->instructions = base->instructions;
		r->cycles = base->cycles;
		r->warmed = base->warmed;
	}
	TRY(fill_runs(t, err));
	TRY(fill_breakdown(t, err));
	TRY(fill_curves(t, err));
	if (t->plan.reference) {
		fill_reference(t, TRUTH_ORDER_PAPER);
		fill_reference(t, TRUTH_ORDER_INVERSE);
	}
	if (base && !t->plan.sweep_count)
		fill_commit_stack(t, base);
	return true;
}

void truth_fill_destroy(struct truth *t)
{
	for (size_t i = 0; i < t->report.score_count; i++)
		free(t->report.scores[i].rows);
	free(t->report.scores);
	free(t->report.runs);
	free(t->report.costs);
	free(t->report.icosts);
	free(t->report.curves);
	free(t->curve_cycles);
}
