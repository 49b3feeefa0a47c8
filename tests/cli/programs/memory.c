/* Fills argv[1] MiB before the symbol `region`, then walks a little of it: for measuring how much forked simulations share. */
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) unsigned long region(unsigned char *p, size_t size)
{
	unsigned long sum = 0;
	for (int round = 0; round < 40; round++)
		for (size_t i = 0; i < size; i += 4096 * 16)
			sum += p[i];
	for (size_t i = 0; i < 4 << 20; i += 64)
		p[i]++;
	return sum;
}

int main(int argc, char **argv)
{
	size_t size = (size_t)strtoul(argc > 1 ? argv[1] : "8", NULL, 10) << 20;
	unsigned char *p = malloc(size);
	if (!p)
		return 1;
	for (size_t i = 0; i < size; i += 512)
		p[i] = (unsigned char)(i >> 9);
	printf("%lu\n", region(p, size));
	return 0;
}
