#include "interval/model/scaling.h"

#include <math.h>

/* The base machine at another width and depth; depth only through the window here. */
static struct machine balanced(const struct scaling *s, double width, double depth, double *window)
{
	struct machine m = s->base;
	double scale = width / s->base.dispatch_width * depth / s->base_depth;
	*window = fmin(fmax(s->base.window_rob * scale * scale, 4), ILP_WINDOW);
	m.window_rob = (uint32_t)lround(*window);
	m.dispatch_width = m.issue_width = m.commit_width = (uint32_t)lround(width);
	return m;
}

bool scaling_point(const struct scaling *s, double width, double depth, double pipelined, struct scaling_point *out,
		   struct error *err)
{
	struct model_counts c;
	double window, longer = depth / s->base_depth;
	struct machine m = balanced(s, width, depth, &window);
	model_count(s->model, &m, &c);
	double latency = model_latency(s->model, &m, &c) * longer;
	double drain = model_drain(s->model, &c, &m, latency); /* cycles of this depth: l has grown, K(W) has not */
	double cycle = s->latch + s->logic / depth, miss = longer * (pipelined * s->latch + s->logic / depth);
	struct model_result r;
	model_plain_terms(&c, &m, drain, &r);
	double n = c.instructions;
	*out = (struct scaling_point){
		.width = width,
		.depth = depth,
		.pipelined = pipelined,
		.window = window,
		.dispatch = r.lines[MODEL_dispatch].cycles * cycle / n,
		.edge = r.lines[MODEL_edge].cycles * cycle / n,
		.icache = (r.lines[MODEL_l1i].cycles + r.lines[MODEL_l2i].cycles) * miss / n,
		.resolve = r.lines[MODEL_resolve].cycles * cycle / n,
		.refill = r.lines[MODEL_refill].cycles * longer * cycle / n,
		.long_miss = r.lines[MODEL_l2d].cycles * miss / n,
		.tlb = (r.lines[MODEL_itlb].cycles + r.lines[MODEL_dtlb].cycles) * miss / n,
	};
	out->tpi = out->dispatch + out->edge + out->icache + out->resolve + out->refill + out->long_miss + out->tlb;
	return true;
}

/* Whole stages first, since the window's rounding makes the curve bumpy; then hundredths around the best. */
bool scaling_search(const struct scaling *s, double width, double pipelined, struct scaling_point *best,
		    struct error *err)
{
	struct scaling_point p;
	best->tpi = INFINITY;
	for (int depth = 1; depth <= SCALING_DEEPEST; depth++) {
		TRY(scaling_point(s, width, depth, pipelined, &p, err));
		if (p.tpi < best->tpi)
			*best = p;
	}
	double around = best->depth;
	for (int i = -99; i <= 99; i++) {
		if (around + i / 100.0 < 1)
			continue;
		TRY(scaling_point(s, width, around + i / 100.0, pipelined, &p, err));
		if (p.tpi < best->tpi)
			*best = p;
	}
	return true;
}

/* d/dp of A (t_o + t_p/p) + p/p_b (B (f t_o + t_p/p) + C (t_o + t_p/p)) = 0, A = dispatch cycles, B = miss cycles, C =
 * branch cycles: p* = sqrt(t_p p_b / t_o x A / (f B + C)). */
bool scaling_formula(const struct scaling *s, double width, double pipelined, double *depth, struct error *err)
{
	struct model_counts c;
	struct model_result r;
	double window;
	struct machine m = balanced(s, width, s->base_depth, &window);
	model_count(s->model, &m, &c);
	model_plain_terms(&c, &m, model_drain(s->model, &c, &m, model_latency(s->model, &m, &c)), &r);
	double a = r.lines[MODEL_dispatch].cycles + r.lines[MODEL_edge].cycles;
	double branch = r.lines[MODEL_resolve].cycles + r.lines[MODEL_refill].cycles;
	double miss = r.cycles - a - branch;
	double below = pipelined * miss + branch;
	*depth = below > 0 ? sqrt(s->logic * s->base_depth / s->latch * a / below) : INFINITY;
	return true;
}
