/* gcds COUNT: greatest common divisors of random numbers. Each is a chain of divisions that depend on one another. */
#include <stdio.h>
#include <stdlib.h>

static unsigned long state = 12345;

static unsigned long next_random(void)
{
	state = state * 6364136223846793005UL + 1442695040888963407UL;
	return state >> 33;
}

__attribute__((noinline)) static unsigned long gcd(unsigned long a, unsigned long b)
{
	while (b) {
		unsigned long rest = a % b;
		a = b;
		b = rest;
	}
	return a;
}

__attribute__((noinline)) static unsigned long gcds(long count)
{
	unsigned long sum = 0;
	for (long i = 0; i < count; i++)
		sum += gcd(next_random(), next_random());
	return sum;
}

int main(int argc, char **argv)
{
	printf("%lu\n", gcds(argc > 1 ? atol(argv[1]) : 10));
	return 0;
}
