/* The sample on other caches than the reference's. Its levels are the reference's; where the machine misses more or less often, levels
 * are changed at random places (a hash of the place: the same every time) until the sample misses as often as the sweeps say the
 * machine does. Without this a machine whose caches are much smaller would be given a penalty that was measured on the few misses that
 * the reference had. What is lost is where the misses are: bursts are thinned or filled evenly. */
#include "interval/model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Accesses of one side of the sample, by where they are served; as wanted. */
struct side {
	double hits, shorts, longs;
	double shorts_wanted, longs_wanted;
};

static double wanted(double sampled, double here, double reference, double share)
{
	return reference > 0 && sampled > 0 ? sampled * here / reference : here * share;
}

enum { LOADS, STORES, CODE, SIDES };

static unsigned data_side(const struct interval_sample *s)
{
	return s->flags & SAMPLE_LOAD ? LOADS : STORES;
}

static void count_level(struct side *s, unsigned level)
{
	s->hits += level == CULPRIT_LEVEL_L1;
	s->shorts += level == CULPRIT_LEVEL_L2;
	s->longs += level > CULPRIT_LEVEL_L2;
}

static void count_levels(const struct model *model, struct side *sides)
{
	for (size_t i = 0; i < model->stream.count; i++) {
		const struct interval_sample *s = &model->stream.samples[i];
		count_level(&sides[data_side(s)], s->dlevel);
		count_level(&sides[CODE], s->ilevel);
	}
}

/* How often each side should miss: as the sweeps say, or in proportion to them where they count otherwise than the sample. */
static void want(struct side *sides, const struct model_counts *here, const struct model_counts *reference,
		 double share)
{
	const double l1[SIDES][2] = {
		{here->l1d, reference->l1d}, {here->l1d_stores, reference->l1d_stores}, {here->l1i, reference->l1i}};
	const double l2[SIDES][2] = {
		{here->l2d, reference->l2d}, {here->l2d_stores, reference->l2d_stores}, {here->l2i, reference->l2i}};
	for (unsigned i = 0; i < SIDES; i++) {
		struct side *s = &sides[i];
		s->longs_wanted = wanted(s->longs, l2[i][0], l2[i][1], share);
		s->shorts_wanted = wanted(s->shorts, l1[i][0] - l2[i][0], l1[i][1] - l2[i][1], share);
	}
}

/* A number from 0 to 1 for each place and question. */
static double chance(size_t place, unsigned question)
{
	uint64_t h = (place + 1) * UINT64_C(0x9E3779B97F4A7C15) + question * UINT64_C(0xD1B54A32D192ED03);
	h ^= h >> 31;
	h *= UINT64_C(0xBF58476D1CE4E5B9);
	return (double)(h >> 11) / 9007199254740992.0;
}

/* First long misses become short ones or the other way round, then short ones hits or the other way round. */
static unsigned changed(const struct side *s, unsigned level, size_t place)
{
	double moved = s->longs_wanted - s->longs, shorts = s->shorts - moved;
	if (level > CULPRIT_LEVEL_L2 && moved < 0 && chance(place, 0) < -moved / s->longs)
		level = CULPRIT_LEVEL_L2;
	else if (level == CULPRIT_LEVEL_L2 && moved > 0 && chance(place, 0) < moved / s->shorts)
		return CULPRIT_LEVEL_MEMORY;
	if (level == CULPRIT_LEVEL_L2 && s->shorts_wanted < shorts && chance(place, 1) < 1 - s->shorts_wanted / shorts)
		return CULPRIT_LEVEL_L1;
	double more = s->shorts_wanted - fmax(shorts, 0);
	if (level == CULPRIT_LEVEL_L1 && more > 0 && chance(place, 2) < more / s->hits)
		return CULPRIT_LEVEL_L2;
	return level;
}

static bool nearly(double a, double b)
{
	return fabs(a - b) <= 1e-9 * fmax(a, b);
}

static bool same_caches(const struct model_counts *a, const struct model_counts *b)
{
	return nearly(a->l1d, b->l1d) && nearly(a->l2d, b->l2d) && nearly(a->l1i, b->l1i) && nearly(a->l2i, b->l2i) &&
	       nearly(a->l1d_stores, b->l1d_stores) && nearly(a->l2d_stores, b->l2d_stores);
}

bool model_adapt(const struct model *model, const struct model_counts *here, struct model *adapted, struct error *err)
{
	const struct model_counts *reference = &model->reference_counts;
	*adapted = *model;
	if (same_caches(here, reference))
		return true;
	struct side sides[SIDES] = {{.hits = 0}};
	count_levels(model, sides);
	want(sides, here, reference, (double)model->stream.count / here->instructions);
	struct interval_sample *list = malloc(model->stream.count * sizeof *list);
	if (!list)
		return error_set(err, ERROR_SYSTEM, "out of memory for the sample");
	memcpy(list, model->stream.samples, model->stream.count * sizeof *list);
	for (size_t i = 0; i < model->stream.count; i++) {
		if (list[i].dlevel)
			list[i].dlevel = changed(&sides[data_side(&list[i])], list[i].dlevel, 2 * i) & 7;
		if (list[i].ilevel)
			list[i].ilevel = changed(&sides[CODE], list[i].ilevel, 2 * i + 1) & 7;
	}
	struct flow_stream stream = model->stream;
	stream.samples = adapted->own = list;
	bool judged = model_judge_strays(&stream, model->profile, &adapted->own_strays, err);
	model_restrict(adapted, &stream);
	adapted->partial = true; /* its counts are its own, not the reference's */
	return judged;
}

void model_adapt_free(struct model *adapted)
{
	free(adapted->own);
	free(adapted->own_strays);
	adapted->own = adapted->own_strays = NULL;
}
