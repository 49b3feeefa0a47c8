/* Walks through memory so slowly, a line every two thousand instructions, that what a prefetcher asks for has long come when it is used. */
#include <stdint.h>
#include <stdio.h>

enum { LINE = 64, LINES = 4096, STEPS = 500 };
static volatile uint8_t memory[LINE * LINES];

/* One chain, from the line on. */
static uint64_t work(uint64_t x)
{
	for (int i = 0; i < STEPS; i++)
		x = (x ^ (x >> 7)) + 5;
	return x;
}

int main(void)
{
	uint64_t x = 1;
	for (int i = 0; i < LINES; i++)
		x = work(x + memory[i * LINE + (x & 1)]);
	printf("%llu\n", (unsigned long long)x);
	return 0;
}
