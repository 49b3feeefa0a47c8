/* Reads standard input a few bytes at a time while it is simulated, sums it, and prints the sum and each line's length. */
#include <stdio.h>
#include <unistd.h>

int main(void)
{
	unsigned char piece[7];
	unsigned long sum = 0, length = 0;
	ssize_t got;
	while ((got = read(0, piece, sizeof piece)) > 0) {
		for (ssize_t i = 0; i < got; i++) {
			sum = sum * 31 + piece[i];
			length++;
			if (piece[i] == '\n') {
				printf("%lu\n", length);
				fflush(stdout);
				length = 0;
			}
		}
	}
	printf("sum %lu\n", sum);
	return 3;
}
