/* lsq.fill: lines that come take the unit of the loads, one after the other: the cycles in which they do. */
#ifndef CULPRIT_MACHINE_CACHE_FILLS_H
#define CULPRIT_MACHINE_CACHE_FILLS_H

#include "machine/cache_port.h"

enum { FILL_SLOTS = 4096 }; /* a power of two; what comes later than that may be forgotten */

struct cache_fills {
	struct port port;
	uint32_t cycles;	    /* that a line takes; 0: none */
	uint64_t taken[FILL_SLOTS]; /* by cycle mod FILL_SLOTS: the cycle */
};

/* A line comes at `arrival`, and takes another's place. */
static inline void cache_fills_line(struct cache_fills *f, uint64_t arrival, bool replaces)
{
	f->port.interval = f->cycles + replaces;
	uint64_t first = port_take(&f->port, arrival + 1);
	for (uint64_t cycle = first; cycle < first + f->port.interval; cycle++)
		f->taken[cycle % FILL_SLOTS] = cycle;
}

static inline bool cache_fills_take(const struct cache_fills *f, uint64_t cycle)
{
	return f->taken[cycle % FILL_SLOTS] == cycle;
}

#endif
