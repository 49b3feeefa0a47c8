/* What holds for many options alike: analyses that they need, files that they write. */
#include "base/output.h"
#include "options/table.h"

#include <limits.h>
#include <string.h>
#include <sys/stat.h>

/* Is the analysis in the comma-separated list? */
static bool names(const char *list, const char *name, size_t wanted)
{
	for (size_t length; list; list = list[length] ? list + length + 1 : NULL) {
		length = strcspn(list, ",");
		if (length == wanted && !strncmp(list, name, length))
			return true;
	}
	return false;
}

bool options_switch(const char *option, const char *text, bool otherwise, bool *on, struct error *err)
{
	*on = text ? !strcmp(text, "on") : otherwise;
	if (text && !*on && strcmp(text, "off"))
		return error_set(err, ERROR_USAGE, "--%s %s: on or off", option, text);
	return true;
}

bool options_check_analyses(const struct options *o, struct error *err)
{
	for (size_t i = 0; i < option_row_count; i++) {
		int length;
		const char *name = o->given[i] ? option_analysis(&option_rows[i], &length) : NULL;
		if (name && !names(o->with, name, (size_t)length))
			return error_set(err, ERROR_USAGE, "--%s needs --with %.*s", option_rows[i].name, length, name);
	}
	return true;
}

bool options_check_seed(const struct options *o, struct error *err)
{
	static const char *const draw[] = {"shotgun", "profilers"};
	bool draws = !options_given(o, "seed") || o->graph_causes;
	for (size_t i = 0; i < sizeof draw / sizeof *draw; i++)
		draws |= names(o->with, draw[i], strlen(draw[i]));
	return draws ||
	       error_set(err, ERROR_USAGE,
			 "--seed: nothing is drawn without --with shotgun, --with profilers or --graph-causes; "
			 "the guest's random numbers are of --guest-seed");
}

bool options_given(const struct options *o, const char *name)
{
	bool given = false;
	for (size_t i = 0; i < option_row_count; i++)
		given |= o->given[i] && !strcmp(option_rows[i].name, name);
	return given;
}

static void mark_given(struct options *o, const char *name)
{
	for (size_t i = 0; i < option_row_count; i++)
		o->given[i] |= !strcmp(option_rows[i].name, name);
}

void options_page(struct options *o)
{
	if (!o->html || o->functional)
		return;
	if (!o->with) {
		o->with = OPTION_PAGE_ANALYSES;
		mark_given(o, "with");
	}
	if (o->json_code == OPTION_NOT_GIVEN) {
		o->json_code = OPTION_PAGE_CODE;
		mark_given(o, "json-code");
	}
}

bool options_check_lists(const struct options *o, struct error *err)
{
	static const char *const lists[] = {"json-sites", "json-code"};
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
		if (!options_given(o, lists[i]))
			continue;
		if (o->functional)
			return error_set(err, ERROR_USAGE, "--%s: without timing there are no cycles to list",
					 lists[i]);
		if (!o->json && !o->html)
			return error_set(err, ERROR_USAGE, "--%s needs --json or --html", lists[i]);
	}
	return true;
}

void options_one_part(struct options *o)
{
	for (size_t i = 0; o->parts == 1 && i < option_row_count; i++)
		if (!strcmp(option_rows[i].name, "overlap") || option_rows[i].field == offsetof(struct options, parts))
			o->given[i] = false;
	if (o->parts == 1) {
		o->parts = 0;
		o->overlap = OPTION_NOT_GIVEN;
	}
}

static const char *path_of(const struct options *o, size_t row)
{
	if (option_rows[row].kind != OUTPUT || !o->given[row])
		return NULL;
	return *(const char *const *)(const void *)((const char *)o + option_rows[row].field);
}

/* The directory that holds the file, and the file's name in it. */
static const char *split_path(const char *path, char directory[PATH_MAX])
{
	const char *slash = strrchr(path, '/');
	snprintf(directory, PATH_MAX, "%.*s", slash ? (int)(slash - path + 1) : 1, slash ? path : ".");
	return slash ? slash + 1 : path;
}

/* Would one overwrite the other? Files that are there already are compared as such, others by their directories.
 * Devices and pipes take what everybody writes. */
static bool same_file(const char *a, const char *b)
{
	struct stat s, t;
	if (!strcmp(a, "-") || !strcmp(b, "-"))
		return !strcmp(a, b);
	bool there = !stat(a, &s), other = !stat(b, &t);
	if (there != other)
		return false;
	if (there)
		return s.st_dev == t.st_dev && s.st_ino == t.st_ino && S_ISREG(s.st_mode);
	char left[PATH_MAX], right[PATH_MAX];
	if (strcmp(split_path(a, left), split_path(b, right)))
		return false;
	if (stat(left, &s) || stat(right, &t))
		return !strcmp(a, b);
	return s.st_dev == t.st_dev && s.st_ino == t.st_ino;
}

/* Files that the command reads: of a guest's command its program, else all that it names; and what options name. */
static bool is_read(const struct options *o, const char *path)
{
	for (char **read = o->arguments; read && *read && (!o->program || read == o->arguments); read++)
		if (same_file(path, *read))
			return true;
	for (size_t i = 0; i < option_row_count; i++) {
		const struct option_row *row = &option_rows[i];
		if (row->kind != TEXT || !o->given[i] || !row->argument || strcmp(row->argument, "FILE") != 0)
			continue;
		const char *value = *(const char *const *)(const void *)((const char *)o + row->field);
		if (value && same_file(path, value))
			return true;
	}
	return false;
}

bool options_check_outputs(const struct options *o, struct error *err)
{
	for (size_t i = 0; i < option_row_count; i++) {
		const char *path = path_of(o, i);
		if (!path)
			continue;
		for (size_t j = 0; j < i; j++)
			if (path_of(o, j) && same_file(path, path_of(o, j)))
				return error_set(err, ERROR_USAGE, "--%s and --%s both write %s", option_rows[j].name,
						 option_rows[i].name, path);
		if (is_read(o, path))
			return error_set(err, ERROR_USAGE, "--%s %s would overwrite what is read", option_rows[i].name,
					 path);
		TRY(output_check(path, err));
	}
	return true;
}
