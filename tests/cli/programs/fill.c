/* A buffer filled from its first byte to its last, with some arithmetic between the stores. Its stores miss long after they have
 * committed, and hold the store queue. */
#include <stdint.h>
#include <stdlib.h>

enum { WORDS = 1 << 19 };

static uint64_t buffer[WORDS];

int main(void)
{
	uint64_t x = 1;
	for (long i = 0; i < WORDS; i++) {
		x = (x ^ (x >> 3)) + 0x9e37;
		__asm__ volatile("" : "+r"(x));
		x = (x ^ (x >> 5)) + 0x79b9;
		__asm__ volatile("" : "+r"(x));
		buffer[i] = x;
	}
	return buffer[WORDS - 1] == 0;
}
