/* The pipe: every record, every entry of the log and every squashed instruction arrives once and in order, the log
 * before the records of what committed meanwhile, in line and threaded, whatever the sizes of batches, however slow a
 * reader is, and however many there are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "analysis/pipe.h"

/* --- reading: numbers count up from 0 in each of the three streams --- */

struct seen {
	uint64_t entries, squashed, records;
	uint64_t wrong; /* that were not what comes next, or not in time */
	bool slow;	/* now and then, at first */
	uint64_t calls;
};

static void fall_behind(struct seen *s)
{
	const struct timespec pause = {.tv_nsec = 1000000};
	if (s->slow && s->calls++ % 8 == 0 && s->calls < 400)
		nanosleep(&pause, NULL);
}

/* Squashed before the entry with number `until`: told with it, or earlier. */
static void note_log(void *context, const struct culprit_log_part *part)
{
	struct seen *s = context;
	for (size_t i = 0; i < part->squashed_count; i++) {
		const struct culprit_log_squashed *u = &part->squashed[i];
		s->wrong += u->record.seq != s->squashed++ || u->until < s->entries;
	}
	for (size_t i = 0; i < part->count; i++) {
		const struct culprit_log_entry *e = &part->entries[i];
		s->wrong += e->kind != CULPRIT_LOG_BRANCH || e->seq != s->entries++;
	}
	fall_behind(s);
}

/* `pc`: entries written before it committed; `mem_addr`: squashed ones. */
static void note_records(void *context, const struct culprit_record *records, size_t count)
{
	struct seen *s = context;
	for (size_t i = 0; i < count; i++) {
		s->wrong += records[i].seq != s->records++;
		s->wrong += records[i].pc > s->entries || records[i].mem_addr > s->squashed;
	}
	fall_behind(s);
}

/* Of those who read no log. */
static void note_alone(void *context, const struct culprit_record *records, size_t count)
{
	struct seen *s = context;
	for (size_t i = 0; i < count; i++)
		s->wrong += records[i].seq != s->records++;
}

/* --- writing, as the core does --- */

struct writer {
	struct pipe *pipe;
	const struct culprit_record_sink *sink;
	struct culprit_log *log; /* or NULL */
	struct culprit_record *room;
	size_t room_count, stored;
	uint64_t entries, squashed, records;
};

static void write_entry(struct writer *w)
{
	if (w->log->next == w->log->end)
		w->log->full(w->log->context);
	*w->log->next++ = (struct culprit_log_entry){.kind = CULPRIT_LOG_BRANCH, .seq = w->entries++};
}

static void write_squashed(struct writer *w)
{
	struct culprit_record r = {.seq = w->squashed++};
	w->log->squashed(w->log->context, &r, w->entries);
}

static void hand_over(struct writer *w)
{
	if (w->stored)
		w->sink->records(w->sink->context, w->room, w->stored);
	w->stored = 0;
	w->room = w->sink->room(w->sink->context, &w->room_count);
}

static void write_record(struct writer *w)
{
	w->room[w->stored++] = (struct culprit_record){.seq = w->records++, .pc = w->entries, .mem_addr = w->squashed};
	if (w->stored == w->room_count)
		hand_over(w);
}

static struct writer begin(struct seen *seen, bool threaded, bool with_log)
{
	struct error err;
	struct pipe_reader reader = {seen, note_records, with_log ? note_log : NULL, false};
	struct writer w = {.pipe = pipe_create(&reader, 1, threaded, &err)};
	assert_non_null(w.pipe);
	w.sink = pipe_sink(w.pipe);
	w.log = pipe_log(w.pipe);
	assert_int_equal(w.log != NULL, with_log);
	hand_over(&w);
	return w;
}

/* Everything that was written has been read. */
static void check_all(const struct writer *w, const struct seen *seen)
{
	assert_int_equal(seen->wrong, 0);
	assert_int_equal(seen->entries, w->entries);
	assert_int_equal(seen->squashed, w->squashed);
	assert_int_equal(seen->records, w->records);
}

static void finish(struct writer *w, const struct seen *seen)
{
	hand_over(w);
	pipe_finish(w->pipe);
	check_all(w, seen);
}

/* --- what happens in a run --- */

struct mix {
	unsigned entries, squashed, records; /* of each step; nothing else in between */
};

static const struct mix mixes[] = {
	{1, 0, 1},    /* as usual */
	{5, 0, 1},    /* the log's memory is full before that of records */
	{0, 0, 1},    /* a log with nothing in it */
	{1, 0, 0},    /* nothing commits */
	{3, 7, 2},    /* more squashed than a part of the log has room for */
	{0, 1, 0},    /* a part without entries */
	{0, 300, 40}, /* a whole window at once */
};
enum { MIXES = sizeof mixes / sizeof *mixes, STEPS = 9000 };

static void step(struct writer *w, const struct mix *m)
{
	for (unsigned i = 0; i < m->squashed; i++)
		write_squashed(w);
	for (unsigned i = 0; i < m->entries; i++)
		write_entry(w);
	for (unsigned i = 0; i < m->records; i++)
		write_record(w);
}

static void run_mixes(bool threaded, bool slow, unsigned steps)
{
	for (unsigned i = 0; i < MIXES; i++) {
		struct seen seen = {.slow = slow};
		struct writer w = begin(&seen, threaded, true);
		for (unsigned n = 0; n < steps; n++)
			step(&w, &mixes[i]);
		finish(&w, &seen);
		pipe_destroy(w.pipe);
	}
}

static void test_in_line(void **state)
{
	run_mixes(false, false, STEPS);
	(void)state;
}

static void test_threaded(void **state)
{
	run_mixes(true, false, STEPS);
	(void)state;
}

/* The writer fills the ring many times and has to wait: nothing may be written over what has not been read. */
static void test_slow_reader(void **state)
{
	run_mixes(true, true, STEPS);
	(void)state;
}

/* Batches of every size, even of one record, as when a run ends. */
static void test_partial_batches(void **state)
{
	for (unsigned threaded = 0; threaded < 2; threaded++) {
		struct seen seen = {0};
		struct writer w = begin(&seen, threaded, true);
		for (size_t size = 1; size <= 400; size++) {
			for (size_t i = 0; i < size; i++)
				step(&w, &mixes[size % MIXES]);
			hand_over(&w);
		}
		finish(&w, &seen);
		pipe_destroy(w.pipe);
	}
	(void)state;
}

static void test_records_alone(void **state)
{
	for (unsigned threaded = 0; threaded < 2; threaded++) {
		struct seen seen = {0};
		struct writer w = begin(&seen, threaded, false);
		for (unsigned i = 0; i < STEPS; i++)
			write_record(&w);
		finish(&w, &seen);
		pipe_destroy(w.pipe);
	}
	(void)state;
}

/* Whoever has finished may go on, and what comes then is read too. */
static void test_finishes_again(void **state)
{
	for (unsigned threaded = 0; threaded < 2; threaded++) {
		struct seen seen = {0};
		struct writer w = begin(&seen, threaded, true);
		finish(&w, &seen);
		for (unsigned n = 1; n < 3000; n = 2 * n + 1) {
			for (unsigned i = 0; i < n; i++)
				step(&w, &mixes[n % 3]);
			finish(&w, &seen);
		}
		pipe_destroy(w.pipe);
	}
	(void)state;
}

/* Parts of any size, from who has them already. */
static void put_parts(struct writer *w, unsigned entries, unsigned squashed, unsigned records)
{
	static struct culprit_log_entry e[5000];
	static struct culprit_log_squashed s[100];
	static struct culprit_record r[1000];
	const struct culprit_log_part part = {e, entries, s, squashed};
	for (unsigned i = 0; i < squashed; i++)
		s[i] = (struct culprit_log_squashed){.record.seq = w->squashed++, .until = w->entries};
	for (unsigned i = 0; i < entries; i++)
		e[i] = (struct culprit_log_entry){.kind = CULPRIT_LOG_BRANCH, .seq = w->entries++};
	for (unsigned i = 0; i < records; i++)
		r[i] = (struct culprit_record){.seq = w->records++, .pc = w->entries, .mem_addr = w->squashed};
	pipe_put_log(w->pipe, &part);
	pipe_put_records(w->pipe, r, records);
}

static void test_put(void **state)
{
	for (unsigned threaded = 0; threaded < 2; threaded++)
		for (unsigned with_log = 0; with_log < 2; with_log++) {
			struct seen seen = {0};
			struct writer w = begin(&seen, threaded, with_log);
			for (unsigned n = 0; n < 300; n++)
				put_parts(&w, with_log ? 7919 * n % 5000 : 0, with_log ? 31 * n % 100 : 0,
					  613 * n % 1000);
			finish(&w, &seen);
			put_parts(&w, 3, 0, 0); /* nobody reads the log: dropped */
			w.entries -= with_log ? 0 : 3;
			finish(&w, &seen);
			pipe_destroy(w.pipe);
		}
	(void)state;
}

/* A run that fails: what has been read is right, and nothing hangs, be the thread asleep, at work or not begun. */
static void test_destroyed_at_any_time(void **state)
{
	for (unsigned way = 0; way < 4; way++) {
		for (unsigned steps = 0; steps < 8000; steps = 2 * steps + 100) {
			struct seen seen = {.slow = way / 2};
			struct writer w = begin(&seen, way % 2, true);
			for (unsigned i = 0; i < steps; i++)
				step(&w, &mixes[0]);
			pipe_destroy(w.pipe);
			assert_int_equal(seen.wrong, 0);
			assert_true(seen.entries <= w.entries && seen.records <= w.records);
		}
	}
	pipe_destroy(NULL);
	(void)state;
}

/* Several read the same memory, some in threads of their own, each in its time. */
enum { SLOW, FAST, NO_LOG, SHARED, ALSO_SHARED, LOG_ALONE, READERS };

static struct writer begin_many(struct seen *seen, bool threaded)
{
	struct error err;
	const struct pipe_reader readers[READERS] = {
		[SLOW] = {&seen[SLOW], note_records, note_log, true},
		[FAST] = {&seen[FAST], note_records, note_log, true},
		[NO_LOG] = {&seen[NO_LOG], note_alone, NULL, true},
		[SHARED] = {&seen[SHARED], note_records, note_log, false},
		[ALSO_SHARED] = {&seen[ALSO_SHARED], note_alone, NULL, false},
		[LOG_ALONE] = {&seen[LOG_ALONE], NULL, note_log, false},
	};
	struct writer w = {.pipe = pipe_create(readers, READERS, threaded, &err)};
	assert_non_null(w.pipe);
	w.sink = pipe_sink(w.pipe);
	w.log = pipe_log(w.pipe);
	hand_over(&w);
	return w;
}

static void test_many_readers(void **state)
{
	for (unsigned threaded = 0; threaded < 2; threaded++) {
		struct seen seen[READERS] = {[SLOW] = {.slow = true}};
		struct writer w = begin_many(seen, threaded);
		for (unsigned i = 0; i < 3 * STEPS; i++) {
			step(&w, &mixes[i / 1000 % MIXES]);
			if (i % STEPS == 0)
				pipe_finish(w.pipe);
		}
		hand_over(&w);
		pipe_finish(w.pipe);
		for (unsigned i = 0; i < READERS; i++) {
			assert_int_equal(seen[i].wrong, 0);
			assert_int_equal(seen[i].records, i == LOG_ALONE ? 0 : w.records);
			assert_int_equal(seen[i].entries, i == NO_LOG || i == ALSO_SHARED ? 0 : w.entries);
		}
		pipe_destroy(w.pipe);
	}
	(void)state;
}

static void test_many_destroyed(void **state)
{
	for (unsigned steps = 0; steps < 8000; steps = 2 * steps + 100) {
		struct seen seen[READERS] = {[SLOW] = {.slow = true}};
		struct writer w = begin_many(seen, true);
		for (unsigned i = 0; i < steps; i++)
			step(&w, &mixes[0]);
		pipe_destroy(w.pipe);
		for (unsigned i = 0; i < READERS; i++)
			assert_true(!seen[i].wrong && seen[i].records <= w.records);
	}
	assert_true(pipe_processors() >= 1);
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_in_line),	      cmocka_unit_test(test_threaded),
		cmocka_unit_test(test_slow_reader),   cmocka_unit_test(test_partial_batches),
		cmocka_unit_test(test_records_alone), cmocka_unit_test(test_finishes_again),
		cmocka_unit_test(test_put),	      cmocka_unit_test(test_destroyed_at_any_time),
		cmocka_unit_test(test_many_readers),  cmocka_unit_test(test_many_destroyed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
