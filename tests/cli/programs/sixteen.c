/* A loop that stores to sixteen places and loads from them in turn. A load is ready before the stores in front of it, which wait
 * for the sum; one in eight takes the data of the store before. */
#include <stdio.h>
#include <stdlib.h>

int main(int count, char **arguments)
{
	static volatile long a[16];
	long n = count > 1 ? atol(arguments[1]) : 20000, s = 0;
	for (long i = 0; i < n; i++) {
		a[i & 15] = s + i;
		s += a[(i * 7 + 3) & 15];
	}
	printf("%ld\n", s);
	return 0;
}
