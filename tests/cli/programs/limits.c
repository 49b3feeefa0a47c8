/* Loops that a single limit holds up, each in a function of its own: for the test of causes. */
#define BRANCH "bnez zero, 1b\n"
#define LOAD "ld zero, 0(%1)\n"
#define LOOP "addi %0, %0, -1\nbnez %0, 1b"

/* Branches that are not taken; no load or store. */
static __attribute__((noipa)) void branches(long rounds)
{
	__asm__ volatile("1:\n" BRANCH BRANCH BRANCH BRANCH BRANCH BRANCH BRANCH LOOP : "+r"(rounds));
}

/* Loads that hit. */
static __attribute__((noipa)) void hits(long rounds, const long *data)
{
	__asm__ volatile("1:\n" LOAD LOAD LOAD LOAD LOAD LOAD LOOP : "+r"(rounds) : "r"(data));
}

/* A store a cache line, through LINES of them: all miss. */
enum { LINES = 20000, LINE = 64 };
static char lines[LINES * LINE];
static __attribute__((noipa)) void stores(char *at)
{
	for (int i = 0; i < LINES; i++)
		*(volatile int *)(at + i * LINE) = i;
}

int main(void)
{
	long data = 1;
	branches(20000);
	hits(20000, &data);
	stores(lines);
	return 0;
}
