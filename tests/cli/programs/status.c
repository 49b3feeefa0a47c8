/* status WHAT [NUMBER]: end in a given way, after saying something on both outputs. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void say(int fd, const char *text, size_t length)
{
	if (write(fd, text, length) != (ssize_t)length)
		_exit(99);
}

int main(int argc, char **argv)
{
	int number = argc > 2 ? atoi(argv[2]) : 0;
	say(1, "out\n", 4);
	say(2, "err\n", 4);
	switch (argc > 1 ? argv[1][0] : 'e') {
	case 'k':
		kill(getpid(), number);
		return 98;
	case 's':
		*(volatile int *)(long)(argc * 4) = 1;
		return 97;
	case 'i':
		__asm__ volatile(".word 0");
		return 96;
	case 'v': /* print one variable of the environment */
		say(1, getenv("V"), strlen(getenv("V")));
		return 0;
	default:
		return number;
	}
}
