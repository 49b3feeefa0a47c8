/* Booking issue slots and units in a calendar of cycles, and room in issue queues. Instructions book in program order, so an
 * older one never waits for a younger one but where a unit is busy for several cycles. */
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

static uint32_t queue_width(const struct flow *f, uint32_t queue)
{
	return f->m.queues[queue].width ? f->m.queues[queue].width : f->m.issue_width;
}

uint64_t flow_book(struct flow *f, const struct interval_sample *s, uint64_t ready)
{
	if (!flow_has(f, FLOW_units))
		return ready;
	uint32_t unit = f->op_unit[s->op], interval = f->m.interval[s->op], queue = f->m.units[unit].queue;
	for (uint64_t cycle = ready;; cycle++) {
		struct flow_day *d = day(f, cycle);
		if (d->issued >= f->m.issue_width || d->queue[queue] >= queue_width(f, queue) ||
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

/* --- the heap of issue times --- */

static void sift_down(struct flow_queue *q)
{
	uint32_t at = 0;
	for (uint32_t child = 1; child < q->used; child = 2 * at + 1) {
		if (child + 1 < q->used && q->issue[child + 1] < q->issue[child])
			child++;
		if (q->issue[at] <= q->issue[child])
			return;
		uint64_t t = q->issue[at];
		q->issue[at] = q->issue[child];
		q->issue[child] = t;
		at = child;
	}
}

static void drop_first(struct flow_queue *q)
{
	q->issue[0] = q->issue[--q->used];
	sift_down(q);
}

uint64_t flow_queue_wait(struct flow *f, uint32_t queue, uint64_t dispatch)
{
	struct flow_queue *q = &f->queues[queue];
	if (!q->entries || !flow_has(f, FLOW_units))
		return dispatch;
	while (q->used && q->issue[0] <= dispatch)
		drop_first(q);
	if (q->used < q->entries)
		return dispatch;
	dispatch = q->issue[0];
	drop_first(q);
	return dispatch;
}

void flow_queue_enter(struct flow *f, uint32_t queue, uint64_t issue)
{
	struct flow_queue *q = &f->queues[queue];
	if (!q->entries || !flow_has(f, FLOW_units))
		return;
	uint32_t at = q->used++;
	for (; at && q->issue[(at - 1) / 2] > issue; at = (at - 1) / 2)
		q->issue[at] = q->issue[(at - 1) / 2];
	q->issue[at] = issue;
}
