/* CPI stacks by counter architecture: where the components are more than the cycles, text and JSON say so. */
#include "report/palette.h"
#include "report/stacks/report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { CYCLES = 1000 };

/* Three architectures; the first and the last charge 1130 and 1001 of a thousand cycles. */
static struct stacks_report *report_of(int64_t last)
{
	struct stacks_report *r = calloc(1, sizeof *r);
	assert_non_null(r);
	r->program = "program";
	r->machine = "machine";
	r->cycles = CYCLES;
	r->instructions = 500;
	r->methods = (struct stacks_table){
		.key = "cycles",
		.title = "Stacks",
		.row_count = 2,
		.column_count = 3,
		.rows = {{"base", "the rest", NULL}, {"l2d", "loads", NULL}},
		.columns = {{.name = "naive", .label = "plain", .amounts = {-130, 1130}},
			    {.name = "power5", .label = "POWER5", .amounts = {0, CYCLES}},
			    {.name = "sfmt", .label = "sFMT", .amounts = {CYCLES - last, last}}},
		.unit = 1,
	};
	r->stages = r->methods;
	r->stages.column_count = 0;
	return r;
}

static char *text_of(const struct stacks_report *r)
{
	char *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	assert_non_null(f);
	stacks_report_text(r, f);
	fclose(f);
	return text;
}

static const char warning[] = "Stacks\n  The base is negative: plain%s.\n"
			      "  These counters charge more cycles than there were, so their components are\n"
			      "  too large and are no shares of the time.\n";

static void expect(int64_t last, const char *more, bool sfmt)
{
	struct stacks_report *r = report_of(last);
	char *text = text_of(r), expected[300];
	snprintf(expected, sizeof expected, warning, more);
	if (!strstr(text, expected))
		fail_msg("not in the report:\n%s\n%s", expected, text);
	json_t *json = stacks_report_json(r), *flags = json_object_get(json, "overcharged");
	assert_true(json_is_true(json_object_get(flags, "naive")));
	assert_true(json_is_false(json_object_get(flags, "power5")));
	assert_int_equal(json_is_true(json_object_get(flags, "sfmt")), sfmt);
	json_decref(json);
	free(text);
	free(r);
}

static void test_overcharged(void **state)
{
	expect(1001, ", sFMT", true);
	expect(1000, "", false);
}

static void test_nothing_to_say(void **state)
{
	struct stacks_report *r = report_of(999);
	r->methods.columns[0].amounts[0] = 0;
	r->methods.columns[0].amounts[1] = CYCLES;
	char *text = text_of(r);
	assert_null(strstr(text, "negative"));
	free(text);
	free(r);
}

/* Every row has a letter of its own beside the other rows of its stack. */
static void distinct_letters(const char *const *rows, size_t count)
{
	bool taken[256] = {['?'] = true};
	for (size_t i = 0; i < count; i++) {
		unsigned char letter = (unsigned char)palette_find(rows[i]).letter;
		if (taken[letter])
			fail_msg("%s is drawn as '%c', like another", rows[i], letter);
		taken[letter] = true;
	}
}

static void test_letters(void **state)
{
	static const char *const components[] = {
#define STACK_COMPONENT(name, meaning) #name,
#include "analysis/stacks/component.def"
	};
	static const char *const stages[] = {
#define STAGE_ROW(name, meaning) #name,
#include "analysis/stacks/stage.def"
	};
	distinct_letters(components, sizeof components / sizeof *components);
	distinct_letters(stages, sizeof stages / sizeof *stages);
	assert_int_equal(palette_find("nothing").letter, '?');
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_overcharged),
		cmocka_unit_test(test_nothing_to_say),
		cmocka_unit_test(test_letters),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
