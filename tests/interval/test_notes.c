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

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_not_held_is_named),
					   cmocka_unit_test(prefetchers_may_hide_all)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
