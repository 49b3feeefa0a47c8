/* Two results, figure by figure: what counts as the same, what is left out, and what is said of the rest. */
#include "report/compare.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct comparison compared(const char *was, const char *is)
{
	struct comparison c;
	struct error err;
	json_t *a = json_loads(was, JSON_DECODE_ANY, NULL), *b = json_loads(is, JSON_DECODE_ANY, NULL);
	assert_non_null(a);
	assert_non_null(b);
	assert_true(compare_results(&c, a, b, COMPARE_SHOWN, &err));
	json_decref(a);
	json_decref(b);
	return c;
}

static void expect_text(struct comparison *c, const char *wanted)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	compare_text(c, out);
	assert_int_equal(fclose(out), 0);
	assert_string_equal(text, wanted);
	free(text);
	comparison_destroy(c);
	c->kept = NULL;
}

static void the_same(void **state)
{
	struct comparison c = compared("{\"a\": [1, 2.5, \"x\", null, true], \"b\": {\"c\": 3}}",
				       "{\"b\": {\"c\": 3.0}, \"a\": [1.0, 2.5, \"x\", null, true]}");
	assert_int_equal(c.figures, 6);
	assert_int_equal(c.differences, 0);
	expect_text(&c, "");
	/* integers are compared as such: these two are one as floating-point numbers */
	c = compared("[9007199254740993]", "[9007199254740992]");
	assert_int_equal(c.differences, 1);
	comparison_destroy(&c);
	(void)state;
}

/* A figure that is in one of them alone, a list that is longer, a value of another kind: each is one difference with its place. */
static void each_difference(void **state)
{
	struct comparison c =
		compared("{\"a\": [1, {\"b\": 2}], \"only\": 4}", "{\"a\": [1, {\"b\": 3}, 5], \"new\": [6]}");
	assert_int_equal(c.differences, 4);
	assert_int_equal(c.figures, 5);
	expect_text(&c, "  a[1].b: was 2, is 3\n  a[2]: was nothing, is 5\n  only: was 4, is nothing\n  new: was "
			"nothing, is [6]\n");
	c = compared("{\"a\": 1}", "{\"a\": \"1\"}");
	expect_text(&c, "  a: was 1, is \"1\"\n");
	c = compared("{\"a\": null}", "{\"a\": false}");
	expect_text(&c, "  a: was null, is false\n");
	/* what is an object or a list on one side alone is one difference, whatever is in it */
	c = compared("{\"a\": 1, \"b\": {\"x\": 1, \"y\": 2}, \"c\": [1, 2]}",
		     "{\"a\": {\"x\": 1, \"y\": 2}, \"b\": 1, \"c\": {}}");
	expect_text(&c, "  a: was 1, is {\"x\":1,\"y\":2}\n  b: was {\"x\":1,\"y\":2}, is 1\n  c: was [1,2], is {}\n");
	assert_int_equal(c.figures, 3);
	c = compared("{}", "{\"a\": {\"x\": 1, \"y\": 2}, \"b\": [[3, 4]]}");
	expect_text(&c, "  a: was nothing, is {\"x\":1,\"y\":2}\n  b: was nothing, is [[3,4]]\n");
	assert_int_equal(c.figures, 2);
	(void)state;
}

/* 59 letters are shown; of a longer value 56 and dots. */
static void long_values(void **state)
{
	char was[100], wanted[300];
	const char *letters = "aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffff";
	snprintf(was, sizeof was, "[\"%.57s\"]", letters); /* with its quotes 59 */
	struct comparison c = compared(was, "[0]");
	snprintf(wanted, sizeof wanted, "  [0]: was \"%.57s\", is 0\n", letters);
	expect_text(&c, wanted);
	snprintf(was, sizeof was, "[\"%.58s\"]", letters);
	c = compared(was, "[0]");
	snprintf(wanted, sizeof wanted, "  [0]: was \"%.55s..., is 0\n", letters);
	expect_text(&c, wanted);
	(void)state;
}

/* Twenty are shown, and how many more there are. */
static void many_differences(void **state)
{
	for (unsigned n = 19; n < 23; n++) {
		json_t *a = json_array(), *b = json_array();
		for (unsigned i = 0; i < n; i++) {
			json_array_append_new(a, json_integer(i));
			json_array_append_new(b, json_integer(i + 100));
		}
		struct comparison c;
		struct error err;
		assert_true(compare_results(&c, a, b, COMPARE_ALL, &err));
		assert_int_equal(c.kept_count, n);
		comparison_destroy(&c);
		assert_true(compare_results(&c, a, b, COMPARE_SHOWN, &err));
		json_decref(a);
		json_decref(b);
		assert_int_equal(c.differences, n);
		char *text, more[40];
		size_t size, lines = 0;
		FILE *out = open_memstream(&text, &size);
		compare_text(&c, out);
		assert_int_equal(fclose(out), 0);
		for (const char *at = text; *at; at++)
			lines += *at == '\n';
		assert_int_equal(lines, n < 21 ? n : 21);
		snprintf(more, sizeof more, "  and %u more\n", n - COMPARE_SHOWN);
		assert_int_equal(!!strstr(text, more), n > COMPARE_SHOWN);
		free(text);
		comparison_destroy(&c);
	}
	(void)state;
}

/* What the host decides is no difference; the machine and the files are. */
static void left_out(void **state)
{
	struct comparison c = compared("{\"host_seconds\": 1, \"mips\": 2, \"cycles\": 3}",
				       "{\"host_seconds\": 9, \"mips\": 8, \"cycles\": 3}");
	assert_int_equal(c.differences, 0);
	assert_int_equal(c.figures, 1);
	c = compared("{\"provenance\": {\"command\": \"a\", \"machine\": {\"window\": {\"rob\": 1}}}}",
		     "{\"provenance\": {\"command\": \"b\", \"machine\": {\"window\": {\"rob\": 2}}}}");
	expect_text(&c, "  provenance.machine.window.rob: was 1, is 2\n");
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(the_same), cmocka_unit_test(each_difference),
					   cmocka_unit_test(long_values), cmocka_unit_test(many_differences),
					   cmocka_unit_test(left_out)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
