/* issue.bypass: dispatch hands an instruction to the unit directly if none waits in its queue; else it enters the
 * queue, which takes a cycle. The Xuantie C910 does so (idu/rtl/ct_idu_is_aiq0.v and the other queues): of those that
 * enter a queue in a cycle the first may, with all its operands there.
 *
 * What has issued by the next cycle is on its way and waits no longer, although its entry is not free yet. An entry
 * of a load that issues again (lsq.restart) does not wait either. */
#ifndef CULPRIT_CORE_BYPASS_H
#define CULPRIT_CORE_BYPASS_H

#include "core/state.h"

/* Does one wait in the queue before `index`, which has an entry itself? Looked for from the youngest on, until as many
 * are seen as it holds. */
__attribute__((noinline, unused)) static bool bypass_blocked(struct core *c, unsigned queue, uint64_t index)
{
	uint32_t left = c->queues[queue].used - 1;
	while (left && index-- > c->head) {
		const struct slot *s = slot_at(c, index);
		if (s->state == SLOT_ISSUED || s->place.queue != queue)
			continue;
		if (s->pending || s->ready > c->now + 1)
			return true;
		left--;
	}
	return false;
}

/* It is renamed, and the times of its operands are known if nothing is pending. */
static inline void bypass_or_wait(struct core *c, struct slot *s, uint64_t index)
{
	const uint64_t early = c->now + c->m.issue_dispatch_to_issue;
	if (s->ready <= early && (s->pending || bypass_blocked(c, s->place.queue, index)))
		s->ready = early + 1;
}

#endif
