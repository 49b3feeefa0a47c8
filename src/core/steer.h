/* Which of two units an instruction waits for, where two execute its class and different queues feed them: chosen when
 * its group is ready for dispatch, and kept. An instruction goes where fewer of its group go, those without a choice
 * counted first, and to the unit that the machine file has first when there are as many. While the first one's queue
 * holds two instructions more than the second's, the group's first two go to the second. That is the rule of the
 * Xuantie C910 (idu/rtl/ct_idu_ir_ctrl.v). */
#ifndef CULPRIT_CORE_STEER_H
#define CULPRIT_CORE_STEER_H

#include "core/state.h"

enum { STEER_IMBALANCE = 2, STEER_MOVED = 2 };

/* Dispatch begins: nothing has changed in cycles that were skipped. */
static inline void steer_look(struct core *c)
{
	for (uint32_t i = 0; i < c->m.queue_count; i++) {
		struct queue_state *q = &c->queues[i];
		q->seen_before = c->now == c->seen_cycle + 1 ? q->seen : q->used;
		q->seen = q->used;
	}
	c->seen_cycle = c->now;
}

/* From all of the group that have a class of two units to one of these. */
static inline void steer_group(struct core *c, uint64_t first, uint64_t end)
{
	uint32_t entering[MACHINE_QUEUES_MAX] = {0}, moved[MACHINE_QUEUES_MAX] = {0};
	for (uint64_t i = first; i < end; i++) {
		unsigned op = slot_at(c, i)->insn->op_class;
		entering[c->d.place[op].queue] += c->d.place[op].queue == c->d.other[op].queue;
	}
	for (uint64_t i = first; i < end; i++) {
		struct slot *s = slot_at(c, i);
		const struct machine_place *one = &c->d.place[s->insn->op_class], *two = &c->d.other[s->insn->op_class];
		if (one->queue == two->queue)
			continue;
		bool lead = c->queues[one->queue].seen_before >= c->queues[two->queue].seen_before + STEER_IMBALANCE;
		bool move = lead && moved[one->queue] < STEER_MOVED;
		moved[one->queue] += move;
		s->place = move || entering[one->queue] > entering[two->queue] ? *two : *one;
		entering[s->place.queue]++;
	}
}

#endif
