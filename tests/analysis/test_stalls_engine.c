/* The stall engine through its public header: the paper's cases, worked by hand beside each assertion. */
#include "culprit/stalls.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Two components' sets: leaves A B C ..., and what passes them on. */
enum leaf { LEAF_A, LEAF_B, LEAF_C, LEAF_MISS, LEAF_LONG, LEAF_CLOSE, LEAF_FLUSH, LEAVES };
static const struct culprit_stall_type leaf_types[LEAVES] = {
	{"a", "A", "", CULPRIT_STALL_LEAF},
	{"b", "B", "", CULPRIT_STALL_LEAF},
	{"c", "C", "", CULPRIT_STALL_LEAF},
	{"miss", "load miss", "", CULPRIT_STALL_LEAF},
	{"long", "long executing", "", CULPRIT_STALL_LEAF},
	{"close", "too close", "", CULPRIT_STALL_LEAF},
	{"flush", "mispredict", "", CULPRIT_STALL_LEAF | CULPRIT_STALL_FLUSH},
};
enum path { DEPENDS, BLOCKED, EMPTY, FULL, UNFINISHED, ROB_EMPTY, INFO, PATHS };
static const struct culprit_stall_type path_types[PATHS] = {
	{"depends", "data dependency", "", 0},
	{"blocked", "execution blocked", "", 0},
	{"empty", "empty", "", 0},
	{"full", "full", "", 0},
	{"unfinished", "not finished", "", 0},
	{"rob_empty", "ROB empty", "", 0},
	{"info", "information", "", CULPRIT_STALL_INFORMATIONAL},
};
static const struct culprit_stall_set leaf_set = {"leaves", leaf_types, LEAVES};
static const struct culprit_stall_set path_set = {"paths", path_types, PATHS};

struct rig {
	struct culprit_stalls *s;
	uint32_t leaf, path, commit; /* ids of the first types; accumulator */
};

static struct rig rig_with(struct culprit_stall_params p)
{
	const char *why = NULL;
	struct rig r = {.s = culprit_stalls_create(&p, &why)};
	if (!r.s)
		fail_msg("%s", why);
	r.leaf = culprit_stalls_add_set(r.s, &leaf_set);
	r.path = culprit_stalls_add_set(r.s, &path_set);
	r.commit = culprit_stalls_add_accumulator(r.s, "commit", 1);
	return r;
}

static struct rig rig(void)
{
	return rig_with((struct culprit_stall_params){.depth = 0});
}

static void rig_end(struct rig *r)
{
	assert_null(culprit_stalls_error(r->s));
	culprit_stalls_destroy(r->s);
}

static struct culprit_stall_run leaf(struct rig *r, enum leaf type, uint32_t cycles)
{
	return culprit_stalls_leaf(r->s, r->leaf + type, cycles);
}

static struct culprit_stall_run because(struct rig *r, enum path type, struct culprit_stall_run cause)
{
	return culprit_stalls_because(r->s, r->path + type, cause);
}

static uint32_t take(struct rig *r, struct culprit_stall_history *h, uint32_t cycles)
{
	return culprit_stalls_take(r->s, r->commit, 0, r->path + UNFINISHED, h, cycles, 1);
}

/* "type>type>type count" for each leaf node, in the tree's order, one line each. */
static const char *paths(struct rig *r, char *text, size_t size)
{
	struct culprit_stall_results out;
	size_t at = 0;
	assert_true(culprit_stalls_results(r->s, r->commit, &out));
	text[0] = 0;
	uint64_t sum = 0;
	for (size_t i = 0; i < out.node_count; i++) {
		if (!out.nodes[i].own)
			continue;
		uint32_t chain[64], n = 0;
		for (uint32_t up = (uint32_t)i; up != CULPRIT_STALL_ROOT; up = out.nodes[up].parent)
			chain[n++] = out.nodes[up].type;
		for (; n; n--)
			at += (size_t)snprintf(text + at, size - at, "%s%s", out.types[chain[n - 1]].type.name,
					       n > 1 ? ">" : " ");
		at += (size_t)snprintf(text + at, size - at, "%llu\n", (unsigned long long)out.nodes[i].own);
		sum += out.nodes[i].own;
	}
	assert_int_equal(sum, out.lost);
	culprit_stalls_results_free(&out);
	return text;
}

#define assert_paths(r, expected)                                             \
	do {                                                                  \
		char text_[4000];                                             \
		assert_string_equal(paths(r, text_, sizeof text_), expected); \
	} while (0)

/* --- chains and propagation --- */

/* Figure 1: the multiply is not finished, its execution was blocked by an add, that waited for a load, that missed. */
static void test_figure_1(void **state)
{
	struct rig r = rig();
	struct culprit_stall_history load = {0}, add = {0}, mul = {0};
	culprit_stalls_push(r.s, &load, leaf(&r, LEAF_MISS, 1));
	culprit_stalls_wait(r.s, &add, r.path + DEPENDS, &load, 1);
	culprit_stalls_wait(r.s, &mul, r.path + BLOCKED, &add, 1);
	assert_int_equal(take(&r, &mul, 1), 1);
	assert_paths(&r, "unfinished>blocked>depends>miss 1\n");
	culprit_stalls_release(&load);
	culprit_stalls_release(&add);
	culprit_stalls_release(&mul);
	rig_end(&r);
}

enum { STAGES = 3, CYCLES = 12 };

/* A pipeline of three stages. Fetch misses in cycles 2 and 3, the last stage is blocked by itself in cycle 8; what each
 * stage is told for, cycle by cycle. */
static void run_pipeline(struct rig *r, struct culprit_stall_stage stage[STAGES], char seen[STAGES][CYCLES + 1])
{
	for (unsigned cycle = 0; cycle < CYCLES; cycle++) {
		if (cycle == 2 || cycle == 3)
			stage[0].now = leaf(r, LEAF_MISS, 1);
		if (cycle == 8)
			stage[2].now = leaf(r, LEAF_LONG, 1);
		for (unsigned i = 0; i < STAGES; i++) {
			struct culprit_stall_run up = i ? stage[i - 1].last : (struct culprit_stall_run){0, 0, 0};
			struct culprit_stall_run down = i + 1 < STAGES ? stage[i + 1].last
								       : (struct culprit_stall_run){0, 0, 0};
			if (!stage[i].now.length && up.length && cycle < 7)
				stage[i].now = because(r, EMPTY, up);
			if (!stage[i].now.length && down.length && cycle > 7)
				stage[i].now = because(r, FULL, down);
			seen[i][cycle] = stage[i].now.length ? (cycle < 7 ? 'e' : 'f') : '.';
		}
		if (stage[2].now.length)
			culprit_stalls_count(r->s, r->commit, cycle, CULPRIT_STALL_NONE, stage[2].now, 1);
		for (unsigned i = 0; i < STAGES; i++)
			culprit_stalls_clock(&stage[i]);
	}
}

static void test_stages(void **state)
{
	struct rig r = rig();
	struct culprit_stall_stage stage[STAGES];
	memset(stage, 0, sizeof stage);
	char seen[STAGES][CYCLES + 1] = {{0}};
	run_pipeline(&r, stage, seen);
	/* cycles                           012345678901 */
	assert_string_equal(seen[0], "..ee......f."); /* misses; in 10 full, two stages above 8 */
	assert_string_equal(seen[1], "...ee....f.."); /* one later downstream, one later upstream */
	assert_string_equal(seen[2], "....ee..f...");
	assert_paths(&r, "empty>empty>miss 2\nlong 1\n");
	rig_end(&r);
}

/* --- operands --- */

/* Section 6.1: X stalled because of A, B, C; Y waits for all three cycles, told one by one. Y then stalls completion for one
 * cycle: that is C's, the most recent; reversed it would be A's. Two more cycles are B's, then A's. */
static void test_history_reversal(void **state)
{
	struct rig r = rig();
	struct culprit_stall_history x = {0}, y = {0};
	for (unsigned i = 0; i < 3; i++)
		culprit_stalls_push(r.s, &x, leaf(&r, LEAF_A + i, 1));
	for (unsigned i = 0; i < 3; i++)
		culprit_stalls_wait(r.s, &y, r.path + DEPENDS, &x, 1);
	assert_int_equal(take(&r, &y, 1), 1);
	assert_paths(&r, "unfinished>depends>c 1\n");
	assert_int_equal(take(&r, &y, 1), 1);
	assert_paths(&r, "unfinished>depends>b 1\nunfinished>depends>c 1\n");
	assert_int_equal(take(&r, &y, 5), 1);
	assert_paths(&r, "unfinished>depends>a 1\nunfinished>depends>b 1\nunfinished>depends>c 1\n");
	culprit_stalls_release(&x);
	culprit_stalls_release(&y);
	rig_end(&r);
}

/* Y waited for two cycles, then Z was waited for, then for Y's source again: three sequences, the latest on top. */
static void test_sequences(void **state)
{
	struct rig r = rig();
	struct culprit_stall_history x = {0}, z = {0}, y = {0};
	culprit_stalls_push(r.s, &x, leaf(&r, LEAF_A, 1));
	culprit_stalls_push(r.s, &x, leaf(&r, LEAF_B, 1));
	culprit_stalls_push(r.s, &z, leaf(&r, LEAF_C, 1));
	culprit_stalls_wait(r.s, &y, r.path + DEPENDS, &x, 2); /* B, A */
	culprit_stalls_wait(r.s, &y, r.path + DEPENDS, &z, 1); /* C, on top */
	culprit_stalls_push(r.s, &y, leaf(&r, LEAF_MISS, 1));  /* above it */
	const char *const expected[] = {"miss", "depends>c", "depends>b", "depends>a"};
	for (unsigned i = 0; i < 4; i++) {
		char before[1000], after[1000], line[64];
		paths(&r, before, sizeof before);
		snprintf(line, sizeof line, "unfinished>%s 1\n", expected[i]);
		assert_null(strstr(before, line));
		assert_int_equal(take(&r, &y, 1), 1);
		assert_non_null(strstr(paths(&r, after, sizeof after), line));
	}
	assert_int_equal(take(&r, &y, 1), 0);
	culprit_stalls_release(&x);
	culprit_stalls_release(&y);
	culprit_stalls_release(&z);
	rig_end(&r);
}

/* When the history is used up: what the source executes beyond its minimum first, then the minimum; further cycles are as
 * if that were longer. */
static void test_history_used_up(void **state)
{
	struct rig r = rig();
	struct culprit_stall_history x = {0}, y = {0};
	culprit_stalls_push(r.s, &x, leaf(&r, LEAF_A, 1));
	culprit_stalls_executes(&x, leaf(&r, LEAF_LONG, 2), leaf(&r, LEAF_CLOSE, 1));
	culprit_stalls_wait(r.s, &y, r.path + DEPENDS, &x, 6);
	assert_int_equal(take(&r, &y, 1), 1);
	assert_paths(&r, "unfinished>depends>a 1\n");
	assert_int_equal(take(&r, &y, 3), 3);
	assert_paths(&r, "unfinished>depends>long 2\nunfinished>depends>a 1\nunfinished>depends>close 1\n");
	assert_int_equal(take(&r, &y, 9), 2);
	assert_paths(&r, "unfinished>depends>close 3\nunfinished>depends>long 2\nunfinished>depends>a 1\n");
	culprit_stalls_release(&x);
	culprit_stalls_release(&y);
	rig_end(&r);
}

/* Two consumers of one history, a cycle apart: each pops B, then A, and neither disturbs the other or the source. */
static void test_two_consumers(void **state)
{
	struct rig r = rig();
	struct culprit_stall_history x = {0}, y = {0}, z = {0};
	culprit_stalls_push(r.s, &x, leaf(&r, LEAF_A, 1));
	culprit_stalls_push(r.s, &x, leaf(&r, LEAF_B, 1));
	culprit_stalls_wait(r.s, &y, r.path + DEPENDS, &x, 1);
	culprit_stalls_wait(r.s, &z, r.path + BLOCKED, &x, 1);
	culprit_stalls_wait(r.s, &y, r.path + DEPENDS, &x, 1);
	culprit_stalls_wait(r.s, &z, r.path + BLOCKED, &x, 1);
	culprit_stalls_settle(r.s, &y);
	culprit_stalls_settle(r.s, &z);
	assert_int_equal(x.count, 2);
	assert_int_equal(take(&r, &y, 1), 1); /* B, through Y */
	assert_int_equal(take(&r, &z, 1), 1); /* Z's most recent is B too, which is accumulated: A */
	assert_paths(&r, "unfinished>depends>b 1\nunfinished>blocked>a 1\n");
	assert_int_equal(take(&r, &y, 1), 0);
	culprit_stalls_release(&x);
	culprit_stalls_release(&y);
	culprit_stalls_release(&z);
	rig_end(&r);
}

/* --- unique leaves, flushes --- */

/* Figure 7a: nothing stalls; Y is long executing for one cycle and that is what completion says. */
static void test_figure_7a(void **state)
{
	struct rig r = rig();
	struct culprit_stall_history y = {0};
	culprit_stalls_executes(&y, leaf(&r, LEAF_LONG, 1), leaf(&r, LEAF_CLOSE, 1));
	assert_int_equal(take(&r, &y, 1), 0);
	assert_int_equal(culprit_stalls_take_run(r.s, r.commit, 4, r.path + UNFINISHED, y.executing, 1, 1), 1);
	assert_paths(&r, "unfinished>long 1\n");
	culprit_stalls_release(&y);
	rig_end(&r);
}

/* Figure 7b: X stalls for A, completion is told so in N + 2; Y waited for X in that cycle. In N + 4 Y is not finished: A is
 * in its history but has been accounted for, so it is long executing. */
static void test_figure_7b(void **state)
{
	struct rig r = rig();
	struct culprit_stall_history x = {0}, y = {0};
	culprit_stalls_push(r.s, &x, leaf(&r, LEAF_A, 1));
	culprit_stalls_wait(r.s, &y, r.path + DEPENDS, &x, 1);
	culprit_stalls_executes(&y, leaf(&r, LEAF_LONG, 1), leaf(&r, LEAF_CLOSE, 1));
	assert_int_equal(take(&r, &x, 1), 1);
	assert_int_equal(take(&r, &y, 1), 0);
	assert_int_equal(culprit_stalls_take_run(r.s, r.commit, 4, r.path + UNFINISHED, y.executing, 1, 1), 1);
	assert_paths(&r, "unfinished>a 1\nunfinished>long 1\n");
	culprit_stalls_release(&x);
	culprit_stalls_release(&y);
	rig_end(&r);
}

/* What has been counted is not there to be taken; a flush always is, and no other leaf's number goes with it. */
static void test_counted(void **state)
{
	struct rig r = rig();
	struct culprit_stall_run a = leaf(&r, LEAF_A, 3), flush = leaf(&r, LEAF_FLUSH, 1), b = leaf(&r, LEAF_B, 4);
	culprit_stalls_count(r.s, r.commit, 0, r.path + ROB_EMPTY, a, 1);
	culprit_stalls_count(r.s, r.commit, 3, r.path + ROB_EMPTY, culprit_stalls_part(r.s, flush, 0, 9), 1);
	assert_int_equal(culprit_stalls_take_run(r.s, r.commit, 12, r.path + UNFINISHED, a, 3, 1), 0);
	assert_int_equal(culprit_stalls_take_run(r.s, r.commit, 12, r.path + UNFINISHED, b, 9, 1), 4);
	assert_int_equal(culprit_stalls_take_run(r.s, r.commit, 16, r.path + UNFINISHED, flush, 2, 1), 2);
	assert_paths(&r, "rob_empty>flush 9\nrob_empty>a 3\nunfinished>b 4\nunfinished>flush 2\n");
	rig_end(&r);
}

/* A flush counts for as long as it is felt; it drains downstream, a stage a cycle. */
static void test_flush(void **state)
{
	struct rig r = rig();
	struct culprit_stall_stage stage[STAGES];
	memset(stage, 0, sizeof stage);
	struct culprit_stall_run flush = leaf(&r, LEAF_FLUSH, 1);
	for (unsigned i = 0; i < STAGES; i++)
		culprit_stalls_flush(&stage[i], flush);
	unsigned drained = 0;
	for (unsigned cycle = 0; cycle < CYCLES; cycle++) {
		for (unsigned i = 0; i < STAGES; i++)
			culprit_stalls_clock(&stage[i]);
		for (unsigned i = STAGES - 1; i > 0; i--) /* fetch delivers again from cycle 0 on */
			stage[i].now = because(&r, EMPTY, stage[i - 1].last);
		if (stage[2].last.length) {
			culprit_stalls_count(r.s, r.commit, cycle, r.path + ROB_EMPTY, stage[2].last, 2);
			drained++;
		}
	}
	assert_int_equal(drained, STAGES); /* its own, and those of the two stages before it */
	assert_int_equal(culprit_stalls_take_run(r.s, r.commit, 20, r.path + ROB_EMPTY, flush, 7, 1), 7);
	assert_paths(&r, "rob_empty>flush 9\nrob_empty>empty>flush 2\nrob_empty>empty>empty>flush 2\n");
	rig_end(&r);
}

/* Runs are taken from their last number down, and each number once, whoever passes it on. */
static void test_parts_of_runs(void **state)
{
	struct rig r = rig();
	struct culprit_stall_history x = {0}, y = {0};
	culprit_stalls_push(r.s, &x, leaf(&r, LEAF_A, 100));
	culprit_stalls_wait(r.s, &y, r.path + DEPENDS, &x, 70); /* numbers 31 .. 100 */
	assert_int_equal(take(&r, &y, 65), 65);			/* 36 .. 100 */
	assert_int_equal(take(&r, &x, 20), 20);			/* 16 .. 35 */
	assert_int_equal(take(&r, &y, 10), 0);			/* 31 .. 35 are gone */
	assert_int_equal(take(&r, &x, 99), 15);
	assert_paths(&r, "unfinished>depends>a 65\nunfinished>a 35\n");
	culprit_stalls_release(&x);
	culprit_stalls_release(&y);
	rig_end(&r);
}

/* Numbers come round: one that was taken long ago is another leaf's, which is there to be taken. One at a time, and several. */
static void test_numbers_come_round(void **state)
{
	enum { BITS = 10, ROUNDS = 3 };
	for (uint32_t length = 1; length <= 3; length++) {
		struct rig r = rig_with((struct culprit_stall_params){.leaf_bits = BITS});
		for (unsigned i = 0; i < ROUNDS << BITS; i++) {
			struct culprit_stall_run a = leaf(&r, LEAF_A, length);
			assert_int_equal(culprit_stalls_take_run(r.s, r.commit, i, r.path + UNFINISHED, a, 9, 1),
					 length);
			assert_int_equal(culprit_stalls_take_run(r.s, r.commit, i, r.path + UNFINISHED, a, 9, 1), 0);
		}
		rig_end(&r);
	}
	(void)state;
}

/* Where another accumulator listens, leaves are unique for each by itself. */
static void test_two_accumulators(void **state)
{
	struct rig r = rig();
	uint32_t issue = culprit_stalls_add_accumulator(r.s, "issue", 1);
	struct culprit_stall_history x = {0};
	culprit_stalls_push(r.s, &x, leaf(&r, LEAF_A, 3));
	assert_int_equal(take(&r, &x, 5), 3);
	assert_int_equal(culprit_stalls_take(r.s, issue, 0, r.path + BLOCKED, &x, 5, 1), 3);
	assert_int_equal(take(&r, &x, 5), 0);
	culprit_stalls_release(&x);
	rig_end(&r);
}

/* --- long chains, many chains --- */

/* A chain of 100: A at the end, then `depends` 99 times; with 8 kept: 4 in front, the mark, 3 at the end. */
static void test_snipping(void **state)
{
	struct rig r = rig_with((struct culprit_stall_params){.depth = 8});
	struct culprit_stall_run run = because(&r, FULL, leaf(&r, LEAF_A, 1));
	for (unsigned i = 0; i < 97; i++)
		run = because(&r, DEPENDS, run);
	run = because(&r, EMPTY, run);
	culprit_stalls_count(r.s, r.commit, 0, r.path + UNFINISHED, run, 5);
	assert_paths(&r, "unfinished>empty>depends>depends>snipped>depends>full>a 5\n");
	struct culprit_stall_results out;
	assert_true(culprit_stalls_results(r.s, r.commit, &out));
	assert_int_equal(out.snipped, 5);
	assert_int_equal(out.leaf_totals[r.leaf + LEAF_A], 5);
	culprit_stalls_results_free(&out);
	rig_end(&r);
}

/* More chains than there is room for: sums by leaf and by immediate stall are exact all the same. */
static void test_folding(void **state)
{
	struct rig r = rig_with((struct culprit_stall_params){.chains = 1024});
	uint64_t by_leaf[3] = {0}, by_top[2] = {0}, all = 0;
	for (unsigned n = 0; n < 6000; n++) {
		enum leaf l = LEAF_A + n % 3;
		struct culprit_stall_run run = leaf(&r, l, 1);
		for (unsigned bits = n, d = 0; d < 13; d++, bits >>= 1)
			run = because(&r, bits & 1 ? DEPENDS : BLOCKED, run);
		enum path top = n % 2 ? UNFINISHED : ROB_EMPTY;
		culprit_stalls_count(r.s, r.commit, n, r.path + top, run, n);
		by_leaf[l] += n;
		by_top[n % 2] += n;
		all += n;
	}
	struct culprit_stall_results out;
	assert_true(culprit_stalls_results(r.s, r.commit, &out));
	assert_in_range(out.chains, 1000, 1024 + 2 * (LEAVES + PATHS) * (LEAVES + 1));
	assert_true(out.folded > all / 2 && out.folded < all);
	assert_int_equal(out.lost, all);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(out.leaf_totals[r.leaf + i], by_leaf[i]);
	uint64_t tops[2] = {0};
	for (size_t i = 0; i < out.node_count; i++)
		if (out.nodes[i].parent == CULPRIT_STALL_ROOT)
			tops[out.nodes[i].type == r.path + UNFINISHED] += out.nodes[i].total;
	assert_int_equal(tops[0], by_top[0]);
	assert_int_equal(tops[1], by_top[1]);
	culprit_stalls_results_free(&out);
	rig_end(&r);
}

/* --- results --- */

static void test_summaries(void **state)
{
	struct rig r = rig();
	struct culprit_stall_run a = because(&r, INFO, leaf(&r, LEAF_A, 1)), b = leaf(&r, LEAF_B, 1);
	culprit_stalls_count(r.s, r.commit, 0, r.path + UNFINISHED, because(&r, DEPENDS, because(&r, DEPENDS, a)), 10);
	culprit_stalls_count(r.s, r.commit, 1, r.path + UNFINISHED, because(&r, DEPENDS, b), 3);
	culprit_stalls_count(r.s, r.commit, 2, r.path + ROB_EMPTY, b, 4);
	culprit_stalls_count(r.s, r.commit, 3, r.path + ROB_EMPTY, a, 1);
	struct culprit_stall_results out;
	assert_true(culprit_stalls_results(r.s, r.commit, &out));
	assert_int_equal(out.lost, 18);
	assert_int_equal(out.leaf_totals[r.leaf + LEAF_A], 11);
	assert_int_equal(out.leaf_totals[r.leaf + LEAF_B], 7);
	assert_int_equal(out.node_totals[r.path + DEPENDS], 13); /* twice on one path, counted once */
	assert_int_equal(out.node_totals[r.path + INFO], 11);
	assert_int_equal(out.node_totals[r.path + ROB_EMPTY], 5);
	assert_int_equal(out.nodes[0].type, r.path + UNFINISHED); /* the largest first */
	assert_int_equal(out.nodes[0].total, 13);
	assert_int_equal(out.nodes[0].end, 6); /* depends, (depends, info, a), b */

	struct culprit_stall_node *twigs;
	size_t count;
	assert_true(culprit_stalls_invert(&out, &twigs, &count));
	assert_int_equal(twigs[0].type, r.leaf + LEAF_A);
	assert_int_equal(twigs[0].total, 11);
	assert_int_equal(twigs[1].type, r.path + INFO);
	assert_int_equal(twigs[twigs[0].end].type, r.leaf + LEAF_B);
	assert_int_equal(twigs[twigs[0].end].total, 7);
	free(twigs);
	culprit_stalls_results_free(&out);
	rig_end(&r);
}

/* Snapshots: each interval has what was lost in its cycles; too many are joined, nothing is lost. */
static void test_intervals(void **state)
{
	struct rig r = rig_with((struct culprit_stall_params){.interval = 10});
	culprit_stalls_count(r.s, r.commit, 5, r.path + UNFINISHED, leaf(&r, LEAF_A, 12), 2); /* 5 .. 16 */
	culprit_stalls_count(r.s, r.commit, 25, r.path + ROB_EMPTY, leaf(&r, LEAF_B, 1), 3);
	struct culprit_stall_results out;
	assert_true(culprit_stalls_results(r.s, r.commit, &out));
	assert_int_equal(out.interval_count, 3);
	const uint64_t a[] = {10, 14, 0}, lost[] = {10, 14, 3}; /* 5 cycles x 2, 7 cycles x 2 */
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(out.intervals[i].leaves[r.leaf + LEAF_A], a[i]);
		assert_int_equal(out.intervals[i].tops[r.path + UNFINISHED], a[i]);
		assert_int_equal(out.intervals[i].lost, lost[i]);
	}
	assert_int_equal(out.intervals[2].cycles, 6); /* 20 .. 25 */
	culprit_stalls_results_free(&out);

	for (uint64_t cycle = 30; cycle < 1000000; cycle += 7)
		culprit_stalls_count(r.s, r.commit, cycle, r.path + ROB_EMPTY, leaf(&r, LEAF_B, 1), 1);
	assert_true(culprit_stalls_results(r.s, r.commit, &out));
	assert_int_equal(out.interval, 320); /* 100,000 intervals of 10, doubled until at most 4096 */
	uint64_t sum = 0;
	for (size_t i = 0; i < out.interval_count; i++)
		sum += out.intervals[i].lost;
	assert_int_equal(sum, out.lost);
	assert_int_equal(out.intervals[0].leaves[r.leaf + LEAF_A], 24);
	culprit_stalls_results_free(&out);
	rig_end(&r);
}

/* Restricted to a place: the rest is elsewhere, and its leaves count as accumulated. */
static void test_select(void **state)
{
	struct rig r = rig();
	struct culprit_stall_history x = {0}, y = {0};
	culprit_stalls_push(r.s, &x, leaf(&r, LEAF_A, 3));
	culprit_stalls_wait(r.s, &y, r.path + DEPENDS, &x, 3);
	culprit_stalls_select(r.s, r.commit, false);
	assert_int_equal(take(&r, &x, 2), 2);
	culprit_stalls_select(r.s, r.commit, true);
	assert_int_equal(take(&r, &y, 3), 1);
	struct culprit_stall_results out;
	assert_true(culprit_stalls_results(r.s, r.commit, &out));
	assert_int_equal(out.counted, 3);
	assert_int_equal(out.elsewhere, 2);
	assert_int_equal(out.lost, 1);
	culprit_stalls_results_free(&out);
	culprit_stalls_release(&x);
	culprit_stalls_release(&y);
	rig_end(&r);
}

static void push_alternating(struct rig *r, struct culprit_stall_history *h, enum leaf odd, enum leaf even,
			     uint32_t count)
{
	for (uint32_t i = 1; i <= count; i++)
		culprit_stalls_push(r->s, h, leaf(r, i % 2 ? odd : even, 1));
}

static uint64_t dropped(const struct rig *r)
{
	struct culprit_stall_results out;
	assert_true(culprit_stalls_results(r->s, r->commit, &out));
	uint64_t events = out.dropped_events;
	culprit_stalls_results_free(&out);
	return events;
}

/* A history has room for 1024 runs. When there are more, the older half of what may go goes: of a history all, of a wait that is
 * being copied what was there before it. */
static void test_long_histories(void **state)
{
	struct rig r = rig();
	struct culprit_stall_history x = {0}, y = {0};
	push_alternating(&r, &x, LEAF_A, LEAF_B, 1024);
	assert_int_equal(dropped(&r), 0);
	push_alternating(&r, &x, LEAF_C, LEAF_C, 1);
	assert_int_equal(dropped(&r), 512);
	assert_int_equal(take(&r, &x, 2000), 513);
	assert_paths(&r, "unfinished>a 256\nunfinished>b 256\nunfinished>c 1\n");
	culprit_stalls_release(&x);
	rig_end(&r);

	r = rig();
	push_alternating(&r, &y, LEAF_A, LEAF_B, 1000);
	push_alternating(&r, &x, LEAF_C, LEAF_MISS, 100);
	culprit_stalls_wait(r.s, &y, r.path + DEPENDS, &x, 100); /* the 25th of them finds no room */
	for (unsigned i = 0; i < 100; i++) {
		char text[1000], line[64];
		assert_int_equal(take(&r, &y, 1), 1);
		snprintf(line, sizeof line, "unfinished>depends>%s %u\n", i % 2 ? "c" : "miss", i / 2 + 1);
		assert_non_null(strstr(paths(&r, text, sizeof text), line));
	}
	assert_int_equal(dropped(&r), 500);
	assert_int_equal(take(&r, &y, 2000), 500);
	assert_paths(&r, "unfinished>a 250\nunfinished>b 250\nunfinished>depends>c 50\nunfinished>depends>miss 50\n");
	culprit_stalls_release(&x);
	culprit_stalls_release(&y);
	rig_end(&r);

	/* one wait longer than all room: its oldest events are lost */
	r = rig();
	push_alternating(&r, &x, LEAF_A, LEAF_B, 1023);
	culprit_stalls_executes(&x, leaf(&r, LEAF_LONG, 1), leaf(&r, LEAF_CLOSE, 3));
	culprit_stalls_wait(r.s, &y, r.path + DEPENDS, &x, 1027);
	assert_int_equal(take(&r, &y, 2000), 1024);
	assert_int_equal(dropped(&r), 3);
	culprit_stalls_release(&x);
	culprit_stalls_release(&y);
	rig_end(&r);
}

static void test_misuse(void **state)
{
	const char *why = NULL;
	assert_null(culprit_stalls_create(&(struct culprit_stall_params){.depth = 3}, &why));
	assert_string_equal(why, "depth must be 4 to 64");
	struct rig r = rig();
	struct culprit_stall_run run = leaf(&r, LEAF_A, 1);
	assert_null(culprit_stalls_error(r.s));
	culprit_stalls_because(r.s, r.leaf + LEAF_B, run);
	assert_string_equal(culprit_stalls_error(r.s), "a stall of a leaf type was given a cause");
	culprit_stalls_destroy(r.s);
	r = rig();
	culprit_stalls_leaf(r.s, r.path + EMPTY, 1);
	assert_string_equal(culprit_stalls_error(r.s), "a stall without a cause has a type that is no leaf");
	culprit_stalls_destroy(r.s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_figure_1),	 cmocka_unit_test(test_stages),
		cmocka_unit_test(test_history_reversal), cmocka_unit_test(test_sequences),
		cmocka_unit_test(test_history_used_up),	 cmocka_unit_test(test_two_consumers),
		cmocka_unit_test(test_figure_7a),	 cmocka_unit_test(test_figure_7b),
		cmocka_unit_test(test_counted),		 cmocka_unit_test(test_flush),
		cmocka_unit_test(test_parts_of_runs),	 cmocka_unit_test(test_numbers_come_round),
		cmocka_unit_test(test_two_accumulators), cmocka_unit_test(test_snipping),
		cmocka_unit_test(test_folding),		 cmocka_unit_test(test_summaries),
		cmocka_unit_test(test_intervals),	 cmocka_unit_test(test_select),
		cmocka_unit_test(test_long_histories),	 cmocka_unit_test(test_misuse),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
