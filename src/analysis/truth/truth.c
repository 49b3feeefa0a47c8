#include "analysis/truth/truth.h"

bool truth_cost(const struct truth_times *t, uint32_t set, int64_t *cycles)
{
	if (t->time[0] == TRUTH_UNKNOWN || t->time[set] == TRUTH_UNKNOWN)
		return false;
	*cycles = (int64_t)t->time[0] - (int64_t)t->time[set];
	return true;
}

/* Moebius inversion of cost over the subsets of `set`: each counts with the sign of how many members it lacks. */
bool truth_icost(const struct truth_times *t, uint32_t set, int64_t *cycles)
{
	int64_t sum = 0, cost;
	for (uint32_t part = set; part; part = (part - 1) & set) {
		if (!truth_cost(t, part, &cost))
			return false;
		sum += __builtin_parity(set ^ part) ? -cost : cost;
	}
	*cycles = sum;
	return true;
}

struct truth_identity truth_identity(const struct truth_times *t)
{
	uint32_t all = (1u << t->classes) - 1;
	struct truth_identity i = {.known = true, .base = t->time[0], .remainder = t->time[all]};
	for (uint32_t set = 1; set <= all && i.known; set++) {
		int64_t icost = 0;
		i.known = truth_icost(t, set, &icost);
		i.sum += icost;
	}
	i.holds = i.known && i.sum + (int64_t)i.remainder == (int64_t)i.base;
	return i;
}
