/* Completion ports: how many results have been written back in a cycle, by lane.
 *
 * Taking instructions in program order and giving each the first cycle from its completion on that has a port is oldest
 * first, since a younger one never keeps a port from an older one. Cycles are kept by their number modulo a span: of
 * two that meet there the one asked for last is known, and the other has all its ports again. No window spans as
 * much. */
#ifndef CULPRIT_ANALYSIS_GRAPH_PORTS_H
#define CULPRIT_ANALYSIS_GRAPH_PORTS_H

#include "culprit/graph.h"

enum { GRAPH_PORTS_SPAN = 4096 };

struct graph_ports {
	uint64_t
		*cycles; /* lane after lane: number of a cycle, times 256, and the ports taken in it; NULL: unlimited */
	uint32_t ports;
};

bool graph_ports_create(struct graph_ports *p, uint32_t ports);
void graph_ports_destroy(struct graph_ports *p);

/* The first cycle from `time` on with a port, which is taken. */
static inline uint64_t graph_ports_take(const struct graph_ports *p, size_t lane, uint64_t time)
{
	for (;; time++) {
		uint64_t *cycle = &p->cycles[lane * GRAPH_PORTS_SPAN + time % GRAPH_PORTS_SPAN];
		if (*cycle >> 8 != time)
			*cycle = time << 8;
		if ((*cycle & CULPRIT_PORTS_MOST) < p->ports) {
			++*cycle;
			return time;
		}
	}
}

#endif
