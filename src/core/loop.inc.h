/* The cycle loop, compiled several times from this one source: LOOP_TELLS, what the loop tells, is a constant of each
 * of the files that include it. So the bare loop carries no trace of records and log, and who reads records alone
 * does not pay for the log. LOOP_PLAIN leaves out what few machines use (state.h). */
#include "core/commit.h"
#include "core/dispatch.h"
#include "core/event.h"
#include "core/fetch.h"
#include "core/issue.h"
#include "core/loop.h"

#ifndef LOOP_TELLS
#error "define LOOP_TELLS and LOOP_NAME before including loop.inc.h"
#endif

static inline uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Nothing happened in this cycle: the next one in which anything can. NEVER = deadlock. */
static inline uint64_t next_event(struct core *c)
{
	if (c->ready_count)
		return c->now + 1;
	uint64_t next = wheel_next_time(c);
	if (c->head != c->dispatched) {
		const struct slot *s = slot_at(c, c->head);
		if (s->state == SLOT_ISSUED) {
			uint64_t can = s->complete + c->m.commit_delay;
			next = earlier(next, can > c->now ? can : c->now + 1);
		}
	}
	if (core_rare(c->d.released != 0) && c->left_window != c->dispatched &&
	    c->left_window - c->head < c->d.released) {
		const struct slot *s = slot_at(c, c->left_window);
		if (s->state == SLOT_ISSUED)
			next = earlier(next, leaves_from(c, s) > c->now ? leaves_from(c, s) : c->now + 1);
	}
	if (core_rare(c->recovers != 0) && c->recovered > c->now)
		next = earlier(next, c->recovered); /* NEVER: when the branch leaves */
	if (core_rare(c->restart_count != 0))
		next = earlier(next, restart_next(c));
	if (core_rare(c->d.squash_width != 0) && c->squashed_until > c->now)
		next = earlier(next, c->squashed_until);
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
	bool room = (LOOP_TELLS & TELL_LOG) || c->fetched - c->dispatched < c->d.front_capacity;
	if (!held && c->fetch_resume > c->now && room)
		next = earlier(next, (LOOP_TELLS & TELL_LOG) && c->now < c->fetch_translated ? c->fetch_translated
											     : c->fetch_resume);
	return next;
}

static inline bool ended(const struct core *c)
{
	return c->hold == HOLD_END && c->head == c->tail;
}

enum core_stop LOOP_NAME(struct core *c, uint64_t committed, struct error *err)
{
	while (c->stats.committed < committed) {
		bool moved = commit_stage(c, LOOP_TELLS);
		moved |= event_stage(c);
		if (c->ready_count)
			moved |= issue_stage(c, LOOP_TELLS);
		else if (LOOP_TELLS & TELL_LOG)
			c->issued = 0;
		moved |= dispatch_stage(c, LOOP_TELLS);
		moved |= fetch_stage(c, LOOP_TELLS);
		uint64_t next = c->now + 1;
		bool stop = ended(c);
		if (!moved && !stop) {
			next = next_event(c);
			if (next == NEVER)
				return loop_deadlock(c, err);
		}
		if (LOOP_TELLS & TELL_LOG)
			log_cycles(c, next - c->now);
		c->now = next;
		if (stop)
			return CORE_STOP_ENDED;
	}
	return CORE_STOP_COUNT;
}
