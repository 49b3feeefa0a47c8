/* How far a figure may be from what idealised re-simulation would say. Three things are not known, and each has a
 * half-width of its own; docs/explanation/shotgun.md measures how often all together cover the truth.
 *
 * Fragments: others might have been drawn. Normal approximation over fragments. Details: other detailed samples
 * might have been drawn, and more of them would agree better; and nobody knows what ran before a fragment. Every
 * fourth fragment is built again, from another half of the detailed samples and after the fragment that was sampled
 * before it instead of after itself. What that changes in four such parts, twice its root mean square. Bias: what is
 * wrong in all fragments alike no sample shows. It was measured on other programs: it grows as the root of the
 * figure, and with the cycles that the fragments lack (or have too many of) against those that were counted. */
#include "analysis/shotgun/state.h"

#include <math.h>
#include <string.h>

/* Of the root of a figure in percent; GAP for each percent of the cycles that the fragments lack. Of a grid (steps
 * of 0.1 and 0.02) the pair whose intervals are narrowest on average among those that cover 96% of 192 costs: six
 * programs that are none of the twelve, two machines, one detailed sample in 25 and in 100 instructions. */
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
	if (good) {
		memcpy(s->again[part], r.graph.time, sizeof s->again[part]);
		s->again_instructions[part] = x->measured;
	} else
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

/* Ratio estimate: x(f) - R t(f) scatters around zero. That nothing was seen in n fragments does not mean that there
 * is nothing: as Agresti and Coull do for proportions (American Statistician 52(2), 1998), two more fragments count
 * in which the figure is all of the time, and two in which it is nothing. */
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

/* Cycles an instruction of the run, as counted. */
static double counted_cpi(const struct culprit_shotgun *s)
{
	const struct culprit_samples *x = s->samples;
	return x->instructions ? (double)x->cycles / (double)x->instructions : 0;
}

/* The share of the counted cycles that is missing in the fragments, or too much in them. */
static double gap(const struct culprit_shotgun *s)
{
	uint64_t cycles = 0, instructions = 0;
	for (size_t i = 0; i < s->fragment_count; i++) {
		cycles += s->fragments[i].time[0];
		instructions += s->fragments[i].length;
	}
	double counted = counted_cpi(s) * (double)instructions;
	return counted > 0 ? fabs(1 - (double)cycles / counted) : 0;
}

/* --- what is not in the fragments --- */

/* Cycles an instruction by which the fragments' time may differ because latencies of this class are others in them
 * than in the run, of which all detailed samples are. As many cycles of a latency as in the fragments become time;
 * all, where the fragments have hardly any. Twice the standard error is added, with two misses more than any
 * fragment's bits showed. */
static double unlike_run(const struct culprit_shotgun *s, const struct culprit_shotgun_results *x, unsigned class)
{
	double used = shotgun_single_mean(&s->used, class), error = shotgun_single_error(&s->all, class);
	double off = fabs(shotgun_single_mean(&s->all, class) - used), n = (double)x->instructions;
	double cost = (double)x->graph.cost[1u << class] / n, exposed = 1;
	if (used > off)
		exposed = cost > 0 ? fmin(cost / used, 1) : 0;
	bool misses = class == CULPRIT_EVENT_dmiss || class == CULPRIT_EVENT_imiss;
	double rare = misses ? sqrt(2) * s->machine.graph.miss_cycles[CULPRIT_LEVEL_MEMORY] / n : 0;
	return exposed * (off + NORMAL * error) + NORMAL * rare;
}

static void fill_unlike(struct culprit_shotgun *s, struct culprit_shotgun_results *x)
{
	for (unsigned c = 0; c < CULPRIT_BASE_EVENTS; c++)
		x->unlike[c] = s->unlike[c] = x->has_single[c] ? unlike_run(s, x, c) : 0;
	double squares = 0;
	for (unsigned c = 0; c < CULPRIT_BASE_EVENTS; c++)
		squares += s->unlike[c] * s->unlike[c];
	x->cpi_unlike = sqrt(squares);
	double missing = fabs(counted_cpi(s) - x->cpi), scatter = x->cpi_fragments;
	s->most_unseen = missing + scatter;
	s->missing = missing > scatter ? sqrt(missing * missing - scatter * scatter) : 0;
}

/* Classes that a figure is made of. */
static unsigned classes_of(const double weight[], unsigned sets)
{
	unsigned classes = 0;
	for (unsigned set = 0; set < sets; set++)
		classes |= weight[set] != 0 ? set : 0;
	return classes;
}

/* Time that was counted and is not in the fragments may be of any class, but not more than latencies of the class
 * can make. Windows and widths have no latency: theirs may be what is missing beyond the fragments' own scatter. */
static double unseen(const struct culprit_shotgun *s, unsigned classes)
{
	double cpi = counted_cpi(s), most = 0;
	for (unsigned c = 0; c < CULPRIT_BASE_EVENTS; c++)
		if (classes >> c & 1)
			most += c == CULPRIT_EVENT_win || c == CULPRIT_EVENT_bw ? s->missing : s->unlike[c];
	return cpi > 0 ? fmin(most, s->most_unseen) / cpi : 0;
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
	i.unseen = 100 * unseen(s, classes_of(weight, sets));
	i.all = sqrt(i.fragments * i.fragments + i.details * i.details + i.bias * i.bias + i.unseen * i.unseen);
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

/* What other detailed samples change in the parts' cycles an instruction, as over_details. */
static double cpi_over_details(const struct culprit_shotgun *s)
{
	double cycles[SHOTGUN_PARTS] = {0}, instructions[SHOTGUN_PARTS] = {0}, squares = 0, parts = 0;
	for (size_t i = 0; i < s->fragment_count; i++) {
		cycles[s->fragments[i].part] += (double)s->fragments[i].time[0];
		instructions[s->fragments[i].part] += s->fragments[i].length;
	}
	for (unsigned p = 0; p < SHOTGUN_PARTS; p++) {
		if (!s->again_instructions[p] || instructions[p] <= 0)
			continue;
		double change = (double)s->again[p][0] / (double)s->again_instructions[p] - cycles[p] / instructions[p];
		squares += change * change;
		parts++;
	}
	return parts > 0 ? 2 * sqrt(squares / parts) : 0;
}

/* Cycles for each instruction, a ratio like the others. */
static void fill_cpi(const struct culprit_shotgun *s, struct culprit_shotgun_results *x)
{
	double n = (double)x->built, squares = 0, ratio = (double)x->graph.time[0] / (double)s->measured;
	for (size_t i = 0; i < s->fragment_count; i++) {
		double off = (double)s->fragments[i].time[0] - ratio * s->fragments[i].length;
		squares += off * off;
	}
	x->cpi = ratio;
	x->cpi_fragments = n > 1 ? NORMAL * sqrt(squares * n / (n - 1)) / (double)s->measured : 0;
	x->cpi_details = cpi_over_details(s);
}

/* A part of the run that costs much and of which hardly a fragment was drawn is in no scatter of the fragments; but
 * detailed samples are of all parts, and tell which latencies the fragments lack. */
static void fill_cpi_error(const struct culprit_shotgun *s, struct culprit_shotgun_results *x)
{
	double chance = hypot(x->cpi_fragments, x->cpi_details);
	x->cpi_error = hypot(chance, x->cpi_unlike);
}

void shotgun_fill_intervals(struct culprit_shotgun *s, struct culprit_shotgun_results *x)
{
	fill_cpi(s, x);
	fill_unlike(s, x);
	fill_cpi_error(s, x);
	for (unsigned set = 1; set < 1u << x->graph.class_count; set++) {
		x->cost_interval[set] = cost_interval(s, set);
		if (__builtin_popcount(set) <= 2)
			x->icost_interval[set] = icost_interval(s, set);
	}
}
