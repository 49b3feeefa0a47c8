/* 256 loads, each behind a store to its own place whose address comes late; a round of all takes 100,000 instructions. */
#include <stdlib.h>

static long places[256];

int main(int argc, char **argv)
{
	long rounds = argc > 1 ? atol(argv[1]) : 10, zero = 0, one = 1, at = 0, left = 0;
	for (long round = 0; round < rounds; round++)
		__asm__ volatile("mv %0, %3\n"
				 ".rept 256\n"
				 "div t0, %4, %5\n"
				 "add t0, t0, %0\n"
				 "sd t0, 0(t0)\n"
				 "ld t1, 0(%0)\n"
				 "addi %0, %0, 8\n"
				 "li %1, 190\n"
				 "1: addi %1, %1, -1\n"
				 "bnez %1, 1b\n"
				 ".endr\n"
				 : "=&r"(at), "=&r"(left)
				 : "m"(places), "r"(places), "r"(zero), "r"(one)
				 : "t0", "t1", "memory");
	return 0;
}
