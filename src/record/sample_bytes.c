#include "record/sample_bytes.h"

#include <stdlib.h>
#include <string.h>

bool sample_buffer_reserve(struct sample_buffer *b, size_t more)
{
	if (b->failed)
		return false;
	if (b->room - b->size >= more)
		return true;
	size_t room = b->room ? b->room : 4096;
	while (room - b->size < more)
		room *= 2;
	uint8_t *grown = realloc(b->bytes, room);
	b->failed = !grown;
	if (!grown)
		return false;
	b->bytes = grown;
	b->room = room;
	return true;
}

void sample_put(struct sample_buffer *b, uint64_t value, unsigned bytes)
{
	if (!sample_buffer_reserve(b, bytes))
		return;
	for (unsigned i = 0; i < bytes; i++)
		b->bytes[b->size++] = (uint8_t)(value >> 8 * i);
}

void sample_put_bytes(struct sample_buffer *b, const void *bytes, size_t size)
{
	if (!size || !sample_buffer_reserve(b, size))
		return;
	memcpy(b->bytes + b->size, bytes, size);
	b->size += size;
}

void sample_put_text(struct sample_buffer *b, const char *text)
{
	size_t size = strlen(text);
	sample_put(b, size, 4);
	sample_put_bytes(b, text, size);
}

const uint8_t *sample_get_bytes(struct sample_cursor *c, size_t size)
{
	if (c->failed || size > c->left) {
		c->failed = true;
		return NULL;
	}
	const uint8_t *p = c->at;
	c->at += size;
	c->left -= size;
	return p;
}

uint64_t sample_get(struct sample_cursor *c, unsigned bytes)
{
	const uint8_t *p = sample_get_bytes(c, bytes);
	uint64_t value = 0;
	for (unsigned i = 0; p && i < bytes; i++)
		value |= (uint64_t)p[i] << 8 * i;
	return value;
}

char *sample_get_text(struct sample_cursor *c, size_t most)
{
	size_t size = sample_get(c, 4);
	if (size > most)
		c->failed = true;
	const uint8_t *p = sample_get_bytes(c, size);
	if (!p || memchr(p, 0, size)) {
		c->failed = true;
		return NULL;
	}
	char *text = malloc(size + 1);
	if (!text) {
		c->failed = true;
		return NULL;
	}
	memcpy(text, p, size);
	text[size] = '\0';
	return text;
}
