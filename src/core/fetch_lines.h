/* The lines that a fetch group needs: which it has, and what one costs that it has not. */
#ifndef CULPRIT_CORE_FETCH_LINES_H
#define CULPRIT_CORE_FETCH_LINES_H

#include "core/access.h"
#include "core/path.h"
#include "core/place.h"
#include "machine/hierarchy_inline.h"

/* Access one line; cycles that fetch has to wait beyond a hit. */
__attribute__((noinline)) static uint64_t fetch_access(struct core *c, uint64_t pc, uint64_t line)
{
	static const uint8_t reasons[CULPRIT_LEVEL_COUNT] = {
		[CULPRIT_LEVEL_L1] = CULPRIT_FETCH_PORT,
		[CULPRIT_LEVEL_L2] = CULPRIT_FETCH_SERVED_BY_CACHE,
		[CULPRIT_LEVEL_L3] = CULPRIT_FETCH_SERVED_BY_CACHE,
		[CULPRIT_LEVEL_MEMORY] = CULPRIT_FETCH_SERVED_BY_MEMORY,
	};
	struct memory_access a;
	bool wrong = path_is_wrong(c);
	if (!core_rare(c->place_count != 0) && hierarchy_fetch_hits(c->hierarchy, c->now, line << c->line_bits, wrong))
		return 0;
	uint64_t seq = access_seq(c, c->fetched, wrong);
	if (place_ideal(c, pc, CULPRIT_EVENT_BIT(imiss)))
		hierarchy_fetch_at_once(c->hierarchy, c->now, seq, line << c->line_bits, wrong, &a);
	else
		hierarchy_fetch(c->hierarchy, c->now, seq, line << c->line_bits, wrong, &a);
	if (a.stray > c->pending.stray)
		c->pending.stray = a.stray;
	if (!(a.tlb_cycles | a.miss_cycles))
		return 0;
	c->pending.itlb = (uint16_t)(c->pending.itlb + a.tlb_cycles);
	c->pending.imiss += a.miss_cycles;
	/* Fetch waits for each of its own refills: what has an MSHR is a refill that it gave up at a redirect. */
	c->pending.stray_wait = (uint16_t)(c->pending.stray_wait + a.first_wait);
	if (a.tlb_cycles)
		c->pending.itlb_level = a.tlb_level;
	if (a.miss_cycles && a.level > c->pending.ilevel)
		c->pending.ilevel = a.level;
	c->fetch_reason = a.miss_cycles ? reasons[a.level] : CULPRIT_FETCH_ITLB_MISS;
	return a.tlb_cycles + a.miss_cycles;
}

/* A miss's name while fetch waits for fetch_resume: translation first, then the line. */
static inline uint8_t fetch_wait_name(const struct core *c)
{
	return c->now < c->fetch_translated ? CULPRIT_FETCH_ITLB_MISS : c->fetch_reason;
}

/* fetch.bank: the group is over. `held`: for want of room alone. */
static inline void fetch_end_group(struct core *c, bool held)
{
	const struct slot *last = slot_at(c, c->fetched - 1);
	c->fetch_goes_on = held ? last->pc + last->insn->length : NEVER;
}

/* Is its last byte in another line (of those that end a group), or block, than what comes before it? */
static inline bool fetch_passes_line(const struct core *c, uint64_t pc, uint64_t last)
{
	return ((pc - 1) ^ last) >> c->block_bits;
}

/* fetch.bank: a group begins with the instruction whose last byte is `last`. A group that found no room for all of its
 * block goes on with the rest of it; where it had come to the block's end, a line's end divides the two as well. */
static inline void fetch_begin_block(struct core *c, uint64_t pc, uint64_t last)
{
	const bool goes_on = pc == c->fetch_goes_on && c->fetch_line != NEVER;
	if (goes_on && last < c->fetch_end && !fetch_passes_line(c, pc, last))
		return;
	if (goes_on)
		c->pending.breaks |= CULPRIT_FETCH_BREAK_LINE;
	c->fetch_end = (last & -(uint64_t)c->d.fetch_bank) + c->m.fetch_block;
}

/* Is the instruction in another block than what the group has? With fetch.bank a block begins with each group: where
 * its first instruction ends, since one that comes out of the block before is read with its second half. */
static inline bool fetch_leaves_block(struct core *c, uint64_t pc, unsigned length, bool sequential)
{
	uint64_t last = pc + length - 1;
	if (core_rare(c->d.fetch_bank != 0)) {
		if (!sequential)
			fetch_begin_block(c, pc, last);
		else if (last >= c->fetch_end)
			return true;
	}
	return sequential && fetch_passes_line(c, pc, last);
}

/* The lines that hold the instruction; false: fetch stops here for this cycle. */
static inline bool fetch_lines(struct core *c, uint64_t pc, unsigned length, bool sequential)
{
	uint64_t first = pc >> c->line_bits, last = (pc + length - 1) >> c->line_bits;
	if (last == c->fetch_line && c->block_bits >= c->line_bits && !core_rare(c->d.fetch_bank != 0))
		return true;
	if (fetch_leaves_block(c, pc, length, sequential)) {
		c->pending.breaks |= CULPRIT_FETCH_BREAK_LINE;
		return false;
	}
	if (last == c->fetch_line)
		return true;
	uint16_t itlb = c->pending.itlb;
	uint64_t stall = first != c->fetch_line ? fetch_access(c, pc, first) : 0;
	if (last != first)
		stall += fetch_access(c, pc, last);
	c->fetch_line = last;
	if (!stall)
		return true;
	c->fetch_resume = c->now + stall;
	c->fetch_translated = c->now + (uint16_t)(c->pending.itlb - itlb);
	c->pending.why = c->fetch_reason;
	return false;
}

#endif
