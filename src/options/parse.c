/* The words of a command line: options, operands, and what is left to the guest. */
#include "options/table.h"

#include "base/count.h"
#include "base/nearest.h"

#include <stdlib.h>
#include <string.h>

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

static bool parse_count(const struct option_row *row, const char *text, uint64_t *value, struct error *err)
{
	if (!count_parse(text, row->kind == SIZE ? COUNT_BYTES : COUNT_THINGS, value))
		return error_set(err, ERROR_USAGE, "--%s: '%s' is not a %s", row->name, text,
				 row->kind == SIZE ? "size in bytes (a whole number: 4096, 4K, 1.5M; K is 1024)"
						   : "count (a whole number: 2000000, 2M, 1.5G, 3e8)");
	if (row->kind != COUNT && !*value)
		return error_set(err, ERROR_USAGE, "--%s: must be at least 1", row->name);
	return true;
}

static bool store(struct options *o, const struct option_row *row, const char *value, struct error *err)
{
	char *field = (char *)o + row->field;
	bool *given = &o->given[row - option_rows];
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
		return parse_count(row, value, (uint64_t *)(void *)field, err);
	}
}

/* `length` letters of it are the option's, behind the dashes. */
static bool unknown(const char *word, size_t length, int user, const char *command, struct error *err)
{
	struct nearest near;
	const char *name = word + (word[1] == '-' ? 2 : 1);
	nearest_begin(&near, name, word[1] == '-' ? length : strlen(name));
	if (word[1] != '-' && !word[2]) /* a letter may mean anything */
		near.distance = 0;
	for (size_t i = 0; i < option_row_count; i++)
		if (option_rows[i].users & user)
			nearest_consider(&near, option_rows[i].name);
	return error_set(err, ERROR_USAGE, "%s: unknown option %s%s%s%s (see culprit %s --help)", command, word,
			 *near.best ? "; did you mean --" : "", near.best, *near.best ? "?" : "", command);
}

/* One option at argv[*i], which starts with a dash. */
static bool parse_one(struct options *o, char **argv, int *i, int user, const char *command, struct error *err)
{
	const char *word = argv[*i];
	bool is_long = word[1] == '-';
	const char *equals = is_long ? strchr(word, '=') : NULL;
	size_t length = is_long ? (equals ? (size_t)(equals - word - 2) : strlen(word + 2)) : 1;
	const struct option_row *row = is_long ? option_find(word + 2, length, user)
					       : option_find_letter(word[1], user);
	if (!row)
		return unknown(word, length, user, command, err);
	const char *value = equals ? equals + 1 : (!is_long && word[2] ? word + 2 : NULL);
	if (row->kind == FLAG && value)
		return error_set(err, ERROR_USAGE, "%s: --%s takes no value", command, row->name);
	if (row->kind != FLAG && !value && argv[*i + 1])
		value = argv[++*i];
	if (row->kind != FLAG && (!value || !*value))
		return error_set(err, ERROR_USAGE, "%s: --%s needs a value: %s", command, row->name, row->argument);
	return store(o, row, value, err);
}

static bool is_option(const char *word)
{
	return word[0] == '-' && word[1];
}

/* Whole, as `-n` or `--json` or `--json=x`: what begins like an option may be anything. */
static bool is_own(const char *word, int user)
{
	if (!is_option(word))
		return false;
	if (word[1] == '-')
		return option_find(word + 2, strcspn(word + 2, "="), user);
	return !word[2] && option_find_letter(word[1], user);
}

/* Of a command that runs a program: the rest is the program's, whatever it looks like. */
static bool take_program(struct options *o, char **rest, int user)
{
	o->program = true;
	for (char **word = rest; *word && **rest; word++) {
		if (!strcmp(*word, "--"))
			break;
		if (word > rest && is_own(*word, user)) {
			o->astray = *word;
			break;
		}
	}
	for (size_t n = 0; *rest; rest++)
		o->arguments[n++] = *rest;
	return true;
}

static bool take_words(struct options *o, char **argv, enum option_user user, struct error *err)
{
	memset(o, 0, sizeof *o);
	o->sample_start = o->sample_warmup = o->sample_predictors = o->sample_context = o->return_stack =
		o->branch_targets = o->fragments = OPTION_NOT_GIVEN;
	o->checkpoint_warmup = o->overlap = o->fragment_warmup = o->match_context = o->match_bits = o->json_sites =
		o->json_code = OPTION_NOT_GIVEN;
	o->words = argv;
	size_t words = 0, operands = 0;
	while (argv[words])
		words++;
	o->arguments = calloc(words + 1, sizeof *o->arguments);
	if (!o->arguments)
		return error_set(err, ERROR_SYSTEM, "out of memory for options");
	bool all_operands = false;
	for (int i = 1; argv[i]; i++) {
		if (!all_operands && !strcmp(argv[i], "--"))
			all_operands = true;
		else if (!all_operands && is_option(argv[i]))
			TRY(parse_one(o, argv, &i, user, argv[0], err));
		else if ((user & FOR_GUEST) && (all_operands || user != FOR_ANNOTATE))
			return take_program(o, argv + i, all_operands ? 0 : user);
		else
			o->arguments[operands++] = argv[i];
	}
	if (o->trace && !operands) /* everybody names a result by its program */
		o->arguments[0] = (char *)(o->binary ? o->binary : o->trace);
	return true;
}

bool options_parse(struct options *o, char **argv, enum option_user user, struct error *err)
{
	TRY(take_words(o, argv, user, err));
	return !(o->brief && o->verbose) ||
	       error_set(err, ERROR_USAGE, "%s: --brief and --verbose: one or the other", argv[0]);
}

void options_destroy(struct options *o)
{
	free(o->arguments);
	free(o->sets.items);
	free(o->readable.items);
	free(o->writable.items);
	free(o->env.items);
	free(o->sweeps.items);
	free(o->graph_classes.items);
	free(o->source_dirs.items);
	free(o->debug_dirs.items);
	free(o->prefetchers.items);
}
