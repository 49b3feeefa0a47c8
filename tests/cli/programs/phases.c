/* Three loops one after the other: a pointer chase, branches that cannot be predicted, floating-point additions each on the one
 * before. None of them has a use for a larger window; a profiler that lets one phase overlap another says that they have. */
#include <stdint.h>
#include <stdlib.h>

enum { NODES = 64 };
struct node {
	struct node *next;
	uint64_t payload;
};

static struct node nodes[NODES];

static __attribute__((noinline)) struct node *chase(struct node *p, long rounds)
{
	while (rounds--)
		p = p->next;
	return p;
}

static __attribute__((noinline)) uint64_t branches(uint64_t x, long rounds)
{
	uint64_t odd = 0;
	while (rounds--) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		if (x & 1)
			__asm__ volatile("addi %0, %0, 1" : "+r"(odd));
	}
	return odd;
}

static __attribute__((noinline)) double additions(double x, long rounds)
{
	while (rounds--) {
		x += 1.5;
		__asm__ volatile("" : "+f"(x));
	}
	return x;
}

/* argv[1]: rounds of each loop, argv[2]: how often all three. */
int main(int argc, char **argv)
{
	long rounds = argc > 1 ? atol(argv[1]) : 40000, times = argc > 2 ? atol(argv[2]) : 1;
	uint64_t sum = 0;
	for (int i = 0; i < NODES; i++)
		nodes[i].next = &nodes[(i + 1) % NODES];
	while (times--) {
		sum += chase(nodes, rounds) == nodes;
		sum += branches(88172645463325252, rounds / 2);
		sum += additions(0, rounds) > 1;
	}
	return sum == 0;
}
