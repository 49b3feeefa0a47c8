#include "simpoint/vectors.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void bbv_destroy(struct bbv *v)
{
	free(v->entries);
	free(v->ends);
	*v = (struct bbv){0};
}

static bool grow(void **array, size_t *room, size_t size, struct error *err)
{
	size_t more = *room ? 2 * *room : 1024;
	void *grown = realloc(*array, more * size);
	if (!grown)
		return error_set(err, ERROR_SYSTEM, "out of memory for basic-block vectors");
	*array = grown;
	*room = more;
	return true;
}

bool bbv_add(struct bbv *v, uint32_t block, uint64_t instructions, struct error *err)
{
	if (v->entry_count == v->entry_room)
		TRY(grow((void **)&v->entries, &v->entry_room, sizeof *v->entries, err));
	v->entries[v->entry_count++] = (struct bbv_entry){block, instructions};
	return true;
}

bool bbv_end(struct bbv *v, struct error *err)
{
	if (v->count == v->room)
		TRY(grow((void **)&v->ends, &v->room, sizeof *v->ends, err));
	v->ends[v->count++] = v->entry_count;
	return true;
}

const struct bbv_entry *bbv_entries(const struct bbv *v, size_t i, size_t *count)
{
	size_t from = i ? v->ends[i - 1] : 0;
	*count = v->ends[i] - from;
	return *count ? v->entries + from : NULL; /* of no vector has an entry, there is no array */
}

static const char cut_line[] = "# interrupted";

void bbv_write(const struct bbv *v, FILE *out)
{
	for (size_t i = 0; i < v->count; i++) {
		size_t count;
		const struct bbv_entry *entries = bbv_entries(v, i, &count);
		fputc('T', out);
		for (size_t k = 0; k < count; k++)
			fprintf(out, ":%" PRIu32 ":%" PRIu64 "   ", entries[k].block, entries[k].instructions);
		fputc('\n', out);
	}
	if (v->cut)
		fprintf(out, "%s: the program goes on\n", cut_line);
}

/* --- reading --- */

/* ":NUMBER", not 0; *at moves behind it. */
static bool take_number(const char **at, uint64_t most, uint64_t *value)
{
	char *end;
	if (**at != ':' || !isdigit((unsigned char)(*at)[1]))
		return false;
	errno = 0;
	*value = strtoull(*at + 1, &end, 10);
	*at = end;
	return !errno && *value && *value <= most;
}

static int by_block(const void *a, const void *b)
{
	const struct bbv_entry *x = a, *y = b;
	return x->block < y->block ? -1 : x->block > y->block;
}

static bool finish_vector(struct bbv *v, const char *place, size_t line, struct error *err)
{
	size_t count;
	TRY(bbv_end(v, err));
	const struct bbv_entry *entries = bbv_entries(v, v->count - 1, &count);
	if (!count)
		return error_set(err, ERROR_INPUT, "%s:%zu: an interval without blocks", place, line);
	qsort((void *)entries, count, sizeof *entries, by_block);
	for (size_t i = 1; i < count; i++)
		if (entries[i].block == entries[i - 1].block)
			return error_set(err, ERROR_INPUT, "%s:%zu: block %" PRIu32 " stands twice", place, line,
					 entries[i].block);
	return true;
}

static bool read_vector(struct bbv *v, const char *at, const char *place, size_t line, struct error *err)
{
	for (;;) {
		uint64_t block, instructions;
		while (isspace((unsigned char)*at))
			at++;
		if (!*at)
			return finish_vector(v, place, line, err);
		const char *pair = at;
		if (!take_number(&at, UINT32_MAX, &block) || !take_number(&at, UINT64_MAX >> 16, &instructions))
			return error_set(err, ERROR_INPUT, "%s:%zu: expected :BLOCK:INSTRUCTIONS, found '%.*s'", place,
					 line, (int)(strcspn(pair, " \n") < 40 ? strcspn(pair, " \n") : 40), pair);
		TRY(bbv_add(v, (uint32_t)block, instructions, err));
	}
}

bool bbv_read(struct bbv *v, FILE *in, const char *place, struct error *err)
{
	char *text = NULL;
	size_t room = 0, line = 0;
	ssize_t length;
	int first = getc(in); /* a device may have no end, and no lines */
	bool good = first || error_set(err, ERROR_INPUT, "%s: a zero byte: no file of vectors", place);
	if (first != EOF)
		ungetc(first, in);
	while (good && (length = getline(&text, &room, in)) >= 0) {
		line++;
		v->cut |= !strncmp(text, cut_line, strlen(cut_line));
		if (strlen(text) != (size_t)length)
			good = error_set(err, ERROR_INPUT, "%s:%zu: a zero byte: no file of vectors", place, line);
		else if (*text == 'T' && text[length - 1] != '\n')
			good = error_set(err, ERROR_INPUT, "%s:%zu: the line has no end: the file was cut off", place,
					 line);
		else if (*text == 'T')
			good = read_vector(v, text + 1, place, line, err);
	}
	free(text);
	if (good && ferror(in))
		return error_set(err, ERROR_SYSTEM, "%s: %s", place, strerror(errno));
	if (good && !v->count)
		return error_set(err, ERROR_INPUT, "%s: no basic-block vectors (lines that begin with T)", place);
	return good;
}
