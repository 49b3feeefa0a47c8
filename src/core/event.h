/* The events of a cycle, in the wheel: operands are there, branches and violations resolve. */
#ifndef CULPRIT_CORE_EVENT_H
#define CULPRIT_CORE_EVENT_H

#include "core/memo.h"
#include "core/order.h"
#include "core/schedule.h"
#include "core/squash.h"

static inline void event_squash(struct core *c, uint64_t branch)
{
	if (LOOP_MEMO)
		memo_squash(c, branch);
	squash_mispredicted(c, branch);
}

static inline bool event_stage(struct core *c)
{
	uint32_t bucket = (uint32_t)c->now & (WHEEL_SIZE - 1);
	if (c->wheel[bucket] == NO_SLOT)
		return false;
	uint64_t mispredicted = NEVER, violated = NEVER;
	uint32_t number = c->wheel[bucket];
	while (number != NO_SLOT) {
		struct slot *s = &c->slots[number];
		number = s->wheel_next;
		if (wheel_time(s) != c->now)
			continue; /* another turn of the wheel */
		wheel_remove(c, s);
		if (s->state == SLOT_TIMED) {
			ready_set(c, s, (uint64_t)(s - c->slots));
			continue;
		}
		uint64_t index = index_of(c, (uint64_t)(s - c->slots));
		s->flags &= (uint8_t)~SLOT_EVENT;
		if ((s->flags & SLOT_MISPREDICTED) && index < mispredicted)
			mispredicted = index;
		if ((s->flags & SLOT_STORE) && s->violated && s->violated - 1 < violated) {
			violated = s->violated - 1;
			order_train(c, slot_at(c, violated), s);
		}
	}
	/* the older one takes the younger along */
	if (violated != NEVER && violated <= mispredicted)
		squash_violation(c, violated);
	else if (mispredicted != NEVER)
		event_squash(c, mispredicted);
	if (violated != NEVER && violated > mispredicted && violated < c->fetched)
		squash_violation(c, violated);
	return true;
}

#endif
