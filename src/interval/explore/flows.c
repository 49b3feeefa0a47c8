/* The flows behind the tables, by threads that each take every so many-th, and what lies between their knots. */
#include "interval/explore/reader.h"
#include "interval/explore/tables.h"

#include <stdlib.h>
#include <string.h>

enum { STRETCH = 2048 };

/* --- the sample --- */

/* The wrong paths from place `from` on, STRETCH instructions that are now at place `to`. */
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

void explore_shorten(struct explore_tables *t)
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

/* --- flows --- */

/* The base machine with every core axis at the combination's value. */
static bool core_machine(const struct explore_tables *t, uint32_t combination, bool knots, struct machine *m,
			 struct error *err)
{
	*m = t->space->base;
	for (uint32_t i = 0; i < t->space->axis_count; i++) {
		const struct explore_plan *p = &t->axes[i];
		const struct explore_axis *a = &t->space->axes[i];
		if (!p->core)
			continue;
		uint32_t digit = knots ? p->knots[combination / p->core_knot_stride % p->knot_count]
				       : combination / p->core_stride % a->value_count;
		TRY(explore_apply(m, &a->values[digit], err));
	}
	return true;
}

static bool time_machine(const struct explore_tables *t, const struct machine *m, struct explore_vector *out,
			 struct error *err)
{
	struct model_counts counts;
	struct model_flow flow;
	model_count(t->model, m, &counts);
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
		const struct explore_plan *p = &t->axes[i];
		for (uint32_t k = 0; p->effect && k < p->knot_count; k++) {
			struct machine m = core;
			struct explore_vector *effect =
				&t->effects_at_knots[c * t->effect_knots + p->effect_knot_at + k];
			TRY(explore_apply(&m, &t->space->axes[i].values[p->knots[k]], err));
			TRY(time_machine(t, &m, effect, err));
			for (uint32_t v = 0; v < EXPLORE_VECTOR; v++)
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

bool explore_time_all(struct explore_tables *t, struct error *err)
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
static void interpolate_core(const struct explore_tables *t, uint32_t combination, const struct explore_vector *knots,
			     uint32_t step, uint32_t column, struct explore_vector *out)
{
	const struct explore_place *places[EXPLORE_AXES];
	uint32_t strides[EXPLORE_AXES], n = 0;
	for (uint32_t i = 0; i < t->space->axis_count; i++) {
		const struct explore_plan *p = &t->axes[i];
		if (!p->core)
			continue;
		places[n] = &p->places[combination / p->core_stride % t->space->axes[i].value_count];
		strides[n++] = p->core_knot_stride;
	}
	*out = (struct explore_vector){.v = {0}};
	for (uint32_t corner = 0; corner < 1u << n; corner++) {
		double weight = 1;
		uint32_t at = 0;
		for (uint32_t i = 0; i < n; i++) {
			bool high = corner >> i & 1;
			weight *= high ? places[i]->part : 1 - places[i]->part;
			at += strides[i] * (high ? places[i]->high : places[i]->low);
		}
		for (uint32_t v = 0; weight > 0 && v < EXPLORE_VECTOR; v++)
			out->v[v] += weight * knots[(uint64_t)at * step + column].v[v];
	}
}

static void fill_effects(const struct explore_tables *t, uint32_t c)
{
	for (uint32_t i = 0; i < t->space->axis_count; i++) {
		const struct explore_plan *p = &t->axes[i];
		for (uint32_t v = 0; p->effect && v < t->space->axes[i].value_count; v++) {
			struct explore_vector low, high,
				*out = &t->effects[(uint64_t)c * t->effect_count + p->effect_at + v];
			const struct explore_place *place = &p->places[v];
			interpolate_core(t, c, t->effects_at_knots, t->effect_knots, p->effect_knot_at + place->low,
					 &low);
			interpolate_core(t, c, t->effects_at_knots, t->effect_knots, p->effect_knot_at + place->high,
					 &high);
			for (uint32_t k = 0; k < EXPLORE_VECTOR; k++)
				out->v[k] = low.v[k] + place->part * (high.v[k] - low.v[k]);
		}
	}
}

bool explore_fill_core(const struct explore_tables *t, struct error *err)
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
