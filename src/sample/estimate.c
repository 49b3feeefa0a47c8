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
	return (e->in_x ? 1 : 0) - (e->in_c ? ratio : 0);
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

struct deviations {
	double squares, fourths, largest;
};

static bool few_have(const struct estimate_samples *s)
{
	return estimate_met(s) < ESTIMATE_FEW;
}

/* Residuals around their own mean. The start is a mean of many samples' worth, and counts as one for the largest. All
 * are counts: what was never seen may still be 1 in a sample. */
static struct deviations deviations(const struct estimate_samples *s, double ratio, double instructions)
{
	struct deviations all = {.squares = 0, .fourths = 0, .largest = few_have(s) ? fmax(1, s->burst) : 1};
	double sum = 0;
	for (size_t i = 0; i < s->count; i++)
		sum += residual(s, ratio, i);
	const double rate = sum / instructions;
	for (size_t i = 0; i < s->count; i++) {
		const double d = residual(s, ratio, i) - rate * s->instructions[i];
		all.squares += d * d;
		all.fourths += d * d * d * d;
		all.largest = fmax(all.largest, fabs(d));
	}
	if (s->start_instructions > 0) {
		const double d = residual(s, ratio, s->count) / s->start_instructions - rate;
		all.largest = fmax(all.largest, fabs(d) * instructions / (double)s->count);
	}
	return all;
}

/* How much of x the share of an event may get wrong: of all that samples lack or have too much, where few met it; else
 * of what is more than t standard errors, which came in bursts that no sample is like. */
static double doubtful(const struct estimate_event *e, double apart, double scale, double t)
{
	const double usual = e->few ? 0 : t * scale * sqrt(e->spread);
	return e->doubt * fmax(0, fabs(apart) - usual);
}

/* A component that few samples have: what the start has of it, and no event explains, may come once more. */
static double once_more(const struct estimate_samples *s, double ratio)
{
	double d = s->start_x;
	for (size_t k = 0; k < s->event_count; k++)
		d -= s->events[k].in_x ? s->events[k].share * s->events[k].start_z : 0;
	return few_have(s) && s->count >= ESTIMATE_FEW ? fabs(d) * (1 - ratio) : 0;
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

/* Half an interval of X - ratio C. */
static double half_of(const struct estimate_samples *s, double ratio, double instructions,
		      const struct estimate_sureness *sure)
{
	const double n = (double)s->count, scale = s->rest / instructions;
	const double unseen = instructions < s->rest ? 1 - instructions / s->rest : 0;
	const struct deviations d = deviations(s, ratio, instructions);
	double far = 1, doubt = 0, used = 1;
	for (size_t k = 0; k < s->event_count; k++) {
		const struct estimate_event *e = &s->events[k];
		const double apart = unmet(e, s, instructions), w = fabs(weight(e, ratio));
		if (w <= 0)
			continue;
		if (e->guessed) {
			doubt += w * e->share * e->unsure;
			continue;
		}
		doubt += w * doubtful(e, apart, scale, sure->t);
		far += e->few || e->spread <= 0 ? 0 : apart * apart / (scale * scale * n * e->spread);
		used += e->few ? 0 : 1;
	}
	const double free = n > used + 1 ? n - used : 1;
	const double t = standard_errors(sure, &d, n, free);
	const double error = t * sqrt(unseen * far * n * d.squares / free);
	const double rare = sqrt(unseen) * sure->rare * d.largest;
	return scale * hypot(error, rare) + doubt + (s->event_count && unseen > 0 ? once_more(s, ratio) : 0);
}

struct estimate estimate_ratio(const struct estimate_samples *s, const struct estimate_sureness *sure)
{
	double instructions = total(s->instructions, s->count), x = s->start_x, c = s->start_c;
	if (s->rest > 0 && instructions > 0) {
		x += s->rest * total(s->x, s->count) / instructions;
		c += s->rest * total(s->c, s->count) / instructions;
		for (size_t k = 0; k < s->event_count; k++) {
			const double more = s->events[k].share * unmet(&s->events[k], s, instructions);
			x += s->events[k].in_x ? more : 0;
			c += s->events[k].in_c ? more : 0;
		}
	}
	if (c <= 0)
		return (struct estimate){0, INFINITY};
	if (s->rest <= 0 || (s->count == 1 && instructions >= s->rest))
		return (struct estimate){x / c, 0};
	if (s->count < 2)
		return (struct estimate){x / c, INFINITY};
	return (struct estimate){x / c, half_of(s, x / c, instructions, sure) / c};
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
	e->share = e->doubt = e->spread = 0;
	if (!s->count || instructions <= 0)
		return;
	for (size_t i = 0; i < s->count; i++) {
		const double z = e->z[i] - z_rate * s->instructions[i];
		e->spread += z * z;
		both += z * (s->x[i] - x_rate * s->instructions[i]);
		met += e->z[i] > 0;
	}
	const double drawn = e->spread > 0 ? e->spread / met : 1;
	const double most = fmax(1, sum_z > 0 ? sum_x / sum_z : 1);
	e->share = fmin(most, fmax(0, (both + drawn * start) / (e->spread + drawn)));
	const double apart = unmet(e, s, instructions), rows = s->start_x + s->rest * x_rate;
	if (apart < 0 && -apart * e->share > rows)
		e->share = rows / -apart;
	e->few = met < ESTIMATE_FEW;
	e->doubt = fmax(e->share, most - e->share);
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
