/* Dispatch: move instructions from the front end into the window, in order, while every structure has room. */
#ifndef CULPRIT_CORE_DISPATCH_H
#define CULPRIT_CORE_DISPATCH_H

#include "core/bypass.h"
#include "core/moves.h"
#include "core/order.h"
#include "core/restart.h"
#include "core/schedule.h"
#include "core/short_branch.h"
#include "core/steer.h"
#include "core/vector.h"

static inline void release_written_stores(struct core *c)
{
	while (c->releases_head != c->releases_tail && c->releases[c->releases_head & c->releases_mask] <= c->now) {
		c->releases_head++;
		c->sq_used--;
	}
}

/* Structures besides the ROB and the issue queues. */
static inline enum culprit_window dispatch_blocked_counted(struct core *c, const struct slot *s)
{
	if (s->flags & (SLOT_LOAD | SLOT_STORE)) {
		if (c->lsq_used >= c->d.lsq)
			return CULPRIT_WINDOW_LSQ;
		if ((s->flags & SLOT_LOAD) && c->lq_used >= c->d.lq)
			return CULPRIT_WINDOW_LQ;
		if (s->flags & SLOT_STORE) {
			if (c->sq_used >= c->d.sq)
				release_written_stores(c);
			if (c->sq_used >= c->d.sq)
				return CULPRIT_WINDOW_SQ;
		}
	}
	if ((s->flags & SLOT_BRANCH) && c->branches_used >= c->d.branches)
		return CULPRIT_WINDOW_BRANCHES;
	if (s->dest < 32)
		return c->int_used >= c->d.int_regs ? CULPRIT_WINDOW_INT_REGS : CULPRIT_WINDOW_NONE;
	if (s->dest < RISCV_NO_DEST)
		return c->fp_used >= c->d.fp_regs ? CULPRIT_WINDOW_FP_REGS : CULPRIT_WINDOW_NONE;
	return CULPRIT_WINDOW_NONE;
}

/* window.fold: may it share a ROB entry? */
static inline bool dispatch_folds(const struct slot *s)
{
	return !(s->flags & (SLOT_LOAD | SLOT_STORE | SLOT_BRANCH | SLOT_SERIALISE | SLOT_AT_HEAD));
}

/* dispatch.rows: a group begins a row. window.fold: an instruction begins an entry, but where the one before it is of
 * its group, both may share one, and that one's has room. */
static inline bool dispatch_begins_row(struct core *c, uint64_t index)
{
	if (index == c->group_begin || !c->d.fold)
		return index == c->group_begin;
	return !dispatch_folds(slot_at(c, index)) || !dispatch_folds(slot_at(c, index - 1)) ||
	       index - c->row_begin >= c->d.fold;
}

/* No row, or entry, is free before all of it has left. */
static inline bool dispatch_lacks_row(struct core *c, uint64_t index)
{
	if (index == c->left_window || !dispatch_begins_row(c, index))
		return false;
	return c->row + 1 - slot_at(c, c->left_window)->row >= c->d.rob_rows;
}

/* The structure without room for s, the next to be dispatched; CULPRIT_WINDOW_NONE when it can go. The ROB has room
 * for what comes before `rob_end`. */
static inline enum culprit_window dispatch_blocked(struct core *c, const struct slot *s, uint64_t index,
						   uint64_t rob_end)
{
	if (index >= rob_end || (core_rare(c->d.rob_rows != 0) && dispatch_lacks_row(c, index)))
		return CULPRIT_WINDOW_ROB;
	const struct queue_state *q = &c->queues[s->place.queue];
	if (q->used >= q->entries)
		return CULPRIT_WINDOW_QUEUE;
	return c->counted ? dispatch_blocked_counted(c, s) : CULPRIT_WINDOW_NONE;
}

static inline void dispatch_occupy(struct core *c, struct slot *s, uint64_t index, const unsigned tells)
{
	struct queue_state *q = &c->queues[s->place.queue];
	q->used++;
	if (tells & TELL_RECORDS)
		queue_take(c, q, s, index);
	if (!c->counted)
		return;
	c->lq_used += (s->flags & SLOT_LOAD) != 0;
	c->sq_used += (s->flags & SLOT_STORE) != 0;
	c->lsq_used += (s->flags & (SLOT_LOAD | SLOT_STORE)) != 0;
	c->branches_used += (s->flags & SLOT_BRANCH) != 0;
	c->int_used += s->dest < 32;
	c->fp_used += s->dest >= 32 && s->dest < RISCV_NO_DEST;
}

/* An operand of the instruction `index`, whose producer is in the window. */
static inline void dispatch_wait(struct core *c, struct slot *s, uint64_t index, uint64_t producer_index,
				 unsigned operand)
{
	struct slot *producer = slot_at(c, producer_index);
	uint64_t when = operand_wake(c, producer->wake, operand);
	if (producer->state != SLOT_ISSUED)
		link_operand(s, index & c->mask, operand, producer);
	else if (when > s->ready)
		s->ready = when;
}

/* Rename one source: who writes it last? */
static inline void dispatch_source(struct core *c, struct slot *s, uint64_t index, unsigned operand, unsigned reg)
{
	uint64_t writer = c->last_writer[reg];
	if (core_rare(c->m.dispatch_move_elimination == move_elimination_group))
		writer = moved_in_group(c, index, writer);
	s->source[operand] = writer;
	if (writer > c->head)
		dispatch_wait(c, s, index, writer - 1, operand);
	else if (core_rare(c->late_wake) && c->register_wake[reg] > s->ready)
		s->ready = c->register_wake[reg];
}

/* branch.sfb: an instruction that the branch may skip waits for it; a branch that skips hands on what it would have
 * written: the register as it was, and it is there when the branch is. */
static inline void dispatch_shadow(struct core *c, struct slot *s, uint64_t index)
{
	if (s->shadow == SHADOW_SKIPS) {
		if (s->dest != RISCV_NO_DEST)
			dispatch_source(c, s, index, ADDEND, s->dest);
		return;
	}
	s->source[ADDEND] = index + 1 - s->shadow;
	if (index - s->shadow >= c->head)
		dispatch_wait(c, s, index, index - s->shadow, ADDEND);
}

static inline void dispatch_rename(struct core *c, struct slot *s, uint64_t index)
{
	const struct riscv_insn *insn = s->insn;
	if (slot_is_vector(c, s)) {
		vector_dispatch(c, s, index);
	} else {
		dispatch_source(c, s, index, 0, insn->rs1);
		dispatch_source(c, s, index, 1, insn->rs2);
		s->source[2] = 0;
		if (insn->rs3)
			dispatch_source(c, s, index, 2, insn->rs3);
	}
	if (core_rare(c->m.branch_sfb != 0) && s->shadow)
		dispatch_shadow(c, s, index);
	s->previous_writer = c->last_writer[s->dest];
	c->last_writer[s->dest] = index + 1;
	if (core_rare(c->m.dispatch_move_elimination == move_elimination_rename))
		move_rename(c, s, index);
}

static inline void dispatch_memory(struct core *c, struct slot *s, uint64_t index)
{
	uint32_t distance = s->flags & SLOT_AT_HEAD ? 0 : order_predict(c, s, index);
	s->order_waited = 0;
	s->violated = 0;
	s->written = false;
	s->source[MEMORY_OPERAND] = distance ? index + 1 - distance : 0;
	if (s->source[MEMORY_OPERAND] > c->head) {
		dispatch_wait(c, s, index, index - distance, MEMORY_OPERAND);
		s->order_waited = distance == s->mem_producer && (s->flags & SLOT_LOAD) ? 0 : distance;
	}
}

/* Whether it begins a row. */
static inline bool dispatch_count_row(struct core *c, uint64_t index)
{
	if (!dispatch_begins_row(c, index))
		return false;
	c->row++;
	c->row_begin = index;
	return true;
}

/* dispatch.rows: a group's first begins a row, and answers for the slots that the group leaves empty. */
static inline void dispatch_take_row(struct core *c, struct slot *s, uint64_t index)
{
	bool first = dispatch_count_row(c, index);
	uint64_t group = c->group_end - c->group_begin;
	s->row = c->row;
	if (c->d.fold)
		s->row_share = first ? CULPRIT_WEIGHT_ONE : CULPRIT_WEIGHT_NONE;
	else
		s->row_share = first ? (uint8_t)(c->d.dispatch_width - group + 1) : 0;
}

/* For the record: whose entries, and in rows whose slots, an instruction answers for. A row's first answers for all of
 * its entries, since none is free before all are. */
static inline void dispatch_row_weights(const struct core *c, const struct slot *s, struct culprit_record *r)
{
	const uint8_t row = s->row_share ? (uint8_t)c->d.dispatch_width : CULPRIT_WEIGHT_NONE;
	r->rob_entries = c->d.fold ? s->row_share : row;
	r->dispatch_slots = c->d.fold ? CULPRIT_WEIGHT_ONE : s->row_share;
}

static inline void dispatch_one(struct core *c, struct slot *s, uint64_t index, const unsigned tells)
{
	dispatch_occupy(c, s, index, tells);
	if (core_rare(c->d.rob_rows != 0))
		dispatch_take_row(c, s, index);
	if (core_keeps(tells))
		s->dispatch = c->now;
	s->ready = c->now + c->m.issue_dispatch_to_issue;
	s->state = SLOT_WAITING;
	s->consumers = NO_SLOT;
	s->pending = s->linked = 0;
	s->waits_head = false;
	dispatch_rename(c, s, index);
	if (s->flags & (SLOT_LOAD | SLOT_STORE))
		dispatch_memory(c, s, index);
	if ((s->flags & SLOT_AT_HEAD) && index != c->head) {
		s->waits_head = true;
		s->pending++;
	}
	if (core_rare(c->m.issue_bypass))
		bypass_or_wait(c, s, index);
	if (!s->pending)
		schedule(c, s, index & c->mask);
}

/* Entries but the ROB's and the queue's, by one instruction. */
static inline void dispatch_count(struct core *c, const struct slot *s, uint32_t by)
{
	c->lq_used += (s->flags & SLOT_LOAD) ? by : 0;
	c->sq_used += (s->flags & SLOT_STORE) ? by : 0;
	c->lsq_used += (s->flags & (SLOT_LOAD | SLOT_STORE)) ? by : 0;
	c->branches_used += (s->flags & SLOT_BRANCH) ? by : 0;
	c->int_used += s->dest < 32 ? by : 0;
	c->fp_used += s->dest >= 32 && s->dest < RISCV_NO_DEST ? by : 0;
}

/* window.rob_room: are fewer entries free than the group that begins at `first` has to find? */
static inline bool dispatch_lacks_room(struct core *c, uint64_t first, uint64_t rob_end)
{
	const uint32_t room = c->m.window_rob_room;
	if (!room || first == c->left_window)
		return false;
	return c->d.fold ? c->row + room - slot_at(c, c->left_window)->row >= c->d.rob_rows : first + room > rob_end;
}

/* dispatch.whole_groups: what keeps the group that begins at `first`; NONE when all of it has room, or nothing is in
 * flight that could make more, nor a store's write. */
static inline enum culprit_window dispatch_group_blocked(struct core *c, uint64_t first, uint64_t rob_end)
{
	enum culprit_window full = dispatch_lacks_room(c, first, rob_end) ? CULPRIT_WINDOW_ROB : CULPRIT_WINDOW_NONE;
	const uint32_t row = c->row;
	const uint64_t begin = c->row_begin;
	for (; c->dispatched < c->group_end && full == CULPRIT_WINDOW_NONE; c->dispatched++) {
		struct slot *s = slot_at(c, c->dispatched);
		full = dispatch_blocked(c, s, c->dispatched, rob_end);
		c->queues[s->place.queue].used++;
		dispatch_count(c, s, 1);
		if (c->d.fold)
			dispatch_take_row(c, s, c->dispatched);
	}
	c->row = row;
	c->row_begin = begin;
	while (c->dispatched > first) {
		const struct slot *s = slot_at(c, --c->dispatched);
		c->queues[s->place.queue].used--;
		dispatch_count(c, s, -1u);
	}
	const bool writes = full == CULPRIT_WINDOW_SQ && c->releases_head != c->releases_tail;
	if (full != CULPRIT_WINDOW_NONE && c->head == first && !writes)
		return dispatch_blocked(c, slot_at(c, first), first, rob_end);
	return full;
}

__attribute__((noinline, unused)) static enum culprit_window
dispatch_grouped_blocked(struct core *c, const struct slot *s, uint64_t index, uint64_t rob_end)
{
	bool first = c->d.whole_groups && index == c->group_begin;
	return first ? dispatch_group_blocked(c, index, rob_end) : dispatch_blocked(c, s, index, rob_end);
}

/* The instructions that decode sends on together: those that have come as far, up to the width. A squash may have
 * ended the last group. */
__attribute__((noinline, unused)) static void dispatch_form_group(struct core *c)
{
	if (c->dispatched < c->group_end && c->group_end <= c->fetched && c->group_begin <= c->dispatched)
		return;
	c->group_begin = c->group_end = c->dispatched;
	uint64_t most = c->d.dispatch_width;
	if (c->d.rob_rows && !c->d.fold)
		most -= (c->group_begin - c->row_base) % most;
	while (c->group_end < c->fetched && c->group_end - c->group_begin < most &&
	       slot_at(c, c->group_end)->fetch + c->m.frontend_stages <= c->now)
		c->group_end++;
	if (c->d.steered)
		steer_group(c, c->group_begin, c->group_end);
}

/* dispatch.recovery_data: a cycle after the last data that loads up to the branch have left before; now if they are
 * there. */
static uint64_t dispatch_data_written(struct core *c)
{
	uint64_t written = c->now;
	for (uint64_t i = c->head; i < c->recovers; i++)
		if (slot_at(c, i)->complete >= written)
			written = slot_at(c, i)->complete + 1;
	return written;
}

/* dispatch.recovery: the mispredicted branch has to leave, and the rename table to be brought back. Commit comes before
 * dispatch in a cycle, so that the cycle in which the branch leaves is seen here. */
static inline bool dispatch_recovers(struct core *c)
{
	if (c->left_window < c->recovers)
		return true;
	if (c->recovered == NEVER)
		c->recovered =
			(c->m.dispatch_recovery_data ? dispatch_data_written(c) : c->now) + c->m.dispatch_recovery;
	if (c->now < c->recovered)
		return true;
	c->recovers = 0;
	return false;
}

/* A function of its own: it needs many registers. */
__attribute__((noinline, unused)) static bool dispatch_stage(struct core *c, const unsigned tells)
{
	static const uint8_t states[CULPRIT_WINDOW_COUNT] = {
		[CULPRIT_WINDOW_ROB] = CULPRIT_DISPATCH_ROB,
		[CULPRIT_WINDOW_QUEUE] = CULPRIT_DISPATCH_QUEUE,
		[CULPRIT_WINDOW_LQ] = CULPRIT_DISPATCH_LQ,
		[CULPRIT_WINDOW_SQ] = CULPRIT_DISPATCH_SQ,
		[CULPRIT_WINDOW_LSQ] = CULPRIT_DISPATCH_LSQ,
		[CULPRIT_WINDOW_BRANCHES] = CULPRIT_DISPATCH_BRANCHES,
		[CULPRIT_WINDOW_INT_REGS] = CULPRIT_DISPATCH_INT_REGS,
		[CULPRIT_WINDOW_FP_REGS] = CULPRIT_DISPATCH_FP_REGS,
	};
	c->dispatch_state = CULPRIT_DISPATCH_EMPTY;
	if (core_rare(c->restart_count != 0))
		restart_leave(c, tells);
	if (core_rare(c->recovers != 0) && dispatch_recovers(c))
		return false;
	if (core_rare(c->d.squash_width != 0) && c->squashed_until > c->now)
		return false;
	c->dispatch_state = CULPRIT_DISPATCH_WIDTH;
	if (core_rare(c->d.steered))
		steer_look(c);
	const uint64_t first = c->dispatched, end = first + c->d.dispatch_width, fetched = c->fetched;
	const uint64_t rob_end = c->left_window + c->d.rob;
	const uint64_t past = c->now + 1, stages = c->m.frontend_stages, through = past > stages ? past - stages : 0;
	/* a group goes in one cycle */
	const bool rows = c->d.whole_groups || (c->d.rob_rows && !c->d.fold);
	uint64_t index = first;
	for (; index != end; index++) {
		struct slot *s = slot_at(c, index);
		if (index == fetched || s->fetch >= through) {
			c->dispatch_state = CULPRIT_DISPATCH_EMPTY;
			break;
		}
		enum culprit_window full;
		if (core_rare(c->d.grouped)) {
			if (rows && index != first && index == c->group_end)
				break;
			dispatch_form_group(c);
			full = dispatch_grouped_blocked(c, s, index, rob_end);
		} else {
			full = dispatch_blocked(c, s, index, rob_end);
		}
		if (full != CULPRIT_WINDOW_NONE) {
			if (tells & TELL_RECORDS)
				s->note.window = (uint8_t)full;
			c->dispatch_state = states[full];
			break;
		}
		if (core_rare(c->d.grouped))
			c->dispatched = index + 1;
		dispatch_one(c, s, index, tells);
	}
	c->dispatched = index;
	return index != first;
}

#endif
