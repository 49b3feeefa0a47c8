#include "interval/model/ilp.h"

#include <math.h>

bool ilp_fit(struct ilp *ilp, uint32_t low, uint32_t high)
{
	double n = 0, x = 0, y = 0, xx = 0, xy = 0, yy = 0;
	struct ilp_fit *fit = &ilp->fit;
	*fit = (struct ilp_fit){.low = low};
	for (unsigned i = 0; i <= 20; i++) {
		uint32_t w = (uint32_t)lround(exp2(i / 2.0));
		if (w < low || w > high || w > ilp->measured || ilp->k[w] <= 0)
			continue;
		double lx = log((double)w), ly = log(ilp->k[w]);
		n++, x += lx, y += ly, xx += lx * lx, xy += lx * ly, yy += ly * ly;
		fit->high = w;
	}
	double slope = (n * xy - x * y) / (n * xx - x * x), start = (y - slope * x) / n;
	if (n < 3 || !(slope > 1e-9)) /* flat but for rounding */
		return false;
	double square =
		yy - 2 * slope * xy - 2 * start * y + slope * slope * xx + 2 * slope * start * x + n * start * start;
	fit->alpha = exp(-start);
	fit->beta = 1 / slope;
	fit->residual = sqrt(fmax(square, 0) / n);
	return true;
}

double ilp_path(const struct ilp *ilp, double w)
{
	if (w <= 0)
		return 0;
	if (w > ilp->measured) /* join the law to the last measured window */
		return ilp->k[ilp->measured] * pow(w / ilp->measured, 1 / ilp->fit.beta);
	uint32_t below = (uint32_t)w;
	double part = w - below;
	return part > 0 ? ilp->k[below] + part * (ilp->k[below + 1] - ilp->k[below]) : ilp->k[below];
}

double ilp_rate(const struct ilp_fit *fit, double w, double l)
{
	return fit->alpha * pow(w, 1 - 1 / fit->beta) / l;
}

double ilp_window(const struct ilp_fit *fit, double rate, double l)
{
	return pow(l * rate / fit->alpha, fit->beta / (fit->beta - 1));
}

double ilp_window_scale(const struct ilp_fit *fit, double factor)
{
	return pow(factor, fit->beta / (fit->beta - 1));
}

/* Instructions that leave a window of w in a cycle. */
static double leaving(const struct ilp *ilp, double w, double leave_width, double l)
{
	double path = l * ilp_path(ilp, w);
	double out = path > 0 ? w / path : 0;
	out = fmin(out, leave_width);
	return fmin(out, w);
}

/* One cycle of the recurrence; returns what left. */
static double step(const struct ilp *ilp, double *left, double *w, double width, double leave_width, double rob,
		   double l)
{
	double out = leaving(ilp, *w, leave_width, l);
	double in = fmin(fmin(width, *left), rob - (*w - out));
	*left -= in;
	*w += in - out;
	return out;
}

double ilp_drain(const struct ilp *ilp, double n, double width, double leave_width, double rob, double l)
{
	double left = n, w = 0;
	while (left > 0) {
		double before = w, todo = left;
		step(ilp, &left, &w, width, leave_width, rob, l);
		double in = todo - left;
		/* steady: as much enters as leaves, and nothing changes until the interval's last cycles */
		if (fabs(w - before) < 1e-9 && left > 2 * in)
			left -= in * (floor(left / in) - 1);
	}
	return fmax(l * ilp_path(ilp, w), w / leave_width);
}

size_t ilp_ramp(const struct ilp *ilp, double n, double width, double leave_width, double rob, double l, double *rates,
		size_t room)
{
	double left = n, w = 0;
	size_t cycle = 0;
	while (cycle < room && (left > 0 || w > 0.5))
		rates[cycle++] = step(ilp, &left, &w, width, leave_width, rob, l);
	return cycle;
}
