/* What a record says of its instruction's time in the window, in one host cache line. */
#ifndef CULPRIT_ANALYSIS_REPLAY_LIFE_H
#define CULPRIT_ANALYSIS_REPLAY_LIFE_H

#include "culprit/record.h"

enum { LIFE_SOURCES = 4 }; /* three registers and memory */

struct life {
	uint64_t dispatch, ready, issue, complete; /* cycles; as in the record */
	uint32_t source
		[LIFE_SOURCES]; /* distance to what makes each operand, 0 = nothing; the last is memory, a store */
	uint16_t exec_latency, wakeup, dtlb, flags;
	uint32_t mem_addr; /* the lower half */
	uint8_t mem_size, dlevel, op_class;
	bool missed : 1;      /* a load that took longer than a hit */
	bool named : 1;	      /* a store that it waited for */
	bool waits_data : 1;  /* the store has its address, but not its data (lsq.store_data) */
	bool needs_store : 1; /* its data, or a store set says so; else it may have waited for the store to leave */
};

_Static_assert(sizeof(struct life) == 64, "a host cache line");

/* `store_sets`: the machine has them. */
static inline void life_take(struct life *l, const struct culprit_record *r, bool store_sets)
{
	l->dispatch = r->dispatch;
	l->ready = r->ready;
	l->issue = r->issue;
	l->complete = r->complete;
	for (unsigned i = 0; i < 3; i++)
		l->source[i] = r->producer[i];
	l->named = store_sets && r->order_waited;
	l->waits_data = l->named && r->order_waited == r->mem_producer;
	l->source[3] = l->named ? r->order_waited : r->mem_producer;
	l->needs_store = l->named || (r->flags & CULPRIT_FORWARDED);
	l->exec_latency = r->exec_latency;
	l->wakeup = r->wakeup;
	l->dtlb = r->dtlb;
	l->flags = r->flags;
	l->mem_addr = (uint32_t)r->mem_addr;
	l->mem_size = (uint8_t)r->mem_size;
	l->dlevel = r->dlevel;
	l->op_class = r->op_class;
	l->missed = r->dmiss != 0;
}

/* From when dependents may issue. A record counts the cycles from issue in 16 bits; no result wakes them before it is
 * there. */
static inline uint64_t life_wake(const struct life *l)
{
	uint64_t wake = l->issue + l->wakeup;
	return wake > l->complete ? wake : l->complete;
}

/* Does the store write all that the load reads? */
static inline bool life_covers(const struct life *store, const struct life *load)
{
	uint32_t from = load->mem_addr - store->mem_addr;
	return from < store->mem_size && from + load->mem_size <= store->mem_size;
}

#endif
