/* What a replay makes of the log and the records is what a plain loop, cycle by cycle, sees in the core: random
 * programs on random machines, each run twice. The log comes through the pipe, in line and threaded; the records with it,
 * or when it is complete. The records are the same, too.
 *
 * One thing the plain loop cannot know: that a load which is not ready, although its operands are there, will turn
 * out to wait for an older store. It then names the operands or issue slots, and the replay must name the store. */
#include "analysis/pipe.h"
#include "sanitized.h"
#include "analysis/replay/replay.h"
#include "any_machine.h"
#include "plain_loop.h"
#include "random_machine.h"
#include "random_program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#ifdef SANITIZED
enum { PROGRAMS = 4 }; /* each takes ten times as long there */
#else
enum { PROGRAMS = 24 };
#endif
enum { MACHINES_EACH = 3, CODE_BYTES = 60000 };

enum event_kind { EVENT_CYCLES, EVENT_BRANCH, EVENT_FETCH, EVENT_LOAD, EVENT_STORE, EVENT_SQUASH };

struct event {
	enum event_kind kind;
	uint64_t a, b, c, d;
	struct culprit_cycle cycle;
};

struct events {
	struct event *all;
	size_t count, room;
};

struct heard {
	struct events events;
	struct replay *replay;
	struct culprit_record *records;
	size_t record_count;
	bool at_once; /* the replay gets the records all together, when the log is complete */
};

/* --- listening --- */

static void keep(void *context, struct event e)
{
	struct events *v = context;
	if (v->count == v->room) {
		v->room = v->room ? v->room * 2 : 4096;
		v->all = realloc(v->all, v->room * sizeof *v->all);
		assert_non_null(v->all);
	}
	v->all[v->count++] = e;
}

static void on_branch(void *context, uint64_t seq, bool mispredicted, bool wrong_path)
{
	keep(context, (struct event){.kind = EVENT_BRANCH, .a = seq, .b = mispredicted, .c = wrong_path});
}

static void on_fetch_missed(void *context, uint64_t seq, uint8_t ilevel, uint8_t itlb_level)
{
	keep(context, (struct event){.kind = EVENT_FETCH, .a = seq, .b = ilevel, .c = itlb_level});
}

static void on_load_missed(void *context, uint64_t cycle, uint64_t seq, uint64_t completes, uint8_t level,
			   uint8_t tlb_level, bool merged)
{
	keep(context, (struct event){.kind = EVENT_LOAD,
				     .a = cycle,
				     .b = seq,
				     .c = completes,
				     .d = level + 8u * tlb_level + 64u * merged});
}

static void on_store_missed(void *context, uint64_t cycle, uint64_t seq, uint64_t written, uint8_t level,
			    uint8_t tlb_level, bool merged)
{
	keep(context, (struct event){.kind = EVENT_STORE,
				     .a = cycle,
				     .b = seq,
				     .c = written,
				     .d = level + 8u * tlb_level + 64u * merged});
}

static void on_squashed(void *context, uint64_t cycle, uint64_t first, enum culprit_squash why)
{
	keep(context, (struct event){.kind = EVENT_SQUASH, .a = cycle, .b = first, .c = why});
}

static void on_cycles(void *context, const struct culprit_cycle *c)
{
	keep(context, (struct event){.kind = EVENT_CYCLES, .cycle = *c});
}

static struct culprit_observer observer_of(struct events *v)
{
	return (struct culprit_observer){.context = v,
					 .branch_fetched = on_branch,
					 .fetch_missed = on_fetch_missed,
					 .load_missed = on_load_missed,
					 .store_missed = on_store_missed,
					 .squashed = on_squashed,
					 .cycles = on_cycles};
}

/* --- comparing --- */

struct comparison {
	const struct heard *logged;
	uint64_t now;
	uint64_t held; /* cycles in which only the replay names a store */
};

/* A load that will be ready later, and has an older store to wait for. Squashed ones have no record. */
static void check_held(struct comparison *x, uint64_t seq)
{
	x->held++;
	if (seq >= x->logged->record_count)
		return;
	const struct culprit_record *r = &x->logged->records[seq];
	assert_true(r->flags & CULPRIT_LOAD);
	assert_true(r->mem_producer || r->order_waited);
	assert_true(r->ready > x->now || (r->flags & CULPRIT_REPLAYED));
}

static void compare_issue(struct comparison *x, const struct culprit_cycle *seen, const struct culprit_cycle *made)
{
	if (made->issue == CULPRIT_HEAD_ORDER && seen->issue != CULPRIT_HEAD_ORDER) {
		assert_int_not_equal(seen->issue, CULPRIT_HEAD_EMPTY);
		check_held(x, made->issue_seq);
	} else {
		assert_int_equal(seen->issue, made->issue);
	}
	if (made->issue != CULPRIT_HEAD_EMPTY)
		assert_int_equal(seen->issue_seq, made->issue_seq);
}

static void compare_cycle(struct comparison *x, const struct culprit_cycle *seen, const struct culprit_cycle *made)
{
	assert_int_equal(seen->head_seq, made->head_seq);
	assert_int_equal(seen->next_seq, made->next_seq);
	assert_int_equal(seen->rob, made->rob);
	assert_int_equal(seen->front, made->front);
	assert_int_equal(seen->committed, made->committed);
	assert_int_equal(seen->dispatched, made->dispatched);
	assert_int_equal(seen->issued, made->issued);
	assert_int_equal(seen->issued_wrong_path, made->issued_wrong_path);
	assert_int_equal(seen->fetch, made->fetch);
	assert_int_equal(seen->dispatch, made->dispatch);
	assert_int_equal(seen->head, made->head);
	assert_int_equal(seen->next_head, made->next_head);
	assert_int_not_equal(made->next_head, CULPRIT_HEAD_OTHER); /* the core knows */
	assert_int_equal(seen->why_empty, made->why_empty);
	assert_int_equal(seen->rob_full, made->rob_full);
	assert_int_equal(seen->fetch_wrong_path, made->fetch_wrong_path);
	compare_issue(x, seen, made);
}

static void compare_event(const struct event *seen, const struct event *made)
{
	assert_int_equal(seen->kind, made->kind);
	assert_int_equal(seen->a, made->a);
	assert_int_equal(seen->b, made->b);
	assert_int_equal(seen->c, made->c);
	assert_int_equal(seen->d, made->d);
}

/* Runs of cycles may be cut in other places. */
static void compare(struct comparison *x, const struct events *seen)
{
	const struct events *made = &x->logged->events;
	size_t i = 0, k = 0;
	uint64_t in_i = 0, in_k = 0;
	while (i < seen->count && k < made->count) {
		const struct event *s = &seen->all[i], *t = &made->all[k];
		if (s->kind != EVENT_CYCLES || t->kind != EVENT_CYCLES) {
			compare_event(s, t);
			i++;
			k++;
			continue;
		}
		assert_int_equal(s->cycle.cycle + in_i, x->now);
		assert_int_equal(t->cycle.cycle + in_k, x->now);
		compare_cycle(x, &s->cycle, &t->cycle);
		uint64_t left_i = s->cycle.length - in_i, left_k = t->cycle.length - in_k;
		uint64_t both = left_i < left_k ? left_i : left_k;
		x->now += both;
		in_i = both == left_i ? 0 : in_i + both;
		in_k = both == left_k ? 0 : in_k + both;
		i += both == left_i;
		k += both == left_k;
	}
	assert_int_equal(i, seen->count);
	assert_int_equal(k, made->count);
}

/* --- running --- */

static void take_log(void *context, const struct culprit_log_part *part)
{
	struct heard *l = context;
	replay_log(l->replay, part);
}

static void keep_records(void *context, const struct culprit_record *records, size_t count)
{
	struct heard *h = context;
	h->records = realloc(h->records, (h->record_count + count) * sizeof *records);
	assert_non_null(h->records);
	memcpy(h->records + h->record_count, records, count * sizeof *records);
	h->record_count += count;
}

static void take_records(void *context, const struct culprit_record *records, size_t count)
{
	struct heard *h = context;
	keep_records(h, records, count);
	if (!h->at_once)
		replay_records(h->replay, records, count);
}

/* Until `stop` instructions have committed, where the pipeline may be full. */
static void run(struct core *c, uint64_t stop)
{
	struct error err;
	if (core_run(c, stop, &err) == CORE_STOP_ERROR)
		fail_msg("%s", err.text);
	core_flush_records(c);
}

static void run_plainly(const struct machine *m, const uint8_t *code, uint64_t stop, struct heard *h)
{
	struct error err;
	struct guest *g = bare_guest_create(code, CODE_BYTES);
	struct core *c = core_create(m, g, &err);
	assert_non_null(c);
	struct culprit_observer observer = observer_of(&h->events);
	struct culprit_record_sink sink = {.context = h, .records = keep_records};
	struct plain_loop loop = {.core = c, .observer = &observer, .records = &sink};
	plain_loop_begin(&loop);
	plain_loop_run(&loop, stop);
	plain_loop_end(&loop);
	core_destroy(c);
	guest_destroy(g);
}

static void run_logged(const struct machine *m, const uint8_t *code, uint64_t stop, bool threaded, struct heard *l)
{
	struct error err;
	struct guest *g = bare_guest_create(code, CODE_BYTES);
	struct core *c = core_create(m, g, &err);
	struct replay_params params;
	struct culprit_observer observer = observer_of(&l->events);
	replay_params_from_machine(&params, m);
	l->replay = replay_create(&params, &observer, &err);
	struct pipe_reader reader = {l, take_records, take_log, false};
	struct pipe *pipe = pipe_create(&reader, 1, threaded, &err);
	assert_true(c && l->replay && pipe);
	core_record(c, pipe_sink(pipe), pipe_log(pipe));
	run(c, stop);
	pipe_finish(pipe);
	if (l->at_once)
		replay_records(l->replay, l->records, l->record_count);
	if (!replay_finish(l->replay, &err))
		fail_msg("%s", err.text);
	pipe_destroy(pipe);
	replay_destroy(l->replay);
	core_destroy(c);
	guest_destroy(g);
}

static void try(const struct machine *m, const uint8_t *code, uint64_t stop, bool threaded, bool at_once)
{
	struct heard seen = {.records = NULL}, logged = {.at_once = at_once};
	struct comparison x = {.logged = &logged};
	run_plainly(m, code, stop, &seen);
	run_logged(m, code, stop, threaded, &logged);
	assert_int_equal(seen.record_count, logged.record_count);
	assert_memory_equal(seen.records, logged.records, seen.record_count * sizeof *seen.records);
	compare(&x, &seen.events);
	print_message("  %llu cycles, a store named instead in %llu\n", (unsigned long long)x.now,
		      (unsigned long long)x.held);
	free(seen.events.all);
	free(seen.records);
	free(logged.events.all);
	free(logged.records);
}

static uint64_t number(const char *variable, uint64_t otherwise)
{
	const char *text = getenv(variable);
	return text ? strtoull(text, NULL, 0) : otherwise;
}

static void try_seed(uint64_t seed, uint8_t *code)
{
	struct random_source r = {~seed};
	memset(code, 0, CODE_BYTES);
	random_program(seed, code, CODE_BYTES);
	for (unsigned i = 0; i <= MACHINES_EACH; i++) { /* the last one anywhere */
		struct machine m;
		if (i < MACHINES_EACH)
			random_machine(&m, &r);
		else
			any_machine(&m, &r);
		m.issue_late_addend = 0; /* the plain loop takes every operand to be there at issue */
		uint64_t stop = random_below(&r, 2) ? UINT64_MAX : 1 + random_below(&r, 5000);
		print_message("seed %llu machine %u: %s, ideal %x\n", (unsigned long long)seed, i, m.name, m.ideal);
		try(&m, code, stop, random_below(&r, 2), i % 2);
	}
}

static void random_programs(void **state)
{
	uint8_t *code = malloc(CODE_BYTES);
	assert_non_null(code);
	uint64_t seed = number("CULPRIT_RANDOM_SEED", 1), end = seed + number("CULPRIT_RANDOM_PROGRAMS", PROGRAMS);
	for (; seed < end; seed++)
		try_seed(seed, code);
	free(code);
	(void)state;
}

/* Programs that once told them apart. 3001172: what makes an atomic's operand commits before it wakes anybody.
 * 3001393: a store set names the store that writes a part of what the load reads. 3018885: 3001172's atomic is
 * dispatched when all others have issued. 5046: what makes a load's operand has left before the load came, and wakes
 * it ten cycles later: no store holds it. 5112: a load from memory that takes more cycles than a record's `wakeup`
 * counts. */
static void found(void **state)
{
	static const uint64_t seeds[] = {3001172, 3001393, 3018885, 5046, 5112};
	uint8_t *code = malloc(CODE_BYTES);
	assert_non_null(code);
	for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++)
		try_seed(seeds[i], code);
	free(code);
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(random_programs), cmocka_unit_test(found)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
