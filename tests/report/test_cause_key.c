/* Which keys act on which cause: every cause and every key is in the table, and nothing else. */
#include "analysis/commit_cause.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct {
	const char *cause, *prefix;
} rows[] = {
#define CAUSE_KEY(cause, prefix) {#cause, prefix},
#include "report/code/cause_key.def"
};
enum { ROWS = sizeof rows / sizeof *rows };

static const char *const keys[] = {
#define MACHINE_UINT(section, name, def, min, max, unit, meaning) #section "." #name,
#define MACHINE_BOOL(section, name, def, meaning) #section "." #name,
#define MACHINE_ENUM(section, name, tag, def, meaning) #section "." #name,
#include "machine/machine.def"
#define MACHINE_OP(op, latency, interval) "latency." #op, "interval." #op,
#include "machine/machine_ops.def"
	"queues[0].entries",
	"units[0].count",
	"ideal[0]",
};
enum { KEYS = sizeof keys / sizeof *keys };

static bool acts(size_t row, const char *key)
{
	return !strncmp(key, rows[row].prefix, strlen(rows[row].prefix));
}

static void every_key_acts_on_something(void **state)
{
	for (size_t i = 0; i < KEYS; i++) {
		size_t row = 0;
		while (row < ROWS && !acts(row, keys[i]))
			row++;
		if (row == ROWS)
			fail_msg("%s acts on no cause: give it a row in src/report/code/cause_key.def", keys[i]);
	}
	(void)state;
}

static void every_prefix_is_of_a_key(void **state)
{
	for (size_t row = 0; row < ROWS; row++) {
		size_t i = 0;
		while (i < KEYS && !acts(row, keys[i]))
			i++;
		if (i == KEYS)
			fail_msg("%s: no key begins so", rows[row].prefix);
	}
	(void)state;
}

static void every_cause_has_keys(void **state)
{
	unsigned known = 0;
	for (enum commit_cause c = 0; c < COMMIT_CAUSES; c++) {
		unsigned n = 0;
		for (size_t row = 0; row < ROWS; row++)
			n += !strcmp(rows[row].cause, commit_cause_row(c)->name);
		assert_int_equal(n == 0, c == CAUSE_unknown || c == CAUSE_end);
		known += n;
	}
	assert_int_equal(known, ROWS);
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(every_key_acts_on_something),
					   cmocka_unit_test(every_prefix_is_of_a_key),
					   cmocka_unit_test(every_cause_has_keys)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
