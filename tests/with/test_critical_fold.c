/* The rows of a critical path get their names: here of code that no object holds, as what a program writes itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/critical/report.h"

enum { LENGTH = 3 };

/* A chain of one-cycle operations. */
static struct culprit_critical *chain(struct culprit_critical_totals *totals)
{
	static const struct culprit_critical_params params = {.graph = {.rob = 1000}};
	struct culprit_critical *c = culprit_critical_create(&params, NULL);
	struct culprit_record r[LENGTH];
	assert_non_null(c);
	memset(r, 0, sizeof r);
	for (uint64_t i = 0; i < LENGTH; i++) {
		r[i].seq = i;
		r[i].pc = 0x1000 + 4 * i;
		r[i].length = 4;
		r[i].dest = 5;
		r[i].op_class = CULPRIT_OP_int_alu;
		r[i].producer[0] = i > 0;
		r[i].exec_latency = r[i].wakeup = 1;
		r[i].ready = r[i].issue = i;
		r[i].complete = r[i].commit = i + 1;
	}
	assert_true(culprit_critical_push(c, r, LENGTH));
	assert_true(culprit_critical_finish(c, totals));
	return c;
}

static void code_of_no_object(void **state)
{
	struct error err = {0};
	struct critical_report r = {.base = {.simulated = 0}};
	struct culprit_critical *c = chain(&r.totals);
	struct symbols *symbols = symbols_create(&err);
	struct lines *lines = lines_create(&err);
	assert_true(critical_fold(&r, c, symbols, lines, 0, &err));
	assert_int_equal(r.lines.count, 0);
	assert_int_equal(r.functions.count, 1);
	assert_string_equal(r.functions.entries[0].where, "no object");
	assert_string_equal(r.functions.entries[0].name, "0x1000");
	assert_int_equal(r.instructions.count, LENGTH);
	for (size_t i = 0; i < LENGTH; i++) {
		assert_memory_equal(r.instructions.entries[i].where, "0x10", 4); /* the address itself */
		assert_string_equal(r.instructions.entries[i].line, "");
	}
	critical_report_destroy(&r);
	lines_destroy(lines);
	symbols_destroy(symbols);
	culprit_critical_destroy(c);
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(code_of_no_object)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
