#include "base/archive.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MOST = 1 << 20 };

bool archive_fail(struct archive *a, const char *format, ...)
{
	char text[sizeof a->error.text];
	va_list arguments;
	if (a->failed)
		return false;
	if (a->from.no_memory)
		return archive_no_memory(a);
	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	a->failed = true;
	return error_set(&a->error, ERROR_INPUT, "%s", text);
}

bool archive_no_memory(struct archive *a)
{
	if (a->failed)
		return false;
	a->failed = true;
	return error_set(&a->error, ERROR_SYSTEM, "out of memory");
}

bool archive_good(struct archive *a, struct error *err)
{
	if (!a->failed && a->loading && a->from.failed)
		archive_fail(a, "it ends too early, or holds impossible values");
	if (!a->failed && !a->loading && a->to->failed)
		archive_no_memory(a);
	if (a->failed)
		*err = a->error;
	return !a->failed;
}

static uint64_t get(const void *value, size_t size)
{
	switch (size) {
	case 1:
		return *(const uint8_t *)value;
	case 2:
		return *(const uint16_t *)value;
	case 4:
		return *(const uint32_t *)value;
	default:
		return *(const uint64_t *)value;
	}
}

static void set(void *value, size_t size, uint64_t to)
{
	switch (size) {
	case 1:
		*(uint8_t *)value = (uint8_t)to;
		break;
	case 2:
		*(uint16_t *)value = (uint16_t)to;
		break;
	case 4:
		*(uint32_t *)value = (uint32_t)to;
		break;
	default:
		*(uint64_t *)value = to;
	}
}

void archive_integer(struct archive *a, void *value, size_t size)
{
	if (a->loading)
		set(value, size, cursor_get(&a->from, (unsigned)size));
	else
		bytes_put(a->to, get(value, size), (unsigned)size);
}

void archive_flag(struct archive *a, bool *value)
{
	uint8_t byte = *value;
	ARCHIVE(a, byte);
	*value = byte & 1;
}

void archive_raw(struct archive *a, void *bytes, size_t size)
{
	if (!size)
		return;
	if (!a->loading)
		bytes_put_raw(a->to, bytes, size);
	else if (!cursor_copy(&a->from, bytes, size))
		memset(bytes, 0, size);
}

void archive_text(struct archive *a, char **text)
{
	bool there = *text != NULL;
	archive_flag(a, &there);
	if (!a->loading) {
		if (there)
			bytes_put_text(a->to, *text);
		return;
	}
	free(*text);
	*text = there ? cursor_get_text(&a->from, TEXT_MOST) : NULL;
}

void archive_count(struct archive *a, uint64_t *count, uint64_t most)
{
	ARCHIVE(a, *count);
	if (!a->loading)
		return;
	if (*count > most)
		a->from.failed = true;
	if (a->from.failed)
		*count = 0;
}
