#include "report/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

unsigned terminal_width(FILE *out)
{
	struct winsize size;
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

unsigned terminal_wrap(const char *text, unsigned indent, unsigned width, FILE *out)
{
	unsigned lines = 0, column = 0;
	while (*text) {
		unsigned length = (unsigned)strcspn(text, " ");
		if (column && column + 1 + length > width) {
			fputc('\n', out);
			column = 0;
		}
		lines += !column;
		unsigned gap = column ? 1 : indent;
		fprintf(out, "%*s%.*s", (int)gap, "", (int)length, text);
		column += gap + length;
		text += length;
		text += strspn(text, " ");
	}
	if (column)
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

static void fold_line(const char *line, size_t length, unsigned width, FILE *out)
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

void terminal_fold(const char *text, unsigned width, FILE *out)
{
	while (*text) {
		size_t length = strcspn(text, "\n");
		fold_line(text, length, width, out);
		text += length + (text[length] == '\n');
	}
}
