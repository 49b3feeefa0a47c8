/* Booking issue slots and units in a calendar of cycles, and room in issue queues. Instructions book in program
 * order, so an older one never waits for a younger one but where a unit is busy for several cycles. */
#include "interval/flow/state.h"

static struct flow_day *day(struct flow *f, uint64_t cycle)
{
	struct flow_day *d = &f->calendar[cycle & (FLOW_CALENDAR - 1)];
	if (d->cycle != cycle)
		*d = (struct flow_day){.cycle = cycle};
	return d;
}

/* Is the unit free in every cycle after the first that the operation keeps it? */
static bool stays_free(struct flow *f, uint32_t unit, uint64_t cycle, uint32_t interval)
{
	for (uint32_t i = 1; i < interval; i++)
		if (day(f, cycle + i)->unit[unit] >= f->m.units[unit].count)
			return false;
	return true;
}

uint64_t flow_book(struct flow *f, const struct interval_sample *s, uint64_t ready)
{
	if (!flow_has(f, FLOW_units))
		return ready;
	uint32_t unit = f->place.unit, interval = f->d.interval[s->op], queue = f->place.queue;
	for (uint64_t cycle = ready;; cycle++) {
		struct flow_day *d = day(f, cycle);
		if (d->issued >= f->m.issue_width || d->queue[queue] >= f->d.queue_width[queue] ||
		    d->unit[unit] >= f->m.units[unit].count || !stays_free(f, unit, cycle, interval))
			continue;
		d->issued++;
		d->queue[queue]++;
		d->unit[unit]++;
		for (uint32_t i = 1; i < interval; i++)
			day(f, cycle + i)->unit[unit]++;
		return cycle;
	}
}

uint64_t flow_queue_wait(struct flow *f, uint32_t queue, uint64_t dispatch)
{
	struct flow_queue *q = &f->queues[queue];
	if (!q->entries || !flow_has(f, FLOW_units))
		return dispatch;
	while (q->waiting.count && q->waiting.entries[0].time <= dispatch)
		heap_take(&q->waiting);
	return q->waiting.count < q->entries ? dispatch : heap_take(&q->waiting).time;
}

void flow_queue_enter(struct flow *f, uint32_t queue, uint64_t issue)
{
	struct flow_queue *q = &f->queues[queue];
	if (q->entries && flow_has(f, FLOW_units))
		heap_put(&q->waiting, issue, 0);
}
