#include "interval/explore/explore.h"

#include <string.h>

double explore_predictor_bytes(const struct machine *m)
{
	struct interval_branch b = interval_branch_of(m);
	double counters = (double)(b.bimodal + b.gshare + b.meta) / 4; /* two bits each */
	double indirect = b.indirect == indirect_predictor_ittage ? (double)b.ittage_kib * 1024 : 0;
	return counters + (double)b.tage_kib * 1024 + indirect + (double)b.btb_entries * 8 + (double)b.ras * 8;
}

double explore_unit_count(const struct machine *m)
{
	double n = 0;
	for (uint32_t i = 0; i < m->unit_count; i++)
		n += m->units[i].count;
	return n;
}

static const struct {
	const char *name;
	double weight;
} rows[] = {
#define EXPLORE_COST(name, weight, amount, meaning) {#name, weight},
#include "interval/explore/cost.def"
};
enum { ROWS = sizeof rows / sizeof rows[0] };
_Static_assert((int)ROWS <= (int)EXPLORE_COSTS, "a weight for each");

uint32_t explore_cost_count(void)
{
	return ROWS;
}

const char *explore_cost_name(uint32_t row)
{
	return rows[row].name;
}

double explore_cost_weight(uint32_t row)
{
	return rows[row].weight;
}

static void amounts(const struct machine *m, double all[ROWS])
{
	uint32_t i = 0;
#define EXPLORE_COST(name, weight, amount, meaning) all[i++] = amount;
#include "interval/explore/cost.def"
}

double explore_cost(const struct machine *m, const double weights[EXPLORE_COSTS])
{
	double all[ROWS], sum = 0;
	amounts(m, all);
	for (uint32_t i = 0; i < ROWS; i++)
		sum += weights[i] * all[i];
	return sum;
}
