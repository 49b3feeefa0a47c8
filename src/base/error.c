#define ERROR_DEFINES
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST = 16384 }; /* two paths as long as the host takes, and what is said of them */

static bool inside_letter(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

/* The thing is named at the beginning and the reason at the end: what does not fit is left out between them. A name
 * with control characters neither makes a second line nor moves a terminal's cursor. */
static void keep(struct error *err, char *text)
{
	const size_t room = sizeof err->text - sizeof "...";
	size_t head = strlen(text);
	for (char *c = text; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
	if (head < sizeof err->text) {
		memcpy(err->text, text, head + 1);
		return;
	}
	const char *tail = text + head - room / 2;
	for (head = room / 2; inside_letter(text[head]); head--)
		;
	while (inside_letter(*tail))
		tail++;
	snprintf(err->text, sizeof err->text, "%.*s...%s", (int)head, text, tail);
}

bool error_set(struct error *err, enum error_code code, const char *format, ...)
{
	char text[LONGEST];
	if (!err)
		return false;
	err->code = code;
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	keep(err, text);
	return false;
}

bool error_context(struct error *err, const char *format, ...)
{
	char text[LONGEST];
	if (!err)
		return false;
	va_list args;
	va_start(args, format);
	int n = vsnprintf(text, sizeof text, format, args);
	va_end(args);
	if (n >= 0 && (size_t)n < sizeof text)
		snprintf(text + n, sizeof text - (size_t)n, ": %s", err->text);
	keep(err, text);
	return false;
}

int error_exit_status(const struct error *err)
{
	switch (err->code) {
	case ERROR_NONE:
		return 0;
	case ERROR_NOT_RUNNABLE:
		return 126;
	case ERROR_NOT_FOUND:
		return 127;
	default:
		return 125;
	}
}
