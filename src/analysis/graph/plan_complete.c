/* Rarer parts of P and W: misses, lines on their way, mispredicted branches. */
#include "analysis/graph/plan.h"

/* PP: the line is on its way already. The access completes with it, or when it would have brought the line itself, if
 * idealisation made it the first. One too old for the rings has committed before i was dispatched. Its line may still
 * be under way: a store writes only after its commit, and what a load asked for besides is a prefetch. (With such
 * waits dropped: 400 thousand instructions of cc1 on zen4, after 12 million, base time 2.6 % short.)
 * False: who brings the line is not known. */
static bool plan_sharing(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s)
{
	if (!(r->flags & CULPRIT_MERGED) || !r->primary_miss || r->primary_miss > g->furthest)
		return false;
	const struct record_fact *primary_miss = record_fact(&g->facts, g->count, r->primary_miss);
	bool load = primary_miss->flags & CULPRIT_LOAD;
	uint64_t from = load ? primary_miss->complete : primary_miss->commit;
	if (r->complete < from || r->complete - from > GRAPH_MARGIN)
		return false;
	struct floor f = {g, SCRATCH_P_FLOOR, {false, false}};
	const void *mask = graph_mask_at(g, graph_data_miss(r->dlevel), r->pc);
	floor_within(&f, load ? NODE_WAKE : NODE_COMMIT, r->primary_miss, (uint32_t)(r->complete - from), mask);
	for (unsigned half = 0; half < 2; half++)
		if (r->primary_miss > g->within[half])
			floor_edge(&f, half, graph_mask(g, 0), 0, mask);
	s->p_floor = floor_done(&f);
	s->rare |= s->p_floor ? STEP_P_FLOOR : 0;
	s->alone = record_misses_alone(primary_miss, r);
	s->alone_mask = mask;
	return true;
}

/* A mispredicted branch resolves at least one cycle after its issue, so its last cycle goes only when it is both
 * idealised and predicted right. */
static const void *mispredicted_mask(struct culprit_graph *g, const struct culprit_record *r, const void *mask)
{
	const char *bmisp = graph_mask_at(g, CULPRIT_EVENT_bmisp, r->pc);
	char *either = g->scratch[SCRATCH_MASK];
	for (size_t i = 0; i < 2 * graph_half_bytes(g); i++)
		either[i] = ((const char *)mask)[i] | bmisp[i];
	return either;
}

/* How long the load has an MSHR in each lane. */
static void plan_hold(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s, uint32_t stray)
{
	char *hold = g->scratch[SCRATCH_HOLD];
	graph_catch_up(g);
	g->kernel->latency(hold, s->miss, s->miss_mask, true);
	if (stray)
		g->kernel->latency(hold, stray, graph_stray_mask(g, graph_data_miss(r->dstray), r->pc), false);
	s->hold = hold;
	if (!(s->rare & STEP_MISS_BUS))
		return;
	char *bus = g->scratch[SCRATCH_BUS];
	bool memory = r->dlevel == CULPRIT_LEVEL_MEMORY && r->dmiss;
	g->kernel->latency(bus, memory, s->miss_mask, true);
	if (graph_misses_stray(g, r, stray))
		g->kernel->latency(bus, 1, graph_stray_mask(g, graph_data_miss(r->dstray), r->pc), false);
	s->bus = bus;
}

/* A hit behind a miss of the same line (or a hit of the next level, behind a miss of that level) found the line because
 * it came late enough. In lanes where it comes earlier the line is on its way; it completes with it, at worst as if it
 * brought it itself. What a store forwards needs no line. */
static void plan_following(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s)
{
	const struct record_line *known = graph_line_missed(g, r, r->dmiss != 0);
	if (!known || known->number == g->count ||
	    (s->rare & (STEP_P_FLOOR | STEP_MISS_LOAD | STEP_MISS_BUS | STEP_BELOW)) ||
	    r->dlevel == CULPRIT_LEVEL_MEMORY || (r->flags & CULPRIT_FORWARDED))
		return;
	if (r->complete < g->facts.facts[known->number & g->facts.mask].complete)
		return; /* it came before, and the line went in between */
	struct floor f = {g, SCRATCH_P_FLOOR, {false, false}};
	enum culprit_event_class miss = graph_data_miss(known->level);
	const void *mask = graph_mask_at(g, miss, r->pc);
	graph_catch_up(g);
	floor_within(&f, NODE_WAKE, g->count - known->number, 0,
		     known->stray ? graph_stray_mask(g, miss, r->pc) : mask);
	s->p_floor = floor_done(&f);
	s->rare |= s->p_floor ? STEP_P_FLOOR : 0;
	s->alone = known->cycles;
	s->alone_mask = mask;
}

/* The first use of a line that the L1D's prefetcher brings: it completes when the line is there, at worst as if it
 * brought it itself. Where a wrong path was the trigger, lanes with mispredictions have the line as recorded; in the
 * others the right path's own access to the same address is the trigger. False: it is not known. */
static bool plan_prefetched(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s)
{
	if (!r->prefetch_level || (r->dmiss && !(r->flags & CULPRIT_MERGED)))
		return false;
	const enum culprit_event_class miss = graph_data_miss(r->prefetch_level);
	const void *mask = r->dstray ? graph_stray_mask(g, miss, r->pc) : graph_mask_at(g, miss, r->pc);
	struct floor f = {g, SCRATCH_P_FLOOR, {false, false}};
	if (!graph_prefetched_floor(g, r, graph_prefetched_there(r, r->complete), mask, &f))
		return false;
	const uint32_t whole = g->params.miss_cycles[r->prefetch_level];
	s->p_floor = floor_done(&f);
	s->rare |= STEP_P_FLOOR;
	s->alone = whole > r->dmiss ? whole : r->dmiss;
	s->alone_mask = mask;
	return true;
}

/* Usually one miss of one class; the rest is added up in a row. */
static void plan_misses(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s)
{
	const bool timed = plan_prefetched(g, r, s), shared = timed || plan_sharing(g, r, s);
	s->line_floor = timed ? s->p_floor : NULL;
	const uint32_t as_it_was = timed && r->dstray ? r->dmiss : 0; /* in lanes with mispredictions */
	s->miss_mask = graph_order_missing(g, r, graph_mask_at(g, graph_data_miss(r->dlevel), r->pc));
	uint32_t stray = r->dstray ? graph_stray_cycles(g, r->mem_addr, r->dstray, r->dmiss, g->stray_lines[0]) : 0;
	const bool prefetched = graph_misses_prefetched(g, r, s);
	if (r->dmiss | stray)
		record_lines_note(&g->lines, g->count, r, stray);
	else if (timed)
		record_lines_note_prefetched(&g->lines, g->count, r, g->params.miss_cycles[r->prefetch_level]);
	stray = timed ? 0 : stray; /* the floor says more */
	if (prefetched) {
		if (!shared) {
			s->miss = r->dmiss;
			s->rare |= STEP_MISS;
		}
	} else if (!timed && (r->dmiss | stray) && graph_misses_load(g, r, s, shared, stray)) {
		plan_hold(g, r, s, stray);
		stray = 0;
	} else if (!shared && r->dmiss) {
		s->miss = r->dmiss;
		s->rare |= STEP_MISS;
	}
	if (!(r->dtlb | stray | as_it_was))
		return;
	void *add = g->scratch[SCRATCH_P_ADD];
	graph_catch_up(g);
	g->kernel->latency(add, r->dtlb, graph_mask_at(g, CULPRIT_EVENT_dtlb, r->pc), true);
	if (stray)
		g->kernel->latency(add, stray, graph_stray_mask(g, graph_data_miss(r->dstray), r->pc), false);
	if (as_it_was) {
		const enum culprit_event_class miss = graph_data_miss(r->dlevel);
		g->kernel->latency(add, as_it_was, graph_mask_with_bmisp(g, miss, r->pc), false);
		s->alone_mask = graph_stray_mask(g, miss, r->pc); /* again: both are made in one place */
	}
	s->p_add = add;
	s->rare |= STEP_P_ADD;
}

/* A store that is translated at its issue. */
static void plan_translation(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s)
{
	void *add = g->scratch[SCRATCH_P_ADD];
	graph_catch_up(g);
	g->kernel->latency(add, r->dtlb, graph_mask_at(g, CULPRIT_EVENT_dtlb, r->pc), true);
	s->p_add = add;
	s->rare |= STEP_P_ADD;
}

/* The shorter of the two latencies; the other's cycles come on top in the lanes where it holds. */
uint32_t graph_plan_forward(struct culprit_graph *g, struct graph_step *s, uint32_t store)
{
	uint32_t forwarded = g->params.forward_latency, hit = g->params.load_hit;
	uint32_t shorter = forwarded < hit ? forwarded : hit;
	graph_catch_up(g);
	for (unsigned half = 0; half < 2; half++) {
		const char *row = store <= g->within[half] ? graph_commit_row(g, half, store) : NULL;
		s->left[half] = row ? row : g->scratch[SCRATCH_ZERO];
	}
	s->longer[0] = forwarded - shorter;
	s->longer[1] = hit - shorter;
	s->rare |= STEP_LEFT;
	return shorter;
}

void graph_plan_complete(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s, uint32_t exec)
{
	bool hit = (s->rare & STEP_LEFT) && !(r->flags & CULPRIT_FORWARDED);
	const uint32_t waited = g->ports.cycles ? r->port_wait : 0,
		       wakeup = r->wakeup > waited ? r->wakeup - waited : 0;
	if (wakeup > (hit ? exec : r->complete - r->issue - waited)) {
		s->wake = wakeup;
		s->rare |= STEP_WAKE;
		g->largest_wake = wakeup > g->largest_wake ? wakeup : g->largest_wake;
	}
	if (r->flags & CULPRIT_MISPREDICTED) {
		s->rare |= STEP_P_OUT;
		if (exec == 1) {
			graph_catch_up(g);
			s->exec_mask = mispredicted_mask(g, r, s->exec_mask);
			s->latency = g->scratch[SCRATCH_LATENCY];
			g->kernel->latency(g->scratch[SCRATCH_LATENCY], exec, s->exec_mask, true);
		}
	}
	if ((r->flags & CULPRIT_LOAD) && (r->dmiss | r->dtlb | r->dstray | r->prefetch_level))
		plan_misses(g, r, s);
	else if (record_only_stores(r->flags) && r->dtlb)
		plan_translation(g, r, s);
	if (r->flags & CULPRIT_LOAD)
		plan_following(g, r, s);
}

/* The row of a latency: kept, when it is one of the usual. */
const void *graph_latency(struct culprit_graph *g, enum culprit_event_class event, uint64_t pc, uint32_t exec)
{
	void *row = g->scratch[SCRATCH_LATENCY];
	if (exec < GRAPH_LATENCIES && !g->ranged)
		row = graph_latency_create(g, event, exec);
	else
		graph_catch_up(g);
	g->kernel->latency(row, exec, graph_mask_at(g, event, pc), true);
	return row;
}
