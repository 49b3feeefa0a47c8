/* Known answers for vector operations: lanes, chaining, masks and tails as sources, vl as an operand, accesses.
 *
 * Notation: L latency, W what a dependent waits at least, B beats: bytes of a group over those of all lanes. All elements have
 * 32 bits. The loop's own two instructions run beside the vector ones. */
#include "kernel_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { TAIL_AGNOSTIC = 0x40, MASK_AGNOSTIC = 0x80, E32 = 2 << 3, ALL = 1 << 20 };

static struct machine_unit *unit_of(struct machine *m, enum culprit_op_class op)
{
	for (uint32_t u = 0; u < m->unit_count; u++)
		if (m->units[u].ops & (1u << op))
			return &m->units[u];
	fail();
	return NULL;
}

static struct kernel kernel_of(uint64_t which, unsigned lmul, uint64_t policy, uint64_t length)
{
	return (struct kernel){.name = "vector",
			       .vlen = 256,
			       .arg = {which, E32 | lmul | policy, length, 4},
			       .before = 40,
			       .after = 76};
}

enum { VLENB = 32 };

static uint64_t beats(const struct machine *m, unsigned lmul)
{
	return kernel_max(1, (uint64_t)(VLENB << lmul) / (8ull * m->vector_lanes));
}

#define FOR_MACHINES      \
	struct machine m; \
	for (unsigned i = 0; i < kernel_machine_count; i++)

/* Chained, a dependent operation begins W after the one before, whatever the group; else B - 1 later. */
static void chains(void **state)
{
	FOR_MACHINES
	for (unsigned lmul = 0; lmul < 4; lmul++) {
		struct kernel k = kernel_of(VECTOR_CHAIN, lmul, TAIL_AGNOSTIC, ALL);
		kernel_wide_machine(&m, kernel_machines[i]);
		uint64_t wake = kernel_wake(&m, CULPRIT_OP_vec_int);
		for (unsigned lanes = 1; lanes <= 4; lanes *= 2) {
			kernel_set(&m, "vector.lanes=%u", lanes);
			kernel_set(&m, "vector.chaining=true");
			kernel_expect(&m, &k, VECTOR_OPS * wake, 1, "chained");
			kernel_set(&m, "vector.chaining=false");
			uint64_t whole = m.latency[CULPRIT_OP_vec_int] + beats(&m, lmul) - 1;
			kernel_expect(&m, &k, VECTOR_OPS * kernel_max(wake, whole), 1, "not chained");
		}
	}
	(void)state;
}

/* Independent operations hold a unit for B each: n units do VECTOR_OPS of them in VECTOR_OPS B / n. */
static void streams(void **state)
{
	FOR_MACHINES
	for (unsigned lmul = 0; lmul < 4; lmul++)
		for (unsigned count = 1; count <= 2; count++) {
			struct kernel k = kernel_of(VECTOR_STREAM, lmul, TAIL_AGNOSTIC, ALL);
			kernel_wide_machine(&m, kernel_machines[i]);
			unit_of(&m, CULPRIT_OP_vec_int)->count = count;
			kernel_expect(&m, &k, VECTOR_OPS * beats(&m, lmul), count, "stream");
		}
	(void)state;
}

/* What has to be left undisturbed is a source: the stream becomes a chain. */
static void old_destinations(void **state)
{
	static const struct {
		uint64_t which, policy, length;
		bool chain;
	} cases[] = {
		{VECTOR_STREAM, 0, ALL, false}, /* there is no tail */
		{VECTOR_STREAM, 0, 3, true},
		{VECTOR_STREAM, TAIL_AGNOSTIC, 3, false},
		{VECTOR_MASKED, TAIL_AGNOSTIC, ALL, true},
		{VECTOR_MASKED, TAIL_AGNOSTIC | MASK_AGNOSTIC, ALL, false},
	};
	FOR_MACHINES
	for (unsigned n = 0; n < sizeof cases / sizeof *cases; n++) {
		struct kernel k = kernel_of(cases[n].which, 0, cases[n].policy, cases[n].length);
		kernel_wide_machine(&m, kernel_machines[i]);
		kernel_set(&m, "vector.lanes=4");
		unit_of(&m, CULPRIT_OP_vec_int)->count = 1;
		uint64_t each = cases[n].chain ? kernel_max(kernel_wake(&m, CULPRIT_OP_vec_int), 1) : 1;
		kernel_expect(&m, &k, VECTOR_OPS * each, 1, "old destination");
	}
	(void)state;
}

/* One load unit: a line a cycle for unit stride, an element a cycle for strides. */
static void accesses(void **state)
{
	FOR_MACHINES
	for (unsigned lmul = 0; lmul < 4; lmul++) {
		kernel_wide_machine(&m, kernel_machines[i]);
		unit_of(&m, CULPRIT_OP_load)->count = 1;
		uint64_t bytes = VLENB << lmul, lines = (bytes + m.l1d_line - 1) / m.l1d_line;
		struct kernel unit = kernel_of(VECTOR_LOAD, lmul, TAIL_AGNOSTIC, ALL);
		struct kernel strided = kernel_of(VECTOR_STRIDED, lmul, TAIL_AGNOSTIC, ALL);
		struct kernel store = kernel_of(VECTOR_STORE, lmul, TAIL_AGNOSTIC, ALL);
		kernel_expect(&m, &unit, VECTOR_OPS * lines, 1, "lines");
		kernel_expect(&m, &strided, VECTOR_OPS * bytes / 4, 1, "elements");
		unit_of(&m, CULPRIT_OP_store)->count = 1;
		kernel_set(&m, "commit.stores=64");
		kernel_set(&m, "window.sq=0");
		kernel_expect(&m, &store, VECTOR_OPS * lines, 1, "lines stored");
	}
	(void)state;
}

/* A sum is there when its last element is; an ordered one adds its elements one after the other. */
static void reductions(void **state)
{
	FOR_MACHINES
	for (unsigned lmul = 0; lmul < 4; lmul++) {
		struct kernel sum = kernel_of(VECTOR_REDUCE, lmul, TAIL_AGNOSTIC, ALL);
		struct kernel ordered = kernel_of(VECTOR_ORDERED, lmul, TAIL_AGNOSTIC, ALL);
		kernel_wide_machine(&m, kernel_machines[i]);
		uint64_t wake = kernel_wake(&m, CULPRIT_OP_vec_int);
		uint64_t whole = m.latency[CULPRIT_OP_vec_int] + beats(&m, lmul) - 1;
		kernel_expect(&m, &sum, VECTOR_OPS * kernel_max(wake, whole), 1, "sum");
		uint64_t elements = (VLENB << lmul) / 4;
		kernel_expect(&m, &ordered, VECTOR_OPS * elements * m.latency[CULPRIT_OP_vec_fp], 1, "ordered sum");
	}
	(void)state;
}

/* vset* is an integer operation whose vl is forwarded: alone it makes a chain through its register, among independent
 * operations nothing waits for it longer than it takes, and nothing is flushed. */
static void vector_length(void **state)
{
	FOR_MACHINES
	{
		struct kernel set = kernel_of(VECTOR_SET, 0, TAIL_AGNOSTIC, ALL);
		struct kernel between = kernel_of(VECTOR_SET_BETWEEN, 0, TAIL_AGNOSTIC, ALL);
		struct kernel chain = kernel_of(VECTOR_SET_CHAIN, 0, TAIL_AGNOSTIC, ALL);
		kernel_wide_machine(&m, kernel_machines[i]);
		kernel_set(&m, "vector.lanes=4");
		uint64_t wake = kernel_wake(&m, CULPRIT_OP_int_alu);
		kernel_expect(&m, &set, VECTOR_OPS * wake, 1, "vsetvl");
		kernel_expect(&m, &chain, VECTOR_OPS * wake, 1, "vsetvl, vl forwarded");
		unit_of(&m, CULPRIT_OP_vec_int)->count = 1;
		kernel_expect(&m, &between, VECTOR_OPS, 1, "vsetvl between");
	}
	(void)state;
}

/* A mask is a source like another; registers of a group are renamed one by one. */
static void masks_and_groups(void **state)
{
	FOR_MACHINES
	{
		struct kernel mask = kernel_of(VECTOR_MASK_CHAIN, 0, TAIL_AGNOSTIC | MASK_AGNOSTIC, ALL);
		struct kernel singles = kernel_of(VECTOR_SINGLES, 0, TAIL_AGNOSTIC, ALL);
		struct kernel groups = kernel_of(VECTOR_GROUPS, 0, TAIL_AGNOSTIC, ALL);
		kernel_wide_machine(&m, kernel_machines[i]);
		uint64_t wake = kernel_wake(&m, CULPRIT_OP_vec_int), move = kernel_wake(&m, CULPRIT_OP_vec_permute);
		kernel_expect(&m, &mask, VECTOR_OPS * 2 * wake, 1, "compare and merge");
		kernel_expect(&m, &singles, VECTOR_OPS * 2 * wake, 1, "two registers");
		kernel_expect(&m, &groups, VECTOR_OPS * (wake + move), 1, "one of a group of four");
	}
	(void)state;
}

/* A store has the only entry from its dispatch until its last line is written, one a cycle, chained or not: nobody waits for its
 * elements. */
static void store_queue(void **state)
{
	FOR_MACHINES
	for (unsigned lmul = 0; lmul < 4; lmul++) {
		struct kernel store = kernel_of(VECTOR_STORE, lmul, TAIL_AGNOSTIC, ALL);
		kernel_wide_machine(&m, kernel_machines[i]);
		kernel_set(&m, "window.sq=1");
		kernel_set(&m, "vector.lanes=1");
		uint64_t lines = ((VLENB << lmul) + m.l1d_line - 1) / m.l1d_line;
		uint64_t to_commit = m.issue_dispatch_to_issue + m.latency[CULPRIT_OP_store] + m.commit_delay;
		uint64_t each = to_commit + m.l1d_latency + lines - 1;
		kernel_set(&m, "vector.chaining=true");
		kernel_expect(&m, &store, VECTOR_OPS * each, 1, "one entry, chained");
		kernel_set(&m, "vector.chaining=false");
		kernel_expect(&m, &store, VECTOR_OPS * each, 1, "one entry");
	}
	(void)state;
}

/* Operations that take no time take none for further beats: chained or not, it is the same. */
static void no_time(void **state)
{
	FOR_MACHINES
	for (unsigned lmul = 0; lmul < 4; lmul++) {
		const struct kernel chain = kernel_of(VECTOR_CHAIN, lmul, TAIL_AGNOSTIC, ALL);
		struct kernel_result chained, not_chained;
		kernel_wide_machine(&m, kernel_machines[i]);
		kernel_set(&m, "vector.lanes=1");
		m.ideal = CULPRIT_EVENT_BIT(shalu) | CULPRIT_EVENT_BIT(lgalu);
		kernel_set(&m, "vector.chaining=true");
		kernel_run(&m, &chain, 40, &chained);
		kernel_set(&m, "vector.chaining=false");
		kernel_run(&m, &chain, 40, &not_chained);
		assert_int_equal(chained.cycles, not_chained.cycles);
	}
	(void)state;
}

static void expect_no_producers(void *context, const struct culprit_record *records, size_t count)
{
	size_t *vectors = context;
	for (size_t i = 0; i < count; i++) {
		const struct culprit_record *r = &records[i];
		if (r->op_class != CULPRIT_OP_vec_int || r->seq < 10 * VECTOR_OPS)
			continue;
		assert_int_equal(r->producer[0] | r->producer[1] | r->producer[2], 0);
		++*vectors;
	}
}

/* Operations on registers that nobody has written wait for the vector length alone, and that has long been there. */
static void no_producers(void **state)
{
	FOR_MACHINES
	{
		size_t vectors = 0;
		const struct culprit_record_sink sink = {.context = &vectors, .records = expect_no_producers};
		struct kernel k = kernel_of(VECTOR_STREAM, 0, TAIL_AGNOSTIC, ALL);
		struct kernel_result result;
		k.sink = &sink;
		kernel_wide_machine(&m, kernel_machines[i]);
		kernel_run(&m, &k, 40, &result);
		assert_in_range(vectors, 28 * VECTOR_OPS, 40 * VECTOR_OPS);
	}
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chains),	    cmocka_unit_test(streams),	   cmocka_unit_test(old_destinations),
		cmocka_unit_test(accesses),	    cmocka_unit_test(reductions),  cmocka_unit_test(vector_length),
		cmocka_unit_test(masks_and_groups), cmocka_unit_test(store_queue), cmocka_unit_test(no_time),
		cmocka_unit_test(no_producers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
