/* The last miss of each line, for the loads that come after it: one that hits found the line because it came late
 * enough. Where it comes earlier, by a graph's own times or where something is idealised, the line is on its way. */
#ifndef CULPRIT_ANALYSIS_RECORD_LINES_H
#define CULPRIT_ANALYSIS_RECORD_LINES_H

#include "base/bits.h"
#include "culprit/graph.h"

enum { RECORD_LINES = 256 };

/* The last miss of a line, or first right-path use of one that a wrong path brought. */
struct record_line {
	uint64_t line;	 /* + 1; 0 = none */
	uint64_t number; /* instruction */
	uint32_t cycles; /* of the miss, where it is one */
	uint8_t level;
	bool stray; /* a miss only where branches are predicted right */
};

struct record_lines {
	struct record_line lines[2][RECORD_LINES]; /* of the L1D, of the level behind it */
	unsigned shift[2]; /* addresses' bits below a line's number; 63 = they are not looked at */
};

static inline void record_lines_size(struct record_lines *l, const struct culprit_graph_params *p)
{
	const uint32_t bytes[2] = {p->l1_line, p->miss_line};
	for (unsigned behind = 0; behind < 2; behind++)
		l->shift[behind] = is_power_of_two(bytes[behind]) ? (unsigned)__builtin_ctz(bytes[behind]) : 63;
}

/* Where a line is kept. Spread: arrays lie a power of two apart. */
static inline size_t record_line_place(uint64_t line)
{
	return line * 0x9e3779b97f4a7c15 >> 32 & (RECORD_LINES - 1);
}

static inline uint8_t record_miss_level(const struct culprit_record *r)
{
	return r->dmiss ? r->dlevel : r->dstray;
}

/* A load that misses; `stray`: cycles that it takes besides without wrong paths. */
static inline void record_lines_note(struct record_lines *l, uint64_t count, const struct culprit_record *r,
				     uint32_t stray)
{
	for (unsigned behind = 0; behind < 2; behind++) {
		uint64_t line = r->mem_addr >> l->shift[behind];
		if (line && (!behind || record_miss_level(r) > CULPRIT_LEVEL_L2))
			l->lines[behind][record_line_place(line)] = (struct record_line){
				line + 1, count, r->dmiss + stray, record_miss_level(r), !r->dmiss};
	}
}

/* A load that is the first to use a line which came in time: of a miss of so many cycles. */
static inline void record_lines_note_prefetched(struct record_lines *l, uint64_t count, const struct culprit_record *r,
						uint32_t cycles)
{
	const uint64_t line = r->mem_addr >> l->shift[0];
	if (line)
		l->lines[0][record_line_place(line)] =
			(struct record_line){line + 1, count, cycles, r->prefetch_level, false};
}

/* The last miss of the load's line in the L1D, or (1) behind it; NULL = none is known. */
static inline const struct record_line *record_line_missed(const struct record_lines *l, const struct culprit_record *r,
							   unsigned behind)
{
	uint64_t line = r->mem_addr >> l->shift[behind];
	const struct record_line *known = &l->lines[behind][record_line_place(line)];
	return known->line == line + 1 ? known : NULL;
}

#endif
