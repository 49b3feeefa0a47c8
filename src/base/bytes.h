/* The bytes of a file in memory: a buffer that grows, and a cursor that never reads beyond its end. Numbers are
 * little-endian. */
#ifndef CULPRIT_BASE_BYTES_H
#define CULPRIT_BASE_BYTES_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

struct bytes {
	uint8_t *at;
	size_t size, room;
	bool failed; /* out of memory */
};

bool bytes_reserve(struct bytes *b, size_t more);
void bytes_put(struct bytes *b, uint64_t value, unsigned bytes);
void bytes_put_raw(struct bytes *b, const void *bytes, size_t size);
void bytes_put_text(struct bytes *b, const char *text);

/* Of 1 to 8 bytes. */
static inline uint64_t bytes_number(const uint8_t *at, unsigned bytes)
{
	uint64_t value = 0;
	while (bytes--)
		value = value << 8 | at[bytes];
	return value;
}

struct cursor {
	const uint8_t *at;
	size_t left;
	bool failed;	/* the bytes ended too early, or what they tell needs memory that there is not: */
	bool no_memory; /* then they are not to blame */
};

/* 0 past the end. */
uint64_t cursor_get(struct cursor *c, unsigned bytes);
const uint8_t *cursor_get_raw(struct cursor *c, size_t size); /* NULL past the end */
bool cursor_copy(struct cursor *c, void *to, size_t size);    /* false past the end */
/* malloc'd; NULL: too long, with a zero byte, past the end, or out of memory. */
char *cursor_get_text(struct cursor *c, size_t most);
/* Zeroed, for `count` things of `size` bytes and one more; NULL: out of memory. */
void *cursor_room(struct cursor *c, size_t count, size_t size);

#endif
