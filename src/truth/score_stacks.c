/* --score stacks: each counter architecture's components against the reference stacks of both orders (Eyerman and
 * others, ASPLOS 2006, section 5.2 and figure 12). The error of an architecture is its worst component's. Its base and
 * long-latency units together are what the reference calls base; that row is shown but not counted, because it is wrong
 * by the sum of the others. */
#include "analysis/stacks/stacks.h"
#include "truth/truth.h"

#include <string.h>

static bool take(const json_t *stack, const char *name, int64_t *cycles, struct error *err)
{
	const json_t *value = json_object_get(stack, name);
	if (!json_is_integer(value))
		return error_set(err, ERROR_INTERNAL, "its JSON has no %s", name);
	*cycles = json_integer_value(value);
	return true;
}

static bool is_reference(const struct truth_stack_table *t)
{
	return t->known && !strncmp(t->key, "reference", strlen("reference"));
}

static bool compare_rows(struct truth_score *s, const struct truth_stack_table *reference, const json_t *stack,
			 struct error *err)
{
	for (uint32_t i = 0; i < reference->count; i++) {
		const struct truth_stack_row *row = &reference->rows[i];
		bool is_base = !strcmp(row->name, "base");
		int64_t cycles = 0, units = 0;
		TRY(take(stack, row->name, &cycles, err));
		if (is_base)
			TRY(take(stack, stack_component_name(STACK_unit), &units, err));
		score_row(s, row->name, row->cycles, cycles + units, 1, !is_base);
	}
	return true;
}

static bool compare(struct truth *t, const struct truth_stack_table *reference, enum stack_method m,
		    const json_t *stack, struct error *err)
{
	struct truth_score *s = score_table(&t->report, "stacks", stack_method_name(m), stack_method_label(m),
					    reference->key, reference->count);
	if (!s)
		return error_set(err, ERROR_SYSTEM, "out of memory for the scoreboard");
	s->method_base = t->report.cycles;
	TRY(compare_rows(s, reference, stack, err));
	score_finish(s);
	return true;
}

static bool score_stacks_fill(struct truth *t, const json_t *stacks, struct error *err)
{
	const json_t *cycles = json_object_get(stacks, "cycles");
	for (uint32_t i = 0; i < t->report.stack_count; i++)
		for (unsigned m = 0; m < STACK_METHODS && is_reference(&t->report.stacks[i]); m++)
			TRY(compare(t, &t->report.stacks[i], m, json_object_get(cycles, stack_method_name(m)), err));
	return true;
}

const struct score_method score_stacks = {.fill = score_stacks_fill};
