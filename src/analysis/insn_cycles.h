/* Cycles by static instruction and by cause. Each cycle is charged to the instruction that commit was
 * exposed to: the oldest one while nothing commits, the first that commits in a cycle with commits (time-proportional
 * attribution, as in TIP, MICRO 2021). The cause is the commit stack's row; the rows of all instructions together are
 * the commit stack, exactly. What happened to an instruction is counted beside: misses, mispredictions.
 *
 * Counters are kept by pages of code, with a place for every address that an instruction can have: most instructions
 * are in the page of the one before, and need no search. */
#ifndef CULPRIT_ANALYSIS_INSN_CYCLES_H
#define CULPRIT_ANALYSIS_INSN_CYCLES_H

#include "analysis/commit_cause.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/map.h"
#include "culprit/record.h"

enum {
	INSN_CYCLES_PAGE_BITS = 8,
	INSN_CYCLES_PLACES = 1 << (INSN_CYCLES_PAGE_BITS - 1)
}; /* instructions are at even addresses */

/* Of an instruction that commit once waited for, or to which something happened: most have none. */
struct insn_cycles_site {
	uint64_t rows[COMMIT_ROWS];	/* cycles without commit, by row of the commit stack */
	uint64_t causes[COMMIT_CAUSES]; /* the same cycles in fewer words */
	uint64_t refill;		/* branches: the cycles of CAUSE_mispredict right behind it, at the next one */
	uint64_t mispredictions;
	uint64_t l1d_misses, l2_misses, memory; /* data accesses: not in the L1D; from beyond the L2; from memory */
};

struct insn_cycles_place {
	uint64_t commit_cycles; /* with commits, it first */
	uint64_t count;		/* times committed; 0 = no instruction here */
	struct insn_cycles_site *site;
};

struct insn_cycles_page {
	uint64_t number; /* address >> INSN_CYCLES_PAGE_BITS */
	struct insn_cycles_place places[INSN_CYCLES_PLACES];
	bool entries[INSN_CYCLES_PLACES]; /* see struct insn_cycles_entry */
};

struct insn_cycles_entry {
	uint64_t pc;
	uint64_t cycles;
	uint64_t commit_cycles; /* part of cycles */
	uint64_t count;		/* times committed */
	bool entry;		/* was the target of a call: starts a function, also where there are no symbols */
	const struct insn_cycles_site *site; /* never NULL */
};

struct insn_cycles {
	struct commit_stack_params params;
	struct insn_cycles_page **pages;
	size_t room, used;
	struct map numbers;	       /* of pages -> place in `pages` + 1 */
	struct insn_cycles_page *page; /* of the instruction before */
	struct insn_cycles_page *rest; /* later instructions' when memory ran out */
	uint64_t next_cycle;
	uint16_t previous_flags;	       /* of the instruction before */
	struct insn_cycles_site *mispredicted; /* the last mispredicted branch */
	uint64_t watched;		       /* an address that is called */
	uint64_t watched_from; /* first cycle after the commit of its first call's target; 0 = not called */
	bool after_call;       /* the instruction before was a call */
	bool out_of_memory;
	struct insn_cycles_entry *entries; /* made by insn_cycles_finish */
	size_t entry_count;
};

/* `watched`: of this address the first call is noted; 0 = none. */
bool insn_cycles_create(struct insn_cycles *p, const struct commit_stack_params *params, uint64_t watched,
			struct error *err);
void insn_cycles_destroy(struct insn_cycles *p);
void insn_cycles_push(struct insn_cycles *p, const struct culprit_record *records, size_t count);
/* False: memory ran out, so that cycles are missing. */
bool insn_cycles_whole(const struct insn_cycles *p, struct error *err);
/* Fills p->entries, sorted by pc, and their number (*entries, too). More may be pushed,
 * and it be called again. False: memory ran out, then or before. */
bool insn_cycles_finish(struct insn_cycles *p, size_t *entries, struct error *err);
/* What was counted so far is forgotten; where in the stream it is, is not. */
void insn_cycles_restart(struct insn_cycles *p);
/* insn_cycles_join.c: all that was counted, for another process of this program; and added there to what was counted
 * there. False: out of memory. */
void insn_cycles_write(const struct insn_cycles *p, struct bytes *to);
bool insn_cycles_add(struct insn_cycles *p, struct cursor *from, struct error *err);
/* The page that counts for addresses of this number; NULL: no memory. */
struct insn_cycles_page *insn_cycles_page(struct insn_cycles *p, uint64_t number);
/* The commit stack of a run of `total` cycles: the sums over all instructions, and the end. */
void insn_cycles_stack(const struct insn_cycles *p, uint64_t total, uint64_t cycles[COMMIT_ROWS]);

#endif
