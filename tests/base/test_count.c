/* Counts and sizes, each beside the number that it means. */
#include "base/count.h"

#include <stddef.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

static void means(const char *text, enum count_unit unit, uint64_t expected)
{
	uint64_t value = 12345;
	if (!count_parse(text, unit, &value) || value != expected)
		fail_msg("%s: %llu", text, (unsigned long long)value);
}

static void counts(void **state)
{
	means("0", COUNT_THINGS, 0);
	means("007", COUNT_THINGS, 7);
	means("300000000", COUNT_THINGS, 300000000);
	means("300M", COUNT_THINGS, 300000000);
	means("300m", COUNT_THINGS, 300000000);
	means("512K", COUNT_THINGS, 512000);
	means("512k", COUNT_THINGS, 512000);
	means("1.5G", COUNT_THINGS, 1500000000);
	means("1.5g", COUNT_THINGS, 1500000000);
	means("1e6", COUNT_THINGS, 1000000);
	means("2.5E6", COUNT_THINGS, 2500000);
	means("1.25e1k", COUNT_THINGS, 12500);
	means("1.0", COUNT_THINGS, 1);
	means("0.001k", COUNT_THINGS, 1);
	means("0e30", COUNT_THINGS, 0);
	means("0x10", COUNT_THINGS, 16);
	means("0XfF", COUNT_THINGS, 255);
	means("18446744073709551615", COUNT_THINGS, UINT64_MAX);
	means("0xffffffffffffffff", COUNT_THINGS, UINT64_MAX);
	means("18446744073.709551615G", COUNT_THINGS, UINT64_MAX);
}

static void sizes(void **state)
{
	means("4096", COUNT_BYTES, 4096);
	means("4K", COUNT_BYTES, 4096);
	means("4k", COUNT_BYTES, 4096);
	means("1.5M", COUNT_BYTES, 1572864);
	means("2g", COUNT_BYTES, 2147483648);
	means("0.5k", COUNT_BYTES, 512);
	means("1e3", COUNT_BYTES, 1000);
}

static void others(void **state)
{
	static const char *const wrong[] = {
		"",
		" ",
		"-1",
		"+5",
		" 5",
		"5 ",
		"x",
		"0x",
		"0xg",
		"1.5",
		"1.",
		".5",
		"1e",
		"1e-3",
		"1e31",
		"e6",
		"5kk",
		"1Mi",
		"1.0005k",
		"1..5",
		"1.5.k",
		"1e2.5",
		"0x1k",
		"k",
		"1ee2",
		"99999999999999999999",
		"20000000000G",
		"1e20",
		"0x10000000000000000",
		"1.9999999999999999999999k",
		"5t",
	};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		uint64_t value;
		if (count_parse(wrong[i], COUNT_THINGS, &value))
			fail_msg("'%s' is taken for %llu", wrong[i], (unsigned long long)value);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(counts), cmocka_unit_test(sizes), cmocka_unit_test(others)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
