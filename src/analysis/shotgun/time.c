/* From a fragment's instructions to records that the dependence graph takes.
 *
 * A sample tells latencies, not times: its own instruction ran at another moment. Times are made here, with the
 * graph's own edges (docs/explanation/graph.md) on one machine without idealisation, so that every wait in a record
 * is explained by an edge. What decides results are the latencies and distances; the times serve to say how long a
 * load waits for a line that an older one is bringing, and which instruction left the entry of a limited issue
 * queue.
 *
 * Registers' producers and what the opcode says come from the code, the rest from the detailed sample; without one,
 * a latency is that of the machine and misses are read off the signature's own bits. */
#include "analysis/shotgun/state.h"
#include "base/bits.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_CYCLE = 1 << 20, FACTS = 4096 };

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* --- creation --- */

/* Issue queues are limited as the machine says, also where the graph takes the records' word. */
static struct culprit_graph_params with_queues(const struct culprit_shotgun_machine *machine)
{
	struct culprit_graph_params p = machine->graph;
	for (uint32_t i = 0; i < p.queue_count && i < CULPRIT_GRAPH_QUEUES; i++)
		p.queue_entries[i] = machine->queue_entries[i];
	return p;
}

bool shotgun_time_create(struct shotgun_time *t, const struct culprit_shotgun_machine *machine,
			 const struct culprit_shotgun_params *params)
{
	*t = (struct shotgun_time){.machine = machine, .params = params, .index = t->index};
	const struct culprit_graph_params g = with_queues(machine);
	uint64_t facts = power_of_two_from((uint64_t)g.rob + g.frontend_capacity + FACTS);
	t->fact_mask = facts - 1;
	t->facts = calloc(facts, sizeof *t->facts);
	if (!edge_history_create(&t->history, &g) || !t->facts)
		return false;
	shotgun_time_reset(t);
	return true;
}

void shotgun_time_destroy(struct shotgun_time *t)
{
	free(t->facts);
	edge_history_destroy(&t->history);
}

static void forget(struct shotgun_time *t)
{
	t->begin = t->seq;
	memset(t->writer, 0, sizeof t->writer);
	shotgun_memory_clear(t);
}

void shotgun_time_reset(struct shotgun_time *t)
{
	memset(t->facts, 0, (t->fact_mask + 1) * sizeof *t->facts);
	edge_history_reset(&t->history);
	t->seq = t->begin = 0;
	forget(t);
}

/* --- times --- */

/* The edges that lead to a record's times. Nothing has happened yet, so nothing was waited for that no edge explains;
 * the wait for a slot is the sample's. */
struct edge_sink {
	const struct edge_history *history;
	struct edge_parts *parts;
	enum edge_node node;
	struct shotgun_time *time;
	struct culprit_record *record;
	uint64_t latest;      /* of the edges into `node` so far */
	uint64_t stores_done; /* the wait for all older stores' addresses ... */
	uint32_t last_store;  /* ... which the last of them ends */
};

static EDGES_INLINE bool edge_sink_removes(const struct edge_sink *b, unsigned kind)
{
	(void)b;
	return kind == CULPRIT_CRITICAL_issue;
}

static EDGES_INLINE uint64_t edge_sink_time(const struct edge_sink *b, uint64_t distance, enum edge_node node)
{
	const struct shotgun_time *t = b->time;
	return distance <= t->fact_mask ? t->facts[(t->seq - distance) & t->fact_mask].time[node] : 0;
}

static EDGES_INLINE void edge_sink_edge(struct edge_sink *b, uint64_t distance, enum edge_node from, int64_t weight,
					enum culprit_critical_kind kind)
{
	uint64_t arrival = edge_sink_time(b, distance, from) + (uint64_t)weight;
	if (kind == CULPRIT_CRITICAL_win && from == NODE_E)
		b->record->previous_holder = (uint32_t)distance;
	if (b->node == NODE_E && from == NODE_P) {
		b->stores_done = arrival;
		b->last_store = (uint32_t)distance;
	}
	b->latest = later(b->latest, arrival);
}

static EDGES_INLINE void edge_sink_settle(struct edge_sink *b, uint64_t add)
{
	struct shotgun_time *t = b->time;
	t->facts[t->seq & t->fact_mask].time[b->node] = b->latest + add;
	b->latest = 0;
}

#include "analysis/edges/emit.h"

/* What fetch waits for, in front of it, sends it on after as long. */
static uint16_t redirect(const struct shotgun_time *t, const struct culprit_record *r)
{
	uint16_t before = t->seq ? t->history.last.flags : 0;
	if ((r->flags & CULPRIT_VIOLATED) || (before & (CULPRIT_MISPREDICTED | CULPRIT_SERIALISING)))
		return t->machine->redirect;
	if (!(before & CULPRIT_BTB_MISS))
		return 0;
	uint16_t late = t->machine->late[t->history.last.branch];
	return late ? late : t->machine->decode_redirect;
}

static void make_ready(struct edge_sink *b, struct culprit_record *r)
{
	edges_fetch(b, r);
	r->fetch = edge_sink_time(b, 0, NODE_F);
	edges_dispatch(b, r);
	r->dispatch = edge_sink_time(b, 0, NODE_D);
	r->issue = UINT64_MAX; /* a load has not left before its store's data are there */
	edges_issue(b, r);
	r->ready = edge_sink_time(b, 0, NODE_E);
	if (b->stores_done == r->ready)
		r->order_waited = b->last_store; /* or the graph would not know the wait */
}

/* Cycles from `hit` until the line comes that an older access brings: when its miss is done. When a prefetcher's
 * comes no record tells, so that the wait stays as sampled. (The access that made it ask and a miss's usual cycles
 * tell no better.) */
static uint32_t wait_for_line(const struct shotgun_time *t, const struct culprit_record *r, uint64_t hit,
			      uint32_t sampled)
{
	const struct shotgun_fact *primary_miss = shotgun_fact(t, r->primary_miss);
	if (t->machine->prefetches && (primary_miss->merged || !primary_miss->miss))
		return sampled;
	return primary_miss->line > hit ? (uint32_t)(primary_miss->line - hit) : 0;
}

static void await_line(const struct shotgun_time *t, struct culprit_record *r)
{
	if (!r->primary_miss)
		return;
	r->dmiss = wait_for_line(t, r, r->issue + r->exec_latency + r->dtlb, r->dmiss);
	if (r->dmiss)
		return;
	r->primary_miss = 0;
	r->flags &= (uint16_t)~CULPRIT_MERGED;
	r->dlevel = CULPRIT_LEVEL_L1;
}

/* When a store is written, which begins as it commits. */
static uint64_t write_time(const struct shotgun_time *t, struct culprit_record *r)
{
	uint64_t hit = r->commit + t->machine->graph.write_hit + r->write_dtlb;
	bool waits = !(r->flags & CULPRIT_LOAD) && r->primary_miss;
	if (waits)
		r->write_miss = wait_for_line(t, r, hit, r->write_miss);
	if (waits && !r->write_miss) {
		r->primary_miss = 0;
		r->write_merged = 0;
		r->write_level = CULPRIT_LEVEL_L1;
	}
	return hit + r->write_miss;
}

/* Is the store that a load takes its data from still in flight? The sample's own may have left sooner. */
static void forward(const struct edge_sink *b, struct culprit_record *r)
{
	uint32_t store = record_may_forward(&b->history->params, r, b->parts->stores, r->exec_latency);
	if (!store)
		return;
	bool flies = edge_store_flies(b, store);
	r->exec_latency = (uint16_t)edge_forwarded_or_hit(b, flies);
	r->flags = (uint16_t)(flies ? r->flags | CULPRIT_FORWARDED : r->flags & ~CULPRIT_FORWARDED);
}

static void execute(struct shotgun_time *t, const struct edge_sink *b, const struct culprit_detail *d,
		    struct culprit_record *r)
{
	uint64_t *time = t->facts[t->seq & t->fact_mask].time;
	r->issue = time[NODE_E] = r->ready + d->contention;
	if (r->flags & CULPRIT_LOAD) {
		await_line(t, r);
		forward(b, r);
	}
	uint64_t latency = (uint64_t)r->exec_latency + r->dtlb + r->dmiss;
	if ((r->flags & CULPRIT_MISPREDICTED) && !latency)
		latency = 1;
	r->complete = r->issue + latency;
	uint64_t wake = latency && latency < t->machine->wakeup ? t->machine->wakeup : latency;
	r->wakeup = (uint16_t)(wake > UINT16_MAX ? UINT16_MAX : wake);
	time[NODE_P] = r->complete;
	time[NODE_W] = later(r->issue + r->wakeup, r->complete);
}

static void remember(struct shotgun_time *t, const struct edge_sink *b, const struct culprit_static_insn *insn,
		     struct culprit_record *r)
{
	uint64_t written = r->flags & CULPRIT_STORE ? write_time(t, r) : 0;
	bool store_only = (r->flags & (CULPRIT_LOAD | CULPRIT_STORE)) == CULPRIT_STORE;
	struct shotgun_fact *f = &t->facts[t->seq & t->fact_mask];
	f->line = store_only ? written : r->complete;
	f->miss = store_only ? r->write_miss : r->dmiss;
	f->level = store_only ? r->write_level : r->dlevel;
	f->merged = store_only ? r->write_merged : (r->flags & CULPRIT_MERGED) != 0;
	f->flags = r->flags;
	const struct edge_stay stay = edges_stay(b, r);
	edge_history_note(&t->history, r, &stay);
	if (r->flags & CULPRIT_STORE)
		shotgun_memory_store(t, r);
	shotgun_memory_write(t, insn);
	t->writer[insn->dest] = t->seq + 1;
	t->writer[64] = 0; /* no register */
	t->seq++;
}

/* A store that waits for a prefetched line: rather the line that the store before waited for. */
static void continue_line(struct shotgun_time *t, const struct culprit_static_insn *insn,
			  const struct shotgun_match *match, struct culprit_detail *d)
{
	if ((insn->flags & (CULPRIT_LOAD | CULPRIT_STORE)) != CULPRIT_STORE || !t->machine->prefetches)
		return;
	const struct culprit_detail *w = shotgun_index_waiting(t->index, match, (uint32_t)(t->seq - t->line_by));
	if (!w)
		return;
	*d = *w;
	t->line_by = t->seq - w->primary_miss;
}

void shotgun_time_record(struct shotgun_time *t, const struct shotgun_place *place, const struct shotgun_step *step,
			 struct culprit_record *r)
{
	const struct culprit_static_insn *insn = &place->insn;
	struct culprit_detail d = step->match.detail ? *step->match.detail
						     : shotgun_default_detail(t->machine, insn, step->bits);
	if (d.flags & CULPRIT_MERGED)
		continue_line(t, insn, &step->match, &d);
	if (step->predicted & CULPRIT_BRANCH_WAS_MISPREDICTED)
		d.flags |= CULPRIT_MISPREDICTED;
	*r = (struct culprit_record){
		.seq = t->seq,
		.pc = place->pc,
		.op_class = insn->op_class,
		.length = insn->length,
		.branch = insn->branch,
		.dest = insn->dest,
		.flags = insn->flags,
		.mem_size = insn->mem_size,
		.queue = t->machine->queue[insn->op_class],
		.unit = t->machine->unit[insn->op_class],
		.rob_entries = insn->rob_entries,
		.dispatch_slots = insn->dispatch_slots,
		.issue_slots = insn->issue_slots,
		.commit_slots = insn->commit_slots,
	};
	if (insn->branch && (step->bits & 1))
		r->flags |= CULPRIT_TAKEN;
	shotgun_sample_copy(t, insn, &d, r);
	r->redirect = redirect(t, r);
	struct edge_parts parts;
	struct edge_sink b = {.history = &t->history, .parts = &parts, .time = t, .record = r};
	const char *why;
	b.latest = t->seq ? 0 : FIRST_CYCLE;
	edge_history_weigh(&t->history, r, &why); /* weights that no machine has the graph refuses */
	make_ready(&b, r);
	execute(t, &b, &d, r);
	b.node = NODE_C;
	edges_commit(&b, r);
	r->commit = edge_sink_time(&b, 0, NODE_C);
	remember(t, &b, insn, r);
}

void shotgun_time_fence(struct shotgun_time *t, struct culprit_record *r)
{
	static const struct shotgun_place fence = {
		.insn = {.op_class = CULPRIT_OP_fence, .flags = CULPRIT_SERIALISING, .length = 4, .dest = 64}};
	static const struct shotgun_step nothing = {.bits = 0};
	shotgun_time_record(t, &fence, &nothing, r);
	forget(t);
}
