/* The sample on other caches than the reference's. Its levels are the reference's; where the machine misses more or less often, levels
 * are changed at random places (a hash of the place: the same every time) until the sample misses as often as the sweeps say the
 * machine does. Without this a machine whose caches are much smaller would be given a penalty that was measured on the few misses that
 * the reference had. What is lost is where the misses are: bursts are thinned or filled evenly. */
#include "interval/model.h"

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

static void count_levels(const struct model *model, struct side *data, struct side *code)
{
	for (size_t i = 0; i < model->stream.count; i++) {
		const struct interval_sample *s = &model->stream.samples[i];
		if (s->flags & SAMPLE_LOAD) {
			data->hits += s->dlevel == CULPRIT_LEVEL_L1;
			data->shorts += s->dlevel == CULPRIT_LEVEL_L2;
			data->longs += s->dlevel > CULPRIT_LEVEL_L2;
		}
		code->hits += s->ilevel == CULPRIT_LEVEL_L1;
		code->shorts += s->ilevel == CULPRIT_LEVEL_L2;
		code->longs += s->ilevel > CULPRIT_LEVEL_L2;
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
	return nearly(a->l1d, b->l1d) && nearly(a->l2d, b->l2d) && nearly(a->l1i, b->l1i) && nearly(a->l2i, b->l2i);
}

bool model_adapt(const struct model *model, const struct model_counts *here, struct model *adapted, struct error *err)
{
	const struct model_counts *reference = &model->reference_counts;
	*adapted = *model;
	if (same_caches(here, reference))
		return true;
	struct side data = {.hits = 0}, code = {.hits = 0};
	double share = (double)model->stream.count / here->instructions;
	count_levels(model, &data, &code);
	data.longs_wanted = wanted(data.longs, here->l2d, reference->l2d, share);
	data.shorts_wanted = wanted(data.shorts, here->l1d - here->l2d, reference->l1d - reference->l2d, share);
	code.longs_wanted = wanted(code.longs, here->l2i, reference->l2i, share);
	code.shorts_wanted = wanted(code.shorts, here->l1i - here->l2i, reference->l1i - reference->l2i, share);
	struct interval_sample *list = malloc(model->stream.count * sizeof *list);
	if (!list)
		return error_set(err, ERROR_SYSTEM, "out of memory for the sample");
	memcpy(list, model->stream.samples, model->stream.count * sizeof *list);
	for (size_t i = 0; i < model->stream.count; i++) {
		if (list[i].dlevel)
			list[i].dlevel = changed(&data, list[i].dlevel, 2 * i) & 7;
		if (list[i].ilevel)
			list[i].ilevel = changed(&code, list[i].ilevel, 2 * i + 1) & 7;
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
