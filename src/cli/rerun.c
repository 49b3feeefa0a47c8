/* culprit rerun: make a result again from its own file, and say whether it is the same. */
#include "provenance/rerun.h"

#include "cli/commands.h"
#include "run/progress.h"
#include "provenance/provenance.h"
#include "report/compare.h"
#include "report/format.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool make_folder(struct rerun *r, struct error *err)
{
	const char *parent = getenv("TMPDIR");
	parent = parent && *parent ? parent : "/tmp";
	int length = snprintf(r->folder, sizeof r->folder, "%s/culprit-rerun-XXXXXX", parent);
	if (length >= (int)sizeof r->folder || !mkdtemp(r->folder)) {
		const char *why = strerror(length < (int)sizeof r->folder ? errno : ENAMETOOLONG);
		r->folder[0] = 0;
		return error_set(err, ERROR_SYSTEM, "%s: cannot make a folder for the rerun: %s", parent, why);
	}
	snprintf(r->result, sizeof r->result, "%s/result.json", r->folder);
	return true;
}

static void remove_folder(const struct rerun *r)
{
	if (!r->folder[0])
		return;
	unlink(r->result);
	unlink(r->machine);
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		unlink(r->stream[fd]);
	rmdir(r->folder);
}

static const char *text_of(const json_t *provenance, const char *key)
{
	const char *text = json_string_value(json_object_get(provenance, key));
	return text ? text : "unknown";
}

/* Where the command was given: there its relative names lead to its files. */
static void place_of(const struct rerun *r, const char *path, char place[PATH_MAX])
{
	const char *directory = json_string_value(json_object_get(r->provenance, "directory"));
	snprintf(place, PATH_MAX, "%s%s%s", *path == '/' || !directory ? "" : directory,
		 *path == '/' || !directory ? "" : "/", path);
}

/* What is known to have changed before anything runs. */
static void print_head(struct rerun *r)
{
	const char *version = text_of(r->provenance, "version"), *commit = text_of(r->provenance, "commit");
	printf("%s: made by culprit %s (%s)", r->options.arguments[0], version, commit);
	if (strcmp(version, CULPRIT_VERSION) != 0 || strcmp(commit, provenance_commit()) != 0)
		printf("; this is %s (%s)", CULPRIT_VERSION, provenance_commit());
	putchar('\n');
	json_t *file;
	size_t i;
	json_array_foreach(json_object_get(r->provenance, "files"), i, file)
	{
		char hash[65], place[PATH_MAX];
		const char *path = json_string_value(json_object_get(file, "path"));
		const char *was = json_string_value(json_object_get(file, "sha256"));
		if (!path || !was)
			continue;
		place_of(r, path, place);
		const bool is_gone = access(place, R_OK) != 0;
		if (is_gone && !*r->gone)
			snprintf(r->gone, sizeof r->gone, ": %.200s: %s", path, strerror(errno));
		if (is_gone)
			printf("  %s cannot be read any more: %s\n", path, strerror(errno));
		else if (!provenance_hash(place, hash) || strcmp(hash, was) != 0)
			printf("  %s has changed since\n", path);
	}
	fflush(stdout);
}

/* What the command said, where its standard error was a file. */
static void show_errors(const struct rerun *r)
{
	char line[1000];
	FILE *said = *r->stream[STDERR_FILENO] ? fopen(r->stream[STDERR_FILENO], "r") : NULL;
	while (said && fgets(line, sizeof line, said))
		fputs(line, stderr);
	if (said)
		fclose(said);
}

static bool make_again(struct rerun *r, struct error *err)
{
	int status;
	TRY(rerun_start(r, &status, err));
	struct error none;
	if (format_read_json(&r->is, r->result, &none))
		return true;
	show_errors(r);
	return error_set(err, ERROR_INPUT, "%s: the command did not give a result again, but ended with status %d%s",
			 r->options.arguments[0], status, r->gone);
}

/* What is in no file may be the reason. */
static void print_input(const struct rerun *r)
{
	const json_t *input = json_object_get(json_object_get(r->provenance, "streams"), "input");
	const char *kind = json_string_value(json_object_get(input, "kind"));
	if (kind && !strcmp(kind, "pipe"))
		printf("its standard input was a pipe, whose content is in no file: give the same again: culprit rerun "
		       "%s <INPUT\n",
		       r->options.arguments[0]);
	if (kind && !strcmp(kind, "terminal"))
		puts("its standard input was a terminal: what was typed there is in no file");
}

static bool verdict(const struct rerun *r, int *status, struct error *err)
{
	struct comparison c;
	const bool good = compare_results(&c, r->was, r->is, COMPARE_SHOWN, err);
	*status = c.differences != 0;
	if (good && c.differences) {
		compare_text(&c, stdout);
		printf("not the same: %llu of %llu figures differ\n", (unsigned long long)c.differences,
		       (unsigned long long)c.figures);
		print_input(r);
	} else if (good) {
		printf("the same: all %llu figures\n", (unsigned long long)c.figures);
	}
	comparison_destroy(&c);
	return good;
}

/* The command that the new result comes from is the old one, not its copy with temporary files: so it can be made
 * again, too. */
static void keep_command(struct rerun *r)
{
	static const char *const keys[] = {"words", "directory", "options", "arguments", "streams"};
	json_t *provenance = json_object_get(r->is, "provenance");
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		json_object_set(provenance, keys[i], json_object_get(r->provenance, keys[i]));
}

static bool check_output(const struct rerun *r, const char *input, struct error *err)
{
	struct stat in, out;
	if (!r->options.json)
		return true;
	if (!strcmp(r->options.json, "-"))
		return error_set(err, ERROR_USAGE, "rerun: --json -: standard output has the verdict");
	if (!stat(input, &in) && !stat(r->options.json, &out) && in.st_dev == out.st_dev && in.st_ino == out.st_ino)
		return error_set(err, ERROR_USAGE,
				 "rerun: --json %s would overwrite the result that it is compared with",
				 r->options.json);
	return options_check_outputs(&r->options, err);
}

static bool rerun(void *state, int *status, struct error *err)
{
	struct rerun *r = state;
	const char *path = r->options.arguments[0];
	if (!path || r->options.arguments[1])
		return error_set(err, ERROR_USAGE, "rerun: one result file: culprit rerun [OPTION...] FILE");
	TRY(check_output(r, path, err));
	TRY(format_read_json(&r->was, path, err));
	r->provenance = json_object_get(r->was, "provenance");
	TRY(make_folder(r, err));
	TRY(rerun_command(r, err));
	print_head(r);
	TRY(make_again(r, err));
	TRY(verdict(r, status, err));
	if (!r->options.json)
		return true;
	keep_command(r);
	return format_write_json(json_incref(r->is), r->options.json, err);
}

static void destroy(void *state)
{
	struct rerun *r = state;
	remove_folder(r);
	for (size_t i = 0; i < r->count; i++)
		free(r->words[i]);
	json_decref(r->was);
	json_decref(r->is);
}

const struct command command_rerun = {
	.user = FOR_RERUN,
	.interruptible = true,
	.size = sizeof(struct rerun),
	.run = rerun,
	.destroy = destroy,
};
