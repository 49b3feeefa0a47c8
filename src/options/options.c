#include "options/options.h"

#include "base/output.h"

#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum option_kind { FLAG, TEXT, LIST, COUNT, POSITIVE, OUTPUT };

struct option_row {
	const char *name;
	char letter;
	enum option_kind kind;
	size_t field;
	const char *argument;
	const char *help;
	int users;
};

static const struct option_row rows[] = {
#define OPTION(name, letter, kind, field, argument, help, users) \
	{name, letter, kind, offsetof(struct options, field), argument, help, users},
#include "options/options.def"
};
enum { ROWS = sizeof rows / sizeof rows[0] };
_Static_assert((int)ROWS <= (int)OPTION_ROWS_MAX, "one each in options.given");

static bool add_item(struct text_list *l, const char *item, struct error *err)
{
	const char **grown = realloc(l->items, (l->count + 2) * sizeof *grown);
	if (!grown)
		return error_set(err, ERROR_SYSTEM, "out of memory for options");
	l->items = grown;
	l->items[l->count++] = item;
	l->items[l->count] = NULL;
	return true;
}

static bool parse_count(const char *name, const char *text, uint64_t *value, struct error *err)
{
	char *end;
	errno = 0;
	bool is_hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	unsigned long long v = strtoull(text, &end, is_hex ? 16 : 10);
	uint64_t scale = 1;
	if (*end == 'k' || *end == 'K')
		scale = 1000;
	else if (*end == 'M')
		scale = 1000000;
	else if (*end == 'G')
		scale = 1000000000;
	if (scale > 1)
		end++;
	if (errno || !isdigit((unsigned char)*text) || end == text || *end || v > UINT64_MAX / scale)
		return error_set(err, ERROR_USAGE, "--%s: '%s' is not a count (digits, then k, M or G)", name, text);
	*value = v * scale;
	return true;
}

static bool store(struct options *o, const struct option_row *row, const char *value, struct error *err)
{
	char *field = (char *)o + row->field;
	bool *given = &o->given[row - rows];
	if (row->kind != FLAG && row->kind != LIST && *given)
		return error_set(err, ERROR_USAGE, "--%s was given twice", row->name);
	*given = true;
	switch (row->kind) {
	case FLAG:
		*(bool *)(void *)field = true;
		return true;
	case TEXT:
	case OUTPUT:
		*(const char **)(void *)field = value;
		return true;
	case LIST:
		return add_item((struct text_list *)(void *)field, value, err);
	default:
		TRY(parse_count(row->name, value, (uint64_t *)(void *)field, err));
		if (row->kind == POSITIVE && !*(uint64_t *)(void *)field)
			return error_set(err, ERROR_USAGE, "--%s: must be at least 1", row->name);
		return true;
	}
}

static const struct option_row *find_long(const char *name, size_t length, int user)
{
	for (size_t i = 0; i < ROWS; i++)
		if ((rows[i].users & user) && strlen(rows[i].name) == length && !strncmp(rows[i].name, name, length))
			return &rows[i];
	return NULL;
}

static const struct option_row *find_letter(char letter, int user)
{
	for (size_t i = 0; i < ROWS; i++)
		if ((rows[i].users & user) && rows[i].letter == letter && letter)
			return &rows[i];
	return NULL;
}

/* One option at argv[*i], which starts with a dash. */
static bool parse_one(struct options *o, char **argv, int *i, int user, const char *command, struct error *err)
{
	const char *word = argv[*i];
	bool is_long = word[1] == '-';
	const char *equals = is_long ? strchr(word, '=') : NULL;
	size_t length = is_long ? (equals ? (size_t)(equals - word - 2) : strlen(word + 2)) : 1;
	const struct option_row *row = is_long ? find_long(word + 2, length, user) : find_letter(word[1], user);
	if (!row)
		return error_set(err, ERROR_USAGE, "%s: unknown option %s (see culprit %s --help)", command, word,
				 command);
	const char *value = equals ? equals + 1 : (!is_long && word[2] ? word + 2 : NULL);
	if (row->kind == FLAG && value)
		return error_set(err, ERROR_USAGE, "%s: --%s takes no value", command, row->name);
	if (row->kind != FLAG && !value && argv[*i + 1])
		value = argv[++*i];
	if (row->kind != FLAG && (!value || !*value))
		return error_set(err, ERROR_USAGE, "%s: --%s needs a value: %s", command, row->name, row->argument);
	return store(o, row, value, err);
}

bool options_parse(struct options *o, char **argv, enum option_user user, struct error *err)
{
	memset(o, 0, sizeof *o);
	o->sample_context = o->return_stack = o->fragments = OPTION_NOT_GIVEN;
	o->fragment_warmup = o->match_context = o->match_bits = o->json_sites = OPTION_NOT_GIVEN;
	o->words = argv;
	int i = 1;
	for (; argv[i] && argv[i][0] == '-' && argv[i][1]; i++) {
		if (!strcmp(argv[i], "--")) {
			i++;
			break;
		}
		TRY(parse_one(o, argv, &i, user, argv[0], err));
	}
	o->arguments = &argv[i];
	return true;
}

/* --- what all rows share --- */

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
	static const char with[] = "with ";
	for (size_t i = 0; i < ROWS; i++) {
		if (!o->given[i] || strncmp(rows[i].help, with, sizeof with - 1) != 0)
			continue;
		const char *name = rows[i].help + sizeof with - 1;
		int length = (int)strcspn(name, ":");
		if (!names(o->with, name, (size_t)length))
			return error_set(err, ERROR_USAGE, "--%s needs --with %.*s", rows[i].name, length, name);
	}
	return true;
}

static const char *path_of(const struct options *o, size_t row)
{
	if (rows[row].kind != OUTPUT || !o->given[row])
		return NULL;
	return *(const char *const *)(const void *)((const char *)o + rows[row].field);
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

bool options_check_outputs(const struct options *o, struct error *err)
{
	for (size_t i = 0; i < ROWS; i++) {
		const char *path = path_of(o, i);
		if (!path)
			continue;
		for (size_t j = 0; j < i; j++)
			if (path_of(o, j) && same_file(path, path_of(o, j)))
				return error_set(err, ERROR_USAGE, "--%s and --%s both write %s", rows[j].name,
						 rows[i].name, path);
		TRY(output_check(path, err));
	}
	return true;
}

/* --- as JSON --- */

static json_t *list_json(const struct text_list *l)
{
	json_t *all = json_array();
	for (size_t i = 0; i < l->count; i++)
		json_array_append_new(all, json_string(l->items[i]));
	return all;
}

static json_t *value_json(const struct options *o, size_t row)
{
	const void *field = (const char *)o + rows[row].field;
	if (rows[row].kind == FLAG)
		return json_boolean(o->given[row]);
	if (!o->given[row])
		return json_null();
	if (rows[row].kind == LIST)
		return list_json(field);
	if (rows[row].kind == COUNT || rows[row].kind == POSITIVE)
		return json_integer((json_int_t) * (const uint64_t *)field);
	return json_string(*(const char *const *)field);
}

json_t *options_json(const struct options *o, enum option_user user)
{
	json_t *all = json_object();
	for (size_t i = 0; i < ROWS; i++)
		if ((rows[i].users & user) && strcmp(rows[i].name, "help") != 0)
			json_object_set_new(all, rows[i].name, value_json(o, i));
	return all;
}

bool options_has(const char *name, enum option_user user, bool *writes_file)
{
	const struct option_row *row = find_long(name, strlen(name), user);
	*writes_file = row && row->kind == OUTPUT;
	return row != NULL;
}

void options_destroy(struct options *o)
{
	free(o->sets.items);
	free(o->readable.items);
	free(o->writable.items);
	free(o->env.items);
	free(o->sweeps.items);
	free(o->graph_classes.items);
}

/* --- as help --- */

enum { HELP_COLUMN = 30, HELP_WIDTH = 80 };

/* The text from HELP_COLUMN on, broken at spaces; the cursor is at `column`. */
static void print_wrapped(FILE *out, int column, const char *text)
{
	bool first = true; /* of its line: then no space before it */
	if (column > HELP_COLUMN - 2)
		column = fprintf(out, "\n") - 1;
	for (column += fprintf(out, "%*s", HELP_COLUMN - column, ""); *text; first = false) {
		int length = (int)strcspn(text, " ");
		if (!first && column + 1 + length > HELP_WIDTH) {
			column = fprintf(out, "\n%*s", HELP_COLUMN, "") - 1;
			first = true;
		}
		column += fprintf(out, "%s%.*s", first ? "" : " ", length, text);
		text += length + (text[length] == ' ');
	}
	fputc('\n', out);
}

/* Where a row's own text begins, after "with NAME: ". */
static size_t heading_length(const struct option_row *row)
{
	return strncmp(row->help, "with ", 5) ? 0 : strcspn(row->help, ":") + 2;
}

static void print_option(FILE *out, const struct option_row *row)
{
	int column = row->letter ? fprintf(out, "  -%c, ", row->letter) : fprintf(out, "      ");
	column += fprintf(out, "--%s%s%s", row->name, row->argument ? " " : "", row->argument ? row->argument : "");
	print_wrapped(out, column, row->help + heading_length(row));
}

/* The options that belong to what `heading` names ("with graph: "), in the table's order; "" for those of the
 * command. */
static void print_group(FILE *out, enum option_user user, const char *heading, size_t length)
{
	if (length)
		fprintf(out, "\n%.*s\n", (int)length - 1, heading);
	for (size_t i = 0; i < ROWS; i++)
		if ((rows[i].users & user) && heading_length(&rows[i]) == length &&
		    !strncmp(rows[i].help, heading, length))
			print_option(out, &rows[i]);
}

static bool first_of_group(enum option_user user, size_t row)
{
	size_t length = heading_length(&rows[row]);
	for (size_t i = 0; i < row; i++)
		if ((rows[i].users & user) && heading_length(&rows[i]) == length &&
		    !strncmp(rows[i].help, rows[row].help, length))
			return false;
	return length > 0;
}

void options_help(enum option_user user, FILE *out)
{
	print_group(out, user, "", 0);
	for (size_t i = 0; i < ROWS; i++)
		if ((rows[i].users & user) && first_of_group(user, i))
			print_group(out, user, rows[i].help, heading_length(&rows[i]));
}
