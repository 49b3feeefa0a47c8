/* A port or bus that takes one access every `interval` cycles: reservations in time.
 *
 * Accesses are answered at once, so one that has to wait for something else (an MSHR) reserves the port in the
 * future. A plain "free from" cycle would make accesses that come earlier in time queue behind that. Instead the last
 * busy spans are kept in order, and an access takes the first gap that it fits into. Spans that touch are one; when
 * there are too many the oldest is forgotten and no access goes before its end any more. */
#ifndef CULPRIT_MACHINE_CACHE_PORT_H
#define CULPRIT_MACHINE_CACHE_PORT_H

#include <stdbool.h>
#include <stdint.h>

enum { PORT_SPANS = 32 }; /* a power of two */

struct port_span {
	uint64_t start, end; /* busy in start <= cycle < end */
};

struct port {
	uint32_t interval; /* 0 = unlimited */
	uint32_t head;	   /* the oldest span's place in the ring */
	uint32_t count;
	uint64_t floor;			    /* no access starts before this cycle */
	struct port_span spans[PORT_SPANS]; /* sorted, apart from each other */
};

void port_init(struct port *p, uint32_t interval);
uint64_t port_reserve(struct port *p, uint64_t cycle);

/* The first cycle from `cycle` on at which the access can start; the port is then busy for one interval. */
static inline uint64_t port_take(struct port *p, uint64_t cycle)
{
	return p->interval ? port_reserve(p, cycle) : cycle;
}

#endif
