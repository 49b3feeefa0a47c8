/* What a profile does not hold is named, with what was taken for it; and what it holds is not. Each machine is the profile's own but for
 * the keys given. */
#include "model_rig.h"

#include <math.h>

struct expected {
	const char *keys[3];
	const char *structure; /* NULL: nothing is noted of any structure */
	enum model_term term;
	const char *text;
};

static const struct expected cases[] = {
	{{"window.rob=77"}, NULL, MODEL_bus, NULL},
	{{"l1d.replacement=plru"}, "l1d", MODEL_l1d, "plru replacement: taken as lru"},
	{{"l1d.replacement=random"}, "l1d", MODEL_l1d, "random replacement: taken as lru"},
	{{"l1d.replacement=fifo"}, "l1d", MODEL_l1d, "fifo replacement: taken as lru"},
	{{"l1d.replacement=srrip"}, "l1d", MODEL_l1d, "srrip replacement: taken as lru"},
	{{"l1i.replacement=fifo"}, "l1i", MODEL_l1i, "fifo replacement: taken as lru"},
	{{"l1i.prefetcher=next_line"}, "l1i", MODEL_l1i, "a prefetcher: taken as none"},
	{{"l3.size=8388608", "l3.prefetcher=next_line"}, "l3", MODEL_l2d, "a prefetcher: taken as none"},
	{{"branch.indirect=ittage", "branch.ittage_kib=32"},
	 "indirect predictor",
	 MODEL_resolve,
	 "ittage of 32 KiB: taken as the BTB's last target (a profile made with --tage has ITTAGE)"},
};

static const struct model_nearest *find(const struct model_counts *c, const char *structure, const char *text)
{
	for (uint32_t i = 0; i < c->nearest_count; i++)
		if (!strcmp(c->nearest[i].structure, structure) && !strcmp(c->nearest[i].text, text))
			return &c->nearest[i];
	return NULL;
}

static void counted(const struct interval_profile *p, const struct expected *e, struct model_counts *c)
{
	struct model model;
	struct error err;
	struct machine m = p->machine;
	assert_true(model_open(&model, p, &err));
	for (size_t k = 0; k < sizeof e->keys / sizeof *e->keys && e->keys[k]; k++)
		rig_set(&m, e->keys[k]);
	model_count(&model, &m, c);
	model_close(&model);
}

static void what_is_not_held_is_named(void **state)
{
	struct interval_profile *p = rig_profile(20000, 5);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct expected *e = &cases[i];
		static const struct expected none;
		struct model_counts own, c;
		counted(p, &none, &own);
		counted(p, e, &c);
		if (!e->structure) {
			assert_int_equal(c.nearest_count, own.nearest_count);
			continue;
		}
		assert_null(find(&own, e->structure, e->text));
		const struct model_nearest *n = find(&c, e->structure, e->text);
		if (!n)
			fail_msg("%s: nothing says \"%s: %s\"", e->keys[0], e->structure, e->text);
		assert_int_equal(n->term, e->term);
		assert_true(isfinite(n->count) && n->count >= 0 && isfinite(n->off) && n->off >= 0);
	}
	rig_profile_free(p);
	(void)state;
}

/* Each note that the change makes, in order: the structure, what the note is of, the penalty, and the text. */
static void expect_all(const struct interval_profile *p, const struct expected *e, const char *wanted)
{
	char got[1500] = "";
	size_t used = 0;
	static const struct expected none;
	struct model_counts own, c;
	counted(p, &none, &own);
	counted(p, e, &c);
	for (uint32_t i = 0; i < c.nearest_count; i++) {
		const struct model_nearest *n = &c.nearest[i];
		if (!find(&own, n->structure, n->text))
			used += (size_t)snprintf(got + used, sizeof got - used, "%s, %s, %g: %s\n", n->structure,
						 model_term_name(n->term), n->penalty, n->text);
	}
	assert_string_equal(got, wanted);
}

static void all_that_is_taken_is_named(void **state)
{
	struct interval_profile *p = rig_profile(20000, 5);
	expect_all(p, &(struct expected){.keys = {"l1i.ways=33", "l1i.size=67584"}},
		   "l1i, l1i, 0: 67584 bytes in 33 ways of 32-byte lines: "
		   "taken as 65536 bytes in 16 ways of 32-byte lines\n");
	expect_all(p, &(struct expected){.keys = {"l1d.ways=64", "l1d.size=131072"}},
		   "l1d, l1d, 0: 131072 bytes in 64 ways of 32-byte lines: "
		   "taken as 131072 bytes in 16 ways of 32-byte lines\n");
	expect_all(p, &(struct expected){.keys = {"l2.ways=64", "l2.line=256"}},
		   "l2, l2i, 0: 1048576 bytes in 64 ways of 256-byte lines: "
		   "taken as 1048576 bytes in 16 ways of 128-byte lines\n"
		   "l2, l2d, 0: 1048576 bytes in 64 ways of 256-byte lines: "
		   "taken as 1048576 bytes in 16 ways of 128-byte lines\n");
	expect_all(p, &(struct expected){.keys = {"l3.size=8388608", "l3.ways=64"}},
		   "l3, l2d, 250: 8388608 bytes in 64 ways of 128-byte lines: "
		   "taken as 8388608 bytes in 16 ways of 128-byte lines\n"
		   "l3, l2i, 250: 8388608 bytes in 64 ways of 128-byte lines: "
		   "taken as 8388608 bytes in 16 ways of 128-byte lines\n");
	expect_all(p, &(struct expected){.keys = {"tlb.i_entries=4096", "tlb.d_entries=4096", "tlb.l2_entries=8192"}},
		   "itlb, itlb, 0: 4096 entries: taken as 4096 entries in 16 ways\n"
		   "dtlb, dtlb, 0: 4096 entries: taken as 4096 entries in 16 ways\n"
		   "second-level tlb, dtlb, 30: 8192 entries: taken as 8192 entries in 16 ways\n");
	expect_all(p, &(struct expected){.keys = {"branch.btb_entries=131072", "branch.btb_ways=64"}},
		   "btb, fetch, 2: 131072 entries in 64 ways: "
		   "taken as 32768 entries in 16 ways\n"
		   "btb, resolve, 0: 131072 entries in 64 ways: "
		   "taken as 32768 entries in 16 ways\n");
	expect_all(p, &(struct expected){.keys = {"branch.ras=100"}},
		   "return stack, resolve, 0: 100 entries: taken as 128\n");
	expect_all(p, &(struct expected){.keys = {"branch.predictor=bimodal"}},
		   "direction predictor, resolve, 0: bimodal of 4096 counters, history 0: "
		   "taken as combined of 12288 counters, history 12\n");
	expect_all(p, &(struct expected){.keys = {"branch.predictor=tage_sc_l", "branch.tage_kib=8"}},
		   "direction predictor, resolve, 0: tage_sc_l of 8 KiB: "
		   "taken as combined of 12288 counters, history 12 (a profile made with --tage has TAGE)\n");
	rig_profile_free(p);
	(void)state;
}

/* Of a prefetcher nothing is known: all misses may be gone. Those of L3 are served by memory. */
static void prefetchers_may_hide_all(void **state)
{
	struct interval_profile *p = rig_profile(20000, 5);
	struct model_counts c;
	counted(p, &(struct expected){.keys = {"l1i.prefetcher=next_line"}}, &c);
	const struct model_nearest *n = find(&c, "l1i", "a prefetcher: taken as none");
	assert_float_equal(n->count, c.l1i, 0);
	assert_float_equal(n->off, c.l1i, 0);
	assert_float_equal(n->penalty, 0, 0);
	counted(p, &(struct expected){.keys = {"memory.latency=321", "l3.size=8388608", "l3.prefetcher=next_line"}},
		&c);
	n = find(&c, "l3", "a prefetcher: taken as none");
	assert_float_equal(n->count, c.l3_share * (c.l2d + c.l2i), 1e-6);
	assert_float_equal(n->off, n->count, 0);
	assert_float_equal(n->penalty, 321, 0);
	rig_profile_free(p);
	(void)state;
}

/* Targets are those that the machine's kind of indirect predictor missed: the reference's own, or those of the first
 * predictor in the profile whose indirect branches go by the BTB, here the third. Names that are empty were not run. */
static void targets_are_those_of_the_same_indirect_predictor(void **state)
{
	static const struct expected ittage = {.keys = {"branch.indirect=ittage", "branch.ittage_kib=64"}};
	static const struct expected btb = {.keys = {"branch.indirect=btb"}};
	struct interval_profile *p = rig_profile(20000, 5);
	struct model_counts c;
	rig_set(&p->machine, "branch.indirect=ittage");
	rig_set(&p->machine, "branch.ittage_kib=64");
	for (unsigned i = 0; i < 5; i++)
		p->predictor[i] = p->predictor[0];
	p->predictor[0].branch = interval_branch_of(&p->machine);
	p->predictor[1] = p->predictor[0];
	*p->predictor[2].name = 0;
	for (unsigned i = 2; i < 5; i++)
		p->predictor[i].branch.indirect = indirect_predictor_btb;
	for (unsigned i = 0; i < 5; i++)
		p->predictor[i].target = 1000u << i;
	counted(p, &ittage, &c);
	const double rest = c.mispredictions - 1000;
	assert_true(rest > 0);
	counted(p, &btb, &c);
	assert_float_equal(c.mispredictions, rest + 8000, 1e-9);
	*p->predictor[3].name = 0;
	counted(p, &btb, &c);
	assert_float_equal(c.mispredictions, rest + 16000, 1e-9);
	*p->predictor[4].name = 0; /* nobody has a BTB: the reference's */
	counted(p, &btb, &c);
	assert_float_equal(c.mispredictions, rest + 1000, 1e-9);
	rig_profile_free(p);
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_not_held_is_named),
					   cmocka_unit_test(all_that_is_taken_is_named),
					   cmocka_unit_test(prefetchers_may_hide_all),
					   cmocka_unit_test(targets_are_those_of_the_same_indirect_predictor)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
