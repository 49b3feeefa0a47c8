/* What needs the log: the replay, by all that it tells an observer; counter stacks; the pipe, with threads; windows for a picture. */
#include "net.h"

#include "analysis/pipe.h"
#include "analysis/replay/replay.h"
#include "analysis/stacks/stacks.h"
#include "analysis/window.h"
#include "machine_figures.h"

#include <stdlib.h>
#include <string.h>

/* --- an observer that writes all down --- */

static void add_words(void *context, const uint64_t *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		net_add(context, words[i]);
}

static void branch_fetched(void *context, uint64_t seq, bool mispredicted, bool wrong_path)
{
	add_words(context, (const uint64_t[]){1, seq, mispredicted, wrong_path}, 4);
}

static void fetch_missed(void *context, uint64_t seq, uint8_t ilevel, uint8_t itlb_level)
{
	add_words(context, (const uint64_t[]){2, seq, ilevel, itlb_level}, 4);
}

static void load_missed(void *context, uint64_t cycle, uint64_t seq, uint64_t completes, uint8_t level,
			uint8_t tlb_level, bool merged)
{
	add_words(context, (const uint64_t[]){3, cycle, seq, completes, level, tlb_level, merged}, 7);
}

static void store_missed(void *context, uint64_t cycle, uint64_t seq, uint64_t written, uint8_t level,
			 uint8_t tlb_level, bool merged)
{
	add_words(context, (const uint64_t[]){4, cycle, seq, written, level, tlb_level, merged}, 7);
}

static void squashed(void *context, uint64_t cycle, uint64_t first, enum culprit_squash why)
{
	add_words(context, (const uint64_t[]){5, cycle, first, why}, 4);
}

static void cycles(void *context, const struct culprit_cycle *c)
{
	const uint64_t words[] = {6,
				  c->cycle,
				  c->head_seq,
				  c->length,
				  c->next_seq,
				  c->rob,
				  c->front,
				  c->dispatched,
				  c->issued,
				  c->committed,
				  c->issued_wrong_path,
				  c->fetch,
				  c->dispatch,
				  c->head,
				  c->next_head,
				  c->issue,
				  c->issue_seq,
				  c->why_empty,
				  c->rob_full,
				  c->fetch_wrong_path};
	add_words(context, words, sizeof words / sizeof *words);
}

static struct replay_params replay_params(const struct net_stream *s)
{
	struct replay_params params;
	replay_params_from_machine(&params, &s->machine);
	params.weighs = s->told == TOLD_WEIGHTS;
	return params;
}

static void feed(struct replay *replay, const struct net_stream *s)
{
	for (const struct net_batch *b = s->batches; b < s->batches + s->batch_count; b++) {
		const struct culprit_log_part part = net_log(s, b);
		if (b->is_log)
			replay_log(replay, &part);
		else
			replay_records(replay, s->records + b->first, b->count);
	}
}

void net_replay(const struct net_stream *s, FILE *out)
{
	struct net_sum sum = {0};
	struct error err = {0};
	struct replay_slots slots;
	const struct culprit_observer observer = {&sum,		branch_fetched, fetch_missed, load_missed,
						  store_missed, squashed,	cycles};
	const struct replay_params params = replay_params(s);
	struct replay *replay = replay_create(&params, &observer, &err);
	if (!replay)
		abort();
	feed(replay, s);
	net_add(&sum, replay_finish(replay, &err));
	net_add_text(&sum, err.text);
	if (replay_weighs(replay, &slots))
		add_words(&sum, (const uint64_t[]){slots.dispatch, slots.issue, slots.commit, slots.heavy}, 4);
	replay_destroy(replay);
	net_print(out, &sum);
}

/* --- counter stacks --- */

static struct stacks_params stacks_params(const struct net_stream *s)
{
	struct random_source r = net_random(s, 11);
	struct stacks_params params;
	stacks_params_from_machine(&params, &s->machine);
	if (net_chance(&r, 40))
		params.fmt_rows = 1 + random_below(&r, 6);
	if (net_chance(&r, 40))
		params.counter_bits = 2 + random_below(&r, 6);
	for (unsigned i = 0; i < FMT_RULES; i++)
		params.fmt_rules |= (uint32_t)net_chance(&r, 30) << i;
	if (net_chance(&r, 20))
		params.itlb_hit_latency = random_below(&r, 9);
	return params;
}

static void add_stacks(struct net_sum *sum, const struct stacks *stacks)
{
	char *text = NULL;
	size_t size;
	FILE *figures = open_memstream(&text, &size);
	figures_stacks(figures, stacks);
	fclose(figures);
	net_add_text(sum, text);
	for (unsigned m = 0; m < STACK_METHODS; m++)
		net_add(sum, stacks_storage_bits(stacks, (enum stack_method)m));
	net_add(sum, stacks_stage_width(stacks));
	free(text);
}

static bool finish(const struct net_stream *s, struct stacks *stacks, struct replay *replay, struct error *err)
{
	struct replay_slots slots;
	TRY(replay_finish(replay, err));
	if (replay_weighs(replay, &slots))
		stacks_weigh(stacks, slots.dispatch, slots.issue, slots.commit, slots.heavy);
	return stacks_finish(stacks, s->cycles, s->count, err);
}

void net_stacks(const struct net_stream *s, FILE *out)
{
	struct net_sum sum = {0};
	struct error err = {0};
	const struct stacks_params params = stacks_params(s);
	const struct replay_params replaying = replay_params(s);
	struct stacks *stacks = stacks_create(&params, &err);
	struct replay *replay = stacks ? replay_create(&replaying, stacks_observer(stacks), &err) : NULL;
	if (!replay)
		abort();
	feed(replay, s);
	if (!finish(s, stacks, replay, &err))
		net_add_text(&sum, err.text);
	add_stacks(&sum, stacks);
	replay_destroy(replay);
	stacks_destroy(stacks);
	net_print(out, &sum);
}

/* --- the pipe --- */

enum { READERS = 3 };

struct reading {
	struct net_sum records, log;
};

static void read_records(void *context, const struct culprit_record *records, size_t count)
{
	struct reading *r = context;
	for (size_t i = 0; i < count; i++)
		net_add_record(&r->records, &records[i]);
}

static void add_entry(struct net_sum *sum, const struct culprit_log_entry *e)
{
	uint64_t words[2];
	_Static_assert(sizeof words == sizeof *e, "two words");
	memcpy(words, e, sizeof words);
	net_add(sum, e->kind);
	net_add(sum, words[1]);
}

static void read_log(void *context, const struct culprit_log_part *part)
{
	struct reading *r = context;
	for (size_t i = 0; i < part->count; i++)
		add_entry(&r->log, &part->entries[i]);
	for (size_t i = 0; i < part->squashed_count; i++) {
		net_add_record(&r->log, &part->squashed[i].record);
		net_add(&r->log, part->squashed[i].until);
	}
}

/* Readers in line, in the thread that all share, and in one of their own see the same. */
void net_pipe(const struct net_stream *s, FILE *out)
{
	struct error err;
	struct reading readings[READERS] = {0};
	struct pipe_reader readers[READERS];
	struct net_sum sum = {0};
	for (unsigned i = 0; i < READERS; i++)
		readers[i] = (struct pipe_reader){&readings[i], i == 1 ? NULL : read_records, i == 0 ? NULL : read_log,
						  i == 2};
	struct pipe *pipe = pipe_create(readers, READERS, s->number % 2, &err);
	if (!pipe)
		abort();
	for (const struct net_batch *b = s->batches; b < s->batches + s->batch_count; b++) {
		const struct culprit_log_part part = net_log(s, b);
		if (b->is_log)
			pipe_put_log(pipe, &part);
		else
			pipe_put_records(pipe, s->records + b->first, b->count);
	}
	pipe_finish(pipe);
	for (unsigned i = 0; i < READERS; i++) {
		net_add(&sum, readings[i].records.value);
		net_add(&sum, readings[i].log.value);
	}
	pipe_destroy(pipe);
	net_print(out, &sum);
}

/* --- windows --- */

static void add_candidate(struct net_sum *sum, const struct window_candidate *c)
{
	const uint64_t words[] = {c->count, c->previous_flags, c->previous_commit, c->squashed_count, c->squashed_lost};
	add_words(sum, words, sizeof words / sizeof *words);
	for (size_t i = 0; i < c->count; i += 101)
		net_add_record(sum, &c->records[i]);
	for (size_t i = 0; i < c->squashed_count; i++) {
		const struct window_squashed *q = &c->squashed[i];
		const uint64_t squash[] = {q->seq, q->fetch, q->dispatch, q->until, q->dispatched, q->why};
		add_words(sum, squash, sizeof squash / sizeof *squash);
	}
}

void net_window(const struct net_stream *s, FILE *out)
{
	struct window *w = calloc(1, sizeof *w);
	struct net_sum sum = {0};
	const struct commit_stack_params params = commit_stack_of(&s->machine);
	const size_t times = s->number % 16 == 5 ? 60 : 1;
	struct culprit_record *all = net_repeated(s, times);
	if (!w)
		abort();
	window_init(w, &params);
	for (const struct net_batch *b = s->batches; b < s->batches + s->batch_count; b++) {
		const struct culprit_log_part part = net_log(s, b);
		if (b->is_log)
			window_log(w, &part);
		else
			window_records(w, all + b->first, b->count);
	}
	window_records(w, all + s->count, (times - 1) * s->count);
	net_add(&sum, window_choose(w, times * s->cycles));
	for (size_t i = 0; i < WINDOW_CANDIDATES; i++) {
		add_candidate(&sum, &w->candidates[i]);
		net_add_real(&sum, window_off(w, i, times * s->cycles));
	}
	window_destroy(w);
	free(w);
	free(all);
	net_print(out, &sum);
}
