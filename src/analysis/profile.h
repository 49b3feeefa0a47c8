/* The profile: cycles by static instruction. Each cycle is charged to the instruction that commit was exposed to: the
 * oldest one while nothing commits, the first that commits in a cycle with commits (time-proportional attribution,
 * as in TIP, MICRO 2021). The total equals the cycles up to the last commit.
 *
 * Counters are kept by pages of code, with a place for every address that an instruction can have: most instructions
 * are in the page of the one before, and need no search. */
#ifndef CULPRIT_ANALYSIS_PROFILE_H
#define CULPRIT_ANALYSIS_PROFILE_H

#include "base/error.h"
#include "base/map.h"
#include "culprit/record.h"

enum { PROFILE_PAGE_BITS = 8, PROFILE_PLACES = 1 << (PROFILE_PAGE_BITS - 1) }; /* instructions are at even addresses */

struct profile_place {
	uint64_t cycles;
	uint64_t count; /* times committed; 0 = no instruction here */
};

struct profile_page {
	uint64_t number; /* address >> PROFILE_PAGE_BITS */
	struct profile_place places[PROFILE_PLACES];
	bool entries[PROFILE_PLACES]; /* see struct profile_entry */
};

struct profile_entry {
	uint64_t pc;
	uint64_t cycles;
	uint64_t count; /* times committed */
	bool entry;	/* was the target of a call: starts a function, also where there are no symbols */
};

struct profile {
	struct profile_page **pages;
	size_t room, used;
	struct map numbers;	   /* of pages -> place in `pages` + 1 */
	struct profile_page *page; /* of the instruction before */
	struct profile_page *rest; /* later instructions' when memory ran out */
	uint64_t next_cycle;
	bool after_call; /* the instruction before was a call */
	bool out_of_memory;
	struct profile_entry *entries; /* made by profile_finish */
};

bool profile_create(struct profile *p, struct error *err);
void profile_destroy(struct profile *p);
void profile_push(struct profile *p, const struct culprit_record *records, size_t count);
/* Fills p->entries, sorted by pc, and their number. The profile is then finished. False: memory ran out, then or
 * before. */
bool profile_finish(struct profile *p, size_t *entries, struct error *err);

#endif
