/* Stores' writes and the store queue. A store's write begins at its commit; its entry is free when that write and those
 * of all older stores are done: R(i) = max(R(i-1), C(i) + hit + translation + miss). Idealisation can leave a write no
 * time at all; then the entry is free at C(i), whatever older ones do.
 *
 * The entries are a pool; those of a window window_factor times as large, too many for one, are taken to leave in
 * order.
 *
 * A write whose line is on its way is done with the line. Where an older store's write brings it, which is the rule,
 * R(i-1) says so already, in every lane; that the write takes time is all that is left to say. Otherwise the wait stays
 * as recorded.
 *
 * Posted writes (params.posted_writes) go to the L1D one behind the other, and wait for their MSHRs and not for their
 * lines, in each lane as edges/posted.h has it by the records. Then R(i) is when the buffer takes the write; without a
 * buffer, when the write is served. Their MSHRs and the bus are misses.h's, when those in front are served. */
#include "analysis/graph/plan.h"

static uint32_t far_factor(const struct culprit_graph_params *p)
{
	return p->large & CULPRIT_EVENT_BIT(lsq) ? 1 : p->window_factor;
}

void graph_writes_size(struct culprit_graph *g)
{
	const struct culprit_graph_params *p = &g->params;
	struct graph_writes *w = &g->writes;
	w->posted = p->store_writes && p->posted_writes;
	w->served.rows = w->posted ? p->write_buffer : 0;
	if (!p->store_writes || !p->sq)
		return;
	bool halves = g->window_halves;
	w->entries.count = p->sq;
	w->entries.halves = halves ? 1 : 2;
	w->released.rows = halves ? p->sq * far_factor(p) + 1 : 0;
}

bool graph_writes_create(struct culprit_graph *g)
{
	return !g->writes.posted || posted_writes_create(&g->writes.by_records, &g->params);
}

/* The row of store number `number`. */
static char *released_row(const struct graph_writes *w, uint64_t number)
{
	return w->released.base + number % w->released.rows * w->released.stride;
}

/* Where the write before it by as many as the buffer has entries left it, in each lane. */
static char *left_row(const struct culprit_graph *g, uint64_t number)
{
	const struct graph_ring *served = &g->writes.served;
	return served->rows ? served->base + number % served->rows * served->stride : g->scratch[SCRATCH_ZERO];
}

static void plan_posted(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s)
{
	struct graph_writes *w = &g->writes;
	w->write = posted_writes_next(&w->by_records, &g->params, r);
	s->buffer_left = left_row(g, w->planned);
	s->write_waited = w->write.waited;
	s->write_whole = 0;
}

void graph_writes_plan(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s)
{
	struct graph_writes *w = &g->writes;
	uint64_t far = (uint64_t)g->params.sq * far_factor(&g->params);
	uint64_t done = r->commit + g->params.write_hit + r->write_dtlb + r->write_miss;
	s->entry[0] = graph_pool_first(&w->entries);
	s->entry[1] = w->released.rows && far <= w->planned ? released_row(w, w->planned - far)
							    : g->scratch[SCRATCH_ZERO];
	s->rare |= STEP_WRITE | (w->released.rows ? STEP_D_ENTRY : 0);
	bool covered = r->write_merged && done <= w->recorded;
	s->write_miss = covered ? r->write_miss != 0 : r->write_miss;
	s->write_dtlb = r->write_dtlb;
	s->hit_mask = graph_mask_at(g, CULPRIT_EVENT_dl1, r->pc);
	s->write_miss_mask = graph_mask_at(g, graph_data_miss(r->write_level), r->pc);
	s->write_dtlb_mask = graph_mask_at(g, CULPRIT_EVENT_dtlb, r->pc);
	w->recorded = done > w->recorded ? done : w->recorded;
	s->line_mask = NULL;
	if (g->params.write_interval && w->line != r->mem_addr / g->params.l1_line + 1)
		s->line_mask = graph_mask_at(g, CULPRIT_EVENT_bw, r->pc);
	if (g->params.write_interval)
		w->line = r->mem_addr / g->params.l1_line + 1;
	if (w->posted)
		plan_posted(g, r, s);
	w->planned++;
}

/* Cycles from commit until the write is done, in each lane. */
static const char *write_row(struct culprit_graph *g, const struct graph_step *s)
{
	char *row = g->scratch[SCRATCH_WRITE];
	g->kernel->latency(row, g->params.write_hit, s->hit_mask, true);
	if (s->write_miss)
		g->kernel->latency(row, s->write_miss, s->write_miss_mask, false);
	if (s->write_dtlb)
		g->kernel->latency(row, s->write_dtlb, s->write_dtlb_mask, false);
	if (s->rare & (STEP_MISS_WRITE | STEP_WRITE_BUS))
		g->kernel->add(row, g->scratch[SCRATCH_WRITE_WAIT]);
	return row;
}

static void post(struct culprit_graph *g, const struct graph_step *s, const void *const commit[2])
{
	const char *asked = g->scratch[SCRATCH_ASKED];
	g->kernel->posted(g, s, commit);
	if (s->rare & (STEP_MISS_WRITE | STEP_WRITE_BUS)) {
		if (s->write_whole) /* a prefetch's line takes them, and the write waits for neither */
			g->kernel->miss_write(g, s, (const void *const[]){asked, asked + graph_half_bytes(g)});
		graph_misses_written(g, s);
	}
	if (g->writes.served.rows)
		memcpy(left_row(g, g->writes.count), g->scratch[SCRATCH_DONE], g->writes.served.stride);
}

/* Another line: the write is over when its turn is. */
static void wait_for_turn(struct culprit_graph *g, const struct graph_step *s, const void *const commit[2])
{
	char *turn = g->scratch[SCRATCH_LINE], *after = g->scratch[SCRATCH_LINE_AFTER];
	const size_t half = graph_half_bytes(g);
	for (unsigned h = 0; h < 2; h++)
		g->kernel->edge(turn + h * half, commit[h], 0, graph_mask(g, 0), false);
	g->kernel->latency(turn, g->params.write_interval, s->line_mask, false);
	memcpy(after, turn, 2 * half);
	for (unsigned h = 0; h < 2; h++) {
		g->kernel->rebase(after + h * half, 1, 0, commit[h], GRAPH_HALF);
		g->kernel->edge(g->scratch[SCRATCH_WRITE] + h * half, after + h * half, 0, graph_mask(g, 0), false);
	}
}

static void write(struct culprit_graph *g, const struct graph_step *s, const void *const commit[2])
{
	const char *row = write_row(g, s);
	if (s->line_mask)
		wait_for_turn(g, s, commit);
	for (unsigned half = 0; half < 2; half++) {
		size_t offset = half * graph_half_bytes(g);
		g->kernel->write(g->scratch[SCRATCH_RELEASED] + offset, g->scratch[SCRATCH_DONE] + offset, commit[half],
				 row + offset);
	}
}

void graph_writes_hold(struct culprit_graph *g, const struct graph_step *s)
{
	struct graph_writes *w = &g->writes;
	const char *released = g->scratch[SCRATCH_RELEASED];
	const void *commit[2];
	for (unsigned half = 0; half < 2; half++)
		commit[half] = graph_ring_row(&g->wc[half], 0) + graph_half_bytes(g);
	if (w->posted)
		post(g, s, commit);
	else
		write(g, s, commit);
	if (w->released.rows)
		memcpy(released_row(w, w->count), released + graph_half_bytes(g), graph_half_bytes(g));
	if (w->entries.count)
		graph_pool_take(g, &w->entries, released);
	w->count++;
}
