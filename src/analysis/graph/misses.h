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
 * One that comes before all that are kept has no wait: who was in its way is forgotten. (Else, with the window
 * idealised, golden-cove's bus made the run-ideal test's graph 4 % too long.) In lanes where a miss is idealised it is
 * kept too, but takes nothing: hold 0. */
#ifndef CULPRIT_ANALYSIS_GRAPH_MISSES_H
#define CULPRIT_ANALYSIS_GRAPH_MISSES_H

#include <stddef.h>
#include <stdint.h>

/* Misses kept. fields2003 with two MSHRs, win: gzip's window of 1280 keeps 20 to 30 apart; with 16 its win+bmisp was 6
 * points further off, with 64 no better. */
enum { GRAPH_MISSES = 32, GRAPH_MOST_MSHRS = 64 };
/* One step may put in two, a fetch and a load, before the earliest go. */
enum { GRAPH_MISS_ROOM = GRAPH_MISSES + 2 };

/* Rows of a miss, each of a quarter of the lanes; behind these the cycles from which the MSHRs it found are free, in
 * ascending order. */
enum graph_miss_row { MISS_HOLD, MISS_KEY, MISS_TIME, MISS_SERVERS };

struct graph_misses_recorded;

struct graph_misses {
	/* For each quarter of the lanes a ring of GRAPH_MISS_ROOM: the miss behind the last has only servers. (With
	 * rows of all lanes those of one vector lay 512 bytes apart, in an eighth of a first-level cache's sets.) */
	char *rows;
	size_t stride, quarter; /* bytes from miss to miss, from ring to ring */
	uint32_t servers;	/* 0 = unlimited, and not asked for */
	uint32_t first, count;	/* the earliest's place, and how many there are */
	struct graph_misses_recorded *recorded;
};

static inline char *graph_miss_at(const struct graph_misses *m, uint32_t number, size_t quarter)
{
	uint32_t at = m->first + number;
	return m->rows + quarter * m->quarter + (at >= GRAPH_MISS_ROOM ? at - GRAPH_MISS_ROOM : at) * m->stride;
}

#endif
