/* The graph's lanes against the one statement of the edges (src/analysis/edges/emit.h), on random records and random
 * machines: every node of every instruction, in lanes with nothing, one class, some and all classes idealised. The graph
 * plans its edges by hand, for 256 lanes at once; here they are taken one by one, on one line of time.
 *
 * Left out is what only the graph has (emit.h), and two of its approximations: fetch behind a violation goes by W of a
 * store whose wake-up loop is longer than its latency, and stores leave a larger store queue in order even where
 * idealisation leaves their writes no time. graph_reference.h, which knows the rules from the manual, has them all. */
#include "analysis/edges/nodes.h"
#include "blame.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "graph_stream.h"

/* --- one lane --- */

struct edge_sink {
	const struct edge_history *history;
	struct edge_parts *parts;
	enum edge_node node;
	culprit_event_set removed;
	uint64_t *times; /* of this instruction's nodes */
	uint64_t latest;
};

static EDGES_INLINE bool edge_sink_removes(const struct edge_sink *b, unsigned kind)
{
	unsigned event = culprit_critical_kind_class(kind);
	return event != CULPRIT_EVENT_COUNT && event != CULPRIT_EVENT_win && (b->removed >> event & 1);
}

static EDGES_INLINE uint64_t edge_sink_time(const struct edge_sink *b, uint64_t distance, enum edge_node node)
{
	assert_true(distance <= b->history->count);
	return b->times[(ptrdiff_t)node - (ptrdiff_t)distance * EDGE_NODES];
}

static EDGES_INLINE void edge_sink_edge(struct edge_sink *b, uint64_t distance, enum edge_node from, int64_t weight,
					enum culprit_critical_kind kind)
{
	(void)kind;
	assert_true(distance || from < b->node);
	b->latest = latest(b->latest, edge_sink_time(b, distance, from) + weight);
}

static EDGES_INLINE void edge_sink_settle(struct edge_sink *b, uint64_t add)
{
	b->times[b->node] = b->latest + add;
	b->latest = 0;
}

#include "analysis/edges/emit.h"

struct lane {
	unsigned set;
	struct edge_history history;
	struct edge_sink sink;
	uint64_t *times;
};

/* With the window idealised sizes are larger, and queues have no end. */
static struct culprit_graph_params lane_params(struct culprit_graph_params p, culprit_event_set removed)
{
	if (!(removed & CULPRIT_EVENT_BIT(win)))
		return p;
	uint32_t *const sizes[] = {&p.rob, &p.lq, &p.sq, &p.lsq, &p.branches, &p.int_regs, &p.fp_regs, &p.regs};
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		*sizes[i] *= p.window_factor;
	memset(p.queue_entries, 0, sizeof p.queue_entries);
	p.issue_queues = false;
	p.window_factor = 1;
	return p;
}

static struct lane *lane_create(const struct culprit_graph_params *p, unsigned set, size_t n)
{
	struct lane *lane = calloc(1, sizeof *lane);
	assert_non_null(lane);
	lane->set = set;
	for (unsigned k = 0; k < p->class_count; k++)
		lane->sink.removed |= set >> k & 1 ? p->classes[k].events : 0;
	const struct culprit_graph_params own = lane_params(*p, lane->sink.removed);
	assert_true(edge_history_create(&lane->history, &own));
	lane->times = lane->sink.times = calloc(n * EDGE_NODES, sizeof *lane->times);
	assert_non_null(lane->times);
	return lane;
}

static void lane_destroy(struct lane *lane)
{
	edge_history_destroy(&lane->history);
	free(lane->times);
	free(lane);
}

static void lane_push(struct lane *lane, struct culprit_record r)
{
	struct edge_parts parts;
	struct edge_sink *b = &lane->sink;
	if (b->removed & CULPRIT_EVENT_BIT(win))
		r.window = 0; /* held nobody up */
	b->history = &lane->history;
	b->parts = &parts;
	b->node = NODE_F;
	b->times = lane->times + lane->history.count * EDGE_NODES;
	const char *why;
	if (!edge_history_weigh(&lane->history, &r, &why))
		fail_msg("%s", why);
	edges_emit(b, &r);
	const struct edge_stay stay = edges_stay(b, &r);
	edge_history_note(&lane->history, &r, &stay);
}

/* --- lanes and graph --- */

static void compare_nodes(struct culprit_graph *g, const struct lane *lane, size_t i)
{
	static const struct {
		const char *name;
		enum edge_node node;
	} nodes[BLAME_NODES] = {[BLAME_FETCH] = {"fetch", NODE_F},
				[BLAME_DISPATCH] = {"dispatch", NODE_D},
				[BLAME_WAKE] = {"wake", NODE_W},
				[BLAME_COMMIT] = {"commit", NODE_C}};
	uint64_t time[BLAME_NODES];
	blame_graph_times(g, lane->set, time);
	for (unsigned n = 0; n < BLAME_NODES; n++)
		if (time[n] != lane->sink.times[nodes[n].node])
			fail_msg("set %#x, instruction %zu, %s: graph %llu, edges %llu", lane->set, i, nodes[n].name,
				 (unsigned long long)time[n], (unsigned long long)lane->sink.times[nodes[n].node]);
}

enum { LANES = 14 };

static void compare(const struct culprit_graph_params *p, const struct culprit_record *r, size_t n,
		    const unsigned sets[LANES])
{
	struct culprit_graph *g = culprit_graph_create(p, NULL);
	assert_non_null(g);
	struct lane *lanes[LANES];
	for (unsigned k = 0; k < LANES; k++)
		lanes[k] = lane_create(p, sets[k], n);
	for (size_t i = 0; i < n; i++) {
		if (!culprit_graph_push(g, r + i, 1))
			fail_msg("%s", culprit_graph_error(g));
		for (unsigned k = 0; k < LANES; k++) {
			lane_push(lanes[k], r[i]);
			compare_nodes(g, lanes[k], i);
		}
	}
	for (unsigned k = 0; k < LANES; k++)
		lane_destroy(lanes[k]);
	culprit_graph_destroy(g);
}

static struct culprit_graph_params random_params(uint64_t *s)
{
	static const uint32_t misses[CULPRIT_LEVEL_COUNT] = {0, 0, 10, 30, 150};
	struct culprit_graph_params p = random_sizes(s);
	memcpy(p.miss_cycles, misses, sizeof misses);
	p.ideal_capacity = 0; /* an unlimited front end has no end */
	p.ordered_loads = chance(s, 30);
	if (chance(s, 50)) {
		limit_rooms(&p, s);
		p.write_hit++;
		post_writes(&p, *s);
	}
	if (chance(s, 40))
		crack_params(&p, s);
	if (chance(s, 60)) {
		p.l1_line = 8u << below(s, 3);
		p.miss_line = p.l1_line << below(s, 3);
	}
	return p;
}

static bool has_loop(const struct culprit_record *r)
{
	return r->wakeup > r->complete - r->issue;
}

/* What random streams do not have, and what only the graph knows. */
static void change(uint64_t *s, const struct culprit_graph_params *p, struct culprit_record *r, size_t i, bool waits)
{
	enum { WAITS = CULPRIT_MISPREDICTED | CULPRIT_BTB_MISS | CULPRIT_SERIALISING };
	r->dstray = r->istray = 0, r->stray_wait = 0;
	if (waits && chance(s, 30)) /* a wait before the issue that no edge explains */
		r->dispatch -= below(s, 1 + (uint32_t)(r->dispatch - r->fetch));
	if ((r->flags & CULPRIT_STORE) && !p->store_writes && chance(s, 30))
		r->window = CULPRIT_WINDOW_SQ;
	if (p->l1_line && (r->flags & (CULPRIT_LOAD | CULPRIT_STORE)))
		r->mem_size = (uint8_t)(1u << below(s, 5));
	if ((r->flags & CULPRIT_VIOLATED) && has_loop(r - r->mem_producer))
		r->flags &= (uint16_t)~CULPRIT_VIOLATED;
	if (i && r->length && !(r[-1].flags & WAITS) && chance(s, 20)) /* the pipeline drained */
		r->redirect = (uint16_t)(1 + below(s, 9));
}

/* Nothing, each class alone, all, some. */
static void pick_sets(uint64_t *s, const struct culprit_graph_params *p, unsigned sets[LANES], bool waits)
{
	enum { WIN = 1u << CULPRIT_EVENT_win, DL1 = 1u << CULPRIT_EVENT_dl1 };
	for (unsigned k = 0; k < LANES; k++) {
		sets[k] = k < 9 ? (1u << k) >> 1 : k == 9 ? 255 : below(s, 256);
		if (p->store_writes && (sets[k] & WIN))
			sets[k] &= ~(unsigned)DL1; /* whose absence leaves writes no time */
		if (p->late_rename &&
		    waits) /* a lane's history has its own sizes, and the record's waits are of the others */
			sets[k] &= ~(unsigned)WIN;
	}
}

static void every_node(void **state)
{
	(void)state;
	enum { N = 700 };
	for (uint64_t round = 1; round <= 150; round++) {
		uint64_t s = round * 83;
		struct culprit_graph_params p = random_params(&s);
		struct mix m = {1 + below(&s, 300), 1 + below(&s, 60), chance(&s, 30) ? 60 : below(&s, 4), true};
		struct culprit_record *r = random_stream(s, N, &p, &m);
		crack_stream(&s, &p, r, N);
		if (chance(&s, 40))
			weigh_stream(&s, &p, r, N, 10 * below(&s, 6));
		const bool waits = !p.late_rename || chance(&s, 50);
		for (size_t i = 0; i < N; i++)
			change(&s, &p, &r[i], i, waits);
		unsigned sets[LANES];
		pick_sets(&s, &p, sets, waits);
		compare(&p, r, N, sets);
		free(r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(every_node)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
