/* One cache level: set-associative, write-back, write-allocate, non-blocking. A request (a line wanted at a cycle) goes
 * in, the cycle at which its data are usable comes out; on a miss the next level is asked in the same call.
 *
 * - An access starts when the port takes it and hits `latency` later. A miss is known only then, gets an MSHR (or
 *   waits for one), and goes to the next level; its data are usable as soon as they are there. Latencies therefore add
 *   up along the way: L1 + L2 + L3 + memory.
 * - A line on its way is in its set already (`arrival`): accesses to it wait for that cycle and need no MSHR.
 * - Levels are non-inclusive: an eviction does not touch the levels above. A dirty victim is written to the next level
 *   when the miss that replaces it goes out, behind that miss: it takes a port slot there and marks the line dirty; a
 *   level that does not have the line any more passes it on down. A writeback is no use of the line for replacement.
 * - A victim still on its way leaves nothing behind but its writeback; whoever waits for it keeps its cycle.
 * - Lines may be wider further down.
 * - Levels from `free_from` on answer a request in no time and without ports, MSHRs or bus, but change state as always:
 *   idealisation and warm-up. */
#ifndef CULPRIT_MACHINE_CACHE_H
#define CULPRIT_MACHINE_CACHE_H

#include "machine/cache_mshr.h"
#include "machine/cache_port.h"
#include "machine/cache_sets.h"
#include "machine/machine.h"
#include "machine/memory_access.h"
#include "machine/memory_bus.h"
#include "machine/plugin.h"
#include "machine/cache_fills.h"
#include "machine/prefetch.h"

/* One row of machine.def's CACHE_ROWS, whichever the level. */
struct cache_parameters {
	const char *name;
	uint32_t size, ways, line, latency, mshrs, interval, miss_alias;
	enum replacement replacement;
	enum prefetcher prefetcher;
	uint32_t prefetch_degree, prefetch_distance, prefetch_below;
	bool prefetch_pages, prefetch_misses_only;
	uint32_t page;		     /* bytes; prefetches stay within one */
	uint32_t in_flight;	     /* instructions at most: stray_line.h */
	const struct plugin *plugin; /* in place of the prefetcher, or NULL */
};

struct cache {
	/* What a hit needs comes first. */
	struct cache_sets sets;
	uint32_t shift;	      /* log2 of the line size */
	uint32_t offset_mask; /* line size - 1 */
	uint32_t latency;
	uint32_t in_flight;
	uint8_t level; /* enum culprit_level */
	struct cache_statistics *stats;
	struct port port;
	struct mshrs mshrs; /* held by demand misses */
	struct mshrs
		prefetch_mshrs; /* held by prefetches: only those that demand misses leave free, and at once given up */
	/* miss_alias: until when a line is on its way, by its place in a block of so many lines; NULL: nobody asks */
	uint64_t *aliases;
	uint32_t alias_mask;
	struct cache *next; /* NULL: memory */
	struct memory_bus *memory;
	struct cache_fills *fills; /* of lines that come; NULL: nobody asks */
	uint64_t *side_misses[2];  /* [instruction?][wrong path?], NULL when not asked for */
	struct prefetch prefetch;
	bool prefetches;		   /* into this cache; else it asks the next level alone */
	uint32_t prefetch_below;	   /* how far ahead it asks the next level; 0 = it does not */
	struct plugged_prefetcher plugged; /* in place of it */
	uint64_t page_mask;		   /* what plug-ins ask for stays within a page, too */
	bool trains;			   /* demand accesses train one of the two */
};

enum { CACHE_NOTHING_FREE = CULPRIT_LEVEL_COUNT };

struct cache_request {
	uint64_t addr, seq, pc;
	bool wrong_path, instruction, store;
	bool at_once; /* takes a hit's time, and so does the line for all that come after */
	bool filled;  /* ... since it is written as a whole; else since it is idealised, with what it has prefetched */
	uint8_t prefetcher; /* 0 = a demand access; else the level whose prefetcher asks */
	/* First free level by the level at which the line is found (idealisation); NULL = none is free. */
	const uint8_t *free_by_level;
	uint8_t free_from; /* this request's first free level */

	/* The answer's parts, beside the cycle. */
	uint8_t level;
	uint8_t stray; /* right path's first use of a line that a wrong path brought: level it came from */
	bool merged;
	bool prefetched; /* the right path's first use of a line that a prefetcher brought; of the first level's: */
	uint8_t prefetch_level;	  /* from where, */
	int32_t prefetch_trigger; /* from addr to what the access had that made it ask (also of a prefetch); 0 = far */
	uint64_t prefetch_slack;  /* and cycles for which the line had been here */
	/* from where a prefetcher had brought the line into the level below the first, and nobody had asked there
	 * since; unless prefetch_level is set, trigger and slack are of that line */
	uint8_t prefetch_below;
	uint32_t mshr_wait, bandwidth_wait;
	uint32_t first_wait; /* part of mshr_wait: of the first level */
	uint64_t primary_miss;
};

bool cache_init(struct cache *c, const struct cache_parameters *p, uint8_t level, struct error *err);
void cache_free(struct cache *c);
/* Nothing in flight, clocks at zero. */
void cache_settle(struct cache *c);
bool cache_has(const struct cache *c, uint64_t addr);

/* The cycle at which the line's data are usable. Sets r->level when the level is not free. */
uint64_t cache_read(struct cache *c, struct cache_request *r, uint64_t cycle);
/* The prefetcher's part of a read that hits, and brings nothing into use for the first time, at cycle 0. */
void cache_train_hit(struct cache *c, const struct cache_request *r);
/* The first level that is free for this request, which enters at c, by where its line is now. */
uint8_t cache_free_from(const struct cache *c, const uint8_t *free_by_level, uint64_t addr);

#endif
