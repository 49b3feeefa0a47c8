/* What the core says it is, and whether it is that: sh1add is executed. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
	struct {
		int64_t key;
		uint64_t value;
	} probe = {4, 0}; /* extensions */
	char line[256];
	long result;
	FILE *info = fopen("/proc/cpuinfo", "r");

	syscall(258, &probe, 1, 0, 0, 0);
	printf("hwprobe %llx\n", (unsigned long long)probe.value);
	while (fgets(line, sizeof line, info))
		if (!strncmp(line, "isa", 3))
			fputs(line, stdout);
	fflush(stdout);
	__asm__(".insn r 0x33, 2, 0x10, %0, %1, %2" : "=r"(result) : "r"(20l), "r"(2l)); /* sh1add */
	printf("%ld\n", result);
	return 0;
}
