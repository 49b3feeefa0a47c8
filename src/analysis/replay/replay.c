#include "analysis/replay/replay.h"

#include "analysis/replay/waits.h"
#include "analysis/weights.h"
#include "base/bits.h"

#include <stdlib.h>
#include <string.h>

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
	r->wrong_from = NEVER;
	return r;
}

void replay_destroy(struct replay *r)
{
	if (!r)
		return;
	free(r->entries);
	free(r->weights);
	free(r->lives);
	free(r->squashed);
	free(r);
}

const struct life *replay_find_squashed(const struct replay *r, uint64_t seq, uint64_t cycle)
{
	for (size_t i = 0; i < r->squashed_count; i += r->squashed[i].run) {
		const struct squashed_life *u = &r->squashed[i];
		if (seq >= u->seq && seq - u->seq < u->run && u->until >= cycle)
			return &u[seq - u->seq].life;
	}
	return NULL;
}

/* Of the last ones told, how many follow each other in one squash; those before the first new one may go on in it. */
static void count_runs(struct replay *r, size_t first)
{
	for (size_t i = r->squashed_count; i-- > 0;) {
		struct squashed_life *u = &r->squashed[i];
		const bool goes_on = i + 1 < r->squashed_count && u[1].seq == u->seq + 1 && u[1].until == u->until;
		if (i < first && !goes_on)
			return;
		u->run = goes_on ? u[1].run + 1 : 1;
	}
}

/* --- the log --- */

/* The cycle is over for those that were squashed in it. */
static void forget_squashed(struct replay *r)
{
	size_t gone = 0;
	while (gone < r->squashed_count && r->squashed[gone].until <= r->now)
		gone++;
	r->squashed_count -= gone;
	memmove(r->squashed, r->squashed + gone, r->squashed_count * sizeof *r->squashed);
}

enum { DISPATCH, COMMIT }; /* of weights */

/* Those of `count` instructions from `first` on. What is not known is of a wrong path, and takes one. */
static uint64_t slots_of(const struct replay *r, uint64_t first, uint64_t count, unsigned which)
{
	uint64_t slots = 0;
	if (!r->weights)
		return count;
	for (uint64_t seq = first; seq < first + count; seq++)
		slots += seq < r->known && seq < r->wrong_from ? r->weights[seq & r->mask][which] : 1;
	return slots;
}

/* Of instructions. */
struct moved {
	uint64_t dispatched, committed;
};

/* Runs end where what the head waits for changes its name. */
static void tell_runs(struct replay *r, struct culprit_cycle *e, const struct moved *moved, uint8_t stop,
		      uint64_t length)
{
	while (length) {
		uint64_t until;
		uint8_t next = head_state(r, stop, &until);
		uint64_t run = least(until - r->now, length);
		e->cycle = r->now;
		e->length = run;
		e->next_head = next;
		e->head = moved->committed ? CULPRIT_HEAD_COMMITTING : next;
		e->issue = issue_state(r, r->dispatched - moved->dispatched, next);
		e->issue_seq = r->oldest;
		r->target->cycles(r->target->context, e);
		if (r->squashed_count)
			forget_squashed(r);
		r->now += run;
		length -= run;
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
	struct moved moved = {0, 0};
	if (entry->kind == CULPRIT_LOG_CYCLE) {
		moved.committed = (uint16_t)(entry->committed - r->head);
		moved.dispatched = (uint16_t)(entry->dispatched - r->dispatched);
		e.committed = (uint16_t)slots_of(r, r->head, moved.committed, COMMIT);
		e.dispatched = (uint16_t)slots_of(r, r->dispatched, moved.dispatched, DISPATCH);
		e.issued = entry->issued;
		e.issued_wrong_path = (uint16_t)(entry->issued_wrong_path - r->issued_wrong_path);
		r->issued_wrong_path = entry->issued_wrong_path;
		length = 1;
	}
	r->head += moved.committed;
	r->dispatched += moved.dispatched;
	e.head_seq = r->head;
	e.next_seq = r->dispatched;
	e.rob = (uint32_t)(r->dispatched - r->head);
	tell_runs(r, &e, &moved, entry->stop, length);
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

/* Is every right-path instruction that is in the window after this cycle known? Those squashed are told with the
 * entries. */
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
		o->store_missed(o->context, r->now, e->seq, r->now + e->cycles, e->level, e->tlb_level, e->merged);
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

/* The array, moved if it had to grow; NULL: no memory. */
static void *grown(void *array, size_t *room, size_t needed, size_t size)
{
	if (needed <= *room)
		return array;
	size_t larger = power_of_two_from(needed);
	void *moved = realloc(array, larger * size);
	*room = moved ? larger : *room;
	return moved;
}

static bool store_entries(struct replay *r, const struct culprit_log_entry *entries, size_t count)
{
	if (!count)
		return true;
	r->stored -= r->taken;
	if (r->taken)
		memmove(r->entries, r->entries + r->taken, r->stored * sizeof *entries);
	r->taken = 0;
	struct culprit_log_entry *room = grown(r->entries, &r->room, r->stored + count, sizeof *entries);
	if (!room)
		return false;
	r->entries = room;
	memcpy(r->entries + r->stored, entries, count * sizeof *entries);
	r->stored += count;
	return true;
}

static bool store_squashed(struct replay *r, const struct culprit_log_squashed *squashed, size_t count)
{
	if (!count)
		return true;
	struct squashed_life *room = grown(r->squashed, &r->squashed_room, r->squashed_count + count, sizeof *room);
	if (!room)
		return false;
	r->squashed = room;
	for (size_t i = 0; i < count; i++) {
		struct squashed_life *u = &r->squashed[r->squashed_count++];
		u->seq = squashed[i].record.seq;
		u->until = squashed[i].until;
		life_take(&u->life, &squashed[i].record, r->params.store_sets);
	}
	count_runs(r, r->squashed_count - count);
	return true;
}

void replay_log(struct replay *r, const struct culprit_log_part *part)
{
	r->failed = r->failed || !store_entries(r, part->entries, part->count) ||
		    !store_squashed(r, part->squashed, part->squashed_count);
}

static bool begin_weighing(struct replay *r)
{
	r->weights = malloc((r->mask + 1) * sizeof *r->weights);
	if (r->weights)
		memset(r->weights, 1, (r->mask + 1) * sizeof *r->weights);
	r->slots = (struct replay_slots){r->known, r->known, r->known, 0};
	r->failed = !r->weights;
	return !r->failed;
}

static void weigh(struct replay *r, const struct culprit_record *record)
{
	if (!r->params.weighs || (!r->weights && (!weights_unusual(record) || !begin_weighing(r))))
		return;
	const uint32_t dispatch = culprit_weight(record->dispatch_slots), commit = culprit_weight(record->commit_slots);
	uint8_t *of = r->weights[r->known & r->mask];
	of[DISPATCH] = (uint8_t)dispatch;
	of[COMMIT] = (uint8_t)commit;
	r->slots.dispatch += dispatch;
	r->slots.heavy += dispatch > 1 ? dispatch : 0;
	r->slots.issue += culprit_weight(record->issue_slots);
	r->slots.commit += commit;
}

bool replay_weighs(const struct replay *r, struct replay_slots *slots)
{
	*slots = r->slots;
	return r->weights != NULL;
}

void replay_records(struct replay *r, const struct culprit_record *records, size_t count)
{
	while (count && !r->failed) {
		size_t n = count < BATCH ? count : BATCH;
		for (size_t i = 0; i < n; i++) {
			weigh(r, &records[i]);
			life_take(&r->lives[r->known++ & r->mask], &records[i], r->params.store_sets);
		}
		replay_all(r);
		records += n;
		count -= n;
	}
}

static bool is_squashed(const struct replay *r, uint64_t seq)
{
	return replay_find_squashed(r, seq, 0) != NULL;
}

bool replay_finish(struct replay *r, struct error *err)
{
	if (r->failed)
		return error_set(err, ERROR_SYSTEM, "out of memory for the pipeline log");
	/* those in flight come after all that committed */
	for (; is_squashed(r, r->known); r->known++)
		if (r->weights) /* which nobody has told */
			memset(r->weights[r->known & r->mask], 1, sizeof *r->weights);
	replay_all(r);
	if (r->taken != r->stored)
		return error_set(err, ERROR_INTERNAL, "%zu entries of the pipeline log have no records",
				 r->stored - r->taken);
	return true;
}
