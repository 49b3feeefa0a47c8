/* Classes idealised at places: loops whose cycles follow by arithmetic, and random programs on random machines, where a
 * place that holds everything is the class itself, to the cycle. */
#include "kernel_rig.h"
#include "random_machine.h"
#include "random_program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

enum { BEFORE = 40, AFTER = 280, VECTOR_E32_M8 = 0x40 | 2 << 3 | 3 }; /* with the tail agnostic */

static uint64_t cycles_of(const struct machine *m, const struct kernel *k, uint64_t iterations,
			  const struct core_place *place)
{
	struct error err;
	struct guest *guest = kernel_guest(k, iterations);
	struct core *core = core_create(m, guest, &err);
	assert_non_null(core);
	if (place)
		assert_true(core_idealise_places(core, place, 1, &err));
	assert_true(core_run(core, UINT64_MAX, &err) == CORE_STOP_ENDED);
	uint64_t cycles = core_statistics(core)->cycles;
	core_destroy(core);
	guest_destroy(guest);
	return cycles;
}

/* Cycles an iteration, which must be whole. */
static uint64_t iteration(const struct machine *m, const struct kernel *k, const struct core_place *place)
{
	uint64_t cycles = cycles_of(m, k, AFTER, place) - cycles_of(m, k, BEFORE, place);
	assert_int_equal(cycles % (AFTER - BEFORE), 0);
	return cycles / (AFTER - BEFORE);
}

/* The first `count` instructions of a kernel's loop. */
static struct core_place first_of(unsigned count, culprit_event_set ideal)
{
	return (struct core_place){BARE_CODE, BARE_CODE + 4 * count, ideal};
}

/* Of 32 dependent additions 8 take no time; of 32 dependent loads that come from L2 8 hit. */
static void parts_of_chains(void **state)
{
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		const struct kernel adds = {.name = "chain"};
		kernel_wide_machine(&m, kernel_machines[i]);
		uint64_t wake = kernel_wake(&m, CULPRIT_OP_int_alu);
		const struct core_place no_time = first_of(8, CULPRIT_EVENT_BIT(shalu));
		assert_int_equal(iteration(&m, &adds, NULL), CHAIN_OPS * wake);
		assert_int_equal(iteration(&m, &adds, &no_time), (CHAIN_OPS - 8) * wake);

		uint32_t ways = m.l1d_ways ? m.l1d_ways : 1;
		const struct kernel loads = {.name = "chase", .ring_nodes = ways + 1, .ring_stride = m.l1d_size / ways};
		const struct core_place hits = first_of(8, CULPRIT_EVENT_BIT(dmiss));
		uint64_t l1 = kernel_load(&m, CULPRIT_LEVEL_L1), l2 = kernel_load(&m, CULPRIT_LEVEL_L2);
		assert_int_equal(iteration(&m, &loads, NULL), CHAIN_OPS * l2);
		assert_int_equal(iteration(&m, &loads, &hits), 8 * l1 + (CHAIN_OPS - 8) * l2);
	}
	(void)state;
}

/* Vector loads and stores of a cold buffer hit where they are told to, as they do with the class. */
static void vector_accesses(void **state)
{
	static const uint64_t which[] = {VECTOR_LOAD, VECTOR_STRIDED, VECTOR_STORE};
	for (unsigned i = 0; i < kernel_machine_count; i++)
		for (unsigned j = 0; j < sizeof which / sizeof *which; j++) {
			struct machine m, ideal;
			const struct kernel k = {
				.name = "vector", .vlen = 256, .arg = {which[j], VECTOR_E32_M8, 1 << 20, 4}};
			const struct core_place all = {0, UINT64_MAX, CULPRIT_EVENT_BIT(dmiss)};
			kernel_wide_machine(&m, kernel_machines[i]);
			kernel_set(&m, "memory.latency=2000");
			kernel_set(&m, "window.sq=1"); /* a store that is not written yet stops the next */
			ideal = m;
			ideal.ideal |= CULPRIT_EVENT_BIT(dmiss);
			const uint64_t hits = cycles_of(&ideal, &k, BEFORE, NULL);
			if (!i || which[j] == VECTOR_STORE) /* the others' code comes as late as the data */
				assert_true(cycles_of(&m, &k, BEFORE, NULL) > hits + 100);
			assert_int_equal(cycles_of(&m, &k, BEFORE, &all), hits);
		}
	(void)state;
}

/* The branch that is always mispredicted, and no other; the place beside it changes nothing. */
static void one_branch(void **state)
{
	const struct kernel k = {.name = "mispredict"};
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m, right;
		kernel_wide_machine(&m, kernel_machines[i]);
		kernel_set(&m, "branch.predictor=static");
		kernel_set(&m, "branch.btb_entries=0");
		kernel_set(&m, "branch.ras=0");
		right = m;
		right.ideal = CULPRIT_EVENT_BIT(bmisp);
		const struct core_place branch = first_of(1, CULPRIT_EVENT_BIT(bmisp));
		const struct core_place beside = {branch.end, branch.end + 4, CULPRIT_EVENT_BIT(bmisp)};
		assert_true(iteration(&m, &k, NULL) > iteration(&right, &k, NULL) + 5);
		assert_int_equal(iteration(&m, &k, &branch), iteration(&right, &k, NULL));
		assert_int_equal(iteration(&m, &k, &beside), iteration(&m, &k, NULL));
	}
	(void)state;
}

/* Code of 17 lines, fetched one a cycle, each of which misses the L1I: the second to the fifth do not. */
static void four_lines(void **state)
{
	const struct kernel k = {.name = "straight"};
	enum { L2 = 60 };
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		kernel_wide_machine(&m, kernel_machines[i]);
		kernel_set(&m, "l1i.line=64");
		kernel_set(&m, "l1i.ways=2");
		kernel_set(&m, "l1i.size=512");
		kernel_set(&m, "l2.latency=%u", L2);
		kernel_set(&m, "fetch.within_line=true");
		const struct core_place lines = {BARE_CODE + 64, BARE_CODE + 5 * 64, CULPRIT_EVENT_BIT(imiss)};
		assert_int_equal(iteration(&m, &k, NULL) - iteration(&m, &k, &lines), 4 * L2);
	}
	(void)state;
}

/* The line of a store that does not miss is there for whoever comes next. */
static void lines_are_there(void **state)
{
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		kernel_wide_machine(&m, kernel_machines[i]);
		const struct kernel k = {.name = "brought", .arg = {BARE_DATA, 4096}};
		const struct core_place store = first_of(1, CULPRIT_EVENT_BIT(dmiss)),
					both = first_of(3, CULPRIT_EVENT_BIT(dmiss));
		assert_int_equal(iteration(&m, &k, &store), iteration(&m, &k, &both));
		assert_true(iteration(&m, &k, NULL) > iteration(&m, &k, &store) + m.l2_latency);
	}
	(void)state;
}

/* Nor do the lines come late that an idealised load makes a prefetcher ask for, or take the turns of loads. */
static void prefetched_lines_are_there(void **state)
{
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m, ideal;
		const struct kernel k = {.name = "stream", .arg = {BARE_DATA, 64}};
		const struct core_place all = {0, UINT64_MAX, CULPRIT_EVENT_BIT(dmiss)};
		kernel_wide_machine(&m, kernel_machines[i]);
		for (uint32_t u = 0; u < m.unit_count; u++) /* so that turns are felt */
			m.units[u].count = 1;
		kernel_set(&m, "l1d.prefetcher=next_line");
		kernel_set(&m, "l1d.prefetch_degree=2");
		kernel_set(&m, "lsq.fill=4");
		ideal = m;
		ideal.ideal |= CULPRIT_EVENT_BIT(dmiss);
		assert_int_equal(cycles_of(&m, &k, BEFORE, &all), cycles_of(&ideal, &k, BEFORE, NULL));
	}
	(void)state;
}

static uint64_t program_cycles(const struct machine *m, const uint8_t *code, size_t size, culprit_event_set everywhere)
{
	struct error err;
	const struct core_place all = {0, UINT64_MAX, everywhere};
	struct guest *guest = bare_guest_create(code, size);
	struct core *core = core_create(m, guest, &err);
	assert_non_null(core);
	if (everywhere)
		assert_true(core_idealise_places(core, &all, 1, &err));
	assert_true(core_run(core, UINT64_MAX, &err) == CORE_STOP_ENDED);
	uint64_t cycles = core_statistics(core)->cycles;
	core_destroy(core);
	guest_destroy(guest);
	return cycles;
}

static void everywhere_is_the_class(void **state)
{
	enum { PROGRAMS = 10, CODE_BYTES = 60000 };
	static const culprit_event_set classes[] = {CULPRIT_EVENT_BIT(dmiss), CULPRIT_EVENT_BIT(imiss),
						    CULPRIT_EVENT_BIT(bmisp), CULPRIT_EVENT_BIT(shalu),
						    CULPRIT_EVENT_BIT(lgalu), CORE_PLACE_CLASSES};
	uint8_t *code = malloc(CODE_BYTES);
	assert_non_null(code);
	for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
		struct random_source random = {seed * 1009};
		struct machine m;
		random_machine(&m, &random);
		random_machine_rare(&m, &random);
		size_t size = random_program(seed, code, CODE_BYTES);
		for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
			struct machine ideal = m;
			ideal.ideal |= classes[i];
			uint64_t want = program_cycles(&ideal, code, size, 0);
			uint64_t got = program_cycles(&m, code, size, classes[i]);
			if (got != want)
				fail_msg("program %llu, class %zu: %llu cycles at a place that holds all, %llu by the "
					 "class",
					 (unsigned long long)seed, i, (unsigned long long)got,
					 (unsigned long long)want);
		}
	}
	free(code);
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(parts_of_chains),
					   cmocka_unit_test(vector_accesses),
					   cmocka_unit_test(one_branch),
					   cmocka_unit_test(four_lines),
					   cmocka_unit_test(lines_are_there),
					   cmocka_unit_test(prefetched_lines_are_there),
					   cmocka_unit_test(everywhere_is_the_class)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
