/* The loop buffer of fetch: a short loop runs from it, until a branch inside goes another way.
 *
 * A taken branch back to at most fetch.loop_buffer bytes before its own end closes a loop. One that was closed
 * LOOP_ROUNDS times in a row runs from the buffer. A taken branch inside then leaves it, and fetch starts anew: a
 * bubble of fetch.loop_exit cycles. The last branch itself leaves it by not being taken, which is a misprediction
 * or comes with one. */
#ifndef CULPRIT_CORE_LOOP_BUFFER_H
#define CULPRIT_CORE_LOOP_BUFFER_H

#include "core/state.h"

enum { LOOP_ROUNDS = 4 };

static inline bool loop_closes(const struct core *c, const struct slot *s, uint64_t target)
{
	return target <= s->pc && s->pc + s->insn->length - target <= c->m.fetch_loop_buffer;
}

/* A branch predicted to go to `target`. */
static inline void loop_buffer_taken(struct core *c, struct slot *s, struct branch_note *n)
{
	uint64_t target = n->prediction.next_pc;
	struct loop_buffer *l = &c->loop;
	if (loop_closes(c, s, target)) {
		l->rounds = l->end == s->pc ? l->rounds + 1 : 1;
		if (c->m.branch_l0_blocks && l->rounds > LOOP_ROUNDS) { /* it is no longer fetched */
			n->prediction.btb_hit = true;
			n->prediction.late = 0;
			s->record_flags &= (uint16_t)~CULPRIT_BTB_MISS;
		}
		l->first = target;
		l->end = s->pc;
		return;
	}
	bool leaves = l->rounds >= LOOP_ROUNDS && s->pc - l->first < l->end - l->first;
	l->rounds = 0;
	if (!leaves || !n->prediction.btb_hit || !c->m.fetch_loop_exit)
		return;
	n->prediction.late = (uint8_t)(n->prediction.late + c->m.fetch_loop_exit);
	s->record_flags |= CULPRIT_BTB_MISS;
}

#endif
