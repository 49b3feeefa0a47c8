#include "interval/profile/nearest.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

static double octaves(double a, double b)
{
	return fabs(log2(a / b));
}

/* --- sets and ways --- */

/* Everything of one line size that a sweep holds: 2^first .. 2^(first + count - 1) sets of 1 to INTERVAL_WAYS ways. */
struct grid {
	uint64_t first, count;
	double accesses;
	const uint64_t (*hits)[INTERVAL_WAYS]; /* [sets][depth] */
};

struct place {
	int64_t log2; /* of the number of sets */
	uint64_t ways;
};

static double misses_at(const struct grid *g, struct place p)
{
	double hits = 0;
	for (uint64_t d = 0; d < p.ways; d++)
		hits += (double)g->hits[(uint64_t)p.log2 - g->first][d];
	return g->accesses - hits;
}

static bool holds(const struct grid *g, struct place p)
{
	return p.log2 >= (int64_t)g->first && p.log2 < (int64_t)(g->first + g->count) && p.ways >= 1 &&
	       p.ways <= INTERVAL_WAYS;
}

static double entries_of(struct place p)
{
	return (double)p.ways * (double)(1ull << p.log2);
}

static struct place nearest(const struct grid *g, double entries, double ways)
{
	struct place best = {(int64_t)g->first, 1};
	for (struct place p = best; p.log2 < (int64_t)(g->first + g->count); p.log2++)
		for (p.ways = 1; p.ways <= INTERVAL_WAYS; p.ways++) {
			double nearer = octaves(entries_of(best), entries) - octaves(entries_of(p), entries);
			if (nearer > 1e-9 ||
			    (nearer > -1e-9 && octaves((double)p.ways, ways) < octaves((double)best.ways, ways)))
				best = p;
		}
	return best;
}

/* The change from `at` to `there`, or to `back` if only that is held. */
static double change(const struct grid *g, struct place at, struct place there, struct place back)
{
	if (!holds(g, there))
		there = back;
	return holds(g, there) ? fabs(misses_at(g, there) - misses_at(g, at)) : misses_at(g, at);
}

static double change_by_capacity(const struct grid *g, struct place at, bool smaller)
{
	struct place less = {at.log2 - 1, at.ways}, more = {at.log2 + 1, at.ways};
	return smaller ? change(g, at, less, more) : change(g, at, more, less);
}

static double change_by_ways(const struct grid *g, struct place at, bool fewer)
{
	struct place less = {at.log2 + 1, at.ways / 2}, more = {at.log2 - 1, at.ways * 2};
	return fewer ? change(g, at, less, more) : change(g, at, more, less);
}

static struct interval_estimate estimate(const struct grid *g, double entries, double ways, struct place *at)
{
	struct interval_estimate e = {.count = g->accesses};
	if (!g->count)
		return e;
	*at = nearest(g, entries, ways);
	double capacity = octaves(entries_of(*at), entries), by_ways = octaves((double)at->ways, ways);
	e.count = misses_at(g, *at);
	if (capacity > 1e-9)
		e.off += capacity * change_by_capacity(g, *at, entries > entries_of(*at));
	if (by_ways > 1e-9)
		e.off += by_ways * change_by_ways(g, *at, ways > (double)at->ways);
	e.taken = (struct interval_cache){.size = (uint64_t)entries_of(*at), .ways = at->ways};
	return e;
}

/* --- caches --- */

static struct grid line_grid(const struct interval_sweep *s, enum interval_kind kind, uint64_t line)
{
	return (struct grid){s->first_sets, s->sets, (double)s->accesses[line][kind], s->hits[line][kind]};
}

/* Which size of lines: 32 << that. */
static uint64_t nearest_line(uint64_t line)
{
	uint64_t l = 0;
	while (l + 1 < INTERVAL_LINES && 64ull << l <= line)
		l++;
	return l;
}

/* Lines of another size in as many bytes: the other side of the one taken. */
static double change_by_line(const struct interval_sweep *s, enum interval_kind kind, uint64_t l,
			     const struct interval_cache *wanted, double here)
{
	uint64_t other = l ? l - 1 : l + 1;
	struct grid g = line_grid(s, kind, other);
	struct place at;
	uint64_t ways = wanted->ways ? wanted->ways : wanted->size / wanted->line;
	return fabs(estimate(&g, (double)wanted->size / (double)(32ull << other), (double)ways, &at).count - here);
}

struct interval_estimate interval_estimate_misses(const struct interval_sweep *s, enum interval_kind kind,
						  const struct interval_cache *wanted)
{
	uint64_t l = nearest_line(wanted->line), line = 32ull << l;
	uint64_t ways = wanted->ways ? wanted->ways : wanted->size / wanted->line;
	struct grid g = line_grid(s, kind, l);
	struct place at = {0, 0};
	struct interval_estimate e = estimate(&g, (double)wanted->size / (double)line, (double)ways, &at);
	if (line != wanted->line)
		e.off += octaves((double)line, (double)wanted->line) * change_by_line(s, kind, l, wanted, e.count);
	e.taken.line = line;
	e.taken.size *= line;
	return e;
}

double interval_half_the_ways(const struct interval_sweep *s, enum interval_kind kind, const struct interval_cache *c)
{
	struct grid g = line_grid(s, kind, nearest_line(c->line));
	struct place at = {0, 0};
	uint64_t entries = c->size / (32ull << nearest_line(c->line));
	estimate(&g, (double)entries, (double)(c->ways ? c->ways : entries), &at);
	return g.count ? change(&g, at, (struct place){at.log2, at.ways / 2}, (struct place){at.log2, at.ways * 2}) : 0;
}

/* --- TLBs, BTBs, return stacks --- */

struct interval_estimate interval_estimate_pages(const struct interval_pages *s, uint64_t entries, uint64_t ways)
{
	uint64_t exact;
	if (interval_page_misses(s, entries, ways, &exact, NULL))
		return (struct interval_estimate){.count = (double)exact, .taken = {.size = entries, .ways = ways}};
	struct grid g = {1, INTERVAL_SETS, (double)s->accesses, s->hits};
	struct place at;
	return estimate(&g, (double)entries, (double)(ways ? ways : entries), &at);
}

void interval_estimate_btb(const struct interval_btb *b, uint64_t entries, uint64_t ways,
			   struct interval_estimate estimates[2])
{
	uint64_t exact[2];
	if (interval_btb_misses(b, entries, ways, &exact[0], &exact[1], NULL)) {
		for (unsigned i = 0; i < 2; i++)
			estimates[i] = (struct interval_estimate){.count = (double)exact[i],
								  .taken = {.size = entries, .ways = ways}};
		return;
	}
	struct grid direct = {0, INTERVAL_SETS, (double)b->direct_taken, b->direct_hits};
	struct grid indirect = {0, INTERVAL_SETS, (double)b->indirect, b->indirect_hits};
	struct place at;
	estimates[0] = estimate(&direct, (double)entries, (double)(ways ? ways : entries), &at);
	estimates[1] = estimate(&indirect, (double)entries, (double)(ways ? ways : entries), &at);
}

struct interval_estimate interval_estimate_returns(const struct interval_returns *r, uint64_t entries)
{
	unsigned at = 0;
	while (at + 1 < INTERVAL_RAS && (!entries || entries * entries > 2ull << 2 * at))
		at++;
	struct interval_estimate e = {.count = (double)r->wrong[at], .taken = {.size = 1ull << at}};
	unsigned other = at ? at - 1 : 1;
	double step = fabs((double)r->wrong[other] - (double)r->wrong[at]);
	e.off = entries ? octaves((double)entries, (double)(1ull << at)) * step : (double)r->wrong[at];
	return e;
}

/* --- branch predictors --- */

/* How complex a kind is; those that predict without tables are less so than all. */
static int rank(uint64_t kind)
{
	switch (kind) {
	case direction_predictor_tage_sc_l:
		return 4;
	case direction_predictor_combined:
	case direction_predictor_bi_mode:
	case direction_predictor_tournament:
		return 3;
	case direction_predictor_gshare:
		return 2;
	case direction_predictor_bimodal:
		return 1;
	default:
		return 0;
	}
}

static double counters(const struct interval_branch *b)
{
	return b->tage_kib ? 4096.0 * (double)b->tage_kib : (double)(b->bimodal + b->gshare + b->meta);
}

/* Of predictors of one kind. */
static double distance(const struct interval_branch *a, const struct interval_branch *b)
{
	return octaves(counters(a), counters(b)) + octaves(1 + (double)a->history, 1 + (double)b->history);
}

static bool was_run(const struct interval_predictor *p)
{
	return p->branch.kind != INTERVAL_NOT_RUN && p->branch.kind != direction_predictor_oracle &&
	       rank(p->branch.kind);
}

static bool is_nearer(const struct interval_branch *wanted, const struct interval_branch *a,
		      const struct interval_branch *b)
{
	int ranks = abs(rank(a->kind) - rank(wanted->kind)) - abs(rank(b->kind) - rank(wanted->kind));
	return ranks ? ranks < 0 : distance(a, wanted) < distance(b, wanted);
}

/* The nearest of those that were run; of the same kind as `of` and another one, if that is given. */
static const struct interval_predictor *find(const struct interval_profile *p, const struct interval_branch *wanted,
					     const struct interval_branch *of)
{
	const struct interval_predictor *best = NULL;
	for (size_t i = 0; i < INTERVAL_PREDICTORS; i++) {
		const struct interval_predictor *at = &p->predictor[i];
		if (!was_run(at) || (of && (at->branch.kind != of->kind || distance(&at->branch, of) < 1e-9)))
			continue;
		if (!best || is_nearer(wanted, &at->branch, &best->branch))
			best = at;
	}
	return best;
}

/* Of one that needs no tables is known what always the same answer would be worth. */
static double off_without_tables(const struct interval_profile *p, double count)
{
	double taken = (double)p->mix.taken[CULPRIT_BRANCH_CONDITIONAL];
	double other = (double)p->mix.branch[CULPRIT_BRANCH_CONDITIONAL] - taken;
	return fmax(fabs(taken - count), fabs(other - count));
}

struct interval_direction_estimate interval_estimate_directions(const struct interval_profile *p,
								const struct machine *m)
{
	const struct interval_branch wanted = interval_branch_of(m);
	const struct interval_predictor *exact = interval_predictor_of(p, m), *taken = find(p, &wanted, NULL);
	if (exact || !taken)
		return (struct interval_direction_estimate){exact ? (double)exact->direction : 0, 0, exact};
	struct interval_direction_estimate e = {(double)taken->direction, (double)taken->direction, taken};
	const struct interval_predictor *other = find(p, &wanted, &taken->branch);
	if (!rank(wanted.kind))
		e.off = off_without_tables(p, e.count);
	else if (taken->branch.kind == wanted.kind && other)
		e.off = fabs((double)other->direction - e.count) * distance(&taken->branch, &wanted) /
			distance(&taken->branch, &other->branch);
	return e;
}

static bool has_ittage(const struct interval_predictor *p)
{
	return was_run(p) && p->branch.indirect == indirect_predictor_ittage;
}

/* The nearest ITTAGE, of another size than `not`. */
static const struct interval_predictor *find_ittage(const struct interval_profile *p, double kib, uint64_t not )
{
	const struct interval_predictor *best = NULL;
	for (size_t i = 0; i < INTERVAL_PREDICTORS; i++) {
		const struct interval_predictor *at = &p->predictor[i];
		if (!has_ittage(at) || at->branch.ittage_kib == not )
			continue;
		if (!best ||
		    octaves((double)at->branch.ittage_kib, kib) < octaves((double)best->branch.ittage_kib, kib))
			best = at;
	}
	return best;
}

struct interval_direction_estimate interval_estimate_targets(const struct interval_profile *p, const struct machine *m)
{
	double kib = m->branch_ittage_kib;
	const struct interval_predictor *taken = find_ittage(p, kib, 0);
	if (!taken)
		return (struct interval_direction_estimate){.taken = NULL};
	struct interval_direction_estimate e = {(double)taken->target, (double)taken->target, taken};
	const struct interval_predictor *other = find_ittage(p, kib, taken->branch.ittage_kib);
	double from = octaves((double)taken->branch.ittage_kib, kib);
	if (other)
		e.off = fabs((double)other->target - e.count) * from /
			octaves((double)other->branch.ittage_kib, (double)taken->branch.ittage_kib);
	if (from < 1e-9)
		e.off = 0;
	return e;
}
