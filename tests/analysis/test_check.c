/* The checker on records in which one thing is wrong: it says which edge, by how much, where, and once. */
#include "analysis/check/check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { COUNT = 40, STAGES = 5 };

/* Additions, each of the one before, one a cycle; the graph of this machine explains all of it. */
static const struct culprit_graph_params params = {.fetch_width = 1,
						   .frontend_stages = STAGES,
						   .dispatch_width = 1,
						   .dispatch_to_issue = 1,
						   .rob = 16,
						   .commit_delay = 1,
						   .commit_width = 1,
						   .window_factor = 1};

static void chain(struct culprit_record r[COUNT])
{
	memset(r, 0, COUNT * sizeof *r);
	for (unsigned i = 0; i < COUNT; i++) {
		r[i].seq = i;
		r[i].pc = 0x1000 + 4 * (i % 4);
		r[i].length = 4;
		r[i].dest = 5;
		r[i].exec_latency = r[i].wakeup = 1;
		r[i].producer[0] = i ? 1 : 0;
		r[i].fetch = 10 + i;
		r[i].dispatch = r[i].fetch + STAGES;
		r[i].ready = r[i].issue = r[i].dispatch + 1;
		r[i].complete = r[i].issue + 1;
		r[i].commit = r[i].complete + 1;
	}
}

struct found {
	size_t contradicted, early;
	struct check_row first_contradicted, first_early;
};

static struct found run(const struct culprit_record r[COUNT])
{
	struct error err;
	struct found f = {0, 0, {0}, {0}};
	struct check_row row;
	struct check *c = check_create(&params, &err);
	assert_non_null(c);
	assert_true(check_push(c, r, COUNT));
	assert_int_equal(check_instructions(c), COUNT);
	for (; check_contradicted(c, f.contradicted, &row); f.contradicted++)
		f.first_contradicted = f.contradicted ? f.first_contradicted : row;
	for (; check_early(c, f.early, &row); f.early++)
		f.first_early = f.early ? f.first_early : row;
	check_destroy(c);
	return f;
}

static void test_nothing(void **unused)
{
	struct culprit_record r[COUNT];
	chain(r);
	struct found f = run(r);
	assert_int_equal(f.contradicted, 0);
	assert_int_equal(f.early, 0);
}

/* From instruction 7 on all issue 3 cycles later, but for number 20. */
static void test_operand(void **unused)
{
	struct culprit_record r[COUNT];
	chain(r);
	for (unsigned i = 7; i < COUNT; i++)
		r[i].issue += 3, r[i].ready += 3, r[i].complete += 3, r[i].commit += 3;
	r[20].ready = r[20].issue = r[20].dispatch + 1;
	r[20].complete = r[20].issue + 1; /* its producer completes 3 cycles later than that asks for */
	struct found f = run(r);
	assert_int_equal(f.contradicted, 1);
	assert_int_equal(f.first_contradicted.node, 2);
	assert_int_equal(f.first_contradicted.kind, CULPRIT_CRITICAL_operand);
	assert_int_equal(f.first_contradicted.count, 1);
	assert_int_equal(f.first_contradicted.cycles, 3);
	assert_int_equal(f.first_contradicted.first_seq, 20);
	assert_non_null(strstr(f.first_contradicted.first, "instruction 20 at 0x1000: issue in cycle"));
	assert_non_null(strstr(f.first_contradicted.first, "of instruction 19"));
	assert_true(strlen(check_remedy(&f.first_contradicted)) > 20);
}

static void test_width(void **unused)
{
	struct culprit_record r[COUNT];
	chain(r);
	for (unsigned i = 0; i < COUNT; i++) /* so that completion allows it earlier */
		r[i].commit += 5;
	r[30].commit = r[29].commit;
	struct found f = run(r);
	assert_int_equal(f.contradicted, 1);
	assert_int_equal(f.first_contradicted.node, 5);
	assert_int_equal(f.first_contradicted.kind, CULPRIT_CRITICAL_commit);
	assert_int_equal(f.first_contradicted.count, 1);
	assert_int_equal(f.first_contradicted.worst, 1);
	assert_int_equal(f.first_contradicted.first_pc, 0x1000 + 4 * (30 % 4));
}

/* A wait that no edge has: 9 cycles of fetch. */
static void test_ahead(void **unused)
{
	struct culprit_record r[COUNT];
	chain(r);
	for (unsigned i = 12; i < COUNT; i++) {
		r[i].fetch += 9;
		r[i].dispatch += 9;
		r[i].ready += 9;
		r[i].issue += 9;
		r[i].complete += 9;
		r[i].commit += 9;
	}
	struct found f = run(r);
	assert_int_equal(f.contradicted, 0);
	assert_int_equal(f.early, 1);
	assert_int_equal(f.first_early.node, 0);
	assert_int_equal(f.first_early.cycles, 9);
	assert_int_equal(f.first_early.worst_pc, 0x1000);
	r[12].imiss = 9; /* told, it is explained */
	f = run(r);
	assert_int_equal(f.early, 0);
}

/* --- values that contradict no time --- */

enum { FIRST = 12, MOST_BROKEN = 10 }; /* fewer are not told */

static struct culprit_graph_params machine_with_misses(void)
{
	struct culprit_graph_params p = params;
	p.issue_width = 1;
	p.ordered_loads = true;
	p.unit_count = 2;
	p.unit_ops[1] = 1u << CULPRIT_OP_load;
	p.load_hit = 3;
	p.miss_cycles[CULPRIT_LEVEL_L2] = 10;
	p.miss_cycles[CULPRIT_LEVEL_MEMORY] = 100;
	return p;
}

static void a_load(struct culprit_record *r)
{
	r->op_class = CULPRIT_OP_load;
	r->flags = CULPRIT_LOAD;
	r->mem_addr = 0x8000;
	r->mem_size = 8;
	r->exec_latency = (uint16_t)(r->complete - r->issue);
}

static void misses(struct culprit_record *r, uint8_t level, uint32_t cycles)
{
	a_load(r);
	r->dlevel = level;
	r->dmiss = cycles;
	r->complete += cycles;
}

static void unit(struct culprit_record *r)
{
	r->unit = 1; /* which takes loads */
}

static void second_slot(struct culprit_record *r)
{
	r->issue_slots = 2;
}

static void waited_for_no_store(struct culprit_record *r)
{
	a_load(r);
	r->order_waited = 1;
}

static void produced_by_no_store(struct culprit_record *r)
{
	a_load(r);
	r->mem_producer = 1;
}

/* Dispatched early enough to be ready a cycle before the store in front of it is done. */
static void waited_for_store(struct culprit_record *r)
{
	a_load(r);
	r->producer[0] = 0;
	r->dispatch--;
	r[-1].flags = CULPRIT_STORE;
}

/* The record in front is a store to some of its bytes, which commits after it has issued. */
static void reads_a_store(struct culprit_record *r)
{
	a_load(r);
	r[-1].flags = CULPRIT_STORE;
	r[-1].mem_addr = 0x8004;
	r[-1].mem_size = 4;
}

static void short_miss(struct culprit_record *r)
{
	misses(r, CULPRIT_LEVEL_L2, 9);
}

static void long_miss(struct culprit_record *r)
{
	misses(r, CULPRIT_LEVEL_L2, 100);
}

static void long_hit(struct culprit_record *r)
{
	a_load(r);
	r->exec_latency = 3 + 10;
	r->complete = r->issue + r->exec_latency;
}

static struct check *checked(void (*change)(struct culprit_record *r), unsigned count)
{
	static struct culprit_record r[COUNT];
	const struct culprit_graph_params p = machine_with_misses();
	struct error err;
	chain(r);
	for (unsigned i = 0; i < count; i++)
		change(&r[FIRST + 2 * i]);
	for (unsigned i = 1; i < COUNT; i++) { /* in order */
		const uint64_t least = r[i].complete + 1 > r[i - 1].commit ? r[i].complete + 1 : r[i - 1].commit;
		r[i].commit = least > r[i].commit ? least : r[i].commit;
	}
	struct check *c = check_create(&p, &err);
	assert_non_null(c);
	if (!check_push(c, r, COUNT))
		fail_msg("%s", check_error(c));
	return c;
}

static void test_values(void **unused)
{
	static const struct {
		const char *name;
		void (*change)(struct culprit_record *r);
		culprit_field_set excuse;
	} cases[] = {
		{"unit", unit, CULPRIT_FIELD_BIT(units)},
		{"issue_slots", second_slot, CULPRIT_FIELD_BIT(weights)},
		{"order_waited", waited_for_no_store, CULPRIT_FIELD_BIT(order)},
		{"no_order_waited", waited_for_store, CULPRIT_FIELD_BIT(order)},
		{"mem_producer", produced_by_no_store, CULPRIT_FIELD_BIT(forwarding)},
		{"no_mem_producer", reads_a_store, CULPRIT_FIELD_BIT(address)},
		{"short_miss", short_miss, CULPRIT_FIELD_BIT(sharing)},
		{"long_miss", long_miss, CULPRIT_FIELD_BIT(traffic)},
		{"long_hit", long_hit, CULPRIT_FIELD_BIT(miss)},
	};
	_Static_assert(sizeof cases / sizeof *cases == CHECK_VALUES, "each rule");
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct check_value value = {.name = ""};
		struct check *c = checked(cases[i].change, MOST_BROKEN);
		assert_true(check_value(c, 0, 0, &value));
		assert_string_equal(value.name, cases[i].name);
		assert_int_equal(value.count, MOST_BROKEN);
		assert_true(value.asked >= MOST_BROKEN);
		/* of slots the one behind finds its cycle taken */
		assert_int_equal(value.first_seq, FIRST + (cases[i].change == second_slot));
		assert_false(check_value(c, 0, 1, &value));
		assert_false(check_value(c, cases[i].excuse, 0, &value));
		check_destroy(c);
		c = checked(cases[i].change, MOST_BROKEN - 1);
		assert_false(check_value(c, 0, 0, &value));
		check_destroy(c);
	}
}

static void right_miss(struct culprit_record *r)
{
	misses(r, CULPRIT_LEVEL_L2, 10);
}

static void right_long_miss(struct culprit_record *r)
{
	misses(r, CULPRIT_LEVEL_L2, 100);
	r->mshr_wait = 1;
}

static void right_shared_miss(struct culprit_record *r)
{
	misses(r, CULPRIT_LEVEL_MEMORY, 5);
	r->flags |= CULPRIT_MERGED;
}

static void right_hit(struct culprit_record *r)
{
	a_load(r);
	r->exec_latency = 3 + 9;
	r->complete = r->issue + r->exec_latency;
}

static void right_producer(struct culprit_record *r)
{
	reads_a_store(r);
	r->mem_producer = r->order_waited = 1;
}

static void right_order(struct culprit_record *r)
{
	waited_for_store(r);
	r->order_waited = 1;
}

/* The pipeline to issue explains it as well. */
static void right_order_early(struct culprit_record *r)
{
	waited_for_store(r);
	r->dispatch++;
}

static void test_right_values(void **unused)
{
	void (*const right[])(struct culprit_record *) = {right_miss,	  right_long_miss, right_shared_miss, right_hit,
							  right_producer, right_order,	   right_order_early};
	for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
		struct check_value value = {.name = ""};
		struct check *c = checked(right[i], MOST_BROKEN);
		if (check_value(c, 0, 0, &value))
			fail_msg("%zu: %s", i, value.name);
		check_destroy(c);
	}
}

static void test_refused(void **unused)
{
	struct culprit_record r[COUNT];
	struct error err;
	chain(r);
	r[3].issue = 0;
	struct check *c = check_create(&params, &err);
	assert_false(check_push(c, r, COUNT));
	assert_non_null(strstr(check_error(c), "record 3: times go backwards"));
	check_destroy(c);
}

static size_t silent(struct culprit_record *r, size_t times, culprit_field_set unknown, struct check_absent *first)
{
	struct error err;
	struct check_absent absent;
	size_t count = 0;
	struct check *c = check_create(&params, &err);
	assert_non_null(c);
	for (size_t i = 0; i < times; i++) {
		assert_true(check_push(c, r, COUNT));
		for (unsigned n = 0; n < COUNT; n++) { /* the same again, later */
			r[n].seq += COUNT;
			r[n].fetch += COUNT, r[n].dispatch += COUNT, r[n].ready += COUNT, r[n].issue += COUNT;
			r[n].complete += COUNT, r[n].commit += COUNT;
		}
	}
	for (; check_absent(c, unknown, count, &absent); count++)
		*first = count ? *first : absent;
	check_destroy(c);
	return count;
}

/* One instruction of 40 is a branch, three are loads: what none of a thousand tells is said, unless it is known to be unknown. */
static void test_silent(void **unused)
{
	enum { ENOUGH = 1000, FEW = 300 };
	struct culprit_record r[COUNT];
	struct check_absent first;
	(void)unused;
	chain(r);
	r[7].branch = CULPRIT_BRANCH_CONDITIONAL;
	assert_int_equal(silent(r, FEW, 0, &first), 0);
	assert_int_equal(silent(r, ENOUGH, 0, &first), 1);
	assert_int_equal(first.field, CULPRIT_FIELD_redirect);
	assert_int_equal(first.chances, ENOUGH);
	assert_int_equal(silent(r, ENOUGH, CULPRIT_FIELD_BIT(redirect), &first), 0);
	r[7].branch = CULPRIT_BRANCH_JUMP;
	assert_int_equal(silent(r, ENOUGH, 0, &first), 0);
	for (unsigned n = 20; n < 23; n++)
		r[n].flags = CULPRIT_LOAD;
	assert_int_equal(silent(r, ENOUGH, 0, &first), 1);
	assert_int_equal(first.field, CULPRIT_FIELD_miss);
	r[19].flags = CULPRIT_STORE;
	for (unsigned n = 20; n < 23; n++)
		r[n].mem_producer = n - 19;
	assert_int_equal(silent(r, ENOUGH, 0, &first), 2);
	assert_int_equal(first.field, CULPRIT_FIELD_order);
	assert_int_equal(first.chances, 3 * ENOUGH);
	assert_int_equal(silent(r, ENOUGH, CULPRIT_FIELD_BIT(order) | CULPRIT_FIELD_BIT(miss), &first), 0);
	assert_int_equal(silent(r, ENOUGH, CULPRIT_FIELD_BIT(order), &first), 1);
	assert_int_equal(first.field, CULPRIT_FIELD_miss);
	for (unsigned n = 0; n < COUNT; n++)
		r[n].producer[0] = r[n].flags = 0;
	assert_int_equal(silent(r, ENOUGH, 0, &first), 1);
	assert_int_equal(first.field, CULPRIT_FIELD_operands);
	assert_int_equal(first.chances, COUNT * ENOUGH);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_nothing), cmocka_unit_test(test_operand),
					   cmocka_unit_test(test_width),   cmocka_unit_test(test_ahead),
					   cmocka_unit_test(test_values),  cmocka_unit_test(test_right_values),
					   cmocka_unit_test(test_refused), cmocka_unit_test(test_silent)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
