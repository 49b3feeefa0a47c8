/* The critical path itself: from a node back along the first edge that arrived last, each cycle charged to one
 * instruction and one kind.
 *
 * The path of a window is taken over below the chunk's end, at the seam. The window after it, which sees further, must
 * come down to the same node: then the pieces are one path, and by induction from the run's last commit they are the
 * run's critical path. */
#include "analysis/critical/state.h"

struct last {
	uint32_t back;
	enum culprit_critical_kind kind;
};

static struct last last_edge(const struct critical_slot *s, enum edge_node node)
{
	return (struct last){s->last[node] >> CRITICAL_KIND_BITS, s->last[node] & ((1 << CRITICAL_KIND_BITS) - 1)};
}

static uint64_t spent_in(const struct critical_slot *s, enum edge_node node)
{
	return node == NODE_F ? (uint64_t)s->parts.imiss + s->parts.itlb : node == NODE_E ? s->parts.contention : 0;
}

static void charge(struct culprit_critical *c, uint32_t row, enum culprit_critical_kind kind, uint64_t cycles,
		   enum critical_tie tie)
{
	struct culprit_critical_row *r = &c->rows[row].public;
	r->cycles[kind] += cycles;
	r->path += cycles;
	c->totals.by_kind[kind] += cycles;
	if (tie == TIE_UNKNOWN)
		return;
	r->watched_path += cycles;
	c->totals.watched_path += cycles;
	if (tie == TIE_BROKEN) {
		r->tied += cycles;
		c->totals.tied += cycles;
	}
}

/* E -> P: the latency by its parts, less the last `late` cycles. E -> W: the loop that holds dependents back, of the
 * operation's class. */
static void charge_latency(struct culprit_critical *c, const struct critical_slot *s, uint64_t weight, uint64_t late,
			   bool loop, enum critical_tie tie)
{
	const struct edge_parts *x = &s->parts;
	const uint64_t missed = late < x->miss ? late : x->miss, executed = late - missed;
	const uint64_t exec = executed < x->exec ? x->exec - executed : 0;
	charge(c, s->row, x->exec_kind, loop ? weight : exec, tie);
	if (loop)
		return;
	charge(c, s->row, CULPRIT_CRITICAL_dtlb, weight - exec - (x->miss - missed), tie);
	charge(c, s->row, x->miss_kind, x->miss - missed, tie);
}

/* A redirect is the doing of the instruction in front; everything else but the refill behind it is the target's. So
 * is a write that a full store queue waits for: its store may be out of sight. */
static bool charged_to_source(enum culprit_critical_kind kind)
{
	return kind == CULPRIT_CRITICAL_bmisp || kind == CULPRIT_CRITICAL_btb;
}

/* Edges from the issue of the same instruction. */
static bool own_latency(uint32_t node, struct last e)
{
	return (node == NODE_P && e.back == NODE_P - NODE_E) || (node == NODE_W && e.back == NODE_W - NODE_E);
}

/* The front end that fills again behind a redirect is the branch's doing, too. */
static void charge_front_end(struct culprit_critical *c, const struct critical_slot *s, uint64_t weight,
			     enum critical_tie tie)
{
	bool refills = s->refill != CRITICAL_NOBODY;
	charge(c, refills ? s->refill : s->row, refills ? CULPRIT_CRITICAL_bmisp : CULPRIT_CRITICAL_frontend, weight,
	       tie);
}

/* The edge arrived last, so its length is the time between its nodes. Less than 0: an addend that was late. */
static int64_t edge_weight(const struct culprit_critical *c, uint32_t target, struct last e)
{
	const struct critical_slot *s = &c->slots[target / EDGE_NODES];
	return (int64_t)(c->time[target] - spent_in(s, target % EDGE_NODES) - c->time[target - e.back]);
}

/* `late`: cycles of it that nobody waited for. */
static void charge_edge(struct culprit_critical *c, uint32_t target, struct last e, uint64_t late,
			enum critical_tie tie)
{
	uint32_t node = target % EDGE_NODES;
	const struct critical_slot *s = &c->slots[target / EDGE_NODES];
	uint32_t source_row = c->slots[(target - e.back) / EDGE_NODES].row;
	const int64_t length = edge_weight(c, target, e);
	const uint64_t weight = length > 0 ? (uint64_t)length - late : 0;
	bool wakes = node == NODE_W && e.back == NODE_W - NODE_P; /* the first half of an operand's edge */
	c->totals.hops[e.kind] += !wakes;
	if (own_latency(node, e)) {
		charge_latency(c, s, weight, late, node == NODE_W, tie);
	} else if (node == NODE_E && e.kind == CULPRIT_CRITICAL_schedule) {
		charge(c, s->row, CULPRIT_CRITICAL_schedule, weight - s->parts.unexplained, tie);
		charge(c, s->row, CULPRIT_CRITICAL_other, s->parts.unexplained, tie);
	} else if (e.kind == CULPRIT_CRITICAL_frontend) {
		charge_front_end(c, s, weight, tie);
	} else {
		charge(c, charged_to_source(e.kind) ? source_row : s->row, e.kind, weight, tie);
	}
}

/* What is spent in a node itself. */
static void charge_node(struct culprit_critical *c, const struct critical_slot *s, enum edge_node node,
			enum critical_tie tie)
{
	if (node == NODE_F) {
		charge(c, s->row, s->parts.fetch_kind, s->parts.imiss, tie);
		charge(c, s->row, CULPRIT_CRITICAL_itlb, s->parts.itlb, tie);
	} else if (node == NODE_E) {
		charge(c, s->row, CULPRIT_CRITICAL_issue, s->parts.contention, tie);
	}
}

/* The path comes to `target` along this edge. */
static void take(struct culprit_critical *c, uint32_t target, struct last e, uint64_t late, enum critical_tie tie)
{
	charge_edge(c, target, e, late, tie);
	uint32_t from = (target - e.back) / EDGE_NODES, to = target / EDGE_NODES;
	if (from == to)
		return;
	c->rows[c->slots[to].row].public.visits++;
	c->totals.visits++;
	critical_rows_step(c, c->slots[from].row, c->slots[to].row, e.kind);
}

/* The run's very first fetch: nothing comes before it. */
static void arrive_first(struct critical_path *p, uint32_t row)
{
	if (!p->seam)
		return;
	p->c->rows[row].public.visits++;
	p->c->totals.visits++;
}

/* Where an addend was late (params.late_addend), the last cycles of the latency in front of it are nobody's: how many
 * of this edge's. */
static uint64_t lateness(struct critical_path *p, uint32_t target, struct last e)
{
	const uint32_t node = target % EDGE_NODES;
	const int64_t length = edge_weight(p->c, target, e);
	if (length < 0)
		p->late += (uint64_t)-length;
	if (length <= 0 || (node != NODE_P && node != NODE_W))
		return 0;
	const uint64_t late = (uint64_t)length < p->late ? (uint64_t)length : p->late;
	p->late -= late;
	return late;
}

void critical_path_step(struct critical_path *p, enum critical_tie in_node, enum critical_tie on_edge)
{
	struct culprit_critical *c = p->c;
	uint32_t node = p->at, n = node % EDGE_NODES, slot = node / EDGE_NODES;
	const struct critical_slot *s = &c->slots[slot];
	struct last e = last_edge(s, n);
	if (!p->seam && slot < p->until) {
		p->seam = true;
		p->seam_node = node;
	}
	if (p->seam)
		charge_node(c, s, n, in_node);
	p->at = CRITICAL_NOWHERE;
	if (!e.back) {
		arrive_first(p, s->row);
		return;
	}
	p->at = node - e.back;
	const uint64_t late = lateness(p, node, e);
	if (p->seam)
		take(c, node, e, late, on_edge);
}

void critical_path_trace(struct critical_path *p)
{
	while (p->at != CRITICAL_NOWHERE && p->at >= p->c->begin * EDGE_NODES)
		critical_path_step(p, TIE_UNKNOWN, TIE_UNKNOWN);
}

/* The path has left the chunk's start behind, at a node of the window before: the one where that window's path was
 * taken over, or else the two do not make one path, and the cycles between them are nobody's. */
void critical_path_join(struct critical_path *p)
{
	struct culprit_critical *c = p->c;
	if (c->seam) {
		c->totals.seams++;
		c->totals.seams_off += p->at != c->seam_node;
		uint64_t landed = p->at == CRITICAL_NOWHERE ? CRITICAL_ORIGIN : c->time[p->at];
		c->totals.seam_cycles += (int64_t)(landed - c->seam_time);
	}
	c->seam = p->seam;
	c->seam_node = p->seam_node;
	c->seam_time = c->time[p->seam_node];
}
