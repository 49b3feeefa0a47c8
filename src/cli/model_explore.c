/* culprit model --explore FILE: the whole grid, its front, and the front checked by the whole model. */
#include "cli/model_explore.h"

#include "base/output.h"
#include "report/explore/report.h"

#include <stdlib.h>
#include <string.h>

enum { SHOWN = 24 }; /* rows of the front that are checked and printed, besides the knees */

struct exploration {
	struct explore_space space;
	struct explore_result result;
	struct explore_report report;
	struct explore_report_row *rows;
	struct explore_report_dot *dots;
};

static bool check(const struct exploration *e, const struct model *model, struct explore_point *p, struct error *err)
{
	struct machine m;
	struct model_result r;
	TRY(explore_machine(&e->space, p->index, &m, err));
	TRY(model_refined(model, &m, MODEL_REFINED, &r, err));
	p->checked = r.cpi;
	p->nearest = r.counts.nearest_count;
	p->off = model_all_nearest_cycles(&r) / r.cycles;
	return true;
}

/* The knees, the ends, and others evenly between. */
static bool check_some(struct exploration *e, const struct model *model, struct error *err)
{
	size_t n = e->result.front_count, every = n > SHOWN ? (n + SHOWN - 1) / SHOWN : 1;
	for (size_t i = 0; i < n; i++)
		if (i % every == 0 || i + 1 == n || e->result.front[i].knee)
			TRY(check(e, model, &e->result.front[i], err));
	return true;
}

static bool fill_rows(struct exploration *e, struct error *err)
{
	const struct explore_result *r = &e->result;
	e->rows = calloc(r->front_count + 1, sizeof *e->rows);
	e->dots = calloc(r->cloud_count + 1, sizeof *e->dots);
	if (!e->rows || !e->dots)
		return error_set(err, ERROR_SYSTEM, "out of memory for the report");
	for (size_t i = 0; i < r->front_count; i++) {
		const struct explore_point *p = &r->front[i];
		uint32_t digits[EXPLORE_AXES];
		explore_digits(&e->space, p->index, digits);
		e->rows[i] =
			(struct explore_report_row){p->cost, p->cpi, p->checked, p->nearest, p->off, p->knee, {NULL}};
		for (uint32_t k = 0; k < e->space.axis_count; k++)
			e->rows[i].values[k] = e->space.axes[k].values[digits[k]].name;
	}
	for (size_t i = 0; i < r->cloud_count; i++)
		e->dots[i] = (struct explore_report_dot){r->cloud[i].cost, r->cloud[i].cpi};
	return true;
}

static bool fill_report(struct exploration *e, const struct options *o, const struct model *model, struct error *err)
{
	TRY(fill_rows(e, err));
	const char *slash = strrchr(o->explore, '/');
	e->report = (struct explore_report){.program = model->profile->program,
					    .base = e->space.base.name,
					    .file = slash ? slash + 1 : o->explore,
					    .evaluated = e->result.evaluated,
					    .rejected = e->result.rejected,
					    .axis_count = e->space.axis_count,
					    .front = e->rows,
					    .front_count = e->result.front_count,
					    .cloud = e->dots,
					    .cloud_count = e->result.cloud_count};
	for (uint32_t i = 0; i < e->space.axis_count; i++)
		e->report.axes[i] = e->space.axes[i].name;
	return true;
}

static bool write_file(const struct explore_report *r, const char *path,
		       void (*print)(const struct explore_report *r, FILE *out), struct error *err)
{
	struct output o;
	if (!path)
		return true;
	TRY(output_open(&o, path, err));
	print(r, o.file);
	return output_commit(&o, err);
}

static bool write_all(const struct exploration *e, const struct options *o, struct error *err)
{
	TRY(write_file(&e->report, o->csv, explore_report_csv, err));
	TRY(write_file(&e->report, o->svg, explore_report_svg, err));
	if (!o->output)
		explore_report_text(&e->report, stdout);
	return write_file(&e->report, o->output, explore_report_text, err);
}

static bool explore(struct exploration *e, const struct options *o, const struct model *model, struct error *err)
{
	TRY(explore_read(&e->space, o->explore, err));
	TRY(explore_run(&e->space, model, (uint32_t)(o->jobs < 64 ? o->jobs : 64), &e->result, err));
	if (!o->quiet) /* host times are no part of the report, which is the same every time */
		fprintf(stderr, "explore: tables in %.2f s, then %llu machines in %.3f s: %.2f million a second\n",
			e->result.table_seconds, (unsigned long long)e->result.evaluated + e->result.rejected,
			e->result.seconds,
			(double)(e->result.evaluated + e->result.rejected) / 1e6 /
				(e->result.seconds > 0 ? e->result.seconds : 1));
	TRY(check_some(e, model, err));
	TRY(fill_report(e, o, model, err));
	return write_all(e, o, err);
}

bool model_explore(const struct options *o, const struct model *model, struct error *err)
{
	struct exploration *e = calloc(1, sizeof *e);
	if (!e)
		return error_set(err, ERROR_SYSTEM, "out of memory for the design space");
	bool good = explore(e, o, model, err);
	explore_result_destroy(&e->result);
	explore_destroy(&e->space);
	free(e->rows);
	free(e->dots);
	free(e);
	return good;
}
