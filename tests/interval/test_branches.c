/* Predictors, BTBs and return stacks of a profile against src/machine's own, each run by itself over the same branches. */
#include "interval/profile/branches.h"
#include "interval/profile/predictors.h"
#include "interval/profile/targets.h"
#include "machine/btb.h"
#include "machine/ras.h"
#include "stream_rig.h"

enum { COUNT = 40000, STATIC = 600 };

static struct machine reference(const char *name)
{
	struct machine m;
	struct error err;
	if (!machine_load(&m, name, &err))
		fail_msg("%s", err.text);
	return m;
}

/* Branches that follow each other as the pcs say; every third event is no branch. Directions have patterns, indirect
 * targets change now and then, calls and returns nest. */
static struct interval_event *program(uint64_t seed)
{
	struct interval_event *e = calloc(COUNT + 1, sizeof *e);
	uint64_t stack[64], depth = 0;
	assert_non_null(e);
	for (size_t i = 0; i < COUNT; i++) {
		uint64_t site = rig_random(&seed, STATIC);
		e[i].pc = e[i].pc ? e[i].pc : 0x10000 + 64 * site;
		e[i].length = 4;
		uint64_t next = e[i].pc + 4, taken = 0x10000 + 64ull * rig_random(&seed, STATIC);
		if (i % 3 == 2) {
			e[i + 1].pc = 0x10000 + 64 * site;
			next = e[i + 1].pc;
			e[i].branch = (uint8_t)(1 + (e[i].pc / 64 + rig_random(&seed, 20) / 19) % 6);
			e[i].imm = (int32_t)(taken - e[i].pc);
			e[i].flags = EVENT_TAKEN;
			if (e[i].branch == CULPRIT_BRANCH_CONDITIONAL && (i / 3 + e[i].pc / 64) % 5 < 2) {
				e[i].flags = 0;
				next = e[i].pc + 4;
			} else if (e[i].branch <= CULPRIT_BRANCH_CALL) {
				next = taken;
			} else if (e[i].branch < CULPRIT_BRANCH_RETURN) {
				next = 0x20000 + e[i].pc + 4096 * (rig_random(&seed, 10) / 9);
			} else if (depth && rig_random(&seed, 9)) {
				next = stack[--depth];
			}
			if ((e[i].branch == CULPRIT_BRANCH_CALL || e[i].branch == CULPRIT_BRANCH_INDIRECT_CALL) &&
			    depth < 64)
				stack[depth++] = e[i].pc + 4;
			if (e[i].branch == CULPRIT_BRANCH_INDIRECT_CALL && rig_random(&seed, 4) == 0)
				e[i].flags |= EVENT_POPS;
		}
		e[i + 1].pc = next;
	}
	return e;
}

struct slow {
	uint64_t wrong[3], redirects, intervals[INTERVAL_BUCKETS];
};

static void predict_all(const struct interval_event *e, size_t first, const struct machine *m, struct slow *s)
{
	struct error err;
	struct predictor *p = predictor_create(m, &err);
	uint64_t last = first;
	memset(s, 0, sizeof *s);
	for (size_t i = 0; i < COUNT; i++) {
		if (!e[i].branch)
			continue;
		struct branch_query q = {.pc = e[i].pc,
					 .direct_target = e[i].pc + (uint64_t)(int64_t)e[i].imm,
					 .actual_next = e[i + 1].pc,
					 .actual_taken = e[i].flags & EVENT_TAKEN,
					 .length = e[i].length,
					 .kind = e[i].branch,
					 .link_register = !!(e[i].flags & EVENT_POPS)};
		struct prediction a;
		predictor_predict(p, &q, &a);
		bool wrong = !a.target_known || a.next_pc != q.actual_next;
		if (i >= first) {
			s->redirects += a.target_known && a.taken && !a.btb_hit;
			if (wrong) {
				s->wrong[q.kind == CULPRIT_BRANCH_CONDITIONAL ? 0
					 : q.kind == CULPRIT_BRANCH_RETURN    ? 2
									      : 1]++;
				s->intervals[interval_bucket(i + 1 - last)]++;
				last = i + 1;
			}
		}
		predictor_speculate(p, &q, q.actual_taken, q.actual_next);
		predictor_update(p, &q, &a, q.actual_taken, q.actual_next);
	}
	predictor_destroy(p);
}

struct passes {
	struct interval_branches *branches;
	struct interval_targets *targets;
	uint64_t flagged; /* mispredictions of the reference, as the events say */
};

static void push(void *context, struct interval_batch *b)
{
	struct passes *p = context;
	interval_branches_judge(p->branches, b);
	interval_branches_push_whole(p->branches, b);
	interval_targets_push(p->targets, b);
	for (size_t i = 0; i < b->count; i++)
		p->flagged += !!(b->events[i].flags & EVENT_MISPREDICTED);
}

static void check_predictors(const struct interval_event *e, size_t first, const struct machine *m,
			     const struct interval_profile *got)
{
	static struct slow want;
	for (size_t i = 0; i < INTERVAL_PREDICTORS; i++) {
		const struct interval_predictor *p = &got->predictor[i];
		struct machine one;
		char name[INTERVAL_NAME];
		interval_predictor_machine(i, m, &one, name);
		predict_all(e, first, &one, &want);
		assert_string_equal(p->name, name);
		assert_int_equal(p->direction, want.wrong[0]);
		assert_int_equal(p->target, want.wrong[1]);
		assert_int_equal(p->return_, want.wrong[2]);
		assert_int_equal(p->redirects, want.redirects);
		assert_memory_equal(p->interval, want.intervals, sizeof want.intervals);
		assert_true(want.wrong[0] > 20 && want.wrong[1] > 20 && want.wrong[2] > 20);
	}
}

static void check_btb(const struct interval_event *e, size_t first, uint32_t entries, uint32_t ways,
		      const struct interval_profile *got)
{
	struct machine m = {.branch_btb_entries = entries, .branch_btb_ways = ways};
	struct error err;
	struct btb b;
	uint64_t direct = 0, indirect = 0, have_direct, have_indirect, target;
	assert_true(btb_create(&b, &m, &err));
	for (size_t i = 0; i < COUNT; i++) {
		if (!e[i].branch || !(e[i].flags & EVENT_TAKEN))
			continue;
		bool hit = btb_lookup(&b, e[i].pc, &target);
		bool jumps = e[i].branch == CULPRIT_BRANCH_INDIRECT_JUMP || e[i].branch == CULPRIT_BRANCH_INDIRECT_CALL;
		direct += i >= first && !jumps && !hit;
		indirect += i >= first && jumps && (!hit || target != e[i + 1].pc);
		btb_train(&b, e[i].pc, e[i + 1].pc);
	}
	assert_true(interval_btb_misses(&got->btb, entries, ways, &have_direct, &have_indirect, &err));
	assert_int_equal(have_direct, direct);
	assert_int_equal(have_indirect, indirect);
	btb_destroy(&b);
}

static void check_stack(const struct interval_event *e, size_t first, uint32_t log2, const struct interval_profile *got)
{
	struct machine m = {.branch_ras = 1u << log2};
	struct error err;
	struct ras r;
	uint64_t wrong = 0, target;
	assert_true(ras_create(&r, &m, &err));
	for (size_t i = 0; i < COUNT; i++) {
		bool returns = e[i].branch == CULPRIT_BRANCH_RETURN;
		if (returns)
			wrong += i >= first && (!ras_top(&r, &target) || target != e[i + 1].pc);
		if (returns || (e[i].branch == CULPRIT_BRANCH_INDIRECT_CALL && e[i].flags & EVENT_POPS))
			ras_pop(&r);
		if (e[i].branch == CULPRIT_BRANCH_CALL || e[i].branch == CULPRIT_BRANCH_INDIRECT_CALL)
			ras_push(&r, e[i].pc + e[i].length);
	}
	assert_int_equal(got->returns.wrong[log2], wrong);
	ras_destroy(&r);
}

/* Half of the stream is warm-up. rig_push numbers the events from 0 each time. */
static void run(const struct interval_event *e, const struct machine *m, struct interval_profile *got)
{
	struct error err;
	struct passes p = {interval_branches_create(m, true, &err), interval_targets_create(m, &err), 0};
	assert_true(p.branches && p.targets);
	rig_push(e, COUNT / 2, push, &p);
	interval_branches_restart(p.branches, 0);
	interval_targets_restart(p.targets);
	p.flagged = 0;
	rig_push(e + COUNT / 2, COUNT / 2, push, &p);
	interval_branches_finish(p.branches, got);
	interval_targets_finish(p.targets, got);
	assert_int_equal(p.flagged, interval_mispredictions(&got->predictor[0]));
	interval_branches_destroy(p.branches);
	interval_targets_destroy(p.targets);
}

/* The reference's predictor is a row of the table; is none; is TAGE; has a history longer than its table is deep, a perfect BTB
 * and no simple target predictor. */
static void test_against_machine(void **state)
{
	static struct interval_profile got;
	struct machine machines[] = {reference("eyerman2009-4w"), reference("fields2003"), reference("golden-cove"),
				     reference("eyerman2009-4w"), reference("eyerman2009-4w")};
	struct interval_event *e = program(3);
	machines[3].branch_history = 20;
	machines[3].branch_btb_entries = 0;
	machines[4].branch_indirect = indirect_predictor_ittage;
	for (size_t i = 0; i < sizeof machines / sizeof machines[0]; i++) {
		run(e, &machines[i], &got);
		check_predictors(e, COUNT / 2, &machines[i], &got);
	}
	check_btb(e, COUNT / 2, 64, 1, &got);
	check_btb(e, COUNT / 2, 256, 4, &got);
	check_btb(e, COUNT / 2, 2048, 4, &got);
	for (uint32_t n = 0; n < INTERVAL_RAS; n++)
		check_stack(e, COUNT / 2, n, &got);
	free(e);
}

static void test_buckets(void **state)
{
	for (uint32_t b = 1; b < INTERVAL_BUCKETS; b++)
		assert_int_equal(interval_bucket(interval_bucket_first(b)), b);
	for (uint64_t n = 1; n < 5000; n++) {
		uint32_t b = interval_bucket(n);
		assert_true(interval_bucket_first(b) <= n && n < interval_bucket_first(b + 1));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_against_machine),
		cmocka_unit_test(test_buckets),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
