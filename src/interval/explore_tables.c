/* The explorer's tables: what explore.h promises, computed once by threads that each take every so many-th flow. All table entries
 * are cycles for each instruction; a vector is the start (no part switched on) and what each part adds. */
#include "interval/explore.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KNOTS_MOST = 8, VECTOR = FLOW_PARTS + 1, FLOWS_MOST = 20000, ENTRIES_MOST = 1 << 22, STRETCH = 2048 };

/* Structures whose geometry decides how often a part's event happens. */
enum group { GROUP_L1I, GROUP_L1D, GROUP_L2, GROUP_TLB, GROUP_BRANCH, GROUPS };

struct vector {
	double v[VECTOR];
};

/* Where a value lies between two knots of its axis. */
struct place {
	uint32_t low, high;
	double part;
};

struct axis_plan {
	bool core;	 /* varied together with all other core axes */
	bool effect;	 /* changes the flow by itself */
	uint32_t groups; /* bits of enum group */
	uint32_t knot_count;
	uint32_t knots[EXPLORE_VALUES]; /* values timed */
	struct place *places;		/* of every value */
	double *cost;			/* of every value, beyond the base's */
	uint32_t core_stride, core_knot_stride;
	uint32_t group_stride[GROUPS];
	uint32_t effect_at; /* first effect column of its values; of its knots */
	uint32_t effect_knot_at;
};

struct operand_plan {
	double factor;
	const struct explore_axis *axis; /* NULL: the factor alone */
	uint32_t digit;
};

struct explore_tables {
	const struct explore_space *space;
	const struct model *model;
	struct flow_stream stream;
	struct interval_wrong_path *wrong; /* of the shorter sample */
	struct model sampled;		   /* the model with the shorter sample */
	struct axis_plan axes[EXPLORE_AXES];
	uint32_t core_count, core_knots;     /* combinations */
	uint32_t effect_count, effect_knots; /* columns: values, and knots, of all axes with effects */
	struct vector *core;		     /* [core] */
	struct vector *effects;		     /* [core][effect column] */
	double *core_cost;		     /* [core] */
	uint32_t group_count[GROUPS];
	struct vector
		*scales[GROUPS]; /* [combination of the group's axes]; v[0] = cycles of events that the sample lacks */
	struct operand_plan left[EXPLORE_CONSTRAINTS], right[EXPLORE_CONSTRAINTS];
	/* while being made */
	struct vector *core_at_knots, *effects_at_knots;
	uint32_t threads;
	struct error error;
	pthread_mutex_t lock;
};

/* --- which axis does what --- */

static bool in_section(const char *set, const char *section)
{
	size_t length = strlen(section);
	return !strncmp(set, section, length) && set[length] == '.';
}

static bool is_core(const char *set)
{
	static const char *const sections[] = {"fetch",	 "dispatch", "window", "issue",
					       "commit", "units",    "queues", "lsq"};
	for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++)
		if (in_section(set, sections[i]))
			return true;
	return false;
}

/* Geometry: how often; everything else of a cache: how long. */
static bool is_geometry(const char *set)
{
	const char *name = strchr(set, '.');
	size_t length = name ? strcspn(name, "=") : 0;
	static const char *const names[] = {".size", ".ways", ".i_entries", ".i_ways", ".d_entries", ".d_ways"};
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (length == strlen(names[i]) && !strncmp(name, names[i], length))
			return !in_section(set, "l3");
	return in_section(set, "branch");
}

static uint32_t groups_of(const char *set)
{
	static const struct {
		const char *section;
		uint32_t groups;
	} rows[] = {{"l1i", 1 << GROUP_L1I}, {"l1d", 1 << GROUP_L1D}, {"l2", 1 << GROUP_L2},
		    {"l3", 1 << GROUP_L2},   {"tlb", 1 << GROUP_TLB}, {"branch", 1 << GROUP_BRANCH}};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		if (in_section(set, rows[i].section))
			return rows[i].groups;
	return 0;
}

static void plan_axis(struct axis_plan *p, const struct explore_axis *a)
{
	for (uint32_t v = 0; v < a->value_count; v++)
		for (uint32_t k = 0; k < a->values[v].set_count; k++) {
			const char *set = a->values[v].sets[k];
			p->core |= is_core(set);
			p->effect |= !is_geometry(set);
			p->groups |= groups_of(set);
		}
	p->effect = p->effect && !p->core;
}

/* All values, or seven spread evenly over a long list of numbers (in the logarithm). */
static void choose_knots(struct axis_plan *p, const struct explore_axis *a)
{
	bool all = a->value_count <= KNOTS_MOST || !*a->key || (!p->core && !p->effect);
	if (all) {
		p->knot_count = a->value_count;
		for (uint32_t v = 0; v < a->value_count; v++)
			p->knots[v] = v;
		return;
	}
	double low = log(fmax(a->values[0].number, 1)), high = log(fmax(a->values[a->value_count - 1].number, 1));
	for (uint32_t k = 0; k < 7; k++) {
		double wanted = low + (high - low) * k / 6;
		uint32_t best = 0;
		for (uint32_t v = 0; v < a->value_count; v++)
			if (fabs(log(fmax(a->values[v].number, 1)) - wanted) <
			    fabs(log(fmax(a->values[best].number, 1)) - wanted))
				best = v;
		if (!p->knot_count || p->knots[p->knot_count - 1] < best)
			p->knots[p->knot_count++] = best;
	}
}

static struct place place_of(const struct axis_plan *p, const struct explore_axis *a, uint32_t value)
{
	uint32_t k = 0;
	while (k + 1 < p->knot_count && p->knots[k + 1] <= value)
		k++;
	if (p->knots[k] == value || k + 1 == p->knot_count)
		return (struct place){k, k, 0};
	double low = log(fmax(a->values[p->knots[k]].number, 1)),
	       high = log(fmax(a->values[p->knots[k + 1]].number, 1));
	return (struct place){k, k + 1, (log(fmax(a->values[value].number, 1)) - low) / (high - low)};
}

static bool apply(struct machine *m, const struct explore_value *v, struct error *err)
{
	for (uint32_t k = 0; k < v->set_count; k++)
		TRY(machine_set(m, v->sets[k], err));
	return true;
}

/* Lists that fall would break the search for a place. */
static bool ascending(const struct explore_axis *a, struct error *err)
{
	for (uint32_t v = 1; v < a->value_count && *a->key; v++)
		if (a->values[v].number <= a->values[v - 1].number)
			return error_set(err, ERROR_INPUT, "axis %s: values must ascend", a->name);
	return true;
}

static bool allocate_axis(struct axis_plan *p, const struct explore_axis *a, struct error *err)
{
	p->places = calloc(a->value_count, sizeof *p->places);
	p->cost = calloc(a->value_count, sizeof *p->cost);
	return (p->places && p->cost) || error_set(err, ERROR_SYSTEM, "out of memory for the explorer");
}

static bool cost_axis(const struct explore_tables *t, struct axis_plan *p, const struct explore_axis *a,
		      struct error *err)
{
	double base = explore_cost(&t->space->base, t->space->weights);
	for (uint32_t v = 0; v < a->value_count; v++) {
		struct machine m = t->space->base;
		TRY(apply(&m, &a->values[v], err));
		p->cost[v] = p->core ? 0 : explore_cost(&m, t->space->weights) - base;
	}
	return true;
}

static bool plan(struct explore_tables *t, struct error *err)
{
	t->core_count = t->core_knots = 1;
	for (uint32_t g = 0; g < GROUPS; g++)
		t->group_count[g] = 1;
	for (uint32_t i = 0; i < t->space->axis_count; i++) {
		const struct explore_axis *a = &t->space->axes[i];
		struct axis_plan *p = &t->axes[i];
		TRY(ascending(a, err));
		plan_axis(p, a);
		choose_knots(p, a);
		TRY(allocate_axis(p, a, err));
		TRY(cost_axis(t, p, a, err));
		for (uint32_t v = 0; v < a->value_count; v++)
			p->places[v] = place_of(p, a, v);
		if (p->core) {
			p->core_stride = t->core_count;
			p->core_knot_stride = t->core_knots;
			t->core_count *= a->value_count;
			t->core_knots *= p->knot_count;
		} else if (p->effect) {
			p->effect_at = t->effect_count;
			p->effect_knot_at = t->effect_knots;
			t->effect_count += a->value_count;
			t->effect_knots += p->knot_count;
		}
		for (uint32_t g = 0; g < GROUPS; g++)
			if (p->groups >> g & 1) {
				p->group_stride[g] = t->group_count[g];
				t->group_count[g] *= a->value_count;
			}
		if (t->core_count > ENTRIES_MOST || (uint64_t)t->core_knots * (t->effect_knots + 1) > FLOWS_MOST ||
		    (uint64_t)t->core_count * (t->effect_count + 1) > ENTRIES_MOST)
			return error_set(
				err, ERROR_INPUT,
				"axis %s: too many combinations of widths, windows and latencies to time: give "
				"fewer values (at most %d flows)",
				a->name, FLOWS_MOST);
	}
	return true;
}

/* --- flows --- */

/* The base machine with every core axis at the combination's value. */
static bool core_machine(const struct explore_tables *t, uint32_t combination, bool knots, struct machine *m,
			 struct error *err)
{
	*m = t->space->base;
	for (uint32_t i = 0; i < t->space->axis_count; i++) {
		const struct axis_plan *p = &t->axes[i];
		const struct explore_axis *a = &t->space->axes[i];
		if (!p->core)
			continue;
		uint32_t digit = knots ? p->knots[combination / p->core_knot_stride % p->knot_count]
				       : combination / p->core_stride % a->value_count;
		TRY(apply(m, &a->values[digit], err));
	}
	return true;
}

static bool time_machine(const struct explore_tables *t, const struct machine *m, struct vector *out, struct error *err)
{
	struct model_counts counts;
	struct model_flow flow;
	TRY(model_count(t->model, m, &counts, err));
	uint32_t parts = model_parts(m, MODEL_REFINED);
	TRY(model_flow(&t->sampled, m, &counts, parts, &flow, err));
	out->v[0] = flow.start / (double)t->stream.count;
	for (uint32_t i = 0; i < FLOW_PARTS; i++)
		out->v[i + 1] = flow.added[i] / (double)t->stream.count;
	return true;
}

/* One combination of the core at its knots, and then each effect's knot from there. */
static bool time_combination(struct explore_tables *t, uint32_t c, struct error *err)
{
	struct machine core;
	TRY(core_machine(t, c, true, &core, err));
	TRY(time_machine(t, &core, &t->core_at_knots[c], err));
	for (uint32_t i = 0; i < t->space->axis_count; i++) {
		const struct axis_plan *p = &t->axes[i];
		for (uint32_t k = 0; p->effect && k < p->knot_count; k++) {
			struct machine m = core;
			struct vector *effect = &t->effects_at_knots[c * t->effect_knots + p->effect_knot_at + k];
			TRY(apply(&m, &t->space->axes[i].values[p->knots[k]], err));
			TRY(time_machine(t, &m, effect, err));
			for (uint32_t v = 0; v < VECTOR; v++)
				effect->v[v] -= t->core_at_knots[c].v[v];
		}
	}
	return true;
}

struct worker {
	struct explore_tables *tables;
	uint32_t number;
};

static void *work(void *context)
{
	const struct worker *w = context;
	struct explore_tables *t = w->tables;
	struct error err;
	for (uint32_t c = w->number; c < t->core_knots; c += t->threads) {
		if (time_combination(t, c, &err))
			continue;
		pthread_mutex_lock(&t->lock);
		t->error = err;
		pthread_mutex_unlock(&t->lock);
		break;
	}
	return NULL;
}

static bool time_all(struct explore_tables *t, struct error *err)
{
	pthread_t threads[64];
	struct worker workers[64];
	uint32_t started = 0;
	for (uint32_t i = 0; i < 64; i++)
		workers[i] = (struct worker){t, i};
	for (; started + 1 < t->threads; started++)
		if (pthread_create(&threads[started], NULL, work, &workers[started + 1]))
			break;
	work(&workers[0]);
	for (uint32_t i = started + 1; i < t->threads; i++)
		work(&workers[i]); /* threads that the host refused */
	for (uint32_t i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	if (t->error.code != ERROR_NONE) {
		*err = t->error;
		return false;
	}
	return true;
}

/* --- from knots to all values --- */

/* The weighted sum over the corners of the cell that the combination lies in. */
static void interpolate_core(const struct explore_tables *t, uint32_t combination, const struct vector *knots,
			     uint32_t step, uint32_t column, struct vector *out)
{
	const struct place *places[EXPLORE_AXES];
	uint32_t strides[EXPLORE_AXES], n = 0;
	for (uint32_t i = 0; i < t->space->axis_count; i++) {
		const struct axis_plan *p = &t->axes[i];
		if (!p->core)
			continue;
		places[n] = &p->places[combination / p->core_stride % t->space->axes[i].value_count];
		strides[n++] = p->core_knot_stride;
	}
	*out = (struct vector){.v = {0}};
	for (uint32_t corner = 0; corner < 1u << n; corner++) {
		double weight = 1;
		uint32_t at = 0;
		for (uint32_t i = 0; i < n; i++) {
			bool high = corner >> i & 1;
			weight *= high ? places[i]->part : 1 - places[i]->part;
			at += strides[i] * (high ? places[i]->high : places[i]->low);
		}
		for (uint32_t v = 0; weight > 0 && v < VECTOR; v++)
			out->v[v] += weight * knots[(uint64_t)at * step + column].v[v];
	}
}

static void fill_effects(const struct explore_tables *t, uint32_t c)
{
	for (uint32_t i = 0; i < t->space->axis_count; i++) {
		const struct axis_plan *p = &t->axes[i];
		for (uint32_t v = 0; p->effect && v < t->space->axes[i].value_count; v++) {
			struct vector low, high, *out = &t->effects[(uint64_t)c * t->effect_count + p->effect_at + v];
			const struct place *place = &p->places[v];
			interpolate_core(t, c, t->effects_at_knots, t->effect_knots, p->effect_knot_at + place->low,
					 &low);
			interpolate_core(t, c, t->effects_at_knots, t->effect_knots, p->effect_knot_at + place->high,
					 &high);
			for (uint32_t k = 0; k < VECTOR; k++)
				out->v[k] = low.v[k] + place->part * (high.v[k] - low.v[k]);
		}
	}
}

static bool fill_core(const struct explore_tables *t, struct error *err)
{
	for (uint32_t c = 0; c < t->core_count; c++) {
		struct machine m;
		interpolate_core(t, c, t->core_at_knots, 1, 0, &t->core[c]);
		fill_effects(t, c);
		TRY(core_machine(t, c, false, &m, err));
		t->core_cost[c] = explore_cost(&m, t->space->weights);
	}
	return true;
}

/* --- how often --- */

static const uint8_t group_of_part[FLOW_PARTS] = {
	[FLOW_units] = GROUPS,	  [FLOW_order] = GROUPS,  [FLOW_fetch] = GROUPS,   [FLOW_stray] = GROUPS,
	[FLOW_prefetch] = GROUPS, [FLOW_serial] = GROUPS, [FLOW_l1d] = GROUP_L1D,  [FLOW_bmisp] = GROUP_BRANCH,
	[FLOW_l1i] = GROUP_L1I,	  [FLOW_l2i] = GROUP_L2,  [FLOW_itlb] = GROUP_TLB, [FLOW_l2d] = GROUP_L2,
	[FLOW_dtlb] = GROUP_TLB,  [FLOW_mshr] = GROUPS,	  [FLOW_bus] = GROUPS,
};

/* What the plain model says of events that the profile counted but the sample lacks. */
static double unsampled(const struct explore_tables *t, const struct machine *m, const struct model_counts *counts,
			enum group g)
{
	static const enum model_term terms[FLOW_PARTS] = {
		[FLOW_l1i] = MODEL_l1i,	  [FLOW_l2i] = MODEL_l2i, [FLOW_itlb] = MODEL_itlb,    [FLOW_l2d] = MODEL_l2d,
		[FLOW_dtlb] = MODEL_dtlb, [FLOW_l1d] = MODEL_l1d, [FLOW_bmisp] = MODEL_resolve};
	struct model_result r;
	double cycles = 0;
	model_plain_terms(counts, m, model_drain(t->model, counts, m, model_latency(t->model, m, counts)), &r);
	for (uint32_t i = 0; i < FLOW_PARTS; i++)
		if (group_of_part[i] == g && t->sampled.sampled[i] <= 0)
			cycles += r.lines[terms[i]].cycles + (i == FLOW_bmisp ? r.lines[MODEL_refill].cycles : 0);
	return cycles / counts->instructions;
}

static bool fill_group(const struct explore_tables *t, enum group g, struct error *err)
{
	for (uint32_t c = 0; c < t->group_count[g]; c++) {
		struct machine m = t->space->base;
		struct model_counts counts;
		for (uint32_t i = 0; i < t->space->axis_count; i++)
			if (t->axes[i].groups >> g & 1)
				TRY(apply(&m,
					  &t->space->axes[i].values[c / t->axes[i].group_stride[g] %
								    t->space->axes[i].value_count],
					  err));
		TRY(machine_check(&m, "explore", err));
		TRY(model_count(t->model, &m, &counts, err));
		struct vector *scale = &t->scales[g][c];
		scale->v[0] = unsampled(t, &m, &counts, g);
		for (uint32_t i = 0; i < FLOW_PARTS; i++)
			if (group_of_part[i] == g)
				scale->v[i + 1] = model_scale(&t->sampled, &counts, i) * (double)t->stream.count /
						  counts.instructions;
	}
	return true;
}

/* --- constraints --- */

static struct operand_plan resolve(const struct explore_space *s, const struct explore_operand *o)
{
	for (uint32_t i = 0; *o->key && i < s->axis_count; i++)
		if (!strcmp(s->axes[i].key, o->key))
			return (struct operand_plan){o->factor, &s->axes[i], i};
	return (struct operand_plan){o->factor, NULL, 0};
}

static double operand(const struct operand_plan *o, const uint32_t *digits)
{
	return o->axis ? o->factor * o->axis->values[digits[o->digit]].number : o->factor;
}

static bool holds(const char *op, double a, double b)
{
	switch (op[0]) {
	case '<':
		return op[1] ? a <= b : a < b;
	case '>':
		return op[1] ? a >= b : a > b;
	case '=':
		return a == b;
	default:
		return a != b;
	}
}

bool explore_allowed(const struct explore_tables *t, const uint32_t digits[EXPLORE_AXES], double cost)
{
	for (uint32_t i = 0; i < t->space->constraint_count; i++)
		if (!holds(t->space->constraints[i].op, operand(&t->left[i], digits), operand(&t->right[i], digits)))
			return false;
	return !(t->space->max_cost > 0) || cost <= t->space->max_cost;
}

/* --- together --- */

double explore_cost_of(const struct explore_tables *t, const uint32_t digits[EXPLORE_AXES])
{
	uint32_t core = 0;
	double cost = 0;
	for (uint32_t i = 0; i < t->space->axis_count; i++) {
		core += digits[i] * t->axes[i].core_stride;
		cost += t->axes[i].cost[digits[i]];
	}
	return cost + t->core_cost[core];
}

double explore_cpi(const struct explore_tables *t, const uint32_t digits[EXPLORE_AXES])
{
	uint32_t core = 0, at[GROUPS] = {0};
	for (uint32_t i = 0; i < t->space->axis_count; i++) {
		core += digits[i] * t->axes[i].core_stride;
		for (uint32_t g = 0; g < GROUPS; g++)
			at[g] += digits[i] * t->axes[i].group_stride[g];
	}
	struct vector sum = t->core[core];
	for (uint32_t i = 0; i < t->space->axis_count; i++) {
		if (!t->axes[i].effect)
			continue;
		const struct vector *effect =
			&t->effects[(uint64_t)core * t->effect_count + t->axes[i].effect_at + digits[i]];
		for (uint32_t v = 0; v < VECTOR; v++)
			sum.v[v] += effect->v[v];
	}
	double cpi = sum.v[0];
	for (uint32_t i = 0; i < FLOW_PARTS; i++) {
		uint32_t g = group_of_part[i];
		cpi += sum.v[i + 1] * (g < GROUPS ? t->scales[g][at[g]].v[i + 1] : 1);
	}
	for (uint32_t g = 0; g < GROUPS; g++)
		cpi += t->scales[g][at[g]].v[0];
	return cpi;
}

/* The wrong paths from place `from` on, `count` instructions that are now at place `to`. */
static void keep_wrong_paths(struct flow_stream *shorter, struct interval_wrong_path *wrong,
			     const struct flow_stream *all, uint64_t from, uint64_t to)
{
	size_t at = 0, end = all->wrong_count;
	while (at < end) { /* the first that is not before `from` */
		size_t middle = at + (end - at) / 2;
		if (all->wrong[middle].branch < from)
			at = middle + 1;
		else
			end = middle;
	}
	for (; at < all->wrong_count && all->wrong[at].branch < from + STRETCH; at++) {
		wrong[shorter->wrong_count] = all->wrong[at];
		wrong[shorter->wrong_count++].branch += (uint32_t)(to - from);
	}
}

/* The first part of each of the sample's stretches, so that all phases are in it: whole stretches, every so many-th. */
static void shorten(struct explore_tables *t)
{
	const struct flow_stream *all = &t->model->stream;
	t->stream = *all;
	if (all->count <= t->space->sample)
		return;
	uint64_t every = all->count / t->space->sample, n = 0;
	struct interval_sample *list = malloc((all->count / every + STRETCH) * sizeof *list);
	t->wrong = malloc(all->wrong_count * sizeof *t->wrong + 1);
	if (!list || !t->wrong) {
		free(list);
		return; /* the whole sample will do */
	}
	t->stream = (struct flow_stream){.samples = list, .stretch = STRETCH, .wrong = t->wrong, .strays = all->strays};
	for (uint64_t at = 0; at + STRETCH <= all->count; at += every * STRETCH, n += STRETCH) {
		memcpy(&list[n], &all->samples[at], STRETCH * sizeof *list);
		keep_wrong_paths(&t->stream, t->wrong, all, at, n);
	}
	t->stream.count = n;
}

static bool allocate(struct explore_tables *t, struct error *err)
{
	t->core = calloc(t->core_count, sizeof *t->core);
	t->core_cost = calloc(t->core_count, sizeof *t->core_cost);
	t->effects = calloc((uint64_t)t->core_count * t->effect_count + 1, sizeof *t->effects);
	t->core_at_knots = calloc(t->core_knots, sizeof *t->core_at_knots);
	t->effects_at_knots = calloc((uint64_t)t->core_knots * t->effect_knots + 1, sizeof *t->effects_at_knots);
	bool good = t->core && t->core_cost && t->effects && t->core_at_knots && t->effects_at_knots;
	for (uint32_t g = 0; g < GROUPS; g++) {
		t->scales[g] = calloc(t->group_count[g], sizeof *t->scales[g]);
		good = good && t->scales[g];
	}
	return good || error_set(err, ERROR_SYSTEM, "out of memory for the explorer");
}

static bool fill(struct explore_tables *t, struct error *err)
{
	TRY(plan(t, err));
	TRY(allocate(t, err));
	shorten(t);
	t->sampled = *t->model;
	model_restrict(&t->sampled, &t->stream);
	for (uint32_t g = 0; g < GROUPS; g++)
		TRY(fill_group(t, g, err));
	for (uint32_t i = 0; i < t->space->constraint_count; i++) {
		t->left[i] = resolve(t->space, &t->space->constraints[i].left);
		t->right[i] = resolve(t->space, &t->space->constraints[i].right);
	}
	TRY(time_all(t, err));
	return fill_core(t, err);
}

struct explore_tables *explore_tables_create(const struct explore_space *s, const struct model *model, uint32_t threads,
					     struct error *err)
{
	struct explore_tables *t = calloc(1, sizeof *t);
	if (!t) {
		error_set(err, ERROR_SYSTEM, "out of memory for the explorer");
		return NULL;
	}
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	threads = threads ? threads : (uint32_t)(processors > 0 ? processors : 1);
	t->threads = threads < 64 ? threads : 64;
	t->space = s;
	t->model = model;
	pthread_mutex_init(&t->lock, NULL);
	if (!model->stream.count) {
		error_set(err, ERROR_INPUT, "the profile has no sample to time");
	} else if (fill(t, err)) {
		return t;
	}
	explore_tables_destroy(t);
	return NULL;
}

void explore_tables_destroy(struct explore_tables *t)
{
	if (!t)
		return;
	for (uint32_t i = 0; i < EXPLORE_AXES; i++) {
		free(t->axes[i].places);
		free(t->axes[i].cost);
	}
	for (uint32_t g = 0; g < GROUPS; g++)
		free(t->scales[g]);
	free(t->core);
	free(t->core_cost);
	free(t->effects);
	free(t->core_at_knots);
	free(t->effects_at_knots);
	free(t->wrong);
	if (t->stream.samples != t->model->stream.samples)
		free((void *)(uintptr_t)t->stream.samples);
	pthread_mutex_destroy(&t->lock);
	free(t);
}
