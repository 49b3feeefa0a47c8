/* What a message keeps of a text that is too long for it, and of bytes that are no letters. */
#include "base/error.h"

#include <stddef.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

enum { TEXT = sizeof((struct error *)NULL)->text };

/* `count` times the letter, in front of the reason. */
static void long_name(struct error *err, const char *letter, size_t count)
{
	static char name[5000];
	char *end = name;
	for (size_t i = 0; i < count; i++)
		end = stpcpy(end, letter);
	error_set(err, ERROR_INPUT, "%s: No such file or directory", name);
}

static bool ends_with(const char *text, const char *end)
{
	return strlen(text) >= strlen(end) && !strcmp(text + strlen(text) - strlen(end), end);
}

static void names_and_reasons(void **state)
{
	struct error err;
	const size_t reason = strlen(": No such file or directory");
	for (size_t count = 1; count < 4096; count += count < 600 ? 1 : 100) {
		long_name(&err, "a", count);
		assert_true(ends_with(err.text, "a: No such file or directory"));
		const bool fits = count + reason < TEXT;
		assert_int_equal(strlen(err.text), fits ? count + reason : TEXT - 1 - TEXT % 2);
		assert_true(fits == !strstr(err.text, "..."));
		assert_int_equal(err.text[0], 'a');
	}
	(void)state;
}

/* A name is cut between its letters. */
static void whole_letters(void **state)
{
	struct error err;
	for (size_t before = 0; before < 4; before++) {
		static char name[3000];
		memset(name, 'b', before);
		name[before] = '\0';
		for (size_t i = 0; i < 500; i++)
			strcat(name, "\xe2\x82\xac");
		error_set(&err, ERROR_INPUT, "%s: the reason", name);
		assert_true(ends_with(err.text, "\xe2\x82\xac: the reason"));
		const char *c = err.text + before;
		unsigned cuts = 0;
		while (*c != ':') {
			bool letter = !strncmp(c, "\xe2\x82\xac", 3);
			assert_true(letter || !strncmp(c, "...", 3));
			cuts += !letter;
			c += 3;
		}
		assert_int_equal(cuts, 1);
	}
	(void)state;
}

static void contexts(void **state)
{
	struct error err;
	error_set(&err, ERROR_INPUT, "the reason");
	error_context(&err, "line %d", 7);
	error_context(&err, "%s", "file");
	assert_string_equal(err.text, "file: line 7: the reason");
	static char name[3000];
	memset(name, 'c', sizeof name - 1);
	error_context(&err, "%s", name);
	assert_true(ends_with(err.text, "c: file: line 7: the reason"));
	assert_true(strlen(err.text) < TEXT);
	(void)state;
}

static void one_line(void **state)
{
	struct error err;
	error_set(&err, ERROR_INPUT, "%s: no", "a\nb\tc\033[2Jd\177");
	assert_string_equal(err.text, "a?b?c?[2Jd?: no");
	error_context(&err, "%s", "e\rf");
	assert_string_equal(err.text, "e?f: a?b?c?[2Jd?: no");
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(names_and_reasons), cmocka_unit_test(whole_letters),
					   cmocka_unit_test(contexts), cmocka_unit_test(one_line)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
