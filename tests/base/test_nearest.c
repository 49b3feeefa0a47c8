/* The distance against its definition, written as the recursion that it is; and the rule of what is near. */
#include "base/nearest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

enum { PAIRS = 3000, LONGEST = 6 };

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

static unsigned slow(const char *a, size_t n, const char *b, size_t m)
{
	if (!n || !m)
		return (unsigned)(n + m);
	unsigned best = slow(a, n - 1, b, m - 1) + (a[n - 1] != b[m - 1]);
	best = least(best, slow(a, n - 1, b, m) + 1);
	best = least(best, slow(a, n, b, m - 1) + 1);
	if (n > 1 && m > 1 && a[n - 1] == b[m - 2] && a[n - 2] == b[m - 1])
		best = least(best, slow(a, n - 2, b, m - 2) + 1);
	return best;
}

static size_t draw(uint64_t *seed, char *word)
{
	size_t length = 0;
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	for (uint64_t bits = *seed >> 20; length < (*seed >> 60) % (LONGEST + 1); bits >>= 2)
		word[length++] = (char)('a' + (bits & 3));
	word[length] = '\0';
	return length;
}

static void distance_is_the_definition(void **state)
{
	uint64_t seed = 1;
	for (int i = 0; i < PAIRS; i++) {
		char a[LONGEST + 1], b[LONGEST + 1];
		size_t n = draw(&seed, a), m = draw(&seed, b);
		struct nearest near;
		nearest_begin(&near, a, n);
		if (nearest_distance(&near, b) != slow(a, n, b, m))
			fail_msg("%s %s: %u, not %u", a, b, nearest_distance(&near, b), slow(a, n, b, m));
	}
}

static const char *hint(const char *wanted)
{
	static const char *const names[] = {"run", "truth", "profile", "machines", "model"};
	static struct nearest near;
	nearest_begin(&near, wanted, strlen(wanted));
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		nearest_consider(&near, names[i]);
	return nearest_hint(&near);
}

static void the_nearest_is_meant(void **state)
{
	static const char longer[] = "runrunrunrunrunrunrunrunrunrunrunrunrunrunrunrunrunrunrunrunrunrun";
	assert_string_equal(hint("rnu"), "; did you mean run?");
	assert_string_equal(hint("ru"), "; did you mean run?");
	assert_string_equal(hint("rx"), ""); /* two of two letters */
	assert_string_equal(hint("trth"), "; did you mean truth?");
	assert_string_equal(hint("modle"), "; did you mean model?");
	assert_string_equal(hint("machine"), "; did you mean machines?");
	assert_string_equal(hint("proflie"), "; did you mean profile?");
	assert_string_equal(hint("frobnicate"), "");
	assert_string_equal(hint(""), "");
	assert_string_equal(hint(longer), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(distance_is_the_definition),
					   cmocka_unit_test(the_nearest_is_meant)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
