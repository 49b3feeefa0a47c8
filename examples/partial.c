/* A word is written a byte at a time and read back whole: the load cannot take its data from the stores, and waits until
 * they are written. -DWHOLE writes the word at once. docs/how-to/where-to-start.md uses it. */
#include <stdint.h>
#include <stdio.h>

enum { ROUNDS = 1 << 14, SLOTS = 64 };

static union {
	volatile uint8_t byte[4];
	volatile uint32_t word;
} ring[SLOTS];

__attribute__((noipa)) static uint32_t packets(void)
{
	uint32_t sum = 1;
	for (uint32_t i = 0; i < ROUNDS; i++) {
		uint32_t head = sum + i;
#ifdef WHOLE
		ring[i % SLOTS].word = head;
#else
		for (int b = 0; b < 4; b++)
			ring[i % SLOTS].byte[b] = (uint8_t)(head >> 8 * b);
#endif
		sum = (sum << 1 | sum >> 31) ^ ring[i % SLOTS].word;
	}
	return sum;
}

int main(void)
{
	printf("%lu\n", (unsigned long)packets());
	return 0;
}
