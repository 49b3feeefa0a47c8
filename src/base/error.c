#define ERROR_DEFINES
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool error_set(struct error *err, enum error_code code, const char *format, ...)
{
	if (!err)
		return false;
	err->code = code;
	va_list args;
	va_start(args, format);
	vsnprintf(err->text, sizeof err->text, format, args);
	va_end(args);
	return false;
}

bool error_context(struct error *err, const char *format, ...)
{
	if (!err)
		return false;
	char old[sizeof err->text];
	memcpy(old, err->text, sizeof old);
	va_list args;
	va_start(args, format);
	int n = vsnprintf(err->text, sizeof err->text, format, args);
	va_end(args);
	if (n >= 0 && (size_t)n < sizeof err->text)
		snprintf(err->text + n, sizeof err->text - (size_t)n, ": %s", old);
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
