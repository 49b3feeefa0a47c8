/* Writing the pipeline log (culprit/log.h). */
#ifndef CULPRIT_CORE_LOG_H
#define CULPRIT_CORE_LOG_H

#include "core/state.h"

_Static_assert((int)SLOT_WRONG_PATH == (int)CULPRIT_LOG_WRONG_PATH, "taken over as it is");

static inline struct culprit_log_entry *log_next(struct core *c)
{
	struct culprit_log *log = c->log;
	if (__builtin_expect(log->next == log->end, 0))
		log->full(log->context);
	return log->next++;
}

static inline void log_branch(struct core *c, const struct slot *s, uint64_t index)
{
	struct culprit_log_entry *e = log_next(c);
	e->kind = CULPRIT_LOG_BRANCH;
	e->mispredicted = s->flags & SLOT_MISPREDICTED;
	e->wrong_path = s->flags & SLOT_WRONG_PATH;
	e->seq = index;
}

static inline void log_fetch_missed(struct core *c, const struct slot *s, uint64_t index)
{
	struct culprit_log_entry *e = log_next(c);
	e->kind = CULPRIT_LOG_FETCH_MISSED;
	e->level = s->note.ilevel;
	e->tlb_level = s->note.itlb_level;
	e->seq = index;
}

/* A load, or a store that waits for its translation only: `level` of the line. */
static inline void log_load_missed(struct core *c, const struct slot *s, uint8_t level, uint64_t index)
{
	struct culprit_log_entry *e = log_next(c);
	uint64_t cycles = s->complete - c->now;
	e->kind = CULPRIT_LOG_LOAD_MISSED;
	e->level = level;
	e->tlb_level = s->dtlb_level;
	e->merged = s->record_flags & CULPRIT_MERGED;
	e->cycles = cycles < UINT32_MAX ? (uint32_t)cycles : UINT32_MAX;
	e->seq = index;
}

static inline void log_store_missed(struct core *c, const struct memory_access *write, uint64_t index)
{
	struct culprit_log_entry *e = log_next(c);
	uint64_t cycles = write->done > c->now ? write->done - c->now : 0;
	e->kind = CULPRIT_LOG_STORE_MISSED;
	e->level = write->level;
	e->tlb_level = write->tlb_level;
	e->merged = write->merged;
	e->cycles = cycles < UINT32_MAX ? (uint32_t)cycles : UINT32_MAX;
	e->seq = index;
}

static inline void log_squashed(struct core *c, uint64_t first, enum culprit_squash why)
{
	struct culprit_log_entry *e = log_next(c);
	e->kind = CULPRIT_LOG_SQUASHED;
	e->why = (uint8_t)why;
	e->seq = first;
}

/* Field by field, and running counts as they stand: what was written in parts and read as a whole would wait for the
 * writes. */
static inline void log_cycles(struct core *c, uint64_t length)
{
	struct culprit_log_entry *e = log_next(c);
	uint64_t left = c->left_window, dispatched = c->dispatched, fetched = c->fetched, front = fetched - dispatched;
	e->kind = CULPRIT_LOG_CYCLE;
	e->fetch = c->fetch_state;
	e->dispatch = c->dispatch_state;
	e->why_empty = front ? c->slots[dispatched & c->mask].note.why : c->pending.why;
	e->stop = c->stopped;
	bool full = dispatched - left >= c->d.rob;
	if (core_rare(c->d.fold != 0) && dispatched != left)
		full = c->row + (c->m.window_rob_room ? c->m.window_rob_room : 1) - c->slots[left & c->mask].row >=
		       c->d.rob_rows;
	e->flags = (uint8_t)(full | c->wrong);
	e->front = front < UINT16_MAX ? (uint16_t)front : UINT16_MAX;
	if (length == 1) {
		e->committed = (uint16_t)c->head;
		e->dispatched = (uint16_t)dispatched;
		e->issued = c->issued;
		e->issued_wrong_path = (uint16_t)c->stats.issued_wrong_path;
		return;
	}
	e->kind = CULPRIT_LOG_CYCLES;
	e->length = length;
}

/* The right-path instructions of [first, dispatched), which leave the window, or stay when the simulation stops. */
void log_squashed_records(struct core *c, uint64_t first);

#endif
