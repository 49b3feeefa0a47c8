/* What every report prints alike: numbers with commas, words for a shell, text in JSON and in XML. */
#include "report/format.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void numbers(void **state)
{
	static const struct {
		int64_t value;
		const char *text;
	} cases[] = {
		{0, "0"},
		{999, "999"},
		{1000, "1,000"},
		{-999, "-999"},
		{-1234567, "-1,234,567"},
		{123456, "123,456"},
		{INT64_MAX, "9,223,372,036,854,775,807"},
		{INT64_MIN, "-9,223,372,036,854,775,808"},
	};
	char text[32];
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_string_equal(format_grouped(cases[i].value, text), cases[i].text);
	char counted[64];
	assert_string_equal(format_counted(0, "cycle", counted), "0 cycles");
	assert_string_equal(format_counted(1, "instruction", counted), "1 instruction");
	assert_string_equal(format_counted(1234, "instruction", counted), "1,234 instructions");
	assert_float_equal(format_ratio(3, 4), 0.75, 0);
	assert_float_equal(format_ratio(3, 0), 0, 0);
	assert_float_equal(format_ratio(3, -1), 0, 0);
	assert_float_equal(format_ratio(3, 0.5), 6, 0);
	(void)state;
}

static void expect_word(const char *word, const char *wanted)
{
	char text[64] = "";
	format_shell_word(word, text, sizeof text);
	assert_string_equal(text, wanted);
}

/* A shell that reads the words gets what they were made of. */
static void words_of_a_shell(void **state)
{
	static const char *const words[] = {"",	    "~",  "a~", "two words", "$HOME",	"it's",
					    "a\nb", "-x", "\\", "a*?[b]",    "\xc3\xa9"};
	char text[300] = "set -- ", printed[300] = "", wanted[300] = "";
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		format_shell_word(words[i], text, sizeof text);
		strcat(strcat(wanted, words[i]), "|");
	}
	strcat(text, "; printf '%s|' \"$@\"");
	FILE *shell = popen(text, "r");
	assert_non_null(shell);
	assert_true(fread(printed, 1, sizeof printed - 1, shell) > 0);
	assert_int_equal(pclose(shell), 0);
	assert_string_equal(printed, wanted);
	expect_word("", "'' ");
	expect_word("plain-word_1.c", "plain-word_1.c ");
	expect_word("~/x", "\\~/x ");
	expect_word("a b", "a\\ b ");
	(void)state;
}

/* A word that has no room is cut, within the size that there is. */
static void words_are_cut(void **state)
{
	for (size_t size = 1; size < 40; size++) {
		char *text = calloc(size, 1);
		assert_non_null(text);
		format_shell_word("a;b;c;d;e;f;g;h;i;j", text, size);
		assert_true(strlen(text) < size);
		assert_int_equal(strncmp(text, "a\\;b\\;c\\;d\\;e\\;f\\;g\\;h\\;i\\;j ", size > 6 ? size - 6 : 0), 0);
		free(text);
	}
	(void)state;
}

static void expect_json(const char *text, const char *wanted)
{
	json_t *s = format_text(text);
	assert_non_null(s);
	assert_string_equal(json_string_value(s), wanted);
	json_decref(s);
}

static void texts_of_json(void **state)
{
	char long_text[1200];
	expect_json("plain", "plain");
	expect_json("\xc3\xa9", "\xc3\xa9");
	expect_json("", "");
	expect_json("a\xff"
		    "b\xc3",
		    "a?b?"); /* no UTF-8: what is not ASCII goes, the rest stays */
	expect_json("\xff", "?");
	expect_json("\x7f\x80", "\x7f?");
	memset(long_text, 'x', sizeof long_text);
	long_text[sizeof long_text - 1] = 0;
	expect_json(long_text, long_text);
	long_text[0] = (char)0xff;
	json_t *s = format_text(long_text);
	assert_int_equal(json_string_length(s), 999);
	json_decref(s);
	(void)state;
}

static void expect_xml(const char *text, size_t most, const char *wanted)
{
	char *got;
	size_t size;
	FILE *out = open_memstream(&got, &size);
	assert_non_null(out);
	format_xml(text, most, out);
	assert_int_equal(fclose(out), 0);
	assert_string_equal(got, wanted);
	free(got);
}

static void texts_of_xml(void **state)
{
	expect_xml("a<b>&\"c\" ~\x01\x1f!", 100, "a&lt;b&gt;&amp;&quot;c&quot; ~!");
	expect_xml("abcdef", 3, "abc");
	expect_xml("abc", 0, "");
	expect_xml("\xc3\xa9", 9, "\xc3\xa9");
	(void)state;
}

static void files(void **state)
{
	char path[] = "/tmp/format_XXXXXX", wanted[200];
	struct error err;
	json_t *root;
	int f = mkstemp(path);
	assert_true(f >= 0);
	assert_int_equal(write(f, "{\"a\": 1,\n\"a\": 2}", 16), 16);
	close(f);
	assert_false(format_read_json(&root, path, &err));
	snprintf(wanted, sizeof wanted, "%s:2:3: no JSON: duplicate object key near '\"a\"'", path);
	assert_string_equal(err.text, wanted);
	assert_true(format_write_json(json_pack("{s:i}", "b", 7), path, &err));
	assert_true(format_read_json(&root, path, &err));
	assert_int_equal(json_integer_value(json_object_get(root, "b")), 7);
	json_decref(root);
	unlink(path);
	assert_false(format_read_json(&root, path, &err));
	snprintf(wanted, sizeof wanted, "%s: No such file or directory", path);
	assert_string_equal(err.text, wanted);
	assert_false(format_read_json(&root, "/", &err));
	assert_string_equal(err.text, "/: not a file");
	assert_false(format_write_json(NULL, path, &err));
	assert_string_equal(err.text, "out of memory for JSON");
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(numbers),	    cmocka_unit_test(words_of_a_shell),
					   cmocka_unit_test(words_are_cut), cmocka_unit_test(texts_of_json),
					   cmocka_unit_test(texts_of_xml),  cmocka_unit_test(files)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
