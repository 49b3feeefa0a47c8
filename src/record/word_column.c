/* Sixteen words are 128 bytes. Number a byte by its word (4 bits) and its place in the word (3 bits): words have it
 * at the number word, place; planes have it at place, word. When the two halves of a pack are shuffled like cards,
 * the seven bits of each number turn by one. So four times make planes of words, and three more make them words
 * again. */
#include "record/word_column.h"

#include <string.h>

typedef uint8_t bytes16 __attribute__((vector_size(16)));

enum { PLANES = sizeof(uint64_t) };

struct group {
	bytes16 of[PLANES];
};

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the lowest byte of a word is its first");
_Static_assert(sizeof(bytes16) == WORD_GROUP && sizeof(struct group) == WORD_GROUP * sizeof(uint64_t), "a group");

static inline struct group shuffled(struct group g)
{
	struct group s;
	for (unsigned i = 0; i < PLANES / 2; i++) {
		const bytes16 a = g.of[i], b = g.of[i + PLANES / 2];
		s.of[2 * i] = __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
		s.of[2 * i + 1] =
			__builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
	}
	return s;
}

/* Bit n: some word's byte n is not 0. */
static uint8_t planes_of(const uint64_t *words, size_t count)
{
	uint64_t some = 0;
	uint8_t planes = 0;
	for (size_t i = 0; i < count; i++)
		some |= words[i];
	for (unsigned p = 0; p < PLANES; p++)
		planes |= (uint8_t)((some >> 8 * p & 0xff ? 1u : 0) << p);
	return planes;
}

void word_column_put(uint64_t *words, size_t count, struct bytes *to)
{
	const size_t room = word_column_room(count);
	const uint8_t planes = planes_of(words, count);
	const unsigned number = (unsigned)__builtin_popcount(planes);
	bytes_put(to, planes, 1);
	if (!planes || !bytes_reserve(to, (number + 1) * room)) /* one more: see below */
		return;
	memset(words + count, 0, (room - count) * sizeof *words);
	for (size_t i = 0; i < room; i += WORD_GROUP) {
		struct group g;
		uint8_t *at = to->at + to->size + i;
		memcpy(&g, words + i, sizeof g);
		g = shuffled(shuffled(shuffled(shuffled(g))));
		for (unsigned p = 0; p < PLANES; p++) {
			memcpy(at, &g.of[p], WORD_GROUP); /* what is not there lies where the next one comes */
			at += planes >> p & 1 ? room : 0;
		}
	}
	to->size += number * room;
}

bool word_column_get(uint64_t *words, size_t count, struct cursor *from)
{
	const size_t room = word_column_room(count);
	const uint8_t planes = (uint8_t)cursor_get(from, 1);
	const uint8_t *first = cursor_get_raw(from, (size_t)__builtin_popcount(planes) * room);
	if (from->failed)
		return false;
	for (size_t i = 0; i < room; i += WORD_GROUP) {
		struct group g;
		const uint8_t *at = first + i;
		for (unsigned p = 0; p < PLANES; p++) {
			g.of[p] = (bytes16){0};
			if (!(planes >> p & 1))
				continue;
			memcpy(&g.of[p], at, WORD_GROUP);
			at += room;
		}
		g = shuffled(shuffled(shuffled(g)));
		memcpy(words + i, &g, sizeof g);
	}
	return true;
}
