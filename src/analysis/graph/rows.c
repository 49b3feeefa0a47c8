/* Storage of the lanes' node times: rings, masks, rebasing, widening.
 *
 * Why 16 bits lose nothing. Call F the fetch time of the newest instruction, in some lane. Every later node of the
 * lane is at F or later. A rebase subtracts a delta <= F - margin from all live times and raises what was below delta
 * to delta. A raised time reaches later nodes only through edges of at most `margin` cycles (plan.c clips the few
 * that could be longer), so it contributes at most delta + margin <= F, which decides no maximum. All other
 * differences are
 * kept, so results are those of unbounded integers as long as nothing overflows; and nothing does, because `top`,
 * an upper bound of all live times, grows by each instruction's largest possible advance before its step runs. When a
 * rebase cannot bring `top` down (some lane's window spans more than 2^16 cycles), all rows are converted to 32
 * bits, and back when all windows span less than half of that. */
#include "analysis/graph/state.h"

#include <stdlib.h>
#include <string.h>

/* Hands out pieces of g->memory; with memory NULL it only measures. */
struct carver {
	char *base;
	size_t used;
};

static char *carve(struct carver *c, size_t bytes)
{
	char *p = c->base ? c->base + c->used : NULL;
	c->used += (bytes + GRAPH_ALIGN - 1) / GRAPH_ALIGN * GRAPH_ALIGN;
	return p;
}

static void carve_ring(struct carver *c, struct graph_ring *r, size_t stride, size_t rows)
{
	r->stride = stride;
	r->shift = (unsigned)__builtin_ctzll(stride);
	r->base = carve(c, stride * rows);
}

static size_t carve_all(struct culprit_graph *g, char *base)
{
	struct carver c = {base, 0};
	size_t row = (size_t)GRAPH_LANES * g->lane_bytes;
	for (unsigned i = 0; i < SCRATCH_ROWS; i++)
		g->scratch[i] = carve(&c, row);
	carve_ring(&c, &g->f, row, g->f.rows);
	carve_ring(&c, &g->d, row, g->d.rows);
	carve_ring(&c, &g->e, row, g->e.rows);
	carve_ring(&c, &g->arrived, row, g->arrived.rows);
	carve_ring(&c, &g->left, row, g->left.rows);
	carve_ring(&c, &g->accesses.looked, row, g->accesses.looked.rows);
	carve_ring(&c, &g->holds.freed, row, g->holds.freed.rows);
	for (unsigned h = 0; h < 2; h++) {
		carve_ring(&c, &g->wc[h], row, (size_t)g->wc[h].rows + 1);
		carve_ring(&c, &g->ahead[h], row / 2, g->ahead[h].rows);
	}
	for (uint32_t q = 0; q < g->params.queue_count; q++)
		carve(&c, graph_pool_place(g, &g->queues[q], carve(&c, 0)));
	carve(&c, graph_pool_place(g, &g->writes.entries, carve(&c, 0)));
	carve_ring(&c, &g->writes.released, row / 2, g->writes.released.rows);
	carve_ring(&c, &g->writes.served, row, g->writes.served.rows);
	carve(&c, graph_misses_place(g, &g->bus, carve(&c, 0)));
	carve(&c, graph_misses_place(g, &g->misses, carve(&c, 0)));
	return c.used;
}

static bool allocate(struct culprit_graph *g)
{
	g->memory_bytes = carve_all(g, NULL);
	char *memory = aligned_alloc(GRAPH_ALIGN, g->memory_bytes);
	if (!memory)
		return false;
	memset(memory, 0, g->memory_bytes);
	g->memory = memory;
	carve_all(g, memory);
	return true;
}

/* Masks are as wide as lanes: new ones with every width. */
static void forget_masks(struct culprit_graph *g)
{
	for (unsigned i = 0; i < GRAPH_OWNERS; i++) {
		free(g->masks[i]);
		g->masks[i] = NULL;
	}
	for (unsigned i = 0; i < CULPRIT_EVENT_COUNT * GRAPH_LATENCIES; i++) {
		void **row = &g->latencies[i / GRAPH_LATENCIES][i % GRAPH_LATENCIES];
		free(*row);
		*row = NULL;
	}
}

static void set_width(struct culprit_graph *g, uint32_t lane_bytes)
{
	g->lane_bytes = lane_bytes;
	g->kernel = lane_bytes == 2 ? g->kernels->narrow : g->kernels->wide;
	g->limit = (lane_bytes == 2 ? UINT16_MAX : UINT32_MAX) - GRAPH_SLOT_SPAN; /* slots are kept that far ahead */
}

void graph_rows_destroy(struct culprit_graph *g)
{
	free(g->memory);
	forget_masks(g);
}

const void *graph_mask_create(struct culprit_graph *g, graph_owners owners)
{
	void *row = aligned_alloc(GRAPH_ALIGN, (size_t)GRAPH_LANES * 4);
	if (!row) {
		graph_fail(g, "out of memory for lane masks");
		return g->scratch[SCRATCH_ZERO];
	}
	for (unsigned lane = 0; lane < GRAPH_LANES; lane++)
		graph_set_lane(g, row, lane, (lane | GRAPH_ALWAYS) & owners ? 0 : UINT32_MAX);
	return g->masks[owners] = row;
}

void *graph_latency_create(struct culprit_graph *g, enum culprit_event_class event, uint32_t cycles)
{
	void *row = aligned_alloc(GRAPH_ALIGN, (size_t)GRAPH_LANES * g->lane_bytes);
	g->latencies[event][cycles] = row;
	if (row)
		return row;
	graph_fail(g, "out of memory for latencies by lane");
	return g->scratch[SCRATCH_LATENCY];
}

static bool create_event_masks(struct culprit_graph *g)
{
	for (unsigned event = 0; event < CULPRIT_EVENT_COUNT; event++)
		g->event_mask[event] = graph_mask(g, g->owners[event]);
	return !g->failed;
}

/* Every lane starts at GRAPH_MARGIN, so that rows never written (0) are as old as a raised one. */
bool graph_rows_create(struct culprit_graph *g)
{
	set_width(g, 2);
	if (!allocate(g))
		return false;
	g->origin = GRAPH_MARGIN;
	g->top = g->origin;
	for (size_t lane = 0; lane < GRAPH_LANES; lane++)
		graph_set_lane(g, graph_node_row(g, &g->f, 1), lane, g->origin);
	return create_event_masks(g);
}

/* Quarter `at` of each of `count` rows, whose lanes are those of quarter q. */
static void rebase_rows(struct culprit_graph *g, char *rows, size_t count, size_t stride, size_t at, size_t q)
{
	const size_t quarter = (size_t)GRAPH_QUARTER * g->lane_bytes;
	g->kernel->rebase(rows + at * quarter, count, stride, g->scratch[SCRATCH_DELTA] + q * quarter, GRAPH_QUARTER);
}

static void rebase_ring(struct culprit_graph *g, struct graph_ring *r, size_t at, size_t q)
{
	rebase_rows(g, r->base, r->rows, r->stride, at, q);
}

/* Rows of one half have the quarter at `within`; where W and C lie side by side, C is two further. */
static void rebase_quarter(struct culprit_graph *g, size_t q)
{
	struct graph_ring *whole[] = {
		&g->f, &g->d, &g->e, &g->arrived, &g->left, &g->accesses.looked, &g->holds.freed, &g->writes.served};
	static const uint8_t times[] = {SCRATCH_LAST_P, SCRATCH_STORES, SCRATCH_ROOM,
					SCRATCH_DONE,	SCRATCH_LINE,	SCRATCH_ROW_FORMED};
	const size_t half = q / 2, within = q % 2;
	for (size_t n = 0; n < sizeof whole / sizeof *whole; n++)
		rebase_ring(g, whole[n], q, q);
	for (size_t n = 0; n < sizeof times / sizeof *times; n++)
		rebase_rows(g, g->scratch[times[n]], 1, 0, q, q);
	rebase_ring(g, &g->wc[half], within, q);
	rebase_ring(g, &g->wc[half], within + 2, q);
	rebase_ring(g, &g->ahead[half], within, q);
	if (half)
		rebase_ring(g, &g->writes.released, within, q);
	for (uint32_t queue = 0; queue < g->params.queue_count; queue++)
		if (half < g->queues[queue].halves)
			rebase_rows(g, g->queues[queue].rows, g->queues[queue].count, g->queues[queue].stride, q, q);
	if (half < g->writes.entries.halves)
		rebase_rows(g, g->writes.entries.rows, g->writes.entries.count, g->writes.entries.stride, q, q);
	graph_misses_rebase(g, &g->misses, q);
	graph_misses_rebase(g, &g->bus, q);
}

/* Lanes of others (team.h) stay as they are: what is in their rows nobody reads. */
static void rebase(struct culprit_graph *g)
{
	const void *newest = graph_node_row(g, &g->f, 1);
	for (size_t lane = 0; lane < GRAPH_LANES; lane++) {
		uint64_t f = graph_get_lane(g, newest, lane);
		uint64_t delta = f > GRAPH_MARGIN ? (f - GRAPH_MARGIN) / GRAPH_SLOT_SPAN * GRAPH_SLOT_SPAN : 0;
		graph_set_lane(g, g->scratch[SCRATCH_DELTA], lane, delta);
		g->base[lane] += delta;
	}
	graph_slots_rebase(g, g->scratch[SCRATCH_DELTA]);
	for (size_t q = 0; q < GRAPH_QUARTERS; q++)
		if (graph_quarter_owned(g, q))
			rebase_quarter(g, q);
}

static const char *newest_commits(const struct culprit_graph *g, unsigned half)
{
	return graph_ring_row(&g->wc[half], 1) + (size_t)GRAPH_HALF * g->lane_bytes;
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Commit times are the latest of all, but for wake-ups, stores' writes and the first instruction's fetch. Of lanes of
 * others nothing counts: their rows may grow with each store, and no rebase takes them back. */
static uint64_t true_top(const struct culprit_graph *g)
{
	const size_t quarter = (size_t)GRAPH_QUARTER * g->lane_bytes;
	uint64_t top = later(g->origin, graph_slots_top(g));
	for (size_t q = 0; q < GRAPH_QUARTERS; q++) {
		if (!graph_quarter_owned(g, q))
			continue;
		const char *commits = newest_commits(g, q / 2) + q % 2 * quarter, *done = g->scratch[SCRATCH_DONE];
		top = later(top, g->kernel->largest(commits, GRAPH_QUARTER));
		top = later(top, g->kernel->largest(done + q * quarter, GRAPH_QUARTER));
		top = later(top, graph_misses_largest(g, &g->misses, q));
		top = later(top, graph_misses_largest(g, &g->bus, q));
	}
	return top + g->largest_wake + g->longest_interval;
}

/* A new block for the other width, in which everything lies at the same place but for the factor of two. */
static bool convert(struct culprit_graph *g, uint32_t lane_bytes)
{
	char *old = g->memory;
	uint32_t old_bytes = g->lane_bytes;
	size_t lanes = g->memory_bytes / old_bytes;
	set_width(g, lane_bytes);
	if (!allocate(g)) {
		g->memory = old;
		return graph_fail(g, "out of memory for rows of another width");
	}
	for (size_t i = 0; i < lanes; i++) {
		if (lane_bytes == 4)
			((uint32_t *)g->memory)[i] = ((uint16_t *)old)[i];
		else
			((uint16_t *)g->memory)[i] = (uint16_t)((uint32_t *)old)[i];
	}
	free(old);
	g->ahead_due = 0; /* its row has moved */
	forget_masks(g);
	return create_event_masks(g);
}

/* The rows of the last instructions into a ring that has more. */
static void copy_powers(struct graph_ring *to, const struct graph_ring *from, uint64_t count)
{
	for (uint32_t back = 1; back <= from->rows; back++) {
		uint32_t number = (uint32_t)count - back;
		memcpy(graph_power_row(to, number), graph_power_row(from, number), to->stride);
	}
}

static void copy_back(struct graph_ring *to, const struct graph_ring *from)
{
	for (uint32_t back = 1; back <= from->rows; back++) {
		uint32_t old = (from->at + from->rows - back) % from->rows;
		memcpy(graph_ring_row(to, back), from->base + ((size_t)old << from->shift), to->stride);
	}
}

/* A new block, in which everything else lies in the same order. */
bool graph_rows_extend(struct culprit_graph *g, const uint32_t reach[2], uint32_t d_rows)
{
	graph_catch_up(g);
	char *old = g->memory, *const end = old + g->memory_bytes;
	const struct graph_ring d = g->d, e = g->e, wc[2] = {g->wc[0], g->wc[1]}, ahead[2] = {g->ahead[0], g->ahead[1]};
	g->d.rows = d_rows;
	for (unsigned h = 0; h < 2; h++) {
		g->reach[h] = reach[h];
		g->wc[h].rows = reach[h] + 1;
		g->wc[h].at = wc[h].rows == g->wc[h].rows ? wc[h].at : wc[h].rows;
	}
	if (!allocate(g)) {
		g->memory = old;
		return graph_fail(g, "out of memory for rows of more instructions");
	}
	memcpy(g->memory, old, (size_t)(d.base - old));
	copy_powers(&g->d, &d, g->count);
	memcpy(g->e.base, e.base, (size_t)(wc[0].base - e.base));
	for (unsigned h = 0; h < 2; h++) {
		const char *next = h ? end : wc[1].base;
		copy_back(&g->wc[h], &wc[h]);
		memcpy(g->ahead[h].base, ahead[h].base, (size_t)(next - ahead[h].base));
	}
	free(old);
	g->ahead_due = 0; /* its row has moved */
	return true;
}

static bool widen(struct culprit_graph *g)
{
	g->widened = true;
	return convert(g, 4);
}

/* The longest way in any lane from the newest fetch to the newest commit. */
static uint64_t widest_window(const struct culprit_graph *g)
{
	uint64_t most = 0;
	for (size_t lane = 0; lane < GRAPH_LANES; lane++) {
		uint64_t f = graph_get_lane(g, graph_node_row(g, &g->f, 1), lane);
		uint64_t c = graph_get_lane(g, newest_commits(g, lane / GRAPH_HALF), lane % GRAPH_HALF);
		most = c > f && c - f > most ? c - f : most;
	}
	return most;
}

bool graph_rows_settle(struct culprit_graph *g)
{
	const uint64_t most = UINT16_MAX / 2;
	if (g->lane_bytes == 2 || widest_window(g) + g->largest_wake > most - GRAPH_MARGIN - 2 * GRAPH_SLOT_SPAN)
		return true;
	rebase(g);
	g->top = true_top(g);
	return g->top > most || convert(g, 2);
}

/* `top` is a sum of bounds, far above the latest time where instructions have edges that could be long and are not.
 * Then the latest time says that there is room. Rebasing passes over all rows, so it must gain an eighth of the range
 * to be worth it. (With a rebase whenever the latest time was in the upper half: a loop over bytes on zen4, whose
 * idealised window spans 36,000 cycles, was rebased every fifth instruction, and took ten times as long.) */
bool graph_rows_make_room(struct culprit_graph *g, uint64_t growth)
{
	graph_catch_up(g);
	g->top = true_top(g);
	if (g->top <= g->limit / 4 * 3 && g->top + growth <= g->limit)
		return true;
	rebase(g);
	g->top = true_top(g);
	bool fits = g->top + growth <= g->limit;
	if (fits && (g->top <= g->limit / 8 * 5 || g->lane_bytes == 4))
		return true;
	if (g->lane_bytes == 4)
		return graph_fail(g, "times within one window spread beyond 32 bits");
	return widen(g) && (g->top + growth <= g->limit || graph_rows_make_room(g, growth));
}

/* Everything in the block is made of quarters. */
bool graph_rows_swap(struct culprit_graph *g, unsigned a, unsigned b)
{
	g->kernel->swap(g->memory, g->memory_bytes / ((size_t)GRAPH_QUARTER * g->lane_bytes), a, b);
	for (size_t lane = 0; lane < GRAPH_LANES; lane++) {
		const size_t other = lane ^ ((size_t)1 << a | (size_t)1 << b);
		if (!(lane >> a & 1) || (lane >> b & 1))
			continue;
		const uint64_t kept = g->base[lane];
		g->base[lane] = g->base[other];
		g->base[other] = kept;
	}
	forget_masks(g);
	return create_event_masks(g);
}

void graph_rows_times(const struct culprit_graph *g, uint64_t time[GRAPH_LANES])
{
	for (size_t lane = 0; lane < GRAPH_LANES; lane++) {
		const char *row = newest_commits(g, lane / GRAPH_HALF);
		time[lane] = g->base[lane] + graph_get_lane(g, row, lane % GRAPH_HALF) - g->origin;
	}
}
