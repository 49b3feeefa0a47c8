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

enum truth_interaction truth_interaction(int64_t icost, uint64_t base)
{
	uint64_t size = icost < 0 ? 0 - (uint64_t)icost : (uint64_t)icost;
	if (size < base / 1000 + (base % 1000 != 0))
		return TRUTH_INDEPENDENT;
	return icost == 0 ? TRUTH_INDEPENDENT : icost > 0 ? TRUTH_PARALLEL : TRUTH_SERIAL;
}

const char *truth_interaction_name(enum truth_interaction i)
{
	static const char *const names[] = {"independent", "parallel", "serial"};
	return names[i];
}

const char *truth_interaction_meaning(enum truth_interaction i)
{
	static const char *const meanings[] = {
		"none changes what the others cost",
		"these cycles go only when all are idealised",
		"idealising one of them is enough for these cycles",
	};
	return meanings[i];
}
