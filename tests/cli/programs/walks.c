/* A page walk for each load: the loop stays on no page, and no load waits for another. */
#include <stdint.h>
#include <stdio.h>

enum { WORDS = 1 << 20 };

int main(void)
{
	static volatile uint64_t a[WORDS];
	uint64_t sum = 0;
	for (uint64_t i = 0; i < 8000; i++)
		sum += a[i * 8191 & (WORDS - 1)];
	printf("%llu\n", (unsigned long long)sum);
	return 0;
}
