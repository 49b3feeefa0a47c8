/* The graph's public side: parameters in, records through plan and kernel, times out. See state.h for the
 * lanes. */
#include "analysis/graph/groups.h"
#include "analysis/graph/state.h"
#include "analysis/graph/walks.h"
#include "base/bits.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { UNLIMITED_FETCH_ROWS = 256 };

bool graph_fail(struct culprit_graph *g, const char *format, ...)
{
	if (g->failed)
		return false;
	g->failed = true;
	int n = snprintf(g->error, sizeof g->error, "record %llu: ", (unsigned long long)g->count);
	va_list args;
	va_start(args, format);
	vsnprintf(g->error + n, sizeof g->error - (size_t)n, format, args);
	va_end(args);
	return false;
}

const char *culprit_graph_error(const struct culprit_graph *g)
{
	return g->error;
}

/* --- kernels --- */

const struct graph_kernels *graph_kernels_find(const char *name)
{
	static const struct graph_kernels *const all[] = {&graph_kernels_avx512, &graph_kernels_avx2,
							  &graph_kernels_portable};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if ((!name || !strcmp(name, all[i]->name)) && all[i]->usable())
			return all[i];
	return NULL;
}

/* --- creation --- */

static uint32_t most(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

static void size_rings(struct culprit_graph *g)
{
	const struct culprit_graph_params *p = &g->params;
	uint32_t far = graph_rob_far(p);
	graph_owners rob = g->owners[CULPRIT_EVENT_rob] & (graph_owners)~GRAPH_ELSEWHERE;
	bool halves = rob == 0x80 && (g->everywhere & rob);
	uint32_t cracked = most(p->cracked, 1);
	g->f.rows = (uint32_t)power_of_two_from((p->fetch_width ? p->fetch_width * cracked : UNLIMITED_FETCH_ROWS) + 1);
	if (p->fetch_asked)
		g->arrived.rows = (uint32_t)power_of_two_from(starts_records(p) + 1);
	g->d.rows = (uint32_t)power_of_two_from(most(p->dispatch_width, starts_records(p)) + 1);
	graph_queues_size(g);
	graph_writes_size(g);
	g->misses.servers = p->mshrs;
	g->bus.servers = p->memory_interval != 0;
	g->misses.kept = g->bus.kept = graph_misses_kept(p->rob, p->store_writes);
	g->bus_after = p->miss_cycles[CULPRIT_LEVEL_MEMORY] - p->memory_latency;
	graph_held_size(g);
	g->rooms_mixed = !g->window_halves && (g->queues_kept || g->writes.entries.count);
	g->e.rows = g->queues_named ? (uint32_t)power_of_two_from(p->rob + 1)
				    : g->queues_kept || p->released || p->l1_prefetches || g->holds.freed.rows;
	g->accesses.looked.rows = p->l1_prefetches && p->l1_line ? GRAPH_ACCESSES : 0;
	g->left.rows = p->released ? (uint32_t)power_of_two_from(weights_reach(p, graph_held_far(p)) + 1) : 0;
	g->rooms_planned = g->window_own || g->rooms_mixed || g->left.rows || p->whole_groups;
	for (unsigned half = 0; half < 2; half++) {
		bool near = g->window_held || (g->window_halves && half == 0);
		bool room = rob && (!halves || half == 1);
		g->reach[half] = near ? p->rob : far;
		g->asked[half] = g->within[half] = g->reach[half];
		g->furthest = most(g->furthest, g->reach[half]);
		g->wc[half].rows = g->reach[half] + 1;
		g->capacity[half] = p->ideal_capacity ? most(p->ideal_capacity * (room ? far : p->rob),
							     (p->frontend_capacity + p->fetch_asked) * cracked)
						      : 0;
		g->ahead[half].rows = (uint32_t)power_of_two_from(g->capacity[half] / GRAPH_AHEAD_STEP + 2);
	}
}

static bool create_recent(struct culprit_graph *g)
{
	const struct culprit_graph_params *p = &g->params;
	const uint32_t sizes[RECENT_KINDS] = {
#define RECENT_KIND(name, parameter, scope, of_it) [RECENT_##name] = p->parameter,
#include "analysis/recent.def"
	};
	for (unsigned k = 0; k < RECENT_KINDS; k++) {
		bool window = RECENT_WINDOW >> k & 1;
		uint32_t held = window && k != RECENT_SQ && sizes[k] > p->released ? sizes[k] - p->released : sizes[k];
		uint32_t size = (uint32_t)(held * graph_recent_factor(p, k, p->window_factor));
		uint64_t entries = (uint32_t)power_of_two_from(size + 1); /* one more: the next one's place */
		g->recent[k].size = size;
		g->recent[k].near = window ? held : 0;
		g->kinds_asked |= size ? 1u << k : 0;
		g->recent[k].mask = entries - 1;
		g->recent[k].numbers = calloc(entries, sizeof *g->recent[k].numbers);
		if (!g->recent[k].numbers)
			return false;
	}
	g->kinds_dispatched = g->kinds_asked & RECENT_WINDOW;
	if (p->late_rename)
		g->kinds_dispatched &= ~(uint32_t)RECENT_REGISTERS;
	return (!p->late_rename || renames_create(&g->renames, p)) && record_facts_create(&g->facts, g->furthest);
}

static bool create_parts(struct culprit_graph *g, const struct culprit_graph_params *params, const char **why)
{
	g->params = *params;
	starts_bound_fetch(&g->params);
	g->quarters = GRAPH_ALL_QUARTERS;
	if (!g->params.window_factor)
		g->params.window_factor = 1;
	if (!g->params.class_count)
		culprit_graph_base_classes(&g->params);
	g->kernels = graph_kernels_find(params->kernel);
	*why = "kernel: not on this host";
	if (!g->kernels || !graph_classes_copy(g, why))
		return false;
	graph_classes_place(g);
	size_rings(g);
	*why = "out of memory";
	if (!create_recent(g) || !graph_rows_create(g) || !graph_slots_create(g) || !graph_misses_create(g) ||
	    !graph_rob_rows_create(g) || !graph_writes_create(g) || !graph_groups_create(g))
		return false;
	if (!starts_create(&g->starts, &g->params))
		return false;
	if (g->starts.numbers || g->arrived.rows) { /* the kernel counts records, from fetch */
		g->front_insns = g->params.frontend_capacity;
		g->params.frontend_capacity = 0;
	}
	if (g->owners[CULPRIT_EVENT_bw] & GRAPH_ALWAYS)
		g->params.issue_slots = false; /* nobody waits for any */
	const bool recorded = g->params.issue_slots && (g->params.select | g->params.load_turns);
	if (recorded && !graph_selection_create(&g->selection))
		return false;
	if (g->params.issue_slots && g->params.completion_ports &&
	    !graph_ports_create(&g->ports, g->params.completion_ports))
		return false;
	for (unsigned level = 0; level < CULPRIT_LEVEL_COUNT; level++)
		g->longest_miss = most(g->longest_miss, g->params.miss_cycles[level]);
	g->least_growth = (uint64_t)g->params.frontend_stages + g->params.recovery +
			  2ull * g->params.dispatch_to_issue + g->params.commit_delay + 6;
	g->least_growth +=
		g->params.write_hit + g->params.decode_stages + g->params.load_hit + g->params.forward_latency;
	for (unsigned op = 0; g->params.issue_slots && op < CULPRIT_OP_COUNT; op++)
		g->longest_interval = most(g->longest_interval, g->params.interval[op] + (g->params.split != 0));
	record_lines_size(&g->lines, &g->params);
	if (!graph_order_create(g) || !graph_walks_create(g))
		return false;
	if (g->holds.freed.rows)
		g->least_growth += g->longest_interval;
	g->least_growth += g->params.write_interval;
	if (g->bus.servers) /* a fetch, a load and a write */
		g->least_growth += 3ull * (g->params.memory_interval + g->bus_after);
	for (unsigned i = 0; i < GRAPH_STEPS; i++)
		g->steps[i].back[BACK_LAST] = 1;
	g->last = &g->kept;
	g->most = (struct graph_reach){
		.fetch_width = g->params.fetch_width ? g->params.fetch_width : UINT64_MAX,
		.near = graph_held(&g->params),
		.far = graph_held_far(&g->params),
		.commit_width = g->params.commit_width ? g->params.commit_width : INT32_MAX,
	};
	return true;
}

struct culprit_graph *culprit_graph_create(const struct culprit_graph_params *params, const char **why)
{
	const char *unused;
	why = why ? why : &unused;
	*why = graph_params_wrong(params);
	if (*why)
		return NULL;
	struct culprit_graph *g = aligned_alloc(_Alignof(struct culprit_graph), sizeof *g);
	*why = "out of memory";
	if (!g)
		return NULL;
	memset(g, 0, sizeof *g);
	if (create_parts(g, params, why) && graph_team_create(g, params)) {
		*why = NULL;
		return g;
	}
	culprit_graph_destroy(g);
	return NULL;
}

void culprit_graph_destroy(struct culprit_graph *g)
{
	if (!g)
		return;
	graph_team_destroy(g->leads);
	graph_rows_destroy(g);
	graph_slots_destroy(g);
	graph_selection_destroy(&g->selection);
	graph_ports_destroy(&g->ports);
	graph_misses_destroy(g);
	graph_rob_rows_destroy(g);
	graph_groups_destroy(g);
	graph_order_destroy(g);
	graph_walks_destroy(g);
	for (unsigned c = 0; c < CULPRIT_GRAPH_CLASSES; c++)
		if (g->classes[c].range_count)
			free((void *)g->classes[c].ranges);
	for (unsigned k = 0; k < RECENT_KINDS; k++)
		free(g->recent[k].numbers);
	record_facts_destroy(&g->facts);
	renames_destroy(&g->renames);
	posted_writes_destroy(&g->writes.by_records);
	starts_destroy(&g->starts);
	weights_destroy(&g->weighing.weights);
	free(g);
}

/* --- records --- */

/* Dispatch times that an unlimited front end will ask for. */
static void keep_ahead(struct culprit_graph *g)
{
	for (unsigned half = 0; half < 2; half++) {
		struct graph_ring *ring = &g->ahead[half];
		memcpy(graph_power_row(ring, (uint32_t)(g->done / GRAPH_AHEAD_STEP)),
		       graph_power_row(&g->d, (uint32_t)g->done) + half * ring->stride, ring->stride);
	}
}

static inline void run_step(struct culprit_graph *g)
{
	const struct graph_step *s = &g->steps[g->done % GRAPH_STEPS];
	g->kernel->step(g, s);
	if (s->rare & STEP_QUEUE)
		graph_queues_hold(g, s);
	if (s->rare & STEP_MISSES)
		graph_misses_hold(g, s);
	if (s->rare & STEP_WRITE)
		graph_writes_hold(g, s);
	if (s->access)
		graph_accesses_hold(g, s);
	if (s->frees)
		graph_held_free(g, s);
	if (g->left.rows)
		graph_left_note(g, s);
	if (g->done % GRAPH_AHEAD_STEP == 0 && g->params.ideal_capacity)
		keep_ahead(g);
	g->done++;
	for (unsigned half = 0; half < 2; half++)
		g->wc[half].at = g->wc[half].at + 1 == g->wc[half].rows ? 0 : g->wc[half].at + 1;
}

void graph_catch_up(struct culprit_graph *g)
{
	while (g->done < g->count)
		run_step(g);
}

/* The store to a load's bytes that it may go ahead of; 0 = none. */
static inline uint32_t watched_store(struct culprit_graph *g, const struct culprit_record *r)
{
	if (!g->order || !(r->flags & CULPRIT_LOAD) || (r->flags & (CULPRIT_AT_HEAD | CULPRIT_VIOLATED)))
		return 0;
	struct record_stores stores = record_load_stores(&g->facts, g->count, r);
	return stores.data ? stores.data : stores.leaves;
}

/* ... or another one beside them: params.check_bytes. */
static inline uint32_t watched_near(const struct culprit_graph *g, const struct culprit_record *r)
{
	const bool watched = g->order &&
			     (r->flags & (CULPRIT_LOAD | CULPRIT_AT_HEAD | CULPRIT_VIOLATED)) == CULPRIT_LOAD;
	const uint32_t block = g->params.check_bytes;
	return watched ? record_near_store(&g->facts, g->count, r, block) : 0;
}

static inline bool push_one(struct culprit_graph *g, const struct culprit_record *r)
{
	uint32_t store = watched_store(g, r), near = g->params.check_bytes ? watched_near(g, r) : 0;
	if (!graph_plan(g, r))
		return false;
	if (!g->count)
		g->start = r->fetch - r->imiss - r->itlb;
	if (g->walks)
		graph_walks_note(g, r);
	g->count++;
	if (g->count - g->done > GRAPH_LAG)
		run_step(g);
	if (near)
		graph_order_watch(g, r, near, true);
	if (store)
		graph_order_watch(g, r, store, false);
	if (g->count % GRAPH_SLOT_STEP)
		return true;
	graph_catch_up(g);
	if (g->order)
		graph_order_clear(g);
	if (!(g->count % GRAPH_WALKS_STEP))
		graph_walks_settle(g);
	if (g->params.issue_slots)
		graph_slots_advance(g);
	if (graph_sharing_due(g) && !graph_sharing_choose(g))
		return false;
	return g->count % GRAPH_SETTLE_STEP || graph_rows_settle(g);
}

bool graph_push_own(struct culprit_graph *g, const struct culprit_record *records, size_t count)
{
	for (size_t i = 0; i < count && !g->failed; i++) {
		for (unsigned line = 0; line < sizeof *records / GRAPH_ALIGN; line++)
			__builtin_prefetch((const char *)(records + i + 4) + (size_t)line * GRAPH_ALIGN);
		g->groups.next = &records[i] + 1;
		g->groups.left = count - i - 1;
		push_one(g, &records[i]);
	}
	if (count)
		g->kept = records[count - 1];
	g->last = &g->kept;
	return !g->failed;
}

bool graph_push_whole(struct culprit_graph *g, const struct culprit_record *records, size_t count)
{
	return g->leads ? graph_team_push(g, records, count) : graph_push_own(g, records, count);
}

bool culprit_graph_push(struct culprit_graph *g, const struct culprit_record *records, size_t count)
{
	return g->groups.kept ? graph_groups_push(g, records, count) : graph_push_whole(g, records, count);
}

/* --- results --- */

/* User's set of classes -> lane. */
static unsigned lane_of(const struct culprit_graph *g, unsigned set)
{
	unsigned lane = 0;
	for (uint32_t c = 0; c < g->params.class_count; c++)
		if (set & (1u << c))
			lane |= 1u << g->internal_bit[c];
	return lane;
}

bool culprit_graph_finish(struct culprit_graph *g, struct culprit_graph_results *out)
{
	memset(out, 0, sizeof *out);
	if (g->failed || !graph_groups_flush(g) || (g->leads && !graph_team_settle(g)))
		return false;
	graph_catch_up(g);
	graph_walks_settle(g);
	out->instructions = g->count;
	out->recorded_cycles = g->count ? g->last->commit - g->start : 0;
	out->class_count = g->params.class_count;
	out->kernel = g->kernels->name;
	out->wide = g->widened || (g->leads && graph_team_widened(g));
	uint64_t times[GRAPH_LANES];
	graph_rows_times(g, times);
	graph_walks_finish(g, times);
	if (g->leads)
		graph_team_times(g, times);
	for (unsigned set = 0; set < 1u << out->class_count; set++) {
		out->time[set] = g->count ? times[lane_of(g, set)] : 0;
	}
	for (uint32_t c = 0; c < out->class_count; c++)
		memcpy(out->names[c], g->classes[c].name, CULPRIT_GRAPH_NAME);
	culprit_graph_decompose(out);
	return true;
}
