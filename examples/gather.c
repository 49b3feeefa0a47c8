/* Independent loads at random places: a larger window has more misses on their way. docs/how-to/larger-rob.md uses it. */
#include <stdint.h>
#include <stdio.h>

enum { WORDS = 1 << 19, LOADS = 1 << 15 };

static uint64_t words[WORDS];

__attribute__((noipa)) static uint64_t gather(void)
{
	uint32_t random = 1;
	uint64_t sum = 0;
	for (int i = 0; i < LOADS; i++) {
		random = random * 1664525 + 1013904223;
		sum += words[random >> 13] ^ (sum << 1);
	}
	return sum;
}

int main(void)
{
	for (int i = 0; i < WORDS; i++)
		words[i] = i;
	printf("%lu\n", (unsigned long)gather());
	return 0;
}
