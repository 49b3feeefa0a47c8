/* Rolls as often as the guest's first random number says, and prints how often: another seed is another run. */
#include <stdint.h>
#include <stdio.h>
#include <sys/random.h>

int main(void)
{
	uint32_t first = 0;
	volatile uint32_t state = 1;
	if (getrandom(&first, sizeof first, 0) != sizeof first)
		return 1;
	const uint32_t rolls = 100000 + first % 100000;
	for (uint32_t i = 0; i < rolls; i++)
		state = state * 1664525 + 1013904223;
	printf("%u\n", rolls);
	return 0;
}
