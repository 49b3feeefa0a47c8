/* The manual of the keys is generated: the file in the repository must be what the tables give.
 * `test_machine_machine_keys --print >docs/reference/machine-keys.md` refreshes it. */
#include "machine/machine_keys.h"
#include "machine/machine_rows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char *generated(void)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	assert_non_null(out);
	assert_true(machine_print_keys(out));
	fclose(out);
	return text;
}

static char *committed(void)
{
	static const char path[] = "docs/reference/machine-keys.md";
	FILE *in = fopen(path, "r");
	if (!in)
		fail_msg("%s is missing: run test_machine_machine_keys --print >%s", path, path);
	char *text = calloc(1, 256 * 1024);
	assert_non_null(text);
	fread(text, 1, 256 * 1024 - 1, in);
	fclose(in);
	return text;
}

static void file_is_up_to_date(void **state)
{
	char *now = generated(), *then = committed();
	if (strcmp(now, then))
		fail_msg("docs/reference/machine-keys.md is stale: run test_machine_machine_keys --print "
			 ">docs/reference/machine-keys.md");
	free(now);
	free(then);
}

static void every_row_is_described(void **state)
{
	char *text = generated();
	for (size_t i = 0; i < machine_row_count; i++) {
		char key[80];
		snprintf(key, sizeof key, "| `%s.%s` |", machine_rows[i].section, machine_rows[i].name);
		if (!strstr(text, key))
			fail_msg("%s is not in the manual", key);
	}
	free(text);
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "--print"))
		return !machine_print_keys(stdout);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(file_is_up_to_date),
		cmocka_unit_test(every_row_is_described),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
