/* "check": recorded times against the edges of the graph. */
#include "library/analysis.h"
#include "with/check_fill.h"

struct library_check {
	struct check *check;
	struct machine machine;
	struct check_report report;
};

static bool create(void *self, const struct machine *m, const struct culprit_graph_params *graph, struct error *err)
{
	struct library_check *c = self;
	c->machine = *m;
	return (c->check = check_create(graph, err)) != NULL;
}

static bool push(void *self, const struct culprit_record *records, size_t count, struct error *err)
{
	struct library_check *c = self;
	return check_push(c->check, records, count) || error_set(err, ERROR_INPUT, "check: %s", check_error(c->check));
}

static bool finish(void *self, const struct library_totals *totals, struct error *err)
{
	struct library_check *c = self;
	check_fill(&c->report, c->check, totals->cycles, totals->unknown);
	check_fill_machine(&c->report, &c->machine);
	return true;
}

static json_t *json(void *self)
{
	struct library_check *c = self;
	return check_json(&c->report);
}

static void destroy(void *self)
{
	struct library_check *c = self;
	check_destroy(c->check);
}

const struct library_analysis library_check = {"check", sizeof(struct library_check), create, push, NULL, finish, json,
					       destroy};
