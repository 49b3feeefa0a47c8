/* The flow's prefetchers and store sets on streams whose cycles follow by hand; the machine is test_flow.c's: the first instruction is
 * dispatched in 5, issued in 6, commits a cycle after it is done; load 2, L2 10, memory 250, redirect 1, c_fe 5. */
#include "model_rig.h"

#include "interval/flow/flow.h"

#include <math.h>

static const char *const store_set_machine = "lsq: { disambiguation: store_sets }\ncommit: { delay: 1 }\n";

static uint64_t run_on(struct flow *f, const struct interval_sample *s, size_t n, uint32_t parts)
{
	struct flow_stream stream = {.samples = s, .count = n};
	struct flow_result r;
	flow_run(f, &stream, parts, &r);
	return r.cycles;
}

static struct flow *create(const struct machine *m)
{
	struct error err;
	struct flow *f = flow_create(m, &err);
	assert_non_null(f);
	return f;
}

static struct interval_sample load(uint32_t i, uint32_t address, uint16_t producer)
{
	struct interval_sample s = rig_op(i, CULPRIT_OP_load, producer);
	s.flags = SAMPLE_LOAD;
	s.dlevel = CULPRIT_LEVEL_L1;
	s.address = address;
	return s;
}

/* Three lines of 128 bytes one after the other, all from memory; a division of 20 cycles before each but the first. Load 0 misses, as the L1D
 * knows in 8: the second line is asked for in 8, too. Load 2 issues in 26; it is the first to use the second line, so that the third
 * is asked for in 28. That comes from memory as well, 260 later in 288 (it had been taken to be there after L2's 10); load 4, issued in
 * 46, waits for it and commits in 289. */
static void a_prefetched_line_comes_from_where_it_is(void **state)
{
	struct machine m =
		rig_machine("lsq: { disambiguation: perfect }\ncommit: { delay: 1 }\n"
			    "l1d: { line: 128, prefetcher: next_line }\nl2: { line: 128 }\nl1i: { line: 128 }\n");
	struct interval_sample s[5] = {load(0, 5120, 0), rig_op(1, CULPRIT_OP_int_div, 0), load(2, 5136, 1),
				       rig_op(3, CULPRIT_OP_int_div, 2), load(4, 5152, 1)};
	for (unsigned i = 0; i < 5; i += 2)
		s[i].dlevel = CULPRIT_LEVEL_MEMORY;
	struct flow *f = create(&m);
	assert_int_equal(run_on(f, s, 5, FLOW_ALL), 289);
	/* the third line is in L2: asked for in 28, there in 38; the others come in 268, and four commit in 269 */
	s[4].dlevel = CULPRIT_LEVEL_L2;
	assert_int_equal(run_on(f, s, 5, FLOW_ALL), 270);
	/* no prefetcher: load 4 in 46 + 2 + 260 */
	s[4].dlevel = CULPRIT_LEVEL_MEMORY;
	assert_int_equal(run_on(f, s, 5, FLOW_ALL & ~FLOW_BIT(prefetch)), 309);
	flow_destroy(f);
}

/* Nothing in the stretch has asked for the line, but the profile says that the prefetcher had: a hit, issued in 6, done in 8, commits
 * in 9, and a first use, which has the next line asked for in 8. That comes from memory in 268; load 1 commits in 269. Marks of
 * another prefetcher say nothing: then both are misses, the first in 8 + 260, and the second line is asked for as before. */
static void a_line_asked_for_before_the_stretch_is_here(void **state)
{
	struct machine m =
		rig_machine("lsq: { disambiguation: perfect }\ncommit: { delay: 1 }\nl1d: { prefetcher: next_line }\n");
	struct interval_sample s[2] = {load(0, 5120, 0), load(1, 5128, 0)};
	struct flow *f = create(&m);
	struct flow_stream stream = {.samples = s, .count = 1, .prefetched = true};
	struct flow_result r;
	s[0].dlevel = s[1].dlevel = CULPRIT_LEVEL_MEMORY;
	s[0].prefetched = true;
	flow_run(f, &stream, FLOW_ALL, &r);
	assert_int_equal(r.cycles, 9);
	flow_run(f, &stream, FLOW_ALL & ~FLOW_BIT(prefetch), &r);
	assert_int_equal(r.cycles, 269);
	stream.prefetched = false;
	flow_run(f, &stream, FLOW_ALL, &r);
	assert_int_equal(r.cycles, 269);
	stream.prefetched = true;
	stream.count = 2;
	flow_run(f, &stream, FLOW_ALL, &r);
	assert_int_equal(r.cycles, 269);
	flow_destroy(f);
}

/* A division, a store that waits for it and a load of the same place; then the same code again, but the load is of another place. */
static void conflict(struct interval_sample s[6])
{
	for (uint32_t i = 0; i < 6; i++)
		s[i] = rig_op(i % 3, i % 3 ? CULPRIT_OP_store : CULPRIT_OP_int_div, i % 3);
	s[1].flags = s[4].flags = SAMPLE_STORE;
	s[1].dlevel = s[4].dlevel = CULPRIT_LEVEL_L1;
	s[1].address = 100;
	s[4].address = 300;
	s[2] = load(2, 100, 0);
	s[2].mem_producer = s[2].covers = 1;
	s[5] = load(2, 200, 0);
}

/* The store issues in 26 and is done in 27; the load goes ahead in 6. It is squashed in 27, fetched again in 28, dispatched in 33, after
 * the store's commit in 28, and issued in 34; so is the second division, done in 54. The second store is done in 55 and commits in 56;
 * the load behind it needs nothing of it, but has learnt to wait: it issues in 55, is done in 57, commits in 58. */
static void a_violation_is_squashed_once_and_waited_for_from_then_on(void **state)
{
	struct machine m = rig_machine(store_set_machine);
	struct interval_sample s[6];
	conflict(s);
	struct flow *f = create(&m);
	const uint32_t knowing = FLOW_ALL & ~(FLOW_BIT(violation) | FLOW_BIT(units));
	/* Nothing learnt yet, nothing to go wrong: load 2 waits for its store, 27 + 2, commit 30; the second half, dispatched in 5 and
	 * 6, needs nothing of the first and is done before. */
	assert_int_equal(run_on(f, s, 6, knowing), 30);
	assert_int_equal(run_on(f, s, 6, FLOW_ALL), 58);
	assert_int_equal(run_on(f, s, 6, FLOW_ALL), 58); /* from nothing again */
	/* The sets are known now: the second load waits for the second store, which waits for the first (27): 28 + 2, commit 31. */
	assert_int_equal(run_on(f, s, 6, knowing), 31);
	rig_set(&m, "lsq.disambiguation=perfect");
	flow_destroy(f);
	f = create(&m);
	assert_int_equal(run_on(f, s, 6, knowing), 30);
	flow_destroy(f);
}

/* What happens in a stretch happens in the same way behind another, whose instructions fill the machine's width and need nothing: so
 * many cycles later. Distances into the stretch before are none. */
static void a_stretch_takes_as_long_behind_another(void **state)
{
	enum { STRETCH = 600, WIDTH = 4 };
	struct machine m = rig_machine(store_set_machine);
	static struct interval_sample both[2 * STRETCH];
	for (uint64_t seed = 1; seed <= 20; seed++) {
		uint64_t random = seed;
		for (uint32_t i = 0; i < STRETCH; i++) {
			both[i] = rig_op(5000 + i, CULPRIT_OP_int_alu, 0);
			both[STRETCH + i] = rig_op(i, CULPRIT_OP_int_alu, (uint16_t)(1 + rig_random(&random) % 12));
		}
		for (uint32_t at = STRETCH + 30; at < 2 * STRETCH - 6; at += 57) {
			conflict(&both[at]);
			for (uint32_t i = at; i < at + 6; i++) /* code of its own: nothing is learnt for it before */
				both[i].pc += 4 * at;
			both[at + 6] = load(at, 1000 * at, 4); /* waits for the squashed load, and misses */
			both[at + 6].dlevel = CULPRIT_LEVEL_MEMORY;
		}
		struct flow *f = create(&m);
		uint64_t without = 0;
		for (unsigned with = 0; with < 2; with++) {
			uint32_t parts = FLOW_ALL & ~(with ? 0 : FLOW_BIT(violation));
			struct flow_stream alone = {.samples = both + STRETCH, .count = STRETCH, .stretch = STRETCH};
			struct flow_stream behind = {.samples = both, .count = 2 * STRETCH, .stretch = STRETCH};
			struct flow_result a, b;
			flow_run(f, &alone, parts, &a);
			flow_run(f, &behind, parts, &b);
			assert_int_equal(b.cycles, a.cycles + STRETCH / WIDTH);
			assert_true(a.cycles > without);
			without = a.cycles;
		}
		flow_destroy(f);
	}
}

/* The load is squashed in 27 and fetched again in 28, as above: it is done in 36 and commits in 37. The fourth instruction is on another line,
 * which L2 has; fetch had asked for it in 0 and had it in 10, long before the squash. */
static void what_was_fetched_before_a_squash_stays(void **state)
{
	struct machine m = rig_machine(store_set_machine);
	struct interval_sample s[6];
	conflict(s);
	s[3] = rig_op(1000, CULPRIT_OP_int_alu, 0);
	s[3].ilevel = CULPRIT_LEVEL_L2;
	struct flow *f = create(&m);
	assert_int_equal(run_on(f, s, 4, FLOW_ALL), 37);
	/* from memory it comes in 260, for the group behind that of the load: fetched in 261, dispatched in 266, commits in 269 */
	s[3].ilevel = CULPRIT_LEVEL_MEMORY;
	assert_int_equal(run_on(f, s, 4, FLOW_ALL), 269);
	flow_destroy(f);
}

/* Two stores whose lines come from memory, a store queue of one entry: the first commits in 8, its line is there in 8 + 2 + 260 = 270; so
 * the second is dispatched in 270, issued in 271, done in 272, commits in 273. Without store misses its entry is free in 10. */
static void store_misses_are_a_part_of_their_own(void **state)
{
	struct machine m = rig_machine("lsq: { disambiguation: perfect }\ncommit: { delay: 1 }\nwindow: { sq: 1 }\n");
	struct interval_sample s[2];
	for (uint32_t i = 0; i < 2; i++) {
		s[i] = rig_op(i, CULPRIT_OP_store, 0);
		s[i].flags = SAMPLE_STORE;
		s[i].dlevel = CULPRIT_LEVEL_MEMORY;
		s[i].address = 10000 * (i + 1);
	}
	struct flow *f = create(&m);
	assert_int_equal(run_on(f, s, 2, FLOW_ALL), 273);
	assert_int_equal(run_on(f, s, 2, FLOW_ALL & ~FLOW_BIT(store)), 13);
	flow_destroy(f);
}

/* Loads and stores miss L2 each in a burst of its own. Of the loads' all are in the sample, of the stores' half: what the stores cost counts
 * twice, what the loads cost once. */
static void stores_scale_by_their_own_count(void **state)
{
	struct interval_profile *p = rig_profile(20000, 5);
	struct model model;
	struct error err;
	for (uint32_t i = 1000; i < 1100; i++) {
		struct interval_sample *s = &p->samples.list[i];
		*s = rig_op(i, CULPRIT_OP_store, 0);
		s->flags = SAMPLE_STORE;
		s->dlevel = CULPRIT_LEVEL_MEMORY;
		s->address = 200000 + 100 * i;
	}
	p->samples.every = 2;
	assert_true(model_open(&model, p, &err));
	struct model_counts c = model.reference_counts;
	c.l2d = model.sampled[FLOW_l2d] * 20000;
	c.l2d_stores = model.sampled[FLOW_store] * 20000 * 2;
	assert_float_equal(model.sampled[FLOW_store] * 20000, 100, 1e-9);
	assert_float_equal(model_scale(&model, &c, FLOW_l2d), 1, 1e-9);
	assert_float_equal(model_scale(&model, &c, FLOW_store), 2, 1e-9);
	model_close(&model);
	rig_profile_free(p);
}

/* Every fiftieth instruction a load that goes ahead of its store, each at another pc. */
static void add_conflicts(struct interval_profile *p)
{
	for (uint32_t i = 100; i + 2 < p->samples.count; i += 50) {
		struct interval_sample *s = &p->samples.list[i];
		s[0] = rig_op(i, CULPRIT_OP_int_div, 0);
		s[1] = rig_op(i + 1, CULPRIT_OP_store, 1);
		s[1].flags = SAMPLE_STORE;
		s[1].address = i;
		s[2] = load(i + 2, i, 0);
		s[2].mem_producer = s[2].covers = 1;
	}
}

/* What is learnt once does not grow with the region, but with how often the tables are cleared. */
static void learning_counts_once_for_each_clearing(void **state)
{
	struct interval_profile *p = rig_profile(20000, 5);
	struct model model;
	struct model_counts c;
	struct model_flow one, ten, cleared;
	struct error err;
	struct machine m = rig_machine(store_set_machine);
	rig_set(&m, "lsq.ssit_clear=0");
	add_conflicts(p);
	assert_true(model_open(&model, p, &err));
	model_count(&model, &m, &c);
	uint32_t parts = model_parts(&m, MODEL_REFINED);
	assert_true(model_flow(&model, &m, &c, parts, &one, &err));
	assert_true(one.added[FLOW_violation] > 400 * 6); /* of some 400, each costs at least its refill */
	c.instructions *= 10;				  /* the sample is a tenth of the region */
	assert_true(model_flow(&model, &m, &c, parts, &ten, &err));
	assert_float_equal(ten.cycles, one.cycles, 0);
	assert_float_equal(ten.added[FLOW_violation], one.added[FLOW_violation] / 10, 1e-6);
	m.lsq_ssit_clear = (uint32_t)lround(one.cycles * 10 / 4);
	assert_true(model_flow(&model, &m, &c, parts, &cleared, &err));
	assert_float_equal(cleared.added[FLOW_violation] / ten.added[FLOW_violation], 4, 1e-3);
	rig_set(&m, "lsq.disambiguation=perfect");
	assert_int_equal(model_parts(&m, MODEL_REFINED) & FLOW_BIT(violation), 0);
	model_close(&model);
	rig_profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_prefetched_line_comes_from_where_it_is),
		cmocka_unit_test(a_line_asked_for_before_the_stretch_is_here),
		cmocka_unit_test(a_violation_is_squashed_once_and_waited_for_from_then_on),
		cmocka_unit_test(a_stretch_takes_as_long_behind_another),
		cmocka_unit_test(what_was_fetched_before_a_squash_stays),
		cmocka_unit_test(store_misses_are_a_part_of_their_own),
		cmocka_unit_test(stores_scale_by_their_own_count),
		cmocka_unit_test(learning_counts_once_for_each_clearing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
