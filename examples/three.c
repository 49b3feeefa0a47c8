/* Three loops, each with a bottleneck of its own: docs/tutorial/three-bottlenecks.md finds them. */
#include <stdint.h>
#include <stdio.h>

#define LOOP __attribute__((noipa)) static /* stays a function of its own */

enum { NODES = 1 << 15, HOPS = 1 << 13, VALUES = 1 << 12, ROUNDS = 40, STEPS = 1 << 18 };

static struct node {
	struct node *next;
	uint64_t filler[7]; /* a cache line for each node */
} nodes[NODES];
static uint32_t values[VALUES];

static void prepare(void)
{
	uint32_t random = 1;
	for (int i = 0; i < VALUES; i++)
		values[i] = (random = random * 1664525 + 1013904223) >> 8;
	for (int i = 0; i < NODES; i++)
		nodes[i].next = &nodes[i];
	for (int i = NODES - 1; i > 0; i--) { /* a list through all nodes, in random order */
		struct node *other = &nodes[(random = random * 1664525 + 1013904223) % i];
		struct node *next = nodes[i].next;
		nodes[i].next = other->next;
		other->next = next;
	}
}

LOOP struct node *chase(struct node *node)
{
	for (int i = 0; i < HOPS; i++)
		node = node->next;
	return node;
}

LOOP uint64_t guess(void)
{
	uint64_t sum = 0;
	for (int i = 0; i < ROUNDS * VALUES; i++) {
		uint64_t value = values[i % VALUES];
#ifdef BRANCHLESS
		sum += value & -(value & 1);
#else
		if (value & 1)
			sum += value;
#endif
	}
	return sum;
}

LOOP double chain(double x)
{
	for (int i = 0; i < STEPS; i++)
		x = x * 0.999 + 0.5;
	return x;
}

int main(void)
{
	prepare();
	struct node *last = chase(nodes);
	uint64_t sum = guess();
	printf("%d %lu %.3f\n", (int)(last - nodes), (unsigned long)sum, chain(1.0));
	return 0;
}
