/* --score graph: every cost and interaction that was simulated, against the dependence graph's. Each is taken in
 * percent of its own base time, as the two reports print it; the bases are compared in the first row. */
#include "analysis/graph/machine.h"
#include "truth/truth.h"

enum { SETS = 1 << CULPRIT_BASE_EVENTS };

struct found {
	bool known[SETS];
	int64_t cycles[SETS], icost[SETS];
};

static bool odd(struct error *err)
{
	return error_set(err, ERROR_INTERNAL, "its JSON is not what docs/reference/json.md says");
}

static bool parse_set(const json_t *classes, culprit_event_set *set, struct error *err)
{
	*set = 0;
	for (size_t i = 0; i < json_array_size(classes); i++) {
		culprit_event_set one = 0;
		const char *name = json_string_value(json_array_get(classes, i));
		if (!name)
			return odd(err);
		TRY(culprit_event_set_parse(name, &one, err));
		*set |= one;
	}
	return *set < SETS || odd(err);
}

static bool parse(const json_t *graph, struct found *f, struct error *err)
{
	const json_t *sets = json_object_get(graph, "sets");
	for (size_t i = 0; i < json_array_size(sets); i++) {
		const json_t *row = json_array_get(sets, i), *cycles = json_object_get(row, "cycles"),
			     *icost = json_object_get(row, "icost");
		culprit_event_set set = 0;
		TRY(parse_set(json_object_get(row, "classes"), &set, err));
		if (!json_is_integer(cycles) || !json_is_integer(icost))
			return odd(err);
		f->known[set] = true;
		f->cycles[set] = json_integer_value(cycles);
		f->icost[set] = json_integer_value(icost);
	}
	return f->known[0] || odd(err);
}

/* The graph knows the base classes; what was simulated of finer ones has no counterpart. */
static void add(struct truth_score *s, const struct found *f, const struct truth_value_row *v, culprit_event_set set)
{
	if (v->known && set < SETS && f->known[set])
		score_row(s, v->name, v->cycles, f->icost[set], v->size, true);
}

static bool score_graph_fill(struct truth *t, const json_t *graph, struct error *err)
{
	const struct truth_report *r = &t->report;
	struct found f = {.known = {false}};
	TRY(parse(graph, &f, err));
	struct truth_score *s =
		score_table(&t->report, "graph", NULL, "graph", "costs", r->cost_count + r->icost_count);
	if (!s)
		return error_set(err, ERROR_SYSTEM, "out of memory for the scoreboard");
	s->method_base = (uint64_t)f.cycles[0];
	s->base = (struct graph_base){.method = (double)s->method_base, .simulated = (double)s->truth_base};
	s->base.gap_count = graph_gaps(&t->session.machine, s->base.gaps, GRAPH_GAPS_MOST);
	for (size_t i = 0; i < r->cost_count; i++)
		add(s, &f, &r->costs[i], 1u << t->plan.classes[i]);
	for (size_t i = 0; i < r->icost_count; i++) {
		culprit_event_set set = 0;
		for (uint32_t c = 0; c < t->plan.class_count; c++)
			if (t->plan.sets[i] >> c & 1)
				set |= 1u << t->plan.classes[c];
		add(s, &f, &r->icosts[i], set);
	}
	score_finish(s);
	return true;
}

const struct score_method score_graph = {.fill = score_graph_fill};
