/* What records leave open of idealised runs, beside memory order: what the caches would have held, and what a
 * prefetcher would have asked for. From what records show, and the lanes that there are, the other end of an interval:
 * docs/explanation/graph.md, "Intervals". */
#ifndef CULPRIT_WITH_GRAPH_OPEN_H
#define CULPRIT_WITH_GRAPH_OPEN_H

#include "culprit/graph.h"

enum { GRAPH_OPEN_LINES = 1 << 16, GRAPH_OPEN_MISSES = 1 << 12 };

struct graph_open {
	uint32_t miss_cycles[CULPRIT_LEVEL_COUNT];
	unsigned line_bits;
	bool prefetches;
	uint64_t last_line;
	uint64_t lines[GRAPH_OPEN_LINES];  /* fetched before */
	bool missed[GRAPH_OPEN_MISSES];	   /* of the last accesses, by number: it brings a line */
	double fetch_waits, fetched_again; /* cycles: all, and beyond the L2 of lines that had been there */
	double data_waits, prefetch_saved; /* all, and what waits for prefetched lines were shorter than their misses */
};

void graph_open_init(struct graph_open *o, const struct culprit_graph_params *params);
void graph_open_records(struct graph_open *o, const struct culprit_record *r, size_t count);
/* Cycles that each lane of the base classes may take more or less. True: some lane 1% of the time. */
bool graph_open_cycles(const struct graph_open *o, const struct culprit_graph_results *lanes,
		       double cycles[CULPRIT_GRAPH_SETS]);

#endif
