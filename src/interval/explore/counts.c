/* How often each part's events happen, for every value of the structures that decide it. */
#include "interval/explore/reader.h"
#include "interval/explore/tables.h"

/* What the plain model says of events that the profile counted but the sample lacks. */
static double unsampled(const struct explore_tables *t, const struct machine *m, const struct model_counts *counts,
			enum explore_group g)
{
	static const enum model_term terms[FLOW_PARTS] = {
		[FLOW_l1i] = MODEL_l1i,	  [FLOW_l2i] = MODEL_l2i, [FLOW_itlb] = MODEL_itlb,    [FLOW_l2d] = MODEL_l2d,
		[FLOW_dtlb] = MODEL_dtlb, [FLOW_l1d] = MODEL_l1d, [FLOW_bmisp] = MODEL_resolve};
	struct model_result r;
	double cycles = 0;
	model_plain_terms(counts, m, model_drain(t->model, counts, m, model_latency(t->model, m, counts)), &r);
	for (uint32_t i = 0; i < FLOW_PARTS; i++)
		if (explore_group_of_part[i] == g && t->sampled.sampled[i] <= 0 && i != FLOW_store)
			cycles += r.lines[terms[i]].cycles + (i == FLOW_bmisp ? r.lines[MODEL_refill].cycles : 0);
	return cycles / counts->instructions;
}

bool explore_fill_group(const struct explore_tables *t, enum explore_group g, struct error *err)
{
	for (uint32_t c = 0; c < t->group_count[g]; c++) {
		struct machine m = t->space->base;
		struct model_counts counts;
		for (uint32_t i = 0; i < t->space->axis_count; i++)
			if (t->axes[i].groups >> g & 1)
				TRY(explore_apply(&m,
						  &t->space->axes[i].values[c / t->axes[i].group_stride[g] %
									    t->space->axes[i].value_count],
						  err));
		TRY(machine_check(&m, "explore", err));
		model_count(t->model, &m, &counts);
		struct explore_vector *scale = &t->scales[g][c];
		scale->v[0] = unsampled(t, &m, &counts, g);
		for (uint32_t i = 0; i < FLOW_PARTS; i++)
			if (explore_group_of_part[i] == g)
				scale->v[i + 1] = model_scale(&t->sampled, &counts, i) * (double)t->stream.count /
						  counts.instructions;
	}
	return true;
}
