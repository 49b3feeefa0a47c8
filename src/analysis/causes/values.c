/* Shapley values and interaction indices from the times of sets. */
#include "analysis/causes/causes.h"

/* The next subset of `members` after `set`, in ascending order; 0 after the last. */
static unsigned next_subset(unsigned set, unsigned members)
{
	return (set - members) & members;
}

/* weight[n]: of all orders of `count`, the share in which a certain n stand before a certain one: n! (count-n-1)! /
 * count!. */
static void order_weights(unsigned count, double weight[CAUSES_MOST])
{
	weight[0] = 1.0 / count;
	for (unsigned n = 1; n < count; n++)
		weight[n] = weight[n - 1] * n / (count - n);
}

void causes_shapley(const uint64_t *times, unsigned before, unsigned members, double value[CAUSES_MOST])
{
	double weight[CAUSES_MOST];
	order_weights((unsigned)__builtin_popcount(members), weight);
	for (unsigned left = members; left; left &= left - 1) {
		unsigned cause = left & -left, others = members & ~cause, set = 0;
		double sum = 0;
		do {
			int64_t saved = (int64_t)times[before | set] - (int64_t)times[before | set | cause];
			sum += weight[__builtin_popcount(set)] * (double)saved;
			set = next_subset(set, others);
		} while (set);
		value[__builtin_ctz(cause)] += sum;
	}
}

double causes_interaction(const uint64_t *times, uint32_t count, unsigned a, unsigned b)
{
	double weight[CAUSES_MOST], sum = 0;
	const unsigned one = 1u << a, two = 1u << b, others = ((1u << count) - 1) & ~(one | two);
	unsigned set = 0;
	order_weights(count - 1, weight); /* the two stand together */
	do {
		int64_t both = (int64_t)times[set | one] + (int64_t)times[set | two] - (int64_t)times[set] -
			       (int64_t)times[set | one | two];
		sum += weight[__builtin_popcount(set)] * (double)both;
		set = next_subset(set, others);
	} while (set);
	return sum;
}

double causes_half_interval(double error, uint32_t samples)
{
	static const double t[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
				   2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
				   2.080,  2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042};
	const uint32_t known = sizeof t / sizeof *t;
	if (samples < 2)
		return 0;
	return error * t[samples - 2 < known ? samples - 2 : known - 1]; /* beyond: a little wide */
}
