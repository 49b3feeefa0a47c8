/* Any text as a result file of `culprit rerun`: an error with a text, or a command that names one of the four subcommands. Compared
 * with itself, any result is the same. */
#include "provenance/rerun.h"
#include "report/compare.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_command(const struct rerun *r)
{
	static const char *const names[] = {"run", "truth", "model", "shotgun"};
	bool known = false;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		known |= !strcmp(r->words[1], names[i]);
	if (!known || r->words[r->count])
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char *arguments[] = {"result.json", NULL};
	struct rerun *r = calloc(1, sizeof *r);
	struct error err = {0};
	if (!r)
		return 0;
	r->options.arguments = arguments;
	strcpy(r->folder, "/dev/null"); /* no machine file is written */
	strcpy(r->result, "result");
	r->was = json_loadb((const char *)data, size, JSON_REJECT_DUPLICATES, NULL);
	r->provenance = json_object_get(r->was, "provenance");
	if (rerun_command(r, &err))
		check_command(r);
	else if (!err.text[0])
		abort();
	struct comparison c;
	if (!compare_results(&c, r->was, r->was, COMPARE_SHOWN, &err) || c.differences)
		abort();
	comparison_destroy(&c);
	for (size_t i = 0; i < r->count; i++)
		free(r->words[i]);
	json_decref(r->was);
	free(r);
	return 0;
}
