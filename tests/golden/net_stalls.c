/* Stall trees: by the sensors of a core, with engines of all sizes; and by the engine alone, which is told at random. */
#include "net.h"

#include "analysis/stalls/core.h"

#include <stdlib.h>
#include <string.h>

static void add_nodes(struct net_sum *sum, const struct culprit_stall_node *nodes, size_t count)
{
	for (const struct culprit_stall_node *n = nodes; n < nodes + count; n++) {
		const uint64_t words[] = {n->parent, n->type, n->depth, n->end, n->own, n->total};
		for (size_t i = 0; i < sizeof words / sizeof *words; i++)
			net_add(sum, words[i]);
	}
}

static void add_results(struct net_sum *sum, const struct culprit_stall_results *x)
{
	struct culprit_stall_node *nodes;
	size_t count;
	const uint64_t words[] = {x->width,	 x->counted,	x->lost,	   x->elsewhere,
				  x->type_count, x->node_count, x->interval_count, x->interval,
				  x->chains,	 x->snipped,	x->folded,	   x->dropped_events};
	net_add_text(sum, x->accumulator);
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		net_add(sum, words[i]);
	for (uint32_t i = 0; i < x->type_count; i++) {
		net_add_text(sum, i ? x->types[i].type.name : NULL);
		net_add_text(sum, i ? x->types[i].set : NULL);
		net_add(sum, x->leaf_totals[i]);
		net_add(sum, x->node_totals[i]);
	}
	for (size_t n = 0; n < x->interval_count; n++) {
		net_add(sum, x->intervals[n].first);
		net_add(sum, x->intervals[n].cycles);
		net_add(sum, x->intervals[n].lost);
		for (uint32_t i = 0; i < x->type_count; i++) {
			net_add(sum, x->intervals[n].leaves[i]);
			net_add(sum, x->intervals[n].tops[i]);
		}
	}
	add_nodes(sum, x->nodes, x->node_count);
	if (culprit_stalls_invert(x, &nodes, &count)) {
		add_nodes(sum, nodes, count);
		free(nodes);
	}
}

/* --- the sensors --- */

static void params_made(struct stalls_core_params *p, const struct net_stream *s)
{
	const struct culprit_graph_params *g = &s->graph;
	*p = (struct stalls_core_params){.commit_width = g->commit_width ? g->commit_width : UINT32_MAX,
					 .dispatch_width = g->dispatch_width ? g->dispatch_width : UINT32_MAX,
					 .fetch_width = g->fetch_width ? g->fetch_width : UINT32_MAX,
					 .frontend_stages = g->frontend_stages,
					 .recovery = g->recovery,
					 .recovery_data = g->recovery_data,
					 .dispatch_to_issue = g->dispatch_to_issue,
					 .commit_delay = g->commit_delay,
					 .forward_latency = g->forward_latency,
					 .window = g->rob,
					 .unit_count = 2,
					 .queue_count = g->queue_count,
					 .units = {"one", "other"},
					 .queues = {"a", "b", "c", "d", "e", "f", "g", "h"}};
}

static void draw_engine(struct stalls_core_params *p, const struct net_stream *s, struct random_source *r)
{
	p->engine.depth = net_chance(r, 60) ? 4 + random_below(r, 8) : 0;
	p->engine.chains = net_chance(r, 30) ? 1024 : 1 << 14;
	p->engine.leaf_bits = net_chance(r, 70) ? 10 + random_below(r, 3) : 0;
	p->engine.interval = net_chance(r, 60) ? 1 + random_below(r, net_chance(r, 30) ? 3 : 300) : 0;
	if (net_chance(r, 40)) {
		p->first_pc = s->records[random_below(r, (uint32_t)s->count)].pc;
		p->end_pc = p->first_pc + random_below(r, 2000);
	}
	if (net_chance(r, 20))
		p->recovery = random_below(r, 12);
	if (net_chance(r, 20))
		p->queue_count = p->queue_count ? p->queue_count - 1 : 0;
}

void net_stalls(const struct net_stream *s, FILE *out)
{
	struct random_source r = net_random(s, 9);
	struct stalls_core_params params;
	struct culprit_stall_results results = {0};
	struct net_sum sum = {0};
	struct error err = {0};
	if (s->recorded)
		stalls_core_params_from_machine(&params, &s->machine);
	else
		params_made(&params, s);
	draw_engine(&params, s, &r);
	struct stalls_core *x = stalls_core_create(&params, &err);
	for (size_t i = 0, n; x && i < s->count; i += n) {
		n = 1 + random_below(&r, 400);
		n = n < s->count - i ? n : s->count - i;
		stalls_core_push(x, s->records + i, n);
	}
	if (x)
		net_add(&sum, stalls_core_finish(x, s->cycles, s->count, &err));
	net_add_text(&sum, err.text);
	if (x && stalls_core_results(x, &results)) {
		net_add(&sum, stalls_core_lost(x));
		for (uint32_t i = 1; i < results.type_count; i++)
			net_add(&sum, stalls_core_class(x, i));
		add_results(&sum, &results);
		culprit_stalls_results_free(&results);
	}
	stalls_core_destroy(x);
	net_print(out, &sum);
}

/* --- the engine --- */

enum { LEAVES = 4, PATHS = 4, HISTORIES = 6, STAGES = 3, STEPS = 600 };

struct engine {
	struct culprit_stalls *s;
	uint32_t leaf, path, accumulators[2]; /* or both are one: only then it is known that all of a run is taken */
	struct culprit_stall_history histories[HISTORIES];
	struct culprit_stall_stage stages[STAGES];
	struct culprit_stall_run runs[4]; /* of before */
	uint64_t cycle;
	struct net_sum sum;
};

static const struct culprit_stall_type leaf_types[LEAVES] = {{"a", "A", "", CULPRIT_STALL_LEAF},
							     {"b", "B", "", CULPRIT_STALL_LEAF},
							     {"c", "C", "", CULPRIT_STALL_LEAF},
							     {"f", "F", "", CULPRIT_STALL_LEAF | CULPRIT_STALL_FLUSH}};
static const struct culprit_stall_type path_types[PATHS] = {
	{"p", "P", "", 0}, {"q", "Q", "", 0}, {"r", "R", "", 0}, {"i", "I", "", CULPRIT_STALL_INFORMATIONAL}};
static const struct culprit_stall_set leaf_set = {"leaves", leaf_types, LEAVES},
				      path_set = {"paths", path_types, PATHS};

static struct culprit_stall_history *history(struct engine *e, struct random_source *r)
{
	return &e->histories[random_below(r, HISTORIES)];
}

static uint32_t path(const struct engine *e, struct random_source *r)
{
	return e->path + random_below(r, PATHS);
}

static void see(struct engine *e, struct culprit_stall_run run)
{
	net_add(&e->sum, run.chain);
	net_add(&e->sum, run.length);
	net_add(&e->sum, run.first);
}

static void tell_stages(struct engine *e, struct random_source *r)
{
	const unsigned i = random_below(r, STAGES);
	if (i && e->stages[i - 1].last.length)
		e->stages[i].now = culprit_stalls_because(e->s, path(e, r), e->stages[i - 1].last);
	else if (net_chance(r, 20))
		culprit_stalls_flush(&e->stages[i], culprit_stalls_leaf(e->s, e->leaf + 3, 1));
	else
		e->stages[i].now = culprit_stalls_leaf(e->s, e->leaf + random_below(r, LEAVES), 1);
	see(e, e->stages[i].now);
	for (unsigned k = 0; k < STAGES; k++)
		culprit_stalls_clock(&e->stages[k]);
}

static void accumulate(struct engine *e, struct random_source *r)
{
	const uint32_t to = e->accumulators[random_below(r, 2)], n = 1 + random_below(r, 6);
	const struct culprit_stall_run run = e->runs[random_below(r, 4)];
	const uint32_t by = path(e, r), many = 1 + random_below(r, 4);
	switch (random_below(r, 3)) {
	case 0:
		culprit_stalls_count(e->s, to, e->cycle, net_chance(r, 30) ? CULPRIT_STALL_NONE : by, run, many);
		break;
	case 1:
		net_add(&e->sum, culprit_stalls_take(e->s, to, e->cycle, by, history(e, r), n, 1));
		break;
	default:
		net_add(&e->sum, culprit_stalls_take_run(e->s, to, e->cycle, by, run, n, 2));
	}
}

static void step(struct engine *e, struct random_source *r)
{
	struct culprit_stall_run *run = &e->runs[random_below(r, 4)];
	struct culprit_stall_history *h = history(e, r), *source = history(e, r);
	/* One draw after the other: the order of arguments is the compiler's. */
	const uint32_t leaf = e->leaf + random_below(r, LEAVES),
		       length = 1 + random_below(r, net_chance(r, 10) ? 200 : 5);
	const uint32_t from = random_below(r, 5), some = 1 + random_below(r, 4);
	switch (random_below(r, 10)) {
	case 0:
	case 1:
		*run = culprit_stalls_leaf(e->s, leaf, length);
		break;
	case 2:
		*run = culprit_stalls_because(e->s, path(e, r), *run);
		break;
	case 3:
		*run = culprit_stalls_part(e->s, *run, from % 3, some);
		break;
	case 4:
		culprit_stalls_push(e->s, h, *run);
		break;
	case 5:
		for (unsigned i = 0; i < HISTORIES; i++) /* its source is used again */
			culprit_stalls_settle(e->s, &e->histories[i]);
		culprit_stalls_begin(h);
		if (net_chance(r, 60)) {
			const struct culprit_stall_run shortest = culprit_stalls_leaf(e->s, e->leaf, from);
			culprit_stalls_executes(h, shortest, culprit_stalls_leaf(e->s, e->leaf + 1, some));
		}
		break;
	case 6:
	case 7:
		if (source < h)
			culprit_stalls_wait(e->s, h, path(e, r), source, from + some);
		break;
	case 8:
		tell_stages(e, r);
		break;
	default:
		accumulate(e, r);
		e->cycle += random_below(r, 7);
		culprit_stalls_select(e->s, e->accumulators[0], !net_chance(r, 20));
	}
	see(e, *run);
}

void net_engine(const struct net_stream *s, FILE *out)
{
	struct random_source r = net_random(s, 10);
	const bool large = s->number % 10 == 0; /* more chains than there is room for */
	struct culprit_stall_params p = {.chains = 1024, .leaf_bits = 10};
	p.depth = 4 + random_below(&r, large ? 20 : 6);
	p.interval = net_chance(&r, 50) ? 1 + random_below(&r, 20) : 0;
	struct engine e = {.s = culprit_stalls_create(&p, NULL)};
	if (!e.s)
		abort();
	e.leaf = culprit_stalls_add_set(e.s, &leaf_set);
	e.path = culprit_stalls_add_set(e.s, &path_set);
	e.accumulators[0] = culprit_stalls_add_accumulator(e.s, "one", 2);
	e.accumulators[1] = net_chance(&r, 50) ? culprit_stalls_add_accumulator(e.s, "other", 1) : e.accumulators[0];
	for (unsigned i = 0; i < (large ? 20 * STEPS : STEPS); i++)
		step(&e, &r);
	for (unsigned i = 0; i < (e.accumulators[0] == e.accumulators[1] ? 1 : 2); i++) {
		struct culprit_stall_results results;
		if (!culprit_stalls_results(e.s, e.accumulators[i], &results))
			abort();
		add_results(&e.sum, &results);
		culprit_stalls_results_free(&results);
	}
	net_add_text(&e.sum, culprit_stalls_error(e.s));
	for (unsigned i = 0; i < HISTORIES; i++)
		culprit_stalls_release(&e.histories[i]);
	culprit_stalls_destroy(e.s);
	net_print(out, &e.sum);
}
