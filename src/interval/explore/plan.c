/* Which axis does what: part of the core's combinations, an effect by itself, or a change of how often events
 * happen. */
#include "interval/explore/reader.h"
#include "interval/explore/tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { KNOTS_MOST = 8, EXPLORE_FLOWS = 20000, ENTRIES_MOST = 1 << 22 };

static bool in_section(const char *set, const char *section)
{
	size_t length = strlen(section);
	return !strncmp(set, section, length) && set[length] == '.';
}

static bool is_core(const char *set)
{
	static const char *const sections[] = {"fetch",	 "dispatch", "window", "issue",
					       "commit", "units",    "queues", "lsq"};
	for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++)
		if (in_section(set, sections[i]))
			return true;
	return false;
}

/* Geometry: how often; everything else of a cache: how long. */
static bool is_geometry(const char *set)
{
	const char *name = strchr(set, '.');
	size_t length = name ? strcspn(name, "=") : 0;
	static const char *const names[] = {".size", ".ways", ".i_entries", ".i_ways", ".d_entries", ".d_ways"};
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (length == strlen(names[i]) && !strncmp(name, names[i], length))
			return !in_section(set, "l3");
	return in_section(set, "branch");
}

static uint32_t groups_of(const char *set)
{
	static const struct {
		const char *section;
		uint32_t groups;
	} rows[] = {{"l1i", 1 << EXPLORE_L1I}, {"l1d", 1 << EXPLORE_L1D}, {"l2", 1 << EXPLORE_L2},
		    {"l3", 1 << EXPLORE_L2},   {"tlb", 1 << EXPLORE_TLB}, {"branch", 1 << EXPLORE_BRANCH}};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		if (in_section(set, rows[i].section))
			return rows[i].groups;
	return 0;
}

static void plan_axis(struct explore_plan *p, const struct explore_axis *a)
{
	for (uint32_t v = 0; v < a->value_count; v++)
		for (uint32_t k = 0; k < a->values[v].set_count; k++) {
			const char *set = a->values[v].sets[k];
			p->core |= is_core(set);
			p->effect |= !is_geometry(set);
			p->groups |= groups_of(set);
		}
	p->effect = p->effect && !p->core;
}

/* All values, or seven spread evenly over a long list of numbers (in the logarithm). */
static void choose_knots(struct explore_plan *p, const struct explore_axis *a)
{
	bool all = a->value_count <= KNOTS_MOST || !*a->key || (!p->core && !p->effect);
	if (all) {
		p->knot_count = a->value_count;
		for (uint32_t v = 0; v < a->value_count; v++)
			p->knots[v] = v;
		return;
	}
	double low = log(fmax(a->values[0].number, 1)), high = log(fmax(a->values[a->value_count - 1].number, 1));
	for (uint32_t k = 0; k < 7; k++) {
		double wanted = low + (high - low) * k / 6;
		uint32_t best = 0;
		for (uint32_t v = 0; v < a->value_count; v++)
			if (fabs(log(fmax(a->values[v].number, 1)) - wanted) <
			    fabs(log(fmax(a->values[best].number, 1)) - wanted))
				best = v;
		if (!p->knot_count || p->knots[p->knot_count - 1] < best)
			p->knots[p->knot_count++] = best;
	}
}

static struct explore_place place_of(const struct explore_plan *p, const struct explore_axis *a, uint32_t value)
{
	uint32_t k = 0;
	while (k + 1 < p->knot_count && p->knots[k + 1] <= value)
		k++;
	if (p->knots[k] == value || k + 1 == p->knot_count)
		return (struct explore_place){k, k, 0};
	double low = log(fmax(a->values[p->knots[k]].number, 1)),
	       high = log(fmax(a->values[p->knots[k + 1]].number, 1));
	return (struct explore_place){k, k + 1, (log(fmax(a->values[value].number, 1)) - low) / (high - low)};
}

/* Lists that fall would break the search for a place. */
static bool ascending(const struct explore_axis *a, struct error *err)
{
	for (uint32_t v = 1; v < a->value_count && *a->key; v++)
		if (a->values[v].number <= a->values[v - 1].number)
			return error_set(err, ERROR_INPUT, "axis %s: values must ascend", a->name);
	return true;
}

static bool allocate_axis(struct explore_plan *p, const struct explore_axis *a, struct error *err)
{
	p->places = calloc(a->value_count, sizeof *p->places);
	p->cost = calloc(a->value_count, sizeof *p->cost);
	return (p->places && p->cost) || error_set(err, ERROR_SYSTEM, "out of memory for the explorer");
}

static bool cost_axis(const struct explore_tables *t, struct explore_plan *p, const struct explore_axis *a,
		      struct error *err)
{
	double base = explore_cost(&t->space->base, t->space->weights);
	for (uint32_t v = 0; v < a->value_count; v++) {
		struct machine m = t->space->base;
		TRY(explore_apply(&m, &a->values[v], err));
		p->cost[v] = p->core ? 0 : explore_cost(&m, t->space->weights) - base;
	}
	return true;
}

bool explore_plan_axes(struct explore_tables *t, struct error *err)
{
	t->core_count = t->core_knots = 1;
	for (uint32_t g = 0; g < EXPLORE_GROUPS; g++)
		t->group_count[g] = 1;
	for (uint32_t i = 0; i < t->space->axis_count; i++) {
		const struct explore_axis *a = &t->space->axes[i];
		struct explore_plan *p = &t->axes[i];
		TRY(ascending(a, err));
		plan_axis(p, a);
		choose_knots(p, a);
		TRY(allocate_axis(p, a, err));
		TRY(cost_axis(t, p, a, err));
		for (uint32_t v = 0; v < a->value_count; v++)
			p->places[v] = place_of(p, a, v);
		if (p->core) {
			p->core_stride = t->core_count;
			p->core_knot_stride = t->core_knots;
			t->core_count *= a->value_count;
			t->core_knots *= p->knot_count;
		} else if (p->effect) {
			p->effect_at = t->effect_count;
			p->effect_knot_at = t->effect_knots;
			t->effect_count += a->value_count;
			t->effect_knots += p->knot_count;
		}
		for (uint32_t g = 0; g < EXPLORE_GROUPS; g++)
			if (p->groups >> g & 1) {
				p->group_stride[g] = t->group_count[g];
				t->group_count[g] *= a->value_count;
			}
		if (t->core_count > ENTRIES_MOST || (uint64_t)t->core_knots * (t->effect_knots + 1) > EXPLORE_FLOWS ||
		    (uint64_t)t->core_count * (t->effect_count + 1) > ENTRIES_MOST)
			return error_set(
				err, ERROR_INPUT,
				"axis %s: too many combinations of widths, windows and latencies to time: give "
				"fewer values (at most %d flows)",
				a->name, EXPLORE_FLOWS);
	}
	return true;
}
