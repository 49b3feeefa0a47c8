/* The command that made a result, made again from what the result says. The machine comes from the result, in full, so
 * that a machine file that has changed since does not matter; files that the command wrote are not written again. */
#include "provenance/rerun.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool add(struct rerun *r, const char *word, struct error *err)
{
	if (r->count == RERUN_WORDS_MAX)
		return error_set(err, ERROR_INPUT, "%s: more than %d words in its command", r->options.arguments[0],
				 RERUN_WORDS_MAX);
	r->words[r->count] = strdup(word);
	if (!r->words[r->count])
		return error_set(err, ERROR_SYSTEM, "out of memory for the command");
	r->count++;
	return true;
}

/* --NAME=VALUE in one word, so that a value may begin with a dash. */
static bool add_option(struct rerun *r, const char *name, const char *value, struct error *err)
{
	size_t size = strlen(name) + strlen(value) + sizeof "--=";
	char *word = malloc(size);
	if (!word)
		return error_set(err, ERROR_SYSTEM, "out of memory for the command");
	snprintf(word, size, "--%s=%s", name, value);
	bool good = add(r, word, err);
	free(word);
	return good;
}

static bool unfit(const struct rerun *r, const char *what, struct error *err)
{
	return error_set(err, ERROR_INPUT, "%s: its provenance does not say how it was made: %s",
			 r->options.arguments[0], what);
}

/* What the result says of the machine, and what is not needed for the figures. --ideal is given again, for its
 * places: the classes are in the machine as well. */
static bool skipped(const char *name, bool writes_file)
{
	static const char *const names[] = {"machine", "set", "quiet"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(name, names[i]))
			return true;
	return writes_file;
}

/* A plug-in is code of this host: no result of somebody else's may name it. */
static bool allowed_plugin(const struct rerun *r, const char *name, const char *value, struct error *err)
{
	const struct options *o = &r->options;
	if (!strcmp(name, "predictor") && o->predictor && !strcmp(o->predictor, value))
		return true;
	for (size_t i = 0; i < o->prefetchers.count && !strcmp(name, "prefetcher"); i++)
		if (!strcmp(o->prefetchers.items[i], value))
			return true;
	return error_set(err, ERROR_USAGE,
			 "%s: it was made with a plug-in, which is code: allow that again with --%s %s",
			 o->arguments[0], name, value);
}

/* A result may come from somebody else: what its program may write is for the user to say again. */
static bool allowed(const struct rerun *r, const char *directory, struct error *err)
{
	for (size_t i = 0; i < r->options.writable.count; i++)
		if (!strcmp(r->options.writable.items[i], directory))
			return true;
	return error_set(err, ERROR_USAGE, "%s: its program could write %s: allow that again with --writable %s",
			 r->options.arguments[0], directory, directory);
}

static bool add_value(struct rerun *r, const char *name, const json_t *value, struct error *err)
{
	char number[24], word[64];
	switch (json_typeof(value)) {
	case JSON_NULL:
	case JSON_FALSE:
		return true;
	case JSON_TRUE:
		snprintf(word, sizeof word, "--%.60s", name);
		return add(r, word, err);
	case JSON_INTEGER:
		snprintf(number, sizeof number, "%llu", (unsigned long long)json_integer_value(value));
		return add_option(r, name, number, err);
	case JSON_STRING:
		if (!strcmp(name, "writable"))
			TRY(allowed(r, json_string_value(value), err));
		if (!strcmp(name, "predictor") || !strcmp(name, "prefetcher"))
			TRY(allowed_plugin(r, name, json_string_value(value), err));
		return add_option(r, name, json_string_value(value), err);
	default:
		return unfit(r, name, err);
	}
}

static bool add_options(struct rerun *r, const json_t *options, enum option_user user, struct error *err)
{
	const char *name;
	json_t *value, *item;
	size_t i;
	json_object_foreach((json_t *)options, name, value)
	{
		bool writes_file;
		if (!options_has(name, user, &writes_file))
			return unfit(r, "an option that the subcommand does not have", err);
		if (skipped(name, writes_file))
			continue;
		if (!json_is_array(value)) {
			TRY(add_value(r, name, value, err));
			continue;
		}
		json_array_foreach(value, i, item) TRY(add_value(r, name, item, err));
	}
	return true;
}

/* What it was given that no program of the result asks for: misspelt, or of another result. */
static bool has_text(const json_t *list, const char *text)
{
	bool has = json_is_string(list) && !strcmp(json_string_value(list), text);
	for (size_t i = 0; i < json_array_size(list); i++) {
		const char *item = json_string_value(json_array_get(list, i));
		has |= item && !strcmp(item, text);
	}
	return has;
}

static bool all_asked_for(const struct rerun *r, const json_t *options, const char *name, const struct text_list *given,
			  struct error *err)
{
	for (size_t i = 0; i < given->count; i++)
		if (!has_text(json_object_get(options, name), given->items[i]))
			return error_set(err, ERROR_USAGE, "--%s %s: %s was not made with it", name, given->items[i],
					 r->options.arguments[0]);
	return true;
}

static bool check_allowed(const struct rerun *r, const json_t *options, struct error *err)
{
	const struct options *o = &r->options;
	const struct text_list predictor = {(const char **)&o->predictor, o->predictor != NULL};
	return all_asked_for(r, options, "writable", &o->writable, err) &&
	       all_asked_for(r, options, "predictor", &predictor, err) &&
	       all_asked_for(r, options, "prefetcher", &o->prefetchers, err);
}

/* In a file with the machine's name: results name a machine by its file. Samples bring theirs along, but for those of
 * perf. */
static bool add_machine(struct rerun *r, const json_t *options, struct error *err)
{
	const json_t *machine = json_object_get(r->provenance, "machine");
	const char *name = json_string_value(json_object_get(r->provenance, "machine_name"));
	const bool of_samples = json_is_null(json_object_get(options, "perf"));
	if (json_is_null(machine) || !json_object_get(options, "machine") || of_samples)
		return true;
	if (!name || !*name || strchr(name, '/') || !json_is_object(machine))
		return unfit(r, "machine", err);
	int size = snprintf(r->machine, sizeof r->machine, "%s/%s.yaml", r->folder, name);
	if (size >= (int)sizeof r->machine || json_dump_file(machine, r->machine, JSON_INDENT(1)))
		return error_set(err, ERROR_SYSTEM, "%s: cannot write: %s", r->machine, strerror(errno));
	return add_option(r, "machine", r->machine, err);
}

static bool add_arguments(struct rerun *r, const json_t *arguments, struct error *err)
{
	json_t *word;
	size_t i;
	json_array_foreach((json_t *)arguments, i, word)
	{
		if (!json_is_string(word))
			return unfit(r, "arguments", err);
		TRY(add(r, json_string_value(word), err));
	}
	return true;
}

static const struct subcommand {
	const char *schema, *name;
	enum option_user user;
	bool of_file; /* what was interrupted is the file that it reads, and that is still as it was */
} subcommands[] = {
	{"culprit-run/1", "run", FOR_RUN, false},
	{"culprit-truth/1", "truth", FOR_TRUTH, false},
	{"culprit-profilers/1", "profilers", FOR_PROFILERS, false},
	{"culprit-model/1", "model", FOR_MODEL, true},
	{"culprit-sample/1", "sample", FOR_SAMPLE, false},
	{"culprit-shotgun/1", "shotgun", FOR_SHOTGUN, false},
	{"culprit-analyse/1", "analyse", FOR_ANALYSE, true},
	{"culprit-check/1", "check", FOR_CHECK, true},
};

static const struct subcommand *find_subcommand(const json_t *schema)
{
	const char *text = json_string_value(schema);
	for (size_t i = 0; text && i < sizeof subcommands / sizeof *subcommands; i++)
		if (!strcmp(text, subcommands[i].schema))
			return &subcommands[i];
	return NULL;
}

/* Which command made it, or that none did, and what to do instead. */
static bool not_known(const struct rerun *r, const json_t *schema, struct error *err)
{
	const char *file = r->options.arguments[0], *text = json_string_value(schema);
	int length = text ? (int)strcspn(text, "/") : 0;
	if (!text || strncmp(text, "culprit-", 8) != 0)
		return error_set(err, ERROR_INPUT, "%s: no result of culprit (it has no schema of culprit's)", file);
	for (size_t i = 0; i < sizeof subcommands / sizeof *subcommands; i++)
		if (!strncmp(text, subcommands[i].schema, (size_t)length + 1))
			return error_set(err, ERROR_INPUT,
					 "%s: a result in the format %.40s; this version knows %s: make it again with "
					 "the version that made it",
					 file, text, subcommands[i].schema);
	if (!strcmp(text, "culprit-sweep/1"))
		return error_set(err, ERROR_INPUT,
				 "%s: a sweep's result, which is many runs: give its own command again (culprit sweep "
				 "PLAN.yaml, or run -m A,B,C); each of its points has the command of its run",
				 file);
	return error_set(err, ERROR_INPUT,
			 "%s: a result of culprit %.*s, which is made of other results: make those again, and give its "
			 "command again",
			 file, length - 8, text + 8);
}

bool rerun_command(struct rerun *r, struct error *err)
{
	const json_t *options = json_object_get(r->provenance, "options");
	const json_t *arguments = json_object_get(r->provenance, "arguments");
	const struct subcommand *sub = find_subcommand(json_object_get(r->was, "schema"));
	if (!sub)
		return not_known(r, json_object_get(r->was, "schema"), err);
	if (!json_is_object(options) || !json_is_array(arguments))
		return unfit(r, "options and arguments are missing", err);
	if (!sub->of_file && json_is_false(json_object_get(r->was, "complete")))
		return error_set(err, ERROR_INPUT,
				 "%s: interrupted, or a simulation failed: nothing that can be made again",
				 r->options.arguments[0]);
	TRY(add(r, "culprit", err));
	TRY(add(r, sub->name, err));
	TRY(add_machine(r, options, err));
	TRY(add_options(r, options, sub->user, err));
	TRY(check_allowed(r, options, err));
	TRY(add_option(r, "json", r->result, err));
	TRY(add_option(r, "output", "/dev/null", err));
	TRY(add(r, "--", err));
	/* a checkpoint has its program: the words are what was read from it */
	return json_is_string(json_object_get(options, "checkpoint")) || add_arguments(r, arguments, err);
}
