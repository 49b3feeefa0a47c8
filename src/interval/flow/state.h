/* The flow's workspace. Times are cycles from the stream's start. Rings are indexed by instruction or by cycle
 * modulo their size. */
#ifndef CULPRIT_INTERVAL_FLOW_STATE_H
#define CULPRIT_INTERVAL_FLOW_STATE_H

#include "base/heap.h"
#include "interval/flow/sets.h"
#include "interval/flow/types.h"
#include "machine/machine_idealised.h"
#include "machine/prefetch.h"

enum {
	FLOW_RING = 1 << 16,	   /* instructions back that a producer can be */
	FLOW_CALENDAR = 1 << 14,   /* cycles ahead that can be booked; farther ones share an entry */
	FLOW_PREFETCH_LIFE = 4096, /* instructions after which a prefetched line is taken to be gone again */
	FLOW_LINES_LOG2 = 12,
	FLOW_LINES = 1 << FLOW_LINES_LOG2, /* lines in flight remembered, by hash */
	FLOW_PAGES = 1 << 10,		   /* pages, likewise */
	FLOW_MSHRS_MAX = 1024,
	FLOW_STRAY_MOST = 1024, /* wrong-path instructions followed behind one branch */
};

/* What is booked in one cycle; `cycle` tells whose entry it is. */
struct flow_day {
	uint64_t cycle;
	uint8_t issued;
	uint8_t queue[MACHINE_QUEUES_MAX];
	uint8_t unit[MACHINE_UNITS_MAX];
};

struct flow_line {
	uint64_t tag; /* line number + 1; 0 = free */
	uint64_t arrives;
	uint64_t took;	/* cycles from the request on: a request before that one waits no longer */
	uint64_t early; /* a prefetcher asked for it before its time, for instructions up to this one */
	uint64_t asked; /* ... in this cycle */
	bool first_use; /* by a prefetcher, and not used yet */
};

/* Lines of one cache that are on their way, and its MSHRs: when each is free again. */
struct flow_cache {
	uint32_t shift; /* from units of 8 bytes to lines */
	uint32_t mshrs; /* 0 = unlimited */
	struct flow_line lines[FLOW_LINES];
	uint64_t busy_until[FLOW_MSHRS_MAX];
	struct flow_sets sets;
	struct prefetch prefetch; /* of the L1D and the L2 */
};

struct flow_queue {
	uint32_t entries;    /* 0 = unlimited */
	struct heap waiting; /* issue times of those in it */
};

/* Store sets (Chrysos and Emer 1998); no tables on machines without. */
struct flow_store_sets {
	uint32_t *set_of;     /* by pc */
	uint64_t *last_store; /* of each set: index + 1; 0 = none */
};

struct flow {
	struct machine m;
	struct machine_idealised d; /* nothing is idealised: what follows from the machine */
	uint32_t parts;
	bool prefetched; /* the samples' marks count */
	uint64_t index;	 /* of the instruction that is on its way */
	/* fetch */
	uint64_t fetch_cycle; /* of the current group */
	uint32_t group, group_taken;
	uint32_t fetch_line_shift;  /* from halfwords to lines */
	uint32_t fetch_block_shift; /* ... to fetch blocks; 63: there are none */
	uint64_t fetch_line;	    /* number + 1; 0 = none */
	uint64_t fetch_block;
	bool after_taken;
	uint64_t ahead, ahead_until; /* fetch that was squashed: where it is in its time, and when it was */
	/* dispatch and commit */
	uint64_t dispatch_cycle, commit_cycle;
	uint32_t dispatched, committed, commit_stores, commit_branches; /* in those cycles */
	uint64_t load_count, store_count, int_count, fp_count, branch_count;
	uint64_t stores_known; /* completion of every older store: all addresses known */
	struct flow_store_sets store_sets;
	uint64_t bus_free;
	/* rings by instruction */
	uint64_t dispatch[FLOW_RING], issue[FLOW_RING], wake[FLOW_RING], complete[FLOW_RING], commit[FLOW_RING];
	uint64_t leave[FLOW_RING]; /* the window: with window.released before the commit */
	uint64_t leave_cycle;
	/* rings by kind: when the entry taken by the k-th of a kind is free again */
	uint64_t load_free[FLOW_RING], store_free[FLOW_RING], memory_free[FLOW_RING], int_free[FLOW_RING],
		fp_free[FLOW_RING], branch_free[FLOW_RING];
	struct flow_day calendar[FLOW_CALENDAR];
	struct flow_queue queues[MACHINE_QUEUES_MAX];
	struct machine_place place;	    /* of the instruction that is dispatched */
	bool turn[CULPRIT_OP_COUNT];	    /* the next of a class with two units takes the second */
	size_t wrong_at;		    /* the next wrong path of the stream */
	uint32_t page_shift;		    /* from units of 8 bytes to pages */
	struct flow_line pages[FLOW_PAGES]; /* whose translation is on its way */
	struct flow_sets itlb, dtlb;
	uint64_t stray_wake[FLOW_STRAY_MOST]; /* on the wrong path, by distance behind the branch */
	struct flow_cache l1i, l1d, l2;
};

/* memory.c: the cycle at which the data of an access that starts at `now` are there. */
uint64_t flow_load(struct flow *f, const struct interval_sample *s, uint64_t now);
/* Accesses of a wrong path. A fetch returns its stall. */
uint64_t flow_stray_load(struct flow *f, const struct interval_sample *s, uint64_t now);
uint64_t flow_stray_fetch(struct flow *f, const struct interval_sample *s, uint64_t now);
/* A store whose address is there at `now`: when its translation is, if it has one before its write; else `now`. */
uint64_t flow_store_translated(struct flow *f, const struct interval_sample *s, uint64_t now);
uint64_t flow_store(struct flow *f, const struct interval_sample *s, uint64_t now);
/* Cycles that fetch waits for the line and its translation. */
uint64_t flow_fetch_stall(struct flow *f, const struct interval_sample *s, uint64_t now);

/* stray.c: what the wrong path behind the mispredicted branch i, which has completed, does to the caches. */
void flow_run_wrong_path(struct flow *f, const struct flow_stream *stream, uint64_t i, uint64_t back);

/* order.c: the cycle from which the instruction may issue as far as older stores go. */
uint64_t flow_order_ready(struct flow *f, const struct interval_sample *s, uint64_t i, uint64_t back, uint64_t ready);
/* When a store in flight has the data of the load that issues at `issue`; 0 = none has. */
uint64_t flow_forwarded(const struct flow *f, const struct interval_sample *s, uint64_t i, uint64_t back,
			uint64_t issue);
/* The cycle in which the load is squashed because it issued before a store to the same place; 0 = it did not. */
uint64_t flow_violated(struct flow *f, const struct interval_sample *s, uint64_t i, uint64_t back);
bool flow_store_sets_create(struct flow_store_sets *s, const struct machine *m); /* false: out of memory */
void flow_store_sets_free(struct flow_store_sets *s);
void flow_store_sets_forget(struct flow *f);

/* issue.c: book the first cycle from `ready` on that has room for the operation. */
uint64_t flow_book(struct flow *f, const struct interval_sample *s, uint64_t ready);
/* The first cycle from `dispatch` on with a free entry in the operation's queue; then occupy it until `issue`. */
uint64_t flow_queue_wait(struct flow *f, uint32_t queue, uint64_t dispatch);
void flow_queue_enter(struct flow *f, uint32_t queue, uint64_t issue);

static inline bool flow_has(const struct flow *f, enum flow_part part)
{
	return f->parts >> part & 1;
}

#endif
