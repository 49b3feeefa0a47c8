/* "critical": totals, instructions and the hottest loop, by address; names are their reader's. */
#include "library/analysis.h"
#include "report/format.h"
#include "report/graph/base.h"
#include "with/records_fill.h"

struct library_critical {
	struct culprit_critical *critical;
	struct culprit_critical_totals totals;
	struct graph_base base;
	struct graph_records_check fit; /* its records are another core's */
};

static bool create(void *self, const struct machine *m, const struct culprit_graph_params *graph, struct error *err)
{
	struct library_critical *c = self;
	const struct culprit_critical_params params = {.graph = *graph, .watch = 4};
	TRY(graph_records_create(&c->fit, graph, err));
	const char *why;
	c->critical = culprit_critical_create(&params, &why);
	return c->critical || error_set(err, ERROR_USAGE, "critical: %s", why);
}

static bool push(void *self, const struct culprit_record *records, size_t count, struct error *err)
{
	struct library_critical *c = self;
	graph_records_push(&c->fit, records, count);
	return culprit_critical_push(c->critical, records, count) ||
	       error_set(err, ERROR_INPUT, "critical: %s", culprit_critical_error(c->critical));
}

static bool finish(void *self, const struct library_totals *totals, struct error *err)
{
	struct library_critical *c = self;
	if (!culprit_critical_finish(c->critical, &c->totals))
		return error_set(err, ERROR_INPUT, "critical: %s", culprit_critical_error(c->critical));
	TRY(graph_records_finish(&c->fit, totals->unknown, &c->base.records, err));
	c->base.method = (double)c->totals.cycles;
	c->base.simulated = (double)totals->cycles;
	return true;
}

static json_t *kinds(const uint64_t cycles[CULPRIT_CRITICAL_KINDS])
{
	json_t *all = json_object();
	for (unsigned k = 0; k < CULPRIT_CRITICAL_KINDS; k++)
		if (cycles[k])
			json_object_set_new(all, culprit_critical_kind_name((enum culprit_critical_kind)k),
					    format_integer(cycles[k]));
	return all;
}

static json_t *row_json(const struct culprit_critical_row *r)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "pc", format_integer(r->pc), "executions",
			 format_integer(r->executions), "path", format_integer(r->path), "path_by_kind",
			 kinds(r->cycles), "visits", format_integer(r->visits), "watched", format_integer(r->watched),
			 "cost", format_integer(r->cost), "zero_slack", format_integer(r->zero_slack));
}

static json_t *rows_json(const struct culprit_critical *critical)
{
	struct culprit_critical_row row;
	json_t *all = json_array();
	for (size_t i = 0; culprit_critical_row(critical, i, &row); i++)
		if (row.path)
			json_array_append_new(all, row_json(&row));
	return all;
}

static json_t *loop_json(const struct culprit_critical *critical)
{
	struct culprit_critical_loop loop;
	if (!culprit_critical_hottest(critical, &loop))
		return json_null();
	return json_pack("{s:o, s:o, s:o, s:o}", "first", format_integer(loop.first), "end", format_integer(loop.end),
			 "iterations", format_integer(loop.iterations), "path", format_integer(loop.cycles));
}

static json_t *json(void *self)
{
	struct library_critical *c = self;
	const struct culprit_critical_totals *t = &c->totals;
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "graph_cycles", format_integer(t->cycles),
			 "simulated_cycles", format_integer((uint64_t)c->base.simulated), "base",
			 graph_base_json(&c->base), "path_by_kind", kinds(t->by_kind), "edges", kinds(t->hops),
			 "visits", format_integer(t->visits), "instructions", rows_json(c->critical), "hottest_loop",
			 loop_json(c->critical));
}

static void destroy(void *self)
{
	struct library_critical *c = self;
	culprit_critical_destroy(c->critical);
	graph_records_destroy(&c->fit);
}

const struct library_analysis library_critical = {
	"critical", sizeof(struct library_critical), create, push, NULL, finish, json, destroy};
