/* When direction counters train with branch.train_queue: outcomes wait from the branch's execution until fetch reads no
 * counters.
 *
 * Fetch reads them in a cycle in which it fetches a conditional branch, follows a taken one, or comes to the next row
 * of choice counters (eight blocks), and on its way after a squash. It does not on straight code within a row, while it
 * stands still, and with a loop from the loop buffer. On a wrong path that cannot be followed here the core would go on
 * and read. Cycles are counted when fetch goes on, so that those that the loop skips count as well. */
#ifndef CULPRIT_CORE_TRAIN_H
#define CULPRIT_CORE_TRAIN_H

#include "core/loop_buffer.h"

/* Before fetch asks the predictor: of the cycles since it last read, those in which it did not. This one counts as such
 * until train_read. */
static inline void train_idle(struct core *c)
{
	if (c->now <= c->counters_read)
		return;
	predictor_idle(c->predictor, c->now - c->counters_read - 1);
	c->counters_read = c->now - 1;
}

/* A branch executes. Cycles before it train older outcomes, not this one. */
static inline void train_branch(struct core *c, uint64_t index)
{
	struct branch_note *n = &c->branches[index & c->mask];
	if (c->hold != HOLD_WRONG_PATH)
		train_idle(c);
	if (!c->d.oracle)
		predictor_resolved(c->predictor, &n->query, &n->prediction, n->actual_taken);
}

enum { CHOICE_ROW = 8 }; /* counters, without branch.choice_row */

/* A group was fetched, from the instruction `first` on; `read`: with a conditional branch, or a taken one. */
static inline void train_read(struct core *c, uint64_t first, bool read)
{
	uint64_t before = first ? slot_at(c, first - 1)->pc : 0, counters = c->m.branch_choice_row;
	uint64_t row = (uint64_t)c->m.branch_block * (counters ? counters : CHOICE_ROW);
	bool next_row = row && ((before ^ slot_at(c, c->fetched - 1)->pc) & ~(row - 1));
	if ((read || next_row) && c->loop.rounds < LOOP_ROUNDS && c->now > c->counters_read)
		c->counters_read = c->now;
}

/* Before a squash sends fetch elsewhere. */
static inline void train_squashed(struct core *c)
{
	if (c->m.branch_train_queue && c->hold != HOLD_WRONG_PATH)
		train_idle(c);
}

/* A branch that has sent fetch elsewhere: its outcome comes when fetch reads there already. */
static inline void train_mispredicted(struct core *c, uint64_t index)
{
	if (c->m.branch_train_queue)
		train_branch(c, index);
}

/* Fetch is sent elsewhere, and reads on its way until fetch_resume. */
static inline void train_redirected(struct core *c)
{
	if (c->m.branch_train_queue)
		c->counters_read = c->fetch_resume - 1;
}

#endif
