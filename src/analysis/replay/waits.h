/* What instructions wait for, by their records: the oldest in the window, and the oldest that has not issued. */
#ifndef CULPRIT_ANALYSIS_REPLAY_WAITS_H
#define CULPRIT_ANALYSIS_REPLAY_WAITS_H

#include "analysis/replay/state.h"

/* The oldest in the window, which executes as these cycles begin; *until: from when on it waits for something else. */
static inline uint8_t executing_state(const struct replay *r, const struct life *l, uint64_t *until)
{
	if (r->now >= l->complete) { /* the log's run of cycles goes on as long as nothing moves */
		uint64_t over = l->complete + r->params.commit_delay;
		*until = r->now < over ? over : NEVER;
		return r->now < over ? CULPRIT_HEAD_COMMIT_DELAY : CULPRIT_HEAD_OTHER;
	}
	/* a load passes translation first, then the hit latency, then the miss; a store the first two */
	uint64_t translated = l->issue + l->dtlb, hit = translated + l->exec_latency;
	if ((l->flags & (CULPRIT_LOAD | CULPRIT_STORE)) && r->now < translated) {
		*until = translated;
		return CULPRIT_HEAD_DTLB;
	}
	*until = l->complete;
	if (!(l->flags & CULPRIT_LOAD))
		return (uint8_t)culprit_operation_state(l->op_class, l->exec_latency);
	if (r->now < hit) {
		*until = hit;
		return CULPRIT_HEAD_DL1;
	}
	return (uint8_t)culprit_miss_state(l->dlevel);
}

/* The same for one that is in the dispatch-to-issue pipeline as they begin. */
static inline uint8_t dispatched_state(const struct replay *r, const struct life *l, uint64_t *until)
{
	uint64_t through = l->dispatch + r->params.dispatch_to_issue;
	*until = r->now <= through ? through + 1 : NEVER;
	return r->now <= through ? CULPRIT_HEAD_DISPATCH : CULPRIT_HEAD_OPERAND;
}

/* As the core wrote it down; the records say when, within a run of cycles, the next one began. */
static inline uint8_t head_state(const struct replay *r, uint8_t stop, uint64_t *until)
{
	static const uint8_t states[CULPRIT_STOP_COUNT] = {
		[CULPRIT_STOP_WIDTH] = CULPRIT_HEAD_COMMITTING,	     [CULPRIT_STOP_EMPTY] = CULPRIT_HEAD_EMPTY,
		[CULPRIT_STOP_WRONG_PATH] = CULPRIT_HEAD_WRONG_PATH, [CULPRIT_STOP_OPERAND] = CULPRIT_HEAD_OPERAND,
		[CULPRIT_STOP_ORDER] = CULPRIT_HEAD_ORDER,	     [CULPRIT_STOP_READY] = CULPRIT_HEAD_CONTENTION,
		[CULPRIT_STOP_DELAY] = CULPRIT_HEAD_COMMIT_DELAY,
#define COMMIT_LIMIT(name, row, stall, what) [CULPRIT_STOP_##name] = CULPRIT_HEAD_##name,
#include "culprit/commit_limit.def"
	};
	if (stop == CULPRIT_STOP_EXECUTES)
		return executing_state(r, life_at(r, r->head, r->now), until);
	if (stop == CULPRIT_STOP_DISPATCH)
		return dispatched_state(r, life_at(r, r->head, r->now), until);
	*until = NEVER;
	return stop < CULPRIT_STOP_COUNT ? states[stop] : (uint8_t)CULPRIT_HEAD_OTHER;
}

/* The operation whose result an instruction waits for, by what made it take as long as it did. */
static inline uint8_t producer_state(const struct life *l)
{
	const bool load = l->flags & CULPRIT_LOAD;
	if (load && l->missed)
		return (uint8_t)culprit_miss_state(l->dlevel);
	if (l->dtlb && (l->flags & (CULPRIT_LOAD | CULPRIT_STORE)))
		return CULPRIT_HEAD_DTLB;
	return load ? CULPRIT_HEAD_DL1 : (uint8_t)culprit_operation_state(l->op_class, l->exec_latency);
}

/* A store to a load's bytes, later than other operands, is one itself if the load was ready with it and could take
 * all of them from it. Else the load had to wait until the store left. EMPTY: that was found out at its issue; but a
 * store set may have told it before, which the record of a load that takes a part of its data from the store does not
 * tell. Without a predictor a load finds the store at its issue, and is held. */
static inline uint8_t store_state(const struct replay *r, const struct life *load, const struct life *store)
{
	if (load->waits_data)
		return CULPRIT_HEAD_ORDER;
	if (r->params.speculative)
		return CULPRIT_HEAD_EMPTY;
	bool covers = life_covers(store, load);
	if (load->needs_store || (covers && life_wake(store) == load->ready))
		return producer_state(store);
	return r->params.store_sets && !covers ? CULPRIT_HEAD_ORDER : CULPRIT_HEAD_EMPTY;
}

/* When it wakes its dependents, though it has left the window: the loop from issue to wake-up can be longer than that
 * takes. 0: long ago, and no longer known. */
static inline uint64_t departed_wake(const struct replay *r, uint64_t producer)
{
	const struct life *p = &r->lives[producer & r->mask];
	return r->known - producer <= r->mask ? life_wake(p) : 0;
}

/* Of those still in the window, the operand that comes last decides. */
static inline void look_at_operands(struct replay *r)
{
	const struct life *l = life_at(r, r->oldest, r->now + 1);
	const uint64_t through = l->dispatch + r->params.dispatch_to_issue;
	uint64_t latest = through, departed = 0;
	r->operand_state = CULPRIT_HEAD_DISPATCH;
	r->oldest_known = true;
	for (unsigned i = 0; i < LIFE_SOURCES; i++) {
		uint64_t producer = r->oldest - l->source[i];
		bool is_memory = i == LIFE_SOURCES - 1;
		if (!l->source[i] || producer < r->head) {
			uint64_t wake = l->source[i] && !is_memory ? departed_wake(r, producer) : 0;
			departed = wake > departed && wake <= l->ready ? wake : departed;
			continue;
		}
		const struct life *p = life_at(r, producer, r->now + 1);
		uint64_t wake = life_wake(p);
		if (wake <= latest || wake > l->ready)
			continue;
		uint8_t state = is_memory ? store_state(r, l, p) : producer_state(p);
		if (state == CULPRIT_HEAD_EMPTY)
			continue;
		latest = wake;
		r->operand_state = state;
	}
	/* a load that a store held may have gone past its queue: that is not known, and the store held it longer */
	const bool held = (l->flags & CULPRIT_LOAD) && l->source[LIFE_SOURCES - 1];
	if (latest == through && through < l->ready && !held)
		latest += r->params.queued;
	r->operands = departed > latest ? departed : latest;
}

static inline uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Of the instructions dispatched before this cycle, the oldest that has not issued, and what it waits for. Where all
 * have issued and the first of this cycle will wait, that is found out now: what it waits for may have committed in
 * the next. */
static inline uint8_t issue_state(struct replay *r, uint64_t end, uint8_t head_waits)
{
	uint64_t i = r->oldest > r->head ? r->oldest : r->head, right = least(end, r->wrong_from);
	bool moved = i != r->oldest;
	while (i < right && life_at(r, i, r->now + 1)->issue <= r->now) {
		i++;
		moved = true;
	}
	r->oldest = i;
	r->oldest_known &= !moved;
	if (i >= end) {
		if (!r->oldest_known && i < least(r->dispatched, r->wrong_from))
			look_at_operands(r);
		return CULPRIT_HEAD_EMPTY;
	}
	if (i >= r->wrong_from)
		return CULPRIT_HEAD_WRONG_PATH;
	const struct life *l = life_at(r, i, r->now + 1);
	if ((l->flags & CULPRIT_AT_HEAD) && i > r->head)
		return head_waits;
	if (r->now >= l->ready)
		return CULPRIT_HEAD_CONTENTION;
	if (!r->oldest_known)
		look_at_operands(r);
	/* nothing but older stores keeps a load whose operands are there; an atomic is the oldest, and has none */
	bool may_park = (l->flags & (CULPRIT_LOAD | CULPRIT_AT_HEAD)) == CULPRIT_LOAD;
	return may_park && r->now >= r->operands ? CULPRIT_HEAD_ORDER : r->operand_state;
}

#endif
