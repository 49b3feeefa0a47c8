/* See the header. */
#include "record/row_table.h"

#include "record/word_column.h"

#include <stdlib.h>
#include <string.h>

void row_table_rewind(struct row_table *t, unsigned words)
{
	memset(t->known, 0xff, ROW_NUMBERS * words * sizeof *t->known);
	t->count = t->new_count = 0;
}

bool row_table_create(struct row_table *t, unsigned words, size_t rows)
{
	*t = (struct row_table){.numbers = calloc(rows, sizeof *t->numbers)};
	t->known = calloc(ROW_NUMBERS * words, sizeof *t->known);
	bool good = t->numbers && t->known;
	for (unsigned i = 0; good && i < words; i++)
		good = (t->news[i] = calloc(word_column_room(rows), sizeof *t->news[i]));
	if (good)
		row_table_rewind(t, words);
	return good;
}

void row_table_destroy(struct row_table *t)
{
	for (unsigned i = 0; i < ROW_WORDS; i++)
		free(t->news[i]);
	free(t->numbers);
	free(t->known);
}

void row_table_flush(struct row_table *t, unsigned words, struct bytes *to)
{
	bytes_put_raw(to, t->numbers, t->count * sizeof *t->numbers);
	for (unsigned i = 0; i < words; i++)
		word_column_put(t->news[i], t->new_count, to);
	row_table_rewind(t, words);
}

bool row_table_open(struct row_table *t, unsigned words, size_t count, struct cursor *from)
{
	size_t news = 0;
	row_table_rewind(t, words);
	if (!cursor_copy(from, t->numbers, count * sizeof *t->numbers))
		return false;
	for (size_t i = 0; i < count; i++)
		news += t->numbers[i] == ROW_NEW;
	for (unsigned i = 0; i < words; i++)
		if (!word_column_get(t->news[i], news, from))
			return false;
	return true;
}
