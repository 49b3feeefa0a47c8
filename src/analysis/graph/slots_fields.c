/* Which fields a cycle of slots has, and where in its bits (slots.h). */
#include "analysis/graph/slots.h"

enum { FIELD_BITS = 32 };

/* A field of b bits whose count starts at 2^(b-1) - slots, so that its top bit says full. False: no bits left. */
static bool add_field(struct graph_slots *s, struct graph_slot_field *f, uint32_t slots, unsigned *used)
{
	unsigned bits = 1;
	while (1u << (bits - 1) < slots)
		bits++;
	if (*used + bits > FIELD_BITS)
		return false;
	f->take = 1u << *used;
	f->full = 1u << (*used + bits - 1);
	s->bias += ((1u << (bits - 1)) - slots) << *used;
	*used += bits;
	return true;
}

/* The most that can go to a unit in one cycle, its own count aside. */
static uint32_t unit_width(const struct culprit_graph_params *p, uint32_t unit)
{
	uint32_t width = p->issue_width ? p->issue_width : UINT32_MAX, queue = p->units[unit].queue;
	uint32_t most = queue < p->queue_count && p->queue_width[queue] ? p->queue_width[queue] : width;
	return most < width ? most : width;
}

bool graph_slots_any_long(const struct culprit_graph_params *p, uint32_t unit)
{
	uint32_t ops = p->unit_ops[unit] ? p->unit_ops[unit] : UINT32_MAX;
	if (p->split && ops & (1u << CULPRIT_OP_load | 1u << CULPRIT_OP_store))
		return true;
	for (unsigned op = 0; op < CULPRIT_OP_COUNT; op++)
		if (p->interval[op] > 1 && ops & 1u << op)
			return true;
	return false;
}

/* Can no more issue than the width anyway? All that issues goes through queues, which have no more slots together. */
static bool width_implied(const struct culprit_graph_params *p)
{
	uint64_t slots = 0, ops = 0;
	for (uint32_t q = 0; q < p->queue_count; q++) {
		if (!p->queue_width[q])
			return false;
		slots += p->queue_width[q];
	}
	for (uint32_t u = 0; u < p->unit_count; u++) {
		if (p->units[u].queue >= p->queue_count)
			return false;
		ops |= p->unit_ops[u] ? p->unit_ops[u] : UINT32_MAX;
	}
	return slots <= p->issue_width && !(~ops & ((UINT64_C(1) << CULPRIT_OP_COUNT) - 1));
}

/* Fields in the order of their importance, should the bits not suffice for all. A unit as wide as its queue has one
 * only because long operations may hold it: without, divisions on a queue one wide overlapped (glpsol on boom-large:
 * 31 % short). False: they do not suffice. */
static bool add_fields(struct graph_slots *s, const struct culprit_graph_params *p, bool width)
{
	bool all = true;
	unsigned used = 0;
	if (width && p->issue_width && p->issue_width < 4096)
		all &= add_field(s, &s->all, p->issue_width, &used);
	for (uint32_t q = 0; q < p->queue_count; q++)
		if (p->queue_width[q] && p->queue_width[q] < (p->issue_width ? p->issue_width : UINT32_MAX))
			all &= add_field(s, &s->queue[q], p->queue_width[q], &used);
	for (uint32_t u = 0; u < p->unit_count; u++)
		if (p->units[u].count && p->units[u].count < unit_width(p, u))
			all &= add_field(s, &s->unit[u], p->units[u].count, &used);
	for (uint32_t u = 0; u < p->unit_count; u++)
		if (p->units[u].count && p->units[u].count >= unit_width(p, u) && graph_slots_any_long(p, u))
			all &= add_field(s, &s->unit[u], p->units[u].count, &used);
	s->bits = used;
	return all;
}

/* The width has no field where bits are scarce and it says nothing new (xiangshan-kunminghu: 17 as its four queues
 * have. With it, FP units had no slots: independent divisions 77 % short). */
bool graph_slots_create_fields(struct graph_slots *s, const struct culprit_graph_params *p)
{
	const struct graph_slots empty = *s;
	if (add_fields(s, p, true))
		return true;
	if (!width_implied(p))
		return false;
	*s = empty;
	return add_fields(s, p, false);
}

bool graph_slots_suffice(const struct culprit_graph_params *p)
{
	struct graph_slots s = {.bits = 0};
	return graph_slots_create_fields(&s, p);
}
