/* --with check: do the records fit the graph's edges? For those who write records; of our own core it says where the
 * graph is only nearly right. */
#include "analysis/graph/machine.h"
#include "with/analyses.h"
#include "with/check_fill.h"

struct with_check {
	struct check *check;
	culprit_field_set unknown;
	const struct machine *machine;
	struct check_report report;
};

static bool create(void *self, const struct analysis_context *context, struct error *err)
{
	struct with_check *w = self;
	struct culprit_graph_params params;
	analysis_graph_params(context, &params);
	w->unknown = context->unknown;
	w->machine = context->machine;
	return (w->check = check_create(&params, err)) != NULL;
}

static void destroy(void *self)
{
	struct with_check *w = self;
	check_destroy(w->check);
}

static void records(void *self, const struct culprit_record *r, size_t count)
{
	struct with_check *w = self;
	check_push(w->check, r, count); /* keeps its error until the end */
}

static bool finish(void *self, const struct analysis_totals *totals, struct error *err)
{
	struct with_check *w = self;
	if (*check_error(w->check))
		return error_set(err, ERROR_INPUT, "--with check: %s", check_error(w->check));
	check_fill(&w->report, w->check, totals->cycles, w->unknown);
	check_fill_machine(&w->report, w->machine);
	return true;
}

static void text(void *self, FILE *out)
{
	struct with_check *w = self;
	check_text(&w->report, out);
}

static json_t *json(void *self)
{
	struct with_check *w = self;
	return check_json(&w->report);
}

const struct analysis analysis_check = {
	.name = "check",
	.help = "the records against the graph: contradicted edges, unexplained waits",
	.takes_long = true,
	.size = sizeof(struct with_check),
	.create = create,
	.records = records,
	.finish = finish,
	.text = text,
	.json = json,
	.destroy = destroy,
};
