#include "base/bytes.h"

#include <stdlib.h>
#include <string.h>

bool bytes_reserve(struct bytes *b, size_t more)
{
	if (b->failed)
		return false;
	if (b->room - b->size >= more)
		return true;
	size_t room = b->room ? b->room : 4096;
	while (room - b->size < more)
		room *= 2;
	uint8_t *grown = realloc(b->at, room);
	b->failed = !grown;
	if (!grown)
		return false;
	b->at = grown;
	b->room = room;
	return true;
}

void bytes_put(struct bytes *b, uint64_t value, unsigned bytes)
{
	if (!bytes_reserve(b, bytes))
		return;
	for (unsigned i = 0; i < bytes; i++)
		b->at[b->size++] = (uint8_t)(value >> 8 * i);
}

void bytes_put_raw(struct bytes *b, const void *bytes, size_t size)
{
	if (!size || !bytes_reserve(b, size))
		return;
	memcpy(b->at + b->size, bytes, size);
	b->size += size;
}

void bytes_put_text(struct bytes *b, const char *text)
{
	size_t size = strlen(text);
	bytes_put(b, size, 4);
	bytes_put_raw(b, text, size);
}

const uint8_t *cursor_get_raw(struct cursor *c, size_t size)
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

uint64_t cursor_get(struct cursor *c, unsigned bytes)
{
	const uint8_t *p = cursor_get_raw(c, bytes);
	uint64_t value = 0;
	for (unsigned i = 0; p && i < bytes; i++)
		value |= (uint64_t)p[i] << 8 * i;
	return value;
}

bool cursor_copy(struct cursor *c, void *to, size_t size)
{
	const uint8_t *p = cursor_get_raw(c, size);
	if (p)
		memcpy(to, p, size);
	return p != NULL;
}

char *cursor_get_text(struct cursor *c, size_t most)
{
	size_t size = cursor_get(c, 4);
	if (size > most)
		c->failed = true;
	const uint8_t *p = cursor_get_raw(c, size);
	if (!p || memchr(p, 0, size)) {
		c->failed = true;
		return NULL;
	}
	char *text = cursor_room(c, size, 1);
	if (text)
		memcpy(text, p, size);
	return text;
}

void *cursor_room(struct cursor *c, size_t count, size_t size)
{
	void *room = calloc(count + 1, size);
	if (!room)
		c->failed = c->no_memory = true;
	return room;
}
