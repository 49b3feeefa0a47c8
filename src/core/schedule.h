/* Waking and selecting: operand links, the ready set.
 *
 * A producer's wake-up time is known when it issues, so its consumers are told then and sit in the wheel until the
 * time comes: completion itself needs no event. */
#ifndef CULPRIT_CORE_SCHEDULE_H
#define CULPRIT_CORE_SCHEDULE_H

#include "core/vector.h"
#include "core/wheel.h"

static inline uint64_t index_of(const struct core *c, uint64_t slot_number)
{
	return c->head + ((slot_number - c->head) & c->mask);
}

static inline void ready_set(struct core *c, struct slot *s, uint64_t number)
{
	s->state = SLOT_READY;
	c->ready[number / 64] |= 1ull << (number % 64);
	c->unit_ready[s->place.unit][number / 64] |= 1ull << (number % 64);
	c->ready_count++;
}

static inline void ready_clear(struct core *c, unsigned unit, uint64_t number)
{
	c->ready[number / 64] &= ~(1ull << (number % 64));
	c->unit_ready[unit][number / 64] &= ~(1ull << (number % 64));
	c->ready_count--;
}

static inline void link_operand(struct slot *s, uint64_t number, unsigned operand, struct slot *producer)
{
	s->next[operand] = producer->consumers;
	producer->consumers = (uint32_t)number * OPERANDS + operand;
	s->linked |= (uint8_t)(1u << operand);
	s->pending++;
}

/* Every operand's time is known: wait for the latest in the wheel. What can go in this cycle or the next is in the
 * ready set at once (issue looks at `ready`), which spares most instructions the wheel. */
static inline void schedule(struct core *c, struct slot *s, uint64_t number)
{
	if (s->ready <= c->now + 1) {
		ready_set(c, s, number);
		return;
	}
	s->state = SLOT_TIMED;
	wheel_insert(c, s, number, s->ready);
}

/* From when an operand lets its instruction issue: the addend of a fused multiply-add may come later
 * (issue.late_addend). */
static inline uint64_t operand_wake(const struct core *c, uint64_t wake, unsigned operand)
{
	if (!core_rare(c->m.issue_late_addend != 0) || operand != ADDEND)
		return wake;
	uint64_t early = wake - (wake < c->m.issue_late_addend ? wake : c->m.issue_late_addend);
	return early > c->now ? early : wake > c->now ? c->now + 1 : wake;
}

static inline void wake_consumers(struct core *c, struct slot *producer, uint64_t when)
{
	uint32_t link = producer->consumers;
	producer->consumers = NO_SLOT;
	while (link != NO_SLOT) {
		uint32_t number = link / OPERANDS;
		struct slot *s = &c->slots[number];
		unsigned operand = link % OPERANDS;
		link = s->next[operand];
		uint64_t at = operand_wake(c, when, operand);
		if (at > s->ready)
			s->ready = at;
		if (--s->pending == 0 && !(slot_is_vector(c, s) && vector_waits_on(c, s)))
			schedule(c, s, number);
	}
}

/* A squashed slot leaves its producers' lists. Called youngest first, and its own operands last first (both may be on
 * one list), so each link is its list's first. */
static inline void unlink_operands(struct core *c, struct slot *s)
{
	for (unsigned operand = OPERANDS; operand-- > 0;) {
		if (!(s->linked & (1u << operand)) || s->source[operand] <= c->head)
			continue;
		struct slot *producer = slot_at(c, s->source[operand] - 1);
		if (producer->state != SLOT_ISSUED)
			producer->consumers = s->next[operand];
	}
	s->linked = s->pending = 0;
}

/* Issue-queue entries are handed out in the order they were freed, so that each record (where they are told) knows
 * whose issue made room for its instruction: index + 1; 0 = nobody's. A queue without limit has no such order. */
static inline void queue_take(const struct core *c, struct queue_state *q, struct slot *s, uint64_t index)
{
	if (!c->holders || !q->freed)
		return; /* previous_holder is 0 for good */
	const uint64_t holder = q->freed[q->freed_head];
	q->freed_head = q->freed_head + 1 == q->entries ? 0 : q->freed_head + 1;
	s->previous_holder = holder && index + 1 - holder <= UINT32_MAX ? (uint32_t)(index + 1 - holder) : 0;
}

/* Squashed, or on a wrong path, an instruction leaves the entry as it got it: its number will be another's. */
static inline void queue_free(const struct core *c, struct queue_state *q, const struct slot *s, uint64_t index,
			      bool undone)
{
	if (!c->holders || !q->freed)
		return;
	const uint64_t before = s->previous_holder ? index + 1 - s->previous_holder : 0;
	q->freed[q->freed_tail] = undone ? before : index + 1;
	q->freed_tail = q->freed_tail + 1 == q->entries ? 0 : q->freed_tail + 1;
}

#endif
