#include "analysis/window.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void window_init(struct window *w, const struct commit_stack_params *params)
{
	commit_stack_init(&w->whole, params);
	w->distance = WINDOW_LENGTH;
}

static void empty(struct window_candidate *c)
{
	free(c->records);
	free(c->squashed);
	*c = (struct window_candidate){0};
}

void window_destroy(struct window *w)
{
	for (size_t i = 0; i < WINDOW_CANDIDATES; i++)
		empty(&w->candidates[i]);
}

static void double_distance(struct window *w)
{
	for (size_t i = 1; i < WINDOW_CANDIDATES; i++) {
		if (i % 2) {
			empty(&w->candidates[i]);
			continue;
		}
		w->candidates[i / 2] = w->candidates[i];
		w->candidates[i] = (struct window_candidate){0};
	}
	w->distance *= 2;
}

/* The candidate that the number is in, if any. It depends on the number alone: the log, which comes first, may have
 * doubled the distance before the records come. */
static struct window_candidate *candidate_of(struct window *w, uint64_t seq)
{
	while (seq / w->distance >= WINDOW_CANDIDATES)
		double_distance(w);
	return seq % w->distance < WINDOW_LENGTH ? &w->candidates[seq / w->distance] : NULL;
}

/* --- committed --- */

static void keep_record(struct window *w, struct window_candidate *c, const struct culprit_record *r)
{
	if (!c->records) {
		c->records = malloc(WINDOW_LENGTH * sizeof *c->records);
		c->previous_flags = w->previous_flags;
		c->previous_commit = w->previous_commit;
	}
	w->out_of_memory |= !c->records;
	if (c->records && c->count < WINDOW_LENGTH)
		c->records[c->count++] = *r;
}

void window_records(struct window *w, const struct culprit_record *records, size_t count)
{
	commit_stack_push(&w->whole, records, count);
	for (size_t i = 0; i < count; i++) {
		struct window_candidate *c = candidate_of(w, records[i].seq);
		if (c)
			keep_record(w, c, &records[i]);
		w->previous_flags = records[i].flags;
		w->previous_commit = records[i].commit;
	}
}

/* --- squashed --- */

static void keep_squashed(struct window *w, struct window_candidate *c, const struct window_squashed *s)
{
	if (c->squashed_count == WINDOW_SQUASHED_MOST) {
		c->squashed_lost++;
		return;
	}
	if (c->squashed_count == c->squashed_room) {
		size_t room = c->squashed_room ? 2 * c->squashed_room : 256;
		struct window_squashed *grown = realloc(c->squashed, room * sizeof *grown);
		w->out_of_memory |= !grown;
		if (!grown)
			return;
		c->squashed = grown;
		c->squashed_room = room;
	}
	c->squashed[c->squashed_count++] = *s;
}

static void squash(struct window *w, uint64_t first, uint8_t why)
{
	struct window_candidate *c = candidate_of(w, first);
	for (uint64_t seq = first; c && seq < w->fetched; seq++) {
		const struct window_squashed s = {.seq = seq,
						  .fetch = w->in_flight[seq % WINDOW_IN_FLIGHT].fetch,
						  .dispatch = w->in_flight[seq % WINDOW_IN_FLIGHT].dispatch,
						  .until = w->cycle,
						  .dispatched = seq < w->dispatched,
						  .why = why};
		keep_squashed(w, c, &s);
	}
	if (first < w->fetched)
		w->fetched = first;
	if (first < w->dispatched)
		w->dispatched = first;
}

static void advance(struct window *w, const struct culprit_log_entry *e)
{
	/* 16 bits of a number that is never far from the last */
	uint64_t dispatched = w->dispatched + (uint64_t)(int64_t)(int16_t)(e->dispatched - (uint16_t)w->dispatched);
	uint64_t fetched = dispatched + e->front;
	for (uint64_t seq = w->fetched; seq < fetched; seq++)
		w->in_flight[seq % WINDOW_IN_FLIGHT].fetch = w->cycle;
	for (uint64_t seq = w->dispatched; seq < dispatched; seq++)
		w->in_flight[seq % WINDOW_IN_FLIGHT].dispatch = w->cycle;
	w->fetched = fetched;
	w->dispatched = dispatched;
}

void window_log(struct window *w, const struct culprit_log_part *part)
{
	for (const struct culprit_log_entry *e = part->entries, *end = e + part->count; e != end; e++) {
		if (e->kind == CULPRIT_LOG_CYCLE) {
			advance(w, e);
			w->cycle++;
		} else if (e->kind == CULPRIT_LOG_CYCLES)
			w->cycle += e->length;
		else if (e->kind == CULPRIT_LOG_SQUASHED)
			squash(w, e->seq, e->why);
	}
}

/* --- at the end --- */

static double difference(const struct commit_stack *a, double a_cycles, const struct commit_stack *b, double b_cycles)
{
	double sum = 0;
	for (unsigned i = 0; i < COMMIT_ROWS; i++)
		sum += fabs((double)a->cycles[i] / a_cycles - (double)b->cycles[i] / b_cycles);
	return 50 * sum;
}

double window_off(const struct window *w, size_t candidate, uint64_t cycles)
{
	const struct window_candidate *c = &w->candidates[candidate];
	struct commit_stack part;
	commit_stack_init(&part, &w->whole.params);
	part.previous_flags = c->previous_flags;
	part.next_cycle = candidate ? c->previous_commit + 1 : 0;
	const uint64_t first = part.next_cycle;
	commit_stack_push(&part, c->records, c->count);
	double own = (double)(part.next_cycle - first);
	return difference(&part, own > 0 ? own : 1, &w->whole, cycles ? (double)cycles : 1);
}

size_t window_choose(const struct window *w, uint64_t cycles)
{
	size_t best = WINDOW_CANDIDATES, most = 0;
	double least = 0;
	for (size_t i = 0; i < WINDOW_CANDIDATES; i++) {
		const size_t count = w->candidates[i].count;
		if (!count || count < most)
			continue;
		double off = window_off(w, i, cycles);
		if (count > most || off < least) {
			best = i;
			most = count;
			least = off;
		}
	}
	return best;
}
