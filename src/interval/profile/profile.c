/* Reading a profile: names, buckets, and exact counts for one geometry out of the sweeps. */
#include "interval/profile/profile.h"

#include <math.h>
#include <stdlib.h>

const uint64_t interval_windows[INTERVAL_WINDOWS] = {1, 2, 4, 8, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 1024};
const uint64_t interval_mshr_windows[INTERVAL_MSHR_WINDOWS] = {32, 64, 128, 256, 512, 1024};
const uint64_t interval_mshrs[INTERVAL_MSHRS] = {2, 4, 8, 16};
const uint64_t interval_fetch_widths[INTERVAL_FETCH_WIDTHS] = {1, 2, 3, 4, 6, 8, 12, 16};

void interval_profile_clear(struct interval_profile *p)
{
	free(p->samples.list);
	free(p->samples.wrong);
	free(p->samples.strays);
	p->samples = (struct interval_samples){.list = NULL};
}

const char *interval_latency_name(enum interval_latency set)
{
	static const char *const names[] = {
#define INTERVAL_LATENCY(name, meaning) #name,
#include "interval/profile/latency.def"
	};
	return names[set];
}

/* Above INTERVAL_EXACT = 2^10: the power of two, then the next three bits. */
uint32_t interval_bucket(uint64_t n)
{
	if (n < INTERVAL_EXACT)
		return (uint32_t)n;
	uint32_t power = 63 - (uint32_t)__builtin_clzll(n);
	uint32_t bucket = INTERVAL_EXACT + 8 * (power - 10) + (uint32_t)(n >> (power - 3) & 7);
	return bucket < INTERVAL_BUCKETS ? bucket : INTERVAL_BUCKETS - 1;
}

uint64_t interval_bucket_first(uint32_t bucket)
{
	if (bucket < INTERVAL_EXACT)
		return bucket;
	uint32_t power = 10 + (bucket - INTERVAL_EXACT) / 8;
	return (8 + (uint64_t)(bucket - INTERVAL_EXACT) % 8) << (power - 3);
}

double interval_critical_path(const struct interval_profile *p, enum interval_latency set, uint32_t window)
{
	if (!window || window > INTERVAL_WINDOW || !p->paths.windows[window - 1])
		return 0;
	return (double)p->paths.sum[set][window - 1] / (double)p->paths.windows[window - 1];
}

uint64_t interval_mispredictions(const struct interval_predictor *p)
{
	return p->direction + p->target + p->return_;
}

/* log2 of the number of sets of a cache of `entries` in `ways`; false when that is no power of two. */
static bool sets_of(uint64_t entries, uint64_t ways, uint64_t *log2)
{
	if (!ways || entries % ways)
		return false;
	uint64_t sets = entries / ways;
	if (!sets || sets & (sets - 1))
		return false;
	*log2 = (uint64_t)__builtin_ctzll(sets);
	return true;
}

static uint64_t sum(const uint64_t *hits, uint64_t ways)
{
	uint64_t total = 0;
	for (uint64_t d = 0; d < ways; d++)
		total += hits[d];
	return total;
}

bool interval_misses(const struct interval_sweep *s, enum interval_kind kind, uint64_t size, uint64_t ways,
		     uint64_t line, uint64_t *misses, struct error *err)
{
	uint64_t log2 = 0, entries = line ? size / line : 0;
	uint64_t l = line ? (uint64_t)__builtin_ctzll(line) - 5 : INTERVAL_LINES;
	ways = ways ? ways : entries;
	if (l >= INTERVAL_LINES || line & (line - 1) || ways > INTERVAL_WAYS || !sets_of(entries, ways, &log2) ||
	    log2 < s->first_sets || log2 >= s->first_sets + s->sets)
		return error_set(
			err, ERROR_INPUT,
			"the profile has no cache of %llu bytes in %llu ways of %llu-byte lines: it holds %llu to %llu "
			"sets of 1 to %d ways of 32, 64 and 128 bytes",
			(unsigned long long)size, (unsigned long long)ways, (unsigned long long)line,
			1ull << s->first_sets, s->sets ? 1ull << (s->first_sets + s->sets - 1) : 0, INTERVAL_WAYS);
	*misses = s->accesses[l][kind] - sum(s->hits[l][kind][log2 - s->first_sets], ways);
	return true;
}

bool interval_page_misses(const struct interval_pages *s, uint64_t entries, uint64_t ways, uint64_t *misses,
			  struct error *err)
{
	uint64_t log2 = 0;
	*misses = 0;
	if (!entries)
		return true;
	ways = ways ? ways : entries;
	if (ways == entries && entries <= INTERVAL_PAGES_FULL) {
		*misses = s->accesses - sum(s->full, entries);
		return true;
	}
	if (ways > INTERVAL_WAYS || !sets_of(entries, ways, &log2) || log2 < 1 || log2 > INTERVAL_SETS)
		return error_set(
			err, ERROR_INPUT,
			"the profile has no TLB of %llu entries in %llu ways: it holds 2 to %d sets of 1 to %d ways, "
			"and full associativity up to %d entries",
			(unsigned long long)entries, (unsigned long long)ways, 1 << INTERVAL_SETS, INTERVAL_WAYS,
			INTERVAL_PAGES_FULL);
	*misses = s->accesses - sum(s->hits[log2 - 1], ways);
	return true;
}

/* A perfect BTB still has to see an indirect branch once; the largest one swept stands for it. */
bool interval_btb_misses(const struct interval_btb *b, uint64_t entries, uint64_t ways, uint64_t *direct,
			 uint64_t *indirect, struct error *err)
{
	uint64_t log2 = INTERVAL_SETS - 1;
	if (!entries)
		ways = INTERVAL_WAYS;
	else if (!ways || ways > INTERVAL_WAYS || !sets_of(entries, ways, &log2) || log2 >= INTERVAL_SETS)
		return error_set(
			err, ERROR_INPUT,
			"the profile has no BTB of %llu entries in %llu ways: it holds 1 to %d sets of 1 to %d ways",
			(unsigned long long)entries, (unsigned long long)ways, 1 << (INTERVAL_SETS - 1), INTERVAL_WAYS);
	*direct = entries ? b->direct_taken - sum(b->direct_hits[log2], ways) : 0;
	*indirect = b->indirect - sum(b->indirect_hits[log2], ways);
	return true;
}

double interval_overlapped(const struct interval_overlap *o, bool broken, double window)
{
	const uint64_t *at = broken ? o->broken : o->units;
	size_t i = 0;
	while (i + 2 < INTERVAL_WINDOWS && window >= (double)interval_windows[i + 1])
		i++;
	double low = log((double)interval_windows[i]), high = log((double)interval_windows[i + 1]);
	double place = window < 1 ? 0 : (log(window) - low) / (high - low);
	place = place > 1 ? 1 : place;
	return (double)at[i] + place * ((double)at[i + 1] - (double)at[i]);
}
