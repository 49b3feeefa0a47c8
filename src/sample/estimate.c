#include "sample/estimate.h"

#include <math.h>

size_t estimate_met(const struct estimate_samples *s)
{
	size_t met = 0;
	for (size_t i = 0; i < s->count; i++)
		met += s->x[i] != 0;
	return met;
}

static double total(const double *values, size_t count)
{
	double sum = 0;
	for (size_t i = 0; i < count; i++)
		sum += values[i];
	return sum;
}

/* Per unit of the rest: what all of it has of an event, less what the samples say it has. */
static double unmet(const struct estimate_event *e, const struct estimate_samples *s, double instructions)
{
	return e->all - s->rest * total(e->z, s->count) / instructions;
}

/* What x - ratio c has for each event, by its share. */
static double weight(const struct estimate_event *e, double ratio)
{
	return e->in_x - (e->in_c ? ratio : 0);
}

/* x - ratio c less what events explain; i = s->count: of the start. */
static double residual(const struct estimate_samples *s, double ratio, size_t i)
{
	const bool start = i == s->count;
	double d = start ? s->start_x - ratio * s->start_c : s->x[i] - ratio * s->c[i];
	for (size_t k = 0; k < s->event_count; k++) {
		const struct estimate_event *e = &s->events[k];
		if (e->guessed)
			continue;
		d -= weight(e, ratio) * e->share * (start ? e->start_z : e->z[i]);
	}
	return d;
}

/* fewer, more: the largest that a stretch without samples may have on either side */
struct deviations {
	double squares, fourths, fewer, more;
};

/* How far an interval reaches on either side. */
struct sides {
	double below, above;
};

static bool few_have(const struct estimate_samples *s)
{
	return estimate_met(s) < ESTIMATE_FEW;
}

/* Residuals around their own mean. The start is a mean of many samples' worth, and counts as one for the largest. All
 * are counts: what was never seen may still be 1 in a sample. Of a place's cycles a stretch may have none at all. */
static struct deviations deviations(const struct estimate_samples *s, double ratio, double instructions)
{
	struct deviations all = {.squares = 0, .fourths = 0};
	double sum = 0, largest = few_have(s) ? fmax(1, s->burst) : 1;
	for (size_t i = 0; i < s->count; i++)
		sum += residual(s, ratio, i);
	const double rate = sum / instructions;
	for (size_t i = 0; i < s->count; i++) {
		const double d = residual(s, ratio, i) - rate * s->instructions[i];
		all.squares += d * d;
		all.fourths += d * d * d * d;
		largest = fmax(largest, fabs(d));
	}
	if (s->start_instructions > 0) {
		const double d = residual(s, ratio, s->count) / s->start_instructions - rate;
		largest = fmax(largest, fabs(d) * instructions / (double)s->count);
	}
	const double without = s->kind == ESTIMATE_PLACE ? ratio * total(s->c, s->count) / (double)s->count : 0;
	all.more = largest;
	all.fewer = fmax(largest, without);
	return all;
}

/* How much of an event the samples tell nothing of: all that they lack or have too much, where few met it; else what is
 * more than t standard errors, which came in bursts that no sample is like. */
static double untold(const struct estimate_event *e, double apart, double scale, double t)
{
	const double usual = e->few ? 0 : t * scale * sqrt(e->spread);
	return fmax(0, fabs(apart) - usual);
}

/* What X - ratio C may have less or more by it: the share of the event may be anything from 0 to its most. Of what the
 * samples lack a place may have nothing, or as much as it has of what they met, of this row or of all cycles. */
static struct sides doubtful(const struct estimate_samples *s, const struct estimate_event *e, double ratio,
			     double apart)
{
	const double w = weight(e, ratio), of_c = e->in_c ? ratio : 0;
	if (s->kind != ESTIMATE_PLACE || apart < 0)
		return (struct sides){fabs(w) * e->doubt, fabs(w) * e->doubt};
	return (struct sides){e->share * w + e->most * of_c, e->most * fmax(0, w) - e->share * w};
}

/* A component that few samples have: what the start has of it, and no event explains, may come once more. */
static double once_more(const struct estimate_samples *s, double ratio)
{
	double d = s->start_x;
	for (size_t k = 0; k < s->event_count; k++)
		d -= s->events[k].in_x * s->events[k].share * s->events[k].start_z;
	return s->kind != ESTIMATE_PLACE && few_have(s) && s->count >= ESTIMATE_FEW ? fabs(d) * (1 - ratio) : 0;
}

/* The variance of n samples is known as well as that of 2 n / (kurtosis - 1) of a normal distribution: their variances
 * have the same variance. What comes in bursts has few degrees of freedom. */
static double standard_errors(const struct estimate_sureness *sure, const struct deviations *d, double n, double free)
{
	const double kurtosis = d->squares > 0 ? n * d->fourths / (d->squares * d->squares) : 1;
	const double known = 2 * n / fmax(kurtosis - 1, 1e-6);
	if (sure->confidence <= 0 || known >= free)
		return sure->t;
	return estimate_quantile(sure->confidence, known);
}

/* What events tell of X - ratio C: what they leave in doubt, how much less sure the line through the means is as far
 * out as all of the rest, and for how many samples' worth of freedom. */
struct leaning {
	struct sides doubt;
	double far, used;
};

static struct leaning lean(const struct estimate_samples *s, double ratio, double instructions, double t)
{
	const double n = (double)s->count, scale = s->rest / instructions;
	struct leaning l = {.far = 1, .used = 1};
	for (size_t k = 0; k < s->event_count; k++) {
		const struct estimate_event *e = &s->events[k];
		const double apart = unmet(e, s, instructions), w = fabs(weight(e, ratio));
		if (w <= 0)
			continue;
		struct sides doubt = {w * e->share, w * e->share};
		double of = e->unsure;
		if (!e->guessed) {
			doubt = doubtful(s, e, ratio, apart);
			of = untold(e, apart, scale, t);
			l.far += e->few || e->spread <= 0 ? 0 : apart * apart / (scale * scale * n * e->spread);
			l.used += e->few ? 0 : 1;
		}
		l.doubt.below += doubt.below * of;
		l.doubt.above += doubt.above * of;
	}
	return l;
}

/* Of an interval of X - ratio C. */
static struct sides sides_of(const struct estimate_samples *s, double ratio, double instructions,
			     const struct estimate_sureness *sure)
{
	const double n = (double)s->count, scale = s->rest / instructions;
	const double unseen = instructions < s->rest ? 1 - instructions / s->rest : 0;
	const struct deviations d = deviations(s, ratio, instructions);
	const struct leaning l = lean(s, ratio, instructions, sure->t);
	const double free = n > l.used + 1 ? n - l.used : 1;
	const double t = standard_errors(sure, &d, n, free);
	const double error = t * sqrt(unseen * l.far * n * d.squares / free), rare = sqrt(unseen) * sure->rare;
	const double again = s->event_count && unseen > 0 ? once_more(s, ratio) : 0;
	return (struct sides){scale * hypot(error, rare * d.fewer) + l.doubt.below + again,
			      scale * hypot(error, rare * d.more) + l.doubt.above + again};
}

static struct estimate interval(const struct estimate_samples *s, double value, struct sides sides)
{
	struct estimate e = {.value = value, .low = value - sides.below, .high = value + sides.above};
	if (s->kind != ESTIMATE_RATIO && value >= 0 && value <= 1) {
		e.low = fmax(0, e.low);
		e.high = fmin(1, e.high);
	}
	e.half = fmax(e.value - e.low, e.high - e.value);
	return e;
}

struct estimate estimate_unsure(double value)
{
	return (struct estimate){value, INFINITY, -INFINITY, INFINITY};
}

struct estimate estimate_ratio(const struct estimate_samples *s, const struct estimate_sureness *sure)
{
	double instructions = total(s->instructions, s->count), x = s->start_x, c = s->start_c;
	if (s->rest > 0 && instructions > 0) {
		x += s->rest * total(s->x, s->count) / instructions;
		c += s->rest * total(s->c, s->count) / instructions;
		for (size_t k = 0; k < s->event_count; k++) {
			const double more = s->events[k].share * unmet(&s->events[k], s, instructions);
			x += s->events[k].in_x * more;
			c += s->events[k].in_c ? more : 0;
		}
	}
	if (c <= 0)
		return estimate_unsure(0);
	if (s->rest <= 0 || (s->count == 1 && instructions >= s->rest))
		return interval(s, x / c, (struct sides){0, 0});
	if (s->count < 2)
		return estimate_unsure(x / c);
	const struct sides sides = sides_of(s, x / c, instructions, sure);
	return interval(s, x / c, (struct sides){sides.below / c, sides.above / c});
}

/* Least squares through the means, with one more sample as far out as those that met the event are on average, whose
 * share is the start's. Never negative; never so large that the rows it is a share of would become negative. */
void estimate_share(struct estimate_event *e, const struct estimate_samples *s)
{
	const double instructions = total(s->instructions, s->count), z_rate = total(e->z, s->count) / instructions;
	const double x_rate = total(s->x, s->count) / instructions;
	const double sum_x = s->start_x + total(s->x, s->count), sum_z = e->start_z + total(e->z, s->count);
	const double start = e->start_z > 0 ? s->start_x / e->start_z : 0.5;
	double met = 0, both = 0;
	e->share = e->doubt = e->spread = e->most = 0;
	if (!s->count || instructions <= 0)
		return;
	for (size_t i = 0; i < s->count; i++) {
		const double z = e->z[i] - z_rate * s->instructions[i];
		e->spread += z * z;
		both += z * (s->x[i] - x_rate * s->instructions[i]);
		met += e->z[i] > 0;
	}
	const double drawn = e->spread > 0 ? e->spread / met : 1;
	e->most = fmax(1, sum_z > 0 ? sum_x / sum_z : 1);
	e->share = fmin(e->most, fmax(0, (both + drawn * start) / (e->spread + drawn)));
	const double apart = unmet(e, s, instructions), rows = s->start_x + s->rest * x_rate;
	if (apart < 0 && -apart * e->share > rows)
		e->share = rows / -apart;
	e->few = met < ESTIMATE_FEW;
	e->doubt = fmax(e->share, e->most - e->share);
}

/* Student's t is sqrt(f) times the tangent of an angle whose density is the (f - 1)-th power of its cosine. Beyond
 * twelve standard deviations nothing is left of that. */
double estimate_quantile(double confidence, double freedom)
{
	enum { STEPS = 2000 };
	freedom = fmax(freedom, 1);
	const double step = fmin(acos(0), 12 / sqrt(freedom)) / STEPS;
	double parts[STEPS], sum = 0, wanted;
	for (int i = 0; i < STEPS; i++)
		sum += parts[i] = pow(cos((i + 0.5) * step), freedom - 1);
	wanted = confidence * sum;
	for (int i = 0; i < STEPS; i++) {
		if (wanted <= parts[i])
			return sqrt(freedom) * tan((i + wanted / parts[i]) * step);
		wanted -= parts[i];
	}
	return INFINITY;
}

double estimate_rare(double confidence)
{
	return log(2 / (1 - confidence));
}
