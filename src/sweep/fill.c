/* The report from plan, points and results. */
#include "sweep/sweep.h"

#include "analysis/commit_cause.h"
#include "machine/machine.h"
#include "provenance/provenance.h"

#include <stdlib.h>
#include <string.h>

static bool no_memory(struct error *err)
{
	return error_set(err, ERROR_SYSTEM, "out of memory for the report");
}

static uint64_t cycles_of(const struct sweep_result *r, const char *name)
{
	for (uint32_t i = 0; i < r->cause_count; i++)
		if (!strcmp(r->causes[i].name, name))
			return r->causes[i].cycles;
	return 0;
}

/* In the order of their table; a result lacks those that took no cycle. */
static void fill_causes(struct sweep_report_point *row, const struct sweep_result *r)
{
	for (int i = 0; i < COMMIT_CAUSES && r->cause_count; i++) {
		const struct commit_cause_row *cause = commit_cause_row((enum commit_cause)i);
		row->causes[row->cause_count].name = cause->name;
		row->causes[row->cause_count].label = cause->label;
		row->causes[row->cause_count++].cycles = cycles_of(r, cause->name);
	}
}
_Static_assert((int)COMMIT_CAUSES <= (int)SWEEP_REPORT_CAUSES, "room for each");
_Static_assert((int)SWEEP_AXES == (int)SWEEP_REPORT_AXES, "a column for each");

static bool fill_point(struct sweep *s, uint32_t i, struct error *err)
{
	const struct sweep_plan *p = &s->plan;
	const struct sweep_point *x = &s->points.all[i];
	const struct sweep_result *r = &s->results[i];
	struct sweep_report_point *row = &s->rows[i];
	*row = (struct sweep_report_point){
		.machine = p->machines.items[x->machine],
		.program = p->programs[x->program].name,
		.region = p->regions[x->region].name,
		.reference = x->reference,
		.trouble = r->known && *r->killed ? r->killed : s->troubles[i],
		.known = r->known,
		.instructions = r->instructions,
		.cycles = r->cycles,
		.exit_status = r->exit_status,
	};
	for (uint32_t a = 0; a < p->axis_count; a++) {
		row->values[a] = p->axes[a].values[x->values[a]].name;
		row->own[a] = x->own[a];
	}
	fill_causes(row, r);
	s->report.known += r->known;
	s->report.killed += r->known && *r->killed;
	s->report.failed += !r->known && s->troubles[i];
	row->command = s->commands[i] = sweep_command(x);
	return row->command || no_memory(err);
}

static bool fill_axis(struct sweep_report_axis *row, const struct sweep_axis *a, struct error *err)
{
	struct sweep_report_value *values = calloc(a->count, sizeof *values);
	if (!values)
		return no_memory(err);
	for (uint32_t v = 0; v < a->count; v++)
		values[v] = (struct sweep_report_value){a->values[v].name, a->values[v].sets.items,
							a->values[v].sets.count};
	*row = (struct sweep_report_axis){a->name, a->key, a->count, values};
	return true;
}

static bool fill_machine(struct sweep_report_machine *row, const char *name, const struct sweep_words *sets,
			 struct error *err)
{
	struct machine m;
	TRY(sweep_machine(&m, name, sets, err));
	*row = (struct sweep_report_machine){.name = name, .keys = machine_json(&m)};
	return row->keys || no_memory(err);
}

bool sweep_fill(struct sweep *s, struct error *err)
{
	const struct sweep_plan *p = &s->plan;
	s->rows = calloc(s->points.count, sizeof *s->rows);
	s->axes = calloc(p->axis_count + 1, sizeof *s->axes);
	s->machines = calloc(p->machines.count, sizeof *s->machines);
	s->commands = calloc(s->points.count, sizeof *s->commands);
	if (!s->rows || !s->axes || !s->machines || !s->commands)
		return no_memory(err);
	s->report.version = CULPRIT_VERSION;
	s->report.title = p->title;
	s->report.machine_count = p->machines.count;
	s->report.machines = s->machines;
	s->report.axis_count = p->axis_count;
	s->report.axes = s->axes;
	s->report.count = s->points.count;
	s->report.points = s->rows;
	for (uint32_t m = 0; m < p->machines.count; m++)
		TRY(fill_machine(&s->machines[m], p->machines.items[m], &p->sets, err));
	for (uint32_t a = 0; a < p->axis_count; a++)
		TRY(fill_axis(&s->axes[a], &p->axes[a], err));
	for (uint32_t i = 0; i < s->points.count; i++)
		TRY(fill_point(s, i, err));
	return true;
}

void sweep_unfill(struct sweep *s)
{
	for (uint32_t i = 0; s->commands && i < s->points.count; i++)
		free(s->commands[i]);
	for (uint32_t a = 0; s->axes && a < s->plan.axis_count; a++)
		free((void *)s->axes[a].values);
	for (uint32_t m = 0; s->machines && m < s->plan.machines.count; m++)
		json_decref(s->machines[m].keys);
	free(s->commands);
	free(s->axes);
	free(s->machines);
	free(s->rows);
}
