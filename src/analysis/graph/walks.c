/* See the header. */
#include "analysis/graph/walks.h"

#include "analysis/graph/state.h"

#include <stdlib.h>

/* A page that is walked again so soon shares a walk that is under way. */
enum { PAGES = 256, SHARED = 1024 };

struct graph_walks {
	uint64_t issued, writes, code; /* walks of this stretch; issued: of loads, and of stores before their writes */
	uint64_t last[GRAPH_LANES], behind[GRAPH_LANES]; /* lane time; cycles that walks waited */
	uint64_t unwritten[GRAPH_LANES];		 /* cycles of walks for writes that wait */
	struct {
		uint64_t page, number; /* number: the instruction's + 1; 0 = unused */
	} recent[PAGES];
};

bool graph_walks_create(struct culprit_graph *g)
{
	const struct culprit_graph_params *p = &g->params;
	if (!p->walkers || !p->walk_latency || !p->page || g->ranged)
		return true;
	g->walks = calloc(1, sizeof *g->walks);
	return g->walks != NULL;
}

void graph_walks_destroy(struct culprit_graph *g)
{
	free(g->walks);
}

/* Is it a walk of its own? */
static bool walks(struct culprit_graph *g, uint64_t address, uint32_t cycles)
{
	if (cycles < g->params.walk_latency)
		return false;
	const uint64_t page = address / g->params.page, at = page % PAGES, number = g->count + 1;
	const bool shared = g->walks->recent[at].number && g->walks->recent[at].page == page &&
			    number - g->walks->recent[at].number < SHARED;
	g->walks->recent[at].page = page;
	g->walks->recent[at].number = number;
	return !shared;
}

void graph_walks_note(struct culprit_graph *g, const struct culprit_record *r)
{
	struct graph_walks *w = g->walks;
	const uint32_t issued = r->dtlb_level == CULPRIT_LEVEL_MEMORY ? r->dtlb : 0;
	const uint32_t fetched = r->itlb_level == CULPRIT_LEVEL_MEMORY ? r->itlb : 0;
	if ((r->flags & CULPRIT_LOAD) || issued)
		w->issued += walks(g, r->mem_addr, issued);
	else if (r->flags & CULPRIT_STORE) /* of a write no record says which level translated */
		w->writes += walks(g, r->mem_addr, r->write_dtlb);
	w->code += walks(g, r->pc, fetched);
}

static bool keeps(const struct culprit_graph *g, enum culprit_event_class event, unsigned lane)
{
	return graph_get_lane(g, g->event_mask[event], lane);
}

static uint64_t cycles(const struct culprit_graph *g, uint64_t count)
{
	return count * g->params.walk_latency / g->params.walkers;
}

void graph_walks_settle(struct culprit_graph *g)
{
	struct graph_walks *w = g->walks;
	uint64_t time[GRAPH_LANES];
	if (!w)
		return;
	graph_rows_times(g, time);
	for (unsigned lane = GRAPH_HALF; lane < GRAPH_LANES; lane++) {
		const bool data = keeps(g, CULPRIT_EVENT_dtlb, lane);
		const uint64_t least =
			cycles(g, (data ? w->issued : 0) + (keeps(g, CULPRIT_EVENT_itlb, lane) ? w->code : 0));
		const uint64_t writes = w->unwritten[lane] + (data ? cycles(g, w->writes) : 0);
		const uint64_t passed = time[lane] > w->last[lane] ? time[lane] - w->last[lane] : 0;
		w->behind[lane] += least > passed ? least - passed : 0;
		w->unwritten[lane] = writes > passed ? writes - passed : 0;
		w->last[lane] = time[lane];
	}
	w->issued = w->writes = w->code = 0;
}

static void exchange(uint64_t *a, uint64_t *b)
{
	const uint64_t kept = *a;
	*a = *b;
	*b = kept;
}

void graph_walks_swap(struct culprit_graph *g, unsigned a, unsigned b)
{
	struct graph_walks *w = g->walks;
	for (unsigned lane = 0; w && lane < GRAPH_LANES; lane++) {
		const unsigned other = lane ^ (1u << a | 1u << b);
		if (!(lane >> a & 1) || (lane >> b & 1))
			continue;
		exchange(&w->last[lane], &w->last[other]);
		exchange(&w->behind[lane], &w->behind[other]);
		exchange(&w->unwritten[lane], &w->unwritten[other]);
	}
}

void graph_walks_finish(const struct culprit_graph *g, uint64_t *time)
{
	for (unsigned lane = GRAPH_HALF; g->walks && lane < GRAPH_LANES; lane++)
		time[lane] += g->walks->behind[lane] + g->walks->unwritten[lane];
}
