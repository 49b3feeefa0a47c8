/* Why an instruction that is ready has to wait: for the record of it. */
#ifndef CULPRIT_CORE_CONTENTION_H
#define CULPRIT_CORE_CONTENTION_H

#include "core/access.h"
#include "core/state.h"

/* The oldest operation that holds the unit and is younger than instruction `index`; 0 = none. */
static inline uint64_t unit_younger_holder(const struct unit_state *u, uint64_t index)
{
	uint64_t found = 0;
	for (uint32_t i = 0; i < u->busy; i++)
		if (u->holder[i] > index + 1 && (!found || u->holder[i] < found))
			found = u->holder[i];
	return found;
}

/* Why: for the record of an instruction that will have to wait because of it. The oldest that is refused in a cycle is
 * the next to go: whoever holds the unit and is younger than that one, not than the last one refused. */
static inline void unit_refuse(struct core *c, struct machine_place place, uint64_t index)
{
	struct unit_state *u = &c->units[place.unit];
	bool first = u->refused != c->now;
	u->refused = c->now;
	u->why = !c->left.queues[place.queue] ? CULPRIT_CONTENTION_QUEUE
		 : !u->busy		      ? CULPRIT_CONTENTION_UNIT
					      : CULPRIT_CONTENTION_BUSY;
	if (u->why != CULPRIT_CONTENTION_BUSY)
		u->younger = 0;
	else if (first)
		u->younger = unit_younger_holder(u, index);
}

/* It was ready in the cycle before: what held it then? Each unit takes the oldest first, so the last instruction it
 * refused was refused for the same reason. */
static inline void issue_note_contention(struct core *c, struct slot *s, uint64_t index)
{
	const struct unit_state *u = &c->units[s->place.unit];
	s->contended = s->contender = 0;
	if (s->ready >= c->now)
		return;
	if (u->refused + 1 != c->now && u->refused != c->now) {
		s->contended = c->issue_full + 1 == c->now ? CULPRIT_CONTENTION_ISSUE : CULPRIT_CONTENTION_NONE;
		return;
	}
	s->contended = u->why;
	if (!u->younger || u->younger <= index + 1)
		return;
	const uint64_t distance = u->younger - (index + 1);
	s->contender = u->younger & WRONG_PATH_SEQ	  ? CULPRIT_CONTENDER_WRONG_PATH
		       : distance > CULPRIT_CONTENDER_FAR ? CULPRIT_CONTENDER_FAR
							  : (uint8_t)distance;
}

#endif
