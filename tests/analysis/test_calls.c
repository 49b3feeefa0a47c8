/* Calls rebuilt from records against the calls of a random program, whose generator adds up what each costs while it runs; and ways out
 * of a function other than its return. */
#include "analysis/calls.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { FUNCTIONS = 6, SITES = 4, MOST = 200000, BATCH = 61 };

static const struct commit_stack_params params = {.dispatch_to_issue = 2, .commit_delay = 3};

/* A call from a site of a function to another function: what it costs, found apart from the code under test. */
struct truth {
	uint64_t count, executions, cycles, misses, mispredictions;
};

struct program {
	struct culprit_record *records;
	size_t count;
	uint64_t seed, commit;
	struct truth truth[FUNCTIONS][SITES][FUNCTIONS];
	struct truth *open[64]; /* calls that are running, outermost first; NULL: recursive */
	unsigned depth, running[FUNCTIONS];
};

static uint64_t random_next(struct program *p, uint64_t below)
{
	p->seed = p->seed * 6364136223846793005ull + 1442695040888963407ull;
	return (p->seed >> 33) % below;
}

static void emit(struct program *p, uint64_t pc, uint8_t branch)
{
	const uint64_t step = random_next(p, 3) ? 0 : random_next(p, 9);
	const bool first = !p->count;
	p->commit += first ? 5 : step;
	const bool missed = !random_next(p, 7), wrong = branch && !random_next(p, 5);
	p->records[p->count] = (struct culprit_record){.seq = p->count,
						       .pc = pc,
						       .length = 4,
						       .branch = branch,
						       .commit = p->commit,
						       .complete = p->commit,
						       .issue = p->commit,
						       .ready = p->commit,
						       .dispatch = p->commit,
						       .flags = wrong ? CULPRIT_MISPREDICTED : 0,
						       .dlevel = missed ? CULPRIT_LEVEL_L2 : 0};
	p->count++;
	for (unsigned i = 0; i < p->depth; i++)
		if (p->open[i]) {
			p->open[i]->executions++;
			p->open[i]->cycles += first ? 6 : step;
			p->open[i]->misses += missed;
			p->open[i]->mispredictions += wrong;
		}
}

static uint64_t address(unsigned function)
{
	return 0x10000 + 0x1000 * function;
}

static void call(struct program *p, unsigned function);

/* Some instructions, up to one call from each site, a return. */
static void body(struct program *p, unsigned function)
{
	for (unsigned site = 0; site < SITES && p->count < MOST - 300; site++) {
		emit(p, address(function) + 8 * site, 0);
		if (p->depth >= 9 || random_next(p, 3))
			continue;
		const unsigned target = (unsigned)random_next(p, FUNCTIONS);
		struct truth *t = &p->truth[function][site][target];
		emit(p, address(function) + 8 * site + 4,
		     random_next(p, 2) ? CULPRIT_BRANCH_CALL : CULPRIT_BRANCH_INDIRECT_CALL);
		t->count++;
		p->open[p->depth++] = p->running[target] ? NULL : t;
		call(p, target);
		p->depth--;
	}
}

static void call(struct program *p, unsigned function)
{
	p->running[function]++;
	body(p, function);
	emit(p, address(function) + 8 * SITES, CULPRIT_BRANCH_RETURN);
	p->running[function]--;
}

static uint64_t cycles_of(const struct calls_costs *c)
{
	uint64_t sum = 0;
	for (unsigned i = 0; i < COMMIT_CAUSES; i++)
		sum += c->causes[i];
	return sum;
}

static const struct calls_edge *find(const struct calls *c, uint64_t site, uint64_t target)
{
	for (size_t i = 0; i < c->edge_count; i++)
		if (c->edges[i].site == site && c->edges[i].target == target)
			return &c->edges[i];
	return NULL;
}

static void push(struct calls *c, const struct culprit_record *r, size_t count)
{
	struct error err;
	for (size_t i = 0; i < count; i += BATCH)
		calls_push(c, r + i, count - i < BATCH ? count - i : BATCH);
	assert_true(calls_finish(c, &err));
}

static void random_programs(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 5; seed++) {
		struct program *p = calloc(1, sizeof *p);
		struct calls c;
		size_t edges = 0;
		assert_non_null(p);
		p->seed = seed;
		p->records = calloc(MOST, sizeof *p->records);
		assert_non_null(p->records);
		while (p->count < MOST / 2) { /* the outermost function is entered by no call, left by no return */
			body(p, 0);
			emit(p, address(0) + 8 * SITES, CULPRIT_BRANCH_JUMP);
		}
		calls_create(&c, &params);
		push(&c, p->records, p->count);
		for (unsigned f = 0; f < FUNCTIONS; f++)
			for (unsigned s = 0; s < SITES; s++)
				for (unsigned t = 0; t < FUNCTIONS; t++) {
					const struct truth *want = &p->truth[f][s][t];
					const struct calls_edge *e = find(&c, address(f) + 8 * s + 4, address(t));
					assert_int_equal(e != NULL, want->count != 0);
					if (!e)
						continue;
					edges++;
					assert_int_equal(e->count, want->count);
					assert_int_equal(e->costs.executions, want->executions);
					assert_int_equal(e->costs.l1d_misses, want->misses);
					assert_int_equal(e->costs.mispredictions, want->mispredictions);
					assert_int_equal(cycles_of(&e->costs), want->cycles);
				}
		assert_int_equal(edges, c.edge_count);
		assert_true(edges > 100);
		calls_destroy(&c);
		free(p->records);
		free(p);
	}
}

/* One instruction a cycle, from cycle 0. */
struct row {
	uint64_t pc;
	uint8_t branch;
};

static void rows(struct calls *c, const struct row *r, size_t count)
{
	struct culprit_record *all = calloc(count, sizeof *all);
	assert_non_null(all);
	for (size_t i = 0; i < count; i++)
		all[i] = (struct culprit_record){
			.seq = i, .pc = r[i].pc, .length = 4, .branch = r[i].branch, .commit = i};
	calls_create(c, &params);
	push(c, all, count);
	free(all);
}
#define ROWS(c, ...) \
	rows(c, (const struct row[]){__VA_ARGS__}, sizeof((const struct row[]){__VA_ARGS__}) / sizeof(struct row))

/* 0x10 calls 0x100, which calls 0x200, which jumps back behind the first call: both calls end there. */
static void a_long_jump(void **state)
{
	(void)state;
	struct calls c;
	ROWS(&c, {0x10, CULPRIT_BRANCH_CALL}, {0x100, CULPRIT_BRANCH_CALL}, {0x200, 0}, {0x204, CULPRIT_BRANCH_RETURN},
	     {0x14, 0}, {0x18, 0});
	assert_int_equal(cycles_of(&find(&c, 0x10, 0x100)->costs), 3);
	assert_int_equal(cycles_of(&find(&c, 0x100, 0x200)->costs), 2);
	calls_destroy(&c);
}

/* 0x100 jumps to 0x200, which returns for it. A return to where no call was is none. What is open at the end ends there. */
static void tails_and_ends(void **state)
{
	(void)state;
	struct calls c;
	ROWS(&c, {0x8, CULPRIT_BRANCH_RETURN}, {0x10, CULPRIT_BRANCH_CALL}, {0x100, CULPRIT_BRANCH_JUMP},
	     {0x200, CULPRIT_BRANCH_RETURN}, {0x14, CULPRIT_BRANCH_CALL}, {0x300, CULPRIT_BRANCH_RETURN}, {0x400, 0},
	     {0x404, 0});
	assert_int_equal(c.edge_count, 2);
	assert_int_equal(cycles_of(&find(&c, 0x10, 0x100)->costs), 2);
	assert_int_equal(cycles_of(&find(&c, 0x14, 0x300)->costs), 3);
	calls_destroy(&c);
}

/* Deeper than there is room: all are counted, and the outermost has all cycles. */
static void deep_recursion(void **state)
{
	(void)state;
	enum { DEEP = CALLS_DEEPEST + 1000, ALL = 2 * DEEP + 2 };
	struct culprit_record *all = calloc(ALL, sizeof *all);
	struct calls c;
	assert_non_null(all);
	for (size_t i = 0; i < ALL; i++) {
		const bool down = i <= DEEP, last = i == ALL - 1;
		all[i] = (struct culprit_record){.seq = i, .length = 4, .commit = i};
		all[i].pc = !i ? 0x10 : last ? 0x14 : down ? 0x100 : 0x104;
		all[i].branch = last ? 0 : i < DEEP ? CULPRIT_BRANCH_CALL : CULPRIT_BRANCH_RETURN;
	}
	calls_create(&c, &params);
	push(&c, all, ALL);
	assert_int_equal(find(&c, 0x100, 0x100)->count, DEEP - 1);
	assert_int_equal(cycles_of(&find(&c, 0x100, 0x100)->costs), 0);
	assert_int_equal(cycles_of(&find(&c, 0x10, 0x100)->costs), ALL - 2);
	calls_destroy(&c);
	free(all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(random_programs), cmocka_unit_test(a_long_jump),
					   cmocka_unit_test(tails_and_ends), cmocka_unit_test(deep_recursion)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
