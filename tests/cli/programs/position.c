/* What it does depends on where standard output is, which a simulation beside it moves on if they are not kept apart. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int main(void)
{
	volatile long sum = 0;
	int again = open("/dev/stdout", O_WRONLY | O_APPEND);
	for (int i = 0; i < 20000; i++) {
		sum += i;
		if (i % 100 == 0)
			dprintf(i % 200 ? again : 1, "%d\n", i);
	}
	for (long i = 0; i < 10 * lseek(1, 0, SEEK_CUR); i++)
		sum += i;
	return 0;
}
