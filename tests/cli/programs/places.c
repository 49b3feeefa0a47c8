/* Work of known kinds in known places: multiplications in one function, branches without a pattern in another, and a
 * function whose whole code belongs to one source line. */
#include <stdio.h>
#include <stdlib.h>

__attribute__((noipa)) unsigned long multiply(unsigned long n)
{
	unsigned long x = 3;
	for (unsigned long i = 0; i < n; i++)
		__asm__ volatile("mul %0, %0, %0" : "+r"(x));
	return x;
}

__attribute__((noipa)) unsigned long guess(unsigned long n)
{
	unsigned long seed = 1, odd = 0;
	for (unsigned long i = 0; i < n; i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		if (seed >> 63)
			__asm__ volatile("addi %0, %0, 1" : "+r"(odd));
	}
	return odd;
}

/* clang-format off */
__attribute__((noipa)) unsigned long one_line(unsigned long n) { unsigned long x = n; for (; n; n--) __asm__ volatile("mul %0, %0, %1" : "+r"(x) : "r"(n)); return x; }
/* clang-format on */

int main(void)
{
	printf("%lu\n", multiply(4000) + guess(4000) + one_line(4000));
	return 0;
}
