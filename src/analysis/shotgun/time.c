/* From a fragment's instructions to records that the dependence graph takes.
 *
 * A sample tells latencies, not times: its own instruction ran at another moment. Times are made here, with the graph's
 * own edges (docs/graph.md) on one machine without idealisation, so that every wait in a record is explained by an edge.
 * What decides results are the latencies and distances; the times serve to say how long a load waits for a line that
 * an older one is bringing, and which instruction left the entry of a limited issue queue.
 *
 * Registers' producers and what the opcode says come from the code, the rest from the detailed sample; without one, a
 * latency is that of the machine and misses are read off the signature's own bits. */
#include "analysis/shotgun/state.h"
#include "base/bits.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_CYCLE = 1 << 20, FACTS = 4096, NEAR = 4 };

/* --- creation --- */

bool shotgun_time_create(struct shotgun_time *t, const struct culprit_shotgun_machine *machine,
			 const struct culprit_shotgun_params *params)
{
	*t = (struct shotgun_time){.machine = machine, .params = params};
	const struct culprit_graph_params *g = &machine->graph;
	uint64_t facts = power_of_two_from((uint64_t)g->rob + g->frontend_capacity + FACTS);
	t->fact_mask = facts - 1;
	t->facts = calloc(facts, sizeof *t->facts);
	bool good = t->facts != NULL;
	for (uint32_t i = 0; i < g->queue_count && i < CULPRIT_GRAPH_QUEUES; i++) {
		t->queues[i].entries = machine->queue_entries[i];
		t->queues[i].heap = calloc((size_t)machine->queue_entries[i] + 1, sizeof *t->queues[i].heap);
		good = good && t->queues[i].heap;
	}
	if (good)
		shotgun_time_reset(t);
	return good;
}

void shotgun_time_destroy(struct shotgun_time *t)
{
	free(t->facts);
	for (unsigned i = 0; i < CULPRIT_GRAPH_QUEUES; i++)
		free(t->queues[i].heap);
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
	for (unsigned i = 0; i < CULPRIT_GRAPH_QUEUES; i++)
		t->queues[i].count = 0;
	t->seq = t->begin = t->taken_count = t->stores_complete = 0;
	t->last = (struct culprit_record){.fetch = FIRST_CYCLE};
	forget(t);
}

/* --- small helps --- */

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* What is known of the instruction `distance` back; zeros when there is none. */
static const struct shotgun_fact *fact(const struct shotgun_time *t, uint64_t distance)
{
	static const struct shotgun_fact nothing = {.flags = 0};
	return distance && distance <= t->seq && distance <= t->fact_mask
		       ? &t->facts[(t->seq - distance) & t->fact_mask]
		       : &nothing;
}

/* A step of one cycle, when `width` instructions earlier there was one. */
static uint64_t after_width(const struct shotgun_time *t, uint32_t width, uint64_t at)
{
	return width && width <= t->seq ? at + 1 : 0;
}

/* --- what the sample tells --- */

/* Without a sample: hits, and the misses that the signature's own bits tell of. */
static struct culprit_detail default_detail(const struct shotgun_time *t, const struct culprit_static_insn *insn,
					    unsigned bits)
{
	struct culprit_detail d = {.exec_latency = t->machine->latency[insn->op_class]};
	if (!(bits & 2))
		return d;
	uint8_t level = bits & 1 ? CULPRIT_LEVEL_L2 : CULPRIT_LEVEL_MEMORY;
	if (insn->flags & CULPRIT_LOAD) {
		d.dlevel = level;
		d.dmiss = t->machine->graph.miss_cycles[level];
	} else {
		d.ilevel = CULPRIT_LEVEL_L2;
		d.imiss = t->machine->graph.miss_cycles[CULPRIT_LEVEL_L2];
	}
	return d;
}

static void copy_detail(struct shotgun_time *t, const struct culprit_detail *d, struct culprit_record *r)
{
	r->imiss = d->imiss;
	r->itlb = d->itlb;
	r->ilevel = d->ilevel;
	r->itlb_level = d->itlb_level;
	r->exec_latency = d->exec_latency;
	bool load = r->flags & CULPRIT_LOAD;
	uint16_t takes = CULPRIT_DETAIL_FLAGS;
	if (!r->branch)
		takes &= (uint16_t) ~(CULPRIT_MISPREDICTED | CULPRIT_BTB_MISS);
	if (!load)
		takes &= (uint16_t) ~(CULPRIT_FORWARDED | CULPRIT_MERGED | CULPRIT_VIOLATED);
	r->flags |= d->flags & takes;
	if (load) {
		r->dmiss = d->dmiss;
		r->dtlb = d->dtlb;
		r->dlevel = d->dlevel;
		r->dtlb_level = d->dtlb_level;
	}
	if (t->params->no_strays)
		return;
	r->istray = d->istray;
	r->dstray = load ? d->dstray : 0;
}

/* The store that a sampled distance means: at that distance, or else (the path may be a little longer here) near it. */
static uint32_t fitting_store(struct shotgun_time *t, uint32_t distance)
{
	uint64_t reach = t->seq - t->begin;
	for (uint32_t off = 0; distance && off <= (t->params->no_inference ? 0 : NEAR); off++) {
		if (distance + off <= reach && (fact(t, distance + off)->flags & CULPRIT_STORE))
			return distance + off;
		if (off < distance && distance - off <= reach && (fact(t, distance - off)->flags & CULPRIT_STORE))
			return distance - off;
	}
	t->counts.stores_missed += distance != 0;
	return 0;
}

/* The miss that brings the line of a load that waits for one. A sample of other surroundings may name an instruction that
 * did not miss here; then it is the last one that missed as far, if that can still be on its way. */
static uint32_t fitting_misser(struct shotgun_time *t, const struct culprit_detail *d)
{
	uint64_t reach = t->seq - t->begin;
	const struct shotgun_fact *misser = fact(t, d->line_misser);
	if (d->line_misser <= reach && (misser->miss || (misser->flags & CULPRIT_STORE)))
		return d->line_misser;
	t->counts.missers_missed++;
	uint64_t window = t->machine->graph.rob < reach ? t->machine->graph.rob : reach;
	for (uint32_t back = 1; back <= window && !t->params->no_inference; back++)
		if (fact(t, back)->miss && fact(t, back)->level == d->dlevel)
			return back;
	return 0;
}

static void sampled_dependences(struct shotgun_time *t, const struct culprit_detail *d, struct culprit_record *r)
{
	r->mem_producer = fitting_store(t, d->mem_producer);
	r->order_waited = fitting_store(t, d->order_waited);
	if (!(r->flags & CULPRIT_MERGED) || !d->line_misser)
		return;
	r->line_misser = fitting_misser(t, d);
	if (r->line_misser || t->params->no_inference)
		return;
	/* its own bits say that it missed the L1; nothing here brings a line from further away */
	uint32_t near = t->machine->graph.miss_cycles[CULPRIT_LEVEL_L2];
	r->flags &= (uint16_t)~CULPRIT_MERGED;
	r->dlevel = CULPRIT_LEVEL_L2;
	r->dmiss = r->dmiss < near ? r->dmiss : near;
}

static void dependences(struct shotgun_time *t, const struct culprit_static_insn *insn, const struct culprit_detail *d,
			struct culprit_record *r)
{
	for (unsigned i = 0; i < 3; i++)
		if (insn->source[i] && t->writer[insn->source[i]])
			r->producer[i] = (uint32_t)(t->seq + 1 - t->writer[insn->source[i]]);
	if (r->flags & CULPRIT_LOAD)
		sampled_dependences(t, d, r);
	shotgun_memory_address(t, insn, r);
	if (t->params->no_inference)
		return;
	uint32_t inferred = r->flags & CULPRIT_LOAD ? shotgun_memory_producer(t, r) : 0;
	if (!inferred)
		return;
	/* in the graph, the address will do; here it also mends what was sampled in other surroundings */
	t->counts.stores_inferred++;
	if (d->mem_producer)
		r->mem_producer = inferred;
}

/* --- times --- */

/* Where the instruction in front sends fetch. */
static uint64_t redirected(struct shotgun_time *t, struct culprit_record *r)
{
	const struct shotgun_fact *before = fact(t, 1);
	const struct culprit_shotgun_machine *m = t->machine;
	if (r->flags & CULPRIT_VIOLATED) {
		r->redirect = m->redirect;
		return fact(t, r->mem_producer)->wake + m->redirect;
	}
	if (before->flags & CULPRIT_MISPREDICTED) {
		r->redirect = m->redirect;
		return before->complete + m->redirect;
	}
	if (before->flags & CULPRIT_SERIALISING) {
		r->redirect = m->redirect;
		return before->commit + m->redirect;
	}
	if (before->flags & CULPRIT_BTB_MISS) {
		r->redirect = m->decode_redirect;
		return before->fetch + m->decode_redirect + 1;
	}
	return 0;
}

static bool line_break(const struct shotgun_time *t, const struct culprit_record *r)
{
	uint32_t line = t->machine->graph.fetch_line;
	if (!line || (t->last.flags & CULPRIT_TAKEN))
		return false;
	return ((r->pc + r->length - 1) ^ (t->last.pc + t->last.length - 1)) >= line;
}

static uint64_t fetch_time(struct shotgun_time *t, struct culprit_record *r)
{
	const struct culprit_graph_params *g = &t->machine->graph;
	uint64_t f = later(t->last.fetch, after_width(t, g->fetch_width, fact(t, g->fetch_width)->fetch));
	f = later(f, redirected(t, r));
	if (g->frontend_capacity)
		f = later(f, fact(t, g->frontend_capacity)->dispatch);
	if (t->seq && line_break(t, r))
		f = later(f, t->last.fetch + 1);
	uint64_t limit = g->taken_limit;
	if ((t->last.flags & CULPRIT_TAKEN) && limit && limit <= SHOTGUN_TAKEN && t->taken_count >= limit) {
		uint64_t back = t->seq - t->taken[(t->taken_count - limit) % SHOTGUN_TAKEN];
		f = later(f, back <= t->fact_mask ? fact(t, back)->fetch + 1 : 0);
	}
	return f + r->imiss + r->itlb;
}

/* The entry that an issue queue has left for the instruction: that of the earliest to issue. */
static uint64_t take_entry(struct shotgun_time *t, struct culprit_record *r)
{
	struct shotgun_queue *q = &t->queues[r->queue];
	if (!q->entries || q->count < q->entries)
		return 0;
	struct shotgun_entry first = q->heap[0], moved = q->heap[--q->count];
	uint32_t i = 0;
	for (uint32_t child; (child = 2 * i + 1) < q->count; i = child) {
		child += child + 1 < q->count && q->heap[child + 1].issue < q->heap[child].issue;
		if (moved.issue <= q->heap[child].issue)
			break;
		q->heap[i] = q->heap[child];
	}
	q->heap[i] = moved;
	r->queue_freer = (uint32_t)(t->seq - first.seq);
	return first.issue;
}

static void give_entry(struct shotgun_time *t, const struct culprit_record *r)
{
	struct shotgun_queue *q = &t->queues[r->queue];
	if (!q->entries)
		return;
	uint32_t i = q->count++;
	for (; i && q->heap[(i - 1) / 2].issue > r->issue; i = (i - 1) / 2)
		q->heap[i] = q->heap[(i - 1) / 2];
	q->heap[i] = (struct shotgun_entry){r->issue, t->seq};
}

static uint64_t dispatch_time(struct shotgun_time *t, struct culprit_record *r)
{
	const struct culprit_graph_params *g = &t->machine->graph;
	uint64_t d = later(r->fetch + g->frontend_stages, t->last.dispatch);
	d = later(d, after_width(t, g->dispatch_width, fact(t, g->dispatch_width)->dispatch));
	d = later(d, fact(t, g->rob)->commit);
	return later(d, take_entry(t, r));
}

static uint64_t ready_time(const struct shotgun_time *t, struct culprit_record *r)
{
	uint64_t ready = r->dispatch + t->machine->graph.dispatch_to_issue;
	const uint32_t distances[] = {r->producer[0], r->producer[1], r->producer[2], r->mem_producer, r->order_waited};
	for (size_t i = 0; i < sizeof distances / sizeof *distances; i++)
		ready = later(ready, fact(t, distances[i])->wake);
	if (r->flags & CULPRIT_AT_HEAD)
		ready = later(ready, t->last.commit);
	else if (t->machine->graph.ordered_loads && (r->flags & CULPRIT_LOAD) && t->stores_complete > ready) {
		ready = t->stores_complete;
		r->order_waited = (uint32_t)(t->seq - t->last_store); /* or the graph would not know the wait */
	}
	return ready;
}

/* The line that an older miss brings comes when that miss completes. */
static void share_line(const struct shotgun_time *t, struct culprit_record *r)
{
	const struct shotgun_fact *misser = fact(t, r->line_misser);
	uint64_t hit = r->issue + r->exec_latency + r->dtlb;
	if (!r->line_misser || (misser->flags & CULPRIT_STORE))
		return;
	r->dmiss = misser->complete > hit ? (uint32_t)(misser->complete - hit) : 0;
	if (r->dmiss)
		return;
	r->line_misser = 0;
	r->flags &= (uint16_t)~CULPRIT_MERGED;
	r->dlevel = CULPRIT_LEVEL_L1;
}

static void execute(struct shotgun_time *t, const struct culprit_detail *d, struct culprit_record *r)
{
	r->issue = r->ready + d->contention;
	if (r->flags & CULPRIT_LOAD)
		share_line(t, r);
	uint64_t latency = (uint64_t)r->exec_latency + r->dtlb + r->dmiss;
	if ((r->flags & CULPRIT_MISPREDICTED) && !latency)
		latency = 1;
	r->complete = r->issue + latency;
	uint64_t wake = latency && latency < t->machine->wakeup ? t->machine->wakeup : latency;
	r->wakeup = (uint16_t)(wake > UINT16_MAX ? UINT16_MAX : wake);
}

static uint64_t commit_time(const struct shotgun_time *t, const struct culprit_record *r)
{
	const struct culprit_graph_params *g = &t->machine->graph;
	uint64_t c = later(r->complete + g->commit_delay, t->last.commit);
	return later(c, after_width(t, g->commit_width, fact(t, g->commit_width)->commit));
}

static void remember(struct shotgun_time *t, const struct culprit_static_insn *insn, const struct culprit_record *r)
{
	t->facts[t->seq & t->fact_mask] = (struct shotgun_fact){.fetch = r->fetch,
								.dispatch = r->dispatch,
								.complete = r->complete,
								.wake = r->issue + r->wakeup,
								.commit = r->commit,
								.miss = r->dmiss,
								.level = r->dlevel,
								.flags = r->flags};
	give_entry(t, r);
	if (r->flags & CULPRIT_TAKEN)
		t->taken[t->taken_count++ % SHOTGUN_TAKEN] = t->seq;
	if (r->flags & CULPRIT_STORE) {
		t->last_store = r->complete >= t->stores_complete ? t->seq : t->last_store;
		t->stores_complete = later(t->stores_complete, r->complete);
		shotgun_memory_store(t, r);
	}
	shotgun_memory_write(t, insn);
	t->writer[insn->dest] = t->seq + 1;
	t->writer[64] = 0; /* no register */
	t->last = *r;
	t->seq++;
}

void shotgun_time_record(struct shotgun_time *t, const struct shotgun_place *place, const struct shotgun_step *step,
			 struct culprit_record *r)
{
	const struct culprit_static_insn *insn = &place->insn;
	struct culprit_detail d = step->match.detail ? *step->match.detail : default_detail(t, insn, step->bits);
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
	};
	if (insn->branch && (step->bits & 1))
		r->flags |= CULPRIT_TAKEN;
	copy_detail(t, &d, r);
	dependences(t, insn, &d, r);
	if (!r->mem_producer) /* order is violated with a store */
		r->flags &= (uint16_t)~CULPRIT_VIOLATED;
	r->fetch = fetch_time(t, r);
	r->dispatch = dispatch_time(t, r);
	r->ready = ready_time(t, r);
	execute(t, &d, r);
	r->commit = commit_time(t, r);
	remember(t, insn, r);
}

void shotgun_time_fence(struct shotgun_time *t, struct culprit_record *r)
{
	static const struct shotgun_place fence = {
		.insn = {.op_class = CULPRIT_OP_fence, .flags = CULPRIT_SERIALISING, .length = 4, .dest = 64}};
	static const struct shotgun_step nothing = {.bits = 0};
	shotgun_time_record(t, &fence, &nothing, r);
	forget(t);
}
