/* Every number that a record may have has a name of its own, every flag one bit, and all of them are known. */
#include "report/record_names.h"

#include "culprit/field.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void each_number_has_a_name(void **state)
{
	static const struct {
		enum record_name_set set;
		unsigned first, end;
	} rows[] = {
		{RECORD_NAMES_op_class, 0, CULPRIT_OP_COUNT},
		{RECORD_NAMES_branch, 1, CULPRIT_BRANCH_COUNT},
		{RECORD_NAMES_level, 1, CULPRIT_LEVEL_COUNT},
		{RECORD_NAMES_tlb_level, 1, CULPRIT_LEVEL_COUNT},
		{RECORD_NAMES_window, 1, CULPRIT_WINDOW_COUNT},
		{RECORD_NAMES_predictor, 0, CULPRIT_PREDICTOR_COUNT},
		{RECORD_NAMES_contended, 1, CULPRIT_CONTENTION_COUNT},
		{RECORD_NAMES_commit_stop, CULPRIT_STOP_STORES, CULPRIT_STOP_COUNT},
	};
	(void)state;
	assert_int_equal(sizeof rows / sizeof *rows, RECORD_NAME_SETS);
	for (size_t i = 0; i < RECORD_NAME_SETS; i++)
		for (unsigned n = 0; n < RECORD_NAMES_MOST + 2; n++) {
			const char *name = record_name(rows[i].set, n);
			assert_int_equal(name != NULL, n >= rows[i].first && n < rows[i].end);
			for (unsigned other = 0; name && other < n; other++)
				if (record_name(rows[i].set, other))
					assert_string_not_equal(name, record_name(rows[i].set, other));
		}
	assert_string_equal(record_name(RECORD_NAMES_op_class, CULPRIT_OP_fp_fma), "fp_fma");
	assert_string_equal(record_name(RECORD_NAMES_level, CULPRIT_LEVEL_MEMORY), "memory");
}

static void each_flag_has_a_bit(void **state)
{
	struct record_flag_name flag;
	unsigned count = 0;
	(void)state;
	for (; record_flag_name(count, &flag); count++)
		assert_int_equal(flag.bit, 1 << count);
	assert_int_equal(1 << (count - 1), CULPRIT_VIOLATED);
	assert_true(record_flag_name(1, &flag) && !strcmp(flag.name, "mispredicted"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_number_has_a_name),
		cmocka_unit_test(each_flag_has_a_bit),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
