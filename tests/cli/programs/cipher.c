/* Blocks of AES-128 rounds by tables, as CBC chains them; after each a branch that nobody can predict, and a remainder by a number that
 * changes, which the branch's wrong path comes to as well. Argument: how many blocks. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 4, WORDS = 4, KEY_WORDS = WORDS * (ROUNDS + 1) };

static uint32_t table[4][256]; /* SubBytes and MixColumns of a byte, for each row of the state */

static uint8_t doubled(uint8_t x)
{
	return (uint8_t)(x << 1 ^ (x >> 7) * 0x1b);
}

static uint8_t rotated(uint8_t x, unsigned by)
{
	return (uint8_t)(x << by | x >> (8 - by));
}

static void make_row(uint8_t at, uint8_t s)
{
	uint8_t d = doubled(s);
	uint32_t column = d | (uint32_t)s << 8 | (uint32_t)s << 16 | (uint32_t)(s ^ d) << 24;
	for (unsigned row = 0; row < 4; row++)
		table[row][at] = row ? column << 8 * row | column >> (32 - 8 * row) : column;
}

/* p runs through all of the field but 0, q through the inverses. */
static void make_table(void)
{
	uint8_t p = 1, q = 1;
	make_row(0, 0x63);
	do {
		p ^= doubled(p);
		q ^= (uint8_t)(q << 1);
		q ^= (uint8_t)(q << 2);
		q ^= (uint8_t)(q << 4);
		q ^= q & 0x80 ? 9 : 0;
		make_row(p, q ^ rotated(q, 1) ^ rotated(q, 2) ^ rotated(q, 3) ^ rotated(q, 4) ^ 0x63);
	} while (p != 1);
}

static void encrypt(const uint32_t *key, uint32_t *block)
{
	uint32_t next[WORDS];
	for (unsigned c = 0; c < WORDS; c++)
		block[c] ^= key[c];
	for (unsigned r = 1; r <= ROUNDS; r++) {
		for (unsigned c = 0; c < WORDS; c++)
			next[c] = table[0][block[c] & 255] ^ table[1][block[(c + 1) % 4] >> 8 & 255] ^
				  table[2][block[(c + 2) % 4] >> 16 & 255] ^ table[3][block[(c + 3) % 4] >> 24] ^
				  key[r * WORDS + c];
		for (unsigned c = 0; c < WORDS; c++)
			block[c] = next[c];
	}
}

int main(int argc, char **argv)
{
	unsigned blocks = argc > 1 ? (unsigned)atoi(argv[1]) : 1000, even = 0;
	uint32_t key[KEY_WORDS], block[WORDS] = {0}, sum = 0;
	make_table();
	for (unsigned i = 0; i < KEY_WORDS; i++)
		key[i] = i * 2654435761u;
	for (unsigned i = 0; i < blocks; i++) {
		block[0] ^= i;
		encrypt(key, block);
		if ((block[0] & 1) == 0) {
			__asm__ volatile("addi %0, %0, 1" : "+r"(even)); /* keeps the branch */
			sum ^= block[1] * 3;
		}
		sum += block[2] % (even + 7);
	}
	printf("%u even, %08x\n", even, sum);
	return 0;
}
