/* How far a figure may be from what idealised re-simulation would say. Three things are not known, and each has a
 * half-width of its own; docs/shotgun.md measures how often all together cover the truth.
 *
 * Fragments: others might have been drawn. Normal approximation over fragments.
 * Details: other detailed samples might have been drawn, and more of them would agree better; and nobody knows what ran before
 * a fragment. Every fourth fragment is built again, from another half of the detailed samples and after the fragment that was
 * sampled before it instead of after itself. What that changes in four such parts, twice its root mean square.
 * Bias: what is wrong in all fragments alike no sample shows. It was measured on other programs: it grows as the root of
 * the figure, and with the cycles that the fragments lack (or have too many of) against those that were counted. */
#include "analysis/shotgun/state.h"

#include <math.h>
#include <string.h>

/* Of the root of a figure in percent; GAP for each percent of the cycles that the fragments lack. Of a grid (steps of 0.1 and
 * 0.02) the pair whose intervals are narrowest on average among those that cover 96% of 192 costs: six programs that are none of
 * the twelve, two machines, one detailed sample in 25 and in 100 instructions. */
static const double BIAS = 0.5, GAP = 0.1;
static const double NORMAL = 1.96; /* 95% */

/* --- parts --- */

static bool rebuild_part(struct culprit_shotgun *s, uint32_t part)
{
	struct culprit_shotgun_params p = s->params;
	struct culprit_shotgun_results r;
	p.parts = SHOTGUN_PARTS;
	p.part = part;
	p.half = (uint8_t)(part + 1);
	p.follow = true;
	const char *why;
	struct culprit_shotgun *x = culprit_shotgun_create(&s->machine, &p, s->samples, &s->code, &why);
	if (!x) {
		memcpy(s->error, "out of memory", sizeof "out of memory");
		return false;
	}
	bool good = culprit_shotgun_run(x, &r);
	if (good)
		memcpy(s->again[part], r.graph.time, sizeof s->again[part]);
	else
		memcpy(s->error, x->error, sizeof s->error);
	culprit_shotgun_destroy(x);
	return good;
}

bool shotgun_rebuild(struct culprit_shotgun *s)
{
	bool good = true;
	for (uint32_t part = 0; good && part < SHOTGUN_PARTS; part++)
		good = rebuild_part(s, part);
	return good;
}

/* --- one figure --- */

/* sum(weight[S] * time[S]) */
static double combine(const uint64_t time[], const double weight[], unsigned sets)
{
	double x = 0;
	for (unsigned set = 0; set < sets; set++)
		x += weight[set] * (double)time[set];
	return x;
}

/* Sums over all fragments and over each part of them. */
struct sums {
	double x, total;
	double part_x[SHOTGUN_PARTS], part_total[SHOTGUN_PARTS];
};

static struct sums sum_up(const struct culprit_shotgun *s, const double weight[], unsigned sets)
{
	struct sums sum = {.x = 0};
	for (size_t i = 0; i < s->fragment_count; i++) {
		const struct shotgun_fragment *f = &s->fragments[i];
		double x = combine(f->time, weight, sets);
		sum.x += x;
		sum.part_x[f->part] += x;
		sum.total += (double)f->time[0];
		sum.part_total[f->part] += (double)f->time[0];
	}
	return sum;
}

/* Ratio estimate: x(f) - R t(f) scatters around zero. That nothing was seen in n fragments does not mean that there is nothing: as
 * Agresti and Coull do for proportions (American Statistician 52(2), 1998), two more fragments count in which the figure is
 * all of the time, and two in which it is nothing. */
static double over_fragments(const struct culprit_shotgun *s, const double weight[], unsigned sets,
			     const struct sums *sum)
{
	double n = (double)s->fragment_count, ratio = sum->x / sum->total, mean = sum->total / n;
	double squares = 2 * mean * mean * (ratio * ratio + (1 - ratio) * (1 - ratio));
	for (size_t i = 0; i < s->fragment_count; i++) {
		const uint64_t *time = s->fragments[i].time;
		double off = combine(time, weight, sets) - ratio * (double)time[0];
		squares += off * off;
	}
	return NORMAL * sqrt(squares) / sum->total;
}

static double over_details(const struct culprit_shotgun *s, const double weight[], unsigned sets,
			   const struct sums *sum)
{
	double squares = 0, parts = 0;
	for (unsigned p = 0; p < SHOTGUN_PARTS; p++) {
		const uint64_t *again = s->again[p];
		if (!again[0] || sum->part_total[p] <= 0)
			continue;
		double change = combine(again, weight, sets) / (double)again[0] - sum->part_x[p] / sum->part_total[p];
		squares += change * change;
		parts++;
	}
	return parts > 0 ? 2 * sqrt(squares / parts) : 0;
}

/* The share of the counted cycles that is missing in the fragments, or too much in them. */
static double gap(const struct culprit_shotgun *s)
{
	uint64_t cycles = 0, instructions = 0;
	for (size_t i = 0; i < s->fragment_count; i++) {
		cycles += s->fragments[i].time[0];
		instructions += s->fragments[i].length;
	}
	double counted = s->samples->instructions
				 ? (double)s->samples->cycles / (double)s->samples->instructions * (double)instructions
				 : 0;
	return counted > 0 ? fabs(1 - (double)cycles / counted) : 0;
}

struct culprit_shotgun_interval culprit_shotgun_interval_of(const struct culprit_shotgun *s,
							    const double weight[CULPRIT_GRAPH_SETS])
{
	unsigned sets = 1u << s->after.class_count;
	struct culprit_shotgun_interval i = {.fragments = 0};
	struct sums sum = sum_up(s, weight, sets);
	if (sum.total <= 0)
		return i;
	i.fragments = 100 * over_fragments(s, weight, sets, &sum);
	i.details = 100 * over_details(s, weight, sets, &sum);
	i.bias = sqrt(fabs(100 * sum.x / sum.total)) * hypot(BIAS, GAP * 100 * gap(s));
	i.all = sqrt(i.fragments * i.fragments + i.details * i.details + i.bias * i.bias);
	return i;
}

/* --- all figures --- */

static struct culprit_shotgun_interval cost_interval(const struct culprit_shotgun *s, unsigned set)
{
	double weight[CULPRIT_GRAPH_SETS] = {1};
	weight[set] = -1;
	return culprit_shotgun_interval_of(s, weight);
}

static struct culprit_shotgun_interval icost_interval(const struct culprit_shotgun *s, unsigned set)
{
	double weight[CULPRIT_GRAPH_SETS] = {0};
	for (unsigned part = set;; part = (part - 1) & set) {
		weight[part] = __builtin_popcount(set ^ part) % 2 ? 1 : -1;
		if (!part)
			break;
	}
	return culprit_shotgun_interval_of(s, weight);
}

/* Cycles for each instruction, a ratio like the others. */
static void fill_cpi(const struct culprit_shotgun *s, struct culprit_shotgun_results *x)
{
	double n = (double)x->built, squares = 0, ratio = (double)x->graph.time[0] / (double)x->instructions;
	for (size_t i = 0; i < s->fragment_count; i++) {
		double off = (double)s->fragments[i].time[0] - ratio * s->fragments[i].length;
		squares += off * off;
	}
	x->cpi = ratio;
	x->cpi_error = n > 1 ? NORMAL * sqrt(squares * n / (n - 1)) / (double)x->instructions : 0;
}

void shotgun_fill_intervals(const struct culprit_shotgun *s, struct culprit_shotgun_results *x)
{
	for (unsigned set = 1; set < 1u << x->graph.class_count; set++) {
		x->cost_interval[set] = cost_interval(s, set);
		if (__builtin_popcount(set) <= 2)
			x->icost_interval[set] = icost_interval(s, set);
	}
	fill_cpi(s, x);
}
