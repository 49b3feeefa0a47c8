/* "stalls": as `--with stalls`, of the whole program. */
#include "analysis/stalls/core.h"
#include "library/analysis.h"
#include "report/stalls/report.h"

struct library_stalls {
	struct stalls_core *stalls;
	struct culprit_stall_results results;
	struct stalls_report report;
};

static bool create(void *self, const struct machine *m, const struct culprit_graph_params *graph, struct error *err)
{
	struct library_stalls *s = self;
	struct stalls_core_params params;
	stalls_core_params_from_machine(&params, m);
	return (s->stalls = stalls_core_create(&params, err)) != NULL;
}

static bool push(void *self, const struct culprit_record *records, size_t count, struct error *err)
{
	struct library_stalls *s = self;
	stalls_core_push(s->stalls, records, count);
	return true;
}

static bool finish(void *self, const struct library_totals *totals, struct error *err)
{
	struct library_stalls *s = self;
	TRY(stalls_core_finish(s->stalls, totals->cycles, totals->instructions, err));
	if (!stalls_core_results(s->stalls, &s->results))
		return error_set(err, ERROR_SYSTEM, "out of memory for the stall tree");
	s->report = (struct stalls_report){
		.results = &s->results, .cycles = totals->cycles, .instructions = totals->instructions};
	return true;
}

static json_t *json(void *self)
{
	struct library_stalls *s = self;
	return stalls_report_json(&s->report);
}

static void destroy(void *self)
{
	struct library_stalls *s = self;
	culprit_stalls_results_free(&s->results);
	stalls_core_destroy(s->stalls);
}

const struct library_analysis library_stalls = {
	"stalls", sizeof(struct library_stalls), create, push, NULL, finish, json, destroy};
