/* spin [ROUNDS]: never ends, or after so many rounds of a thousand steps. */
#include <stdio.h>
#include <stdlib.h>

static volatile unsigned sum;
static int table[4096];

__attribute__((noinline)) void body(void)
{
	for (unsigned i = 0; i < 1000; i++)
		sum += (unsigned)table[(i * 2654435761u + sum) & 4095] + i;
}

int main(int argc, char **argv)
{
	long rounds = argc > 1 ? atol(argv[1]) : 1L << 60;
	for (long i = 0; i < rounds; i++)
		body();
	printf("%u\n", sum);
	return 0;
}
