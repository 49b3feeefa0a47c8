/* The core's sensors: on random programs and machines their tree is, path by path, the slow reference's, and what it adds up
 * to is what was lost; known-answer kernels have the root cause that they were written for. */
#include "analysis/stalls/core.h"
#include "analysis/stalls_reference.h"
#include "core/kernel_rig.h"
#include "core/random_program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { INSNS_MAX = 60000, CODE_BYTES = 60000, PROGRAMS = 10, MACHINES_EACH = 4 };

struct trace {
	struct culprit_record *records;
	size_t count;
	uint64_t cycles, committed;
};

static void keep_records(void *context, const struct culprit_record *records, size_t count)
{
	struct trace *t = context;
	assert_true(t->count + count <= INSNS_MAX);
	memcpy(t->records + t->count, records, count * sizeof *records);
	t->count += count;
}

/* Runs until `committed` instructions have committed, or to the end. */
static void run_core(struct trace *t, const struct machine *m, struct guest *g, uint64_t committed)
{
	struct error err;
	struct culprit_record_sink sink = {.context = t, .records = keep_records};
	struct core *c = core_create(m, g, &err);
	if (!c)
		fail_msg("%s", err.text);
	core_record(c, &sink, NULL);
	if (core_run(c, committed, &err) == CORE_STOP_ERROR)
		fail_msg("%s", err.text);
	core_flush_records(c);
	t->cycles = core_statistics(c)->cycles;
	t->committed = core_statistics(c)->committed;
	core_destroy(c);
}

/* In pieces of a few records. */
static void push_all(struct stalls_core *s, const struct trace *t)
{
	for (size_t i = 0, n; i < t->count; i += n) {
		n = t->count - i < 7 ? t->count - i : 7;
		stalls_core_push(s, t->records + i, n);
	}
}

/* The engine's results of a trace, which add up. The names are the engine's. */
static struct stalls_core *run_engine(const struct trace *t, const struct stalls_core_params *p,
				      struct culprit_stall_results *out)
{
	struct error err = {0};
	struct stalls_core *s = stalls_core_create(p, &err);
	if (!s)
		fail_msg("%s", err.text);
	push_all(s, t);
	if (!stalls_core_finish(s, t->cycles, t->committed, &err))
		fail_msg("%s", err.text);
	assert_true(stalls_core_results(s, out));
	assert_int_equal(out->counted, stalls_core_lost(s));
	uint64_t leaves = 0;
	for (uint32_t i = 0; i < out->type_count; i++)
		leaves += out->leaf_totals[i];
	assert_int_equal(leaves, out->lost);
	return s;
}

static void compare(const struct trace *t, struct stalls_core_params *p, const char *what)
{
	struct culprit_stall_results r;
	size_t count, expected_count;
	struct stalls_core *engine = run_engine(t, p, &r);
	struct reference_path *paths = stalls_paths(&r, &count);
	struct reference_path *expected =
		stalls_reference(p, t->records, t->count, t->cycles, p->engine.depth, &expected_count);
	size_t i = 0, j = 0, different = 0;
	while (i < count || j < expected_count) {
		int order = i == count ? 1 : j == expected_count ? -1 : strcmp(paths[i].text, expected[j].text);
		uint64_t a = order <= 0 ? paths[i].count : 0, b = order >= 0 ? expected[j].count : 0;
		if (a != b && different++ < 8)
			print_error("%s: %s: %llu, the reference %llu\n", what,
				    order <= 0 ? paths[i].text : expected[j].text, (unsigned long long)a,
				    (unsigned long long)b);
		i += order <= 0;
		j += order >= 0;
	}
	assert_int_equal(different, 0);
	stalls_paths_free(paths, count);
	stalls_paths_free(expected, expected_count);
	culprit_stalls_results_free(&r);
	stalls_core_destroy(engine);
}

/* --- random programs --- */

static const char *const settings[][2] = {
	{"window.rob=16", "commit.width=3"},
	{"issue.wakeup=2", "frontend.stages=3"},
	{"dispatch.width=2", "window.lsq=4"},
	{"l1d.mshrs=2", "memory.interval=30"},
	{"commit.stores=1", "window.sq=3"},
	{"commit.branches=1", "commit.stores=2"},
	{"issue.dispatch_to_issue=3", "commit.delay=3"},
	{"fetch.width=2", "fetch.taken_limit=1"},
	{"lsq.disambiguation=conservative", "window.int_regs=40"},
	{"lsq.disambiguation=store_sets", "lsq.forward_latency=0"},
	{"fetch.within_line=true", "fetch.buffer=1"},
	{"branch.predictor=static", "branch.ras=0"},
	{"issue.width=1", "commit.width=8"},
	{"l1i.interval=2", "l1d.interval=2"},
};
enum { SETTINGS = sizeof settings / sizeof settings[0] };

static void random_machine(struct machine *m, struct random_source *r)
{
	kernel_machine(m, kernel_machines[random_below(r, kernel_machine_count)]);
	for (unsigned n = random_below(r, 4); n; n--) {
		struct machine before = *m;
		struct error err;
		const char *const *s = settings[random_below(r, SETTINGS)];
		kernel_set(m, "%s", s[0]);
		kernel_set(m, "%s", s[1]);
		if (!machine_check(m, "random", &err))
			*m = before;
	}
	if (random_below(r, 3) == 0)
		m->queues[0].entries = 2 + random_below(r, 6);
	if (random_below(r, 3) == 0)
		m->ideal = (culprit_event_set)random_next(r) & ((1u << CULPRIT_BASE_EVENTS) - 1);
}

enum { MOST_SLOTS = 3 };

/* Records that take none, one or several slots, on a machine that has room for them: the times stay. Some are later
 * micro-operations of the instruction in front. */
static void weigh(struct trace *t, struct stalls_core_params *p, struct random_source *r)
{
	static const uint8_t weights[] = {CULPRIT_WEIGHT_NONE, CULPRIT_WEIGHT_ONE, 1, 2, MOST_SLOTS};
	for (size_t i = 0; i < t->count; i++) {
		if (random_below(r, 3))
			continue;
		t->records[i].dispatch_slots = weights[random_below(r, sizeof weights)];
		t->records[i].commit_slots = weights[random_below(r, sizeof weights)];
		t->records[i].length = random_below(r, 4) ? t->records[i].length : 0;
	}
	p->dispatch_width *= p->dispatch_width < UINT32_MAX ? MOST_SLOTS - random_below(r, 2) : 1;
	p->commit_width *= p->commit_width < UINT32_MAX ? MOST_SLOTS : 1;
}

static void compare_random(uint64_t seed, uint8_t *code, struct trace *t)
{
	struct random_source r = {seed * 977 + 5};
	size_t size = random_program(seed, code, CODE_BYTES);
	for (unsigned n = 0; n < MACHINES_EACH; n++) {
		struct machine m;
		struct stalls_core_params p;
		char what[128];
		random_machine(&m, &r);
		struct guest *g = bare_guest_create(code, size);
		t->count = 0;
		run_core(t, &m, g, 3000 + random_below(&r, 3000));
		guest_destroy(g);
		stalls_core_params_from_machine(&p, &m);
		p.engine.depth = n % 2 ? 32 : 6;
		snprintf(what, sizeof what, "program %llu, machine %u (%s, ideal %x)", (unsigned long long)seed, n,
			 m.name, m.ideal);
		compare(t, &p, what);
		weigh(t, &p, &r);
		compare(t, &p, what);
	}
}

static void test_random(void **state)
{
	struct trace t = {.records = malloc(INSNS_MAX * sizeof *t.records)};
	uint8_t *code = malloc(CODE_BYTES);
	const char *programs = getenv("CULPRIT_RANDOM_PROGRAMS"), *first = getenv("CULPRIT_RANDOM_SEED");
	uint64_t seed = first ? strtoull(first, NULL, 0) : 1;
	for (uint64_t n = programs ? strtoull(programs, NULL, 0) : PROGRAMS; n; n--)
		compare_random(seed++, code, &t);
	free(code);
	free(t.records);
}

/* --- a place --- */

/* Opportunities that went by between the commit before and its own, of the instructions at these addresses. */
static uint64_t lost_at(const struct trace *t, uint64_t width, uint64_t first_pc, uint64_t end_pc)
{
	uint64_t lost = 0, cycle = 0, used = 0;
	for (size_t i = 0; i < t->count; i++) {
		const struct culprit_record *r = &t->records[i];
		bool here = r->pc >= first_pc && r->pc < end_pc;
		if (r->commit > cycle) {
			lost += here ? width - used + width * (r->commit - cycle - 1) : 0;
			used = 0;
		}
		cycle = r->commit;
		used++;
	}
	return lost;
}

static void test_place(void **state)
{
	struct trace t = {.records = malloc(INSNS_MAX * sizeof *t.records)};
	uint8_t *code = malloc(CODE_BYTES);
	struct machine m;
	kernel_machine(&m, "fields2003");
	struct guest *g = bare_guest_create(code, random_program(4, code, CODE_BYTES));
	run_core(&t, &m, g, 5000);
	guest_destroy(g);
	for (size_t n = 0; n < 8; n++) {
		struct stalls_core_params p;
		struct culprit_stall_results r;
		stalls_core_params_from_machine(&p, &m);
		p.first_pc = t.records[n * 600].pc;
		p.end_pc = p.first_pc + 64;
		struct stalls_core *engine = run_engine(&t, &p, &r);
		assert_int_equal(r.lost, lost_at(&t, m.commit_width, p.first_pc, p.end_pc));
		assert_int_equal(r.lost + r.elsewhere, r.counted);
		culprit_stalls_results_free(&r);
		stalls_core_destroy(engine);
	}
	free(code);
	free(t.records);
}

/* --- weights --- */

static uint64_t leaf_total(const struct culprit_stall_results *r, const char *leaf)
{
	for (uint32_t i = 1; i < r->type_count; i++) {
		char name[128];
		snprintf(name, sizeof name, "%s.%s", r->types[i].set, r->types[i].type.name);
		if (!strcmp(name, leaf))
			return r->leaf_totals[i];
	}
	fail_msg("no leaf %s", leaf);
	return 0;
}

/* 40 instructions that are done together, on a machine that commits four slots a cycle: of `slots` each, `together` in a
 * cycle. What was lost to slots that did not suffice, and in all, the region's first 20 cycles aside. */
static void expect_slots(uint8_t slots, uint64_t together, uint64_t lost_to_slots, uint64_t lost_later)
{
	enum { N = 40, DONE = 20, WIDTH = 4 };
	struct culprit_record records[N];
	struct machine m;
	struct stalls_core_params p;
	struct culprit_stall_results r;
	kernel_machine(&m, "fields2003");
	stalls_core_params_from_machine(&p, &m);
	p.dispatch_width = UINT32_MAX;
	p.commit_width = WIDTH;
	for (uint64_t i = 0; i < N; i++)
		records[i] = (struct culprit_record){.seq = i,
						     .pc = 4 * i,
						     .length = 4,
						     .dispatch = 10,
						     .ready = 12,
						     .issue = 12,
						     .complete = DONE - p.commit_delay,
						     .commit = DONE + i / together,
						     .exec_latency = 1,
						     .commit_slots = slots};
	struct trace t = {.records = records, .count = N, .cycles = records[N - 1].commit + 1, .committed = N};
	struct stalls_core *engine = run_engine(&t, &p, &r);
	assert_int_equal(leaf_total(&r, "commit.slots"), lost_to_slots);
	assert_int_equal(leaf_total(&r, "commit.other"), 0);
	assert_int_equal(r.lost, WIDTH * DONE + lost_later);
	culprit_stalls_results_free(&r);
	stalls_core_destroy(engine);
}

static void test_slots(void **state)
{
	expect_slots(0, 4, 0, 0);
	expect_slots(1, 4, 0, 0);
	expect_slots(2, 2, 0, 0);
	expect_slots(4, 1, 0, 0);
	expect_slots(3, 1, 39, 40); /* the last cycle's slot is the region's end */
	expect_slots(CULPRIT_WEIGHT_NONE, 40, 0, 4);
}

/* --- known answers --- */

/* A leaf's opportunities in a run of a kernel, and what all of it lost. */
static uint64_t leaf_of(const struct machine *m, const struct kernel *k, uint64_t iterations, const char *leaf,
			uint64_t *largest)
{
	struct trace t = {.records = malloc(INSNS_MAX * sizeof *t.records)};
	struct guest *g = kernel_guest(k, iterations);
	run_core(&t, m, g, UINT64_MAX);
	guest_destroy(g);
	struct stalls_core_params p;
	stalls_core_params_from_machine(&p, m);
	struct culprit_stall_results r;
	struct stalls_core *engine = run_engine(&t, &p, &r);
	uint64_t found = UINT64_MAX;
	*largest = 0;
	for (uint32_t i = 1; i < r.type_count; i++) {
		char name[128];
		snprintf(name, sizeof name, "%s.%s", r.types[i].set, r.types[i].type.name);
		if (!strcmp(name, leaf))
			found = r.leaf_totals[i];
		*largest = r.leaf_totals[i] > *largest ? r.leaf_totals[i] : *largest;
	}
	assert_int_not_equal(found, UINT64_MAX);
	culprit_stalls_results_free(&r);
	stalls_core_destroy(engine);
	free(t.records);
	return found;
}

/* The leaf grows by `each` opportunities an iteration once the loop runs steadily. */
static void expect_growth(const struct machine *m, const struct kernel *k, const char *leaf, uint64_t each)
{
	uint64_t largest, before = leaf_of(m, k, 100, leaf, &largest), after = leaf_of(m, k, 200, leaf, &largest);
	if (after - before != 100 * each)
		fail_msg("%s: %s has %llu in 100 iterations, not %llu", k->name, leaf,
			 (unsigned long long)(after - before), (unsigned long long)(100 * each));
}

static void expect_largest(const struct machine *m, const struct kernel *k, const char *leaf)
{
	uint64_t largest, found = leaf_of(m, k, 100, leaf, &largest);
	assert_int_equal(found, largest);
}

/* Each of 32 dependent operations commits by itself. What it waits for costs five opportunities in the cycle in which the one
 * before commits, six in every further cycle, and the loop's addi and bnez use two in all. */
static uint64_t of_six(uint64_t cycles)
{
	return 32 * (6 * cycles - 1) - 2;
}

/* Loads: beyond the hit time it is all L2's 12 cycles, or with memory's 112. */
static void test_chase(void **state)
{
	struct machine m;
	kernel_machine(&m, "fields2003");
	kernel_isolate(&m);
	struct kernel k = {.name = "chase", .ring_nodes = 1024, .ring_stride = 64};
	expect_growth(&m, &k, "memory.l1d_l2", of_six(12));
	k.ring_nodes = 1 << 15; /* 2 MiB */
	expect_growth(&m, &k, "memory.l1d_memory", of_six(112));
}

/* Divisions of 20 cycles: 19 beyond the one that any operation takes. */
static void test_divide(void **state)
{
	struct machine m;
	kernel_machine(&m, "fields2003");
	kernel_isolate(&m);
	struct kernel k = {.name = "op_chain", .arg = {OP_DIV}};
	expect_growth(&m, &k, "execute.long_int_div", of_six(19));
}

/* Multiply-adds, each on the one before, lose all that is lost. Loads and their addresses come long before: they lose nothing. */
static void test_fp_chain(void **state)
{
	struct machine m;
	kernel_machine(&m, "fields2003");
	kernel_isolate(&m);
	struct kernel k = {.name = "fp_chain", .arg = {BARE_DATA}};
	uint64_t latency = m.latency[CULPRIT_OP_fp_fma];
	expect_growth(&m, &k, "execute.long_fp_fma", 6 * latency - 8); /* 8 instructions commit */
	expect_growth(&m, &k, "execute.close_int_alu", 0);
	expect_growth(&m, &k, "execute.close_load", 0);
}

/* Where commit takes one branch a cycle, nine branches of ten instructions take nine cycles. No store is to blame; and the other
 * way round. */
static void test_limits_of_commit(void **state)
{
	struct machine m;
	kernel_machine(&m, "fields2003");
	kernel_isolate(&m);
	kernel_set(&m, "commit.branches=1");
	struct kernel k = {.name = "branches"};
	expect_growth(&m, &k, "commit.branches", 9 * 6 - 10);
	expect_growth(&m, &k, "commit.store_ports", 0);
	kernel_set(&m, "commit.stores=1");
	expect_growth(&m, &k, "commit.store_ports", 0);
	k = (struct kernel){.name = "stores", .arg = {BARE_DATA}};
	expect_growth(&m, &k, "commit.branches", 0);
	expect_growth(&m, &k, "commit.store_ports", 8 * 6 - 10);
	expect_growth(&m, &k, "commit.other", 0);
}

/* A taken branch that the static rule predicts to fall through. */
static void test_mispredict(void **state)
{
	struct machine m;
	kernel_machine(&m, "fields2003");
	kernel_isolate(&m);
	kernel_set(&m, "branch.predictor=static");
	struct kernel k = {.name = "mispredict"};
	expect_largest(&m, &k, "predictor.predicted_not_taken");
}

/* Independent misses: held up by the memory bus, or by the one MSHR there is. */
static void test_streams(void **state)
{
	struct machine m;
	struct kernel k = {.name = "stream", .arg = {BARE_DATA, 64}};
	kernel_machine(&m, "fields2003");
	kernel_isolate(&m);
	kernel_set(&m, "memory.interval=50");
	expect_largest(&m, &k, "memory.bandwidth");
	kernel_set(&m, "memory.interval=0");
	kernel_set(&m, "l1d.mshrs=1");
	expect_largest(&m, &k, "memory.mshr");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_place),
		cmocka_unit_test(test_slots),
		cmocka_unit_test(test_chase),
		cmocka_unit_test(test_divide),
		cmocka_unit_test(test_mispredict),
		cmocka_unit_test(test_streams),
		cmocka_unit_test(test_fp_chain),
		cmocka_unit_test(test_limits_of_commit),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
