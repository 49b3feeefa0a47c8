/* Cycles by static instruction. Each cycle is charged to the instruction that commit was exposed to: the
 * oldest one while nothing commits, the first that commits in a cycle with commits (time-proportional attribution,
 * as in TIP, MICRO 2021). The total equals the cycles up to the last commit.
 *
 * Counters are kept by pages of code, with a place for every address that an instruction can have: most instructions
 * are in the page of the one before, and need no search. */
#ifndef CULPRIT_ANALYSIS_INSN_CYCLES_H
#define CULPRIT_ANALYSIS_INSN_CYCLES_H

#include "base/error.h"
#include "base/map.h"
#include "culprit/record.h"

enum {
	INSN_CYCLES_PAGE_BITS = 8,
	INSN_CYCLES_PLACES = 1 << (INSN_CYCLES_PAGE_BITS - 1)
}; /* instructions are at even addresses */

struct insn_cycles_place {
	uint64_t cycles;
	uint64_t count; /* times committed; 0 = no instruction here */
};

struct insn_cycles_page {
	uint64_t number; /* address >> INSN_CYCLES_PAGE_BITS */
	struct insn_cycles_place places[INSN_CYCLES_PLACES];
	bool entries[INSN_CYCLES_PLACES]; /* see struct insn_cycles_entry */
};

struct insn_cycles_entry {
	uint64_t pc;
	uint64_t cycles;
	uint64_t count; /* times committed */
	bool entry;	/* was the target of a call: starts a function, also where there are no symbols */
};

struct insn_cycles {
	struct insn_cycles_page **pages;
	size_t room, used;
	struct map numbers;	       /* of pages -> place in `pages` + 1 */
	struct insn_cycles_page *page; /* of the instruction before */
	struct insn_cycles_page *rest; /* later instructions' when memory ran out */
	uint64_t next_cycle;
	bool after_call; /* the instruction before was a call */
	bool out_of_memory;
	struct insn_cycles_entry *entries; /* made by insn_cycles_finish */
};

bool insn_cycles_create(struct insn_cycles *p, struct error *err);
void insn_cycles_destroy(struct insn_cycles *p);
void insn_cycles_push(struct insn_cycles *p, const struct culprit_record *records, size_t count);
/* Fills p->entries, sorted by pc, and their number. Nothing may be pushed after it. False: memory ran out, then or
 * before. */
bool insn_cycles_finish(struct insn_cycles *p, size_t *entries, struct error *err);

#endif
