/* Global branch history of thousands of bits, folded for the tables of TAGE and ITTAGE.
 *
 * The history is a ring of bits; for each table its newest `length` bits are kept xor-folded into HISTORY_FOLD bits:
 * the bit of age a sits at position a mod HISTORY_FOLD. A push rotates each fold by one, puts the new bit in and
 * takes the bit that became too old out. 61 is prime, so that a periodic history does not cancel itself out as it
 * would with an even width; hardware folds to the width of each index and tag instead, which costs three folds a
 * table where one does here.
 *
 * Everything that moves at fetch is in `now`, so a save is a copy of that. The ring's bits beyond a restored head are
 * simply overwritten; it is long enough that a wrong path cannot reach the bits that folds still need: the longest
 * history, plus three bits for each of the at most 8192 + 4096 + 64 * 64 instructions in flight. */
#ifndef CULPRIT_MACHINE_TAGE_HISTORY_H
#define CULPRIT_MACHINE_TAGE_HISTORY_H

#include <stdbool.h>
#include <stdint.h>

enum { HISTORY_TABLES = 12, HISTORY_FOLD = 61, HISTORY_RING = 65536 };

struct history_state {
	uint64_t fold[HISTORY_TABLES];
	uint64_t path; /* one bit of the pc of each branch, newest in bit 0 */
	uint16_t head; /* position of the newest bit; wraps as the ring does */
};

struct history {
	struct history_state now;
	uint16_t length[HISTORY_TABLES];
	uint64_t leave[HISTORY_TABLES]; /* length mod HISTORY_FOLD: where the bit that is too old has got to */
	uint8_t ring[HISTORY_RING];	/* one bit in each byte */
};

void history_create(struct history *h, const uint16_t *length, uint32_t tables);

/* `tables`: as at creation; a constant here, so that the loop unrolls. */
static inline void history_push(struct history *h, uint64_t bit, uint32_t tables)
{
	const uint64_t mask = (1ull << HISTORY_FOLD) - 1;
	const uint16_t head = ++h->now.head;
	h->ring[head] = (uint8_t)bit;
	for (uint32_t i = 0; i < tables; i++) {
		uint64_t old = h->ring[(uint16_t)(head - h->length[i])];
		uint64_t fold = h->now.fold[i];
		fold = (fold << 1 & mask) | fold >> (HISTORY_FOLD - 1);
		h->now.fold[i] = fold ^ bit ^ ((0 - old) & h->leave[i]);
	}
}

static inline void history_push_path(struct history *h, uint64_t pc)
{
	h->now.path = h->now.path << 1 | ((pc >> 1 ^ pc >> 4) & 1);
}

/* Index and tag bits from a fold: both halves of a 64 x 64 bit product, so that every input bit reaches all. */
static inline uint32_t history_hash(uint64_t x)
{
	unsigned __int128 product = (unsigned __int128)x * 0x9e3779b97f4a7c15u;
	return (uint32_t)((uint64_t)product ^ (uint64_t)(product >> 64));
}

/* Pseudo-random numbers for allocation (xorshift64); the state is never 0. */
static inline uint64_t history_random(uint64_t *state)
{
	uint64_t x = *state;
	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return *state = x;
}

/* A signed saturating counter of `bits` bits takes one step. */
static inline void counter_step(int8_t *counter, bool up, int bits)
{
	int max = (1 << (bits - 1)) - 1;
	int8_t c = *counter;
	*counter = (int8_t)(c + (up & (c < max)) - (!up & (c > -max - 1)));
}

#endif
