/* Source lines of this very program: the compiler's __LINE__ says what the line table must answer. */
#include "report/lines.h"

#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Statements that no optimisation can merge or drop; FIRST_LINE is the first one's line. */
enum { FIRST_LINE = __LINE__ + 3 };
static __attribute__((noinline)) int marked(volatile int *v)
{
	*v += 1;
	*v *= 3;
	return *v;
}

static int first_object(struct dl_phdr_info *info, size_t size, void *bias)
{
	*(uint64_t *)bias = info->dlpi_addr; /* the program comes first */
	return 1;
}

static struct lines *own_lines(void)
{
	struct error err = {0};
	struct lines *l = lines_create(&err);
	uint64_t bias = 0;
	dl_iterate_phdr(first_object, &bias);
	assert_non_null(l);
	assert_true(lines_add(l, "/proc/self/exe", bias, &err));
	return l;
}

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);
	return n >= m && !strcmp(text + n - m, end);
}

static void address_to_line(void **state)
{
	volatile int v = 1;
	assert_int_equal(marked(&v), 6);
	struct lines *l = own_lines();
	struct line_place p = lines_find(l, (uint64_t)marked);
	assert_non_null(p.file);
	assert_true(ends_with(p.file, "tests/report/test_lines.c"));
	assert_in_range(p.line, FIRST_LINE - 2, FIRST_LINE);
	assert_null(lines_find(l, 16).file);
	lines_destroy(l);
}

/* Every address of a line's ranges is of that line, the ranges are in order, and the function holds them. */
static void line_to_addresses(void **state)
{
	struct lines *l = own_lines();
	for (uint32_t line = FIRST_LINE; line <= FIRST_LINE + 1; line++) {
		struct line_range r[16];
		size_t n = lines_ranges(l, "test_lines.c", line, r, 16);
		assert_in_range(n, 1, 16);
		for (size_t i = 0; i < n; i++) {
			assert_true(r[i].first < r[i].end && (!i || r[i - 1].end < r[i].first));
			for (uint64_t pc = r[i].first; pc < r[i].end; pc++)
				assert_int_equal(lines_find(l, pc).line, line);
			assert_in_range(r[i].first, (uint64_t)marked, (uint64_t)marked + 4096);
		}
		struct line_range only;
		assert_int_equal(lines_ranges(l, "report/test_lines.c", line, &only, 1), n);
		assert_int_equal(only.first, r[0].first);
	}
	assert_int_equal(lines_ranges(l, "test_lines.c", 1, NULL, 0), 0);
	assert_int_equal(lines_ranges(l, "est_lines.c", FIRST_LINE, NULL, 0), 0);
	assert_int_equal(lines_ranges(l, "", FIRST_LINE, NULL, 0), 0);
	lines_destroy(l);
}

static void nothing_known(void **state)
{
	struct error err = {0};
	struct lines *l = lines_create(&err);
	assert_true(lines_add(l, "/nowhere/at/all", 0, &err));
	assert_true(lines_add(l, "/proc/self/maps", 0, &err));
	assert_null(lines_find(l, (uint64_t)marked).file);
	assert_int_equal(lines_ranges(l, "test_lines.c", FIRST_LINE, NULL, 0), 0);
	lines_destroy(l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(address_to_line),
		cmocka_unit_test(line_to_addresses),
		cmocka_unit_test(nothing_known),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
