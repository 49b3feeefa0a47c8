/* Scaling of balanced processors (Eyerman et al. 2009, section 4): time for each instruction as depth and width grow,
 * with the plain model. Times are in FO4, the delay of an inverter with four others behind it.
 *
 * Depth p: the pipeline's logic of t_p is cut into p stages, each with latch overhead t_o: a cycle of t_o + t_p / p.
 * The base machine's latencies are those of p_b stages; in cycles they grow by p / p_b. A miss path that is pipelined
 * by f (0 to 1) pays latch overhead on that part of its cycles only: equation (9). Balance: the window grows with the
 * square of width x depth from the base machine's (section 4.1; the square stands for beta / (beta - 1), as in table
 * III), up to what the profile has m*(W) for. */
#ifndef CULPRIT_INTERVAL_MODEL_SCALING_H
#define CULPRIT_INTERVAL_MODEL_SCALING_H

#include "interval/model/model.h"

/* Hartstein and Puzak 2002, whose terms section 4.2.1 follows: 140 FO4 of logic, 2.5 FO4 for a latch. p_b: the classic
 * five stages. */
#define SCALING_LOGIC 140.0
#define SCALING_LATCH 2.5
#define SCALING_BASE_DEPTH 5.0
/* Stages. No optimum is searched beyond: where miss paths are not pipelined at all, time may fall for ever. */
#define SCALING_DEEPEST 100

struct scaling {
	const struct model *model;
	struct machine base;
	double logic, latch, base_depth; /* t_p, t_o, p_b */
};

/* Time for each instruction and its parts, FO4. */
struct scaling_point {
	double width, depth, pipelined, window;
	double dispatch, edge, icache, resolve, refill, long_miss, tlb, tpi;
};

bool scaling_point(const struct scaling *s, double width, double depth, double pipelined, struct scaling_point *point,
		   struct error *err);
/* The depth with the least time, to a hundredth of a stage; at most 100. */
bool scaling_search(const struct scaling *s, double width, double pipelined, struct scaling_point *best,
		    struct error *err);
/* Equation (11) (pipelined 1) or (12) (0), in between likewise, with the counts and the drain of p_b: the optimum
 * depth. */
bool scaling_formula(const struct scaling *s, double width, double pipelined, double *depth, struct error *err);

#endif
