/* lsq.restart: a load that finds its line on the way gives up its turn and issues again when the line is there. Its
 * data are known to come then, so it is issued once here; but it keeps its entry of the issue queue until it issues
 * again, and takes a turn of its unit for that. */
#ifndef CULPRIT_CORE_RESTART_H
#define CULPRIT_CORE_RESTART_H

#include "core/load_order.h"
#include "core/schedule.h"
#include "core/state.h"
#include "machine/memory_access.h"

struct restart {
	uint64_t index, when;
	struct machine_place place;
};

/* The first cycle from `when` on in which the load's unit has a turn left for it. */
static inline uint64_t restart_turn(const struct core *c, struct machine_place place, uint64_t when)
{
	uint32_t taken = 0;
	for (uint32_t i = 0; i < c->restart_count; i++)
		taken += c->restarts[i].when == when && c->restarts[i].place.unit == place.unit;
	if (c->d.no_bandwidth || taken < c->per_cycle.units[place.unit])
		return when;
	return restart_turn(c, place, when + 1);
}

/* The line is on its way: the load issues again lsq.restart less a hit's cycles after it has come, when its unit has a
 * turn; a hit's cycles after that it has its data. */
static inline void restart_load(struct core *c, const struct slot *s, uint64_t index, struct memory_access *a)
{
	const uint64_t hit = c->d.latency[s->insn->op_class] + a->hit_cycles;
	const uint64_t data = a->done + c->m.lsq_restart, first = c->now + 1;
	const uint64_t when = restart_turn(c, s->place, data > first + hit ? data - hit : first);
	a->miss_cycles += (uint32_t)(when + hit - a->done);
	a->done = when + hit;
	c->restarts[c->restart_count++] = (struct restart){.index = index, .when = when, .place = s->place};
}

/* Is the load, issued just now, one that issues again? */
static inline bool restart_follows(const struct core *c, uint64_t index)
{
	return core_rare(c->restart_count != 0) && c->restarts[c->restart_count - 1].index == index;
}

static inline void restart_take_unit(struct core *c, unsigned unit)
{
	c->left.units[unit] -= c->left.units[unit] != 0;
}

/* Those that issue again in this cycle take their turns. */
static inline void restart_take(struct core *c)
{
	for (uint32_t i = 0; i < c->restart_count; i++) {
		const struct machine_place place = c->restarts[i].place;
		if (c->restarts[i].when != c->now)
			continue;
		restart_take_unit(c, place.unit);
		c->left.queues[place.queue] -= c->left.queues[place.queue] != 0;
	}
}

static inline void queue_leave(struct core *c, const struct slot *s, uint64_t index, unsigned queue,
			       const unsigned tells)
{
	c->queues[queue].used--;
	if (tells & TELL_RECORDS)
		queue_free(c, &c->queues[queue], s, index, s->flags & SLOT_WRONG_PATH);
}

/* Entries of the issue queue that are free now. */
static inline void restart_leave(struct core *c, const unsigned tells)
{
	for (uint32_t i = 0; i < c->restart_count;) {
		const struct restart r = c->restarts[i];
		if (r.when > c->now) {
			i++;
			continue;
		}
		if (c->m.lsq_load_order)
			load_order_again(c, slot_at(c, r.index), r.index);
		queue_leave(c, slot_at(c, r.index), r.index, r.place.queue, tells);
		c->restarts[i] = c->restarts[--c->restart_count];
	}
}

/* A squash takes the load: true if it still had its entry. */
static inline bool restart_drop(struct core *c, uint64_t index)
{
	for (uint32_t i = 0; i < c->restart_count; i++)
		if (c->restarts[i].index == index) {
			c->restarts[i] = c->restarts[--c->restart_count];
			return true;
		}
	return false;
}

/* The next cycle in which one issues again. */
static inline uint64_t restart_next(const struct core *c)
{
	uint64_t next = NEVER;
	for (uint32_t i = 0; i < c->restart_count; i++)
		next = c->restarts[i].when < next ? c->restarts[i].when : next;
	return next;
}

#endif
