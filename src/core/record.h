/* A committed instruction's record: made by copying runs of fields that slot and record have in the same order. */
#ifndef CULPRIT_CORE_RECORD_H
#define CULPRIT_CORE_RECORD_H

#include "core/dispatch.h"
#include "core/place.h"

#include <stddef.h>
#include <string.h>

#define RUN_BYTES(type, first, last) (offsetof(type, last) + sizeof((type){0}.last) - offsetof(type, first))
#define COPY_RUN(r, first, last, from_type, from, from_first, from_last)            \
	do {                                                                        \
		_Static_assert(RUN_BYTES(struct culprit_record, first, last) ==     \
				       RUN_BYTES(from_type, from_first, from_last), \
			       "the same run of fields");                           \
		memcpy((char *)(r) + offsetof(struct culprit_record, first),        \
		       (const char *)(from) + offsetof(from_type, from_first),      \
		       RUN_BYTES(from_type, from_first, from_last));                \
	} while (0)
#define CLEAR_RUN(r, first, last) \
	memset((char *)(r) + offsetof(struct culprit_record, first), 0, RUN_BYTES(struct culprit_record, first, last))
#define SAME_PLACE(field, from_type, from_field, first, from_first)                                       \
	_Static_assert(offsetof(struct culprit_record, field) - offsetof(struct culprit_record, first) == \
			       offsetof(from_type, from_field) - offsetof(from_type, from_first),         \
		       "the record and what it is copied from have their fields in the same order")
SAME_PLACE(fetch, struct slot, fetch, pc, pc);
SAME_PLACE(order_waited, struct slot, order_waited, mem_producer, mem_producer);
SAME_PLACE(primary_miss, struct slot, primary_miss, mem_producer, mem_producer);
SAME_PLACE(dmiss, struct slot, dmiss, mem_producer, mem_producer);
SAME_PLACE(dtlb, struct slot, dtlb, mem_producer, mem_producer);
SAME_PLACE(mshr_wait, struct slot, mshr_wait, mem_producer, mem_producer);
SAME_PLACE(bandwidth_wait, struct slot, bandwidth_wait, mem_producer, mem_producer);
SAME_PLACE(dlevel, struct slot, dlevel, mem_producer, mem_producer);
SAME_PLACE(itlb, struct fetch_note, itlb, imiss, imiss);
SAME_PLACE(redirect, struct fetch_note, redirect, imiss, imiss);
SAME_PLACE(ilevel, struct fetch_note, ilevel, imiss, imiss);
SAME_PLACE(itlb_level, struct fetch_note, itlb_level, imiss, imiss);
SAME_PLACE(istray, struct fetch_note, stray, imiss, imiss);
SAME_PLACE(queue, struct machine_place, queue, unit, unit);
SAME_PLACE(contender, struct slot, contender, contended, contended);

/* A source of 0, none, is further back than the stream began. */
static inline void fill_producers(const struct slot *s, uint64_t index, struct culprit_record *r)
{
	const uint64_t most = index < UINT32_MAX ? index : UINT32_MAX;
	for (unsigned i = 0; i < 3; i++) {
		const uint64_t distance = index + 1 - s->source[i];
		r->producer[i] = distance <= most ? (uint32_t)distance : 0;
	}
}

static inline uint16_t flags_for_record(const struct slot *s)
{
	_Static_assert(SLOT_LOAD << 7 == (int)CULPRIT_LOAD && SLOT_STORE << 7 == (int)CULPRIT_STORE, "shifted by 7");
	_Static_assert(SLOT_SERIALISE << 9 == (int)CULPRIT_SERIALISING && SLOT_AT_HEAD << 9 == (int)CULPRIT_AT_HEAD,
		       "shifted by 9");
	return (uint16_t)(s->record_flags | s->note.breaks | (s->flags & (SLOT_LOAD | SLOT_STORE)) << 7 |
			  (s->flags & (SLOT_SERIALISE | SLOT_AT_HEAD)) << 9);
}

/* An atomic without latency squashes a cycle after its issue (issue_event): that cycle is the unit's. */
static inline uint16_t latency_for_record(const struct slot *s)
{
	if (__builtin_expect(s->exec_latency, 1))
		return s->exec_latency;
	return (s->flags & SLOT_LOAD) && s->complete == s->issue + 1 && !(s->dtlb | s->dmiss);
}

/* All but what only loads, stores and branches have. */
static inline void fill_record(const struct core *c, const struct slot *s, uint64_t index, struct culprit_record *r)
{
	const struct riscv_insn *insn = s->insn;
	r->seq = index;
	COPY_RUN(r, pc, fetch, struct slot, s, pc, fetch);
	r->dispatch = s->dispatch;
	r->ready = s->ready;
	r->issue = s->issue;
	r->complete = s->complete;
	r->commit = c->now;
	CLEAR_RUN(r, write_miss, mem_addr);
	CLEAR_RUN(r, mem_producer, dtlb_level);
	fill_producers(s, index, r);
	r->previous_holder = s->previous_holder;
	COPY_RUN(r, imiss, window, struct fetch_note, &s->note, imiss, window);
	r->exec_latency = latency_for_record(s);
	r->wakeup = clip16(s->wake - s->issue);
	r->commit_wait = c->commit_wait;
	r->commit_stop = c->commit_stop;
	r->flags = flags_for_record(s);
	COPY_RUN(r, unit, queue, struct machine_place, &s->place, unit, queue);
	r->dest = s->dest;
	COPY_RUN(r, contended, contender, struct slot, s, contended, contender);
	r->predictor = r->dstray = 0; /* a branch has the one, a load the other */
	r->branch = insn->branch;
	r->mem_size = insn->mem_size;
	COPY_RUN(r, length, op_class, struct riscv_insn, insn, length, op_class);
	CLEAR_RUN(r, rob_entries, prefetch_below);
	r->stray_wait = s->note.stray_wait;
	if (core_rare(c->d.rob_rows != 0))
		dispatch_row_weights(c, s, r);
}

static inline void fill_load(const struct slot *s, struct culprit_record *r)
{
	r->mem_addr = s->mem_addr;
	COPY_RUN(r, mem_producer, dtlb_level, struct slot, s, mem_producer, dtlb_level);
	r->dstray = s->stray;
	r->prefetch_trigger = s->prefetch_trigger;
	r->prefetch_slack = s->prefetch_slack;
	r->prefetch_level = s->prefetch_level;
	r->prefetch_below = s->prefetch_below;
}

/* Issue asks about memory order only when it comes to a load, and with its unit taken by older instructions it does
 * not. Now that all older stores have left their completion is known. */
static inline void fill_order(const struct core *c, const struct slot *s, uint64_t index, struct culprit_record *r)
{
	if (c->m.lsq_disambiguation == disambiguation_conservative && c->known_from > r->ready) {
		r->ready = c->known_from;
		r->order_waited = (uint32_t)(index - c->known_by);
	}
	if (!s->mem_producer || !s->partial)
		return;
	uint64_t left = c->store_left[(index - s->mem_producer) & c->mask];
	r->ready = left > r->ready ? left : r->ready;
}

/* What loads are asked for later: the store is complete, and leaves now. */
static inline void note_store(struct core *c, const struct slot *s, uint64_t index)
{
	c->store_left[index & c->mask] = c->now;
	if (s->complete <= c->known_from)
		return;
	c->known_from = s->complete;
	c->known_by = index;
}

/* Of a store that translates at its issue; else there is none. */
static inline void fill_translation(const struct slot *s, struct culprit_record *r)
{
	r->dtlb = s->dtlb;
	r->dtlb_level = s->dtlb_level;
}

/* Before fill_load, which has the last word on what both have. */
static inline void fill_store(const struct slot *s, const struct memory_access *write, uint64_t index,
			      struct culprit_record *r)
{
	r->mem_addr = s->mem_addr;
	r->order_waited = s->order_waited;
	fill_translation(s, r);
	r->write_miss = write->miss_cycles;
	r->write_dtlb = clip16(write->tlb_cycles);
	r->write_level = write->level;
	r->write_merged = write->merged;
	r->primary_miss = write->merged ? distance_back(index, write->primary_miss) : 0;
	if (write->prefetched || write->prefetch_below) {
		r->prefetch_trigger = write->prefetch_trigger;
		r->prefetch_slack = clip16(write->prefetch_slack);
		r->prefetch_level = write->prefetch_level;
		r->prefetch_below = write->prefetch_below;
	}
	r->mshr_wait = clip16(write->mshr_wait);
}

#endif
