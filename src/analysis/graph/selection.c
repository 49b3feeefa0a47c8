/* See the header. */
#include "analysis/graph/selection.h"

#include <stdlib.h>
#include <string.h>

bool graph_selection_create(struct graph_selection *x)
{
	x->words = calloc(GRAPH_SLOT_SPAN, sizeof *x->words);
	return x->words != NULL;
}

void graph_selection_destroy(struct graph_selection *x)
{
	free(x->words);
}

static uint32_t *word(const struct graph_selection *x, uint64_t cycle)
{
	return &x->words[cycle % GRAPH_SLOT_SPAN];
}

/* Nothing issues before the youngest dispatch. */
static void advance(struct graph_selection *x, uint64_t dispatch)
{
	if (dispatch - x->dispatch >= GRAPH_SLOT_SPAN)
		memset(x->words, 0, GRAPH_SLOT_SPAN * sizeof *x->words);
	else
		for (; x->dispatch < dispatch; x->dispatch++)
			*word(x, x->dispatch) = 0;
	x->dispatch = dispatch;
}

static bool full(const struct graph_selection *x, uint64_t cycle, uint32_t bias, uint32_t fields)
{
	return ((*word(x, cycle) + bias) & fields) != 0;
}

static bool had_room(const struct graph_selection *x, const struct culprit_record *r, uint64_t ready,
		     const struct graph_slot_use *use)
{
	for (uint64_t cycle = ready; cycle < r->issue; cycle++)
		if (!full(x, cycle, use->bias, use->full))
			return true;
	return false;
}

/* Records that say more than there can be must not carry into the next field. */
static bool take(struct graph_selection *x, uint64_t cycle, uint32_t bias, uint32_t fields, uint32_t slots)
{
	if (full(x, cycle, bias, fields))
		return false;
	*word(x, cycle) += slots;
	return true;
}

uint32_t graph_selection_waited(struct graph_selection *x, const struct culprit_record *r, uint64_t ready,
				const struct graph_slot_use *use, uint32_t interval)
{
	advance(x, r->dispatch > x->dispatch ? r->dispatch : x->dispatch);
	const uint64_t end = x->dispatch + GRAPH_SLOT_SPAN;
	if (r->issue >= end || ready < x->dispatch)
		return 0;
	const uint32_t waited = had_room(x, r, ready, use) ? (uint32_t)(r->issue - ready) : 0;
	take(x, r->issue, use->bias, use->full, use->take);
	for (uint64_t cycle = r->issue + 1; cycle < r->issue + interval && cycle < end; cycle++)
		take(x, cycle, use->bias, use->unit_full, use->unit_take);
	return waited;
}

void graph_selection_more(struct graph_selection *x, const struct culprit_record *r, const struct graph_slot_use *width,
			  uint32_t more)
{
	for (uint64_t cycle = r->issue; more && cycle < x->dispatch + GRAPH_SLOT_SPAN; cycle++)
		while (more && take(x, cycle, width->bias, width->full, width->take))
			more--;
}
