/* MSHRs: which misses are in flight, in every lane.
 *
 * The simulator gives a miss an MSHR in the order in which accesses come: loads at their issue, stores' writes at their
 * commit. Of those free at the miss it takes the one that was busy last; when none is, it waits for the first.
 * Instructions go through the graph in program order instead: a younger load may come before an older load that waits
 * for its operands, and nearly always comes before an older store's write. So the last misses are kept in the order in
 * which they come, in each lane, and with each the MSHRs as it found them. A miss is put where it belongs; those behind
 * it are given their MSHRs anew. What such a one, its load long planned, would now wait for is not added to its time;
 * whoever comes later finds the MSHRs as they should be.
 *
 * The memory bus is the same with one server, which a line takes for an interval, in the order of time.
 *
 * One that comes before all that are kept has no wait and takes nothing: who was in its way is forgotten. (With its
 * wait, and the window idealised, golden-cove's bus made the run-ideal test's graph 4 % too long. With no wait but an
 * MSHR taken, all behind it waited longer, without end: the core of 352 entries below, win, -809 points; now 18, and
 * 1.4 by re-simulation.) In lanes where a miss is idealised it is kept too, but takes nothing: hold 0. */
#ifndef CULPRIT_ANALYSIS_GRAPH_MISSES_H
#define CULPRIT_ANALYSIS_GRAPH_MISSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Misses kept: half of the ROB, as a power of two of these limits. fields2003 with two MSHRs, win: gzip's window of
 * 1280 keeps 20 to 30 apart; with 16 its win+bmisp was 6 points further off, with 64 no better. A trace-driven core
 * with 352 entries, 16 MSHRs and loads that do not depend on one another keeps more than 32 apart: with so few its dl1
 * was 26 points off and lgalu 75, with 128 below one. With 512 entries c[i] = a[i] + 3 b[i] has lines wait in a queue
 * of hundreds: win was 58.5 with 128, and is 23.9 with 256 as with 1,024; 24.9 by re-simulation. */
enum { GRAPH_MISSES_LEAST = 32, GRAPH_MISSES_MOST = 256, GRAPH_MOST_MSHRS = 64 };
/* More room than misses are kept: one step may put in two, a fetch and a load, before the earliest go. */
enum { GRAPH_MISSES_MORE = 2 };

/* Rows of a miss, each of a quarter of the lanes; behind these the cycles from which the MSHRs it found are free, in
 * ascending order. */
enum graph_miss_row { MISS_HOLD, MISS_KEY, MISS_TIME, MISS_SERVERS };

/* Lines that prefetches brought, and which were waited for: the last of each place, by instruction. */
enum { GRAPH_PREFETCHED = 256 };
struct graph_prefetched {
	uint64_t line, number; /* line + 1; 0 = none */
};
/* Spread: arrays lie a power of two apart. */
static inline size_t graph_prefetched_place(uint64_t line)
{
	return line * 0x9e3779b97f4a7c15 >> 32 & (GRAPH_PREFETCHED - 1);
}

struct graph_misses_recorded;

struct graph_misses {
	/* For each quarter of the lanes a ring of kept + GRAPH_MISSES_MORE: the miss behind the last has only
	 * servers. (With rows of all lanes those of one vector lay 512 bytes apart, in an eighth of a first-level
	 * cache's sets.) */
	char *rows;
	size_t stride, quarter; /* bytes from miss to miss, from ring to ring */
	uint32_t servers;	/* 0 = unlimited, and not asked for */
	uint32_t kept;
	uint32_t first, count; /* the earliest's place, and how many there are */
	struct graph_misses_recorded *recorded;
};

/* Writes come up to a window behind the loads that are issued next: with a larger window they alone may be more than
 * half a ROB's. With so many kept the test of posted writes, of a ROB of 64, had win 45 points off, and copies of
 * pages on neoverse-n1 19; with four times as many 6 at most, and 1. */
static inline uint32_t graph_misses_kept(uint32_t rob, bool writes)
{
	uint32_t kept = GRAPH_MISSES_LEAST;
	while (kept < GRAPH_MISSES_MOST && kept < (writes ? 2 * rob : rob / 2))
		kept *= 2;
	return kept;
}

static inline char *graph_miss_at(const struct graph_misses *m, uint32_t number, size_t quarter)
{
	const uint32_t at = m->first + number, room = m->kept + GRAPH_MISSES_MORE;
	return m->rows + quarter * m->quarter + (at >= room ? at - room : at) * m->stride;
}

#endif
