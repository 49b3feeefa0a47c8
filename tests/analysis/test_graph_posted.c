/* Posted writes: stores whose entries of the store queue are free before their lines have come (params.posted_writes).
 *
 * First two stores by hand; then random streams of loads and stores, against a scheduler that goes cycle by cycle: a
 * window, a store queue, a buffer of writes that are served in order, MSHRs for whoever asked first, and one memory bus.
 * Each set of idealised classes is a run of its own, which the graph's lane is held against. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/check/check.h"
#include "culprit/graph.h"

enum { ROB = 64, SQ = 12, WIDTH = 4, FACTOR = 20, HIT = 3, NEXT = 20, MEMORY = 100, AFTER = 20, N = 4000 };
enum { ALU, LOAD, STORE };

static uint32_t below(uint64_t *s, uint32_t n)
{
	*s = *s * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((*s >> 33) % n);
}

/* --- by hand --- */

static struct culprit_record store(uint64_t seq, uint64_t commit)
{
	return (struct culprit_record){.seq = seq,
				       .length = 4,
				       .dest = 64,
				       .op_class = CULPRIT_OP_store,
				       .flags = CULPRIT_STORE,
				       .exec_latency = 1,
				       .dispatch = commit - 1,
				       .ready = commit - 1,
				       .issue = commit - 1,
				       .complete = commit,
				       .commit = commit};
}

static void times(const struct culprit_graph_params *p, const struct culprit_record *r, size_t n,
		  struct culprit_graph_results *x)
{
	static const char *const kernels[] = {"portable", "avx2", "avx512"};
	for (unsigned k = 0; k < 3; k++) {
		struct culprit_graph_params with = *p;
		with.kernel = kernels[k];
		struct culprit_graph *g = culprit_graph_create(&with, NULL);
		struct culprit_graph_results other;
		if (!g)
			continue; /* not on this host */
		assert_true(culprit_graph_push(g, r, n));
		assert_true(culprit_graph_finish(g, &other));
		culprit_graph_destroy(g);
		if (k)
			assert_memory_equal(x->time, other.time, sizeof other.time);
		*x = other;
	}
}

/* A store queue of one entry, lookups of 2 cycles, and one MSHR. The first store commits at 1 and has the MSHR at 3, until
 * its line comes at 103. Without a buffer its entry is free at 3: the second commits at 4, asks at 6, has the MSHR at 103;
 * the third, dispatched at 103, commits at 104. With a buffer of one entry the second is dispatched at 1 and commits at 2;
 * it goes into the buffer at 3; the third is dispatched at 3, and commits at 4. Where writes hold the entry until they are
 * done, the second commits at 104 and the third at 206. Without misses, and without a buffer: 1, 3 + 1, 6 + 1. */
static void three_stores(void **state)
{
	struct culprit_graph_params p = {.rob = 100, .window_factor = 20, .sq = 1, .store_writes = true, .mshrs = 1};
	p.write_hit = 2;
	culprit_graph_base_classes(&p);
	struct culprit_graph_results x;
	struct culprit_record r[] = {store(0, 1), store(1, 4), store(2, 104)};
	for (unsigned i = 0; i < 3; i++) {
		r[i].write_level = CULPRIT_LEVEL_MEMORY;
		r[i].write_miss = 100;
	}
	r[1].write_miss += r[1].mshr_wait = 103 - 6;
	r[2].write_miss += r[2].mshr_wait = 203 - 106;
	p.posted_writes = 1;
	times(&p, r, 3, &x);
	assert_int_equal(x.time[0], 104);
	assert_int_equal(x.time[CULPRIT_EVENT_BIT(dmiss)], 7);
	assert_int_equal(x.time[CULPRIT_EVENT_BIT(win)], 1);
	assert_int_equal(x.time[CULPRIT_EVENT_BIT(dmiss) | CULPRIT_EVENT_BIT(dl1)], 3);
	p.write_buffer = 1;
	times(&p, r, 3, &x);
	assert_int_equal(x.time[0], 4);
	p.posted_writes = p.write_buffer = 0;
	r[1].mshr_wait = r[2].mshr_wait = 0;
	r[1].write_miss = r[2].write_miss = 100;
	r[1].commit = r[1].complete = 104, r[2].commit = r[2].complete = 207;
	r[1].dispatch = r[1].ready = r[1].issue = 103, r[2].dispatch = r[2].ready = r[2].issue = 206;
	times(&p, r, 3, &x);
	assert_int_equal(x.time[0], 207);
	(void)state;
}

/* --- the scheduler --- */

struct op {
	uint8_t kind, level; /* 0 = it hits */
	uint32_t after;	     /* how far back what it waits for is; 0 = nothing */
};

struct core {
	uint32_t mshrs, interval, buffer;
	unsigned set;
};

struct when {
	uint64_t dispatch, issue, complete, commit, accepted, served, line, bus;
};

struct run {
	const struct op *op;
	struct when *x;
	struct core core;
	uint64_t now, mshr[8], bus, last; /* served last */
	size_t head, dispatched, accept, serve;
};

static bool idealised(const struct run *run, unsigned event)
{
	return run->core.set >> event & 1;
}

static uint64_t lookup(const struct run *run)
{
	return idealised(run, CULPRIT_EVENT_dl1) ? 0 : HIT;
}

static bool misses(const struct run *run, size_t i)
{
	return run->op[i].level && !idealised(run, CULPRIT_EVENT_dmiss);
}

static void issue(struct run *run, size_t i)
{
	struct when *x = &run->x[i];
	const struct op *op = &run->op[i];
	if (x->issue != UINT64_MAX || x->dispatch + 1 > run->now ||
	    (op->after && run->x[i - op->after].complete > run->now))
		return;
	x->issue = run->now;
	if (op->kind != LOAD)
		x->complete = run->now + 1;
	else if (!misses(run, i))
		x->complete = run->now + lookup(run);
}

static size_t next_store(const struct run *run, size_t from)
{
	while (from < run->dispatched && run->op[from].kind != STORE)
		from++;
	return from;
}

static size_t stores(const struct run *run, size_t from, size_t to)
{
	size_t n = 0;
	for (; from < to; from++)
		n += run->op[from].kind == STORE;
	return n;
}

/* A free MSHR for the miss, and the bus for its line. False: none is free. */
static bool start(struct run *run, size_t i)
{
	struct when *x = &run->x[i];
	uint32_t k = 0;
	while (k < run->core.mshrs && run->mshr[k] > run->now)
		k++;
	if (k == run->core.mshrs)
		return false;
	x->served = run->now;
	x->line = run->now + NEXT;
	if (run->op[i].level == CULPRIT_LEVEL_MEMORY) {
		const uint64_t asked = run->now + AFTER, begun = asked > run->bus ? asked : run->bus;
		x->bus = begun - asked;
		run->bus = begun + run->core.interval;
		x->line = run->now + MEMORY + x->bus;
	}
	run->mshr[k] = x->line;
	return true;
}

/* The write at the front of the line: from when it has been looking, as one that had the L1D for itself. UINT64_MAX: there
 * is none yet. */
static uint64_t write_since(const struct run *run)
{
	const size_t i = run->serve;
	if (i >= run->dispatched || run->x[i].commit > run->now)
		return UINT64_MAX;
	const uint64_t taken = run->core.buffer ? run->x[i].accepted : run->x[i].commit, look = lookup(run);
	if (taken > run->now || taken + look > run->now)
		return UINT64_MAX;
	return run->last > taken + look ? run->last - look : taken;
}

static bool write_or_load(struct run *run)
{
	uint64_t since = write_since(run);
	size_t first = since == UINT64_MAX ? SIZE_MAX : run->serve;
	if (first != SIZE_MAX && !misses(run, first))
		run->x[first].served = run->x[first].line = run->now;
	for (size_t i = run->head; i < run->dispatched; i++) {
		const struct when *x = &run->x[i];
		const bool asks = run->op[i].kind == LOAD && misses(run, i) && x->served == UINT64_MAX &&
				  x->issue != UINT64_MAX && x->issue + lookup(run) <= run->now;
		if (asks && x->issue < since && (first == SIZE_MAX || run->x[first].served != run->now))
			first = i, since = x->issue;
	}
	if (first == SIZE_MAX || (misses(run, first) && !start(run, first)))
		return false;
	if (run->op[first].kind == LOAD) {
		run->x[first].complete = run->x[first].line;
		return true;
	}
	run->last = run->now;
	run->serve = next_store(run, first + 1);
	return true;
}

static bool accept(struct run *run)
{
	const size_t i = run->accept;
	if (i >= run->dispatched || run->x[i].commit > run->now || stores(run, run->serve, i) >= run->core.buffer)
		return false;
	run->x[i].accepted = run->now;
	run->accept = next_store(run, i + 1);
	return true;
}

static bool has_room(const struct run *run)
{
	const size_t factor = idealised(run, CULPRIT_EVENT_win) ? FACTOR : 1;
	if (run->dispatched - run->head >= ROB * factor)
		return false;
	const size_t oldest = run->core.buffer ? run->accept : run->serve;
	return run->op[run->dispatched].kind != STORE || stores(run, oldest, run->dispatched) < SQ * factor;
}

static void cycle(struct run *run)
{
	for (size_t i = run->head; i < run->dispatched && run->x[i].complete < run->now; i = ++run->head)
		run->x[i].commit = run->now;
	run->serve = next_store(run, run->serve);
	run->accept = next_store(run, run->accept);
	for (size_t i = run->head; i < run->dispatched; i++)
		issue(run, i);
	for (bool accepted = true, moved = true; accepted || moved;) {
		accepted = accept(run);
		moved = write_or_load(run);
	}
	for (unsigned k = 0; (idealised(run, CULPRIT_EVENT_bw) || k < WIDTH) && run->dispatched < N && has_room(run);
	     k++)
		run->x[run->dispatched++].dispatch = run->now;
	run->now++;
}

static uint64_t simulate(const struct op *op, struct core core, struct when *x)
{
	struct run run = {.op = op, .x = x, .core = core, .now = 1};
	memset(x, 0xff, N * sizeof *x);
	for (size_t i = 0; i < N; i++)
		x[i].bus = 0;
	while (run.head < N || run.serve < N)
		cycle(&run);
	return x[N - 1].commit;
}

/* --- as records --- */

static void note(struct culprit_record *r, const struct op *op, const struct when *x, size_t i)
{
	static const uint8_t classes[] = {CULPRIT_OP_int_alu, CULPRIT_OP_load, CULPRIT_OP_store};
	*r = (struct culprit_record){.seq = i,
				     .length = 4,
				     .dest = 64,
				     .op_class = classes[op->kind],
				     .dispatch = x->dispatch,
				     .ready = x->issue,
				     .issue = x->issue,
				     .complete = x->complete,
				     .commit = x->commit,
				     .producer = {op->after},
				     .wakeup = (uint16_t)(x->complete - x->issue)};
	r->exec_latency = op->kind == LOAD ? HIT : 1;
	r->mem_addr = op->kind == ALU ? 0 : 0x10000 + 64 * i;
	r->flags = op->kind == LOAD ? CULPRIT_LOAD : op->kind == STORE ? CULPRIT_STORE : 0;
	r->bandwidth_wait = (uint16_t)x->bus;
	if (op->kind == LOAD && op->level) {
		r->dlevel = op->level;
		r->dmiss = (uint32_t)(x->complete - x->issue - HIT);
		r->mshr_wait = (uint16_t)(x->served - x->issue - HIT);
	}
	if (op->kind != STORE)
		return;
	r->write_level = op->level ? op->level : CULPRIT_LEVEL_L1;
	r->write_miss = op->level ? (uint32_t)(x->line - x->commit - HIT) : 0;
	r->mshr_wait = op->level ? (uint16_t)(x->served - x->commit - HIT) : 0;
}

static struct culprit_graph_params parameters(const struct core *core)
{
	struct culprit_graph_params p = {.frontend_stages = 1,
					 .dispatch_to_issue = 1,
					 .dispatch_width = WIDTH,
					 .rob = ROB,
					 .sq = SQ,
					 .commit_delay = 1,
					 .window_factor = FACTOR,
					 .miss_cycles = {0, 0, NEXT, NEXT, MEMORY},
					 .memory_latency = MEMORY - AFTER,
					 .memory_interval = core->interval,
					 .mshrs = core->mshrs,
					 .store_writes = true,
					 .write_hit = HIT,
					 .posted_writes = 1,
					 .write_buffer = core->buffer};
	culprit_graph_base_classes(&p);
	return p;
}

static void fill(struct op *op, uint64_t *s)
{
	const uint32_t loads = 10 + below(s, 20), writes = 10 + below(s, 25), far = below(s, 12), next = below(s, 20);
	for (size_t i = 0; i < N; i++) {
		const uint32_t k = below(s, 100), miss = below(s, 100), after = 1 + below(s, 30);
		op[i].kind = k < loads ? LOAD : k < loads + writes ? STORE : ALU;
		op[i].level = op[i].kind == ALU	  ? 0
			      : miss < far	  ? CULPRIT_LEVEL_MEMORY
			      : miss < far + next ? CULPRIT_LEVEL_L2
						  : 0;
		op[i].after = after <= i && below(s, 100) < 60 ? after : 0;
	}
}

/* The checker has nothing to say of dispatch, which is where store-queue entries are waited for. */
static void check_silent(const struct culprit_graph_params *p, const struct culprit_record *r)
{
	struct error err;
	struct check_row row;
	struct check *c = check_create(p, &err);
	assert_non_null(c);
	assert_true(check_push(c, r, N));
	for (size_t k = 0; check_contradicted(c, k, &row); k++)
		fail_msg("contradicted: %s", row.first);
	for (size_t k = 0; check_early(c, k, &row); k++)
		if (row.node == CHECK_DISPATCH)
			fail_msg("early: %s", row.first);
	check_destroy(c);
}

static const unsigned sets[] = {0,
				CULPRIT_EVENT_BIT(win),
				CULPRIT_EVENT_BIT(dmiss),
				CULPRIT_EVENT_BIT(dl1),
				CULPRIT_EVENT_BIT(bw),
				CULPRIT_EVENT_BIT(win) | CULPRIT_EVENT_BIT(bw),
				CULPRIT_EVENT_BIT(win) | CULPRIT_EVENT_BIT(dmiss)};
enum { SETS = sizeof sets / sizeof *sets };

/* Where the graph holds entries until writes are done: mean 15.7%, worst 102%; where it knows of no writes: 4.5% and 38%.
 * What is left is of larger windows, where writes come later than younger loads (graph/misses.h). */
static void random_streams(void **state)
{
	static struct op op[N];
	static struct when x[N];
	static struct culprit_record r[N];
	static struct culprit_graph_results graph;
	double sum = 0, worst = 0, exact = 0;
	uint64_t seed = 1;
	enum { STREAMS = 24 };
	for (unsigned n = 0; n < STREAMS; n++) {
		struct core core = {1 + below(&seed, 8), 1 + below(&seed, 12), below(&seed, 2) * below(&seed, 12), 0};
		fill(op, &seed);
		const double base = (double)simulate(op, core, x);
		for (size_t i = 0; i < N; i++)
			note(&r[i], &op[i], &x[i], i);
		const struct culprit_graph_params p = parameters(&core);
		check_silent(&p, r);
		times(&p, r, N, &graph);
		for (unsigned k = 0; k < SETS; k++) {
			core.set = sets[k];
			const double truth = (double)simulate(op, core, x);
			const double error = 100 * ((double)graph.time[sets[k]] - truth) / base;
			sum += fabs(error);
			worst = fabs(error) > worst ? fabs(error) : worst;
			exact = fabs(error) > exact && !(sets[k] & CULPRIT_EVENT_BIT(win)) ? fabs(error) : exact;
		}
	}
	print_message("mean %.3f%%, worst %.2f%%, with the window as it is %.2f%%\n", sum / (STREAMS * SETS), worst,
		      exact);
	assert_true(sum / (STREAMS * SETS) < 0.7);
	assert_true(worst < 7);
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(three_stores),
		cmocka_unit_test(random_streams),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
