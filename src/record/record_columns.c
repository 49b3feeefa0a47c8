/* See the header. */
#include "record/record_columns.h"

#include <stddef.h>
#include <string.h>

/* --- one column --- */

static unsigned bytes_of(uint64_t value)
{
	unsigned n = 0;
	for (; value; value >>= 8)
		n++;
	return n;
}

/* The number of planes, then the lowest plane first. `any`: all bits that are set in one of the values. A loop for each
 * size of a value: the compiler makes vectors of them. */
#define PLANES_OF(bits)                                                                                           \
	static void put_planes_##bits(struct bytes *to, const uint##bits##_t *folded, size_t count, uint64_t any) \
	{                                                                                                         \
		const unsigned planes = bytes_of(any);                                                            \
		bytes_put(to, planes, 1);                                                                         \
		if (!bytes_reserve(to, planes * count))                                                           \
			return;                                                                                   \
		for (unsigned plane = 0; plane < planes; plane++) {                                               \
			uint8_t *restrict at = to->at + to->size;                                                 \
			for (size_t i = 0; i < count; i++)                                                        \
				at[i] = (uint8_t)(folded[i] >> 8 * plane);                                        \
			to->size += count;                                                                        \
		}                                                                                                 \
	}
PLANES_OF(8)
PLANES_OF(16)
PLANES_OF(32)
PLANES_OF(64)

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

/* 0, -1, 1, -2 ... become 0, 1, 2, 3 ... within `bits`. */
static inline uint64_t fold(uint64_t difference, unsigned bits)
{
	uint64_t mask = bits < 64 ? (1ull << bits) - 1 : UINT64_MAX;
	uint64_t sign = difference >> (bits - 1) & 1;
	return (difference << 1 ^ (sign ? UINT64_MAX : 0)) & mask;
}

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

/* A member's differences stand one behind another, folded, at the member's place in a record times RECORD_BLOCK. */
#define COLUMN(c, name) ((void *)((c)->values + RECORD_BLOCK * offsetof(struct culprit_record, name)))
#define TYPE(name) __typeof__(((struct culprit_record *)NULL)->name)

enum { RECORD_WORDS = sizeof(struct culprit_record) / 8 };
_Static_assert(RECORD_WORDS * 8 == sizeof(struct culprit_record), "whole words");

/* What records have beside zeros, and beside what the last of the same pc had. Most members have nothing of that, in
 * a few records at once: words at a time this costs less than to ask for each. */
struct unlike {
	struct culprit_record zero, same;
};

static struct unlike find_unlike(const struct record_columns *c, size_t first, size_t end)
{
	uint64_t zero[RECORD_WORDS] = {0}, same[RECORD_WORDS] = {0};
	for (size_t i = first; i < end; i++) {
		uint64_t r[RECORD_WORDS], s[RECORD_WORDS];
		memcpy(r, &c->records[1 + i], sizeof r);
		memcpy(s, c->same[i], sizeof s);
		for (unsigned w = 0; w < RECORD_WORDS; w++) {
			zero[w] |= r[w];
			same[w] |= r[w] ^ s[w];
		}
	}
	struct unlike all;
	memcpy(&all.zero, zero, sizeof all.zero);
	memcpy(&all.same, same, sizeof all.same);
	return all;
}

/* Of a member that is predicted so: has it nothing else? The compiler knows the words. */
#define NOTHING_ELSE(u, name, prediction) \
	((!strcmp(#prediction, "0") && !(u).zero.name) || (!strcmp(#prediction, "s->" #name) && !(u).same.name))

/* Of a few records, which stay near while all their members are asked for. */
static void fold_tile(struct record_columns *c, size_t first, size_t end, uint64_t any[sizeof(struct culprit_record)])
{
	const struct unlike unlike = find_unlike(c, first, end);
#define MEMBER(name, prediction)                                                                      \
	if (NOTHING_ELSE(unlike, name, prediction)) {                                                 \
		memset((TYPE(name) *)COLUMN(c, name) + first, 0, (end - first) * sizeof(TYPE(name))); \
	} else {                                                                                      \
		TYPE(name) *const folded = COLUMN(c, name), all = 0;                                  \
		for (size_t i = first; i < end; i++) {                                                \
			const struct culprit_record *r = &c->records[1 + i], *p = r - 1;              \
			const struct culprit_record *s = c->same[i];                                  \
			(void)p, (void)s;                                                             \
			const TYPE(name) difference = (TYPE(name))(r->name - (prediction));           \
			folded[i] = (TYPE(name))fold(difference, BITS(name));                         \
			all |= folded[i];                                                             \
		}                                                                                     \
		any[offsetof(struct culprit_record, name)] |= all;                                    \
	}
#include "culprit/record_member.def"
}

void record_columns_put(struct record_columns *c, size_t count, struct bytes *to)
{
	enum { TILE = 32 };
	uint64_t any[sizeof(struct culprit_record)] = {0};
	memset(&c->records[0], 0, sizeof c->records[0]);
	find_same(c, count);
	for (size_t first = 0; first < count; first += TILE)
		fold_tile(c, first, first + TILE < count ? first + TILE : count, any);
#define MEMBER(name, prediction)           \
	_Generic((TYPE(name))0, uint8_t    \
		 : put_planes_8, uint16_t  \
		 : put_planes_16, uint32_t \
		 : put_planes_32, uint64_t \
		 : put_planes_64)(to, COLUMN(c, name), count, any[offsetof(struct culprit_record, name)]);
#include "culprit/record_member.def"
}

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

/* What an entry is predicted from: the last of its kind. The tail of CYCLE is four counts of 16 bits, of others a
 * number. */
static uint64_t tail_difference(uint8_t kind, uint64_t tail, uint64_t last, bool back)
{
	if (kind != CULPRIT_LOG_CYCLE)
		return back ? last + unfold(tail) : fold(tail - last, 64);
	uint64_t out = 0;
	for (unsigned i = 0; i < 64; i += 16) {
		uint64_t mine = tail >> i & 0xffff, before = i == 32 ? 0 : last >> i & 0xffff;
		out |= (back ? mine + before : mine - before) % 65536 << i;
	}
	return out;
}

void log_columns_put(struct record_columns *c, const struct culprit_log_entry *entries, size_t count, struct bytes *to)
{
	struct halves last[CULPRIT_LOG_KINDS] = {{0, 0}}, now;
	uint64_t any = 0;
	for (size_t i = 0; i < count; i++) {
		memcpy(&now, &entries[i], sizeof now);
		struct halves *l = &last[entries[i].kind];
		c->folded[i] = now.head ^ (l->head & ~0xffull); /* the kind stays */
		l->head = now.head;
		any |= c->folded[i];
	}
	put_planes_64(to, c->folded, count, any);
	any = 0;
	for (size_t i = 0; i < count; i++) {
		memcpy(&now, &entries[i], sizeof now);
		struct halves *l = &last[entries[i].kind];
		c->folded[i] = tail_difference(entries[i].kind, now.tail, l->tail, false);
		l->tail = now.tail;
		any |= c->folded[i];
	}
	put_planes_64(to, c->folded, count, any);
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
		l->tail = tail_difference(entries[i].kind, c->folded[i], l->tail, true);
		memcpy((char *)&entries[i] + sizeof l->head, &l->tail, sizeof l->tail);
	}
	return true;
}
