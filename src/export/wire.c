#include "export/wire.h"

#include <stdlib.h>
#include <string.h>

enum { VARINT = 0, FIXED64 = 1, BYTES = 2, LONGEST = 10 };

void wire_destroy(struct wire *w)
{
	free(w->bytes);
	*w = (struct wire){0};
}

static bool make_room(struct wire *w, size_t more)
{
	if (w->failed || w->room - w->size >= more)
		return !w->failed;
	size_t room = 2 * w->room + more + 64;
	uint8_t *grown = realloc(w->bytes, room);
	w->failed = !grown;
	if (!grown)
		return false;
	w->bytes = grown;
	w->room = room;
	return true;
}

static size_t encode(uint8_t bytes[LONGEST], uint64_t value)
{
	size_t n = 0;
	for (; value >= 0x80; value >>= 7)
		bytes[n++] = (uint8_t)(value | 0x80);
	bytes[n++] = (uint8_t)value;
	return n;
}

static void put(struct wire *w, const void *bytes, size_t size)
{
	if (!size || !make_room(w, size))
		return;
	memcpy(w->bytes + w->size, bytes, size);
	w->size += size;
}

static void put_varint(struct wire *w, uint64_t value)
{
	uint8_t bytes[LONGEST];
	put(w, bytes, encode(bytes, value));
}

static void put_bytes(struct wire *w, uint32_t field, const void *bytes, size_t size)
{
	put_varint(w, (uint64_t)field << 3 | BYTES);
	put_varint(w, size);
	put(w, bytes, size);
}

void wire_uint(struct wire *w, uint32_t field, uint64_t value)
{
	put_varint(w, (uint64_t)field << 3 | VARINT);
	put_varint(w, value);
}

void wire_fixed64(struct wire *w, uint32_t field, uint64_t value)
{
	uint8_t bytes[8];
	for (unsigned i = 0; i < 8; i++)
		bytes[i] = (uint8_t)(value >> 8 * i);
	put_varint(w, (uint64_t)field << 3 | FIXED64);
	put(w, bytes, sizeof bytes);
}

void wire_text(struct wire *w, uint32_t field, const char *text)
{
	put_bytes(w, field, text, strlen(text));
}

void wire_numbers(struct wire *w, uint32_t field, const uint64_t *values, size_t count)
{
	struct wire packed = {0};
	for (size_t i = 0; i < count; i++)
		put_varint(&packed, values[i]);
	wire_message(w, field, &packed);
	wire_destroy(&packed);
}

void wire_message(struct wire *w, uint32_t field, struct wire *inner)
{
	put_bytes(w, field, inner->bytes, inner->size);
	w->failed |= inner->failed;
	inner->size = 0;
	inner->failed = false;
}
