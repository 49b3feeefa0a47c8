/* Where instructions begin in a stream of records: some records are later micro-operations of the instruction in front
 * (length 0, params.cracked). Fetch and what holds instructions on the way to dispatch count instructions, and the rest
 * counts records. Where each record is an instruction nothing is kept. */
#ifndef CULPRIT_ANALYSIS_STARTS_H
#define CULPRIT_ANALYSIS_STARTS_H

#include "base/bits.h"
#include "culprit/graph.h"

#include <stdlib.h>

struct starts {
	uint64_t *numbers; /* of the last instructions' first records; NULL: not kept */
	uint64_t mask, count;
};

/* No more instructions come into fetch in a cycle than may wait there. */
static inline void starts_bound_fetch(struct culprit_graph_params *p)
{
	if (p->fetch_asked && (!p->fetch_width || p->fetch_width > p->fetch_asked))
		p->fetch_width = p->fetch_asked;
}

/* How many instructions back anyone asks, and how many records these may be. */
static inline uint32_t starts_asked(const struct culprit_graph_params *p)
{
	uint32_t most = p->frontend_capacity > p->fetch_width ? p->frontend_capacity : p->fetch_width;
	most = p->fetch_asked > most ? p->fetch_asked : most;
	return p->decode_insns > most ? p->decode_insns + 1 : most + 1;
}

static inline uint32_t starts_records(const struct culprit_graph_params *p)
{
	return starts_asked(p) * (p->cracked ? p->cracked : 1);
}

/* False: out of memory. */
static inline bool starts_create(struct starts *s, const struct culprit_graph_params *p)
{
	if (p->cracked <= 1)
		return true;
	s->mask = power_of_two_from(starts_asked(p) + 1) - 1;
	s->numbers = calloc(s->mask + 1, sizeof *s->numbers);
	return s->numbers != NULL;
}

static inline void starts_destroy(struct starts *s)
{
	free(s->numbers);
}

/* The record of this number is known. */
static inline void starts_note(struct starts *s, uint64_t number, const struct culprit_record *r)
{
	if (s->numbers && r->length)
		s->numbers[s->count++ & s->mask] = number;
}

/* From record `number` back to the first record of the n-th instruction before it; 0 = there is none. */
static inline uint64_t starts_back(const struct starts *s, uint64_t number, uint64_t n)
{
	if (!s->numbers)
		return n <= number ? n : 0;
	return n && n <= s->count ? number - s->numbers[(s->count - n) & s->mask] : 0;
}

/* ... and to its last record. */
static inline uint64_t starts_end(const struct starts *s, uint64_t number, uint64_t n)
{
	if (!n || !starts_back(s, number, n))
		return 0;
	return n == 1 ? 1 : starts_back(s, number, n - 1) + 1;
}

/* The address of its last byte, of a later micro-operation the instruction's first. */
static inline uint64_t starts_last_byte(uint64_t pc, uint8_t length)
{
	return pc + length - (length != 0);
}

/* Had a fetch group to end before this record because of a line, or of a block's branches? `before` is the last byte of
 * the one in front. */
static inline bool starts_next_line(const struct culprit_graph_params *p, uint64_t before,
				    const struct culprit_record *r)
{
	if (p->fetch_banked)
		return (r->flags & CULPRIT_FETCH_BREAK_LINE) != 0;
	if (p->fetch_one_conditional && (r->flags & CULPRIT_FETCH_BREAK_LINE))
		return true;
	return p->fetch_line && (starts_last_byte(r->pc, r->length) ^ before) >= p->fetch_line;
}

#endif
