/* Tags and replacement state of one set-associative array: a cache's lines or a TLB's pages.
 * A "line" here is an address without its offset bits. The tags of a set lie side by side; everything else about
 * a line is in a parallel array. Nothing is ever invalidated, so a set fills its ways in order and `filled` says how
 * far it has got; from then on the policy chooses the victim.
 *
 * `hints` guesses where a line is from its low address bits. A guess counts only when the tag agrees (a line can be
 * nowhere but in its own set), so that hints save the search without changing any result. */
#ifndef CULPRIT_MACHINE_CACHE_SETS_H
#define CULPRIT_MACHINE_CACHE_SETS_H

#include "base/error.h"
#include "machine/machine_enums.h"

#include <stdint.h>

#define CACHE_NO_LINE UINT64_MAX /* tag of an empty way; no line has it, because lines are at least 8 bytes */
enum { CACHE_NO_INDEX = UINT32_MAX, SRRIP_INSERTED = 2, SRRIP_DISTANT = 3, PLRU_WAYS_MAX = 64 };

struct cache_line {
	uint64_t arrival;      /* cycle from which the data (or the translation) are here */
	uint64_t primary_miss; /* sequence number of the instruction whose miss brought it */
	uint64_t stamp;	       /* LRU: last use; FIFO: fill; SRRIP: re-reference prediction */
	uint8_t level;	       /* enum culprit_level it came, or is coming, from */
	uint8_t stray;	       /* the same, until the right path's use that stray_line.h means; else 0 */
	bool dirty;
	bool used_late;	    /* with stray: by an instruction in front of the wrong path's branch */
	int32_t trigger;    /* from the line's address to that of the access that made the prefetcher ask; 0 = far */
	uint8_t prefetched; /* bits of enum cache_prefetched; 0 = by something else, or used since */
	/* Of a first level: the request's prefetch_below. Below: the level from which this cache's prefetcher brought
	 * the line, until the right path's first request that finds it here has told it; 0 = by something else */
	uint8_t below;
};

/* A line that this cache's prefetcher brought: nobody has used it; the right path has not. */
enum cache_prefetched { CACHE_UNUSED = 1, CACHE_UNTOLD = 2 };

/* PLRU: the nodes above a way, and those of them that a use of the way turns to the right. */
struct cache_tree_turn {
	uint64_t nodes, right;
};

struct cache_sets {
	uint64_t *tags;
	struct cache_line *lines;
	uint32_t *hints; /* by low bits of the line: an index, in range but maybe of another line */
	uint64_t set_mask;
	uint64_t hint_mask;
	uint64_t clock; /* stamps: one tick for each use or fill that is stamped */
	uint32_t ways;
	enum replacement policy;
	bool hinted;
	bool timed;		       /* some line's arrival is not 0, perhaps */
	uint64_t random;	       /* state of the random policy's xorshift */
	uint64_t *trees;	       /* PLRU: bit n = node n (root 1) points right, to the half to replace */
	uint32_t *filled;	       /* by set: ways in use */
	struct cache_tree_turn *turns; /* PLRU: by way */
};

/* `entries` lines in sets of `ways` (0 = one set). `what` names the array in errors. */
bool cache_sets_init(struct cache_sets *s, const char *what, uint64_t entries, uint32_t ways, enum replacement policy,
		     struct error *err);
void cache_sets_free(struct cache_sets *s);
/* The way in which `line` will be placed; the old line is still readable at the index. */
uint32_t cache_sets_victim(struct cache_sets *s, uint64_t line);
/* Put the line at the index that cache_sets_victim gave. All of its state but the stamp is for the caller to set, in
 * place: handing it over as a struct had the host wait for its own narrow stores. */
struct cache_line *cache_sets_fill(struct cache_sets *s, uint32_t index, uint64_t line);
/* Every line has arrived. */
void cache_sets_settle(struct cache_sets *s);

uint32_t cache_sets_search(const struct cache_sets *s, uint64_t line);

static inline uint32_t cache_sets_base(const struct cache_sets *s, uint64_t line)
{
	return (uint32_t)(line & s->set_mask) * s->ways;
}

/* The index at which the line is, if its tag is there. */
static inline uint32_t cache_sets_guess(const struct cache_sets *s, uint64_t line)
{
	return s->hints[line & s->hint_mask];
}

/* The line's index, or CACHE_NO_INDEX. */
static inline uint32_t cache_sets_find(const struct cache_sets *s, uint64_t line)
{
	uint32_t guess = cache_sets_guess(s, line);
	if (s->hinted && s->tags[guess] == line)
		return guess;
	return cache_sets_search(s, line);
}

static inline void cache_sets_touch_tree(struct cache_sets *s, uint32_t index)
{
	const struct cache_tree_turn *turn = &s->turns[index & (s->ways - 1)]; /* PLRU: ways are a power of two */
	uint64_t *tree = &s->trees[index >> __builtin_ctz(s->ways)];
	*tree = (*tree & ~turn->nodes) | turn->right;
}

/* A use of the line at index. */
static inline void cache_sets_touch(struct cache_sets *s, uint32_t index)
{
	if (__builtin_expect(s->policy == replacement_lru, 1))
		s->lines[index].stamp = ++s->clock;
	else if (s->policy == replacement_plru)
		cache_sets_touch_tree(s, index);
	else if (s->policy == replacement_srrip)
		s->lines[index].stamp = 0;
}

#endif
