/* Rows of one word or two, of which few are different: each is told by its number in a table of those that came
 * before. The number is a hash of the row; a row that is not at its number in the table is told as it is, and is
 * there from then on. `words` of a row is known when this is compiled. */
#ifndef CULPRIT_RECORD_ROW_TABLE_H
#define CULPRIT_RECORD_ROW_TABLE_H

#include "base/bytes.h"

#include <stdbool.h>
#include <stdint.h>

enum { ROW_WORDS = 2, ROW_NUMBER_BITS = 13, ROW_NUMBERS = 1 << ROW_NUMBER_BITS, ROW_NEW = UINT16_MAX };

struct row_table {
	size_t count, new_count; /* put, or got, so far */
	uint16_t *numbers;	 /* ROW_NEW: the next of `news` */
	uint64_t *news[ROW_WORDS];
	uint64_t *known;
};

/* For at most `rows` in a block. False: out of memory. To be destroyed in any case. */
bool row_table_create(struct row_table *t, unsigned words, size_t rows);
void row_table_destroy(struct row_table *t);
/* All that was put, as columns; nothing is left, and no row is known. */
void row_table_flush(struct row_table *t, unsigned words, struct bytes *to);
/* A block of `count` rows, no more than there is room for. False: they are not there. */
bool row_table_open(struct row_table *t, unsigned words, size_t count, struct cursor *from);
/* Back to the first row of the block. */
void row_table_rewind(struct row_table *t, unsigned words);

static inline uint64_t *row_table_at(const struct row_table *t, const uint64_t *row, unsigned words, size_t *number)
{
	uint64_t hash = row[0] * 0x9e3779b97f4a7c15u;
	if (words == ROW_WORDS)
		hash ^= row[1] * 0xc2b2ae3d27d4eb4fu;
	*number = hash >> (64 - ROW_NUMBER_BITS);
	return t->known + *number * words;
}

__attribute__((always_inline)) static inline void row_table_put(struct row_table *t, const uint64_t *row,
								unsigned words)
{
	size_t number;
	uint64_t *known = row_table_at(t, row, words, &number), differs = 0;
	for (unsigned i = 0; i < words; i++)
		differs |= known[i] ^ row[i];
	t->numbers[t->count++] = (uint16_t)(differs ? ROW_NEW : number);
	if (__builtin_expect(!differs, 1))
		return;
	for (unsigned i = 0; i < words; i++)
		known[i] = t->news[i][t->new_count] = row[i];
	t->new_count++;
}

/* False: there is no such number. A row that nobody has put has all bits. */
__attribute__((always_inline)) static inline bool row_table_get(struct row_table *t, uint64_t *row, unsigned words)
{
	size_t number = t->numbers[t->count++];
	if (__builtin_expect(number < ROW_NUMBERS, 1)) {
		for (unsigned i = 0; i < words; i++)
			row[i] = t->known[number * words + i];
		return true;
	}
	if (number != ROW_NEW)
		return false;
	for (unsigned i = 0; i < words; i++)
		row[i] = t->news[i][t->new_count];
	t->new_count++;
	uint64_t *known = row_table_at(t, row, words, &number);
	for (unsigned i = 0; i < words; i++)
		known[i] = row[i];
	return true;
}

#endif
