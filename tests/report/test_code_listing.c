/* Lines of a function in the order that a reader wants: its own file's, those of other files as the table has them, and last what
 * has no line. */
#include "report/code/annotate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { FILES = 4, OWN = 2, MOST = 16, START = 0x1000 };

static char *const paths[FILES] = {"first.h", "second.h", "own.c", "third.h"};

/* The first instruction says which file is the function's own. Lines are numbered so that no other order gives the same. */
static const struct {
	uint32_t file, line;
} places[] = {{OWN, 20}, {3, 10},   {1, 40}, {0, 25}, {CODE_NONE, 0},
	      {0, 50},	 {OWN, 60}, {1, 15}, {3, 70}, {CODE_NONE, 0}};
enum { PLACES = sizeof places / sizeof *places };
/* Numbers of the above. */
static const unsigned order[PLACES] = {0, 6, 3, 5, 7, 2, 1, 8, 4, 9};

static void fill(struct code_insn *insns, struct code_function *f)
{
	static char text[] = "c.nop";
	*f = (struct code_function){.name = "f",
				    .object = "p",
				    .start = START,
				    .end = START + 2 * PLACES,
				    .insns = insns,
				    .count = PLACES,
				    .counts = {.cycles = 10 * PLACES, .executions = PLACES}};
	for (unsigned i = 0; i < PLACES; i++)
		insns[i] = (struct code_insn){.pc = START + 2 * i,
					      .text = text,
					      .file = places[i].file,
					      .line = places[i].line,
					      .inlined = CODE_NONE,
					      .counts = {.cycles = 10, .executions = 1, .causes = {10}}};
}

/* The listing as text: code_listing takes the lines apart, sorts them, and prints each with its instructions. */
static char *listed(void)
{
	struct code_insn insns[PLACES];
	struct code_function f;
	struct code_file files[FILES];
	struct code_result r = {.program = "p", .machine = "m", .complete = true, .instructions = PLACES};
	const struct code_view view = {.width = 120, .verbose = true, .function = "f"};
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	assert_non_null(out);
	fill(insns, &f);
	for (unsigned i = 0; i < FILES; i++)
		files[i] = (struct code_file){.path = paths[i]};
	r.cycles = f.counts.cycles;
	r.code = (struct code){.cause_count = 1,
			       .causes = {"commit"},
			       .labels = {"committing"},
			       .functions = &f,
			       .function_count = 1,
			       .files = files,
			       .file_count = FILES};
	assert_true(code_listing(&r, &f, 0, &view, out));
	fclose(out);
	return text;
}

static void order_of_files(void **state)
{
	char *text = listed();
	const char *at = text;
	for (unsigned i = 0; i < PLACES; i++) {
		char wanted[32];
		const bool has_line = i < PLACES - 2;
		snprintf(wanted, sizeof wanted, has_line ? " %x  c.nop" : " +%#x  c.nop",
			 (has_line ? START : 0) + 2 * order[i]);
		const char *next = strstr(at, wanted);
		if (!next)
			fail_msg("\"%s\" is not behind the one before:\n%s", wanted, text);
		at = next;
	}
	free(text);
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(order_of_files),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
