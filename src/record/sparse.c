/* See the header. */
#include "record/sparse.h"

#include <stdlib.h>

static void begin(struct sparse_writer *s)
{
	for (size_t c = 0; c < SPARSE_COLUMNS; c++)
		s->next[c] = s->memory + c * s->rows;
}

bool sparse_writer_create(struct sparse_writer *s, size_t rows)
{
	*s = (struct sparse_writer){.memory = malloc(SPARSE_COLUMNS * rows), .rows = rows};
	if (s->memory)
		begin(s);
	return s->memory;
}

void sparse_writer_destroy(struct sparse_writer *s)
{
	free(s->memory);
}

void sparse_writer_flush(struct sparse_writer *s, struct bytes *to)
{
	for (size_t c = 0; c < SPARSE_COLUMNS; c++)
		bytes_put(to, (uint64_t)(s->next[c] - (s->memory + c * s->rows)), 4);
	for (size_t c = 0; c < SPARSE_COLUMNS; c++) {
		const uint8_t *column = s->memory + c * s->rows;
		bytes_put_raw(to, column, (size_t)(s->next[c] - column));
	}
	begin(s);
}

bool sparse_reader_open(struct sparse_reader *s, size_t rows, struct cursor *from)
{
	size_t sizes[SPARSE_COLUMNS];
	for (size_t c = 0; c < SPARSE_COLUMNS; c++) {
		sizes[c] = cursor_get(from, 4);
		if (sizes[c] > rows)
			return false;
	}
	for (size_t c = 0; c < SPARSE_COLUMNS; c++) {
		const uint8_t *at = cursor_get_raw(from, sizes[c]);
		if (!at)
			return false;
		s->columns[c] = (struct sparse_column){at, at + sizes[c]};
	}
	return true;
}

bool sparse_reader_empty(const struct sparse_reader *s)
{
	for (size_t c = 0; c < SPARSE_COLUMNS; c++)
		if (s->columns[c].at != s->columns[c].end)
			return false;
	return true;
}
