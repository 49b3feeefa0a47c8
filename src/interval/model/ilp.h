/* Inherent instruction-level parallelism (Eyerman et al. 2009, section 3.2): the critical path K(W) of windows of W
 * instructions, the power law fitted to it, the rates and window sizes that follow, and the time to drain a window.
 * Times are cycles, rates instructions per cycle. Plain arguments, no profile: the formulas can be tested by hand. */
#ifndef CULPRIT_INTERVAL_MODEL_ILP_H
#define CULPRIT_INTERVAL_MODEL_ILP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* K(W) = W^(1/beta) / alpha, equation (1). */
struct ilp_fit {
	double alpha, beta;
	double residual;    /* root mean square of ln K - ln fit: 0.05 = 5 % */
	uint32_t low, high; /* windows fitted */
};

enum { ILP_WINDOW = 1024 };

struct ilp {
	double k[ILP_WINDOW + 1]; /* measured K(W), W = 1 .. measured; [0] = 0 */
	uint32_t measured;
	struct ilp_fit fit;
};

/* Least squares on the log-log curve over W = low .. high at 2^(i/2) (each octave weighs the same). False when fewer
 * than three such W were measured or the curve does not rise. */
bool ilp_fit(struct ilp *ilp, uint32_t low, uint32_t high);
/* K(w) for any real w >= 0: linear between measured windows (through K(0) = 0), the fitted law beyond them. */
double ilp_path(const struct ilp *ilp, double w);
/* Equations (2), (3): instructions per cycle from a window of w at average latency l, by the fitted law. */
double ilp_rate(const struct ilp_fit *fit, double w, double l);
/* Equation (5): the window for a rate. */
double ilp_window(const struct ilp_fit *fit, double rate, double l);
/* How a balanced window grows when width or depth grows by `factor` (section 4.1): factor^(beta / (beta - 1)). */
double ilp_window_scale(const struct ilp_fit *fit, double factor);

/* Equation (8): cycles to drain the window after a misprediction that is the n-th instruction of its interval. Each
 * cycle `width` instructions enter, as long as there are any and the ROB has room, and w / (l K(w)) leave, but no more
 * than `leave_width` (the issue width; the paper has it equal to `width`). */
double ilp_drain(const struct ilp *ilp, double n, double width, double leave_width, double rob, double l);

/* One interval as in figure 21: instructions issued in each cycle while n are dispatched and the window drains, into
 * rates[cycles]; returns the cycles until all have issued (at most `room`). */
size_t ilp_ramp(const struct ilp *ilp, double n, double width, double leave_width, double rob, double l, double *rates,
		size_t room);

#endif
