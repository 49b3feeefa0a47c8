/* The dependence graph the slow and plain way: one subset at a time, every node of the whole stream in 64-bit arrays,
 * edges straight from the table of docs/explanation/graph.md. Shares nothing with src/analysis/graph/. */
#ifndef TESTS_GRAPH_REFERENCE_H
#define TESTS_GRAPH_REFERENCE_H

#include "culprit/graph.h"

#include <stdlib.h>

/* Each lane's first cycle: a prefetch may have been asked for before it. */
enum { REFERENCE_BEGIN = 4096 };

/* A line that a prefetch brought, and who waited for it first. */
struct reference_waited {
	uint64_t line, number; /* line + 1 */
};

/* Misses in the order in which they come, and when the MSHRs are free that those before them left. */
struct reference_miss {
	uint64_t key, time, hold;
	bool live;
};
struct reference_misses {
	struct reference_miss list[260];
	size_t count, kept;
	uint64_t free[64];
};

struct reference {
	const struct culprit_graph_params *p;
	const struct culprit_record *r;
	size_t n;
	unsigned set;
	uint64_t *f, *d, *e, *w, *q, *c; /* q = completion, P of the paper */
	uint64_t *t;	  /* fetch_asked: when it left fetch, and f when its line was asked for; else f */
	uint64_t *l;	  /* released: when it left the window; else c */
	uint64_t renamed; /* late_rename: the last instruction was */
	/* of each queue and of the stores: the latest times at which entries that were taken are free again, as many as
	 * there are entries, the latest first */
	uint64_t *free[CULPRIT_GRAPH_QUEUES], *written;
	uint64_t *released; /* by store */
	uint64_t stores, done, recorded;
	uint64_t line, turn; /* write_interval: of the last line that a store has written, + 1 */
	/* Of the store at hand: when its write begins, in this lane and as recorded. posted_writes: as if it had been committed
	 * then, and nobody were in front. */
	uint64_t begins, began;
	/* posted_writes: by store, when each is served, likewise; of the one at hand, when the buffer takes it, and what it
	 * waited for its MSHR. */
	uint64_t *served, *was_served, accepted, mshr_waited;
	struct reference_misses bus, bus_recorded;
	struct reference_waited waited[256];
	uint64_t write_wait;			     /* of the store at hand */
	struct reference_misses misses, as_recorded; /* in this lane; by the times of the records */
	bool far;				     /* the lane has the large window, for every instruction */
	bool *timed; /* loads: the trigger of the prefetch that brought the line is known */
	uint64_t *rows, row, place,
		formed; /* dispatch_rows: commit of the last one of each row so far; the last row ... */
};

static uint64_t latest_of(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* The n-th latest of all values so far is the time from which fewer than n of them are still to come. */
static void reference_latest(uint64_t *latest, uint32_t n, uint64_t value)
{
	for (uint32_t k = 0; k < n; k++) {
		uint64_t old = latest[k];
		if (value > old) {
			latest[k] = value;
			value = old;
		}
	}
}

/* The MSHR that was busy last of those free, else the first to be free. */
static uint64_t reference_serve(uint64_t *free, uint32_t n, uint64_t time, uint64_t hold)
{
	uint32_t best = 0;
	for (uint32_t k = 1; k < n; k++) {
		bool is_free = free[k] <= time, best_free = free[best] <= time;
		if (is_free ? !best_free || free[k] > free[best] : !best_free && free[k] < free[best])
			best = k;
	}
	uint64_t start = free[best] > time ? free[best] : time;
	free[best] = start + hold;
	return start;
}

/* When a miss that comes at `key` would have an MSHR: after those that came before it, where they are still known. */
static uint64_t reference_mshr(const struct reference_misses *m, uint32_t n, uint64_t key, uint64_t time)
{
	uint64_t free[64];
	if (m->count + 1 >= m->kept && m->list[0].key > key)
		return time;
	for (uint32_t k = 0; k < 64; k++)
		free[k] = m->free[k];
	for (size_t k = 0; k < m->count && m->list[k].key <= key; k++)
		if (m->list[k].live)
			reference_serve(free, n, m->list[k].time, m->list[k].hold);
	return reference_serve(free, n, time, 0);
}

/* One that comes before all that are kept takes nothing. */
static void reference_put(struct reference_misses *m, struct reference_miss miss)
{
	if (m->count + 1 >= m->kept && m->list[0].key > miss.key)
		miss.live = false;
	if (!miss.live)
		miss.key = m->count ? m->list[m->count - 1].key : 0;
	size_t at = m->count++;
	for (; at && m->list[at - 1].key > miss.key; at--)
		m->list[at] = m->list[at - 1];
	m->list[at] = miss;
}

/* Fewer are kept from step to step. */
static void reference_forget(struct reference_misses *m, uint32_t n)
{
	while (m->count >= m->kept) {
		if (m->list[0].live)
			reference_serve(m->free, n, m->list[0].time, m->list[0].hold);
		m->count--;
		for (size_t at = 0; at < m->count; at++)
			m->list[at] = m->list[at + 1];
	}
}

static void reference_enter(struct reference_misses *m, uint32_t n, struct reference_miss miss)
{
	reference_put(m, miss);
	reference_forget(m, n);
}

/* By the times of the records one that comes before all that are kept is left out. */
static void reference_enter_recorded(struct reference_misses *m, uint32_t n, struct reference_miss miss)
{
	if (m->count + 1 < m->kept || m->list[0].key <= miss.key)
		reference_enter(m, n, miss);
}

/* A line from memory that an L1 asks for: the cycles it waits for the bus. */
static uint64_t reference_line(const struct reference *g, struct reference_misses *bus, uint64_t time, bool live)
{
	time += g->p->miss_cycles[CULPRIT_LEVEL_MEMORY] - g->p->memory_latency;
	uint64_t start = live ? reference_mshr(bus, 1, time, time) : time;
	reference_put(bus, (struct reference_miss){time, time, g->p->memory_interval, live});
	return start - time;
}

static uint64_t reference_less(uint64_t a, uint64_t by)
{
	return a > by ? a - by : 0;
}

static uint64_t reference_recorded_line(struct reference *g, uint64_t time)
{
	time += g->p->miss_cycles[CULPRIT_LEVEL_MEMORY] - g->p->memory_latency;
	const uint64_t wait = reference_mshr(&g->bus_recorded, 1, time, time) - time;
	reference_enter_recorded(&g->bus_recorded, 1, (struct reference_miss){time, time, g->p->memory_interval, true});
	return wait;
}

static bool reference_same(const struct culprit_record *a, const struct culprit_record *b, uint32_t line)
{
	return a->mem_addr / line == b->mem_addr / line; /* of accesses without size */
}

/* Is the access's line on its way to the next level only? */
static bool reference_lacks_part(const struct reference *g, size_t i, uint64_t most)
{
	const struct culprit_graph_params *p = g->p;
	const struct culprit_record *r = &g->r[i], *by = r - r->primary_miss;
	if (r->mshr_wait)
		return true;
	if (!r->primary_miss || r->primary_miss > most || !p->l1_line || !p->miss_line)
		return false;
	return !reference_same(r, by, p->l1_line) && (reference_same(r, by, p->miss_line) || !p->l1_prefetches);
}

/* The first use of a line of the L1D for so many instructions, as far as 256 places remember. */
static bool reference_first_use(struct reference *g, size_t i, uint64_t most)
{
	uint64_t line = g->r[i].mem_addr / g->p->l1_line;
	struct reference_waited *last = &g->waited[(line * 0x9e3779b97f4a7c15 >> 32) % 256];
	if (last->line == line + 1 && i - last->number <= most)
		return false;
	*last = (struct reference_waited){line + 1, i};
	return true;
}

/* Does the access take an MSHR, although its line may be on its way? */
static bool reference_takes(struct reference *g, size_t i, bool merged, uint64_t most)
{
	if (!merged || g->r[i].mshr_wait)
		return true;
	return reference_lacks_part(g, i, most) && reference_first_use(g, i, most);
}

static unsigned reference_base(unsigned event)
{
	static const unsigned bases[] = {
#define EVENT_CLASS(name, base, what) CULPRIT_EVENT_##base,
#include "culprit/event_class.def"
	};
	return bases[event];
}

/* Is `event` of instruction i idealised in this subset? */
static bool reference_ideal(const struct reference *g, unsigned event, size_t i)
{
	if (g->p->always & (1u << event | 1u << reference_base(event)))
		return true;
	for (unsigned k = 0; k < g->p->class_count; k++) {
		const struct culprit_graph_class *class = &g->p->classes[k];
		if (!(g->set & (1u << k)) || !(class->events & (1u << event | 1u << reference_base(event))))
			continue;
		if (!class->range_count)
			return true;
		for (size_t n = 0; n < class->range_count; n++)
			if (g->r[i].pc >= class->ranges[n].first && g->r[i].pc < class->ranges[n].end)
				return true;
	}
	return false;
}

static void reference_edge(uint64_t *node, uint64_t from, uint64_t add)
{
	if (from + add > *node)
		*node = from + add;
}

static unsigned reference_miss_event(unsigned level, unsigned l2, unsigned l3, unsigned memory)
{
	return level == CULPRIT_LEVEL_L3 ? l3 : level == CULPRIT_LEVEL_MEMORY ? memory : l2;
}

/* Has a wrong path brought part of the line of the next level before? */
static bool reference_strayed(const struct reference *g, size_t i, bool data)
{
	uint32_t line = g->p->miss_line;
	const struct culprit_record *r = &g->r[i];
	for (size_t j = i; line && j-- > 0;) {
		const struct culprit_record *before = &g->r[j];
		if (data ? before->dstray && (before->flags & CULPRIT_LOAD) && reference_same(before, r, line)
			 : before->istray && before->pc / line == r->pc / line)
			return true;
	}
	return false;
}

/* A line that a wrong path brought: a miss again where branches are predicted right, and from the next level when that has
 * another part of it. */
static uint64_t reference_stray(const struct reference *g, size_t i, bool data, uint32_t known, unsigned event)
{
	uint8_t level = data ? g->r[i].dstray : g->r[i].istray;
	bool bmisp = reference_ideal(g, CULPRIT_EVENT_bmisp, i), miss = !reference_ideal(g, event, i);
	if (level > CULPRIT_LEVEL_L2 && reference_strayed(g, i, data))
		level = CULPRIT_LEVEL_L2;
	uint32_t cycles = g->p->miss_cycles[level];
	return level && bmisp && miss && cycles > known ? cycles - known : 0;
}

/* P of a store, from its W. */
static uint64_t reference_resolved(const struct reference *g, size_t i)
{
	const struct culprit_record *r = &g->r[i];
	uint64_t woken = r->issue + r->wakeup, loop = woken > r->complete ? woken - r->complete : 0;
	return g->w[i] > loop ? g->w[i] - loop : 0;
}

static bool reference_begins(const struct reference *g, size_t i)
{
	return g->p->cracked <= 1 || g->r[i].length;
}

/* The first record of the n-th instruction before record i; i = there is none. */
static size_t reference_insn(const struct reference *g, size_t i, size_t n)
{
	size_t j = i;
	while (j > 0 && n)
		n -= reference_begins(g, --j);
	return n ? i : j;
}

/* Its last record has been dispatched. */
static void reference_left(struct reference *g, size_t i, size_t n, uint64_t add)
{
	if (n && reference_insn(g, i, n) < i)
		reference_edge(&g->f[i], g->d[reference_insn(g, i, n - 1) - 1], add);
}

static void reference_decode(struct reference *g, size_t i)
{
	const struct culprit_graph_params *p = g->p;
	uint64_t redirect = g->r[i].redirect;
	reference_edge(&g->f[i], g->t[i - 1], redirect + (p->decode_insns ? p->decode_stages : 1));
	if (p->decode_insns && !reference_ideal(g, CULPRIT_EVENT_bw, i - 1))
		reference_left(g, i, p->decode_insns + 1ull, redirect);
}

/* In the front end; where lines are asked for ahead, among those that were and have not come. */
static void reference_front_room(struct reference *g, size_t i)
{
	const struct culprit_graph_params *p = g->p;
	if (!p->fetch_asked)
		reference_left(g, i, p->frontend_capacity, 0);
	else if (reference_insn(g, i, p->fetch_asked) < i)
		reference_edge(&g->f[i], g->t[reference_insn(g, i, p->fetch_asked - 1) - 1], 0);
}

/* Out of fetch, with the line there: in order, so many in a cycle, when there is room. */
static void reference_arrival(struct reference *g, size_t i)
{
	const struct culprit_graph_params *p = g->p;
	if (!i)
		return;
	reference_edge(&g->t[i], g->t[i - 1], 0);
	if (reference_ideal(g, CULPRIT_EVENT_bw, i) || !reference_begins(g, i))
		return;
	if (p->fetch_width && reference_insn(g, i, p->fetch_width) < i)
		reference_edge(&g->t[i], g->t[reference_insn(g, i, p->fetch_width)], 1);
	if (p->frontend_capacity && reference_insn(g, i, p->frontend_capacity) < i)
		reference_edge(&g->t[i], g->d[reference_insn(g, i, p->frontend_capacity - 1) - 1], 0);
}

static void reference_fetch(struct reference *g, size_t i)
{
	const struct culprit_graph_params *p = g->p;
	const struct culprit_record *r = &g->r[i], *before = r - 1;
	bool bw = !reference_ideal(g, CULPRIT_EVENT_bw, i);
	uint64_t *f = &g->f[i];
	reference_edge(f, REFERENCE_BEGIN, 0);
	if (i) {
		reference_edge(f, g->f[i - 1], 0);
		bw = bw && reference_begins(g, i);
		if (bw && p->fetch_width && reference_insn(g, i, p->fetch_width) < i)
			reference_edge(f, g->f[reference_insn(g, i, p->fetch_width)], 1);
		if (bw)
			reference_front_room(g, i);
		uint64_t end = r->pc + r->length - 1, end_before = before->pc + before->length - (before->length != 0);
		bool crossed = p->fetch_line && end / p->fetch_line != end_before / p->fetch_line;
		bool told = r->flags & CULPRIT_FETCH_BREAK_LINE;
		if (p->fetch_banked || (p->fetch_one_conditional && told))
			crossed = told;
		if (bw && crossed && !(before->flags & CULPRIT_TAKEN))
			reference_edge(f, g->f[i - 1], 1);
		if (bw && p->taken_limit && (before->flags & CULPRIT_TAKEN)) {
			unsigned taken = 0;
			size_t j = i;
			while (j > 0 && taken < p->taken_limit)
				taken += (g->r[--j].flags & CULPRIT_TAKEN) != 0;
			if (taken == p->taken_limit)
				reference_edge(f, g->f[j], 1);
		}
		bool bmisp = !reference_ideal(g, CULPRIT_EVENT_bmisp, i - 1);
		if (r->flags & CULPRIT_VIOLATED) {
			if (r->mem_producer)
				reference_edge(f, reference_resolved(g, i - r->mem_producer), r->redirect);
		} else if (before->flags & CULPRIT_MISPREDICTED) {
			if (bmisp)
				reference_edge(f, g->q[i - 1], r->redirect);
		} else if (before->flags & CULPRIT_SERIALISING) {
			reference_edge(f, g->c[i - 1], r->redirect);
		} else if (before->flags & CULPRIT_BTB_MISS) {
			if (bmisp)
				reference_decode(g, i);
		}
	}
	uint64_t *t = &g->t[i];
	*t = *f;
	unsigned miss = reference_miss_event(r->ilevel, CULPRIT_EVENT_il2, CULPRIT_EVENT_il3, CULPRIT_EVENT_imem);
	uint32_t least = p->miss_cycles[CULPRIT_LEVEL_MEMORY];
	uint64_t own = r->imiss - r->stray_wait;
	if (p->memory_interval && r->ilevel == CULPRIT_LEVEL_MEMORY && own && own >= least) {
		uint64_t wait = reference_recorded_line(g, r->fetch - own), over = reference_less(wait, own - least);
		own = wait < own - least ? own - wait : least;
		bool live = !reference_ideal(g, miss, i), strays = live && !reference_ideal(g, CULPRIT_EVENT_bmisp, i);
		uint64_t itlb = reference_ideal(g, CULPRIT_EVENT_itlb, i) ? 0 : r->itlb;
		uint64_t asked = *t + itlb + (strays ? r->stray_wait : 0);
		*t += reference_less(reference_line(g, &g->bus, asked, live), over);
	}
	*t += reference_ideal(g, miss, i) ? 0 : own;
	*t += reference_ideal(g, miss, i) || reference_ideal(g, CULPRIT_EVENT_bmisp, i) ? 0 : r->stray_wait;
	*t += reference_ideal(g, CULPRIT_EVENT_itlb, i) ? 0 : r->itlb;
	miss = reference_miss_event(r->istray, CULPRIT_EVENT_il2, CULPRIT_EVENT_il3, CULPRIT_EVENT_imem);
	*t += reference_stray(g, i, false, r->imiss, miss);
	if (p->fetch_asked)
		reference_arrival(g, i);
}

/* The unlimited front end's room, checked every 16 instructions; capacity counts in ROBs of the lane's window. Where
 * bandwidth is limited the smaller frontend_capacity says more. */
static void reference_ahead(struct reference *g, size_t i, bool far)
{
	uint64_t capacity = (uint64_t)g->p->ideal_capacity * g->p->rob * (far ? g->p->window_factor : 1);
	uint64_t front = ((uint64_t)g->p->frontend_capacity + g->p->fetch_asked) * (g->p->cracked ? g->p->cracked : 1);
	if (capacity && capacity < front)
		capacity = front;
	if (capacity && i >= capacity)
		reference_edge(&g->f[i], g->d[(i - capacity) / 16 * 16], 0);
}

/* No record says that it waited for a file of both kinds. */
enum { REFERENCE_REGS = 100 };

static bool reference_kind(const struct culprit_record *r, unsigned window)
{
	switch (window) {
	case CULPRIT_WINDOW_LQ:
		return r->flags & CULPRIT_LOAD;
	case CULPRIT_WINDOW_SQ:
		return r->flags & CULPRIT_STORE;
	case CULPRIT_WINDOW_LSQ:
		return r->flags & (CULPRIT_LOAD | CULPRIT_STORE);
	case CULPRIT_WINDOW_BRANCHES:
		return r->branch != CULPRIT_BRANCH_NONE;
	case CULPRIT_WINDOW_INT_REGS:
		return r->dest >= 1 && r->dest < 32;
	case CULPRIT_WINDOW_FP_REGS:
		return r->dest >= 32 && r->dest < 64;
	case REFERENCE_REGS:
		return r->dest >= 1 && r->dest < 64;
	default:
		return true;
	}
}

static uint32_t reference_weight(uint8_t weight)
{
	return weight == 255 ? 0 : weight == 0 ? 1 : weight;
}

/* The youngest older record from which on up to i they take more than `room`; i = there is none, or i takes nothing. */
static size_t reference_filled(const struct reference *g, size_t i, size_t offset, uint64_t room)
{
#define OF(n) reference_weight(((const uint8_t *)&g->r[n])[offset])
	uint64_t held = OF(i);
	if (!held)
		return i;
	for (size_t j = i; j-- > 0;) {
		held += OF(j);
		if (held > room)
			return j;
	}
	return i;
#undef OF
}
#define REFERENCE_FILLED(g, i, weight, room) reference_filled(g, i, offsetof(struct culprit_record, weight), room)

/* How far back what may be in a window of `entries` with i begins. */
static uint64_t reference_window(const struct reference *g, size_t i, bool far)
{
	const uint64_t entries = (uint64_t)g->p->rob * (far ? g->p->window_factor : 1);
	uint64_t held = 0, first = i + 1;
	while (first > 0 && held + reference_weight(g->r[first - 1].rob_entries) <= entries)
		held += reference_weight(g->r[--first].rob_entries);
	while (first > 0 && first <= i && !reference_weight(g->r[first].rob_entries))
		first++; /* they share the entry of the one that left last */
	return i + 1 - first > entries ? i + 1 - first : entries;
}

static void reference_room(struct reference *g, size_t i, unsigned window, uint64_t entries)
{
	if (!entries || !reference_kind(&g->r[i], window))
		return;
	unsigned part = window == CULPRIT_WINDOW_ROB	    ? CULPRIT_EVENT_rob
			: window == CULPRIT_WINDOW_BRANCHES ? CULPRIT_EVENT_tags
			: window == CULPRIT_WINDOW_INT_REGS ? CULPRIT_EVENT_regs
			: window == CULPRIT_WINDOW_FP_REGS  ? CULPRIT_EVENT_regs
			: window == REFERENCE_REGS	    ? CULPRIT_EVENT_regs
							    : CULPRIT_EVENT_lsq;
	if (window != CULPRIT_WINDOW_SQ && entries > g->p->released)
		entries -= g->p->released;
	if (reference_ideal(g, part, i) && !(g->p->large & 1u << part))
		entries *= g->p->window_factor;
	size_t j = i;
	if (window == CULPRIT_WINDOW_ROB) {
		j = REFERENCE_FILLED(g, i, rob_entries, entries);
		while (j + 1 < i && !reference_weight(g->r[j + 1].rob_entries))
			j++; /* the last of those that share its entry */
		if (j < i)
			reference_edge(&g->d[i], g->l[j], 0);
		return;
	}
	while (j > 0 && entries)
		entries -= reference_kind(&g->r[--j], window);
	if (!entries)
		reference_edge(part == CULPRIT_EVENT_regs && g->p->late_rename ? &g->renamed : &g->d[i], g->l[j], 0);
}

/* Is it idealised at every place? */
static bool reference_everywhere(const struct reference *g, unsigned event)
{
	for (unsigned k = 0; k < g->p->class_count; k++)
		if (g->set & 1u << k && !g->p->classes[k].range_count &&
		    g->p->classes[k].events & (1u << event | 1u << reference_base(event)))
			return true;
	return false;
}

/* Groups of one row of the front end, each of which takes a row of the ROB. */
static void reference_rows(struct reference *g, size_t i)
{
	const struct culprit_graph_params *p = g->p;
	const uint64_t had = g->t[i] + p->frontend_stages, next = i ? g->d[i - 1] + 1 : 0;
	const uint64_t count = p->rob / p->dispatch_width;
	const bool rows = !reference_ideal(g, CULPRIT_EVENT_bw, i), large = reference_ideal(g, CULPRIT_EVENT_rob, i);
	const bool none = reference_everywhere(g, CULPRIT_EVENT_bw) || reference_everywhere(g, CULPRIT_EVENT_rob);
	if (g->r[i].flags & CULPRIT_VIOLATED)
		g->place = 0;
	else if (i && (g->r[i - 1].flags & CULPRIT_MISPREDICTED) && !reference_ideal(g, CULPRIT_EVENT_bmisp, i - 1))
		g->place = 0;
	if (rows && i >= p->dispatch_width)
		reference_edge(&g->d[i], g->d[i - p->dispatch_width], 1);
	if (!g->place || had > g->formed) {
		g->formed = had > next ? had : next;
		g->rows[g->row++] = i ? g->c[i - 1] : 0;
		if (rows)
			reference_edge(&g->d[i], next, 0);
		if (rows && !large && !none && g->row > count)
			reference_edge(&g->d[i], g->rows[g->row - count], 0);
	}
	g->place = (g->place + 1) % p->dispatch_width;
}

static uint64_t reference_data(const struct culprit_record *load);

/* recovery: is i, or the branch before it, to wait for what is before it to leave? */
static bool reference_follows(const struct reference *g, size_t i)
{
	const bool violated = g->r[i].flags & CULPRIT_VIOLATED;
	return g->p->recovery && i &&
	       (violated ? g->p->recovery_data : (g->r[i - 1].flags & CULPRIT_MISPREDICTED) != 0);
}

static bool reference_leaves_early(const struct culprit_graph_params *p, const struct culprit_record *r)
{
	const bool stays = (r->flags & CULPRIT_STORE) || (p->merged_stay && (r->flags & CULPRIT_MERGED));
	return (r->flags & CULPRIT_LOAD) && !stays && r->dmiss;
}

/* From C to when the data are there, and `recovery` and one later. */
static uint64_t reference_after_data(const struct culprit_graph_params *p)
{
	return p->recovery + 1 > p->commit_delay ? p->recovery + 1 - p->commit_delay : 0;
}

/* Where i waited for that in the recorded run: until when; else 0. */
static uint64_t reference_recovered(const struct reference *g, size_t i)
{
	const struct culprit_graph_params *p = g->p;
	if (!reference_follows(g, i))
		return 0;
	uint64_t left = 0, commit = g->r[i - 1].commit;
	if (!p->released)
		return g->r[i].dispatch < commit + p->recovery ? 0 : commit + p->recovery;
	for (size_t k = 0; k < i; k++) {
		const struct culprit_record *r = &g->r[k];
		uint64_t from = reference_leaves_early(p, r) ? r->issue + r->dtlb + r->exec_latency : r->complete;
		left = left > from ? left : from;
	}
	left += p->commit_delay + p->recovery;
	if (p->recovery_data && commit + reference_after_data(p) > left)
		left = commit + reference_after_data(p);
	return left;
}

static void reference_recovery(struct reference *g, size_t i)
{
	const struct culprit_graph_params *p = g->p;
	const struct culprit_record *r = &g->r[i];
	const bool violated = r->flags & CULPRIT_VIOLATED, refilled = r->dispatch > r->fetch + p->frontend_stages;
	if (!reference_follows(g, i) || (!violated && reference_ideal(g, CULPRIT_EVENT_bmisp, i - 1)))
		return;
	if (p->released && violated && !refilled)
		return;
	if (p->released) {
		reference_edge(&g->d[i], g->l[i - 1], p->recovery);
		if (p->recovery_data)
			reference_edge(&g->d[i], g->c[i - 1], reference_after_data(p));
	} else if (r->dispatch >= r[-1].commit + p->recovery) {
		reference_edge(&g->d[i], g->c[i - 1], p->recovery);
	} else if (!p->squash_width && !violated && !r->window && refilled && r->dispatch > r[-1].complete) {
		uint64_t waited = r->dispatch - r[-1].complete;
		reference_edge(&g->d[i], g->q[i - 1], waited < 4096 ? waited : 4096);
	}
}

/* squash_width: what is renamed again waits until the window is empty: as long as it did, or with a larger window until
 * as many have left as came while the branch, or the load, was in it. */
static void reference_squash(struct reference *g, size_t i)
{
	static const unsigned parts[] = {CULPRIT_EVENT_rob, CULPRIT_EVENT_iq, CULPRIT_EVENT_lsq, CULPRIT_EVENT_regs,
					 CULPRIT_EVENT_tags};
	const struct culprit_graph_params *p = g->p;
	const struct culprit_record *r = &g->r[i];
	const bool violated = r->flags & CULPRIT_VIOLATED;
	if (!i || !(violated || (r[-1].flags & CULPRIT_MISPREDICTED)) || reference_ideal(g, CULPRIT_EVENT_bw, i) ||
	    (violated ? !r->mem_producer : reference_ideal(g, CULPRIT_EVENT_bmisp, i - 1)))
		return;
	const uint64_t found = violated ? reference_data(r) : r[-1].complete;
	const bool waited = !r->window && r->dispatch > r->fetch + p->frontend_stages && r->dispatch > found &&
			    r->dispatch > reference_recovered(g, i); /* not hidden behind that */
	const uint64_t from = violated ? g->w[i - r->mem_producer] : g->q[i - 1];
	uint64_t most = violated ? (uint64_t)p->rob * p->window_factor : (uint64_t)p->rob + p->frontend_capacity;
	uint64_t takes = waited ? r->dispatch - found : 0, cycles = 1;
	bool large = true;
	for (unsigned k = 0; k < sizeof parts / sizeof *parts; k++)
		large = large && reference_ideal(g, parts[k], i);
	for (size_t k = 1; k < i; k++)
		cycles += g->r[k].fetch != g->r[k - 1].fetch; /* in which any were fetched */
	if (large && from > g->d[i - 1]) {
		uint64_t came = (from - g->d[i - 1]) * i / cycles;
		came = came < most ? came : most;
		uint64_t all = (came + p->squash_width - 1) / p->squash_width;
		takes = all > takes ? all : takes;
	}
	reference_edge(&g->d[i], from, takes < 4096 ? takes : 4096);
}

/* ... of a kind, if the ones of its group have it. */
static void reference_group_room(struct reference *g, size_t i, size_t k, unsigned window, uint64_t entries)
{
	if (!entries || !reference_kind(&g->r[k], window))
		return;
	const unsigned part = window == CULPRIT_WINDOW_BRANCHES ? CULPRIT_EVENT_tags
			      : window == CULPRIT_WINDOW_INT_REGS || window == CULPRIT_WINDOW_FP_REGS
				      ? CULPRIT_EVENT_regs
			      : window == REFERENCE_REGS ? CULPRIT_EVENT_regs
							 : CULPRIT_EVENT_lsq;
	if (reference_ideal(g, part, k) || reference_ideal(g, CULPRIT_EVENT_bw, k))
		return;
	if (window != CULPRIT_WINDOW_SQ && entries > g->p->released)
		entries -= g->p->released;
	size_t j = k;
	while (j > 0 && entries)
		entries -= reference_kind(&g->r[--j], window);
	if (!entries && j < i)
		reference_edge(&g->d[i], g->l[j], 0);
}

/* The first of a group waits for room for all of it. */
static void reference_group(struct reference *g, size_t i)
{
	const struct culprit_graph_params *p = g->p;
	uint32_t queued[CULPRIT_GRAPH_QUEUES] = {0}, stores = 0;
	if (!p->whole_groups || p->late_rename || (i && g->r[i - 1].dispatch == g->r[i].dispatch))
		return;
	for (size_t k = i;
	     k < g->n && (!p->dispatch_width || k < i + p->dispatch_width) && g->r[k].dispatch == g->r[i].dispatch;
	     k++) {
		const struct culprit_record *r = &g->r[k];
		const bool bw = reference_ideal(g, CULPRIT_EVENT_bw, k);
		if (r->queue < p->queue_count) {
			const uint32_t entries = p->queue_entries[r->queue], before = queued[r->queue]++;
			if (before < entries && !bw && !reference_ideal(g, CULPRIT_EVENT_iq, k))
				reference_edge(&g->d[i], g->free[r->queue][entries - 1 - before], 0);
		}
		const uint64_t rob = p->rob > p->released ? p->rob - p->released : p->rob;
		const uint32_t own = reference_weight(r->rob_entries);
		const uint64_t room = k == i && p->rob_room > own ? p->rob_room - own : 0;
		size_t j = k == i && !room ? i : REFERENCE_FILLED(g, k, rob_entries, rob - room);
		while (j < i && !reference_weight(g->r[j + 1].rob_entries))
			j++;
		if (j < i && !bw && !reference_ideal(g, CULPRIT_EVENT_rob, k))
			reference_edge(&g->d[i], g->l[j], 0);
		reference_group_room(g, i, k, CULPRIT_WINDOW_LQ, p->lq);
		reference_group_room(g, i, k, CULPRIT_WINDOW_SQ, p->sq);
		reference_group_room(g, i, k, CULPRIT_WINDOW_LSQ, p->lsq);
		reference_group_room(g, i, k, CULPRIT_WINDOW_BRANCHES, p->branches);
		reference_group_room(g, i, k, CULPRIT_WINDOW_INT_REGS, p->int_regs);
		reference_group_room(g, i, k, CULPRIT_WINDOW_FP_REGS, p->fp_regs);
		reference_group_room(g, i, k, REFERENCE_REGS, p->regs);
		if (!p->store_writes || !(r->flags & CULPRIT_STORE))
			continue;
		if (stores < p->sq && !bw && !reference_ideal(g, CULPRIT_EVENT_lsq, k))
			reference_edge(&g->d[i], g->written[p->sq - 1 - stores], 0);
		stores++;
	}
}

static void reference_dispatch(struct reference *g, size_t i)
{
	const struct culprit_graph_params *p = g->p;
	uint64_t *d = &g->d[i];
	reference_edge(d, g->t[i], p->frontend_stages);
	if (i)
		reference_edge(d, g->d[i - 1], 0);
	reference_recovery(g, i);
	if (p->squash_width)
		reference_squash(g, i);
	if (p->dispatch_rows) {
		reference_rows(g, i);
	} else {
		size_t last = p->dispatch_width ? REFERENCE_FILLED(g, i, dispatch_slots, p->dispatch_width) : i;
		if (last < i && !reference_ideal(g, CULPRIT_EVENT_bw, i))
			reference_edge(d, g->d[last], 1);
	}
	reference_room(g, i, CULPRIT_WINDOW_ROB, p->rob);
	uint64_t flight = p->rob;
	if (reference_ideal(g, CULPRIT_EVENT_rob, i) && !(p->large & CULPRIT_EVENT_BIT(rob)))
		flight *= p->window_factor;
	if (p->released && i >= flight)
		reference_edge(d, g->c[i - flight], 0);
	reference_room(g, i, CULPRIT_WINDOW_LQ, p->lq);
	reference_room(g, i, CULPRIT_WINDOW_SQ, p->sq);
	reference_room(g, i, CULPRIT_WINDOW_LSQ, p->lsq);
	reference_room(g, i, CULPRIT_WINDOW_BRANCHES, p->branches);
	reference_room(g, i, CULPRIT_WINDOW_INT_REGS, p->int_regs);
	reference_room(g, i, CULPRIT_WINDOW_FP_REGS, p->fp_regs);
	reference_room(g, i, REFERENCE_REGS, p->regs);
	const struct culprit_record *r = &g->r[i];
	reference_group(g, i);
	bool iq = reference_ideal(g, CULPRIT_EVENT_iq, i), lsq = reference_ideal(g, CULPRIT_EVENT_lsq, i);
	bool counted = false;
	for (uint32_t q = 0; q < p->queue_count; q++)
		counted = counted || p->queue_entries[q];
	if (r->queue < p->queue_count && p->queue_entries[r->queue] && !iq)
		reference_edge(p->late_rename ? &g->renamed : d, g->free[r->queue][p->queue_entries[r->queue] - 1], 0);
	if (p->store_writes && p->sq && (r->flags & CULPRIT_STORE)) {
		uint64_t far = (uint64_t)p->sq * p->window_factor;
		if (!lsq)
			reference_edge(d, g->written[p->sq - 1], 0);
		else if (g->far && g->stores >= far)
			reference_edge(d, g->released[g->stores - far], 0);
	}
	if (!counted && p->issue_queues && !p->late_rename && g->r[i].previous_holder &&
	    g->r[i].previous_holder <= p->rob && !iq)
		reference_edge(d, g->e[i - g->r[i].previous_holder], 0);
}

/* When the data of the store that a load takes them from were there, as recorded. */
static uint64_t reference_data(const struct culprit_record *load)
{
	const struct culprit_record *store = load - load->mem_producer;
	uint64_t woken = store->issue + store->wakeup;
	return woken > store->complete ? woken : store->complete;
}

static unsigned reference_execution(const struct culprit_record *r);

static void reference_issue(struct reference *g, size_t i)
{
	const struct culprit_record *r = &g->r[i];
	uint64_t *e = &g->e[i];
	const uint32_t pipeline = g->p->dispatch_to_issue, renamed = g->p->rename_to_issue;
	reference_edge(e, g->d[i], pipeline);
	if (g->p->late_rename && g->renamed)
		reference_edge(e, g->renamed, renamed && renamed < pipeline ? renamed : pipeline);
	const uint64_t late = reference_ideal(g, reference_execution(r), i) ? 0 : g->p->late_addend;
	for (unsigned k = 0; k < 3; k++)
		if (r->producer[k]) {
			uint64_t wake = g->w[i - r->producer[k]], early = k == 2 ? late : 0;
			reference_edge(e, wake > early ? wake - early : 0, 0);
		}
	uint64_t ready = r->ready, data = r->mem_producer ? reference_data(r) : 0;
	bool left = (r->flags & CULPRIT_LOAD) && !(r->flags & CULPRIT_FORWARDED) && data > r->issue;
	if (r->mem_producer && !left) {
		reference_edge(e, g->w[i - r->mem_producer], 0);
		ready = data > ready ? data : ready;
	}
	if (r->order_waited)
		reference_edge(e, g->w[i - r->order_waited], 0);
	if (i && (r->flags & CULPRIT_AT_HEAD))
		reference_edge(e, g->c[i - 1], 0);
	if (!g->p->issue_slots && !reference_ideal(g, CULPRIT_EVENT_bw, i)) /* else: nothing contends */
		*e += r->issue > ready ? r->issue - ready : 0;
}

static unsigned reference_long(const struct culprit_record *r)
{
	switch (r->op_class) {
	case CULPRIT_OP_int_mul:
		return CULPRIT_EVENT_mul;
	case CULPRIT_OP_int_div:
		return CULPRIT_EVENT_div;
	case CULPRIT_OP_fp_mul:
	case CULPRIT_OP_fp_fma:
		return CULPRIT_EVENT_fpmul;
	case CULPRIT_OP_fp_div:
	case CULPRIT_OP_fp_sqrt:
		return CULPRIT_EVENT_fpdiv;
	case CULPRIT_OP_fp_add:
	case CULPRIT_OP_fp_cvt:
	case CULPRIT_OP_fp_move:
		return CULPRIT_EVENT_fpadd;
	default:
		return r->op_class >= CULPRIT_OP_vec_int ? CULPRIT_EVENT_vec : CULPRIT_EVENT_slow;
	}
}

static unsigned reference_execution(const struct culprit_record *r)
{
	if (r->op_class == CULPRIT_OP_load || r->op_class == CULPRIT_OP_amo)
		return CULPRIT_EVENT_dl1;
	if ((r->op_class >= CULPRIT_OP_fp_add && r->op_class <= CULPRIT_OP_fp_move) ||
	    r->op_class == CULPRIT_OP_vec_fp || r->op_class == CULPRIT_OP_vec_div)
		return reference_long(r);
	return r->exec_latency <= 1 ? CULPRIT_EVENT_shalu : reference_long(r);
}

/* The first access that waits for a line which no miss of the program brings: a prefetch asked for it. */
static bool reference_first(struct reference *g, size_t i, bool merged, uint8_t level, uint64_t most)
{
	const struct culprit_graph_params *p = g->p;
	const struct culprit_record *r = &g->r[i];
	if (!(p->mshrs || p->memory_interval) || !p->l1_prefetches || !p->l1_line || !merged ||
	    !p->miss_cycles[level] || reference_lacks_part(g, i, most))
		return false;
	if (r->primary_miss && r->primary_miss <= most && reference_same(r, r - r->primary_miss, p->l1_line))
		return false;
	return reference_first_use(g, i, most);
}

/* Of lines that came in time the graph asks where they came from. */
static bool reference_in_time(const struct reference *g, const struct culprit_record *r)
{
	const struct culprit_graph_params *p = g->p;
	return (p->mshrs || p->memory_interval) && p->l1_prefetches && p->l1_line && r->prefetch_level &&
	       p->miss_cycles[r->prefetch_level];
}

static uint64_t reference_looked(const struct reference *g, const struct culprit_record *r)
{
	return r->flags & CULPRIT_LOAD ? r->issue + g->p->load_hit : r->commit + g->p->write_hit;
}

/* Of the 1,024 accesses before i the last one to the address of the one that made the prefetcher ask for the line, which came
 * at `there`; else to its line; i: there is none. */
static size_t reference_trigger(const struct reference *g, size_t i, uint64_t there)
{
	const struct culprit_record *r = &g->r[i];
	const uint64_t address = r->mem_addr + (uint64_t)(int64_t)r->prefetch_trigger;
	size_t beside = i;
	for (size_t j = i, accesses = 0; j-- > 0 && accesses < 1024;) {
		if (!(g->r[j].flags & (CULPRIT_LOAD | CULPRIT_STORE)))
			continue;
		accesses++;
		if (!r->dstray && reference_looked(g, &g->r[j]) > there)
			continue;
		if (g->r[j].mem_addr == address)
			return j;
		if (beside == i && g->r[j].mem_addr / g->p->l1_line == address / g->p->l1_line)
			beside = j;
	}
	return beside;
}

/* When the line is there that i is the first to use, by the access that made the prefetcher ask; `there`: as recorded. 0: not
 * known, or the lane has the line otherwise. */
static uint64_t reference_brought(const struct reference *g, size_t i, uint64_t there)
{
	const struct culprit_graph_params *p = g->p;
	const struct culprit_record *r = &g->r[i], *by;
	const uint8_t level = r->prefetch_level ? r->prefetch_level : r->prefetch_below;
	const unsigned miss = reference_miss_event(level, CULPRIT_EVENT_dl2, CULPRIT_EVENT_dl3, CULPRIT_EVENT_dmem);
	if (!p->l1_prefetches || !p->l1_line || !level || !r->prefetch_trigger)
		return 0;
	const size_t j = reference_trigger(g, i, there);
	if (j == i)
		return 0;
	by = &g->r[j];
	const bool load = by->flags & CULPRIT_LOAD;
	const uint64_t hit = load ? p->load_hit : p->write_hit;
	const uint64_t cycles = r->dstray ? p->miss_cycles[r->prefetch_level] : there - reference_looked(g, by);
	if (cycles > 2048)
		return 0;
	if (reference_ideal(g, miss, i) || (r->dstray && !reference_ideal(g, CULPRIT_EVENT_bmisp, i)))
		return 0;
	return (load ? g->e[j] : g->c[j]) + (reference_ideal(g, CULPRIT_EVENT_dl1, j) ? 0 : hit) + cycles;
}

/* Is the trigger of a prefetch to the L1D known, whatever the lane? */
static bool reference_timed(const struct reference *g, size_t i)
{
	const struct culprit_record *r = &g->r[i];
	const uint64_t there = reference_less(r->complete, r->prefetch_slack);
	if (!g->p->l1_prefetches || !g->p->l1_line || !r->prefetch_level || !r->prefetch_trigger ||
	    (r->dmiss && !(r->flags & CULPRIT_MERGED)))
		return false;
	const size_t j = reference_trigger(g, i, there);
	return j != i &&
	       (r->dstray ? g->p->miss_cycles[r->prefetch_level] : there - reference_looked(g, &g->r[j])) <= 2048;
}

/* A line that is used at t, and has been there since `brought`, or else for `slack` cycles. */
static uint64_t reference_there(const struct reference *g, size_t i, uint64_t t, uint64_t brought, uint64_t slack)
{
	const uint64_t there = brought ? brought : t - slack, earliest = g->f[i] - 2048;
	return (int64_t)there > (int64_t)earliest ? there : earliest;
}

static uint64_t reference_asked(const struct reference *g, uint8_t level, uint64_t done)
{
	return done > g->p->miss_cycles[level] ? done - g->p->miss_cycles[level] : 0;
}

static bool reference_prefetch_takes_bus(const struct reference *g, const struct culprit_record *r, uint8_t level)
{
	return g->p->memory_interval && (level == CULPRIT_LEVEL_MEMORY || r->prefetch_below == CULPRIT_LEVEL_MEMORY);
}

/* Did the next level's prefetcher bring, from memory, the line that the access asks for itself? */
static bool reference_from_below(const struct reference *g, const struct culprit_record *r)
{
	return g->p->memory_interval && r->prefetch_below == CULPRIT_LEVEL_MEMORY && !r->prefetch_level;
}

/* What the account of the recorded times makes such a line wait, for MSHRs and for the bus. */
static uint64_t reference_recorded_prefetch(struct reference *g, size_t i, uint8_t level, uint64_t done, uint64_t *bus)
{
	const struct culprit_graph_params *p = g->p;
	const uint64_t asked = reference_asked(g, level, done), hold = p->miss_cycles[level];
	uint64_t wait = p->mshrs ? reference_mshr(&g->as_recorded, p->mshrs, asked, asked) - asked : 0;
	if (p->mshrs)
		reference_enter_recorded(&g->as_recorded, p->mshrs, (struct reference_miss){asked, asked, hold, true});
	*bus = reference_prefetch_takes_bus(g, &g->r[i], level) ? reference_recorded_line(g, asked + wait) : 0;
	return wait;
}

/* A load that uses, at q[i], a line that a prefetch asked for. */
static void reference_prefetched(struct reference *g, size_t i, uint64_t brought)
{
	const struct culprit_graph_params *p = g->p;
	const struct culprit_record *r = &g->r[i];
	const uint8_t level = r->dmiss ? r->dlevel : r->prefetch_level;
	const uint64_t slack = r->dmiss ? 0 : r->prefetch_slack;
	const bool ideal = reference_ideal(
		g, reference_miss_event(level, CULPRIT_EVENT_dl2, CULPRIT_EVENT_dl3, CULPRIT_EVENT_dmem), i);
	uint64_t bus_over,
		mshr_over = reference_recorded_prefetch(g, i, level, reference_less(r->complete, slack), &bus_over);
	uint64_t there = reference_there(g, i, g->q[i], brought < g->q[i] ? brought : g->q[i], slack);
	const uint64_t asked = reference_asked(g, level, there);
	uint64_t start = asked;
	if (p->mshrs && !ideal)
		start += reference_less(reference_mshr(&g->misses, p->mshrs, asked, asked) - asked, mshr_over);
	there += start - asked;
	if (reference_prefetch_takes_bus(g, r, level))
		there += reference_less(reference_line(g, &g->bus, start, !ideal), bus_over);
	if (p->mshrs)
		reference_enter(&g->misses, p->mshrs, (struct reference_miss){asked, asked, there - start, !ideal});
	g->q[i] = there > g->q[i] ? there : g->q[i];
}

static void reference_share(struct reference *g, size_t i, uint64_t alone_before, bool far)
{
	const struct culprit_record *r = &g->r[i];
	const struct culprit_record *primary_miss = r - r->primary_miss;
	uint64_t reach = reference_window(g, i, far);
	bool load = primary_miss->flags & CULPRIT_LOAD, prefetched = load && primary_miss->commit <= r->dispatch;
	const uint32_t longest = primary_miss->dmiss > r->dmiss && !prefetched ? primary_miss->dmiss : r->dmiss;
	if (r->primary_miss > reach) {
		/* a prefetch of a load that old, or a store's line, may still be on its way */
		reference_edge(&g->q[i], alone_before, longest);
		return;
	}
	uint64_t arrival = load ? g->w[i - r->primary_miss] + (r->complete - primary_miss->complete)
				: g->c[i - r->primary_miss] + (r->complete - primary_miss->commit);
	uint64_t alone = alone_before + longest;
	reference_edge(&g->q[i], arrival < alone ? arrival : alone, 0);
}

/* Is the load's line known to be brought by an older instruction? */
static bool reference_shares(const struct culprit_record *r, uint64_t most)
{
	uint64_t from = 0;
	if ((r->flags & CULPRIT_MERGED) && r->primary_miss && r->primary_miss <= most)
		from = r[-(int)r->primary_miss].flags & CULPRIT_LOAD ? r[-(int)r->primary_miss].complete
								     : r[-(int)r->primary_miss].commit;
	return from && r->complete >= from && r->complete - from <= 4096;
}

/* Is the load's latency the one of a hit or of a forwarding and nothing else, next to a store that it may be forwarded
 * by? */
static bool reference_may_forward(const struct reference *g, size_t i, uint64_t latency)
{
	const struct culprit_graph_params *p = g->p;
	const struct culprit_record *r = &g->r[i];
	bool forwarded = r->flags & CULPRIT_FORWARDED;
	if (!(r->flags & CULPRIT_LOAD) || (r->flags & CULPRIT_AT_HEAD) || !r->mem_producer)
		return false;
	if (r->dmiss || r->dtlb || r->dstray || (!forwarded && reference_data(r) > r->issue))
		return false;
	return p->load_hit != p->forward_latency && latency == (forwarded ? p->forward_latency : p->load_hit);
}

/* The store has not committed when the load issues. */
static bool reference_in_flight(const struct reference *g, size_t i, bool far)
{
	uint32_t back = g->r[i].mem_producer;
	return back <= reference_window(g, i, far) && g->e[i] < g->c[i - back];
}

static void reference_wake(struct reference *g, size_t i, bool ideal)
{
	const struct culprit_record *r = &g->r[i];
	g->w[i] = g->q[i];
	const struct culprit_graph_params *p = g->p;
	uint64_t least = r->complete - r->issue;
	if (!(r->flags & CULPRIT_FORWARDED) && reference_may_forward(g, i, least) && p->forward_latency < least)
		least = p->forward_latency;
	if (r->wakeup > least && !ideal)
		reference_edge(&g->w[i], g->e[i], r->wakeup);
}

/* When the line of a load that is done at q[i] is in the next level, whose prefetcher asked for it: at the latest as if
 * the load, with its MSHR at `start`, brought it from memory. */
static uint64_t reference_below(struct reference *g, size_t i, uint64_t start, uint64_t bus_over)
{
	const struct culprit_record *r = &g->r[i];
	const uint64_t latest = start + g->p->miss_cycles[CULPRIT_LEVEL_MEMORY];
	uint64_t brought = reference_brought(g, i, reference_less(r->complete, r->prefetch_slack));
	brought = brought > latest ? latest : brought;
	const uint64_t there = reference_there(g, i, g->q[i], brought, r->prefetch_slack);
	return there + reference_less(reference_line(g, &g->bus, reference_asked(g, CULPRIT_LEVEL_MEMORY, there),
						     !reference_ideal(g, CULPRIT_EVENT_dmem, i)),
				      bus_over);
}

/* A load that takes an MSHR or a line from the bus: hit and translation done at q[i]. False: it takes neither. */
static bool reference_load(struct reference *g, size_t i, bool far, uint64_t most)
{
	const struct culprit_graph_params *p = g->p;
	const struct culprit_record *r = &g->r[i];
	unsigned stray = reference_miss_event(r->dstray, CULPRIT_EVENT_dl2, CULPRIT_EVENT_dl3, CULPRIT_EVENT_dmem);
	unsigned event = reference_miss_event(r->dlevel, CULPRIT_EVENT_dl2, CULPRIT_EVENT_dl3, CULPRIT_EVENT_dmem);
	uint8_t from = r->dstray > CULPRIT_LEVEL_L2 && reference_strayed(g, i, true) ? CULPRIT_LEVEL_L2 : r->dstray;
	bool strays = p->miss_cycles[from] > r->dmiss, ideal = reference_ideal(g, event, i);
	bool memory = r->dmiss && r->dlevel == CULPRIT_LEVEL_MEMORY;
	bool strays_far = strays && p->miss_cycles[from] == p->miss_cycles[CULPRIT_LEVEL_MEMORY];
	bool takes = p->mshrs && reference_takes(g, i, r->flags & CULPRIT_MERGED, most);
	bool bus = p->memory_interval && !(r->flags & CULPRIT_MERGED) && (memory || strays_far);
	const bool below = reference_from_below(g, r) && !r->dstray && !(r->flags & CULPRIT_MERGED) && !bus;
	if ((!r->dmiss && !strays) || (!takes && !bus && !below))
		return false;
	uint64_t mshr_wait = r->mshr_wait < r->dmiss ? r->mshr_wait : r->dmiss, waited = takes ? mshr_wait : 0;
	uint64_t time = r->issue + r->exec_latency + r->dtlb, unexplained = waited, miss = r->dmiss - waited;
	uint64_t mshr_over = 0, bus_over = 0; /* the account of the recorded times has too much */
	if (takes && miss) {
		uint64_t wait = reference_mshr(&g->as_recorded, p->mshrs, r->issue, time) - time;
		reference_enter_recorded(&g->as_recorded, p->mshrs,
					 (struct reference_miss){r->issue, time, miss, true});
		unexplained = reference_less(waited, wait);
		mshr_over = reference_less(wait, waited);
	}
	if (bus && memory) {
		uint64_t wait = reference_recorded_line(g, time + mshr_wait);
		bus_over = reference_less(wait, r->bandwidth_wait);
		wait = wait < r->bandwidth_wait ? wait : r->bandwidth_wait;
		miss -= wait < miss ? wait : miss;
	}
	if (below)
		bus_over = reference_recorded_line(
			g, reference_asked(g, CULPRIT_LEVEL_MEMORY, reference_less(r->complete, r->prefetch_slack)));
	if (takes && reference_shares(r, most))
		miss = p->miss_cycles[CULPRIT_LEVEL_L2];
	uint64_t again = reference_stray(g, i, true, r->dmiss, stray), hold = (ideal ? 0 : miss) + again;
	uint64_t start = g->q[i], from_hit = start;
	if (takes && hold)
		start += reference_less(reference_mshr(&g->misses, p->mshrs, g->e[i], start) - start, mshr_over) +
			 (ideal ? 0 : unexplained);
	g->q[i] = start + hold;
	uint64_t asked =
		start +
		(takes || ideal ? 0 : mshr_wait); /* the wait is part of the miss where no lane gives out MSHRs */
	if (bus)
		g->q[i] += reference_less(
			reference_line(g, &g->bus, asked, (memory && !ideal) || (strays_far && again)), bus_over);
	if (below)
		reference_edge(&g->q[i], reference_below(g, i, start, bus_over), 0);
	if (reference_shares(r, most) && !ideal)
		reference_share(g, i, start, far);
	if (takes)
		reference_enter(&g->misses, p->mshrs,
				(struct reference_miss){g->e[i], from_hit, g->q[i] - start, hold != 0});
	return true;
}

static uint64_t reference_lookup(const struct reference *g, size_t i)
{
	const uint64_t hit = reference_ideal(g, CULPRIT_EVENT_dl1, i) ? 0 : g->p->write_hit;
	return hit + (reference_ideal(g, CULPRIT_EVENT_dtlb, i) ? 0 : g->r[i].write_dtlb);
}

/* When one that is there at `from` asks: behind the one in front. */
static uint64_t reference_behind(const struct reference *g, const uint64_t *served, uint64_t from)
{
	return g->stores ? latest_of(from, served[g->stores - 1]) : from;
}

static bool reference_write_live(const struct reference *g, size_t i)
{
	return !reference_ideal(
		g, reference_miss_event(g->r[i].write_level, CULPRIT_EVENT_dl2, CULPRIT_EVENT_dl3, CULPRIT_EVENT_dmem),
		i);
}

/* In order, when the buffer has room, which is also given by the records. */
static void reference_post(struct reference *g, size_t i)
{
	const struct culprit_graph_params *p = g->p;
	const struct culprit_record *r = &g->r[i];
	const bool posted = p->store_writes && p->posted_writes && (r->flags & CULPRIT_STORE);
	const uint64_t full = p->write_hit + r->write_dtlb, lookup = posted ? reference_lookup(g, i) : 0;
	g->begins = g->accepted = g->c[i];
	g->began = r->commit;
	if (!posted)
		return;
	if (p->write_buffer && g->stores >= p->write_buffer) {
		g->accepted = latest_of(g->accepted, g->served[g->stores - p->write_buffer]);
		g->began = latest_of(g->began, g->was_served[g->stores - p->write_buffer]);
	}
	g->begins = reference_behind(g, g->served, g->accepted + lookup) - lookup;
	g->began = reference_behind(g, g->was_served, g->began + full) - full;
	uint64_t told = r->flags & CULPRIT_LOAD ? 0 : r->mshr_wait < r->write_miss ? r->mshr_wait : r->write_miss;
	told += r->commit;
	g->mshr_waited = told > g->began ? told - g->began : 0;
	g->was_served[g->stores] = g->began + full + g->mshr_waited;
	g->served[g->stores] = g->begins + lookup + (reference_write_live(g, i) ? g->mshr_waited : 0);
}

/* So long before the write asks for its line the next level's prefetcher had asked. */
static uint64_t reference_ahead_of(const struct reference *g, size_t i, bool below, uint64_t hold)
{
	const uint64_t there = (uint64_t)g->p->miss_cycles[CULPRIT_LEVEL_MEMORY] + g->r[i].prefetch_slack;
	return below ? reference_less(there, hold) : 0;
}

/* Then it asked, in a lane in which the write asks at `start`. */
static uint64_t reference_then(const struct reference *g, size_t i, uint64_t start, uint64_t ahead)
{
	return ahead ? reference_there(g, i, start, 0, ahead) : start;
}

/* A posted write that misses. */
static void reference_posted_miss(struct reference *g, size_t i, bool takes, bool bus, bool below)
{
	const struct culprit_graph_params *p = g->p;
	const struct culprit_record *r = &g->r[i];
	const uint64_t lookup = reference_lookup(g, i), asked = g->begins + lookup;
	const uint64_t was_asked = g->began + p->write_hit + r->write_dtlb;
	uint64_t told = r->flags & CULPRIT_LOAD ? 0 : r->mshr_wait < r->write_miss ? r->mshr_wait : r->write_miss;
	uint64_t hold = r->write_miss - told, wait = 0, line = 0;
	if (takes && hold) {
		wait = reference_mshr(&g->as_recorded, p->mshrs, g->began, was_asked) - was_asked;
		reference_enter_recorded(&g->as_recorded, p->mshrs,
					 (struct reference_miss){g->began, was_asked, hold, true});
	}
	const uint64_t ahead = reference_ahead_of(g, i, below, hold), slack = ahead ? r->prefetch_slack : 0;
	const uint64_t in_bus = ahead ? 0 : reference_less(hold, p->miss_cycles[r->write_level]);
	const bool live = hold && reference_write_live(g, i);
	if (bus && hold) {
		line = reference_recorded_line(g, reference_less(was_asked + g->mshr_waited, ahead));
		hold -= line < in_bus ? line : in_bus;
	}
	uint64_t start = takes && live ? reference_mshr(&g->misses, p->mshrs, g->begins, asked) : asked;
	start = asked + reference_less(start - asked, reference_less(wait, g->mshr_waited));
	start += reference_write_live(g, i) ? reference_less(g->mshr_waited, wait) : 0;
	uint64_t done = start + hold;
	if (bus)
		done += reference_less(
			reference_less(reference_line(g, &g->bus, reference_then(g, i, start, ahead), live),
				       live ? reference_less(line, in_bus) : 0),
			slack);
	if (takes)
		reference_enter(&g->misses, p->mshrs, (struct reference_miss){g->begins, asked, done - start, live});
	g->served[g->stores] = start;
	reference_forget(&g->bus, 1);
}

/* As recorded: what the account makes a write wait. *unexplained: what it waited for MSHRs beyond that. */
static uint64_t reference_recorded_write(struct reference *g, size_t i, bool takes, bool bus, uint64_t ahead,
					 uint64_t *unexplained, uint64_t *bus_over)
{
	const struct culprit_graph_params *p = g->p;
	const struct culprit_record *r = &g->r[i];
	uint64_t waited = r->flags & CULPRIT_LOAD ? 0 : r->mshr_wait < r->write_miss ? r->mshr_wait : r->write_miss;
	uint64_t hold = r->write_miss - waited, hit = r->commit + p->write_hit + r->write_dtlb;
	uint64_t wait = takes && hold ? reference_mshr(&g->as_recorded, p->mshrs, r->commit, hit) - hit : 0;
	*unexplained = reference_less(waited, wait);
	if (takes && hold)
		reference_enter_recorded(&g->as_recorded, p->mshrs,
					 (struct reference_miss){r->commit, hit, hold, true});
	const uint64_t asked = reference_less(hit + wait + *unexplained, ahead),
		       line = bus && hold ? reference_recorded_line(g, asked) : 0;
	*bus_over = ahead ? line : 0;
	return wait + (ahead ? 0 : line);
}

/* The line of a write that does not wait, as a prefetch brought it in time. */
static void reference_write_in_time(struct reference *g, size_t i)
{
	const struct culprit_graph_params *p = g->p;
	const struct culprit_record *r = &g->r[i];
	const uint8_t level = r->prefetch_level;
	const uint64_t hit = reference_less(g->began + p->write_hit + r->write_dtlb, r->prefetch_slack);
	uint64_t line, over = reference_recorded_prefetch(g, i, level, hit, &line);
	const bool live = !reference_ideal(
		g, reference_miss_event(level, CULPRIT_EVENT_dl2, CULPRIT_EVENT_dl3, CULPRIT_EVENT_dmem), i);
	uint64_t time = g->begins + (reference_ideal(g, CULPRIT_EVENT_dl1, i) ? 0 : p->write_hit);
	time += reference_ideal(g, CULPRIT_EVENT_dtlb, i) ? 0 : r->write_dtlb;
	uint64_t brought = reference_brought(g, i, hit);
	if (brought && brought > time + p->miss_cycles[level])
		brought = time + p->miss_cycles[level];
	const uint64_t there = reference_there(g, i, time, brought, r->prefetch_slack),
		       asked = reference_asked(g, level, there);
	const bool bus = reference_prefetch_takes_bus(g, r, level);
	uint64_t wait = p->mshrs && live ? reference_mshr(&g->misses, p->mshrs, asked, asked) - asked : 0;
	if (p->mshrs)
		reference_enter(&g->misses, p->mshrs,
				(struct reference_miss){asked, asked, p->miss_cycles[level], live});
	if (bus)
		wait += reference_line(g, &g->bus, asked + wait, live);
	const uint64_t late = there + reference_less(wait, over + line);
	g->write_wait = live && (p->mshrs || bus) ? reference_less(late, time) : 0;
	reference_forget(&g->bus, 1);
}

/* A store's write that takes one, or a line from the bus. */
static void reference_write(struct reference *g, size_t i, uint64_t most)
{
	const struct culprit_graph_params *p = g->p;
	const struct culprit_record *r = &g->r[i];
	if (!r->write_miss && !(r->flags & CULPRIT_LOAD) && reference_in_time(g, r))
		reference_write_in_time(g, i);
	if (!r->write_miss)
		return;
	bool load = r->flags & CULPRIT_LOAD,
	     prefetched = !load && reference_first(g, i, r->write_merged, r->write_level, most);
	bool takes = p->mshrs && (!r->write_merged || prefetched || (!load && reference_takes(g, i, true, most)));
	const bool memory = p->memory_interval && r->write_level == CULPRIT_LEVEL_MEMORY,
		   below = !load && !r->write_merged && !memory && reference_from_below(g, r);
	bool bus = prefetched ? reference_prefetch_takes_bus(g, r, r->write_level)
			      : !r->write_merged && (memory || below);
	if (p->store_writes && p->posted_writes && !prefetched) {
		if (takes || bus)
			reference_posted_miss(g, i, takes, bus, below);
		return;
	}
	uint64_t waited = load ? 0 : r->mshr_wait < r->write_miss ? r->mshr_wait : r->write_miss;
	uint64_t hold = r->write_miss - waited, unexplained = 0, line = 0, bus_over = 0, over;
	const uint64_t ahead = reference_ahead_of(g, i, below, hold), slack = ahead ? r->prefetch_slack : 0;
	if (prefetched)
		over = reference_recorded_prefetch(g, i, r->write_level,
						   r->commit + p->write_hit + r->write_dtlb + r->write_miss, &line);
	else
		over = reference_recorded_write(g, i, takes, bus, ahead, &unexplained, &bus_over);
	unsigned miss = reference_miss_event(r->write_level, CULPRIT_EVENT_dl2, CULPRIT_EVENT_dl3, CULPRIT_EVENT_dmem);
	uint64_t time = g->begins + (reference_ideal(g, CULPRIT_EVENT_dl1, i) ? 0 : p->write_hit), key = g->begins;
	time += reference_ideal(g, CULPRIT_EVENT_dtlb, i) ? 0 : r->write_dtlb;
	bool live = (hold || prefetched) && !reference_ideal(g, miss, i);
	if (prefetched && p->store_writes && p->posted_writes)
		hold = reference_less(r->commit + r->write_miss, g->began);
	if (prefetched) {
		key = time = reference_asked(g, r->write_level, time + (live ? hold : 0));
		hold = p->miss_cycles[r->write_level];
	}
	uint64_t start = takes && live ? reference_mshr(&g->misses, p->mshrs, key, time) : time, wait = start - time;
	if (takes)
		reference_enter(&g->misses, p->mshrs, (struct reference_miss){key, time, hold, live});
	if (bus) {
		const uint64_t asked = reference_then(g, i, start + (live ? unexplained : 0), ahead);
		wait += reference_less(reference_less(reference_line(g, &g->bus, asked, live), bus_over), slack);
	}
	g->write_wait = live && (takes || bus) ? reference_less(wait, over + line) : 0;
	reference_forget(&g->bus, 1);
}

/* Cycles by which a line that a wrong path brought takes longer in lanes without mispredictions, whatever the lane. */
static uint32_t reference_strays(const struct reference *g, size_t i)
{
	const struct culprit_record *r = &g->r[i];
	bool bmisp = false;
	for (unsigned k = 0; k < g->p->class_count; k++)
		bmisp = bmisp || (g->p->classes[k].events & CULPRIT_EVENT_BIT(bmisp));
	uint8_t level = r->dstray > CULPRIT_LEVEL_L2 && reference_strayed(g, i, true) ? CULPRIT_LEVEL_L2 : r->dstray;
	uint32_t cycles = g->p->miss_cycles[level];
	return bmisp && level && cycles > r->dmiss ? cycles - r->dmiss : 0;
}

/* Does the load bring a line of that size (from behind the next level)? */
static bool reference_brings(const struct reference *g, size_t i, uint32_t line, bool behind)
{
	const struct culprit_record *r = &g->r[i];
	if (!(r->flags & CULPRIT_LOAD) || r->mem_addr < line)
		return false;
	if (!r->dmiss && !reference_strays(g, i))
		return !behind && g->timed[i];
	return !behind || (r->dmiss ? r->dlevel : r->dstray) > CULPRIT_LEVEL_L2;
}

/* A hit behind a miss of the same line, or of the next level behind one of that level's: not before the line is there. */
static void reference_follow(struct reference *g, size_t i, uint64_t reach, uint64_t most)
{
	const struct culprit_record *r = &g->r[i], *by;
	bool behind = r->dmiss;
	uint32_t line = behind ? g->p->miss_line : g->p->l1_line;
	if (!line || r->dlevel == CULPRIT_LEVEL_MEMORY || reference_shares(r, most) ||
	    reference_brings(g, i, line, behind) || (r->flags & CULPRIT_FORWARDED))
		return;
	size_t j = i;
	while (j-- > 0)
		if (reference_brings(g, j, line, behind) && reference_same(&g->r[j], r, line))
			break;
	if (j == SIZE_MAX || i - j > reach)
		return;
	by = &g->r[j];
	const bool missed = by->dmiss || reference_strays(g, j);
	const uint8_t level = by->dmiss ? by->dlevel : missed ? by->dstray : by->prefetch_level;
	unsigned miss = reference_miss_event(level, CULPRIT_EVENT_dl2, CULPRIT_EVENT_dl3, CULPRIT_EVENT_dmem);
	bool stray = missed && !by->dmiss && !reference_ideal(g, CULPRIT_EVENT_bmisp, i);
	if (r->complete < by->complete || reference_ideal(g, miss, i) || stray)
		return;
	uint64_t alone =
		g->q[i] + (missed ? by->dmiss + reference_strays(g, j) : g->p->miss_cycles[by->prefetch_level]);
	reference_edge(&g->q[i], g->w[j] < alone ? g->w[j] : alone, 0);
}

static void reference_complete(struct reference *g, size_t i, bool far, uint64_t most)
{
	const struct culprit_record *r = &g->r[i];
	unsigned event = reference_execution(r);
	bool load = r->flags & CULPRIT_LOAD, ideal = reference_ideal(g, event, i);
	const uint32_t translation = r->flags & (CULPRIT_LOAD | CULPRIT_STORE) ? r->dtlb : 0;
	uint64_t latency = load ? r->exec_latency : r->complete - r->issue - translation;
	if (load && (r->flags & CULPRIT_FORWARDED) && r->mem_producer) {
		/* issued before the store's data were there: that wait is in its latency, and on the edge */
		uint64_t data = reference_data(r);
		while (latency && data > r->issue + (r->exec_latency - latency))
			latency--;
	}
	if (reference_may_forward(g, i, latency))
		latency = reference_in_flight(g, i, far) ? g->p->forward_latency : g->p->load_hit;
	if ((r->flags & CULPRIT_MISPREDICTED) && latency == 1 && !reference_ideal(g, CULPRIT_EVENT_bmisp, i))
		ideal = false;
	g->q[i] = g->e[i] + (ideal ? 0 : latency);
	unsigned miss = reference_miss_event(r->dlevel, CULPRIT_EVENT_dl2, CULPRIT_EVENT_dl3, CULPRIT_EVENT_dmem);
	if (!reference_ideal(g, CULPRIT_EVENT_dtlb, i))
		g->q[i] += translation;
	const bool waits = load && r->dmiss && reference_first(g, i, r->flags & CULPRIT_MERGED, r->dlevel, most);
	const bool in_time = load && !r->dmiss && reference_in_time(g, r), prefetched = waits || in_time;
	const bool timed = g->timed[i] = load && reference_timed(g, i);
	const uint64_t brought = timed ? reference_brought(g, i, reference_less(r->complete, r->prefetch_slack)) : 0;
	if (load && !prefetched && !timed && (g->p->mshrs || g->p->memory_interval) &&
	    reference_load(g, i, far, most)) {
		reference_wake(g, i, ideal);
		return;
	}
	unsigned stray = reference_miss_event(r->dstray, CULPRIT_EVENT_dl2, CULPRIT_EVENT_dl3, CULPRIT_EVENT_dmem);
	if (load && !timed)
		g->q[i] += reference_stray(g, i, true, r->dmiss, stray);
	if (timed && r->dstray && !reference_ideal(g, miss, i) && !reference_ideal(g, CULPRIT_EVENT_bmisp, i))
		g->q[i] += r->dmiss;
	if (brought) {
		const uint32_t whole = g->p->miss_cycles[r->prefetch_level];
		const uint64_t alone = g->q[i] + (whole > r->dmiss ? whole : r->dmiss);
		reference_edge(&g->q[i], brought < alone ? brought : alone, 0);
	} else if (load && !timed && !reference_ideal(g, miss, i)) {
		if (reference_shares(r, most))
			reference_share(g, i, g->q[i], far);
		else
			g->q[i] += r->dmiss;
	}
	if (load && !timed)
		reference_follow(g, i, reference_window(g, i, far), most);
	if (prefetched)
		reference_prefetched(g, i, brought);
	reference_wake(g, i, ideal);
}

static bool reference_is_store(const struct culprit_record *r)
{
	return r->flags & CULPRIT_STORE;
}

static bool reference_is_branch(const struct culprit_record *r)
{
	return r->branch != CULPRIT_BRANCH_NONE;
}

/* At most `limit` instructions of a kind commit in a cycle; 0 = any number. */
static void reference_limit(struct reference *g, size_t i, uint32_t limit,
			    bool (*of_the_kind)(const struct culprit_record *))
{
	if (!limit || !of_the_kind(&g->r[i]))
		return;
	size_t j = i;
	while (j > 0 && limit)
		limit -= of_the_kind(&g->r[--j]);
	if (!limit)
		reference_edge(&g->c[i], g->c[j], 1);
}

static void reference_commit(struct reference *g, size_t i)
{
	const struct culprit_graph_params *p = g->p;
	bool bw = !reference_ideal(g, CULPRIT_EVENT_bw, i);
	uint64_t *c = &g->c[i];
	reference_edge(c, g->q[i], p->commit_delay);
	if (i)
		reference_edge(c, g->c[i - 1], 0);
	size_t last = p->commit_width ? REFERENCE_FILLED(g, i, commit_slots, p->commit_width) : i;
	if (bw && last < i)
		reference_edge(c, g->c[last], 1);
	reference_limit(g, i, bw ? p->commit_stores : 0, reference_is_store);
	reference_limit(g, i, bw ? p->commit_branches : 0, reference_is_branch);
}

/* A load that misses leaves when it would have hit. */
static void reference_leave(struct reference *g, size_t i)
{
	const struct culprit_record *r = &g->r[i];
	if (!g->p->released)
		return;
	uint64_t from = g->q[i];
	if (reference_leaves_early(g->p, r))
		from = g->e[i] + r->dtlb + (reference_ideal(g, reference_execution(r), i) ? 0 : r->exec_latency);
	g->l[i] = from + g->p->commit_delay;
	if (i)
		reference_edge(&g->l[i], g->l[i - 1], 0);
}

/* When it leaves its issue queue. */
static uint64_t reference_issued(const struct reference *g, size_t i)
{
	const struct culprit_record *r = &g->r[i];
	const bool load = (r->flags & CULPRIT_LOAD) && !(r->flags & CULPRIT_STORE);
	if (g->p->merged_stay < 2 || !load || !(r->flags & CULPRIT_MERGED) || !r->dmiss)
		return g->e[i];
	const uint64_t latency = reference_ideal(g, reference_execution(r), i) ? 0 : r->exec_latency;
	return latest_of(g->e[i], reference_less(g->q[i], latency));
}

static void reference_holds(struct reference *g, size_t i)
{
	const struct culprit_graph_params *p = g->p;
	const struct culprit_record *r = &g->r[i];
	if (r->queue < p->queue_count)
		reference_latest(g->free[r->queue], p->queue_entries[r->queue], reference_issued(g, i));
	if (!p->store_writes || !(r->flags & CULPRIT_STORE))
		return;
	if (!p->sq) {
		g->stores += p->posted_writes;
		return;
	}
	unsigned miss = reference_miss_event(r->write_level, CULPRIT_EVENT_dl2, CULPRIT_EVENT_dl3, CULPRIT_EVENT_dmem);
	uint64_t end = r->commit + p->write_hit + r->write_dtlb + r->write_miss, write = 0;
	if (!reference_ideal(g, CULPRIT_EVENT_dl1, i))
		write += p->write_hit;
	if (!reference_ideal(g, CULPRIT_EVENT_dtlb, i))
		write += r->write_dtlb;
	if (!reference_ideal(g, miss, i)) /* a line that an older store brings is there when that is done */
		write += r->write_merged && end <= g->recorded ? r->write_miss > 0 : r->write_miss;
	write += g->write_wait;
	g->recorded = end > g->recorded ? end : g->recorded;
	if (p->write_interval && r->mem_addr / p->l1_line + 1 != g->line) {
		g->line = r->mem_addr / p->l1_line + 1;
		g->turn = latest_of(g->turn, g->c[i]);
		g->turn += reference_ideal(g, CULPRIT_EVENT_bw, i) ? 0 : p->write_interval;
		write = latest_of(write, g->turn - g->c[i]);
	}
	uint64_t released = g->c[i];
	if (p->posted_writes) {
		released = p->write_buffer ? g->accepted : g->served[g->stores];
	} else if (write) {
		reference_edge(&g->done, g->c[i], write);
		released = g->done;
	}
	reference_latest(g->written, p->sq, released);
	g->released[g->stores++] = released;
}

/* Time of the stream with the classes of `set` idealised. Lanes of one window reach share `far`: with a class for win
 * that holds everywhere they are the lanes that have it, with ranges all of them. */
static uint64_t reference_time(const struct culprit_graph_params *params, const struct culprit_record *records,
			       size_t n, unsigned set)
{
	struct culprit_graph_params bound = *params;
	const struct culprit_graph_params *p = &bound;
	if (p->fetch_asked && (!p->fetch_width || p->fetch_width > p->fetch_asked))
		bound.fetch_width = p->fetch_asked;
	uint64_t entries = p->sq;
	for (uint32_t q = 0; q < p->queue_count; q++)
		entries += p->queue_entries[q];
	uint64_t *rows = calloc(12 * n + entries + 1, sizeof *rows), *rest = rows + 12 * n;
	struct reference g = {.p = p,
			      .r = records,
			      .n = n,
			      .set = set,
			      .f = rows,
			      .t = p->fetch_asked ? rows + 9 * n : rows,
			      .d = rows + n,
			      .e = rows + 2 * n,
			      .w = rows + 3 * n,
			      .q = rows + 4 * n,
			      .c = rows + 5 * n,
			      .l = p->released ? rows + 7 * n : rows + 5 * n,
			      .released = rows + 6 * n,
			      .rows = rows + 8 * n,
			      .served = rows + 10 * n,
			      .was_served = rows + 11 * n,
			      .timed = calloc(n + 1, sizeof *g.timed),
			      .written = rest};
	const uint64_t half = p->store_writes ? 4 * p->rob : p->rob;
	const size_t kept = half > 256 ? 256 : half > 128 ? 128 : half > 64 ? 64 : 32;
	g.bus.kept = g.bus_recorded.kept = g.misses.kept = g.as_recorded.kept = kept;
	rest += p->sq;
	for (uint32_t q = 0; q < p->queue_count; q++) {
		g.free[q] = rest;
		rest += p->queue_entries[q];
	}
	const culprit_event_set parts = CULPRIT_EVENT_BIT(win) | CULPRIT_EVENT_BIT(rob) | CULPRIT_EVENT_BIT(iq) |
					CULPRIT_EVENT_BIT(lsq) | CULPRIT_EVENT_BIT(regs) | CULPRIT_EVENT_BIT(tags);
	const culprit_event_set rob = CULPRIT_EVENT_BIT(win) | CULPRIT_EVENT_BIT(rob);
	unsigned windows = 0, robs = 0;
	bool everywhere = true, divided = ((p->always | p->elsewhere) & parts) != 0;
	for (unsigned k = 0; k < p->class_count; k++) {
		divided = divided || (p->classes[k].events & parts & ~CULPRIT_EVENT_BIT(win));
		if (p->classes[k].events & rob)
			robs |= 1u << k;
		if (!(p->classes[k].events & parts))
			continue;
		windows |= 1u << k;
		everywhere = everywhere && !p->classes[k].range_count;
	}
	bool one = robs && !(robs & (robs - 1)) && everywhere && !(p->always & rob);
	bool far = one ? (set & robs) != 0 : robs != 0 || (p->always & rob);
	g.far = one && far && !divided;
	uint64_t reach = p->rob * (windows || divided ? (uint64_t)p->window_factor : 1);
	for (size_t i = 0; i < n; i++) {
		reference_ahead(&g, i, far);
		reference_fetch(&g, i);
		reference_dispatch(&g, i);
		reference_issue(&g, i);
		reference_complete(&g, i, divided ? true : far, reach);
		reference_commit(&g, i);
		reference_leave(&g, i);
		reference_forget(&g.bus, 1);
		g.write_wait = 0;
		reference_post(&g, i);
		if ((p->mshrs || p->memory_interval) && (records[i].flags & CULPRIT_STORE))
			reference_write(&g, i, reach);
		reference_holds(&g, i);
	}
	uint64_t time = n ? g.c[n - 1] - REFERENCE_BEGIN : 0;
	free(g.timed);
	free(rows);
	return time;
}

#endif
