/* lsq.load_order: loads of the same bytes keep their order. A load that has to look for its data again, since it waited
 * for an older store or for a line on its way (lsq.restart), finds that a younger load to its bytes has looked before:
 * when the older one retires, all that follows it is fetched again. */
#ifndef CULPRIT_CORE_LOAD_ORDER_H
#define CULPRIT_CORE_LOAD_ORDER_H

#include "core/vector.h"
#include "core/wheel.h"

/* What begins at `index` has to be fetched again when s is complete. */
static inline void violation_note(struct slot *s, uint64_t index)
{
	if (!s->violated || s->violated > index + 1)
		s->violated = index + 1;
}

/* lsq.store_data: it found its store without its data. */
static inline bool load_waited_for_data(const struct slot *load)
{
	return load->order_waited && load->order_waited == load->mem_producer;
}

/* Has a younger load to its bytes looked for its data? */
static inline bool load_order_broken(struct core *c, const struct slot *load, uint64_t index)
{
	const uint64_t end = load->mem_addr + slot_mem_size(c, load);
	for (uint64_t i = index + 1; i < c->dispatched; i++) {
		const struct slot *s = slot_at(c, i);
		if ((s->flags & SLOT_LOAD) && (s->state == SLOT_ISSUED || s->state == SLOT_PARKED) &&
		    s->mem_addr < end && load->mem_addr < s->mem_addr + slot_mem_size(c, s))
			return true;
	}
	return false;
}

/* The load issues: again, if it was held at its first issue. */
static inline void load_order_issued(struct core *c, struct slot *s, uint64_t index)
{
	if ((s->written || load_waited_for_data(s)) && load_order_broken(c, s, index))
		violation_note(s, index + 1);
}

/* ... or since its line was on its way: it has been told complete already. */
static inline void load_order_again(struct core *c, struct slot *s, uint64_t index)
{
	if (s->violated || s->complete <= c->now || !load_order_broken(c, s, index))
		return;
	violation_note(s, index + 1);
	s->flags |= SLOT_EVENT;
	wheel_insert(c, s, index & c->mask, s->complete);
}

#endif
