/* A lock-free count, by LR and SC. Argument: up to what. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	long count = 0, failed, value;
	for (long i = argc > 1 ? atol(argv[1]) : 1000; i > 0; i--)
		__asm__ volatile("0:\n\tlr.d %1, %2\n\taddi %1, %1, 1\n\tsc.d %0, %1, %2\n\tbnez %0, 0b"
				 : "=&r"(failed), "=&r"(value), "+A"(count));
	printf("%ld\n", count);
	return 0;
}
