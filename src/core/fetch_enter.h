/* Where fetch entered the block that it reads, for a first-level BTB that goes by that (branch.l0_blocks).
 *
 * An entry may be made in the first block after a redirect that was not by such an entry. The block behind it counts
 * as well if the first was entered in its upper half and has no branch. */
#ifndef CULPRIT_CORE_FETCH_ENTER_H
#define CULPRIT_CORE_FETCH_ENTER_H

#include "core/state.h"

/* The instruction at pc is fetched: sequentially, unless fetch was sent to it. */
static inline void enter_reach(struct core *c, uint64_t pc)
{
	const uint64_t bytes = c->m.fetch_block, block = pc & -bytes;
	struct fetch_enter *e = &c->enter;
	if (e->pc == NEVER) {
		*e = (struct fetch_enter){.pc = pc, .opens = true};
		return;
	}
	if (block == (e->pc & -bytes))
		return;
	const bool next = block - (e->pc & -bytes) == bytes, upper = (e->pc & (bytes - 1)) >= bytes / 2;
	*e = (struct fetch_enter){.pc = block, .opens = e->opens && next && upper && !e->branch};
}

/* Fetch has followed the prediction of a branch. */
static inline void enter_branch(struct core *c, const struct prediction *p)
{
	if (p->taken)
		c->enter = (struct fetch_enter){.pc = p->next_pc, .opens = p->late || !p->btb_hit};
	else
		c->enter.branch = true;
}

#endif
