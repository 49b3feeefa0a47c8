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
					   cmocka_unit_test(test_refused), cmocka_unit_test(test_silent)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
