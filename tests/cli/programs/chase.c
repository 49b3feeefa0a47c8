/* A pointer chase within the L1 cache: the test of --with critical knows that each round is one load on the load before. */
#include <stdint.h>

enum { NODES = 64, ROUNDS = 40000 };
struct node {
	struct node *next;
	uint64_t payload;
};

static struct node nodes[NODES];

static __attribute__((noinline)) struct node *chase(struct node *p, long rounds)
{
	while (rounds--)
		p = p->next; /* THE LOAD */
	return p;
}

int main(void)
{
	for (int i = 0; i < NODES; i++)
		nodes[i].next = &nodes[(i + 1) % NODES];
	return chase(nodes, ROUNDS) != &nodes[ROUNDS % NODES];
}
