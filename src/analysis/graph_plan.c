/* From record to step: checks a record, finds where each of its edges comes from, and which lanes keep it.
 *
 * Edges that every instruction has go into the step directly; rarer ones are first merged into floor rows. An edge
 * belongs to the event class that would remove it, by the instruction at its target - except that a branch
 * misprediction belongs to the branch. docs/graph.md has the table. */
#include "analysis/graph_state.h"

#include <string.h>

/* --- checks --- */

static bool check_times(struct culprit_graph *g, const struct culprit_record *r)
{
	if (r->fetch > r->dispatch || r->dispatch > r->ready || r->ready > r->issue || r->issue > r->complete ||
	    r->complete > r->commit)
		return graph_fail(g, "times go backwards within the instruction");
	if (g->count && r->fetch < g->last.fetch)
		return graph_fail(g, "fetched before the instruction in front of it");
	if (g->count && r->commit < g->last.commit)
		return graph_fail(g, "committed before the instruction in front of it");
	if ((uint64_t)r->imiss + r->itlb > r->fetch)
		return graph_fail(g, "fetch misses longer than the time before the fetch");
	return true;
}

static bool check_record(struct culprit_graph *g, const struct culprit_record *r)
{
	if (g->count && r->seq != g->last.seq + 1)
		return graph_fail(g, "does not follow number %llu", (unsigned long long)g->last.seq);
	if (!check_times(g, r))
		return false;
	if (r->op_class >= CULPRIT_OP_COUNT || r->dest > 64)
		return graph_fail(g, "operation class or register out of range");
	uint64_t parts = (uint64_t)r->exec_latency + r->dtlb + r->dmiss;
	if ((r->flags & CULPRIT_LOAD) && r->complete - r->issue != parts)
		return graph_fail(g, "a load's latency is not the sum of its parts");
	const uint32_t distances[] = {r->producer[0], r->producer[1], r->producer[2], r->mem_producer,
				      r->line_misser, r->queue_freer, r->order_waited};
	for (size_t i = 0; i < sizeof distances / sizeof *distances; i++)
		if (distances[i] > g->count)
			return graph_fail(g, "a distance of %u reaches before the stream's start", distances[i]);
	return true;
}

/* --- classes --- */

/* Classes that own `event` of an instruction at this address. */
static uint8_t owners_at(const struct culprit_graph *g, enum culprit_event_class event, uint64_t pc)
{
	uint8_t owners = g->owners[event];
	uint8_t conditional = owners & (uint8_t)~g->everywhere;
	if (!conditional)
		return owners;
	owners &= g->everywhere;
	for (uint32_t c = 0; c < g->params.class_count; c++) {
		const struct culprit_graph_class *class = &g->classes[c];
		uint8_t bit = (uint8_t)(1u << g->internal_bit[c]);
		for (size_t i = 0; (conditional & bit) && i < class->range_count; i++) {
			if (pc >= class->ranges[i].first && pc < class->ranges[i].end) {
				owners |= bit;
				break;
			}
		}
	}
	return owners;
}

static const void *mask_at(struct culprit_graph *g, enum culprit_event_class event, uint64_t pc)
{
	return g->ranged ? graph_mask(g, owners_at(g, event, pc)) : g->event_mask[event];
}

static enum culprit_event_class execution_class(const struct culprit_record *r)
{
	enum { by_latency = CULPRIT_EVENT_COUNT, dl1 = CULPRIT_EVENT_dl1, lgalu = CULPRIT_EVENT_lgalu };
	static const uint8_t event[] = {
#define OP_CLASS(name, label, event_) event_,
#include "culprit/op_class.def"
	};
	if (event[r->op_class] != by_latency)
		return (enum culprit_event_class)event[r->op_class];
	return r->exec_latency <= 1 ? CULPRIT_EVENT_shalu : CULPRIT_EVENT_lgalu;
}

static enum culprit_event_class data_miss_class(uint8_t level)
{
	switch (level) {
	case CULPRIT_LEVEL_L3:
		return CULPRIT_EVENT_dl3;
	case CULPRIT_LEVEL_MEMORY:
		return CULPRIT_EVENT_dmem;
	default:
		return CULPRIT_EVENT_dl2;
	}
}

static enum culprit_event_class fetch_miss_class(uint8_t level)
{
	switch (level) {
	case CULPRIT_LEVEL_L3:
		return CULPRIT_EVENT_il3;
	case CULPRIT_LEVEL_MEMORY:
		return CULPRIT_EVENT_imem;
	default:
		return CULPRIT_EVENT_il2;
	}
}

/* --- lines that wrong paths bring --- */

/* With branches predicted right no wrong path fetches lines early, so the right path's first use of such a line is
 * a miss
 * again. Cycles beyond those `known` that this takes in lanes without mispredictions. Of a line of the next level,
 * only the first part comes from further away. */
static uint32_t stray_cycles(struct culprit_graph *g, uint64_t addr, uint8_t level, uint32_t known, uint64_t *recent)
{
	if (level == CULPRIT_LEVEL_NONE || level >= CULPRIT_LEVEL_COUNT || !g->owners[CULPRIT_EVENT_bmisp])
		return 0;
	uint64_t line = g->params.miss_line ? addr / g->params.miss_line + 1 : 0;
	uint64_t *slot = &recent[line % GRAPH_STRAY_LINES];
	if (level > CULPRIT_LEVEL_L2 && line && *slot == line)
		level = CULPRIT_LEVEL_L2;
	*slot = line;
	uint32_t cycles = g->params.miss_cycles[level];
	return cycles > known ? cycles - known : 0;
}

/* Lanes in which mispredictions are idealised and the miss is not. */
static const void *stray_mask(struct culprit_graph *g, enum culprit_event_class miss, uint64_t pc)
{
	const char *has_miss = mask_at(g, miss, pc), *has_bmisp = mask_at(g, CULPRIT_EVENT_bmisp, pc);
	char *lanes = g->scratch[SCRATCH_MASK];
	for (size_t i = 0; i < (size_t)GRAPH_LANES * g->lane_bytes; i++)
		lanes[i] = (char)(has_miss[i] & ~has_bmisp[i]);
	return lanes;
}

/* --- floors --- */

/* A floor being collected: which halves of the scratch row hold something. */
struct floor {
	struct culprit_graph *g;
	enum graph_scratch row;
	bool begun[2];
};

static size_t half_bytes(const struct culprit_graph *g)
{
	return (size_t)GRAPH_HALF * g->lane_bytes;
}

static void floor_edge(struct floor *f, unsigned half, const void *source, uint32_t add, const void *mask)
{
	struct culprit_graph *g = f->g;
	size_t offset = half * half_bytes(g);
	g->kernel->edge(g->scratch[f->row] + offset, source, add, (const char *)mask + offset, !f->begun[half]);
	f->begun[half] = true;
}

/* From a whole row to both halves. */
static void floor_row(struct floor *f, const void *source, uint32_t add, const void *mask)
{
	for (unsigned half = 0; half < 2; half++)
		floor_edge(f, half, (const char *)source + half * half_bytes(f->g), add, mask);
}

static const void *floor_done(struct floor *f)
{
	if (!f->begun[0] && !f->begun[1])
		return NULL;
	for (unsigned half = 0; half < 2; half++)
		if (!f->begun[half])
			memset(f->g->scratch[f->row] + half * half_bytes(f->g), 0, half_bytes(f->g));
	return f->g->scratch[f->row];
}

/* W or C of the instruction `distance` back, in one half; NULL: too old to matter, because the ROB's edge says more. */
static const char *wake_row(const struct culprit_graph *g, unsigned half, uint64_t distance)
{
	return distance && distance <= g->reach[half] ? graph_ring_row(&g->wc[half], (uint32_t)distance) : NULL;
}

static const char *commit_row(const struct culprit_graph *g, unsigned half, uint64_t distance)
{
	const char *row = wake_row(g, half, distance);
	return row ? row + half_bytes(g) : NULL;
}

static uint32_t most_reach(const struct culprit_graph *g)
{
	return g->reach[0] > g->reach[1] ? g->reach[0] : g->reach[1];
}

enum node { NODE_WAKE, NODE_COMMIT };

static void floor_node(struct floor *f, enum node node, uint64_t distance, uint32_t add, const void *mask)
{
	for (unsigned half = 0; half < 2; half++) {
		const char *row = node == NODE_WAKE ? wake_row(f->g, half, distance) : commit_row(f->g, half, distance);
		if (row)
			floor_edge(f, half, row, add, mask);
	}
}

static uint32_t clip_edge(uint64_t cycles)
{
	return cycles > GRAPH_MARGIN ? GRAPH_MARGIN : (uint32_t)cycles;
}

/* --- fetch --- */

/* How far back the `back`-th last of a kind is; 0 = there is none. The newest is number 1. */
static uint64_t recent_distance(const struct culprit_graph *g, enum graph_recent_kind kind, uint64_t back)
{
	const struct graph_recent *r = &g->recent[kind];
	if (!back || back > r->count || back > r->size)
		return 0;
	return g->count - r->seq[(r->count - back) & r->mask];
}

static void recent_push(struct culprit_graph *g, enum graph_recent_kind kind)
{
	struct graph_recent *r = &g->recent[kind];
	if (r->size)
		r->seq[r->count++ & r->mask] = g->count;
}

static bool line_break(const struct culprit_graph *g, const struct culprit_record *r)
{
	if (!g->params.fetch_line || (g->last.flags & CULPRIT_TAKEN))
		return false;
	uint64_t here = r->pc + r->length - 1, before = g->last.pc + g->last.length - 1;
	return (here ^ before) >= g->params.fetch_line;
}

/* What a redirect waited for. Which of these it was is written in the flags of the record in front. */
static void redirect_edges(struct culprit_graph *g, const struct culprit_record *r, struct floor *f)
{
	const void *always = graph_mask(g, 0);
	if (r->flags & CULPRIT_VIOLATED) {
		floor_node(f, NODE_WAKE, r->mem_producer, r->redirect, always);
	} else if (g->last.flags & CULPRIT_MISPREDICTED) {
		floor_row(f, g->scratch[SCRATCH_LAST_P], r->redirect, mask_at(g, CULPRIT_EVENT_bmisp, g->last.pc));
	} else if (g->last.flags & CULPRIT_SERIALISING) {
		floor_node(f, NODE_COMMIT, 1, r->redirect, always);
	} else if (g->last.flags & CULPRIT_BTB_MISS) {
		floor_row(f, graph_ring_row(&g->f, 1), r->redirect + 1u, mask_at(g, CULPRIT_EVENT_bmisp, g->last.pc));
	} else if (r->redirect) {
		/* the pipeline drained, for a signal or another thread's turn */
		uint64_t start = r->fetch - r->imiss - r->itlb;
		if (start >= g->last.commit)
			floor_node(f, NODE_COMMIT, 1, clip_edge(start - g->last.commit), always);
	}
}

static void plan_fetch(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s)
{
	struct floor f = {g, SCRATCH_F_FLOOR, {false, false}};
	if (g->count) {
		if (line_break(g, r))
			floor_row(&f, graph_ring_row(&g->f, 1), 1, mask_at(g, CULPRIT_EVENT_bw, r->pc));
		if (g->last.flags & CULPRIT_TAKEN) {
			uint64_t back = recent_distance(g, RECENT_TAKEN, g->params.taken_limit);
			if (back && back < g->f.rows)
				floor_row(&f, graph_ring_row(&g->f, (uint32_t)back), 1,
					  mask_at(g, CULPRIT_EVENT_bw, r->pc));
		}
		redirect_edges(g, r, &f);
	}
	s->f_floor = floor_done(&f);
	s->f_add = NULL;
	uint32_t stray = stray_cycles(g, r->pc, r->istray, r->imiss, g->stray_lines[1]);
	if (!(r->imiss | r->itlb | stray))
		return;
	void *add = g->scratch[SCRATCH_F_ADD];
	g->kernel->latency(add, r->imiss, mask_at(g, fetch_miss_class(r->ilevel), r->pc), true);
	g->kernel->latency(add, r->itlb, mask_at(g, CULPRIT_EVENT_itlb, r->pc), false);
	if (stray)
		g->kernel->latency(add, stray, stray_mask(g, fetch_miss_class(r->istray), r->pc), false);
	s->f_add = add;
}

/* --- dispatch --- */

/* Room in a structure of `entries`: the instruction that many back in it must have committed. With the window
 * idealised, the one window_factor times further back. `add`: cycles from that commit to the entry's release. */
static void room_edges(struct culprit_graph *g, const struct culprit_record *r, struct floor *f,
		       enum graph_recent_kind kind, uint32_t entries, uint32_t add)
{
	if (!entries)
		return;
	uint8_t owners = owners_at(g, CULPRIT_EVENT_win, r->pc);
	uint64_t near = recent_distance(g, kind, entries);
	uint64_t far = recent_distance(g, kind, (uint64_t)entries * g->params.window_factor);
	for (unsigned half = 0; half < 2; half++) {
		bool none = owners == 0x80 && half == 1, all = owners == 0x80 && half == 0;
		const char *row = none ? NULL : commit_row(g, half, near);
		if (row)
			floor_edge(f, half, row, add, graph_mask(g, owners));
		row = all ? NULL : commit_row(g, half, far);
		if (row)
			floor_edge(f, half, row, 0, graph_mask(g, 0));
	}
}

/* A store-queue entry is free when its store has been written, which records tell only where it held someone up. */
static uint32_t store_release(const struct culprit_graph *g, const struct culprit_record *r)
{
	uint64_t back = recent_distance(g, RECENT_SQ, g->params.sq);
	if (r->window != CULPRIT_WINDOW_SQ || !back || back > g->fact_mask)
		return 0;
	uint64_t commit = g->facts[(g->count - back) & g->fact_mask].commit;
	return r->dispatch > commit ? clip_edge(r->dispatch - commit) : 0;
}

static void plan_room(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s)
{
	struct floor f = {g, SCRATCH_D_FLOOR, {false, false}};
	const struct culprit_graph_params *p = &g->params;
	if (r->flags & CULPRIT_LOAD)
		room_edges(g, r, &f, RECENT_LQ, p->lq, 0);
	if (r->flags & CULPRIT_STORE)
		room_edges(g, r, &f, RECENT_SQ, p->sq, p->sq ? store_release(g, r) : 0);
	if (r->flags & (CULPRIT_LOAD | CULPRIT_STORE))
		room_edges(g, r, &f, RECENT_LSQ, p->lsq, 0);
	if (r->dest >= 1 && r->dest < 32)
		room_edges(g, r, &f, RECENT_INT, p->int_regs, 0);
	else if (r->dest >= 32 && r->dest < 64)
		room_edges(g, r, &f, RECENT_FP, p->fp_regs, 0);
	if (p->issue_queues && r->queue_freer && r->queue_freer < g->e.rows)
		floor_row(&f, graph_ring_row(&g->e, r->queue_freer), 0, mask_at(g, CULPRIT_EVENT_win, r->pc));
	s->d_floor = floor_done(&f);
}

/* The ROB's edge, which every instruction has. */
static void plan_window(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s)
{
	uint32_t near = g->params.rob, far = near * g->params.window_factor;
	uint8_t owners = owners_at(g, CULPRIT_EVENT_win, r->pc);
	if (owners == 0x80) {
		s->half[0].window = commit_row(g, 0, near);
		s->half[1].window = commit_row(g, 1, far);
		return;
	}
	struct floor f = {g, SCRATCH_WINDOW, {false, false}};
	floor_node(&f, NODE_COMMIT, near, 0, graph_mask(g, owners));
	if (g->owners[CULPRIT_EVENT_win])
		floor_node(&f, NODE_COMMIT, far, 0, graph_mask(g, 0));
	const char *row = floor_done(&f);
	for (unsigned half = 0; half < 2; half++)
		s->half[half].window = row + half * half_bytes(g);
}

/* --- ready, execute --- */

/* The time at which the edges known so far allow the issue, as recorded. */
static uint64_t explained_ready(const struct culprit_graph *g, const struct culprit_record *r)
{
	uint64_t t = r->dispatch + g->params.dispatch_to_issue;
	const uint32_t distances[GRAPH_PRODUCERS] = {r->producer[0], r->producer[1], r->producer[2], r->mem_producer};
	for (unsigned i = 0; i < GRAPH_PRODUCERS; i++) {
		if (!distances[i] || distances[i] > g->fact_mask)
			continue;
		uint64_t wake = g->facts[(g->count - distances[i]) & g->fact_mask].wake;
		t = wake > t ? wake : t;
	}
	if ((r->flags & CULPRIT_AT_HEAD) && g->count && g->last.commit > t)
		t = g->last.commit;
	return t;
}

/* Waits of loads that are neither operands nor contention. Returns cycles that no edge explains. */
static uint32_t order_edges(struct culprit_graph *g, const struct culprit_record *r, struct floor *f)
{
	uint64_t explained = explained_ready(g, r);
	if (r->ready <= explained)
		return 0;
	const struct graph_fact *waited = NULL, *partial = NULL;
	if (r->order_waited && r->order_waited <= g->fact_mask)
		waited = &g->facts[(g->count - r->order_waited) & g->fact_mask];
	if (r->mem_producer && r->mem_producer <= g->fact_mask && !(r->flags & CULPRIT_FORWARDED))
		partial = &g->facts[(g->count - r->mem_producer) & g->fact_mask];
	if (partial && partial->commit <= r->ready && partial->commit > explained) {
		floor_node(f, NODE_COMMIT, r->mem_producer, clip_edge(r->ready - partial->commit), graph_mask(g, 0));
		return 0;
	}
	if (waited && g->params.ordered_loads)
		return 0;
	if (waited && waited->wake <= r->ready && waited->wake > explained) {
		floor_node(f, NODE_WAKE, r->order_waited, clip_edge(r->ready - waited->wake), graph_mask(g, 0));
		return 0;
	}
	uint64_t rest = r->ready - r->dispatch - g->params.dispatch_to_issue;
	return rest > UINT32_MAX ? UINT32_MAX : (uint32_t)rest;
}

static void add_producer(struct culprit_graph *g, struct graph_step *s, uint32_t distance)
{
	if (!distance || distance > most_reach(g))
		return;
	for (unsigned half = 0; half < 2; half++) {
		const char *row = wake_row(g, half, distance);
		s->half[half].producer[s->producers] = row ? row : g->scratch[SCRATCH_ZERO];
	}
	s->producers++;
}

/* A load waits for the store that writes its bytes; when that writes only some of them, until it has left. */
static void memory_edges(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s, struct floor *f)
{
	bool whole;
	uint32_t store = graph_memory_producer(g, r, &whole);
	if (r->mem_producer || whole)
		add_producer(g, s, r->mem_producer ? r->mem_producer : store);
	if (store && !whole && (!r->mem_producer || store == r->mem_producer))
		floor_node(f, NODE_COMMIT, store, 0, graph_mask(g, 0));
}

static void plan_ready(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s)
{
	s->producers = 0;
	add_producer(g, s, r->producer[0]);
	if (r->producer[1] != r->producer[0])
		add_producer(g, s, r->producer[1]);
	if (r->producer[2] != r->producer[0] && r->producer[2] != r->producer[1])
		add_producer(g, s, r->producer[2]);
	struct floor f = {g, SCRATCH_E_FLOOR, {false, false}};
	if (r->flags & CULPRIT_LOAD)
		memory_edges(g, r, s, &f);
	else
		add_producer(g, s, r->mem_producer);
	if (r->flags & CULPRIT_AT_HEAD)
		floor_node(&f, NODE_COMMIT, 1, 0, graph_mask(g, 0));
	else if (g->params.ordered_loads && (r->flags & CULPRIT_LOAD))
		floor_row(&f, g->scratch[SCRATCH_STORES], 0, graph_mask(g, 0));
	s->dispatch_to_issue = g->params.dispatch_to_issue + order_edges(g, r, &f);
	s->e_floor = floor_done(&f);
	uint64_t earliest = r->dispatch + s->dispatch_to_issue;
	earliest = r->ready > earliest ? r->ready : earliest;
	s->contention = r->issue > earliest && !g->params.issue_slots ? (uint32_t)(r->issue - earliest) : 0;
}

/* PP: the line is on its way already. The access completes with it, or when it would have brought the line itself, if
 * idealisation made it the first. A load too old for the rings completed before i was dispatched; a store writes only
 * after its commit, so the line of an old store may still be under way: then the recorded wait stays.
 * False: who brings the line is not known. */
static bool plan_sharing(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s)
{
	s->p_floor = NULL;
	if (!(r->flags & CULPRIT_MERGED) || !r->line_misser || r->line_misser > most_reach(g))
		return false;
	const struct graph_fact *misser = &g->facts[(g->count - r->line_misser) & g->fact_mask];
	bool load = misser->flags & CULPRIT_LOAD;
	uint64_t from = load ? misser->complete : misser->commit;
	if (r->complete < from || r->complete - from > GRAPH_MARGIN)
		return false;
	struct floor f = {g, SCRATCH_P_FLOOR, {false, false}};
	const void *mask = mask_at(g, data_miss_class(r->dlevel), r->pc);
	floor_node(&f, load ? NODE_WAKE : NODE_COMMIT, r->line_misser, (uint32_t)(r->complete - from), mask);
	for (unsigned half = 0; half < 2; half++)
		if (!load && !f.begun[half])
			floor_edge(&f, half, graph_mask(g, 0), 0, mask);
	s->p_floor = floor_done(&f);
	s->alone = misser->miss > r->dmiss ? misser->miss : r->dmiss;
	s->alone_mask = mask;
	return true;
}

/* A mispredicted branch resolves at least one cycle after its issue, so its last cycle goes only when it is both
 * idealised and predicted right. */
static const void *mispredicted_mask(struct culprit_graph *g, const struct culprit_record *r, const void *mask)
{
	const char *bmisp = mask_at(g, CULPRIT_EVENT_bmisp, r->pc);
	char *either = g->scratch[SCRATCH_MASK];
	for (size_t i = 0; i < 2 * half_bytes(g); i++)
		either[i] = ((const char *)mask)[i] | bmisp[i];
	return either;
}

static void plan_misses(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s)
{
	bool shared = plan_sharing(g, r, s);
	uint32_t miss = shared ? 0 : r->dmiss;
	uint32_t stray = stray_cycles(g, r->mem_addr, r->dstray, r->dmiss, g->stray_lines[0]);
	if (!(miss | r->dtlb | stray))
		return;
	void *add = g->scratch[SCRATCH_P_ADD];
	g->kernel->latency(add, miss, mask_at(g, data_miss_class(r->dlevel), r->pc), true);
	g->kernel->latency(add, r->dtlb, mask_at(g, CULPRIT_EVENT_dtlb, r->pc), false);
	if (stray)
		g->kernel->latency(add, stray, stray_mask(g, data_miss_class(r->dstray), r->pc), false);
	s->p_add = add;
}

static void plan_execution(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s)
{
	bool load = r->flags & CULPRIT_LOAD;
	s->exec = load ? r->exec_latency : (uint32_t)(r->complete - r->issue);
	s->exec_mask = mask_at(g, execution_class(r), r->pc);
	s->wake = r->wakeup;
	s->wake_apart = r->wakeup > r->complete - r->issue;
	s->p_out = NULL;
	if (r->flags & CULPRIT_MISPREDICTED) {
		s->exec_mask = s->exec == 1 ? mispredicted_mask(g, r, s->exec_mask) : s->exec_mask;
		s->p_out = g->scratch[SCRATCH_LAST_P];
	}
	s->p_add = NULL;
	s->p_floor = NULL;
	if (load)
		plan_misses(g, r, s);
}

/* --- commit --- */

static void plan_commit(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s)
{
	s->c_floor = NULL;
	if (!g->params.commit_stores || !(r->flags & CULPRIT_STORE))
		return;
	struct floor f = {g, SCRATCH_C_FLOOR, {false, false}};
	uint64_t back = recent_distance(g, RECENT_STORE, g->params.commit_stores);
	floor_node(&f, NODE_COMMIT, back, 1, mask_at(g, CULPRIT_EVENT_bw, r->pc));
	s->c_floor = floor_done(&f);
}

/* --- all --- */

static const void *row_back(const struct culprit_graph *g, const struct graph_ring *ring, uint32_t back)
{
	return back && back <= g->count ? graph_ring_row(ring, back) : g->scratch[SCRATCH_ZERO];
}

static const void *ahead_row(const struct culprit_graph *g, unsigned half)
{
	if (!g->capacity[half] || g->count < g->capacity[half])
		return g->scratch[SCRATCH_ZERO];
	uint64_t block = (g->count - g->capacity[half]) / GRAPH_AHEAD_STEP;
	return graph_ring_row(&g->ahead[half], (uint32_t)(g->count / GRAPH_AHEAD_STEP - block));
}

static void plan_rows(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s)
{
	const struct culprit_graph_params *p = &g->params;
	size_t half_row = half_bytes(g);
	const char *zero = g->scratch[SCRATCH_ZERO];
	const char *f_width = row_back(g, &g->f, p->fetch_width), *d_width = row_back(g, &g->d, p->dispatch_width);
	const char *capacity = row_back(g, &g->d, p->frontend_capacity);
	for (unsigned half = 0; half < 2; half++) {
		struct graph_step_half *h = &s->half[half];
		size_t offset = half * half_row;
		h->f_in = graph_ring_row(&g->f, 1) + offset;
		h->f_out = graph_ring_row(&g->f, 0) + offset;
		h->d_in = graph_ring_row(&g->d, 1) + offset;
		h->d_out = graph_ring_row(&g->d, 0) + offset;
		h->e_out = p->issue_queues ? graph_ring_row(&g->e, 0) + offset : NULL;
		h->f_width = f_width + offset;
		h->d_width = d_width + offset;
		h->capacity = capacity + offset;
		h->ideal_capacity = ahead_row(g, half);
		h->w_out = graph_ring_row(&g->wc[half], 0);
		h->c_out = (char *)h->w_out + half_row;
		h->c_in = commit_row(g, half, 1);
		h->c_width = commit_row(g, half, p->commit_width);
		if (!h->c_width)
			h->c_width = zero;
	}
	s->bw_mask = g->split ? NULL : mask_at(g, CULPRIT_EVENT_bw, r->pc);
}

/* The most by which this instruction's times can be above all times before it: every latency and every edge on the
 * way from its fetch to its commit, added up. */
static uint64_t growth(const struct culprit_graph *g, const struct culprit_record *r)
{
	uint64_t fetch = (uint64_t)r->imiss + r->itlb + r->redirect + 1;
	if (r->istray | r->dstray)
		fetch += 2ull * g->longest_miss;
	if (r->redirect)
		fetch += GRAPH_MARGIN; /* a drain's edge */
	uint64_t dispatch = g->params.frontend_stages + (r->window == CULPRIT_WINDOW_SQ ? GRAPH_MARGIN : 1);
	uint64_t issue = (r->issue - r->dispatch) + 2ull * g->params.dispatch_to_issue;
	uint64_t complete = r->complete - r->issue;
	if (r->line_misser && r->line_misser <= most_reach(g))
		complete +=
			GRAPH_MARGIN + g->facts[(g->count - r->line_misser) & g->fact_mask].miss + (uint64_t)r->dmiss;
	return fetch + dispatch + issue + complete + r->wakeup + g->params.commit_delay + 2;
}

bool graph_plan(struct culprit_graph *g, const struct culprit_record *r)
{
	if (!check_record(g, r) || !graph_rows_reserve(g, growth(g, r)))
		return false;
	struct graph_step *s = &g->step;
	plan_rows(g, r, s);
	plan_fetch(g, r, s);
	plan_room(g, r, s);
	plan_window(g, r, s);
	plan_ready(g, r, s);
	plan_execution(g, r, s);
	plan_commit(g, r, s);
	if (g->params.issue_slots)
		graph_slots_plan(g, r, s);
	return !g->failed;
}

/* The latest completion of all stores so far. */
static void remember_store(struct culprit_graph *g)
{
	for (unsigned half = 0; half < 2; half++)
		g->kernel->edge(g->scratch[SCRATCH_STORES] + half * half_bytes(g), g->step.half[half].w_out, 0,
				(const char *)graph_mask(g, 0) + half * half_bytes(g), false);
}

void graph_remember(struct culprit_graph *g, const struct culprit_record *r)
{
	if (g->params.ordered_loads && (r->flags & CULPRIT_STORE))
		remember_store(g);
	g->facts[g->count & g->fact_mask] = (struct graph_fact){
		.wake = r->issue + r->wakeup > r->complete ? r->issue + r->wakeup : r->complete,
		.complete = r->complete,
		.commit = r->commit,
		.miss = r->dmiss,
		.flags = r->flags,
	};
	if (r->flags & CULPRIT_TAKEN)
		recent_push(g, RECENT_TAKEN);
	if (r->flags & CULPRIT_LOAD)
		recent_push(g, RECENT_LQ);
	if (r->flags & CULPRIT_STORE) {
		graph_memory_store(g, r);
		recent_push(g, RECENT_SQ);
		recent_push(g, RECENT_STORE);
	}
	if (r->flags & (CULPRIT_LOAD | CULPRIT_STORE))
		recent_push(g, RECENT_LSQ);
	if (r->dest >= 1 && r->dest < 32)
		recent_push(g, RECENT_INT);
	else if (r->dest >= 32 && r->dest < 64)
		recent_push(g, RECENT_FP);
	g->last = (struct graph_last){r->seq, r->pc, r->fetch, r->commit, r->flags, r->length};
}
