/* See the header. */
#include "record/record_columns.h"

#include <string.h>

/* --- one column --- */

/* The number of planes, then the lowest plane first. */
static bool get_planes(struct cursor *from, uint64_t *folded, size_t count, unsigned most)
{
	uint64_t planes = cursor_get(from, 1);
	if (planes > most)
		return false;
	memset(folded, 0, count * sizeof *folded);
	for (unsigned plane = 0; plane < planes; plane++) {
		const uint8_t *at = cursor_get_raw(from, count);
		for (size_t i = 0; at && i < count; i++)
			folded[i] |= (uint64_t)at[i] << 8 * plane;
	}
	return !from->failed;
}

/* 0, 1, 2, 3 ... become 0, -1, 1, -2 ... */
static inline uint64_t unfold(uint64_t folded)
{
	return folded >> 1 ^ (folded & 1 ? UINT64_MAX : 0);
}

/* --- records --- */

static inline const struct culprit_record **place_of(struct record_columns *c, uint64_t pc)
{
	return &c->last[(pc >> 1 ^ pc >> 13) % (sizeof c->last / sizeof *c->last)];
}

static void find_same(struct record_columns *c, size_t count)
{
	for (size_t i = 0; i < sizeof c->last / sizeof *c->last; i++)
		c->last[i] = c->records;
	for (size_t i = 0; i < count; i++) {
		const struct culprit_record **last = place_of(c, c->records[1 + i].pc);
		c->same[i] = *last;
		*last = &c->records[1 + i];
	}
}

#define BITS(name) (8 * sizeof(((struct culprit_record *)NULL)->name))

#define MEMBER(name, prediction) +1
_Static_assert(RECORD_MEMBERS == 0
#include "culprit/record_member.def"
	       ,
	       "as many columns as there are members");

bool record_columns_get(struct record_columns *c, size_t count, unsigned members, struct cursor *from)
{
	memset(c->records, 0, (1 + count) * sizeof c->records[0]);
	for (size_t i = 0; i < count; i++)
		c->same[i] = c->records;
	/* the first column is the pc, which says what the others are predicted from */
	bool known = false;
	unsigned left = members;
#define MEMBER(name, prediction)                                                                \
	if (!left--)                                                                            \
		return true;                                                                    \
	TRY(get_planes(from, c->folded, count, BITS(name) / 8));                                \
	for (size_t i = 0; i < count; i++) {                                                    \
		struct culprit_record *r = &c->records[1 + i];                                  \
		const struct culprit_record *p = r - 1, *s = c->same[i];                        \
		(void)p, (void)s;                                                               \
		r->name = (__typeof__(r->name))((uint64_t)(prediction) + unfold(c->folded[i])); \
	}                                                                                       \
	if (!known)                                                                             \
		find_same(c, count);                                                            \
	known = true;
#include "culprit/record_member.def"
	return true;
}

/* --- the log: bytes of its two halves --- */

struct halves {
	uint64_t head, tail;
};
_Static_assert(sizeof(struct halves) == sizeof(struct culprit_log_entry), "the whole entry");

/* An entry is predicted from the last of its kind. The tail of CYCLE is four counts of 16 bits, of which `issued` is a
 * number by itself; of others it is a number. */
static uint64_t tail_of(uint8_t kind, uint64_t column, uint64_t last)
{
	if (kind != CULPRIT_LOG_CYCLE)
		return last + unfold(column);
	uint64_t tail = 0;
	for (unsigned i = 0; i < 64; i += 16)
		tail |= ((column >> i & 0xffff) + (i == 32 ? 0 : last >> i & 0xffff)) % 65536 << i;
	return tail;
}

bool log_columns_get(struct record_columns *c, struct culprit_log_entry *entries, size_t count, struct cursor *from)
{
	struct halves last[CULPRIT_LOG_KINDS] = {{0, 0}};
	TRY(get_planes(from, c->folded, count, 8));
	for (size_t i = 0; i < count; i++) {
		uint8_t kind = (uint8_t)c->folded[i];
		if (kind >= CULPRIT_LOG_KINDS)
			return false;
		last[kind].head = c->folded[i] ^ (last[kind].head & ~0xffull);
		memcpy(&entries[i], &last[kind].head, sizeof last[kind].head);
	}
	TRY(get_planes(from, c->folded, count, 8));
	for (size_t i = 0; i < count; i++) {
		struct halves *l = &last[entries[i].kind];
		l->tail = tail_of(entries[i].kind, c->folded[i], l->tail);
		memcpy((char *)&entries[i] + sizeof l->head, &l->tail, sizeof l->tail);
	}
	return true;
}
