/* The report from plan, points and results. */
#include "sweep/sweep.h"

#include "analysis/commit_cause.h"

#include <stdlib.h>
#include <string.h>

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
	return row->command || error_set(err, ERROR_SYSTEM, "out of memory for the report");
}

bool sweep_fill(struct sweep *s, struct error *err)
{
	const struct sweep_plan *p = &s->plan;
	s->rows = calloc(s->points.count, sizeof *s->rows);
	s->axes = calloc(p->axis_count + 1, sizeof *s->axes);
	s->commands = calloc(s->points.count, sizeof *s->commands);
	if (!s->rows || !s->axes || !s->commands)
		return error_set(err, ERROR_SYSTEM, "out of memory for the report");
	s->report.version = CULPRIT_VERSION;
	s->report.title = p->title;
	s->report.axis_count = p->axis_count;
	s->report.axes = s->axes;
	s->report.count = s->points.count;
	s->report.points = s->rows;
	for (uint32_t a = 0; a < p->axis_count; a++)
		s->axes[a] = (struct sweep_report_axis){p->axes[a].name, p->axes[a].key};
	for (uint32_t i = 0; i < s->points.count; i++)
		TRY(fill_point(s, i, err));
	return true;
}
