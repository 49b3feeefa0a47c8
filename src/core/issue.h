/* Issue: oldest first among the ready, as far as issue width, the queues' widths and the units allow.
 *
 * The ready set is one bit per slot, read from the oldest on; a zero-latency producer makes younger consumers ready
 * in the middle of the scan, and they can go in the same cycle. Instructions whose unit is full are passed over a
 * word at a time, or large windows full of, say, divisions would be read one by one every cycle. */
#ifndef CULPRIT_CORE_ISSUE_H
#define CULPRIT_CORE_ISSUE_H

#include "core/access.h"
#include "core/contention.h"
#include "core/crossing.h"
#include "core/load_order.h"
#include "core/log.h"
#include "core/order.h"
#include "core/place.h"
#include "core/restart.h"
#include "core/schedule.h"
#include "core/train.h"
#include "core/translate.h"
#include "machine/hierarchy_inline.h"

/* Instances that are busy with a long operation are not free; done ones are dropped. */
static inline void issue_drop_done(struct core *c)
{
	for (uint32_t unit = 0; unit < c->m.unit_count; unit++) {
		struct unit_state *u = &c->units[unit];
		const uint32_t before = u->busy;
		for (uint32_t i = 0; i < u->busy;) {
			if (u->free_at[i] <= c->now) {
				u->free_at[i] = u->free_at[--u->busy];
				u->holder[i] = u->holder[u->busy];
			} else {
				i++;
			}
		}
		c->units_busy -= before && !u->busy;
		c->left.units[unit] -= u->busy;
	}
}

/* What units and queues may take in this cycle: not what lines that come and loads that issue again take. */
static inline void issue_open(struct core *c)
{
	c->left = c->per_cycle;
	if (__builtin_expect(c->units_busy, 0))
		issue_drop_done(c);
	if (core_rare(c->m.lsq_fill != 0) && cache_fills_take(c->hierarchy->fills, c->now))
		restart_take_unit(c, c->d.place[CULPRIT_OP_load].unit);
	if (core_rare(c->restart_count != 0))
		restart_take(c);
}

/* Take an instance for `interval` cycles; one is free. Pipelined operations are only counted. */
static inline void unit_take(struct core *c, unsigned unit, uint32_t interval, uint64_t holder)
{
	c->left.units[unit]--;
	if (__builtin_expect(interval == 1, 1))
		return;
	struct unit_state *u = &c->units[unit];
	c->units_busy += !u->busy;
	u->holder[u->busy] = holder;
	u->free_at[u->busy++] = c->now + interval;
}

/* lsq.split: the access needs two turns. */
static inline bool issue_splits(const struct core *c, const struct slot *s)
{
	return core_rare(c->split_bits != 63) &&
	       (s->mem_addr ^ (s->mem_addr + s->insn->mem_size - 1)) >> c->split_bits != 0;
}

/* lsq.fp_load: cycles more to an FP register, of an access that hits. One in two parts comes later anyway. */
static inline uint32_t issue_to_fp(const struct core *c, const struct slot *s)
{
	return core_rare(c->d.fp_load != 0) && s->insn->rd != RISCV_NO_DEST && s->insn->rd >= FP_REGISTERS &&
			       !slot_is_vector(c, s) && !issue_splits(c, s)
		       ? c->d.fp_load
		       : 0;
}

/* lsq.split_amo: an AMO's store, an operation of its own, issues when the load has committed and it is the oldest. */
static inline uint32_t issue_amo_store(const struct core *c, const struct slot *s)
{
	const bool amo = core_rare(c->m.lsq_split_amo) && s->insn->op_class == CULPRIT_OP_amo &&
			 (s->flags & SLOT_STORE) && s->insn->op != RISCV_OP_sc_w && s->insn->op != RISCV_OP_sc_d;
	return amo ? c->d.latency[CULPRIT_OP_amo] + c->d.l1d_latency + c->m.commit_delay : 0;
}

/* What the record has of an access. */
static inline void issue_note_access(struct slot *s, uint64_t index, const struct memory_access *a)
{
	s->dtlb = clip16(a->tlb_cycles);
	s->dtlb_level = a->tlb_level;
	s->dmiss = a->miss_cycles;
	s->dlevel = a->level;
	s->stray = a->stray;
	s->mshr_wait = clip16(a->mshr_wait);
	s->bandwidth_wait = clip16(a->bandwidth_wait);
	if (a->merged) {
		s->record_flags |= CULPRIT_MERGED;
		s->primary_miss = distance_back(index, a->primary_miss);
	}
	if (a->prefetched)
		s->record_flags |= CULPRIT_PREFETCHED;
	if (a->prefetched || a->prefetch_below) {
		s->prefetch_trigger = a->prefetch_trigger;
		s->prefetch_slack = clip16(a->prefetch_slack);
		s->prefetch_level = a->prefetch_level;
		s->prefetch_below = a->prefetch_below;
	}
}

/* Data come from the cache. */
static inline void issue_access(struct core *c, struct slot *s, uint64_t index, const unsigned tells)
{
	struct memory_access a;
	bool wrong = s->flags & SLOT_WRONG_PATH;
	uint32_t agu = c->d.latency[s->insn->op_class];
	if (!core_keeps(tells) &&
	    hierarchy_load_hits(c->hierarchy, c->now + agu, s->mem_addr, s->insn->mem_size, wrong)) {
		s->complete = c->now + agu + c->d.l1d_latency + (s->written ? c->d.partial_penalty : 0) +
			      issue_to_fp(c, s) + issue_amo_store(c, s);
		return;
	}
	uint64_t seq = access_seq(c, index, wrong);
	if (slot_is_vector(c, s))
		vector_load(c, s, index, &a);
	else if (place_ideal(c, s->pc, CULPRIT_EVENT_BIT(dmiss)))
		hierarchy_data_at_once(c->hierarchy, c->now + agu, seq, s->pc, s->mem_addr, s->insn->mem_size, wrong,
				       false, &a);
	else
		hierarchy_load(c->hierarchy, c->now + agu, seq, s->pc, s->mem_addr, s->insn->mem_size, wrong, &a);
	uint32_t penalty = (s->written ? c->d.partial_penalty : 0) + issue_splits(c, s);
	penalty += (a.miss_cycles ? 0 : issue_to_fp(c, s)) + issue_amo_store(c, s);
	if (core_rare(c->m.lsq_restart != 0) && a.merged)
		restart_load(c, s, index, &a);
	s->complete = a.done + penalty;
	s->exec_latency = (uint16_t)(agu + a.hit_cycles + penalty);
	if (core_keeps(tells))
		issue_note_access(s, index, &a);
}

static inline void issue_forwarded(struct core *c, struct slot *s, const struct slot *store)
{
	uint64_t data = store->complete > c->now ? store->complete : c->now;
	s->complete = data + c->d.forward_latency + (load_waited_for_data(s) ? c->d.data_penalty : 0);
	s->exec_latency = (uint16_t)(s->complete - c->now);
	s->record_flags |= CULPRIT_FORWARDED;
}

static inline void issue_load(struct core *c, struct slot *s, uint64_t index, const unsigned tells)
{
	if (core_rare(c->m.lsq_load_order))
		load_order_issued(c, s, index);
	if (core_keeps(tells)) {
		s->dmiss = 0;
		s->dtlb = s->mshr_wait = s->bandwidth_wait = 0;
		s->dlevel = s->dtlb_level = s->stray = CULPRIT_LEVEL_NONE;
		s->primary_miss = 0;
		s->prefetch_trigger = s->prefetch_slack = s->prefetch_level = s->prefetch_below = 0;
	}
	s->record_flags &= (uint16_t) ~(CULPRIT_MERGED | CULPRIT_PREFETCHED | CULPRIT_FORWARDED);
	if (core_rare(c->m.lsq_check_bytes != 0) && s->near_store && index - s->near_store >= c->head &&
	    !(s->flags & SLOT_AT_HEAD) && !order_address_known(c, index - s->near_store))
		violation_note(slot_at(c, index - s->near_store), index);
	bool in_flight = s->mem_producer && index - s->mem_producer >= c->head;
	if (in_flight && !(s->flags & SLOT_AT_HEAD)) {
		struct slot *store = slot_at(c, index - s->mem_producer);
		if (store->state == SLOT_ISSUED) {
			issue_forwarded(c, s, store);
			return;
		}
		violation_note(store, index);
	}
	issue_access(c, s, index, tells);
}

/* Of cycles that a division takes, or holds its unit, less those that it ends early; an idealised one takes none. */
static inline uint32_t issue_shortened(const struct core *c, const struct slot *s, uint32_t cycles)
{
	if (!core_rare((c->m.divide_bits | c->m.divide_fp_bits) != 0) || cycles <= 1 ||
	    !divide_ends_early(&c->m, s->insn->op_class))
		return cycles;
	return cycles > s->early ? cycles - s->early : 1;
}

/* Latency and wake-up of everything but loads. */
static inline void issue_operation(struct core *c, struct slot *s)
{
	uint32_t latency = place_timeless(c, s->pc, s->insn->op_class) ? 0
			   : slot_is_vector(c, s)		       ? vector_latency(c, s)
						  : issue_shortened(c, s, c->d.latency[s->insn->op_class]);
	if (core_rare((c->m.issue_int_to_fp | c->m.issue_fp_to_int) != 0))
		latency = issue_crossing(c, s->insn, latency);
	s->exec_latency = (uint16_t)latency;
	s->complete = c->now + latency;
}

static inline bool issue_has_event(const struct core *c, const struct slot *s)
{
	return (s->flags & SLOT_MISPREDICTED) ||
	       (((s->flags & SLOT_STORE) || (core_rare(c->m.lsq_load_order) && (s->flags & SLOT_LOAD))) && s->violated);
}

/* Something happens when s completes. This cycle's events are over, so a zero-latency squash comes in the next one. */
static inline void issue_event(struct core *c, struct slot *s, uint64_t index)
{
	if (!issue_has_event(c, s))
		return;
	s->complete = s->complete > c->now ? s->complete : c->now + 1;
	s->flags |= SLOT_EVENT;
	wheel_insert(c, s, index & c->mask, s->complete);
}

static inline void issue_one(struct core *c, struct slot *s, struct machine_place place, uint64_t index,
			     const unsigned tells)
{
	const uint8_t flags = s->flags;
	const uint64_t now = c->now;
	s->state = SLOT_ISSUED;
	if (core_keeps(tells))
		s->issue = now;
	if (flags & SLOT_LOAD)
		issue_load(c, s, index, tells);
	else
		issue_operation(c, s);
	if ((flags & (SLOT_LOAD | SLOT_STORE)) == SLOT_STORE)
		translate_store(c, s, index, tells);
	if (!restart_follows(c, index))
		queue_leave(c, s, index, place.queue, tells);
	uint64_t loop = s->complete == now ? 0 : c->m.issue_wakeup;
	s->wake = s->complete > now + loop ? s->complete : now + loop;
	if (s->consumers != NO_SLOT)
		wake_consumers(c, s, s->wake);
	if (core_rare(c->m.branch_train_queue != 0) && (flags & SLOT_BRANCH) && !(flags & SLOT_MISPREDICTED))
		train_branch(c, index, c->now);
	issue_event(c, s, index);
	if (flags & SLOT_STORE) {
		if (order_store_issued(c, index) && c->parked_count)
			order_wake_parked(c, s->complete);
	}
	c->stats.issued_wrong_path += (flags & SLOT_WRONG_PATH) != 0;
	if ((tells & TELL_LOG) && (flags & SLOT_LOAD) && (s->dmiss | s->dtlb))
		log_load_missed(c, s, s->dlevel, index);
	if ((tells & TELL_LOG) && (flags & (SLOT_LOAD | SLOT_STORE)) == SLOT_STORE && s->dtlb)
		log_load_missed(c, s, CULPRIT_LEVEL_L1, index);
}

/* May s go now? Takes the unit if so. */
static inline bool issue_select(struct core *c, const struct slot *s, struct machine_place place, uint64_t index,
				const unsigned tells)
{
	if (core_rare(c->d.no_bandwidth))
		return true;
	if (!c->left.queues[place.queue] || !c->left.units[place.unit]) {
		if ((tells & TELL_RECORDS))
			unit_refuse(c, place, index);
		return false;
	}
	const unsigned op = s->insn->op_class;
	uint64_t holder = (index + 1) | (s->flags & SLOT_WRONG_PATH ? WRONG_PATH_SEQ : 0);
	uint32_t interval = slot_is_vector(c, s) ? vector_interval(c, s) : issue_shortened(c, s, c->d.interval[op]);
	if (interval > 1 && !(s->flags & SLOT_LOAD) && place_timeless(c, s->pc, op))
		interval = 1;
	if (s->flags & (SLOT_LOAD | SLOT_STORE))
		interval += issue_splits(c, s);
	unit_take(c, place.unit, interval, holder);
	c->left.queues[place.queue]--;
	return true;
}

enum issue_result { ISSUE_DONE, ISSUE_PASSED, ISSUE_UNIT_FULL };

/* One ready instruction, next in age: issue it, park it or pass over it. */
static inline enum issue_result issue_try(struct core *c, uint64_t number, const unsigned tells)
{
	struct slot *s = &c->slots[number];
	if (s->ready > c->now)
		return ISSUE_PASSED; /* made ready for the next cycle by this one */
	const struct machine_place place = s->place;
	uint64_t index = index_of(c, number);
	if ((s->flags & SLOT_LOAD) && !order_free(c, s)) {
		uint64_t from = order_allows_from(c, s, index);
		if (from > c->now) {
			ready_clear(c, place.unit, number);
			order_park(c, s, index, from);
			return ISSUE_PASSED;
		}
	}
	if ((tells & TELL_RECORDS))
		issue_note_contention(c, s, index);
	if (!issue_select(c, s, place, index, tells))
		return ISSUE_UNIT_FULL;
	ready_clear(c, place.unit, number);
	issue_one(c, s, place, index, tells);
	return ISSUE_DONE;
}

/* One word of the ready set, without those of units that take no more. */
static inline uint64_t issue_word(const struct core *c, uint64_t w, uint32_t full)
{
	uint64_t bits = c->ready[w];
	for (; bits && full; full &= full - 1)
		bits &= ~c->unit_ready[__builtin_ctz(full)][w];
	return bits;
}

/* All words of the window, from the oldest instruction's on; come round to the first one, its lower part holds the
 * youngest. Returns how many issued. A function of its own: it needs many registers. */
__attribute__((noinline)) static uint32_t issue_words(struct core *c, const unsigned tells)
{
	const uint64_t first = c->head & c->mask, above = ~0ull << (first % 64), words = c->mask / 64;
	uint64_t left = (first % 64 + (c->dispatched - c->head) + 63) / 64; /* words, with this one */
	uint64_t w = first / 64, part = above, bits = issue_word(c, w, 0) & part;
	uint32_t room = c->d.issue_width, full = 0; /* full: units that took no more */
	while (room) {
		if (!bits) {
			if (left <= 1)
				break;
			left--;
			w = (w + 1) & words;
			part = w == first / 64 ? ~above : ~0ull;
			bits = issue_word(c, w, full) & part;
			continue;
		}
		uint64_t bit = bits & -bits, number = w * 64 + (uint64_t)__builtin_ctzll(bits);
		enum issue_result result = issue_try(c, number, tells);
		bits ^= bit;
		if (result == ISSUE_UNIT_FULL) {
			uint8_t unit = c->slots[number].place.unit;
			full |= 1u << unit;
			bits &= ~c->unit_ready[unit][w];
		}
		room -= result == ISSUE_DONE;
		if (core_rare(c->zero_latency)) /* issuing may have made younger ones ready */
			bits = issue_word(c, w, full) & part & ~((bit << 1) - 1);
	}
	return c->d.issue_width - room;
}

static inline bool issue_stage(struct core *c, const unsigned tells)
{
	issue_open(c);
	uint32_t count = issue_words(c, tells);
	if ((tells & TELL_RECORDS) && count == c->d.issue_width)
		c->issue_full = c->now;
	if (tells & TELL_LOG)
		c->issued = (uint16_t)count;
	return count != 0;
}

#endif
