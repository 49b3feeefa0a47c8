/* See the header. */
#include "with/check_fill.h"

#include <stdio.h>
#include <string.h>

static struct check_line line_of(const struct check_row *row)
{
	struct check_line l = {.step = check_node_name(row->node),
			       .count = row->count,
			       .cycles = row->cycles,
			       .worst = row->worst,
			       .worst_pc = row->worst_pc,
			       .worst_cycles = row->worst_cycles};
	snprintf(l.first, sizeof l.first, "%s", row->first);
	return l;
}

void check_fill(struct check_report *r, struct check *c, uint64_t cycles, culprit_field_set unknown)
{
	struct check_row row;
	struct check_absent absent;
	struct culprit_field_info info = {.name = ""};
	*r = (struct check_report){
		.instructions = check_instructions(c), .cycles = cycles, .edges = check_edges(c), .unknown = unknown};
	for (; r->contradicted_count < CHECK_ROWS_MAX && check_contradicted(c, r->contradicted_count, &row);
	     r->contradicted_count++) {
		struct check_line *l = &r->contradicted[r->contradicted_count];
		*l = line_of(&row);
		l->kind = culprit_critical_kind_name(row.kind);
		l->rule = check_rule(&row);
		l->remedy = check_remedy(&row);
	}
	for (; r->early_count < CHECK_ROWS_MAX && check_early(c, r->early_count, &row); r->early_count++) {
		r->early[r->early_count] = line_of(&row);
		r->early[r->early_count].remedy = check_early_remedy(&row);
	}
	struct check_value value;
	for (; r->misfit_count < CHECK_ROWS_MAX && check_value(c, unknown, r->misfit_count, &value); r->misfit_count++)
		r->misfits[r->misfit_count] = (struct check_misfit){value.name,	   value.rule,	value.remedy,
								    value.count,   value.asked, value.first_seq,
								    value.first_pc};
	for (; check_absent(c, unknown, r->silent_count, &absent); r->silent_count++) {
		culprit_field_info(absent.field, &info);
		r->silent[r->silent_count] = (struct check_silence){info.name, absent.words, absent.chances};
	}
}

void check_fill_machine(struct check_report *r, const struct machine *m)
{
	const char *dispatch = check_node_name(CHECK_DISPATCH);
	for (size_t i = 0; m->dispatch_whole_groups && i < r->early_count; i++)
		if (!strcmp(r->early[i].step, dispatch))
			r->early[i].remedy =
				"nothing: the machine has dispatch.whole_groups, and this check has no edge for "
				"what waits for its group";
}
