/* Prefetchers: what to ask for next. They see the demand accesses of one cache and name addresses; the cache decides
 * whether there is room to bring them.
 *   next_line  on a miss, or the first use of a line it brought: the lines `distance` ... ahead
 *   stride     reference prediction table by pc; on every access whose last two strides agree: strides ahead
 *   stride_global  the same, and for accesses that it does not know the stride of all accesses, whatever their pc
 *   stream     misses (and first uses) that run up or down through memory; three in a row confirm a stream
 * All give `degree` addresses for one trigger and none outside the page of the access: beyond it the translation
 * would not be known. */
#ifndef CULPRIT_MACHINE_PREFETCH_H
#define CULPRIT_MACHINE_PREFETCH_H

#include "machine/machine_enums.h"

#include <stdbool.h>
#include <stdint.h>

enum { PREFETCH_MAX = 64, STRIDE_ENTRIES = 256, STREAM_ENTRIES = 16, STREAM_REACH = 4 };

struct prefetch_event {
	uint64_t pc; /* 0 for instruction fetch */
	uint64_t addr;
	bool miss;	/* the line was not here */
	bool first_use; /* the line was brought by this prefetcher and is used for the first time */
};

struct stride_entry {
	uint64_t pc, last;
	int64_t stride;
	uint8_t confidence; /* 0 to 3; predicts from 2 on */
};

struct stream_entry {
	uint64_t line;	    /* last line of the stream */
	uint64_t stamp;	    /* last use; 0 = free */
	int8_t direction;   /* 0 = not known yet */
	uint8_t confidence; /* steps in that direction; confirmed from 2 on */
};

struct prefetch {
	enum prefetcher kind;
	uint32_t degree, distance;
	uint32_t line_shift, page_shift;
	bool misses_only; /* next_line: first uses ask for none */
	uint64_t clock;
	struct stride_entry strides[STRIDE_ENTRIES], global;
	struct stream_entry streams[STREAM_ENTRIES];
};

/* What prefetches do not leave, as bits of an address: a page, or nothing. */
static inline uint32_t prefetch_pages(uint32_t page, bool leaves)
{
	return leaves ? 63 : (uint32_t)__builtin_ctz(page);
}

void prefetch_init(struct prefetch *p, enum prefetcher kind, uint32_t degree, uint32_t distance, uint32_t line_shift,
		   uint32_t page_shift);
/* Learn from one demand access; the addresses to bring go to `addrs`. Returns how many. */
uint32_t prefetch_train(struct prefetch *p, const struct prefetch_event *e, uint64_t addrs[PREFETCH_MAX]);

#endif
