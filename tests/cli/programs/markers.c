/* Five rounds of work between markers: `toil` has 4 instructions a step, and one before them, and round i makes 100 * i steps and then 10 * i.
 * With an argument: a child executes that program, and then another one. */
#include "../../../include/culprit/marker.h"

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline)) void toil(long steps)
{
	__asm__ volatile("nop\n 1: addi %0, %0, -1\n xori t0, %0, 1\n addi t0, t0, 1\n bnez %0, 1b"
			 : "+r"(steps)
			 :
			 : "t0");
}

int main(int argc, char **argv)
{
	for (int times = 0; argc > 1 && times < 2; times++) {
		pid_t child = vfork();
		if (!child) {
			execl(argv[1], argv[1], (char *)0);
			_exit(126);
		}
		waitpid(child, &(int){0}, 0);
	}
	for (int i = 1; i <= 5; i++) {
		CULPRIT_MARKER(1);
		toil(100 * i);
		CULPRIT_MARKER(2047);
		__asm__ volatile(".word 0xb400007b");
		toil(10 * i);
		__asm__ volatile(".word 0xb600007b");
	}
	puts("done");
	return 0;
}
