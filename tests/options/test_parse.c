/* Which words are options, which operands, and which the program's. */
#include "options/options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

/* The words of `line`, which become argv, and what remains of them, with one space between. */
static void rest(const char *line, enum option_user user, const char *arguments, const char *astray)
{
	char text[200], joined[200] = "", *argv[32], *save = NULL;
	int count = 0;
	struct options o;
	struct error err = {0};
	strcpy(text, line);
	for (char *word = strtok_r(text, " ", &save); word; word = strtok_r(NULL, " ", &save))
		argv[count++] = word;
	argv[count] = NULL;
	if (!options_parse(&o, argv, user, &err))
		fail_msg("%s: %s", line, err.text);
	for (char **word = o.arguments; *word; word++) {
		strcat(joined, *joined ? " " : "");
		strcat(joined, *word);
	}
	if (strcmp(joined, arguments) != 0 || strcmp(o.astray ? o.astray : "", astray) != 0)
		fail_msg("%s: '%s', astray '%s'", line, joined, o.astray ? o.astray : "");
	options_destroy(&o);
}

static void operands_stand_anywhere(void **state)
{
	rest("model a --json b", FOR_MODEL, "a", "");
	rest("model --json b a", FOR_MODEL, "a", "");
	rest("model -m x a --csv c b", FOR_MODEL, "a b", "");
	rest("shotgun a --json b -- c", FOR_SHOTGUN, "a c", "");
	rest("shotgun a -- --json b", FOR_SHOTGUN, "a --json b", "");
	rest("machines -", FOR_MACHINES, "-", "");
	rest("machines -- -- a", FOR_MACHINES, "-- a", "");
}

static void the_rest_is_the_programs(void **state)
{
	rest("run -q a b c", FOR_RUN, "a b c", "");
	rest("run a --json b", FOR_RUN, "a --json b", "--json");
	rest("run a --json=b -n 3", FOR_RUN, "a --json=b -n 3", "--json=b");
	rest("run a -n 3", FOR_RUN, "a -n 3", "-n");
	rest("run a -n3 --jsonx -x - --pairs", FOR_RUN, "a -n3 --jsonx -x - --pairs", "");
	rest("run -q -- a --json b", FOR_RUN, "a --json b", "");
	rest("run a -- --json b", FOR_RUN, "a -- --json b", "");
	rest("truth a --pairs all", FOR_TRUTH, "a --pairs all", "--pairs");
	rest("run -- -q", FOR_RUN, "-q", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(operands_stand_anywhere),
					   cmocka_unit_test(the_rest_is_the_programs)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
