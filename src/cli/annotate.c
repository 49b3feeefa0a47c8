/* culprit annotate: source and assembly with what happened there, from a result file; or from a run that this command
 * makes for it, as `culprit run` would. */
#include "base/output.h"
#include "cli/commands.h"
#include "report/code/annotate.h"
#include "report/terminal.h"
#include "run/child.h"
#include "run/progress.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WORDS_MAX = 1024, OWN_WORDS = 8 };

struct annotate {
	struct options options; /* first */
	char folder[192];	/* of the temporary result; "" = none */
	char path[224];		/* there */
	char *words[WORDS_MAX];
	size_t count; /* of `words` that are to be freed */
	struct code_result result;
	const struct code_function *function;
	size_t alike;
	bool printed;
};

/* --- a run for it --- */

static bool make_folder(struct annotate *a, struct error *err)
{
	const char *parent = getenv("TMPDIR");
	parent = parent && *parent ? parent : "/tmp";
	int length = snprintf(a->folder, sizeof a->folder, "%s/culprit-annotate-XXXXXX", parent);
	if (length >= (int)sizeof a->folder || !mkdtemp(a->folder)) {
		const char *why = strerror(length < (int)sizeof a->folder ? errno : ENAMETOOLONG);
		a->folder[0] = 0;
		return error_set(err, ERROR_SYSTEM, "%s: cannot make a folder for the result: %s", parent, why);
	}
	snprintf(a->path, sizeof a->path, "%s/result.json", a->folder);
	return true;
}

/* `culprit run` with the same options and program, that writes what is needed here and no report. */
static bool run_words(struct annotate *a, char **words, struct error *err)
{
	static const char *const own[] = {"--json-code=0", "--output=/dev/null", "--json"};
	size_t n = 2, made, arguments = 0;
	words[0] = (char *)"culprit";
	words[1] = (char *)"run";
	for (size_t i = 0; i < a->count; i++)
		words[n++] = a->words[i];
	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		words[n++] = (char *)own[i];
	words[n++] = a->path;
	words[n++] = (char *)"--";
	for (made = n; a->options.arguments[arguments]; arguments++)
		if (made + arguments + 1 < WORDS_MAX + OWN_WORDS)
			words[made + arguments] = a->options.arguments[arguments];
		else
			return error_set(err, ERROR_USAGE, "annotate: more than %d words", WORDS_MAX);
	words[made + arguments] = NULL;
	return true;
}

/* *status: not 0 when the run said itself why there is nothing to show. */
static bool run_program(struct annotate *a, int *status, struct error *err)
{
	char *words[WORDS_MAX + OWN_WORDS];
	int ended;
	TRY(make_folder(a, err));
	TRY(options_words(&a->options, FOR_RUN | FOR_ANNOTATE, a->words, WORDS_MAX / 2, &a->count, err));
	TRY(run_words(a, words, err));
	TRY(child_run(words, &ended, err));
	if (access(a->path, R_OK))
		*status = ended ? ended : 125;
	return true;
}

/* --- the command --- */

static void print_text(struct annotate *a, FILE *out)
{
	const struct options *o = &a->options;
	enum { NARROWEST = 60 };
	const unsigned width = terminal_width(out);
	const struct code_view view = {.width = width < NARROWEST ? NARROWEST : width,
				       .colour = terminal_colour(out),
				       .verbose = o->verbose,
				       .addresses = o->addresses,
				       .function = o->function,
				       .sites = o->sites};
	a->printed = o->sites ? code_sites(&a->result, &view, out)
			      : code_listing(&a->result, a->function, a->alike, &view, out);
}

/* The result that is made on the way is JSON. */
static bool check_word(const char *word, struct error *err)
{
	json_t *text = json_string(word);
	json_decref(text);
	return text || error_set(err, ERROR_USAGE, "annotate: words have to be UTF-8: %s", word);
}

static bool check_arguments(const struct options *o, struct error *err)
{
	char **arguments = o->arguments;
	if (!arguments[0] && !o->checkpoint)
		return error_set(
			err, ERROR_USAGE,
			"annotate: a result file or a program: culprit annotate RESULT.json, or culprit annotate "
			"[OPTION...] -- PROG [ARG...]");
	if (!o->program && arguments[0] && (arguments[1] || o->checkpoint))
		return error_set(err, ERROR_USAGE, "annotate: one result file; a program stands behind --");
	if ((o->program || o->checkpoint) && o->with && !strcmp(o->with, "none"))
		return error_set(err, ERROR_USAGE, "annotate needs cycles: --with none has none");
	for (char **word = o->words; (o->program || o->checkpoint) && *word; word++)
		TRY(check_word(*word, err));
	TRY(code_check_sites(o->sites, err));
	TRY(options_check_analyses(o, err));
	return options_check_outputs(o, err);
}

static bool annotate(void *state, int *status, struct error *err)
{
	struct annotate *a = state;
	struct options *o = &a->options;
	TRY(check_arguments(o, err));
	const bool runs = o->program || o->checkpoint;
	if (runs)
		TRY(run_program(a, status, err));
	if (*status)
		return true;
	TRY(code_result_read(&a->result, runs ? a->path : o->arguments[0], err));
	if (!o->sites)
		TRY(code_choose(&a->result.code, o->function, &a->function, &a->alike, err));
	TRY(OUTPUT_WRITE(o->output, runs ? stderr : stdout, print_text, a, err));
	return a->printed || error_set(err, ERROR_SYSTEM, "out of memory for the listing");
}

static void destroy(void *state)
{
	struct annotate *a = state;
	if (*a->folder) {
		unlink(a->path);
		rmdir(a->folder);
	}
	for (size_t i = 0; i < a->count; i++)
		free(a->words[i]);
	code_result_destroy(&a->result);
}

const struct command command_annotate = {
	.user = FOR_ANNOTATE,
	.interruptible = true,
	.size = sizeof(struct annotate),
	.run = annotate,
	.destroy = destroy,
};
