#include "core/log.h"

#include "core/commit.h"

static void squashed_record(struct core *c, const struct slot *s, uint64_t index)
{
	struct culprit_record r;
	fill_record(c, s, index, &r);
	if ((s->flags & SLOT_STORE) && s->state == SLOT_ISSUED)
		fill_translation(s, &r);
	if (s->flags & SLOT_LOAD)
		fill_load(s, &r);
	if (s->flags & SLOT_STORE)
		r.order_waited = s->order_waited;
	if (s->state != SLOT_ISSUED) {
		r.issue = r.complete = NEVER;
		r.wakeup = 0;
	}
	if (s->state == SLOT_PARKED)
		r.ready = NEVER;
	c->log->squashed(c->log->context, &r, c->now);
}

void log_squashed_records(struct core *c, uint64_t first)
{
	for (uint64_t i = first; i < c->dispatched; i++) {
		const struct slot *s = slot_at(c, i);
		if (s->flags & SLOT_WRONG_PATH)
			return;
		squashed_record(c, s, i);
	}
}
