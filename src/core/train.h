/* When direction counters train with branch.train_queue (outcomes.h): an outcome arrives in the cycle of the branch's
 * issue, or, if it sends fetch elsewhere, in the cycle before.
 *
 * Counters are read, or about to be, in the cycle in which fetch delivers a conditional branch; in the one before a
 * taken branch that the first-level BTB knows, and in the one of a taken branch that is found later, or in the next;
 * where fetch comes to another row of choice counters; and in two cycles at a squash. They are not on straight code
 * within a row, while fetch stands still, and with a loop from the loop buffer. On a wrong path that cannot be followed
 * here the core would go on and read. */
#ifndef CULPRIT_CORE_TRAIN_H
#define CULPRIT_CORE_TRAIN_H

#include "core/loop_buffer.h"

/* Cycles that are over: what is known of a cycle is known after the next. */
static inline void train_cycles(struct core *c)
{
	if (c->now > 2)
		predictor_write(c->predictor, c->now - 2, c->hold == HOLD_WRONG_PATH);
}

/* A branch executes. While fetch waits only this tells that cycles are over. */
static inline void train_branch(struct core *c, uint64_t index, uint64_t when)
{
	struct branch_note *n = &c->branches[index & c->mask];
	train_cycles(c);
	if (!c->d.oracle)
		predictor_resolved(c->predictor, &n->query, &n->prediction, n->actual_taken, when);
}

enum { CHOICE_ROW = 8 }; /* counters, without branch.choice_row */

/* Does a group that begins with the instruction `first` come to another row? */
static inline bool train_next_row(struct core *c, uint64_t first)
{
	uint64_t before = first ? slot_at(c, first - 1)->pc : 0, counters = c->m.branch_choice_row;
	uint64_t row = (uint64_t)c->m.branch_block * (counters ? counters : CHOICE_ROW);
	return row && ((before ^ slot_at(c, c->fetched - 1)->pc) & ~(row - 1));
}

/* A group was fetched, from the instruction `first` on. */
static inline void train_read(struct core *c, uint64_t first, bool conditional)
{
	const struct slot *last = slot_at(c, c->fetched - 1);
	const struct prediction *p = &c->branches[(c->fetched - 1) & c->mask].prediction;
	if (c->loop.rounds >= LOOP_ROUNDS)
		return;
	if ((last->flags & SLOT_BRANCH) && p->taken && p->btb_hit && !p->late)
		predictor_reads(c->predictor, c->now - 1);
	if (conditional || train_next_row(c, first))
		predictor_reads(c->predictor, c->now);
	if ((last->flags & SLOT_BRANCH) && p->taken && p->late)
		predictor_reads(c->predictor, c->now + (p->late > 1));
}

/* Before a squash sends fetch elsewhere. */
static inline void train_squashed(struct core *c)
{
	if (c->m.branch_train_queue)
		train_cycles(c);
}

/* A branch that has sent fetch elsewhere. */
static inline void train_mispredicted(struct core *c, uint64_t index)
{
	if (c->m.branch_train_queue)
		train_branch(c, index, c->now - 1);
}

/* Fetch is sent elsewhere. */
static inline void train_redirected(struct core *c)
{
	if (!c->m.branch_train_queue)
		return;
	predictor_reads(c->predictor, c->now - 1);
	predictor_reads(c->predictor, c->now);
}

#endif
