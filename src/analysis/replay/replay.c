#include "analysis/replay/replay.h"

#include "base/bits.h"

#include <stdlib.h>
#include <string.h>

#define NEVER UINT64_MAX

enum { BATCH = 256 }; /* records taken before the log is looked at again */

struct undone_life {
	uint64_t seq, until; /* in the window before this cycle's end */
	struct life life;
};

struct replay {
	struct replay_params params;
	const struct culprit_observer *target;

	/* entries [taken, stored) wait for what is not known yet */
	struct culprit_log_entry *entries;
	size_t taken, stored, room;
	/* instructions [known - window and more, known) that committed, by number */
	struct life *lives;
	uint64_t mask, known;
	/* others, in order of `until` */
	struct undone_life *undone;
	size_t undone_count, undone_room;
	bool failed; /* no memory */

	/* the pipeline now; and, as the cycle began, where the wrong path did */
	uint64_t now, head, dispatched, wrong_from;
	uint64_t wrong_from_before;
	uint16_t issued_wrong_path; /* as the log has it */

	/* the oldest that has not issued */
	uint64_t oldest;
	bool oldest_known; /* these are its: */
	uint64_t operands; /* from this cycle on its operands were there */
	uint8_t operand_state;
};

struct replay *replay_create(const struct replay_params *params, const struct culprit_observer *target,
			     struct error *err)
{
	struct replay *r = calloc(1, sizeof *r);
	uint64_t size = power_of_two_from(2ull * params->window + 2 * BATCH);
	if (r)
		r->lives = calloc(size, sizeof *r->lives);
	if (!r || !r->lives) {
		error_set(err, ERROR_SYSTEM, "out of memory for a window of %u instructions", params->window);
		free(r);
		return NULL;
	}
	r->params = *params;
	r->target = target;
	r->mask = size - 1;
	r->wrong_from = r->wrong_from_before = NEVER;
	return r;
}

void replay_destroy(struct replay *r)
{
	if (!r)
		return;
	free(r->entries);
	free(r->lives);
	free(r->undone);
	free(r);
}

/* --- lives --- */

static __attribute__((noinline)) const struct life *find_undone(const struct replay *r, uint64_t seq, uint64_t cycle)
{
	for (size_t i = 0; i < r->undone_count; i++)
		if (r->undone[i].seq == seq && r->undone[i].until >= cycle)
			return &r->undone[i].life;
	return NULL;
}

/* The instruction with this number that is in the window in `cycle`. */
static inline const struct life *life_at(const struct replay *r, uint64_t seq, uint64_t cycle)
{
	if (__builtin_expect(r->undone_count != 0, 0)) {
		const struct life *undone = find_undone(r, seq, cycle);
		if (undone)
			return undone;
	}
	return &r->lives[seq & r->mask];
}

/* The cycle is over for those that were undone in it. */
static void forget_undone(struct replay *r)
{
	size_t gone = 0;
	while (gone < r->undone_count && r->undone[gone].until <= r->now)
		gone++;
	r->undone_count -= gone;
	memmove(r->undone, r->undone + gone, r->undone_count * sizeof *r->undone);
}

/* --- what instructions wait for --- */

static inline uint8_t operation_state(const struct life *l)
{
	return l->exec_latency > 1 || l->op_class >= CULPRIT_OP_fp_add ? CULPRIT_HEAD_LGALU : CULPRIT_HEAD_SHALU;
}

static inline uint8_t miss_state(const struct life *l)
{
	return l->dlevel == CULPRIT_LEVEL_MEMORY ? CULPRIT_HEAD_L2D_MISS : CULPRIT_HEAD_L1D_MISS;
}

/* The oldest in the window, which has issued; *until: from when on it waits for something else. */
static inline uint8_t executing_state(const struct replay *r, const struct life *l, uint64_t *until)
{
	if (r->now >= l->complete) {
		bool held = r->now >= l->complete + r->params.commit_delay;
		*until = held ? NEVER : l->complete + r->params.commit_delay;
		return held ? CULPRIT_HEAD_STORE : CULPRIT_HEAD_COMMIT_DELAY;
	}
	*until = l->complete;
	if (!(l->flags & CULPRIT_LOAD))
		return operation_state(l);
	/* a load passes translation first, then the hit latency, then the miss */
	uint64_t translated = l->issue + l->dtlb, hit = translated + l->exec_latency;
	if (r->now < translated) {
		*until = translated;
		return CULPRIT_HEAD_DTLB;
	}
	if (r->now < hit) {
		*until = hit;
		return CULPRIT_HEAD_DL1;
	}
	return miss_state(l);
}

static inline uint8_t head_state(const struct replay *r, enum culprit_log_head found, uint64_t *until)
{
	static const uint8_t states[] = {
		[CULPRIT_LOG_HEAD_MOVED] = CULPRIT_HEAD_COMMITTING, [CULPRIT_LOG_HEAD_EMPTY] = CULPRIT_HEAD_EMPTY,
		[CULPRIT_LOG_HEAD_WAITS] = CULPRIT_HEAD_DISPATCH,   [CULPRIT_LOG_HEAD_PARKED] = CULPRIT_HEAD_ORDER,
		[CULPRIT_LOG_HEAD_READY] = CULPRIT_HEAD_CONTENTION,
	};
	*until = NEVER;
	if (found > CULPRIT_LOG_HEAD_EMPTY && r->head >= r->wrong_from_before)
		return CULPRIT_HEAD_WRONG_PATH;
	if (found != CULPRIT_LOG_HEAD_ISSUED)
		return states[found];
	return executing_state(r, life_at(r, r->head, r->now), until);
}

/* The operation whose result an instruction waits for, by what made it take as long as it did. */
static inline uint8_t producer_state(const struct life *l)
{
	if (!(l->flags & CULPRIT_LOAD))
		return operation_state(l);
	if (l->missed)
		return miss_state(l);
	return l->dtlb ? CULPRIT_HEAD_DTLB : CULPRIT_HEAD_DL1;
}

/* The operand that comes last decides. A store to a load's bytes is an operand if the load was ready with it and could take all of
 * them from it; else the load was ready before, or had to wait until the store left. */
static void look_at_operands(struct replay *r)
{
	const struct life *l = life_at(r, r->oldest, r->now + 1);
	r->operands = l->dispatch + r->params.dispatch_to_issue;
	r->operand_state = CULPRIT_HEAD_DISPATCH;
	r->oldest_known = true;
	for (unsigned i = 0; i < LIFE_SOURCES; i++) {
		uint64_t producer = r->oldest - l->source[i];
		if (!l->source[i] || producer < r->head)
			continue;
		const struct life *p = life_at(r, producer, r->now + 1);
		uint64_t wake = p->issue + p->wakeup;
		if (wake <= r->operands || wake > l->ready)
			continue;
		if (i == LIFE_SOURCES - 1 && !l->needs_store && (wake != l->ready || !life_covers(p, l)))
			continue;
		r->operands = wake;
		r->operand_state = producer_state(p);
	}
}

static inline uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Of the instructions dispatched before this cycle, the oldest that has not issued, and what it waits for. Where all have
 * issued and the first of this cycle will wait, that is found out now: what it waits for may have committed in the next. */
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
	/* nothing but older stores keeps a load whose operands are there */
	return r->now >= r->operands && (l->flags & CULPRIT_LOAD) ? CULPRIT_HEAD_ORDER : r->operand_state;
}

/* --- the log --- */

/* Runs end where what the head waits for changes its name. */
static void tell_runs(struct replay *r, struct culprit_cycle *e, enum culprit_log_head found, uint64_t length)
{
	while (length) {
		uint64_t until;
		uint8_t next = head_state(r, found, &until);
		uint64_t run = least(until - r->now, length);
		e->cycle = r->now;
		e->length = run;
		e->next_head = next;
		e->head = e->committed ? CULPRIT_HEAD_COMMITTING : next;
		e->issue = issue_state(r, r->dispatched - e->dispatched, next);
		e->issue_seq = r->oldest;
		r->target->cycles(r->target->context, e);
		if (r->undone_count)
			forget_undone(r);
		r->now += run;
		length -= run;
		r->wrong_from_before = r->wrong_from;
	}
}

static inline void replay_cycles(struct replay *r, const struct culprit_log_entry *entry)
{
	struct culprit_cycle e = {
		.fetch = entry->fetch,
		.dispatch = entry->dispatch,
		.why_empty = entry->why_empty,
		.rob_full = entry->flags & CULPRIT_LOG_ROB_FULL,
		.fetch_wrong_path = entry->flags & CULPRIT_LOG_WRONG_PATH,
		.front = entry->front,
	};
	uint64_t length = entry->length;
	if (entry->kind == CULPRIT_LOG_CYCLE) {
		e.committed = (uint16_t)(entry->committed - r->head);
		e.dispatched = (uint16_t)(entry->dispatched - r->dispatched);
		e.issued = entry->issued;
		e.issued_wrong_path = (uint16_t)(entry->issued_wrong_path - r->issued_wrong_path);
		r->issued_wrong_path = entry->issued_wrong_path;
		length = 1;
	}
	r->head += e.committed;
	r->dispatched += e.dispatched;
	e.head_seq = r->head;
	e.next_seq = r->dispatched;
	e.rob = (uint32_t)(r->dispatched - r->head);
	tell_runs(r, &e, (enum culprit_log_head)entry->head, length);
}

static void replay_squash(struct replay *r, uint64_t first, enum culprit_squash why)
{
	if (r->dispatched > first)
		r->dispatched = first;
	if (first < r->wrong_from || (first == r->wrong_from && why == CULPRIT_SQUASH_MISPREDICT))
		r->wrong_from = NEVER;
	if (r->oldest >= first) {
		r->oldest = first;
		r->oldest_known = false;
	}
	r->target->squashed(r->target->context, r->now, first, why);
}

/* Is every right-path instruction that is in the window after this cycle known? Those undone are told with the entries. */
static inline bool is_known(const struct replay *r, const struct culprit_log_entry *e)
{
	uint16_t moved = e->kind == CULPRIT_LOG_CYCLE ? (uint16_t)(e->dispatched - r->dispatched) : 0;
	uint64_t dispatched = r->dispatched + moved;
	return least(dispatched, r->wrong_from) <= r->known;
}

static void replay_branch(struct replay *r, const struct culprit_log_entry *e)
{
	if (e->mispredicted && !e->wrong_path)
		r->wrong_from = e->seq + 1;
	r->target->branch_fetched(r->target->context, e->seq, e->mispredicted, e->wrong_path);
}

/* False: the cycle has to wait for records. */
static bool replay_entry(struct replay *r, const struct culprit_log_entry *e)
{
	const struct culprit_observer *o = r->target;
	switch ((enum culprit_log_kind)e->kind) {
	case CULPRIT_LOG_CYCLE:
	case CULPRIT_LOG_CYCLES:
		if (!is_known(r, e))
			return false;
		replay_cycles(r, e);
		break;
	case CULPRIT_LOG_BRANCH:
		replay_branch(r, e);
		break;
	case CULPRIT_LOG_FETCH_MISSED:
		o->fetch_missed(o->context, e->seq, e->level, e->tlb_level);
		break;
	case CULPRIT_LOG_LOAD_MISSED:
		o->load_missed(o->context, r->now, e->seq, r->now + e->cycles, e->level, e->tlb_level, e->merged);
		break;
	case CULPRIT_LOG_STORE_MISSED:
		o->store_missed(o->context, r->now, e->seq, e->level, e->tlb_level, e->merged);
		break;
	case CULPRIT_LOG_SQUASHED:
		replay_squash(r, e->seq, (enum culprit_squash)e->why);
		break;
	case CULPRIT_LOG_KINDS:
		break;
	}
	return true;
}

static void replay_all(struct replay *r)
{
	while (r->taken < r->stored && replay_entry(r, &r->entries[r->taken]))
		r->taken++;
}

/* --- what comes in --- */

static bool grow(void **array, size_t *room, size_t needed, size_t size)
{
	if (needed <= *room)
		return true;
	size_t larger = power_of_two_from(needed);
	void *moved = realloc(*array, larger * size);
	if (!moved)
		return false;
	*array = moved;
	*room = larger;
	return true;
}

static bool store_entries(struct replay *r, const struct culprit_log_entry *entries, size_t count)
{
	if (!count)
		return true;
	r->stored -= r->taken;
	if (r->taken)
		memmove(r->entries, r->entries + r->taken, r->stored * sizeof *entries);
	r->taken = 0;
	if (!grow((void **)&r->entries, &r->room, r->stored + count, sizeof *entries))
		return false;
	memcpy(r->entries + r->stored, entries, count * sizeof *entries);
	r->stored += count;
	return true;
}

static bool store_undone(struct replay *r, const struct culprit_log_undone *undone, size_t count)
{
	if (!grow((void **)&r->undone, &r->undone_room, r->undone_count + count, sizeof *r->undone))
		return false;
	for (size_t i = 0; i < count; i++) {
		struct undone_life *u = &r->undone[r->undone_count++];
		u->seq = undone[i].record.seq;
		u->until = undone[i].until;
		life_take(&u->life, &undone[i].record, r->params.store_sets);
	}
	return true;
}

void replay_log(struct replay *r, const struct culprit_log_part *part)
{
	r->failed |= !store_entries(r, part->entries, part->count) ||
		     !store_undone(r, part->undone, part->undone_count);
}

void replay_records(struct replay *r, const struct culprit_record *records, size_t count)
{
	while (count && !r->failed) {
		size_t n = count < BATCH ? count : BATCH;
		for (size_t i = 0; i < n; i++)
			life_take(&r->lives[r->known++ & r->mask], &records[i], r->params.store_sets);
		replay_all(r);
		records += n;
		count -= n;
	}
}

static bool is_undone(const struct replay *r, uint64_t seq)
{
	return find_undone(r, seq, 0) != NULL;
}

bool replay_finish(struct replay *r, struct error *err)
{
	if (r->failed)
		return error_set(err, ERROR_SYSTEM, "out of memory for the pipeline log");
	/* those in flight come after all that committed */
	while (is_undone(r, r->known))
		r->known++;
	replay_all(r);
	if (r->taken != r->stored)
		return error_set(err, ERROR_INTERNAL, "%zu entries of the pipeline log have no records",
				 r->stored - r->taken);
	return true;
}
