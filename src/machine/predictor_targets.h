/* What tells where a branch goes, by its kind: the parts of the predictor that have a say, and what fetch does where
 * none has. For predictor.c alone. */
#ifndef CULPRIT_MACHINE_PREDICTOR_TARGETS_H
#define CULPRIT_MACHINE_PREDICTOR_TARGETS_H

#include "machine/predictor_state.h"

static inline uint64_t fall_through(const struct branch_query *q)
{
	return q->pc + q->length;
}

/* As far as its target goes. */
static inline bool is_indirect(const struct predictor *p, uint8_t kind)
{
	return kind == CULPRIT_BRANCH_INDIRECT_JUMP || kind == CULPRIT_BRANCH_INDIRECT_CALL ||
	       (p->returns == return_predictor_indirect && kind == CULPRIT_BRANCH_RETURN);
}

static inline bool is_direct(uint8_t kind)
{
	return kind <= CULPRIT_BRANCH_CALL;
}

/* Returns and indirect jumps whose target nothing tells: fetch goes on behind them, in the next of its blocks. */
static inline bool is_lost(const struct predictor *p, uint8_t kind)
{
	return kind == CULPRIT_BRANCH_RETURN && p->returns != return_predictor_indirect
		       ? p->returns == return_predictor_next_block
		       : p->lost && !is_direct(kind);
}

static inline bool pops(const struct predictor *p, const struct branch_query *q)
{
	if (p->returns != return_predictor_stack)
		return false;
	return q->kind == CULPRIT_BRANCH_RETURN || (q->kind == CULPRIT_BRANCH_INDIRECT_CALL && q->link_register);
}

static inline bool pushes(const struct branch_query *q)
{
	return q->kind == CULPRIT_BRANCH_CALL || q->kind == CULPRIT_BRANCH_INDIRECT_CALL;
}

static inline void predict_next_block(const struct predictor *p, const struct branch_query *q, struct prediction *out)
{
	out->taken = true;
	out->component = PREDICTOR_BTB;
	out->target_known = true;
	out->next_pc = p->next_block ? (q->pc | (p->next_block - 1)) + 1 : fall_through(q);
}

/* Has the BTB an entry for it? */
static inline bool in_btb(const struct predictor *p, const struct branch_query *q, uint64_t *last_target)
{
	if (p->no_btb || (p->btb_direct && !is_direct(q->kind)))
		return false;
	return p->btb.perfect && !is_indirect(p, q->kind) ? true : btb_lookup(&p->btb, q->pc, last_target);
}

#endif
