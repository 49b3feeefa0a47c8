/* For annotate and diff: each function's executions are known. Names are those that compilers of C++ and Rust make. */
#include <stdlib.h>

enum { N = 4096, ROUNDS = 10 };

static unsigned cells[N];
volatile unsigned sink;

static inline __attribute__((always_inline)) unsigned clamp(unsigned x)
{
	return x > 1000 ? x - 1000 : x; /* clamp */
}

static inline __attribute__((always_inline)) unsigned twice(unsigned x)
{
	return clamp(x * 2654435761u) * 2; /* call of clamp */
}

unsigned work(unsigned rounds) __asm__("_ZN6Matrix4workEj");
__attribute__((noinline)) unsigned work(unsigned rounds)
{
	unsigned sum = 0;
	for (unsigned i = 0; i < rounds * N; i++)
		sum += twice(cells[i % N]); /* call of twice */
	return sum;
}

/* A division a step, and nothing else to do meanwhile. */
unsigned horner(unsigned x) __asm__("horner.constprop.0");
__attribute__((noinline)) unsigned horner(unsigned x)
{
	for (unsigned i = 0; i < N; i++)
		x = (0xfffffff0u - i) / (x | 1); /* divide */
	return x;
}

unsigned rust_old(unsigned x) __asm__("_ZN4core3fmt5write17h0123456789abcdefE");
__attribute__((noinline)) unsigned rust_old(unsigned x)
{
	for (unsigned i = 0; i < N; i++)
		sink = x += i;
	return x;
}

/* Takes a branch by a bit that nobody can foretell. */
unsigned guess(unsigned x) __asm__("_RNvNtCs1234_7mycrate3foo5guess");
__attribute__((noinline)) unsigned guess(unsigned x)
{
	unsigned taken = 0;
	for (unsigned i = 0; i < N; i++) {
		x = x * 1664525 + 1013904223;
		if (x >> 31) /* guess */
			sink = taken++;
	}
	return taken;
}

int main(int argc, char **argv)
{
	for (unsigned i = 0; i < N; i++)
		cells[i] = i * 40503u;
	unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : ROUNDS;
	sink = work(rounds) + horner(3) + rust_old(1) + guess(5);
	return 0;
}
