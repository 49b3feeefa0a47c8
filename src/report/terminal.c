#include "report/terminal.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

unsigned terminal_width(FILE *out)
{
	struct winsize size;
	const char *wanted = getenv("COLUMNS");
	unsigned long columns = wanted ? strtoul(wanted, NULL, 10) : 0;
	if (columns >= TERMINAL_NARROWEST && columns <= UINT16_MAX)
		return (unsigned)columns;
	int fd = fileno(out);
	if (fd < 0 || ioctl(fd, TIOCGWINSZ, &size) || !size.ws_col)
		return TERMINAL_WIDTH;
	return size.ws_col;
}

bool terminal_colour(FILE *out)
{
	const char *none = getenv("NO_COLOR"), *term = getenv("TERM");
	int fd = fileno(out);
	return fd >= 0 && isatty(fd) && !(none && *none) && !(term && !strcmp(term, "dumb"));
}

void terminal_progress(const char *line, FILE *out)
{
	fprintf(out, "\r\033[K%.*s", (int)terminal_width(out) - 1, line);
	fflush(out);
}

/* Up to a blank that no backslash escapes. */
static size_t word_length(const char *text)
{
	size_t length = strcspn(text, " ");
	while (text[length] && length && text[length - 1] == '\\')
		length += 1 + strcspn(text + length + 1, " ");
	return length;
}

unsigned terminal_wrap(const char *text, unsigned indent, unsigned width, FILE *out)
{
	unsigned lines = 0, column = 0;
	while (*text) {
		unsigned length = (unsigned)word_length(text);
		if (column && column + 1 + length > width) {
			if (out)
				fputc('\n', out);
			column = 0;
		}
		lines += !column;
		unsigned gap = column ? 1 : indent;
		if (out)
			fprintf(out, "%*s%.*s", (int)gap, "", (int)length, text);
		column += gap + length;
		text += length;
		text += strspn(text, " ");
	}
	if (column && out)
		fputc('\n', out);
	return lines;
}

static bool starts_character(char c)
{
	return ((unsigned char)c & 0xc0) != 0x80;
}

/* How many bytes of the line go into `width` columns: up to the last gap between columns, else between words; all of it
 * if there is neither. */
static size_t break_at(const char *line, size_t length, unsigned width)
{
	size_t column = 0, at = 0, wide_gap = 0, gap = 0;
	size_t start = strspn(line, " ");
	for (; at < length; at++) {
		column += starts_character(line[at]);
		if (column > width)
			break;
		if (at > start && line[at] == ' ' && line[at - 1] != ' ') {
			gap = at;
			wide_gap = line[at + 1] == ' ' ? at : wide_gap;
		}
	}
	if (at == length)
		return length;
	return wide_gap > start + width / 4 ? wide_gap : gap ? gap : length;
}

static size_t columns_of(const char *line, size_t length)
{
	size_t columns = 0;
	for (size_t i = 0; i < length; i++)
		columns += starts_character(line[i]);
	return columns;
}

/* Where the last column begins, in bytes; 0: the line has no columns. */
static size_t last_column(const char *line, size_t length)
{
	size_t start = strspn(line, " ");
	for (size_t at = length; at > start + 2; at--)
		if (line[at - 1] == ' ' && line[at - 2] == ' ' && at < length)
			return at;
	return 0;
}

/* The words of a column, from the cursor's place at `indent` on. */
static void fold_words(const char *text, size_t length, unsigned indent, unsigned width, FILE *out)
{
	size_t column = indent;
	for (size_t at = 0, word; at < length; at += word) {
		bool first = column == indent;
		word = strcspn(text + at, " ");
		word = word > length - at ? length - at : word;
		size_t wide = columns_of(text + at, word);
		if (!first && column + 1 + wide > width) {
			fprintf(out, "\n%*s", (int)indent, "");
			column = indent;
			first = true;
		}
		fprintf(out, "%s%.*s", first ? "" : " ", (int)word, text + at);
		column += wide + !first;
		word += strspn(text + at + word, " ");
	}
	fputc('\n', out);
}

static void fold_row(const char *line, size_t length, unsigned width, FILE *out)
{
	unsigned indent = 0;
	do {
		size_t taken = break_at(line, length, width - indent);
		fprintf(out, "%*s%.*s\n", (int)indent, "", (int)taken, line);
		for (; taken < length && line[taken] == ' '; taken++)
			;
		line += taken;
		length -= taken;
		indent = TERMINAL_FOLD_INDENT;
	} while (length);
}

static void fold_line(const char *line, size_t length, unsigned width, FILE *out)
{
	enum { ROOM = 20 }; /* of a column that is worth going on in */
	size_t last = last_column(line, length), start = strspn(line, " ");
	size_t from = last ? columns_of(line, last) : start;
	if (columns_of(line, length) <= width) {
		fprintf(out, "%.*s\n", (int)length, line);
	} else if (from + ROOM <= width) {
		fprintf(out, "%.*s", (int)(last ? last : start), line);
		fold_words(line + (last ? last : start), length - (last ? last : start), (unsigned)from, width, out);
	} else {
		fold_row(line, length, width, out);
	}
}

void terminal_fold(const char *text, unsigned width, FILE *out)
{
	while (*text) {
		size_t length = strcspn(text, "\n");
		fold_line(text, length, width, out);
		text += length + (text[length] == '\n');
	}
}

static bool no_memory(struct error *err)
{
	return error_set(err, ERROR_SYSTEM, "out of memory for the report");
}

FILE *terminal_fold_begin(struct terminal_folded *f, FILE *out, struct error *err)
{
	f->out = out;
	if (!memory_stream_open(&f->memory))
		no_memory(err);
	return f->memory.file;
}

bool terminal_fold_end(struct terminal_folded *f, struct error *err)
{
	const unsigned width = terminal_width(f->out);
	char *text = memory_stream_close(&f->memory);
	if (!text)
		return no_memory(err);
	terminal_fold(text, width < TERMINAL_NARROWEST ? TERMINAL_NARROWEST : width, f->out);
	free(text);
	return true;
}
