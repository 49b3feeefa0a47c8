/* Time wheel: slots that something happens to at a known cycle (operands ready, branch resolved).
 * Buckets are doubly linked through the slots, so a squash unlinks in O(1). A bitmap of used buckets finds the next
 * event when the core is idle. Times beyond one turn of the wheel stay in their bucket and are looked at once a
 * turn. */
#ifndef CULPRIT_CORE_WHEEL_H
#define CULPRIT_CORE_WHEEL_H

#include "core/state.h"

static inline uint64_t wheel_time(const struct slot *s)
{
	return s->state == SLOT_ISSUED ? s->complete : s->ready;
}

static inline void wheel_insert(struct core *c, struct slot *s, uint64_t number, uint64_t time)
{
	uint32_t bucket = (uint32_t)time & (WHEEL_SIZE - 1), first = c->wheel[bucket];
	s->wheel_next = first;
	s->wheel_prev = NO_SLOT;
	if (first != NO_SLOT)
		c->slots[first].wheel_prev = (uint32_t)number;
	else
		c->wheel_used[bucket / 64] |= 1ull << (bucket % 64);
	c->wheel[bucket] = (uint32_t)number;
}

static inline void wheel_remove(struct core *c, struct slot *s)
{
	if (s->wheel_next != NO_SLOT)
		c->slots[s->wheel_next].wheel_prev = s->wheel_prev;
	if (s->wheel_prev != NO_SLOT) {
		c->slots[s->wheel_prev].wheel_next = s->wheel_next;
		return;
	}
	uint32_t bucket = (uint32_t)wheel_time(s) & (WHEEL_SIZE - 1);
	c->wheel[bucket] = s->wheel_next;
	if (s->wheel_next == NO_SLOT)
		c->wheel_used[bucket / 64] &= ~(1ull << (bucket % 64));
}

/* The first cycle after `now` whose bucket is used; NEVER when the wheel is empty. */
static inline uint64_t wheel_next_time(const struct core *c)
{
	uint64_t start = c->now + 1;
	uint32_t bit = (uint32_t)start & (WHEEL_SIZE - 1);
	uint32_t word = bit / 64;
	uint64_t bits = c->wheel_used[word] & (~0ull << (bit % 64));
	for (uint32_t i = 0; i <= WHEEL_SIZE / 64; i++) {
		if (bits) {
			uint32_t found = word * 64 + (uint32_t)__builtin_ctzll(bits);
			return start + ((found - bit) & (WHEEL_SIZE - 1));
		}
		word = (word + 1) % (WHEEL_SIZE / 64);
		bits = c->wheel_used[word];
	}
	return NEVER;
}

#endif
