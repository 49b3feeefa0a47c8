/* Commit: the oldest instructions leave in order. Here predictors are trained, stores written, records made. */
#ifndef CULPRIT_CORE_COMMIT_H
#define CULPRIT_CORE_COMMIT_H

#include "core/dispatch.h"
#include "core/log.h"
#include "core/path.h"
#include "core/place.h"
#include "core/record.h"

#include <string.h>

/* lsq.line_interval: lines are written one after the other. When a write is done that begins now and has been done
 * at `done` but for that. */
static inline uint64_t line_written(struct core *c, uint64_t addr, uint64_t done)
{
	uint64_t line = addr / c->m.l1d_line, from = c->write_from > c->now ? c->write_from : c->now;
	if (line == c->written_line)
		return done;
	c->written_line = line;
	c->write_from = from + c->d.line_interval;
	return done > c->write_from ? done : c->write_from;
}

/* lsq.stream_lines: the store goes on with lines that are filled as a whole. */
static inline bool store_streams(struct core *c, const struct slot *s)
{
	uint64_t line = c->m.l1d_line;
	if (s->mem_addr != c->stream_end)
		c->stream_begin = s->mem_addr;
	c->stream_end = s->mem_addr + s->insn->mem_size;
	uint64_t first = (c->stream_begin + line - 1) / line, end = s->mem_addr / line;
	return end >= first + c->m.lsq_stream_lines;
}

/* The write of a store of one address, which begins now. */
static inline void write_scalar(struct core *c, const struct slot *s, uint64_t index, struct memory_access *write)
{
	const bool translated = c->m.lsq_store_translation == store_translation_issue;
	const uint32_t size = s->insn->mem_size;
	if (place_ideal(c, s->pc, CULPRIT_EVENT_BIT(dmiss))) {
		if (translated)
			hierarchy_write_at_once(c->hierarchy, c->now, index, s->pc, s->mem_addr, size, write);
		else
			hierarchy_data_at_once(c->hierarchy, c->now, index, s->pc, s->mem_addr, size, false, true,
					       write);
	} else if (core_rare(c->m.lsq_stream_lines != 0) && store_streams(c, s)) {
		hierarchy_store_filled(c->hierarchy, c->now, index, s->pc, s->mem_addr, size, translated, write);
	} else if (translated) {
		hierarchy_write(c->hierarchy, c->now, index, s->pc, s->mem_addr, size, write);
	} else {
		hierarchy_store(c->hierarchy, c->now, index, s->pc, s->mem_addr, size, write);
	}
}

/* What the store's write, which is under way now, means for the queues. */
static inline void commit_store(struct core *c, uint64_t addr, const struct memory_access *write, uint64_t index,
				const unsigned tells)
{
	if ((tells & TELL_LOG) && (write->level > CULPRIT_LEVEL_L1 || write->tlb_level > CULPRIT_LEVEL_L1))
		log_store_missed(c, write, index);
	path_retire_store(c);
	if (!c->counted)
		return;
	c->lsq_used--;
	uint64_t done = c->d.line_interval ? line_written(c, addr, write->done) : write->done;
	if (c->d.sq == UINT32_MAX || done <= c->now) {
		c->sq_used--;
		return;
	}
	/* entries leave in order: not before the older one */
	if (c->releases_head != c->releases_tail) {
		uint64_t last = c->releases[(c->releases_tail - 1) & c->releases_mask];
		done = done > last ? done : last;
	}
	c->releases[c->releases_tail++ & c->releases_mask] = done;
}

static inline void commit_branch(struct core *c, struct slot *s, uint64_t index)
{
	const struct branch_note *n = &c->branches[index & c->mask];
	unsigned kind = s->insn->branch;
	c->stats.branches[kind]++;
	if (s->record_flags & CULPRIT_MISPREDICTED) {
		c->stats.mispredicted[kind]++;
		c->stats.direction_wrong += (s->record_flags & CULPRIT_DIRECTION_WRONG) != 0;
	}
	c->stats.decode_redirects += (s->record_flags & CULPRIT_BTB_MISS) && !n->prediction.btb_hit;
	if (!c->d.oracle)
		predictor_update(c->predictor, &n->query, &n->prediction, n->actual_taken, n->actual_next);
}

/* The window entries that commit gives back; a store's are commit_store's business. */
static inline void commit_release(struct core *c, struct slot *s)
{
	if (s->flags & SLOT_LOAD) {
		c->lq_used--;
		if (!(s->flags & SLOT_STORE))
			c->lsq_used--;
	}
	c->branches_used -= (s->flags & SLOT_BRANCH) != 0;
	if (s->dest < 32)
		c->int_used--;
	else if (s->dest < RISCV_NO_DEST)
		c->fp_used--;
}

/* It leaves the window: as a rule when it commits. */
static inline void leave_window(struct core *c, struct slot *s)
{
	if (c->counted)
		commit_release(c, s);
	c->left_window++;
}

/* A new oldest instruction that was waiting to be it. */
static inline void commit_new_head(struct core *c)
{
	struct slot *s = slot_at(c, c->head);
	if (c->head == c->dispatched || !s->waits_head)
		return;
	s->waits_head = false;
	if (c->now > s->ready)
		s->ready = c->now;
	if (--s->pending == 0)
		schedule(c, s, c->head & c->mask);
}

static inline void commit_serialising(struct core *c, uint64_t index)
{
	c->stats.serialising++;
	riscv_code_reclaim(c->code);
	if (c->hold != HOLD_SERIALISE || c->hold_index != index)
		return;
	c->hold = c->guest_state == GUEST_RUNNING ? HOLD_NONE : HOLD_END;
	if (__builtin_expect(c->spaces, 0))
		path_charge(c);
	c->fetch_resume = c->now + c->m.frontend_redirect;
	c->fetch_reason = CULPRIT_FETCH_SERIALISE;
	c->pending.redirect = (uint16_t)c->m.frontend_redirect;
	c->fetch_line = c->enter.pc = NEVER;
}

static inline void commit_one(struct core *c, struct slot *s, uint64_t index, const unsigned tells)
{
	const bool recorded = tells & TELL_RECORDS;
	struct culprit_record *r = c->record;
	if (recorded) {
		fill_record(c, s, index, r);
		c->commit_wait = 0;
	}
	if (!core_rare(index != c->left_window))
		leave_window(c, s);
	if (core_rare(c->late_wake))
		c->register_wake[s->dest] = s->wake;
	if (s->flags & SLOT_STORE) {
		struct memory_access write;
		if (slot_is_vector(c, s))
			vector_store(c, s, index, &write);
		else
			write_scalar(c, s, index, &write);
		if (recorded)
			fill_store(s, &write, index, r);
		commit_store(c, s->mem_addr, &write, index, tells);
		c->stats.stores++;
		c->cycle_stores++;
	}
	if (s->flags & SLOT_LOAD) {
		if (recorded) {
			fill_load(s, r);
			fill_order(c, s, index, r);
		}
		c->stats.loads++;
		c->stats.forwarded += (s->record_flags & CULPRIT_FORWARDED) != 0;
	}
	c->head = index + 1;
	if (s->flags & SLOT_BRANCH) {
		c->cycle_branches++;
		if (recorded)
			r->predictor = c->branches[index & c->mask].prediction.component;
		commit_branch(c, s, index);
	}
	if (recorded && (s->flags & SLOT_STORE))
		note_store(c, s, index);
	if (recorded && (c->record = r + 1) == c->batch_end)
		core_flush_batch(c);
	if (s->flags & SLOT_SERIALISE)
		commit_serialising(c, index);
	if ((s->flags & SLOT_STORE) && c->parked_written)
		order_wake_parked(c, c->now);
	commit_new_head(c);
}

/* Why the oldest instruction, which has not issued, has not. `ready` may be this cycle: then it goes to issue now. */
static inline enum culprit_commit_stop unissued_stop(const struct core *c, const struct slot *s)
{
	if (s->state == SLOT_PARKED)
		return CULPRIT_STOP_ORDER;
	if (s->state == SLOT_READY && s->ready < c->now)
		return CULPRIT_STOP_READY;
	if (c->now <= s->dispatch + c->m.issue_dispatch_to_issue)
		return CULPRIT_STOP_DISPATCH;
	/* it has just become the oldest, or the store that covers a part of its data has just left */
	bool freed = (s->flags & SLOT_AT_HEAD) || ((s->flags & SLOT_LOAD) && s->partial);
	return freed && s->ready == c->now ? CULPRIT_STOP_ORDER : CULPRIT_STOP_OPERAND;
}

/* The limit that a finished store or branch meets; WIDTH = none. */
static inline enum culprit_commit_stop commit_limit(const struct core *c, const struct slot *s)
{
	if (s->flags & SLOT_STORE)
		return c->cycle_stores >= c->d.commit_stores ? CULPRIT_STOP_STORES : CULPRIT_STOP_WIDTH;
	return c->cycle_branches >= c->d.commit_branches ? CULPRIT_STOP_BRANCHES : CULPRIT_STOP_WIDTH;
}

/* What keeps the oldest instruction in the window in this cycle; WIDTH = nothing does. */
static inline enum culprit_commit_stop commit_stop(const struct core *c, const struct slot *s, const unsigned tells)
{
	bool issued = s->state == SLOT_ISSUED;
	if (!issued || c->now < s->complete + c->m.commit_delay) {
		if (!(tells & TELL_LOG))
			return CULPRIT_STOP_EXECUTES; /* nobody asks */
		if (s->flags & SLOT_WRONG_PATH)
			return CULPRIT_STOP_WRONG_PATH;
		return !issued		      ? unissued_stop(c, s)
		       : c->now < s->complete ? CULPRIT_STOP_EXECUTES
					      : CULPRIT_STOP_DELAY;
	}
	return s->flags & (SLOT_STORE | SLOT_BRANCH) ? commit_limit(c, s) : CULPRIT_STOP_WIDTH;
}

/* From when an instruction that has issued may leave the window: a load that misses cannot fault any more when it
 * would have hit. */
static inline uint64_t leaves_from(const struct core *c, const struct slot *s)
{
	bool restarts = c->m.lsq_restart && (s->record_flags & CULPRIT_MERGED);
	/* what follows it is not gone when that has to be fetched again (load_order.h) */
	bool held = restarts || s->violated;
	bool waits = (s->flags & (SLOT_LOAD | SLOT_STORE)) == SLOT_LOAD && s->dmiss && !held;
	return (waits ? s->issue + s->exec_latency + s->dtlb : s->complete) + c->m.commit_delay;
}

/* window.released: what is behind loads that wait for data leaves before it commits, in order. */
static inline bool release_stage(struct core *c)
{
	uint32_t count = 0;
	for (; count < c->d.commit_width && c->left_window != c->dispatched; count++) {
		struct slot *s = slot_at(c, c->left_window);
		if (c->left_window - c->head >= c->d.released || s->state != SLOT_ISSUED || c->now < leaves_from(c, s))
			break;
		leave_window(c, s);
	}
	return count != 0;
}

static inline bool commit_stage(struct core *c, const unsigned tells)
{
	uint32_t count = 0;
	enum culprit_commit_stop stop = CULPRIT_STOP_WIDTH;
	c->cycle_stores = c->cycle_branches = 0;
	for (; count < c->d.commit_width; count++) {
		uint64_t index = c->head;
		struct slot *s = slot_at(c, index);
		stop = index == c->dispatched ? CULPRIT_STOP_EMPTY : commit_stop(c, s, tells);
		if (stop != CULPRIT_STOP_WIDTH)
			break;
		commit_one(c, s, index, tells);
	}
	/* for one cycle: a limit lets at least one go in the next, and in this one, so that the loop does not pass
	 * over that */
	if ((tells & TELL_RECORDS) && stop >= CULPRIT_STOP_STORES) {
		c->commit_wait++;
		c->commit_stop = (uint8_t)stop;
	}
	if (tells & TELL_LOG)
		c->stopped = (uint8_t)stop;
	c->stats.committed += count;
	return core_rare(c->d.released != 0) ? release_stage(c) || count : count != 0;
}

#endif
