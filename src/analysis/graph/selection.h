/* Selection other than oldest first: who was held up by younger instructions, as recorded.
 *
 * Lanes give out slots in program order, which is oldest first. A core that prefers others (loads, long operations)
 * lets a younger instruction have a slot that an older one wanted. In program order nobody knows that when the older
 * one asks. So slots are also counted at the recorded times: where an instruction waited past a cycle in which those
 * before it had left room, it waits as long as it did in every lane, and then takes its slot. */
#ifndef CULPRIT_ANALYSIS_GRAPH_SELECTION_H
#define CULPRIT_ANALYSIS_GRAPH_SELECTION_H

#include "analysis/graph/slots.h"
#include "culprit/record.h"

struct graph_selection {
	uint32_t *words;   /* a cycle's slots each, of GRAPH_SLOT_SPAN cycles from `dispatch` on; NULL: not asked for */
	uint64_t dispatch; /* of the last record */
};

bool graph_selection_create(struct graph_selection *x);
void graph_selection_destroy(struct graph_selection *x);
/* The next record takes what `use` says, the unit for `interval` cycles. Returns the cycles from `ready` on that it
 * waited, if one of them had room; else 0. */
uint32_t graph_selection_waited(struct graph_selection *x, const struct culprit_record *r, uint64_t ready,
				const struct graph_slot_use *use, uint32_t interval);
/* ... and so many slots of the width besides. */
void graph_selection_more(struct graph_selection *x, const struct culprit_record *r, const struct graph_slot_use *width,
			  uint32_t more);

#endif
