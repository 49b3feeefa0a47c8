#include "export/thrift.h"

#include <string.h>

void thrift_varint(struct bytes *to, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		bytes_put(to, (value & 0x7f) | 0x80, 1);
	bytes_put(to, value, 1);
}

/* Small numbers of either sign are short. */
static void put_signed(struct bytes *to, int64_t value)
{
	thrift_varint(to, (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0));
}

/* A field's number is told by how far it is from the one before: here always less than 16. */
static void put_field(struct thrift *t, uint16_t field, enum thrift_type type)
{
	uint16_t *last = &t->last[t->depth];
	bytes_put(t->to, (uint64_t)(field - *last) << 4 | type, 1);
	*last = field;
}

static void put_text(struct bytes *to, const char *text)
{
	size_t length = strlen(text);
	thrift_varint(to, length);
	bytes_put_raw(to, text, length);
}

void thrift_i32(struct thrift *t, uint16_t field, int32_t value)
{
	put_field(t, field, THRIFT_I32);
	put_signed(t->to, value);
}

void thrift_i64(struct thrift *t, uint16_t field, int64_t value)
{
	put_field(t, field, THRIFT_I64);
	put_signed(t->to, value);
}

void thrift_text(struct thrift *t, uint16_t field, const char *text)
{
	put_field(t, field, THRIFT_BINARY);
	put_text(t->to, text);
}

void thrift_list(struct thrift *t, uint16_t field, enum thrift_type of, uint32_t count)
{
	enum { SHORTEST_LONG = 15 };
	put_field(t, field, THRIFT_LIST);
	bytes_put(t->to, (count < SHORTEST_LONG ? count : SHORTEST_LONG) << 4 | of, 1);
	if (count >= SHORTEST_LONG)
		thrift_varint(t->to, count);
}

void thrift_element_i32(struct thrift *t, int32_t value)
{
	put_signed(t->to, value);
}

void thrift_element_text(struct thrift *t, const char *text)
{
	put_text(t->to, text);
}

void thrift_begin(struct thrift *t, uint16_t field)
{
	if (field)
		put_field(t, field, THRIFT_STRUCT);
	t->last[++t->depth] = 0;
}

void thrift_end(struct thrift *t)
{
	bytes_put(t->to, 0, 1);
	if (t->depth)
		t->depth--;
}
