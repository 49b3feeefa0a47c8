/* What the prefetcher of the reference's L1D brings, against src/machine's whole hierarchy with the same prefetcher, access by access. */
#include "interval/profile/prefetched.h"
#include "machine/hierarchy.h"
#include "memory_rig.h"
#include "model_rig.h"

enum { ACCESSES = 200000, APART = 10000 };

/* Four streams at different speeds, two strides, and accesses anywhere in 64 KB, so that lines are pushed out before they are used. */
static uint64_t address(uint64_t *seed, uint32_t n, uint64_t *pc)
{
	uint64_t what = rig_random(seed) % 8;
	*pc = 0x10000 + 4 * what;
	if (what < 4)
		return (what + 1) << 24 | (n / (8u << what) * 8);
	if (what < 6)
		return (what + 1) << 24 | (n * (what == 4 ? 8u : 136u) % (1u << 22));
	return (what + 1) << 24 | rig_random(seed) % (1u << 16);
}

static void agrees_with_the_hierarchy(const char *prefetcher)
{
	struct machine m = rig_machine("description: rig\n");
	struct interval_prefetched p;
	struct error err;
	uint64_t seed = 5, pc, used = 0;
	rig_set(&m, prefetcher);
	rig_set(&m, "l1d.prefetch_degree=3");
	struct hierarchy *h = hierarchy_create(&m, &err);
	assert_non_null(h);
	assert_true(interval_prefetched_init(&p, &m, &err));
	for (uint32_t n = 0; n < ACCESSES; n++) {
		struct memory_access a;
		uint64_t at = address(&seed, n, &pc);
		hierarchy_load(h, (uint64_t)n * APART, n, pc, at, 1, false, &a);
		assert_int_equal(interval_prefetched_use(&p, pc, at), a.prefetched);
		used += a.prefetched;
	}
	assert_int_equal(used, hierarchy_statistics(h)->l1d.prefetches_used);
	assert_in_range(used, 1000, hierarchy_statistics(h)->l1d.prefetches - 1000);
	interval_prefetched_free(&p);
	hierarchy_destroy(h);
}

static void a_next_line_prefetcher(void **state)
{
	agrees_with_the_hierarchy("l1d.prefetcher=next_line");
}

static void a_stride_prefetcher(void **state)
{
	agrees_with_the_hierarchy("l1d.prefetcher=stride");
}

static void a_stream_prefetcher(void **state)
{
	agrees_with_the_hierarchy("l1d.prefetcher=stream");
}

static bool make(void *made, const struct machine *m, struct error *err)
{
	return interval_prefetched_init(made, m, err);
}

/* The message says what there is no memory for. */
static void without_memory(void **state)
{
	struct machine m = rig_machine("description: rig\n");
	struct interval_prefetched p;
	rig_set(&m, "l1d.prefetcher=stride");
	rig_set(&m, "l1d.size=1073741824"); /* lines of 32 bytes */
	rig_lacks_memory(make, &p, &m, "an L1D with its prefetcher: out of memory for 33554432 entries");
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_next_line_prefetcher),
		cmocka_unit_test(a_stride_prefetcher),
		cmocka_unit_test(a_stream_prefetcher),
		cmocka_unit_test(without_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
