/* See the header. The ring is indexed from the oldest span; most accesses come after the last span and append. */
#include "machine/cache_port.h"

static struct port_span *span(struct port *p, uint32_t i)
{
	return &p->spans[(p->head + i) % PORT_SPANS];
}

void port_init(struct port *p, uint32_t interval)
{
	*p = (struct port){.interval = interval};
}

static void forget_oldest(struct port *p)
{
	p->floor = span(p, 0)->end;
	p->head = (p->head + 1) % PORT_SPANS;
	p->count--;
}

/* Where an access of this cycle goes: before span *at, with *cycle moved on to its start. */
static uint32_t find_gap(struct port *p, uint64_t *cycle)
{
	uint32_t i = p->count;
	while (i && span(p, i - 1)->end > *cycle)
		i--;
	uint64_t at = *cycle;
	for (; i < p->count && at + p->interval > span(p, i)->start; i++)
		at = span(p, i)->end;
	*cycle = at;
	return i;
}

/* Make [start, end) busy between spans i-1 and i, joining it with those it touches. */
static void occupy(struct port *p, uint32_t i, uint64_t start, uint64_t end)
{
	bool joins_next = i < p->count && span(p, i)->start == end;
	if (i && span(p, i - 1)->end == start) {
		span(p, i - 1)->end = joins_next ? span(p, i)->end : end;
		if (joins_next) {
			for (; i + 1 < p->count; i++)
				*span(p, i) = *span(p, i + 1);
			p->count--;
		}
		return;
	}
	if (joins_next) {
		span(p, i)->start = start;
		return;
	}
	for (uint32_t j = p->count++; j > i; j--)
		*span(p, j) = *span(p, j - 1);
	*span(p, i) = (struct port_span){start, end};
}

uint64_t port_reserve(struct port *p, uint64_t cycle)
{
	if (p->count == PORT_SPANS)
		forget_oldest(p);
	if (cycle < p->floor)
		cycle = p->floor;
	uint32_t at = find_gap(p, &cycle);
	occupy(p, at, cycle, cycle + p->interval);
	return cycle;
}
