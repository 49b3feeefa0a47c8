/* Short forward branches that are executed and not predicted (branch.sfb).
 *
 * SonicBOOM's front end recodes them so (Zhao et al., CARRV 2020): a branch over a few simple
 * instructions becomes one that sets a flag, and they become conditional.
 *
 * Converted is a conditional branch forward by at most branch.sfb bytes that the direction predictor takes for not
 * taken, where all that it may skip are one-cycle integer instructions with one register operand, or whose first one
 * is their destination, or moves: others have no room for the old value of their destination. It is fetched on as if it
 * was not there, and trains as not taken. What it may skip waits for it. When it skips, it takes their place: it hands
 * on the old value of the last register that they write. An approximation: of several registers only the last, and
 * instructions skipped take no slots, where the core carries them along. */
#ifndef CULPRIT_CORE_SHORT_BRANCH_H
#define CULPRIT_CORE_SHORT_BRANCH_H

#include "core/state.h"

enum { SHADOW_SKIPS = UINT8_MAX }; /* of a slot's `shadow`; else the distance back to the branch */

static inline bool short_branch_spares(const struct riscv_insn *insn)
{
	bool move = insn->op == RISCV_OP_add && !insn->rs1;
	return insn->op_class == CULPRIT_OP_int_alu && !insn->branch && (!insn->rs2 || insn->rs1 == insn->rd || move);
}

/* Are all instructions from guest address `at` to `end` of that kind? *dest: what the last writes. */
static inline bool short_branch_covers(struct core *c, uint64_t at, uint64_t end, uint8_t *dest)
{
	const struct riscv_block *block = riscv_code_block(c->code, at);
	*dest = RISCV_NO_DEST;
	for (uint32_t i = 0; block && i < block->count && at < end; i++) {
		const struct riscv_insn *insn = &block->insns[i];
		if (!short_branch_spares(insn))
			return false;
		at += insn->length;
		*dest = insn->rd;
	}
	return at == end;
}

/* A conditional branch just executed and predicted: is it converted? `next`: where the guest goes. */
static inline bool short_branch_executes(struct core *c, struct slot *s, struct branch_note *n, uint64_t index,
					 uint64_t next)
{
	const struct riscv_insn *insn = s->insn;
	int64_t over = (int64_t)insn->imm;
	if (insn->branch != CULPRIT_BRANCH_CONDITIONAL || over <= insn->length || over > c->m.branch_sfb ||
	    n->prediction.taken)
		return false;
	bool skips = n->actual_taken;
	uint64_t at = skips ? next - (uint64_t)over + insn->length : next;
	uint8_t dest;
	if (!short_branch_covers(c, at, at - insn->length + (uint64_t)over, &dest))
		return false;
	n->prediction.next_pc = n->actual_next;
	n->prediction.late = 0;
	n->actual_taken = false;
	if (skips) {
		s->shadow = SHADOW_SKIPS;
		s->dest = dest;
		return true;
	}
	c->shadow_branch = index;
	c->shadow_end = s->pc + (uint64_t)over;
	return true;
}

/* An instruction just executed, while there is such a branch: may that skip it? */
static inline void short_branch_shadows(struct core *c, struct slot *s, uint64_t index)
{
	uint64_t distance = index - c->shadow_branch;
	if (s->pc < c->shadow_end && distance && distance < SHADOW_SKIPS)
		s->shadow = (uint8_t)distance;
	else
		c->shadow_end = 0;
}

#endif
