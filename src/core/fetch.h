/* Fetch: deliver up to fetch.width instructions of the path being followed into the front end.
 *
 * The group ends at the width, the taken-branch limit, the end of a block or line, a miss, a redirect, or a full front
 * end. L1I hit latency is part of the front-end pipeline; only what a miss adds stops fetch. The line last read stays
 * in the fetch stage, so a group in the same line makes no second access. */
#ifndef CULPRIT_CORE_FETCH_H
#define CULPRIT_CORE_FETCH_H

#include "core/fetch_enter.h"
#include "core/fetch_lines.h"
#include "core/log.h"
#include "core/loop_buffer.h"
#include "core/path.h"
#include "core/place.h"
#include "core/short_branch.h"
#include "core/train.h"

#include <string.h>

/* What stopped this slot's group before, and misses on the way, belong to this instruction. Only records have them. */
static inline void fetch_stamp(struct core *c, struct slot *s, const unsigned tells)
{
	s->fetch = c->now;
	if (!(tells & TELL_RECORDS))
		return;
	s->note = c->pending;
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
	n->prediction.late = 0;
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
	if (core_rare(c->m.branch_l0_blocks)) {
		enter_reach(c, n->query.pc);
		n->query.enter = c->enter.pc;
		n->query.opens = c->enter.opens;
	}
	predictor_predict(c->predictor, &n->query, &n->prediction);
	if (core_rare(c->m.branch_sfb != 0) && short_branch_executes(c, s, n, index, outcome->next_pc)) {
		predictor_speculate(c->predictor, &n->query, false, n->actual_next);
		return;
	}
	if (place_ideal(c, s->pc, CULPRIT_EVENT_BIT(bmisp)))
		fetch_predict_right(n);
	const struct prediction *p = &n->prediction;
	/* the direction counts where a branch leads to what follows it, too */
	if (!p->target_known || p->next_pc != n->actual_next || p->taken != n->actual_taken) {
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

/* fetch.one_conditional: does the group end, since its block has another one? What is fetched again is not asked. */
__attribute__((noinline, unused)) static bool fetch_more_conditionals(struct core *c)
{
	const bool buffered = c->loop.rounds >= LOOP_ROUNDS;
	const struct riscv_insn *insn = !buffered && c->fetched + 1 >= c->tail ? path_peek(c) : NULL;
	if (!insn)
		return false;
	const uint64_t left = c->block->count - c->block_next, end = (c->hart->pc | (c->m.fetch_block - 1)) + 1;
	uint64_t pc = c->hart->pc;
	for (uint64_t i = 0; i < left && pc < end; pc += insn[i++].length)
		if ((insn[i].flags & RISCV_BRANCH) && insn[i].branch == CULPRIT_BRANCH_CONDITIONAL)
			return (c->pending.breaks |= CULPRIT_FETCH_BREAK_LINE) != 0;
	return false;
}

/* After a branch: does the group go on? */
static inline bool fetch_branch(struct core *c, struct slot *s, uint64_t index, uint32_t *taken)
{
	struct branch_note *n = &c->branches[index & c->mask];
	if ((s->flags & SLOT_MISPREDICTED) && !fetch_mispredicted(c, index))
		return false;
	if (core_rare(c->m.branch_l0_blocks))
		enter_branch(c, &n->prediction);
	if (!n->prediction.taken && !(s->record_flags & CULPRIT_BTB_MISS))
		return !core_rare(c->d.one_conditional) || !fetch_more_conditionals(c);
	if (core_rare(c->m.fetch_loop_buffer != 0) && n->prediction.taken)
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

/* All that was fetched is committed: what fetch stopped for is done. False: not yet, or fetch did not stop for it. */
static inline bool fetch_drained(struct core *c)
{
	if (c->hold != HOLD_DRAIN || c->fetched != c->tail || c->head != c->fetched)
		return false;
	path_drained(c);
	c->fetch_line = c->enter.pc = NEVER;
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

/* The next instruction's slot, whatever it is, executed now unless it is fetched again. NULL: none this cycle. */
__attribute__((noinline)) static struct slot *fetch_next(struct core *c, bool sequential)
{
	uint64_t index = c->fetched;
	struct slot *s = slot_at(c, index);
	if (index != c->tail)
		return fetch_lines(c, s->pc, s->insn->length, sequential) ? s : NULL;
	if (!path_is_wrong(c) && (index == c->limit || (c->hart->pc == c->stop_pc && path_stops(c, index)))) {
		c->hold = HOLD_END;
		return NULL;
	}
	if (c->hold != HOLD_NONE || (path_is_wrong(c) && index - c->checkpoints[0].branch > c->d.wrong_path_limit))
		return NULL;
	const struct riscv_insn *insn = path_peek(c);
	if (!insn) {
		path_fetch_fault(c);
		return NULL;
	}
	if (__builtin_expect(insn->op == RISCV_OP_PLACE, 0) && !(insn = path_place(c, index)))
		return NULL;
	if (!fetch_lines(c, path_pc(c), insn->length, sequential))
		return NULL;
	struct riscv_outcome outcome;
	if (!path_execute(c, insn, s, &outcome))
		return NULL;
	if (core_rare(c->shadow_end != 0))
		short_branch_shadows(c, s, index);
	if (s->flags & SLOT_BRANCH)
		fetch_predict(c, s, index, &outcome);
	return s;
}

/* The group under way. */
struct fetch_group {
	uint32_t width, count;
	uint32_t taken;	 /* branches */
	bool sequential; /* the next instruction follows one of the group in memory */
	bool over;
};

static inline uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* How many instructions may be fetched one after the other as fetch_next would: before the end of the region, of the
 * thread's turn, and of the longest wrong path. */
static inline uint64_t fetch_run_room(const struct core *c)
{
	uint64_t index = c->fetched;
	if (index != c->tail || c->hold || core_rare(c->m.divide_bits | c->m.divide_fp_bits | c->m.branch_sfb))
		return 0;
	if (path_is_wrong(c)) {
		uint64_t gone = index - c->checkpoints[0].branch;
		return gone > c->d.wrong_path_limit ? 0 : c->d.wrong_path_limit + 1 - gone;
	}
	return core_rare(c->follow != NULL) ? 0 : smaller(c->limit - index, c->turn - 1);
}

/* Up to where the line that fetch holds has the instruction at pc and what follows; 0: ask fetch_lines for each. */
static inline uint64_t fetch_run_end(const struct core *c, uint64_t pc)
{
	if (pc >> c->line_bits != c->fetch_line || c->block_bits < c->line_bits || core_rare(c->d.fetch_bank != 0))
		return 0;
	return (c->fetch_line + 1) << c->line_bits;
}

/* Executed; false: it cannot be, or is out of the ordinary: fetch_next's then. */
static inline bool fetch_run_step(struct core *c, const struct riscv_insn *insn, bool wrong,
				  struct riscv_outcome *outcome)
{
	const uint8_t ask = RISCV_SERIALISING | RISCV_VECTOR | (wrong ? RISCV_STORE : 0);
	if ((insn->flags & ask) && ((insn->flags & (RISCV_SERIALISING | RISCV_VECTOR)) || !path_log_store(c, insn)))
		return false;
	return __builtin_expect(riscv_step(c->hart, insn, c->memory, outcome) == RISCV_CONTINUE, 1);
}

/* All before `index` are fetched; how many that is. */
static inline uint32_t fetch_run_count(struct core *c, struct fetch_group *g, uint64_t index, bool wrong)
{
	const uint32_t count = (uint32_t)(index - c->tail);
	c->fetched = c->tail = index;
	c->turn -= wrong ? 0 : count;
	c->block_next += count;
	g->count += count;
	g->sequential |= count != 0;
	return count;
}

/* The block's instructions, up to its end: what fetch_next finds for each is found once for all. Returns the branch
 * that the block ends with, if it is fetched. */
static inline struct slot *fetch_run(struct core *c, struct fetch_group *g, const unsigned tells)
{
	const uint64_t first = c->fetched, most = smaller(fetch_run_room(c), g->width - g->count);
	const struct riscv_insn *insn = most ? path_peek(c) : NULL;
	if (!insn || (c->stop_pc - c->block->pc < c->block->bytes && !path_is_wrong(c)))
		return NULL;
	const uint64_t last = first + smaller(most, c->block->count - c->block_next);
	uint64_t pc = path_pc(c), end = fetch_run_end(c, pc), index = first;
	const uint8_t wrong = c->wrong;
	struct riscv_outcome outcome;
	struct slot *s = NULL;
	for (; index != last; index++, pc += (insn++)->length) {
		if (pc + insn->length > end) {
			c->fetched = index;
			if (insn->op == RISCV_OP_PLACE) /* the region may end, and not with a line's access */
				break;
			if ((g->over = !fetch_lines(c, pc, insn->length, g->sequential || index != first)))
				break;
			end = fetch_run_end(c, pc);
		}
		if (!fetch_run_step(c, insn, wrong, &outcome))
			break;
		s = slot_at(c, index);
		path_fill(c, s, insn, pc, wrong);
		fetch_stamp(c, s, tells);
		if (insn->flags & (RISCV_LOAD | RISCV_STORE)) {
			s->mem_addr = path_frame(c, outcome.mem_addr);
			path_note_memory(c, s, index, insn->mem_size);
		}
	}
	if (!fetch_run_count(c, g, index, wrong) || !(insn[-1].flags & RISCV_BRANCH))
		return NULL;
	if (outcome.taken)
		c->block = NULL;
	fetch_predict(c, s, index - 1, &outcome);
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
	if (core_rare(c->m.branch_train_queue != 0))
		train_cycles(c);
	struct fetch_group g = {.width = width};
	bool conditional = false;
	uint64_t first = c->fetched;
	bool missed = (tells & TELL_LOG) && (c->pending.ilevel | c->pending.itlb_level);
	c->pending.breaks |= CULPRIT_GROUP_START;
	if (core_rare(c->m.branch_l0_blocks) && (first != c->tail || c->hold == HOLD_NONE))
		enter_reach(c, path_named(c, first != c->tail ? slot_at(c, first)->pc : c->hart->pc));
	while (g.count < g.width) {
		struct slot *s = fetch_run(c, &g, tells);
		if (!s) {
			if (g.over || g.count == g.width || !(s = fetch_next(c, g.sequential)))
				break;
			c->fetched++;
			fetch_stamp(c, s, tells);
			g.count++;
			g.sequential = true;
		}
		if (s->flags & (SLOT_BRANCH | SLOT_SERIALISE)) {
			uint64_t index = c->fetched - 1;
			uint32_t before = g.taken;
			conditional |= s->insn->branch == CULPRIT_BRANCH_CONDITIONAL;
			fetch_tell_missed(c, first, &missed, tells);
			if ((s->flags & SLOT_BRANCH) && (tells & TELL_LOG))
				log_branch(c, s, index);
			if (!fetch_control(c, s, index, &g.taken))
				break;
			g.sequential = g.taken == before;
		}
	}
	const uint32_t count = g.count;
	c->stats.fetched += count;
	if (core_rare(c->m.branch_train_queue != 0) && count)
		train_read(c, first, conditional);
	if (count)
		fetch_tell_missed(c, first, &missed, tells);
	if (core_rare(c->d.fetch_bank != 0) && count)
		fetch_end_group(c, g.sequential && count == width && width < c->d.fetch_width);
	if (count || !room)
		return count != 0;
	c->fetch_state = c->now < c->fetch_resume ? fetch_wait_name(c) : CULPRIT_FETCH_WRONG_PATH_STOP;
	return drained || c->hold != hold || c->now < c->fetch_resume;
}

#endif
