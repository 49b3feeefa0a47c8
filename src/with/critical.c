/* --with critical: what the critical path goes through, by function, source line and instruction. */
#include "analysis/graph/machine.h"
#include "with/analyses.h"
#include "report/critical/report.h"
#include "report/format.h"
#include "with/records_fill.h"
#include "with/places.h"

#include <stdlib.h>

/* Slack, cost and ties take twice as long as the path alone. */
enum { DEFAULT_ROWS = 10, DEFAULT_WATCH = 4 };

struct with_critical {
	struct culprit_critical *critical;
	struct critical_report report;
	culprit_field_set unknown;
	struct graph_records_check fit; /* of records that are not our own core's */
	size_t rows;
};

static bool create(void *self, const struct analysis_context *context, struct error *err)
{
	struct with_critical *w = self;
	const struct options *o = context->options;
	struct culprit_critical_params params = {.watch = DEFAULT_WATCH};
	if (o->critical_watch)
		params.watch = o->critical_watch > UINT32_MAX ? UINT32_MAX : (uint32_t)o->critical_watch;
	w->rows = o->critical_rows ? o->critical_rows : DEFAULT_ROWS;
	analysis_graph_params(context, &params.graph);
	w->report.base.gap_count = graph_gaps(context->machine, w->report.base.gaps, GRAPH_GAPS_MOST);
	w->report.unknown = context->unknown;
	w->report.base.told_less = context->unknown != 0;
	w->report.base.fewer = 1;
	w->unknown = context->unknown;
	TRY(!context->foreign || graph_records_create(&w->fit, &params.graph, err));
	const char *why;
	w->critical = culprit_critical_create(&params, &why);
	return w->critical || error_set(err, ERROR_USAGE, "--with critical: %s", why);
}

static void destroy(void *self)
{
	struct with_critical *w = self;
	culprit_critical_destroy(w->critical);
	critical_report_destroy(&w->report);
	graph_records_destroy(&w->fit);
}

static void records(void *self, const struct culprit_record *r, size_t count)
{
	struct with_critical *w = self;
	culprit_critical_push(w->critical, r, count); /* keeps its error until the end */
	graph_records_push(&w->fit, r, count);
}

/* --- names --- */

static void disassemble(struct critical_entry *e, const struct analysis_code *code)
{
	places_disassemble(code, e->sum.pc, e->name, sizeof e->name);
}

static bool fill(struct with_critical *w, const struct analysis_totals *totals, struct error *err)
{
	TRY(critical_fold(&w->report, w->critical, totals->symbols, totals->lines, w->rows, err));
	for (size_t i = 0; i < w->report.instructions.count; i++)
		disassemble(&w->report.instructions.entries[i], &totals->code);
	for (size_t i = 0; i < w->report.loop.steps; i++)
		disassemble(&w->report.chain[i], &totals->code);
	return true;
}

static bool finish(void *self, const struct analysis_totals *totals, struct error *err)
{
	struct with_critical *w = self;
	if (!culprit_critical_finish(w->critical, &w->report.totals))
		return error_set(err, ERROR_INTERNAL, "--with critical: %s", culprit_critical_error(w->critical));
	TRY(graph_records_finish(&w->fit, w->unknown, &w->report.base.records, err));
	w->report.base.method = (double)w->report.totals.cycles;
	w->report.base.simulated = (double)totals->cycles;
	return fill(w, totals, err);
}

static const struct graph_records *fit(void *self)
{
	const struct with_critical *w = self;
	return w->report.base.records;
}

static void warn(void *self, FILE *out)
{
	struct with_critical *w = self;
	graph_base_head(&w->report.base, "critical", out);
}

static void code(void *self, struct code *code)
{
	struct with_critical *w = self;
	struct culprit_critical_row row;
	code->has_criticality = true;
	for (size_t i = 0; culprit_critical_row(w->critical, i, &row); i++) {
		struct code_insn *insn = code_find(code, row.pc);
		double each = format_ratio((double)row.executions, (double)row.watched);
		if (insn)
			insn->criticality = (struct code_criticality){
				.known = true,
				.watched = row.watched != 0,
				.path = row.path,
				.cost = (double)row.cost * each,
				.saved = (double)row.saved * each,
				.slack = format_ratio((double)row.slack_sum, (double)row.watched)};
	}
}

static void text(void *self, FILE *out)
{
	struct with_critical *w = self;
	critical_text(&w->report, out);
}

static json_t *json(void *self)
{
	struct with_critical *w = self;
	return critical_json(&w->report);
}

const struct analysis analysis_critical = {
	.name = "critical",
	.takes_long = true,
	.help = "the critical path by function, source line and instruction; slack, Tune's cost",
	.size = sizeof(struct with_critical),
	.create = create,
	.records = records,
	.finish = finish,
	.fit = fit,
	.warn = warn,
	.code = code,
	.text = text,
	.json = json,
	.destroy = destroy,
};
