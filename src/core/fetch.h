/* Fetch: deliver up to fetch.width instructions of the path being followed into the front end.
 *
 * The group ends at the width, the taken-branch limit, the end of a block or line, a miss, a redirect, or a full front
 * end. L1I hit latency is part of the front-end pipeline; only what a miss adds stops fetch. The line last read stays
 * in the fetch stage, so a group in the same line makes no second access. */
#ifndef CULPRIT_CORE_FETCH_H
#define CULPRIT_CORE_FETCH_H

#include "core/log.h"
#include "core/loop_buffer.h"
#include "core/path.h"
#include "core/place.h"
#include "core/short_branch.h"
#include "core/train.h"

#include <string.h>

/* Access one line; cycles that fetch has to wait beyond a hit. */
static inline uint64_t fetch_access(struct core *c, uint64_t pc, uint64_t line)
{
	static const uint8_t reasons[CULPRIT_LEVEL_COUNT] = {
		[CULPRIT_LEVEL_L1] = CULPRIT_FETCH_PORT,
		[CULPRIT_LEVEL_L2] = CULPRIT_FETCH_SERVED_BY_CACHE,
		[CULPRIT_LEVEL_L3] = CULPRIT_FETCH_SERVED_BY_CACHE,
		[CULPRIT_LEVEL_MEMORY] = CULPRIT_FETCH_SERVED_BY_MEMORY,
	};
	struct memory_access a;
	bool wrong = path_is_wrong(c);
	uint64_t seq = c->fetched | (wrong ? WRONG_PATH_SEQ : 0);
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
	if (a.tlb_cycles)
		c->pending.itlb_level = a.tlb_level;
	if (a.miss_cycles && a.level > c->pending.ilevel)
		c->pending.ilevel = a.level;
	c->fetch_reason = a.miss_cycles ? reasons[a.level] : CULPRIT_FETCH_ITLB_MISS;
	return a.tlb_cycles + a.miss_cycles;
}

/* Is the instruction in another block than what the group has? With fetch.bank a block begins with each group: where
 * its first instruction ends, since one that comes out of the block before is read with its second half. */
static inline bool fetch_leaves_block(struct core *c, uint64_t pc, unsigned length, bool sequential)
{
	uint64_t last = pc + length - 1, bank = c->d.fetch_bank;
	if (!sequential && bank)
		c->fetch_end = (last & -bank) + c->m.fetch_block;
	return sequential && ((((pc - 1) ^ last) >> c->block_bits) || (bank && last >= c->fetch_end));
}

/* The lines that hold the instruction; false: fetch stops here for this cycle. */
static inline bool fetch_lines(struct core *c, uint64_t pc, unsigned length, bool sequential)
{
	uint64_t first = pc >> c->line_bits, last = (pc + length - 1) >> c->line_bits;
	if (last == c->fetch_line && c->block_bits >= c->line_bits && !c->d.fetch_bank)
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

/* What stopped this slot's group before, and misses on the way, belong to this instruction. */
static inline void fetch_stamp(struct core *c, struct slot *s)
{
	s->fetch = c->now;
	s->state = SLOT_FRONT;
	s->note = c->pending;
	s->record_flags |= c->pending.breaks;
	c->pending = (struct fetch_note){.imiss = 0};
}

static inline uint64_t direct_target(const struct core *c, const struct slot *s)
{
	return path_named(c, s->pc) + (uint64_t)(int64_t)s->insn->imm;
}

static inline void fetch_predict_right(struct branch_note *n)
{
	n->prediction.next_pc = n->actual_next;
	n->prediction.taken = n->actual_taken;
	n->prediction.target_known = n->prediction.btb_hit = true;
}

/* Predict a branch just executed, and learn whether the prediction is right. */
static inline void fetch_predict(struct core *c, struct slot *s, uint64_t index, const struct riscv_outcome *outcome)
{
	struct branch_note *n = &c->branches[index & c->mask];
	n->held = false;
	n->actual_next = outcome->next_pc | c->space;
	n->actual_taken = outcome->taken || s->insn->branch != CULPRIT_BRANCH_CONDITIONAL;
	if (n->actual_taken)
		s->record_flags |= CULPRIT_TAKEN;
	if (c->d.oracle) {
		fetch_predict_right(n);
		n->prediction.component = PREDICTOR_ORACLE;
		return;
	}
	n->query = (struct branch_query){
		.pc = path_named(c, s->pc),
		.direct_target = direct_target(c, s),
		.actual_next = n->actual_next,
		.actual_taken = n->actual_taken,
		.length = s->insn->length,
		.kind = s->insn->branch,
		.link_register = riscv_reads_link(s->insn),
		.wrong_path = path_is_wrong(c),
	};
	predictor_predict(c->predictor, &n->query, &n->prediction);
	if (__builtin_expect(c->m.branch_sfb != 0, 0) && short_branch_executes(c, s, n, index, outcome->next_pc)) {
		predictor_speculate(c->predictor, &n->query, false, n->actual_next);
		return;
	}
	if (place_ideal(c, s->pc, CULPRIT_EVENT_BIT(bmisp)))
		fetch_predict_right(n);
	const struct prediction *p = &n->prediction;
	if (!p->target_known || p->next_pc != n->actual_next) {
		s->flags |= SLOT_MISPREDICTED;
		s->record_flags |= CULPRIT_MISPREDICTED;
		if (p->target_known && p->taken != n->actual_taken)
			s->record_flags |= CULPRIT_DIRECTION_WRONG;
	} else {
		predictor_speculate(c->predictor, &n->query, n->actual_taken, n->actual_next);
	}
	if (((p->taken && !p->btb_hit) || p->late) && p->target_known)
		s->record_flags |= CULPRIT_BTB_MISS;
}

/* Go where the prediction says. False: no target, or too many wrong paths: fetch waits for the branch, also when it
 * is fetched again after a violation. */
static inline bool fetch_mispredicted(struct core *c, uint64_t index)
{
	struct branch_note *n = &c->branches[index & c->mask];
	if (!n->held && n->prediction.target_known && path_leave(c, index, n)) {
		predictor_speculate(c->predictor, &n->query, n->prediction.taken, n->prediction.next_pc);
		return true;
	}
	if (!n->held)
		predictor_speculate(c->predictor, &n->query, n->actual_taken, n->actual_next);
	n->held = true;
	c->hold = HOLD_NO_TARGET;
	c->hold_index = index;
	c->pending.why = CULPRIT_FETCH_MISPREDICT;
	return false;
}

/* After a branch: does the group go on? */
static inline bool fetch_branch(struct core *c, struct slot *s, uint64_t index, uint32_t *taken)
{
	struct branch_note *n = &c->branches[index & c->mask];
	if ((s->flags & SLOT_MISPREDICTED) && !fetch_mispredicted(c, index))
		return false;
	if (!n->prediction.taken && !(s->record_flags & CULPRIT_BTB_MISS))
		return true;
	if (__builtin_expect(c->m.fetch_loop_buffer != 0, 0) && n->prediction.taken)
		loop_buffer_taken(c, s, n);
	if (s->record_flags & CULPRIT_BTB_MISS) {
		uint32_t bubble = n->prediction.btb_hit ? n->prediction.late : c->m.frontend_decode_redirect;
		c->fetch_resume = c->now + 1 + bubble;
		c->fetch_reason = c->pending.why = CULPRIT_FETCH_DECODE_REDIRECT;
		c->pending.redirect = (uint16_t)bubble;
		c->fetch_line = NEVER;
		return false;
	}
	if (++*taken < c->d.taken_limit)
		return true;
	c->pending.breaks |= CULPRIT_FETCH_BREAK_TAKEN;
	return false;
}

/* A miss's name while fetch waits for fetch_resume: translation first, then the line. */
static inline uint8_t fetch_wait_name(const struct core *c)
{
	return c->now < c->fetch_translated ? CULPRIT_FETCH_ITLB_MISS : c->fetch_reason;
}

/* All that was fetched is committed: what fetch stopped for is done. False: not yet, or fetch did not stop for it. */
static inline bool fetch_drained(struct core *c)
{
	if (c->hold != HOLD_DRAIN || c->fetched != c->tail || c->head != c->fetched)
		return false;
	path_drained(c);
	c->fetch_line = NEVER;
	c->fetch_resume = c->now + c->m.frontend_redirect;
	c->fetch_reason = CULPRIT_FETCH_SERIALISE;
	c->pending.redirect = (uint16_t)c->m.frontend_redirect;
	c->pending.why = CULPRIT_FETCH_SERIALISE;
	return true;
}

/* Standing still: in a hold, or before a known cycle. */
static inline bool fetch_waits(struct core *c)
{
	if (c->hold != HOLD_NONE) {
		bool again = c->fetched != c->tail; /* squashed by a violation, to be fetched again first */
		static const uint8_t states[] = {
			[HOLD_NONE] = CULPRIT_FETCH_DELIVERED,	     [HOLD_SERIALISE] = CULPRIT_FETCH_SERIALISE,
			[HOLD_NO_TARGET] = CULPRIT_FETCH_MISPREDICT, [HOLD_WRONG_PATH] = CULPRIT_FETCH_WRONG_PATH_STOP,
			[HOLD_DRAIN] = CULPRIT_FETCH_SERIALISE,	     [HOLD_END] = CULPRIT_FETCH_END,
		};
		if (c->hold == HOLD_SERIALISE || c->hold == HOLD_NO_TARGET || (c->hold != HOLD_NONE && !again)) {
			c->fetch_state = states[c->hold];
			return true;
		}
	}
	if (c->now < c->fetch_resume) {
		c->fetch_state = fetch_wait_name(c);
		return true;
	}
	return false;
}

/* The next instruction's slot, executed now unless it is fetched again. NULL: none this cycle. */
static inline struct slot *fetch_next(struct core *c, bool sequential)
{
	uint64_t index = c->fetched;
	struct slot *s = slot_at(c, index);
	if (index != c->tail)
		return fetch_lines(c, s->pc, s->insn->length, sequential) ? s : NULL;
	if (!path_is_wrong(c) && (index == c->limit || (c->hart->pc == c->stop_pc && path_stops(c, index)))) {
		c->hold = HOLD_END;
		return NULL;
	}
	if (c->hold != HOLD_NONE)
		return NULL;
	if (path_is_wrong(c) && index - c->checkpoints[0].branch > c->d.wrong_path_limit)
		return NULL;
	const struct riscv_insn *insn = path_peek(c);
	if (!insn) {
		path_fetch_fault(c);
		return NULL;
	}
	if (!fetch_lines(c, path_pc(c), insn->length, sequential))
		return NULL;
	struct riscv_outcome outcome;
	if (!path_execute(c, insn, s, &outcome))
		return NULL;
	if (__builtin_expect(c->shadow_end != 0, 0))
		short_branch_shadows(c, s, index);
	if (s->flags & SLOT_BRANCH)
		fetch_predict(c, s, index, &outcome);
	return s;
}

/* Only a group's first instruction can have waited for a miss: a miss ends the group before it. So `missed` is known
 * before the group, and is told before its first branch, or at its end. */
static inline void fetch_tell_missed(struct core *c, uint64_t first, bool *missed, const unsigned tells)
{
	if (!*missed)
		return;
	const struct slot *s = slot_at(c, first);
	if ((tells & TELL_LOG))
		log_fetch_missed(c, s, first);
	*missed = false;
}

/* A branch or a serialising instruction: may the group go on behind it? */
static inline bool fetch_control(struct core *c, struct slot *s, uint64_t index, uint32_t *taken)
{
	if (!(s->flags & SLOT_SERIALISE))
		return fetch_branch(c, s, index, taken);
	if (c->hold != HOLD_DRAIN) { /* a drain includes it */
		c->hold = HOLD_SERIALISE;
		c->hold_index = index;
	}
	c->pending.why = CULPRIT_FETCH_SERIALISE;
	return false;
}

/* Returns whether the stage made progress (anything changed). */
static inline bool fetch_stage(struct core *c, const unsigned tells)
{
	bool drained = fetch_drained(c); /* progress, even when the next instruction faults at once */
	uint8_t hold = c->hold;
	if (fetch_waits(c))
		return drained;
	uint32_t room = c->d.front_capacity - (uint32_t)(c->fetched - c->dispatched);
	uint32_t width = c->d.fetch_width < room ? c->d.fetch_width : room;
	c->fetch_state = room ? CULPRIT_FETCH_DELIVERED : CULPRIT_FETCH_BUFFER_FULL;
	if (__builtin_expect(c->m.branch_train_queue != 0, 0))
		train_idle(c);
	uint32_t taken = 0, count = 0;
	bool sequential = false, branches = false;
	uint64_t first = c->fetched;
	bool missed = (tells & TELL_LOG) && (c->pending.ilevel | c->pending.itlb_level);
	c->pending.breaks |= CULPRIT_GROUP_START;
	while (count < width) {
		struct slot *s = fetch_next(c, sequential);
		if (!s)
			break;
		uint64_t index = c->fetched++;
		fetch_stamp(c, s);
		count++;
		sequential = true;
		if (s->flags & (SLOT_BRANCH | SLOT_SERIALISE)) {
			uint32_t before = taken;
			branches = true;
			fetch_tell_missed(c, first, &missed, tells);
			if ((s->flags & SLOT_BRANCH) && (tells & TELL_LOG))
				log_branch(c, s, index);
			if (!fetch_control(c, s, index, &taken))
				break;
			sequential = taken == before;
		}
	}
	c->stats.fetched += count;
	if (__builtin_expect(c->m.branch_train_queue != 0, 0) && count)
		train_read(c, first, branches);
	if (count)
		fetch_tell_missed(c, first, &missed, tells);
	if (count || !room)
		return count != 0;
	c->fetch_state = c->now < c->fetch_resume ? fetch_wait_name(c) : CULPRIT_FETCH_WRONG_PATH_STOP;
	return drained || c->hold != hold || c->now < c->fetch_resume;
}

#endif
