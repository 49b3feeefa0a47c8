/* A loop of branches that are not taken, without a store: the test of causes limits the branches that commit in a cycle. */
#define BRANCH "bnez zero, 1b\n"

static __attribute__((noinline, noclone, noipa)) void branches(long rounds)
{
	__asm__ volatile("1:\n" BRANCH BRANCH BRANCH BRANCH BRANCH BRANCH BRANCH "addi %0, %0, -1\nbnez %0, 1b"
			 : "+r"(rounds));
}

int main(void)
{
	branches(20000);
	return 0;
}
