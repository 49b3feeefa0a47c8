/* The profile: cycles by static instruction and by cause. Each cycle is charged to the instruction that commit was
 * exposed to: the oldest one while nothing commits, the first that commits in a cycle with commits (time-proportional
 * attribution, as in TIP, MICRO 2021). The cause is the commit stack's row; the rows of all instructions together are
 * the commit stack, exactly. What happened to an instruction is counted beside: misses, mispredictions.
 *
 * Counters are kept by pages of code, with a place for every address that an instruction can have: most instructions
 * are in the page of the one before, and need no search. */
#ifndef CULPRIT_ANALYSIS_PROFILE_H
#define CULPRIT_ANALYSIS_PROFILE_H

#include "analysis/commit_cause.h"
#include "base/error.h"
#include "base/map.h"
#include "culprit/record.h"

enum { PROFILE_PAGE_BITS = 8, PROFILE_PLACES = 1 << (PROFILE_PAGE_BITS - 1) }; /* instructions are at even addresses */

/* Of an instruction that commit once waited for, or to which something happened: most have none. */
struct profile_site {
	uint64_t rows[COMMIT_ROWS];	/* cycles without commit, by row of the commit stack */
	uint64_t causes[COMMIT_CAUSES]; /* the same cycles in fewer words */
	uint64_t refill;		/* branches: the cycles of CAUSE_mispredict right behind it, at the next one */
	uint64_t mispredictions;
	uint64_t l1d_misses, memory; /* data accesses that missed the L1D; that went to memory */
};

struct profile_place {
	uint64_t commit_cycles; /* with commits, it first */
	uint64_t count;		/* times committed; 0 = no instruction here */
	struct profile_site *site;
};

struct profile_page {
	uint64_t number; /* address >> PROFILE_PAGE_BITS */
	struct profile_place places[PROFILE_PLACES];
	bool entries[PROFILE_PLACES]; /* see struct profile_entry */
};

struct profile_entry {
	uint64_t pc;
	uint64_t cycles;
	uint64_t commit_cycles; /* part of cycles */
	uint64_t count;		/* times committed */
	bool entry;		/* was the target of a call: starts a function, also where there are no symbols */
	const struct profile_site *site; /* never NULL */
};

struct profile {
	struct commit_stack_params params;
	struct profile_page **pages;
	size_t room, used;
	struct map numbers;	   /* of pages -> place in `pages` + 1 */
	struct profile_page *page; /* of the instruction before */
	struct profile_page *rest; /* later instructions' when memory ran out */
	uint64_t next_cycle;
	uint16_t previous_flags;	   /* of the instruction before */
	struct profile_site *mispredicted; /* the last mispredicted branch */
	uint64_t watched;		   /* an address that is called */
	uint64_t watched_from;		   /* first cycle after the commit of its first call's target; 0 = not called */
	bool after_call;		   /* the instruction before was a call */
	bool out_of_memory;
	struct profile_entry *entries; /* made by profile_finish */
};

/* `watched`: of this address the first call is noted; 0 = none. */
bool profile_create(struct profile *p, const struct commit_stack_params *params, uint64_t watched, struct error *err);
void profile_destroy(struct profile *p);
void profile_push(struct profile *p, const struct culprit_record *records, size_t count);
/* Fills p->entries, sorted by pc, and their number. The profile is then finished. False: memory ran out, then or
 * before. */
bool profile_finish(struct profile *p, size_t *entries, struct error *err);
/* The commit stack of a run of `total` cycles: the sums over all instructions, and the end. */
void profile_stack(const struct profile *p, uint64_t total, uint64_t cycles[COMMIT_ROWS]);

#endif
