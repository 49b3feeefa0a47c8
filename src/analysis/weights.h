/* Weights of records, and how far back a width or a window reaches through them.
 *
 * Slots of a stage are of one cycle: an instruction moves in the cycle of an older one if all from that one up to
 * itself fit the width. So it comes a cycle after the youngest older one for which they do not fit, and enters the
 * window when the youngest one with which the entries do not suffice has left. With weights of one that is the
 * instruction `width` or `rob` back. Nothing is kept until a record has another weight. */
#ifndef CULPRIT_ANALYSIS_WEIGHTS_H
#define CULPRIT_ANALYSIS_WEIGHTS_H

#include "culprit/graph.h"

#include <string.h>

enum weight_kind { WEIGHT_ROB, WEIGHT_DISPATCH, WEIGHT_COMMIT, WEIGHT_KINDS };

/* So many times more records than entries or slots may share them, and so many besides, for small machines. */
enum { WEIGHT_SHARING = 4, WEIGHT_BESIDES = 64 };

/* Of the last mask + 1 records, by number; NULL: all are one. */
struct weights {
	uint8_t (*of)[WEIGHT_KINDS];
	uint64_t mask;
};

/* The records from `first` up to the one in front take `held` of `room`. */
struct weight_span {
	uint64_t room, held, first; /* room 0: unlimited */
	enum weight_kind kind;
};

/* Has the record a weight that is written? One load, since every record is asked. */
static inline bool weights_unusual(const struct culprit_record *r)
{
	uint32_t all;
	_Static_assert(offsetof(struct culprit_record, commit_slots) ==
			       offsetof(struct culprit_record, rob_entries) + sizeof all - 1,
		       "four weights in a row");
	memcpy(&all, &r->rob_entries, sizeof all);
	return all != 0;
}

/* How many records a span of any kind may have, with a window of `rob` entries. */
static inline uint64_t weights_reach(const struct culprit_graph_params *p, uint64_t rob)
{
	uint64_t most = rob > p->dispatch_width ? rob : p->dispatch_width;
	return WEIGHT_SHARING * (most > p->commit_width ? most : p->commit_width) + WEIGHT_BESIDES;
}

/* All records so far have weights of one. False: out of memory. */
bool weights_create(struct weights *w, uint64_t reach);
void weights_destroy(struct weights *w);
struct weight_span weight_span_begin(uint64_t room, enum weight_kind kind, uint64_t count);

/* What is wrong with the weights on this machine; NULL: nothing. */
const char *weights_wrong(const struct culprit_graph_params *p, const struct culprit_record *r);

/* The record of this number is the next. */
static inline void weights_note(const struct weights *w, uint64_t number, const struct culprit_record *r)
{
	uint8_t *of = w->of[number & w->mask];
	of[WEIGHT_ROB] = (uint8_t)culprit_weight(r->rob_entries);
	of[WEIGHT_DISPATCH] = (uint8_t)culprit_weight(r->dispatch_slots);
	of[WEIGHT_COMMIT] = (uint8_t)culprit_weight(r->commit_slots);
}

/* From the record that has just been noted back to the one that it waits for; 0 = none. */
static inline uint64_t weight_span_back(struct weight_span *s, const struct weights *w, uint64_t number)
{
	const uint32_t own = w->of[number & w->mask][s->kind];
	if (!s->room)
		return 0;
	const uint64_t first = s->first;
	for (s->held += own; s->held > s->room; s->first++)
		s->held -= w->of[s->first & w->mask][s->kind];
	while (s->kind == WEIGHT_ROB && s->first != first && !w->of[s->first & w->mask][WEIGHT_ROB])
		s->first++; /* they share the entry of the one that left last */
	return own && s->first ? number - s->first + 1 : 0;
}

/* The same of one that comes behind it, and takes `own`; how far back from the one noted. */
static inline uint64_t weight_span_next(struct weight_span *s, const struct weights *w, uint64_t number, uint32_t own)
{
	const uint64_t first = s->first;
	for (s->held += own; s->held > s->room && s->first <= number; s->first++)
		s->held -= w->of[s->first & w->mask][s->kind];
	while (s->kind == WEIGHT_ROB && s->first != first && s->first <= number &&
	       !w->of[s->first & w->mask][WEIGHT_ROB])
		s->first++;
	return own && s->first && s->room ? number - s->first + 1 : 0;
}

/* Records of the span, the one of this number among them. */
static inline uint64_t weight_span_records(const struct weight_span *s, uint64_t number)
{
	return s->room ? number - s->first + 1 : 0;
}

#endif
