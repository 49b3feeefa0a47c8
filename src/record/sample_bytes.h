/* Bytes of a sample file in memory: a buffer that grows, and a cursor that never reads beyond its end. */
#ifndef CULPRIT_RECORD_SAMPLE_BYTES_H
#define CULPRIT_RECORD_SAMPLE_BYTES_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

struct sample_buffer {
	uint8_t *bytes;
	size_t size, room;
	bool failed; /* out of memory */
};

bool sample_buffer_reserve(struct sample_buffer *b, size_t more);
void sample_put(struct sample_buffer *b, uint64_t value, unsigned bytes);
void sample_put_bytes(struct sample_buffer *b, const void *bytes, size_t size);
void sample_put_text(struct sample_buffer *b, const char *text);

struct sample_cursor {
	const uint8_t *at;
	size_t left;
	bool failed; /* the bytes ended too early */
};

/* 0 past the end. */
uint64_t sample_get(struct sample_cursor *c, unsigned bytes);
const uint8_t *sample_get_bytes(struct sample_cursor *c, size_t size); /* NULL past the end */
/* malloc'd; NULL: too long, with a zero byte, or past the end. */
char *sample_get_text(struct sample_cursor *c, size_t most);

#endif
