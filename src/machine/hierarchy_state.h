/* The inside of struct hierarchy, for hierarchy*.c and the inlined hit path. Nobody else looks in here. */
#ifndef CULPRIT_MACHINE_HIERARCHY_STATE_H
#define CULPRIT_MACHINE_HIERARCHY_STATE_H

#include "machine/cache.h"
#include "machine/tlb.h"

/* Warm-up only: what was used last, so that using it again changes nothing (hierarchy_warm.h). */
struct hierarchy_last {
	uint64_t *lines; /* by set of the L1: the line times 2, + 1 when it is known to be dirty; HIERARCHY_NO_LAST */
	uint64_t page;
	uint32_t reach; /* bytes of a line that this serves; 0: nothing */
	bool trains;	/* the L1's prefetcher learns from hits as well */
};
#define HIERARCHY_NO_LAST UINT64_MAX

/* What instructions or data have for themselves. */
struct hierarchy_side {
	/* What a hit needs comes first. */
	/* bytes of a line that the inlined path serves: all of it, or none when it may not be used */
	uint32_t short_reach;
	uint32_t page_shift;
	uint64_t space; /* of the address space, above every page's number */
	struct tlb tlb;
	struct cache l1; /* its latency is 0 when dl1 is idealised */
	bool all_hit;	 /* dmiss or imiss: nothing below, nor any state, is touched */
	bool some_free;	 /* free_by_level says more than CACHE_NOTHING_FREE */
	uint8_t free_by_level[CULPRIT_LEVEL_COUNT];
	struct hierarchy_last last;
};

/* hierarchy_warm.c */
bool hierarchy_last_init(struct hierarchy_side *s, struct error *err);
/* Nothing is known to have been used last. */
void hierarchy_last_forget(struct hierarchy_side *s);

/* What a TLB knows a page by: address spaces do not use one another's entries, though they share the page. */
static inline uint64_t hierarchy_page(const struct hierarchy_side *s, uint64_t addr)
{
	return addr >> s->page_shift ^ s->space;
}

struct hierarchy {
	struct hierarchy_side data, instructions;
	struct cache l2, l3;
	struct memory_bus memory;
	struct mshrs waiting;	   /* lsq.waiting_loads: loads that wait for lines */
	struct cache_fills *fills; /* lsq.fill; NULL: there is none */
	struct tlb_shared tlb2;
	bool has_l3;
	bool shortcuts;
	uint32_t l1d_latency; /* as configured */
	struct hierarchy_statistics stats;
	struct hierarchy_warmed warmed;
};

/* For tests: without shortcuts every access is looked up the long way. Results must be the same. */
void hierarchy_use_shortcuts(struct hierarchy *h, bool use);

/* The long way: any access to one line or across several. */
struct hierarchy_demand {
	uint64_t cycle, seq, pc, addr;
	uint32_t size;
	bool wrong_path, instruction, store, timeless;
	bool at_once;	 /* see hierarchy_data_at_once */
	bool filled;	 /* ... and hierarchy_store_filled */
	bool translated; /* before: no translation is needed */
};
void hierarchy_access(struct hierarchy *h, const struct hierarchy_demand *d, struct memory_access *out);

#endif
