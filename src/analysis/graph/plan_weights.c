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
	if (!weights_create(&w->weights, weights_reach(p, far_entries(g))))
		return graph_fail(g, "out of memory for weights");
	w->near = weight_span_begin(graph_held(p), WEIGHT_ROB, g->count);
	w->far = weight_span_begin(far_entries(g), WEIGHT_ROB, g->count);
	w->dispatch = weight_span_begin(p->dispatch_width, WEIGHT_DISPATCH, g->count);
	w->commit = weight_span_begin(p->commit_width, WEIGHT_COMMIT, g->count);
	return true;
}

/* More records in flight than there are entries: W, C and D are kept for as many as may be. */
static bool reach_further(struct culprit_graph *g)
{
	const struct graph_weighing *w = &g->weighing;
	const uint64_t near = weights_reach(&g->params, g->params.rob), far = weights_reach(&g->params, far_entries(g));
	uint32_t reach[2], rows = g->d.rows;
	bool further = false;
	for (unsigned half = 0; half < 2; half++) {
		bool is_near = g->asked[half] == g->params.rob;
		reach[half] = g->reach[half];
		if (weight_span_records(is_near ? &w->near : &w->far, g->count) > reach[half]) {
			reach[half] = (uint32_t)(is_near ? near : far);
			further = true;
		}
	}
	if (weight_span_records(&w->dispatch, g->count) >= rows) {
		rows = (uint32_t)power_of_two_from(near + 2);
		further = true;
	}
	return !further || graph_rows_extend(g, reach, rows);
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
	if (!reach_further(g))
		return false;
	s->d_width = dispatch ? graph_node_row(g, &g->d, (uint32_t)dispatch) : g->scratch[SCRATCH_ZERO];
	s->rare |= STEP_D_WIDTH;
	return true;
}
