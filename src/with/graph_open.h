/* What records leave open of idealised runs, beside memory order: what the caches would have held, and what a
 * prefetcher would have asked for. From what records show, and the lanes that there are, the other end of an interval:
 * docs/explanation/graph.md, "Intervals". And the least time that all lines need with a larger window. */
#ifndef CULPRIT_WITH_GRAPH_OPEN_H
#define CULPRIT_WITH_GRAPH_OPEN_H

#include "culprit/graph.h"

enum { GRAPH_OPEN_LINES = 1 << 16, GRAPH_OPEN_MISSES = 1 << 12 };

struct graph_open {
	uint32_t miss_cycles[CULPRIT_LEVEL_COUNT];
	unsigned line_bits;
	bool prefetches;
	uint64_t last_line;
	uint64_t lines[GRAPH_OPEN_LINES];	/* fetched before */
	uint64_t prefetched[GRAPH_OPEN_MISSES]; /* lines that were waited for, and which no miss brought */
	bool missed[GRAPH_OPEN_MISSES];		/* of the last accesses, by number: it brings a line */
	double fetch_waits, fetched_again;	/* cycles: all, and beyond the L2 of lines that had been there */
	double data_waits, prefetch_saved; /* all, and what waits for prefetched lines were shorter than their misses */
	uint32_t mshrs, memory_interval;   /* 0 = unlimited */
	double held, on_bus;		   /* cycles that lines take MSHRs, and the memory bus */
};

void graph_open_init(struct graph_open *o, const struct culprit_graph_params *params);
void graph_open_records(struct graph_open *o, const struct culprit_record *r, size_t count);
/* Cycles that each lane of the base classes may take more or less. True: some lane 1% of the time. */
bool graph_open_cycles(const struct graph_open *o, const struct culprit_graph_results *lanes,
		       double cycles[CULPRIT_GRAPH_SETS]);

/* Lanes of the base classes with the window idealised take no less time than MSHRs and memory bus need for all lines,
 * those that a prefetch asked for included, but no more than with the window as it is. Then all wait for prefetched
 * lines at once, and the graph, which has no MSHRs for these, lets them. (Two arrays read and one written, win: zen4
 * 43.2% by re-simulation, 84.5 without the bound and 43.1 with it; xiangshan-kunminghu-v3 16.5, 83.9 and 16.7.) */
void graph_open_bound(const struct graph_open *o, struct culprit_graph_results *lanes);

#endif
