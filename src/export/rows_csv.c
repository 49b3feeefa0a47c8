/* Rows of a record file as CSV (rows.h). Addresses are hexadecimal, truth values 0 and 1, an empty cell is one of which
 * there is nothing to say. The texts of an address are made once; numbers are printed by hand, as printf's would take
 * most of the time. */
#include "base/bytes.h"
#include "export/export.h"
#include "export/rows.h"

#include <stdlib.h>

enum { FLUSH_AT = 1 << 16, CELL_MOST = 32 };

struct csv {
	FILE *out;
	struct rows *rows;
	struct bytes buffer;
	struct bytes texts;  /* of each place, all its cells: ",text,text,text" */
	size_t *text_places; /* where those of each begin, and the last end */
};

/* --- texts --- */

static void put_cell(struct bytes *to, const char *text)
{
	if (!text || !strpbrk(text, ",\"\r\n")) {
		bytes_put_raw(to, text ? text : "", text ? strlen(text) : 0);
		return;
	}
	bytes_put(to, '"', 1);
	for (; *text; text++) {
		if (*text == '"')
			bytes_put(to, '"', 1);
		bytes_put(to, (unsigned char)*text, 1);
	}
	bytes_put(to, '"', 1);
}

/* Also of the place of which nothing is known. */
static bool make_texts(struct csv *w)
{
	const struct row_places *p = &w->rows->places;
	w->text_places = calloc(p->count + 2, sizeof *w->text_places);
	if (!w->text_places)
		return false;
	for (size_t i = 0; i <= p->count; i++) {
		for (size_t j = 0; j < ROW_PLACE_TEXTS; j++) {
			if (!p->any[j])
				continue;
			bytes_put(&w->texts, ',', 1);
			put_cell(&w->texts, p->places[i].texts[j]);
		}
		w->text_places[i + 1] = w->texts.size;
	}
	return !w->texts.failed;
}

/* --- cells: each returns where the next one goes --- */

/* Two digits at a time: a row has six times of many digits. */
static inline char *put_number(char *to, uint64_t value)
{
	static const char pairs[] =
		"00010203040506070809101112131415161718192021222324252627282930313233343536373839404142"
		"43444546474849505152535455565758596061626364656667686970717273747576777879808182838485"
		"8687888990919293949596979899";
	char digits[20];
	unsigned at = sizeof digits;
	if (value < 10) {
		*to = (char)('0' + value);
		return to + 1;
	}
	for (; value >= 10; value /= 100)
		memcpy(&digits[at -= 2], &pairs[2 * (value % 100)], 2);
	if (value)
		digits[--at] = (char)('0' + value);
	memcpy(to, &digits[at], sizeof digits - at);
	return to + sizeof digits - at;
}

static char *put_signed(char *to, int32_t value)
{
	if (value < 0)
		*to++ = '-';
	return put_number(to, value < 0 ? -(uint64_t)value : (uint64_t)value);
}

static char *put_address(char *to, uint64_t value)
{
	const unsigned digits = value ? (67 - (unsigned)__builtin_clzll(value)) / 4 : 1;
	*to++ = '0';
	*to++ = 'x';
	for (unsigned i = digits; i-- > 0;)
		*to++ = "0123456789abcdef"[value >> 4 * i & 15];
	return to;
}

static char *put_text(char *to, const char *text)
{
	while (text && *text)
		*to++ = *text++;
	return to;
}

static inline char *put_column(char *to, const struct row_column *c, const struct culprit_record *r)
{
	switch (c->kind) {
	case ROW_FLAG:
		*to = (row_number(c, r) & c->bit) ? '1' : '0';
		return to + 1;
	case ROW_SIGNED:
		return put_signed(to, (int32_t)row_number(c, r));
	case ROW_ADDRESS:
		return put_address(to, row_number(c, r));
	case ROW_NAME:
		return put_text(to, row_name(c, r));
	default:
		return put_number(to, row_number(c, r));
	}
}

/* --- rows --- */

static void put_head(const struct rows *rows, FILE *out)
{
	for (size_t i = 0; i < rows->column_count; i++)
		fprintf(out, "%s%s", i ? "," : "", rows->columns[i].name);
	fputc('\n', out);
}

/* The texts stand behind the pc, which is the second. */
static char *put_cells(char *to, const struct csv *w, const struct culprit_record *r, size_t place)
{
	const struct rows *rows = w->rows;
	const size_t texts = w->text_places[place], size = w->text_places[place + 1] - texts;
	for (size_t i = 0; i < rows->column_count; i++) {
		const struct row_column *c = &rows->columns[i];
		if (c->kind == ROW_PLACE)
			continue;
		if (i)
			*to++ = ',';
		to = put_column(to, c, r);
		if (i != 1 || !size)
			continue;
		memcpy(to, w->texts.at + texts, size);
		to += size;
	}
	*to++ = '\n';
	return to;
}

static bool put_row(struct csv *w, const struct culprit_record *r)
{
	const size_t place = row_places_find(&w->rows->places, r->pc);
	const size_t texts = w->text_places[place + 1] - w->text_places[place];
	if (!bytes_reserve(&w->buffer, texts + (size_t)ROW_COLUMNS_MOST * CELL_MOST))
		return false;
	char *from = (char *)w->buffer.at;
	w->buffer.size = (size_t)(put_cells(from + w->buffer.size, w, r, place) - from);
	if (w->buffer.size < FLUSH_AT)
		return true;
	fwrite(w->buffer.at, 1, w->buffer.size, w->out);
	w->buffer.size = 0;
	return true;
}

static bool out_of_memory(struct error *err)
{
	return error_set(err, ERROR_SYSTEM, "out of memory");
}

/* A file that cannot be written is left to who closes it, and nothing more is made for it. */
static bool put_rows(struct csv *w, struct error *err)
{
	const struct culprit_record *records;
	size_t count;
	put_head(w->rows, w->out);
	do {
		TRY(rows_next(w->rows, &records, &count, err));
		for (size_t i = 0; i < count; i++)
			TRY(put_row(w, &records[i]) || out_of_memory(err));
	} while (count && !ferror(w->out));
	if (w->buffer.size)
		fwrite(w->buffer.at, 1, w->buffer.size, w->out);
	return true;
}

bool export_rows_csv(struct rows *rows, FILE *out, struct error *err)
{
	struct csv w = {.out = out, .rows = rows};
	const bool good = make_texts(&w) ? put_rows(&w, err) : out_of_memory(err);
	free(w.buffer.at);
	free(w.texts.at);
	free(w.text_places);
	return good;
}
