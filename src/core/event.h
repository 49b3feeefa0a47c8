/* Events of a cycle: operands are there, branches and violations of memory order resolve. */
#ifndef CULPRIT_CORE_EVENT_H
#define CULPRIT_CORE_EVENT_H

#include "core/order.h"
#include "core/schedule.h"
#include "core/squash.h"

/* The oldest of a cycle. */
struct found {
	uint64_t mispredicted; /* a branch; NEVER = none */
	struct violation violation;
};

/* A store that loads have gone ahead of is complete; or a load with the same bytes as one that looked before it. */
static inline void event_violation(struct core *c, struct slot *s, struct found *found)
{
	const uint64_t first = s->violated - 1;
	const bool store = s->flags & SLOT_STORE;
	if (first >= found->violation.first || first >= c->fetched)
		return;
	found->violation = (struct violation){
		.first = first,
		.stores = (store ? slot_at(c, first) : s)->store_number,
		.delay = store ? c->m.lsq_violation_delay : c->m.lsq_load_order,
	};
	if (store)
		order_train(c, slot_at(c, first), s);
}

static inline void event_one(struct core *c, struct slot *s, struct found *found)
{
	const uint64_t number = (uint64_t)(s - c->slots), index = index_of(c, number);
	if (s->state == SLOT_TIMED) {
		ready_set(c, s, number);
		return;
	}
	s->flags &= (uint8_t)~SLOT_EVENT;
	if ((s->flags & SLOT_MISPREDICTED) && index < found->mispredicted)
		found->mispredicted = index;
	if ((s->flags & (SLOT_LOAD | SLOT_STORE)) && s->violated)
		event_violation(c, s, found);
}

/* The older one takes the younger along. */
static inline void event_squash(struct core *c, const struct found *found)
{
	const struct violation *v = &found->violation;
	if (v->first != NEVER && v->first <= found->mispredicted)
		squash_violation(c, v);
	else if (found->mispredicted != NEVER)
		squash_mispredicted(c, found->mispredicted);
	if (v->first != NEVER && v->first > found->mispredicted && v->first < c->fetched)
		squash_violation(c, v);
}

static inline bool event_stage(struct core *c)
{
	uint32_t bucket = (uint32_t)c->now & (WHEEL_SIZE - 1);
	if (c->wheel[bucket] == NO_SLOT)
		return false;
	struct found found = {.mispredicted = NEVER, .violation.first = NEVER};
	uint32_t number = c->wheel[bucket];
	while (number != NO_SLOT) {
		struct slot *s = &c->slots[number];
		number = s->wheel_next;
		if (wheel_time(s) != c->now)
			continue; /* another turn of the wheel */
		wheel_remove(c, s);
		event_one(c, s, &found);
	}
	event_squash(c, &found);
	return true;
}

#endif
