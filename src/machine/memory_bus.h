/* Main memory: a fixed latency behind a bus that starts one line transfer every `interval` cycles. Reads and
 * writebacks share the bus; a write occupies it and nobody waits for it. */
#ifndef CULPRIT_MACHINE_MEMORY_BUS_H
#define CULPRIT_MACHINE_MEMORY_BUS_H

#include "machine/cache_port.h"

struct memory_bus {
	struct port port;
	uint32_t latency;
	uint64_t *reads, *writes; /* transfers, for the statistics */
};

/* The cycle at which the line is here; adds what it waited for the bus to *wait. */
static inline uint64_t memory_bus_read(struct memory_bus *m, uint64_t cycle, uint32_t *wait)
{
	uint64_t start = port_take(&m->port, cycle);
	*wait += (uint32_t)(start - cycle);
	++*m->reads;
	return start + m->latency;
}

static inline void memory_bus_write(struct memory_bus *m, uint64_t cycle)
{
	port_take(&m->port, cycle);
	++*m->writes;
}

#endif
