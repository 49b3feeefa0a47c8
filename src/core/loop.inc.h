/* The cycle loop, compiled four times from this one source: LOOP_OBSERVED, what the loop may tell, is a constant of each of
 * the files that include it, so the bare loop carries no trace of observation, and the usual listeners pay for what they listen to alone. */
#include "core/commit.h"
#include "core/dispatch.h"
#include "core/fetch.h"
#include "core/issue.h"
#include "core/loop.h"

#ifndef LOOP_OBSERVED
#error "define LOOP_OBSERVED and LOOP_NAME before including loop.inc.h"
#endif

static inline uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Cycles within a wait at which what the head waits for changes its name: observers' runs end there. */
static inline uint64_t head_boundary(const struct core *c, const struct slot *s)
{
	if (s->state != SLOT_ISSUED) {
		uint64_t through = s->dispatch + c->m.issue_dispatch_to_issue;
		return c->now <= through ? through + 1 : NEVER;
	}
	uint64_t translated = s->issue + ((s->flags & SLOT_LOAD) ? s->dtlb : 0), hit = translated + s->exec_latency;
	if (c->now < translated)
		return translated;
	if (c->now < hit)
		return hit;
	return c->now < s->complete ? s->complete : NEVER;
}

/* Nothing happened in this cycle: the next one in which anything can. NEVER = deadlock. */
static inline uint64_t next_event(struct core *c)
{
	if (c->ready_count)
		return c->now + 1;
	uint64_t next = wheel_next_time(c);
	if (c->head != c->dispatched) {
		const struct slot *s = slot_at(c, c->head);
		if (LOOP_OBSERVED & LISTEN_CYCLES)
			next = earlier(next, head_boundary(c, s));
		if (s->state == SLOT_ISSUED) {
			uint64_t can = s->complete + c->m.commit_delay;
			next = earlier(next, can > c->now ? can : c->now + 1);
		}
	}
	if (c->dispatched != c->fetched) {
		uint64_t through = slot_at(c, c->dispatched)->fetch + c->m.frontend_stages;
		if (through > c->now)
			next = earlier(next, through);
		else if (c->releases_head != c->releases_tail &&
			 c->releases[c->releases_head & c->releases_mask] > c->now) /* older ones held nobody */
			next = earlier(next, c->releases[c->releases_head & c->releases_mask]);
	}
	bool held = c->hold != HOLD_NONE && c->fetched == c->tail;
	/* without room nothing happens then, but what fetch waits for gets another name */
	bool room = (LOOP_OBSERVED & LISTEN_STAGES) || c->fetched - c->dispatched < c->front_capacity;
	if (!held && c->fetch_resume > c->now && room)
		next = earlier(next, (LOOP_OBSERVED & LISTEN_STAGES) && c->now < c->fetch_translated
					     ? c->fetch_translated
					     : c->fetch_resume);
	return next;
}

/* The operation whose result an instruction waits for, by what made it take as long as it did. */
static inline uint8_t producer_state(const struct slot *s)
{
	if (!(s->flags & SLOT_LOAD))
		return (uint8_t)culprit_operation_state(s->insn->op_class, s->exec_latency);
	if (s->dmiss)
		return (uint8_t)culprit_miss_state(s->dlevel);
	return s->dtlb ? CULPRIT_HEAD_DTLB : CULPRIT_HEAD_DL1;
}

/* The operand that came last decides; older instructions have all issued, so every operand's time is known. */
static inline uint8_t operand_state(struct core *c, const struct slot *s)
{
	c->issue_known_until = s->ready;
	uint64_t latest = s->dispatch + c->m.issue_dispatch_to_issue;
	uint8_t state = CULPRIT_HEAD_DISPATCH;
	unsigned operands = s->flags & (SLOT_LOAD | SLOT_STORE) ? OPERANDS : MEMORY_OPERAND;
	for (unsigned i = 0; i < operands; i++) {
		if (s->source[i] <= c->head)
			continue;
		const struct slot *producer = slot_at(c, s->source[i] - 1);
		if (producer->wake <= latest)
			continue;
		latest = producer->wake;
		state = producer_state(producer);
	}
	return state;
}

/* What waits to be the oldest waits for its operands after that. */
static inline void look_early(struct core *c, const struct slot *s, uint64_t index)
{
	c->issue_early = operand_state(c, s);
	c->issue_early_of = index + 1;
	c->issue_known_until = 0;
}

/* Of the instructions dispatched before this cycle, find the oldest that has not issued, and what it waits for. If there is none
 * and the first of this cycle will wait, that is found out now: what it waits for may have committed in the next. */
static inline uint8_t issue_state(struct core *c)
{
	if (c->now < c->issue_known_until)
		return c->issue_known;
	uint64_t i = c->oldest_unissued < c->head ? c->head : c->oldest_unissued;
	uint64_t end = c->dispatched - c->cycle.dispatched;
	const struct slot *slots = c->slots, *s = &slots[i & c->mask];
	for (uint64_t mask = c->mask; i < end && s->state == SLOT_ISSUED; s = &slots[i & mask])
		i++;
	c->oldest_unissued = i;
	if (i >= end) {
		if (i < c->dispatched && s->state == SLOT_TIMED)
			c->issue_known = operand_state(c, s);
		else if (i < c->dispatched && s->waits_head)
			look_early(c, s, i);
		return CULPRIT_HEAD_EMPTY;
	}
	if (s->state == SLOT_PARKED)
		return CULPRIT_HEAD_ORDER;
	if (s->waits_head)
		return c->cycle.next_head;
	if (s->state == SLOT_READY && s->ready <= c->now)
		return CULPRIT_HEAD_CONTENTION;
	if (c->issue_early_of == i + 1) {
		c->issue_known_until = s->ready;
		return c->issue_known = c->issue_early;
	}
	return c->issue_known = operand_state(c, s);
}

static inline uint32_t queue_occupancy(const struct core *c)
{
	uint32_t queue = 0;
	for (uint32_t i = 0; i < c->m.queue_count; i++)
		queue += c->queues[i].used;
	return queue;
}

/* The rest of the struct: the stages have written what they know, and the core's own clock and counts are in it. What is not
 * asked for keeps its zero. */
static inline void tell_cycles(struct core *c, uint64_t length)
{
	const struct culprit_observer *o = c->observer;
	struct culprit_cycle *e = &c->cycle;
	uint64_t dispatched = c->dispatched, fetched = c->fetched, rob = dispatched - c->head;
	uint64_t wrong = c->stats.issued_wrong_path;
	e->length = length;
	e->rob = (uint32_t)rob;
	e->front = (uint32_t)(fetched - dispatched);
	e->rob_full = rob >= c->rob;
	e->why_empty = dispatched != fetched ? slot_at(c, dispatched)->note.why : c->pending.why;
	e->issued_wrong_path = (uint16_t)(wrong - c->told_issued_wrong);
	c->told_issued_wrong = wrong;
	e->fetch_wrong_path = c->wrong != 0;
	if (listens(c, LOOP_OBSERVED, LISTEN_QUEUES))
		e->queue = queue_occupancy(c);
	if (listens(c, LOOP_OBSERVED, LISTEN_ISSUE_WAITS)) {
		e->issue = issue_state(c);
		e->issue_seq = c->oldest_unissued;
	}
	o->cycles(o->context, e);
}

static inline bool ended(const struct core *c)
{
	return c->hold == HOLD_END && c->head == c->tail;
}

enum core_stop LOOP_NAME(struct core *c, uint64_t committed, struct error *err)
{
	while (c->stats.committed < committed) {
		if (LOOP_OBSERVED & LISTEN_CYCLES)
			c->cycle.fetched = 0;
		bool moved = commit_stage(c, LOOP_OBSERVED);
		moved |= event_stage(c, LOOP_OBSERVED);
		if (c->ready_count)
			moved |= issue_stage(c, LOOP_OBSERVED);
		else if (LOOP_OBSERVED & LISTEN_STAGES)
			c->cycle.issued = 0;
		moved |= dispatch_stage(c, LOOP_OBSERVED);
		moved |= fetch_stage(c, LOOP_OBSERVED);
		uint64_t next = c->now + 1;
		bool stop = ended(c);
		if (!moved && !stop) {
			next = next_event(c);
			if (next == NEVER)
				return loop_deadlock(c, err);
		}
		if (listens(c, LOOP_OBSERVED, LISTEN_CYCLES))
			tell_cycles(c, next - c->now);
		if (listens(c, LOOP_OBSERVED, LISTEN_LOG))
			log_cycles(c, next - c->now);
		c->now = next;
		if (stop)
			return CORE_STOP_ENDED;
	}
	return CORE_STOP_COUNT;
}
