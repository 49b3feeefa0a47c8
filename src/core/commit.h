/* Commit: the oldest instructions leave in order. Here predictors are trained, stores written, records made. */
#ifndef CULPRIT_CORE_COMMIT_H
#define CULPRIT_CORE_COMMIT_H

#include "core/dispatch.h"
#include "core/path.h"

#include <string.h>

/* What the store's write, which is under way now, means for the queues. */
static inline void commit_store(struct core *c, const struct memory_access *write, uint64_t index, const bool observed)
{
	if (observed && (write->level > CULPRIT_LEVEL_L1 || write->tlb_level > CULPRIT_LEVEL_L1) && c->observer &&
	    c->observer->store_missed)
		c->observer->store_missed(c->observer->context, c->now, index, write->level, write->tlb_level,
					  write->merged);
	path_retire_store(c);
	if (!c->counted)
		return;
	c->lsq_used--;
	if (c->sq == UINT32_MAX || write->done <= c->now) {
		c->sq_used--;
		return;
	}
	/* entries leave in order: not before the older one */
	uint64_t done = write->done;
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
	c->stats.decode_redirects += (s->record_flags & CULPRIT_BTB_MISS) != 0;
	if (!c->oracle)
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
	if (s->dest < 32)
		c->int_used--;
	else if (s->dest < RISCV_NO_DEST)
		c->fp_used--;
}

static inline uint32_t distance_back(uint64_t index, uint64_t other_plus_one)
{
	uint64_t d = index + 1 - other_plus_one;
	return other_plus_one && other_plus_one <= index && d <= UINT32_MAX ? (uint32_t)d : 0;
}

static inline uint16_t flags_for_record(const struct slot *s)
{
	return (uint16_t)(s->record_flags | ((s->flags & SLOT_LOAD) ? CULPRIT_LOAD : 0) |
			  ((s->flags & SLOT_STORE) ? CULPRIT_STORE : 0) |
			  ((s->flags & SLOT_SERIALISE) ? CULPRIT_SERIALISING : 0) |
			  ((s->flags & SLOT_AT_HEAD) ? CULPRIT_AT_HEAD : 0));
}

static inline void fill_fetch(const struct slot *s, struct culprit_record *r)
{
	r->imiss = s->note.imiss;
	r->istray = s->note.stray;
	r->itlb = s->note.itlb;
	r->redirect = s->note.redirect;
	r->ilevel = s->note.ilevel;
	r->itlb_level = s->note.itlb_level;
	r->window = s->note.window;
}

static inline void fill_load(const struct slot *s, uint64_t index, struct culprit_record *r)
{
	r->mem_producer = s->mem_producer;
	r->order_waited = s->order_waited;
	r->line_misser = distance_back(index, s->line_misser);
	r->dmiss = s->dmiss;
	r->dtlb = s->dtlb;
	r->dlevel = s->dlevel;
	r->dstray = s->stray;
	r->dtlb_level = s->dtlb_level;
	r->mshr_wait = s->mshr_wait;
	r->bandwidth_wait = s->bandwidth_wait;
}

static inline void fill_write(const struct memory_access *write, bool load, uint64_t index, struct culprit_record *r)
{
	r->write_miss = write->miss_cycles;
	r->write_dtlb = (uint16_t)(write->tlb_cycles > UINT16_MAX ? UINT16_MAX : write->tlb_cycles);
	r->write_level = write->level;
	r->write_merged = write->merged;
	if (load)
		return;
	if (write->merged)
		r->line_misser = distance_back(index, write->misser + 1);
	r->mshr_wait = (uint16_t)(write->mshr_wait > UINT16_MAX ? UINT16_MAX : write->mshr_wait);
}

static inline void fill_record(struct core *c, const struct slot *s, uint64_t index, uint16_t store_wait,
			       const struct memory_access *write, struct culprit_record *r)
{
	const struct riscv_insn *insn = s->insn;
	memset(r, 0, sizeof *r);
	r->seq = index;
	r->pc = s->pc;
	r->fetch = s->fetch;
	r->dispatch = s->dispatch;
	r->ready = s->ready;
	r->issue = s->issue;
	r->complete = s->complete;
	r->commit = c->now;
	for (unsigned i = 0; i < 3; i++)
		r->producer[i] = distance_back(index, s->source[i]);
	r->queue_freer = s->queue_freer;
	fill_fetch(s, r);
	if (s->flags & (SLOT_LOAD | SLOT_STORE)) {
		r->mem_addr = s->mem_addr;
		r->mem_size = insn->mem_size;
	}
	if (s->flags & SLOT_LOAD)
		fill_load(s, index, r);
	if (s->flags & SLOT_STORE)
		fill_write(write, s->flags & SLOT_LOAD, index, r);
	if (s->flags & SLOT_BRANCH)
		r->predictor = c->branches[index & c->mask].prediction.component;
	/* an atomic without latency squashes a cycle after its issue (issue_event): that cycle is the unit's */
	bool late = (s->flags & SLOT_LOAD) && s->complete == s->issue + 1 && !(s->exec_latency | s->dtlb | s->dmiss);
	r->exec_latency = late ? 1 : s->exec_latency;
	r->wakeup = (uint16_t)(s->wake - s->issue > UINT16_MAX ? UINT16_MAX : s->wake - s->issue);
	r->store_wait = store_wait;
	r->op_class = insn->op_class;
	r->length = insn->length;
	r->branch = insn->branch;
	r->queue = s->place.queue;
	r->unit = s->place.unit;
	r->dest = s->dest;
	r->flags = flags_for_record(s);
	if (s->issue > s->ready) {
		r->contended = s->contended;
		r->contender = s->contender;
	}
}

static inline void commit_record(struct core *c, const struct slot *s, uint64_t index, uint16_t store_wait,
				 const struct memory_access *write)
{
	struct culprit_record *r = &c->batch[c->batch_count];
	fill_record(c, s, index, store_wait, write, r);
	if (c->observer && c->observer->committed)
		c->observer->committed(c->observer->context, c->now, r);
	if (!c->sink)
		return;
	if (++c->batch_count == RECORD_BATCH) {
		c->sink->records(c->sink->context, c->batch, c->batch_count);
		c->batch_count = 0;
	}
}

/* A finished or executing operation that is no load. */
static inline enum culprit_head_state operation_state(const struct slot *s)
{
	return s->exec_latency > 1 || s->insn->op_class >= CULPRIT_OP_fp_add ? CULPRIT_HEAD_LGALU : CULPRIT_HEAD_SHALU;
}

/* What the oldest instruction waits for. */
static inline enum culprit_head_state head_state(const struct core *c, const struct slot *s)
{
	if (s->state != SLOT_ISSUED) {
		if (s->state == SLOT_PARKED)
			return CULPRIT_HEAD_ORDER;
		return s->state == SLOT_READY ? CULPRIT_HEAD_CONTENTION : CULPRIT_HEAD_DISPATCH;
	}
	if (c->now >= s->complete + c->m.commit_delay)
		return CULPRIT_HEAD_STORE;
	if (c->now >= s->complete)
		return CULPRIT_HEAD_COMMIT_DELAY;
	if (!(s->flags & SLOT_LOAD))
		return operation_state(s);
	/* a load passes translation first, then the hit latency, then the miss */
	if (c->now < s->issue + s->dtlb)
		return CULPRIT_HEAD_DTLB;
	if (c->now < s->issue + s->dtlb + s->exec_latency)
		return CULPRIT_HEAD_DL1;
	return s->dlevel == CULPRIT_LEVEL_MEMORY ? CULPRIT_HEAD_L2D_MISS : CULPRIT_HEAD_L1D_MISS;
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
		schedule(c, s);
}

static inline void commit_serialising(struct core *c, uint64_t index)
{
	c->stats.serialising++;
	riscv_code_reclaim(c->code);
	if (c->hold != HOLD_SERIALISE || c->hold_index != index)
		return;
	c->hold = c->guest_state == GUEST_RUNNING ? HOLD_NONE : HOLD_END;
	c->fetch_resume = c->now + c->m.frontend_redirect;
	c->fetch_reason = CULPRIT_FETCH_SERIALISE;
	c->pending.redirect = (uint16_t)c->m.frontend_redirect;
	c->fetch_line = NEVER;
}

static inline void commit_one(struct core *c, struct slot *s, uint64_t index, const bool observed)
{
	struct memory_access write;
	if (s->flags & SLOT_STORE)
		hierarchy_store(c->hierarchy, c->now, index, s->pc, s->mem_addr, s->insn->mem_size, &write);
	if (observed && c->recording)
		commit_record(c, s, index, (uint16_t)(c->store_wait > UINT16_MAX ? UINT16_MAX : c->store_wait), &write);
	c->store_wait = 0;
	if (c->counted)
		commit_release(c, s);
	if (s->flags & SLOT_STORE) {
		commit_store(c, &write, index, observed);
		c->stats.stores++;
		c->cycle_stores++;
	}
	if (s->flags & SLOT_LOAD) {
		c->stats.loads++;
		c->stats.forwarded += (s->record_flags & CULPRIT_FORWARDED) != 0;
	}
	c->head = index + 1;
	if (s->flags & SLOT_BRANCH)
		commit_branch(c, s, index);
	if (s->flags & SLOT_SERIALISE)
		commit_serialising(c, index);
	if ((s->flags & SLOT_STORE) && c->parked_count)
		order_wake_parked(c, c->now);
	commit_new_head(c);
}

static inline bool commit_stage(struct core *c, const bool observed)
{
	uint32_t count = 0;
	c->cycle_stores = 0;
	c->cycle_head = CULPRIT_HEAD_COMMITTING;
	c->cycle_head_seq = c->head;
	while (count < c->commit_width && c->head != c->dispatched) {
		uint64_t index = c->head;
		struct slot *s = slot_at(c, index);
		if (s->state != SLOT_ISSUED || c->now < s->complete + c->m.commit_delay)
			break;
		if ((s->flags & SLOT_STORE) && c->cycle_stores >= c->commit_stores) {
			c->store_wait++;
			break;
		}
		commit_one(c, s, index, observed);
		count++;
	}
	if (observed) {
		c->cycle_next_head = (uint8_t)(count == c->commit_width	  ? CULPRIT_HEAD_COMMITTING
					       : c->head == c->dispatched ? CULPRIT_HEAD_EMPTY
									  : head_state(c, slot_at(c, c->head)));
		if (!count)
			c->cycle_head = c->cycle_next_head;
	}
	c->cycle_committed = count;
	c->stats.committed += count;
	return count != 0;
}

#endif
