/* A wrong path that was saved before and restored after must leave no trace in later predictions: two predictors see
 * the same program, one of them goes astray at every misprediction and at random besides, and both must predict the
 * same throughout. Commits lag behind fetch, also while fetch is astray. And: same input, same predictions, whatever
 * the heap held before. */
#include "machine/predictor_mix.h"

#include <malloc.h>

enum { LAG = 40, BRANCHES = 60000 };

struct flight {
	struct branch_query q;
	struct prediction pred;
};

struct run {
	struct predictor *p;
	struct mix program;
	struct flight flight[LAG];
	uint64_t fetched;
};

static void run_start(struct run *r, const struct machine *m)
{
	memset(r, 0, sizeof *r);
	r->p = predictor_for(m);
	mix_start(&r->program, 5);
}

static void commit_oldest(struct run *r)
{
	if (r->fetched < LAG)
		return;
	const struct flight *f = &r->flight[r->fetched % LAG];
	predictor_update(r->p, &f->q, &f->pred, f->q.actual_taken, f->q.actual_next);
}

/* Wrong-path branches anywhere; with a real return stack none that pops, as that is beyond repair by design. */
static struct branch_query astray(uint64_t *seed, bool pops)
{
	uint64_t r = rig_random(seed);
	uint8_t kind = r % 3 ? CULPRIT_BRANCH_CONDITIONAL : 1 + (r >> 8) % (CULPRIT_BRANCH_COUNT - (pops ? 1 : 2));
	uint64_t pc = mix_pc(r >> 16 & 31, r >> 24 & 15), to = mix_pc(r >> 28 & 31, r >> 40 & 15);
	return kind == CULPRIT_BRANCH_CONDITIONAL ? conditional(pc, to, r >> 50 & 1) : jump(kind, pc, to);
}

static void go_astray(struct run *r, uint64_t *seed, bool pops)
{
	uint64_t save[1024], inner[1024];
	assert_true(predictor_save_size(r->p) <= sizeof save);
	predictor_save(r->p, save);
	int count = (int)(rig_random(seed) % 40);
	for (int i = 0; i < count; i++) {
		struct branch_query q = astray(seed, pops);
		struct prediction pred;
		predictor_predict(r->p, &q, &pred);
		if (i == count / 2)
			predictor_save(r->p, inner); /* a wrong path within the wrong path */
		predictor_speculate(r->p, &q, pred.taken, pred.next_pc);
		if (i == count / 2 + 5)
			predictor_restore(r->p, inner);
	}
	commit_oldest(r);
	predictor_restore(r->p, save);
}

static struct prediction step(struct run *r, bool wanders, uint64_t *seed, bool pops)
{
	struct flight f = {.q = mix_next(&r->program)};
	predictor_predict(r->p, &f.q, &f.pred);
	if (wanders && (!prediction_right(&f.q, &f.pred) || rig_random(seed) % 8 == 0))
		go_astray(r, seed, pops);
	else
		commit_oldest(r);
	r->flight[r->fetched++ % LAG] = f;
	predictor_speculate(r->p, &f.q, f.q.actual_taken, f.q.actual_next);
	return f.pred;
}

static void assert_same(const struct prediction *a, const struct prediction *b)
{
	assert_int_equal(a->taken, b->taken);
	assert_int_equal(a->btb_hit, b->btb_hit);
	assert_int_equal(a->target_known, b->target_known);
	assert_int_equal(a->component, b->component);
	if (a->target_known)
		assert_int_equal(a->next_pc, b->next_pc);
}

static void leaves_no_trace(const struct machine *m, bool pops)
{
	static struct run straight, wandering;
	run_start(&straight, m);
	run_start(&wandering, m);
	uint64_t seed = 99;
	for (int i = 0; i < BRANCHES; i++) {
		struct prediction a = step(&straight, false, NULL, pops);
		struct prediction b = step(&wandering, true, &seed, pops);
		assert_same(&a, &b);
	}
	predictor_destroy(straight.p);
	predictor_destroy(wandering.p);
}

static void test_no_trace(void **state)
{
	(void)state;
	for (int kind = direction_predictor_static_; kind <= direction_predictor_oracle; kind++) {
		for (int ittage = 0; ittage < 2; ittage++) {
			struct machine m = machine_with(kind);
			m.branch_indirect = ittage ? indirect_predictor_ittage : indirect_predictor_btb;
			m.branch_tage_kib = 8;
			m.branch_ittage_kib = 4;
			m.branch_btb_entries = 256;
			leaves_no_trace(&m, false);
			m.branch_ras = 0;
			leaves_no_trace(&m, true);
		}
	}
}

/* The heap is filled with `garbage` before use, so that reading what was never written shows. */
static uint64_t digest_of_run(const struct machine *m, int garbage)
{
	static struct run r;
	mallopt(M_PERTURB, garbage);
	run_start(&r, m);
	uint64_t seed = 7, digest = 0;
	for (int i = 0; i < BRANCHES; i++) {
		struct prediction p = step(&r, true, &seed, true);
		uint64_t word = (p.target_known ? p.next_pc : 1) ^ (uint64_t)p.component << 56 ^
				(uint64_t)p.taken << 48;
		digest = (digest ^ word) * 0x100000001b3u;
	}
	predictor_destroy(r.p);
	mallopt(M_PERTURB, 0);
	return digest;
}

static void test_deterministic(void **state)
{
	(void)state;
	for (int kind = direction_predictor_static_; kind <= direction_predictor_oracle; kind++) {
		struct machine m = machine_with(kind);
		m.branch_indirect = indirect_predictor_ittage;
		assert_true(digest_of_run(&m, 0x55) == digest_of_run(&m, 0xaa));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_trace),
		cmocka_unit_test(test_deterministic),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
