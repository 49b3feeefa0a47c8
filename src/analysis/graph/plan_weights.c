/* Records that take more or less than one entry or slot: which instruction fills a width or made room follows from the
 * weights between. Until the first such record the distances are those of the parameters. */
#include "analysis/graph/plan.h"

static uint64_t far_entries(const struct culprit_graph *g)
{
	return graph_held_far(&g->params);
}

static bool begin(struct culprit_graph *g)
{
	const struct culprit_graph_params *p = &g->params;
	struct graph_weighing *w = &g->weighing;
	if (!weights_create(&w->weights, weights_reach(p, graph_rob_far(p))))
		return graph_fail(g, "out of memory for weights");
	w->near = weight_span_begin(graph_held(p), WEIGHT_ROB, g->count);
	w->far = weight_span_begin(far_entries(g), WEIGHT_ROB, g->count);
	w->dispatch = weight_span_begin(p->dispatch_width, WEIGHT_DISPATCH, g->count);
	w->commit = weight_span_begin(p->commit_width, WEIGHT_COMMIT, g->count);
	for (unsigned half = 0; half < 2; half++)
		w->window[half] = weight_span_begin(g->asked[half], WEIGHT_ROB, g->count);
	return true;
}

/* More records in flight than there are entries: W, C and D are kept for as many as may be. */
static bool reach_further(struct culprit_graph *g)
{
	const struct graph_weighing *w = &g->weighing;
	uint32_t reach[2], rows = g->d.rows;
	bool further = false;
	for (unsigned half = 0; half < 2; half++) {
		reach[half] = g->reach[half];
		if (g->within[half] > reach[half]) {
			reach[half] = (uint32_t)weights_reach(&g->params, g->asked[half]);
			further = true;
		}
	}
	if (weight_span_records(&w->dispatch, g->count) >= rows) {
		rows = (uint32_t)power_of_two_from(weights_reach(&g->params, g->params.rob) + 2);
		further = true;
	}
	return !further || graph_rows_extend(g, reach, rows);
}

static void note_within(struct culprit_graph *g)
{
	struct graph_weighing *w = &g->weighing;
	for (unsigned half = 0; half < 2; half++) {
		weight_span_back(&w->window[half], &w->weights, g->count);
		const uint64_t records = weight_span_records(&w->window[half], g->count);
		g->within[half] = records > g->asked[half] ? (uint32_t)records : g->asked[half];
	}
}

static bool shared_by_too_many(const struct culprit_graph *g)
{
	const struct graph_weighing *w = &g->weighing;
	const uint64_t near = weights_reach(&g->params, g->params.rob), far = weights_reach(&g->params, far_entries(g));
	return weight_span_records(&w->near, g->count) > near || weight_span_records(&w->far, g->count) > far ||
	       weight_span_records(&w->dispatch, g->count) > near || weight_span_records(&w->commit, g->count) > near;
}

static uint64_t or_none(uint64_t back)
{
	return back ? back : INT32_MAX;
}

bool graph_plan_weights(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s)
{
	struct graph_weighing *w = &g->weighing;
	const char *wrong = weights_wrong(&g->params, r);
	if (wrong)
		return graph_fail(g, "%s", wrong);
	if (!w->weights.of && !begin(g))
		return false;
	weights_note(&w->weights, g->count, r);
	g->most.near = or_none(weight_span_back(&w->near, &w->weights, g->count));
	g->most.far = or_none(weight_span_back(&w->far, &w->weights, g->count));
	g->most.commit_width = or_none(weight_span_back(&w->commit, &w->weights, g->count));
	uint64_t dispatch = weight_span_back(&w->dispatch, &w->weights, g->count);
	if (shared_by_too_many(g))
		return graph_fail(g, "too many records in a row that take no ROB entry, dispatch or commit slot");
	note_within(g);
	if (!reach_further(g))
		return false;
	s->d_width = dispatch ? graph_node_row(g, &g->d, (uint32_t)dispatch) : g->scratch[SCRATCH_ZERO];
	s->rare |= STEP_D_WIDTH;
	return true;
}
