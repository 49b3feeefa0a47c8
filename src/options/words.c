/* Options as words again, for a command that starts another one. */
#include "options/table.h"

#include <inttypes.h>
#include <stdlib.h>

struct list {
	char **words;
	size_t room, count;
};

static bool add(struct list *l, const char *name, const char *value, struct error *err)
{
	char *word = NULL;
	if (l->count == l->room)
		return error_set(err, ERROR_USAGE, "more options than a command can take");
	if (asprintf(&word, value ? "--%s=%s" : "--%s", name, value) < 0)
		return error_set(err, ERROR_SYSTEM, "out of memory for options");
	l->words[l->count++] = word;
	return true;
}

static bool add_row(struct list *l, const struct option_row *row, const void *field, struct error *err)
{
	char number[24];
	switch (row->kind) {
	case FLAG:
		return add(l, row->name, NULL, err);
	case TEXT:
		return add(l, row->name, *(const char *const *)field, err);
	case LIST:
		for (size_t i = 0; i < ((const struct text_list *)field)->count; i++)
			TRY(add(l, row->name, ((const struct text_list *)field)->items[i], err));
		return true;
	default:
		snprintf(number, sizeof number, "%" PRIu64, *(const uint64_t *)field);
		return add(l, row->name, number, err);
	}
}

bool options_words(const struct options *o, int users, char **words, size_t room, size_t *count, struct error *err)
{
	struct list l = {words, room, 0};
	bool good = true;
	for (size_t i = 0; good && i < option_row_count; i++) {
		const struct option_row *row = &option_rows[i];
		if (o->given[i] && (row->users & users) == users && row->kind != OUTPUT)
			good = add_row(&l, row, (const char *)o + row->field, err);
	}
	*count = l.count;
	return good;
}
