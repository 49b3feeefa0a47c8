/* Costs, interaction costs and Shapley values from the time of every subset. */
#include "culprit/graph.h"

static unsigned size_of(unsigned set)
{
	return (unsigned)__builtin_popcount(set);
}

/* icost(U) = cost(U) - sum of icost(V) over proper subsets V: the Moebius inversion of cost, one class at a time. */
static void decompose_icosts(struct culprit_graph_results *r)
{
	unsigned sets = 1u << r->class_count;
	for (unsigned set = 0; set < sets; set++)
		r->icost[set] = r->cost[set];
	for (unsigned bit = 1; bit < sets; bit *= 2)
		for (unsigned set = 0; set < sets; set++)
			if (set & bit)
				r->icost[set] -= r->icost[set ^ bit];
}

/* A class's cost averaged over every order of idealising the classes: an icost is shared equally by its members. */
static void decompose_shapley(struct culprit_graph_results *r)
{
	for (uint32_t c = 0; c < r->class_count; c++) {
		r->shapley[c] = 0;
		for (unsigned set = 1; set < 1u << r->class_count; set++)
			if (set & (1u << c))
				r->shapley[c] += (double)r->icost[set] / size_of(set);
	}
}

void culprit_graph_decompose(struct culprit_graph_results *r)
{
	for (unsigned set = 0; set < 1u << r->class_count; set++)
		r->cost[set] = (int64_t)r->time[0] - (int64_t)r->time[set];
	decompose_icosts(r);
	decompose_shapley(r);
}
