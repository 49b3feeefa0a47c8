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
