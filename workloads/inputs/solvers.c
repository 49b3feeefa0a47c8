/* Inputs of the solvers: a minimum-cost flow problem (glpsol) and a satisfiability problem (minisat), both in the
 * formats of the DIMACS challenges. */
#include "inputs.h"

#include <stdio.h>

/* A network of suppliers, depots and customers in equal numbers; every depot also passes on to a few others. Supply
 * of the suppliers and demand of the customers are equal, and the outer arcs are wide enough for a flow to exist. */
void input_flow(uint64_t nodes)
{
	struct random r = {4};
	uint32_t third = (uint32_t)nodes / 3, fan = 6, demand = 30;
	printf("c suppliers 1..%u, depots ..%u, customers ..%u\n", third, 2 * third, 3 * third);
	printf("p min %u %u\n", 3 * third, third * (3 * fan));
	for (uint32_t i = 1; i <= third; i++)
		printf("n %u %u\nn %u -%u\n", i, demand, 2 * third + i, demand);
	for (uint32_t i = 1; i <= third; i++) {
		for (uint32_t j = 0; j < fan; j++) {
			/* j 0 goes straight through, which makes the problem feasible */
			uint32_t depot = third + (j ? 1 + random_below(&r, third) : i);
			uint32_t other = third + 1 + (i + random_below(&r, third - 1)) % third;
			uint32_t customer = 2 * third + (j ? 1 + random_below(&r, third) : i);
			printf("a %u %u 0 %u %u\n", i, depot, j ? 5 + random_below(&r, 20) : demand,
			       j ? 1 + random_below(&r, 200) : 1000);
			printf("a %u %u 0 %u %u\n", third + i, other, 5 + random_below(&r, 20),
			       1 + random_below(&r, 100));
			printf("a %u %u 0 %u %u\n", third + i, customer, j ? 5 + random_below(&r, 20) : demand,
			       j ? 1 + random_below(&r, 200) : 1000);
		}
	}
}

/* Random 3-SAT at 4.2 clauses a variable, near the threshold where it is hardest. */
void input_cnf(uint64_t variables)
{
	struct random r = {5};
	uint32_t n = (uint32_t)variables, clauses = n * 42 / 10;
	printf("p cnf %u %u\n", n, clauses);
	for (uint32_t i = 0; i < clauses; i++) {
		uint32_t a = 1 + random_below(&r, n), b, c;
		do
			b = 1 + random_below(&r, n);
		while (b == a);
		do
			c = 1 + random_below(&r, n);
		while (c == a || c == b);
		uint32_t signs = random_below(&r, 8);
		printf("%s%u %s%u %s%u 0\n", signs & 1 ? "-" : "", a, signs & 2 ? "-" : "", b, signs & 4 ? "-" : "", c);
	}
}
