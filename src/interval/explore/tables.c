#include "interval/explore/tables.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- constraints --- */

static struct explore_term resolve(const struct explore_space *s, const struct explore_operand *o)
{
	for (uint32_t i = 0; *o->key && i < s->axis_count; i++)
		if (!strcmp(s->axes[i].key, o->key))
			return (struct explore_term){o->factor, &s->axes[i], i};
	return (struct explore_term){o->factor, NULL, 0};
}

static double operand(const struct explore_term *o, const uint32_t *digits)
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
	uint32_t core = 0, at[EXPLORE_GROUPS] = {0};
	for (uint32_t i = 0; i < t->space->axis_count; i++) {
		core += digits[i] * t->axes[i].core_stride;
		for (uint32_t g = 0; g < EXPLORE_GROUPS; g++)
			at[g] += digits[i] * t->axes[i].group_stride[g];
	}
	struct explore_vector sum = t->core[core];
	for (uint32_t i = 0; i < t->space->axis_count; i++) {
		if (!t->axes[i].effect)
			continue;
		const struct explore_vector *effect =
			&t->effects[(uint64_t)core * t->effect_count + t->axes[i].effect_at + digits[i]];
		for (uint32_t v = 0; v < EXPLORE_VECTOR; v++)
			sum.v[v] += effect->v[v];
	}
	double cpi = sum.v[0];
	for (uint32_t i = 0; i < FLOW_PARTS; i++) {
		uint32_t g = explore_group_of_part[i];
		cpi += sum.v[i + 1] * (g < EXPLORE_GROUPS ? t->scales[g][at[g]].v[i + 1] : 1);
	}
	for (uint32_t g = 0; g < EXPLORE_GROUPS; g++)
		cpi += t->scales[g][at[g]].v[0];
	return cpi;
}

static bool allocate(struct explore_tables *t, struct error *err)
{
	t->core = calloc(t->core_count, sizeof *t->core);
	t->core_cost = calloc(t->core_count, sizeof *t->core_cost);
	t->effects = calloc((uint64_t)t->core_count * t->effect_count + 1, sizeof *t->effects);
	t->core_at_knots = calloc(t->core_knots, sizeof *t->core_at_knots);
	t->effects_at_knots = calloc((uint64_t)t->core_knots * t->effect_knots + 1, sizeof *t->effects_at_knots);
	bool good = t->core && t->core_cost && t->effects && t->core_at_knots && t->effects_at_knots;
	for (uint32_t g = 0; g < EXPLORE_GROUPS; g++) {
		t->scales[g] = calloc(t->group_count[g], sizeof *t->scales[g]);
		good = good && t->scales[g];
	}
	return good || error_set(err, ERROR_SYSTEM, "out of memory for the explorer");
}

static bool fill(struct explore_tables *t, struct error *err)
{
	TRY(explore_plan_axes(t, err));
	TRY(allocate(t, err));
	explore_shorten(t);
	t->sampled = *t->model;
	model_restrict(&t->sampled, &t->stream);
	for (uint32_t g = 0; g < EXPLORE_GROUPS; g++)
		TRY(explore_fill_group(t, g, err));
	for (uint32_t i = 0; i < t->space->constraint_count; i++) {
		t->left[i] = resolve(t->space, &t->space->constraints[i].left);
		t->right[i] = resolve(t->space, &t->space->constraints[i].right);
	}
	TRY(explore_time_all(t, err));
	return explore_fill_core(t, err);
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
	for (uint32_t g = 0; g < EXPLORE_GROUPS; g++)
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
