/* The model of the paper: equation (7) with equation (8) for the window drain. */
#include "interval/model/model.h"
#include "interval/profile/nearest.h"

#include <math.h>
#include <string.h>

bool model_takes(const struct machine *m, struct error *err)
{
	return !m->ideal ||
	       error_set(err, ERROR_USAGE,
			 "model: the machine is idealised (key ideal); the model has terms to leave out instead");
}

double model_latency(const struct model *model, const struct machine *m, const struct model_counts *counts)
{
	const struct interval_mix *mix = &model->profile->mix;
	double cycles = 0, n = 0;
	for (unsigned op = 0; op < CULPRIT_OP_COUNT; op++) {
		bool load = op == CULPRIT_OP_load || op == CULPRIT_OP_amo;
		cycles += (double)mix->op[op] * (m->latency[op] + (load ? m->l1d_latency : 0));
		n += (double)mix->op[op];
	}
	double shorts = fmax(counts->l1d - counts->l2d, 0) * m->l2_latency;
	return n > 0 ? (cycles + shorts) / n : 1;
}

/* Equation (8) for every length of an interval, weighted by how often it occurs. */
double model_drain(const struct model *model, const struct model_counts *counts, const struct machine *m,
		   double latency)
{
	const struct interval_predictor *p = interval_estimate_directions(model->profile, m).taken;
	double sum = 0, events = 0;
	if (!p || counts->mispredictions <= 0)
		return 0;
	for (uint32_t b = 0; b < INTERVAL_BUCKETS; b++) {
		if (!p->interval[b])
			continue;
		double weight = (double)p->interval[b], n = (double)p->instructions[b] / weight;
		sum += weight * ilp_drain(&model->ilp, n, m->dispatch_width, m->issue_width, m->window_rob, latency);
		events += weight;
	}
	return events > 0 ? sum / events : 0;
}

static void set(struct model_result *r, enum model_term term, double count, double penalty)
{
	r->lines[term] = (struct model_line){count, penalty, count * penalty};
}

void model_plain_terms(const struct model_counts *c, const struct machine *m, double drain, struct model_result *r)
{
	double d = m->dispatch_width, far = (m->l3_size ? m->l3_latency : 0) + c->l3_share * m->memory_latency;
	double second = m->tlb_l2_entries ? m->tlb_l2_latency : 0;
	memset(r->lines, 0, sizeof r->lines);
	set(r, MODEL_dispatch, c->instructions, 1 / d);
	set(r, MODEL_edge, c->l1i + c->l2i + c->mispredictions + c->long_units, (d - 1) / (2 * d));
	set(r, MODEL_l1i, c->l1i, m->l2_latency);
	set(r, MODEL_l2i, c->l2i, far);
	set(r, MODEL_itlb, c->itlb, second + c->itlb_walk * m->tlb_walk_latency);
	set(r, MODEL_resolve, c->mispredictions, drain);
	set(r, MODEL_refill, c->mispredictions, m->frontend_stages + m->frontend_redirect);
	set(r, MODEL_l2d, c->long_units, m->memory_latency);
	set(r, MODEL_dtlb, c->walk_units, m->tlb_walk_latency + second);
	r->cycles = 0;
	for (unsigned i = 0; i < MODEL_TERMS; i++)
		r->cycles += r->lines[i].cycles;
	r->cpi = c->instructions > 0 ? r->cycles / c->instructions : 0;
	r->drain = drain;
	r->counts = *c;
}

bool model_plain(const struct model *model, const struct machine *m, struct model_result *r, struct error *err)
{
	struct model_counts counts;
	TRY(model_takes(m, err));
	model_count(model, m, &counts);
	double latency = model_latency(model, m, &counts);
	model_plain_terms(&counts, m, model_drain(model, &counts, m, latency), r);
	r->latency = latency;
	r->ilp = model->ilp;
	return true;
}

/* A misprediction's cycles are two lines. */
double model_nearest_cycles(const struct model_result *r, const struct model_nearest *n)
{
	double penalty = n->penalty;
	if (penalty == 0)
		penalty = r->lines[n->term].penalty + (n->term == MODEL_resolve ? r->lines[MODEL_refill].penalty : 0);
	return fabs(n->off * penalty);
}

double model_all_nearest_cycles(const struct model_result *r)
{
	double cycles = 0;
	for (uint32_t i = 0; i < r->counts.nearest_count; i++)
		cycles += model_nearest_cycles(r, &r->counts.nearest[i]);
	return cycles;
}
