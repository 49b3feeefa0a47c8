/* Rows of words as columns of the bytes in them that are not 0. Who writes rows makes most of their bytes 0.
 *
 * A row says which of its words are not 0 (a bit each), such a word which of its bytes are not (a byte), and these
 * follow. All that stands at the same place of rows is a column. A column in which there is nothing takes no room but
 * its length. The order of bytes in a word is little-endian. */
#ifndef CULPRIT_RECORD_SPARSE_H
#define CULPRIT_RECORD_SPARSE_H

#include "base/bytes.h"

#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { SPARSE_WORDS = 20, SPARSE_PLANES = 3, SPARSE_COLUMNS = SPARSE_PLANES + 9 * SPARSE_WORDS };
_Static_assert(8 * SPARSE_PLANES >= SPARSE_WORDS, "a bit for each word");

/* Places among the columns: first the planes of bits for words, then bytes for words, then the bytes of words. */
enum { SPARSE_BYTES_OF = SPARSE_PLANES, SPARSE_BYTE = SPARSE_PLANES + SPARSE_WORDS };

struct sparse_writer {
	uint8_t *memory; /* `rows` bytes for each column */
	size_t rows;
	uint8_t *next[SPARSE_COLUMNS];
};

/* `rows`: the most of a block. */
bool sparse_writer_create(struct sparse_writer *s, size_t rows);
void sparse_writer_destroy(struct sparse_writer *s);
/* The columns of all rows so far; no row is left. */
void sparse_writer_flush(struct sparse_writer *s, struct bytes *to);

/* Bit n: byte n of the word is not 0. */
static inline uint32_t sparse_bytes_of(uint64_t word)
{
	const uint64_t low = 0x7f7f7f7f7f7f7f7f;
	const uint64_t some = (((word & low) + low) | word) & ~low; /* the highest bit of such a byte */
	return (uint32_t)((some >> 7) * 0x0102040810204080 >> 56);
}

/* The same of two words. */
static inline uint32_t sparse_bytes_of_pair(const uint64_t *words)
{
#ifdef __SSE2__
	const __m128i zero = _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)words), _mm_setzero_si128());
	return (uint32_t)_mm_movemask_epi8(zero) ^ 0xffff;
#else
	return sparse_bytes_of(words[0]) | sparse_bytes_of(words[1]) << 8;
#endif
}

static inline void sparse_append(struct sparse_writer *s, unsigned column, uint8_t byte)
{
	*s->next[column]++ = byte;
}

/* `words` is even, and known when this is compiled. A block's rows have the same number of words. */
__attribute__((always_inline)) static inline void sparse_put(struct sparse_writer *s, const uint64_t *row,
							     unsigned words)
{
	uint64_t bytes[SPARSE_PLANES] = {0}; /* eight bits a word */
	uint32_t some = 0;
	for (unsigned w = 0; w < words; w += 2)
		bytes[w / 8] |= (uint64_t)sparse_bytes_of_pair(row + w) << w % 8 * 8;
	for (unsigned p = 0; 8 * p < words; p++) {
		const uint32_t plane = sparse_bytes_of(bytes[p]);
		sparse_append(s, p, (uint8_t)plane);
		some |= plane << 8 * p;
	}
	for (; some; some &= some - 1) {
		const unsigned w = (unsigned)__builtin_ctz(some);
		uint32_t left = (uint8_t)(bytes[w / 8] >> w % 8 * 8);
		sparse_append(s, SPARSE_BYTES_OF + w, (uint8_t)left);
		do {
			const unsigned b = (unsigned)__builtin_ctz(left);
			sparse_append(s, SPARSE_BYTE + 8 * w + b, (uint8_t)(row[w] >> 8 * b));
		} while (left &= left - 1);
	}
}

struct sparse_reader {
	struct sparse_column {
		const uint8_t *at, *end;
	} columns[SPARSE_COLUMNS];
};

/* False: the columns do not fit `from`. They are read there. */
bool sparse_reader_open(struct sparse_reader *s, size_t rows, struct cursor *from);
/* Nothing is left. */
bool sparse_reader_empty(const struct sparse_reader *s);

static inline bool sparse_next(struct sparse_reader *s, unsigned column, uint8_t *byte)
{
	struct sparse_column *c = &s->columns[column];
	if (c->at == c->end)
		return false;
	*byte = *c->at++;
	return true;
}

/* One word, of which some bytes are not 0. */
static inline bool sparse_get_word(struct sparse_reader *s, unsigned w, uint64_t *word)
{
	uint8_t some, byte;
	if (!sparse_next(s, SPARSE_BYTES_OF + w, &some))
		return false;
	for (uint32_t left = some; left; left &= left - 1) {
		const unsigned b = (unsigned)__builtin_ctz(left);
		if (!sparse_next(s, SPARSE_BYTE + 8 * w + b, &byte))
			return false;
		*word |= (uint64_t)byte << 8 * b;
	}
	return true;
}

/* False: there is no such row. */
__attribute__((always_inline)) static inline bool sparse_get(struct sparse_reader *s, uint64_t *row, unsigned words)
{
	uint32_t some = 0;
	for (unsigned p = 0; 8 * p < words; p++) {
		uint8_t plane;
		if (!sparse_next(s, p, &plane))
			return false;
		some |= (uint32_t)plane << 8 * p;
	}
	memset(row, 0, words * sizeof *row);
	if (some >> words)
		return false;
	for (; some; some &= some - 1) {
		const unsigned w = (unsigned)__builtin_ctz(some);
		if (!sparse_get_word(s, w, &row[w]))
			return false;
	}
	return true;
}

#endif
