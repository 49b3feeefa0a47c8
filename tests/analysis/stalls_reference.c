/* See the header. Whatever is made on the way is kept in one pool and given back at the end. */
#include "stalls_reference.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One stall in one cycle. */
struct event {
	const char *type;
	const struct event *cause; /* NULL = a leaf */
	uint32_t leaf;		   /* number of the leaf event; 0 = a flush, which has none */
};

/* Most recent first. */
struct list {
	const struct event **events;
	size_t count;
};

struct insn {
	const struct culprit_record *r;
	struct list stalls;	  /* as they are popped */
	struct list execution;	  /* then these: beyond the minimum, the minimum */
	struct list miss;	  /* part of `stalls`: the line's wait, in order of time */
	const struct event *held; /* the last stall before issue */
};

struct machine_state {
	const struct stalls_core_params *p;
	const struct culprit_record *records;
	struct insn *insns;
	size_t next, count;
	struct list front; /* empty stalls, most recent last */
	uint64_t *times;   /* their cycles */
	uint64_t horizon;
	const struct event *flush, *recent;
	const struct event *blocked; /* dispatch's last full stall */
	const struct event **lost;   /* per cycle: what commit lost it to */
	bool *taken;		     /* per leaf number */
	uint32_t leaves, leaf_room;
	struct reference_path *paths;
	size_t path_count, path_room;
	uint32_t depth, width;
	uint32_t (*takes)(const struct culprit_record *); /* of commit's slots */
};

/* The pool: a ring of blocks around `pool`. */
struct block {
	struct block *before, *after;
	max_align_t data[];
};

static struct block pool = {&pool, &pool};

static void *join(struct block *b)
{
	if (!b)
		abort();
	b->before = pool.before;
	b->after = &pool;
	b->before->after = b->after->before = b;
	return b->data;
}

static struct block *leave(void *data)
{
	struct block *b = (struct block *)(void *)((char *)data - offsetof(struct block, data));
	b->before->after = b->after;
	b->after->before = b->before;
	return b;
}

static void *grab(size_t size)
{
	return join(calloc(1, sizeof(struct block) + size));
}

static void *grow(void *data, size_t size)
{
	return data ? join(realloc(leave(data), sizeof(struct block) + size)) : grab(size);
}

static void give_back(void)
{
	while (pool.after != &pool)
		free(leave(pool.after->data));
}

static const struct event *event(struct machine_state *m, const char *type, const struct event *cause)
{
	struct event *e = grab(sizeof *e);
	e->type = type;
	e->cause = cause;
	e->leaf = cause ? cause->leaf : ++m->leaves;
	if (m->leaves >= m->leaf_room) {
		uint32_t room = 2 * m->leaf_room + 1024;
		m->taken = grow(m->taken, room);
		memset(m->taken + m->leaf_room, 0, room - m->leaf_room);
		m->leaf_room = room;
	}
	return e;
}

static const struct event *flush_event(struct machine_state *m, const char *type)
{
	struct event *e = grab(sizeof *e);
	e->type = type;
	return e;
}

static void append(struct list *l, const struct event *e)
{
	if ((l->count & (l->count + 1)) == 0)
		l->events = grow(l->events, (2 * l->count + 2) * sizeof(struct event *));
	l->events[l->count++] = e;
}

/* `first`, then what was in l before. */
static void put_before(struct list *l, const struct list *first)
{
	struct list both = {NULL, 0};
	for (size_t i = 0; i < first->count; i++)
		append(&both, first->events[i]);
	for (size_t i = 0; i < l->count; i++)
		append(&both, l->events[i]);
	if (l->events)
		free(leave(l->events));
	*l = both;
}

static void push(struct list *l, const struct event *e)
{
	struct list one = {&e, 1};
	put_before(l, &one);
}

static const char *name(const char *format, const char *what)
{
	char text[128];
	snprintf(text, sizeof text, format, what);
	return strcpy(grab(strlen(text) + 1), text);
}

static const char *op(const char *format, unsigned op_class)
{
	static const char *const names[] = {
#define OP_CLASS(name, label, event, part) #name,
#include "culprit/op_class.def"
	};
	return name(format, names[op_class]);
}

static struct insn *back(struct machine_state *m, size_t at, uint32_t distance)
{
	return distance && distance <= at && distance <= m->p->window ? &m->insns[at - distance] : NULL;
}

/* --- one instruction --- */

static uint64_t minimum(const struct machine_state *m, const struct culprit_record *r)
{
	if (!(r->flags & CULPRIT_LOAD))
		return r->exec_latency > 0;
	if (r->flags & CULPRIT_FORWARDED && r->exec_latency > m->p->forward_latency)
		return m->p->forward_latency;
	return r->exec_latency;
}

/* What the n-th cycle of a wait pops of a source. */
static const struct event *popped(struct machine_state *m, const struct insn *source, size_t n)
{
	if (n < source->stalls.count)
		return source->stalls.events[n];
	n -= source->stalls.count;
	if (n < source->execution.count)
		return source->execution.events[n];
	return event(m, op("execute.close_%s", source->r->op_class), NULL);
}

/* Of the producers that are not done in the cycle before it was ready, so that they came last, the latest; of several the
 * youngest. */
static struct insn *waited_for(struct machine_state *m, size_t at)
{
	struct insn *latest = NULL;
	uint64_t latest_wake = 0;
	for (unsigned i = 0; i < 3; i++) {
		struct insn *s = back(m, at, m->insns[at].r->producer[i]);
		uint64_t wake = s ? s->r->issue + s->r->wakeup : 0;
		if (wake < m->insns[at].r->ready || !s)
			continue;
		if (!latest || wake > latest_wake || (wake == latest_wake && s > latest)) {
			latest = s;
			latest_wake = wake;
		}
	}
	return latest;
}

static struct insn *ordered_after(struct machine_state *m, size_t at)
{
	const struct culprit_record *r = m->insns[at].r;
	if (r->flags & CULPRIT_AT_HEAD)
		return NULL;
	struct insn *s = back(m, at, r->order_waited);
	return s || !(r->flags & CULPRIT_FORWARDED) ? s : back(m, at, r->mem_producer);
}

static const char *held_by(const struct culprit_record *r)
{
	return r->flags & CULPRIT_AT_HEAD			    ? "issue.wait_oldest"
	       : r->mem_producer && !(r->flags & CULPRIT_FORWARDED) ? "issue.partial_store"
	       : r->order_waited				    ? "issue.store_set"
								    : "issue.other";
}

static void operands(struct machine_state *m, size_t at)
{
	struct insn *i = &m->insns[at];
	struct list sequence = {NULL, 0};
	struct insn *before = NULL;
	bool before_store = false;
	for (uint64_t t = i->r->dispatch + m->p->dispatch_to_issue; t < i->r->ready; t++) {
		struct insn *source = waited_for(m, at), *store = source ? NULL : ordered_after(m, at);
		struct insn *from = source ? source : store;
		if (from != before || !from || before_store != (store != NULL)) {
			put_before(&i->stalls, &sequence);
			sequence = (struct list){NULL, 0};
		}
		if (from)
			append(&sequence,
			       event(m, source ? op("issue.wait_%s", source->r->op_class) : "issue.wait_store",
				     popped(m, from, sequence.count)));
		else
			push(&i->stalls, event(m, held_by(i->r), NULL));
		before = from;
		before_store = store != NULL;
	}
	put_before(&i->stalls, &sequence);
}

static const char *contention(const struct machine_state *m, const struct culprit_record *r)
{
	switch (r->contended) {
	case CULPRIT_CONTENTION_QUEUE:
		return name("queues.width_%s", m->p->queues[r->queue]);
	case CULPRIT_CONTENTION_UNIT:
		return name("units.taken_%s", m->p->units[r->unit]);
	case CULPRIT_CONTENTION_BUSY:
		return name("units.busy_%s", m->p->units[r->unit]);
	case CULPRIT_CONTENTION_ISSUE:
		return "issue.issue_width";
	default:
		return "issue.other";
	}
}

static void selection(struct machine_state *m, size_t at)
{
	struct insn *i = &m->insns[at];
	const struct culprit_record *r = i->r;
	bool poor = r->contender != 0;
	if (poor && r->contender < CULPRIT_CONTENDER_FAR && at + r->contender < m->count) {
		const struct culprit_record *y = &m->records[at + r->contender];
		uint64_t idle = y->commit - (y->complete + m->p->commit_delay);
		poor = y->commit >= y->complete + m->p->commit_delay && idle >= r->issue - r->ready;
	}
	for (uint64_t t = r->ready; t < r->issue; t++) {
		const struct event *why = event(m, contention(m, r), NULL);
		if (poor)
			why = event(m, "issue.poor_scheduling", why);
		push(&i->stalls, event(m, "issue.not_selected", why));
	}
}

static const char *level(const struct culprit_record *r)
{
	return r->dlevel == CULPRIT_LEVEL_MEMORY ? "memory.l1d_memory"
	       : r->dlevel == CULPRIT_LEVEL_L3	 ? "memory.l1d_l3"
						 : "memory.l1d_l2";
}

/* The n-th of `rest` cycles of waiting for the line. */
static const struct event *line_event(struct machine_state *m, size_t at, uint64_t n, uint64_t rest)
{
	const struct culprit_record *r = m->insns[at].r;
	if (!(r->flags & CULPRIT_MERGED))
		return event(m, level(r), NULL);
	const struct insn *primary_miss = back(m, at, r->primary_miss);
	if (!primary_miss)
		return event(m, r->flags & CULPRIT_PREFETCHED ? "memory.late_prefetch" : "memory.wrong_path_line",
			     NULL);
	const struct event *cause = primary_miss->miss.count >= rest
					    ? primary_miss->miss.events[primary_miss->miss.count - rest + n]
					    : event(m, level(r), NULL);
	return event(m, "memory.merged", cause);
}

static uint64_t translation(struct machine_state *m, struct insn *i)
{
	const bool walk = i->r->dtlb_level == CULPRIT_LEVEL_MEMORY;
	for (uint64_t n = 0; n < i->r->dtlb; n++)
		push(&i->stalls, event(m, walk ? "memory.dtlb_walk" : "memory.dtlb_l2", NULL));
	return i->r->dtlb;
}

static void execution(struct machine_state *m, size_t at)
{
	struct insn *i = &m->insns[at];
	const struct culprit_record *r = i->r;
	uint64_t least = minimum(m, r);
	if (r->flags & CULPRIT_LOAD) {
		uint64_t mshr = r->mshr_wait < r->dmiss ? r->mshr_wait : r->dmiss;
		uint64_t bus = r->bandwidth_wait < r->dmiss - mshr ? r->bandwidth_wait : r->dmiss - mshr;
		uint64_t rest = r->dmiss - mshr - bus;
		for (uint64_t n = 0; n < r->exec_latency - least; n++)
			push(&i->stalls, event(m, "execute.forward_data", NULL));
		translation(m, i);
		for (uint64_t n = 0; n < rest; n++) {
			append(&i->miss, line_event(m, at, n, rest));
			push(&i->stalls, i->miss.events[n]);
		}
		for (uint64_t n = 0; n < mshr; n++)
			push(&i->stalls, event(m, "memory.mshr", NULL));
		for (uint64_t n = 0; n < bus; n++)
			push(&i->stalls, event(m, "memory.bandwidth", NULL));
	} else {
		const uint64_t translated = r->flags & CULPRIT_STORE ? translation(m, i) : 0;
		for (uint64_t t = r->issue + translated + least; t < r->complete; t++)
			append(&i->execution, event(m, op("execute.long_%s", r->op_class), NULL));
	}
	for (uint64_t n = 0; n < least; n++)
		append(&i->execution, event(m, op("execute.close_%s", r->op_class), NULL));
}

static bool same_path(const struct event *a, const struct event *b)
{
	for (; a && b; a = a->cause, b = b->cause)
		if (strcmp(a->type, b->type))
			return false;
	return !a && !b;
}

static void history(struct machine_state *m, size_t at)
{
	struct insn *i = &m->insns[at];
	operands(m, at);
	selection(m, at);
	i->held = i->stalls.count ? i->stalls.events[0] : NULL;
	execution(m, at);
}

/* --- the front end, a cycle at a time --- */

static const char *mispredicted(const struct culprit_record *b)
{
	if (b->flags & CULPRIT_DIRECTION_WRONG)
		return b->flags & CULPRIT_TAKEN ? "predictor.predicted_not_taken" : "predictor.predicted_taken";
	switch (b->branch) {
	case CULPRIT_BRANCH_CONDITIONAL:
		return "predictor.target_conditional";
	case CULPRIT_BRANCH_INDIRECT_JUMP:
		return "predictor.target_indirect_jump";
	case CULPRIT_BRANCH_INDIRECT_CALL:
		return "predictor.target_indirect_call";
	case CULPRIT_BRANCH_RETURN:
		return "predictor.target_return";
	default:
		return "predictor.target_direct";
	}
}

static const struct event *mispredict(struct machine_state *m, const struct culprit_record *b)
{
	static const char *const who[] = {"static", "bimodal", "gshare", "tage",   "loop",  "corrector",
					  "oracle", "btb",     "ras",	 "ittage", "plugin"};
	const struct event *e = flush_event(m, mispredicted(b));
	e = event(m, name("predictor.by_%s", who[b->predictor]), e);
	return event(m, "predictor.mispredict", e);
}

/* What the instructions up to `at` took of its cycle. */
static uint64_t used_of(const struct machine_state *m, size_t at, uint64_t (*when)(const struct culprit_record *),
			uint32_t (*takes)(const struct culprit_record *))
{
	uint64_t used = 0;
	for (size_t i = at + 1; i-- > 0 && when(&m->records[i]) == when(&m->records[at]);)
		used += takes(&m->records[i]);
	return used;
}

static uint32_t one_of(uint8_t weight)
{
	return weight == 255 ? 0 : weight == 0 ? 1 : weight;
}
static uint32_t dispatch_takes(const struct culprit_record *r)
{
	return one_of(r->dispatch_slots);
}
static uint32_t commit_takes(const struct culprit_record *r)
{
	return one_of(r->commit_slots);
}
/* Where commit is unlimited a cycle is used or lost, whatever commits in it. */
static uint32_t takes_any(const struct culprit_record *r)
{
	return 1;
}
static uint32_t fetch_takes(const struct culprit_record *r)
{
	return r->length > 0;
}
static uint64_t fetched(const struct culprit_record *r)
{
	return r->fetch;
}
static uint64_t dispatched(const struct culprit_record *r)
{
	return r->dispatch;
}
static uint64_t committed(const struct culprit_record *r)
{
	return r->commit;
}

struct because_of {
	const struct event *e;
	bool flush;
};

/* Why fetch did not deliver instruction `at` in cycle u < its fetch. */
static struct because_of fetch_stall(struct machine_state *m, size_t at, uint64_t u)
{
	const struct culprit_record *r = &m->records[at], *before = at ? r - 1 : NULL;
	if (u + r->imiss >= r->fetch)
		return (struct because_of){event(m,
						 r->ilevel == CULPRIT_LEVEL_MEMORY ? "fetch.l1i_memory"
						 : r->ilevel == CULPRIT_LEVEL_L3   ? "fetch.l1i_l3"
						 : r->ilevel == CULPRIT_LEVEL_L2   ? "fetch.l1i_l2"
										   : "fetch.port",
						 NULL),
					   false};
	if (u + r->imiss + r->itlb >= r->fetch)
		return (struct because_of){
			event(m, r->itlb_level == CULPRIT_LEVEL_MEMORY ? "fetch.itlb_walk" : "fetch.itlb_l2", NULL),
			false};
	if (!before)
		return (struct because_of){flush_event(m, "fetch.start"), true};
	if (r->flags & CULPRIT_VIOLATED)
		return (struct because_of){flush_event(m, "fetch.violation"), true};
	if (before->flags & CULPRIT_MISPREDICTED)
		return (struct because_of){mispredict(m, before), true};
	bool serial = before->flags & CULPRIT_SERIALISING, btb = before->flags & CULPRIT_BTB_MISS && !serial;
	if (serial || (r->redirect && !btb))
		return (struct because_of){event(m, "fetch.serialise", NULL), false};
	if (btb && u < before->fetch + 1 + r->redirect)
		return (struct because_of){event(m, "fetch.btb_redirect", NULL), false};
	if (u == before->fetch) {
		const char *ended = r->flags & CULPRIT_FETCH_BREAK_TAKEN  ? "fetch.taken_limit"
				    : r->flags & CULPRIT_FETCH_BREAK_LINE ? "fetch.line_end"
				    : used_of(m, at - 1, fetched, fetch_takes) >= m->p->fetch_width ? "fetch.width"
												    : NULL;
		if (ended)
			return (struct because_of){event(m, ended, NULL), false};
	}
	if (m->blocked)
		return (struct because_of){event(m, "fetch.buffer_full", m->blocked), false};
	return (struct because_of){event(m, "fetch.other", NULL), false};
}

/* Why dispatch was blocked in cycle t. */
static const struct event *dispatch_stall(struct machine_state *m, size_t at, uint64_t t)
{
	static const char *const full[CULPRIT_WINDOW_COUNT] = {NULL,
							       "dispatch.full_rob",
							       NULL,
							       "dispatch.full_lq",
							       "dispatch.full_sq",
							       "dispatch.full_lsq",
							       "dispatch.full_int_regs",
							       "dispatch.full_fp_regs",
							       "dispatch.full_branches"};
	const struct culprit_record *r = &m->records[at];
	if (r->window == CULPRIT_WINDOW_NONE)
		return event(m, "dispatch.width", NULL);
	if (r->window != CULPRIT_WINDOW_QUEUE) {
		const struct event *why = m->lost[t];
		if (!why)
			why = event(m, r->window == CULPRIT_WINDOW_SQ ? "dispatch.store_writes" : "commit.width", NULL);
		return event(m, full[r->window], why);
	}
	const struct insn *holder = back(m, at, r->previous_holder);
	return event(m, name("queues.full_%s", m->p->queues[r->queue]),
		     holder && holder->held ? holder->held : event(m, "dispatch.width", NULL));
}

static void keep(struct machine_state *m, uint64_t cycle, const struct event *e, bool flush)
{
	if (flush) {
		m->front.count = 0;
		m->flush = e;
	}
	append(&m->front, e);
	m->times = grow(m->times, m->front.count * sizeof *m->times);
	m->times[m->front.count - 1] = cycle;
	m->recent = e;
}

static void front_end(struct machine_state *m, size_t at)
{
	const struct culprit_record *r = &m->records[at];
	uint64_t stages = m->p->frontend_stages, from = 0;
	if (at)
		from = r[-1].dispatch + (used_of(m, at - 1, dispatched, dispatch_takes) >= m->p->dispatch_width);
	m->flush = m->recent = NULL;
	m->horizon = r->dispatch > 256 ? r->dispatch - 256 : 0;
	const struct event *blocked = NULL, *queue = NULL;
	for (uint64_t t = from; t < r->dispatch; t++) {
		if (t >= r->fetch + stages) {
			if (!queue)
				blocked = dispatch_stall(m, at, t);
			if (r->window == CULPRIT_WINDOW_QUEUE)
				queue = blocked;
			keep(m, t, blocked, false);
			continue;
		}
		struct because_of why = {NULL, true};
		if (t < stages)
			why.e = flush_event(m, "fetch.start");
		else
			why = fetch_stall(m, at, t - stages);
		bool another = why.flush && !m->flush;
		keep(m, t, event(m, "dispatch.empty", why.e), another);
	}
	if (blocked)
		m->blocked = blocked;
}

/* --- commit --- */

static int by_text(const void *a, const void *b)
{
	return strcmp(((const struct reference_path *)a)->text, ((const struct reference_path *)b)->text);
}

static void add_path(struct machine_state *m, const char *text, uint64_t count)
{
	if (m->path_count == m->path_room) {
		m->path_room = 2 * m->path_room + 64;
		m->paths = realloc(m->paths, m->path_room * sizeof *m->paths);
	}
	m->paths[m->path_count++] = (struct reference_path){strdup(text), count};
}

/* Joins equal ones. */
static size_t sort_paths(struct reference_path *paths, size_t count)
{
	size_t n = 0;
	if (count)
		qsort(paths, count, sizeof *paths, by_text);
	for (size_t i = 0; i < count; i++) {
		if (n && !strcmp(paths[n - 1].text, paths[i].text)) {
			paths[n - 1].count += paths[i].count;
			free(paths[i].text);
		} else {
			paths[n++] = paths[i];
		}
	}
	return n;
}

static void account(struct machine_state *m, uint64_t cycle, const struct event *e, uint64_t weight)
{
	char text[65 * 48] = "";
	uint32_t length = 0, n = 0, front = m->depth / 2, rest = m->depth - front - 1;
	for (const struct event *at = e; at; at = at->cause)
		length++;
	for (const struct event *at = e; at; at = at->cause, n++) {
		bool cut = length > m->depth && n >= front && n < length - rest;
		if (cut && n > front)
			continue;
		strcat(text, n ? ">" : "");
		strcat(text, cut ? "stalls.snipped" : at->type);
	}
	m->taken[e->leaf] = true;
	m->lost[cycle] = e;
	add_path(m, text, weight);
	if (m->path_count > 100000)
		m->path_count = sort_paths(m->paths, m->path_count);
}

static const struct event *first_free(const struct machine_state *m, const struct list *l, size_t from, size_t end)
{
	for (size_t i = from; i < end; i++)
		if (!m->taken[l->events[i]->leaf])
			return l->events[i];
	return NULL;
}

/* The ROB has nothing, or got it too late. */
static const struct event *front_stall(struct machine_state *m)
{
	m->taken[0] = false;
	for (size_t i = m->front.count; i-- > 0;)
		if (!m->taken[m->front.events[i]->leaf] && m->times[i] >= m->horizon)
			return m->front.events[i];
	return m->recent ? m->recent : event(m, "dispatch.width", NULL);
}

/* What the cycle's commits have used up, as far as the record says that something kept it: found again by counting them. */
static const char *commit_limit(const struct machine_state *m, size_t at, uint64_t cycle)
{
	const struct culprit_record *r = &m->records[at];
	uint32_t stores = 0, branches = 0;
	for (size_t i = at; i > 0 && m->records[i - 1].commit == cycle; i--) {
		stores += (m->records[i - 1].flags & CULPRIT_STORE) != 0;
		branches += m->records[i - 1].branch != CULPRIT_BRANCH_NONE;
	}
	bool told = r->commit - cycle <= r->commit_wait;
	return told && stores && (r->flags & CULPRIT_STORE) ? "commit.store_ports"
	       : told && branches && r->branch		    ? "commit.branches"
							    : "commit.other";
}

/* `left`: slots of this cycle. */
static const struct event *commit_stall(struct machine_state *m, size_t at, uint64_t cycle, uint64_t left,
					uint64_t *early)
{
	struct insn *i = &m->insns[at];
	const char *unfinished = op("commit.unfinished_%s", i->r->op_class);
	if (cycle <= i->r->dispatch)
		return event(m, "commit.rob_empty", front_stall(m));
	if (cycle >= i->r->complete + m->p->commit_delay)
		return event(m, left < m->takes(i->r) ? "commit.slots" : commit_limit(m, at, cycle), NULL);
	const struct event *e = first_free(m, &i->stalls, 0, i->stalls.count);
	if (!e && *early) {
		--*early;
		return event(m, "commit.nearly_empty", front_stall(m));
	}
	if (!e)
		e = first_free(m, &i->execution, 0, i->execution.count);
	return event(m, unfinished, e ? e : event(m, "commit.counted_before", NULL));
}

static void commit(struct machine_state *m, size_t at)
{
	const struct culprit_record *r = &m->records[at];
	uint64_t from = at ? r[-1].commit : 0, used = at ? used_of(m, at - 1, committed, m->takes) : 0,
		 early = UINT64_MAX;
	uint64_t shortest = r->dispatch + m->p->dispatch_to_issue + minimum(m, r) + m->p->commit_delay;
	for (uint64_t cycle = from; cycle < r->commit; cycle++) {
		uint64_t weight = cycle > from ? m->width : used < m->width ? m->width - used : 0;
		if (!weight)
			continue;
		if (cycle > r->dispatch && early == UINT64_MAX) /* it is the oldest from now on */
			early = shortest > cycle ? shortest - cycle : 0;
		account(m, cycle, commit_stall(m, at, cycle, weight, &early), weight);
	}
	if (m->flush && m->front.count && same_path(m->front.events[0], m->flush)) {
		struct list rest = {NULL, 0};
		bool flushing = true;
		for (size_t i = 0; i < m->front.count; i++) {
			flushing = flushing && same_path(m->front.events[i], m->flush);
			if (flushing)
				continue;
			append(&rest, m->front.events[i]);
			m->times[rest.count - 1] = m->times[i];
		}
		m->front = rest;
	}
}

struct reference_path *stalls_reference(const struct stalls_core_params *p, const struct culprit_record *records,
					size_t record_count, uint64_t cycles, uint32_t depth, size_t *count)
{
	struct machine_state m = {.p = p, .records = records, .count = record_count, .depth = depth};
	m.width = p->commit_width == UINT32_MAX ? 1 : p->commit_width;
	m.takes = p->commit_width == UINT32_MAX ? takes_any : commit_takes;
	m.taken = grab(m.leaf_room = 1024);
	m.insns = grab(record_count * sizeof *m.insns);
	m.lost = grab((cycles + 1) * sizeof(struct event *));
	for (size_t i = 0; i < record_count; i++) {
		m.insns[i].r = &records[i];
		m.next = i;
		front_end(&m, i);
		history(&m, i);
		commit(&m, i);
	}
	uint64_t last = record_count ? records[record_count - 1].commit : 0;
	uint64_t used = record_count ? used_of(&m, record_count - 1, committed, m.takes) : 0;
	for (uint64_t cycle = last; cycle < cycles; cycle++) {
		uint64_t weight = cycle > last ? m.width : used < m.width ? m.width - used : 0;
		if (weight)
			account(&m, cycle, event(&m, "commit.end", NULL), weight);
	}
	give_back();
	*count = sort_paths(m.paths, m.path_count);
	return m.paths;
}

struct reference_path *stalls_paths(const struct culprit_stall_results *r, size_t *count)
{
	struct machine_state m = {.p = NULL};
	for (size_t i = 0; i < r->node_count; i++) {
		char text[65 * 48] = "", longer[65 * 48];
		if (!r->nodes[i].own)
			continue;
		for (uint32_t at = (uint32_t)i; at != CULPRIT_STALL_ROOT; at = r->nodes[at].parent) {
			const struct culprit_stall_type_info *t = &r->types[r->nodes[at].type];
			snprintf(longer, sizeof longer, "%s.%s%s%s", t->set, t->type.name, text[0] ? ">" : "", text);
			memcpy(text, longer, sizeof text);
		}
		add_path(&m, text, r->nodes[i].own);
	}
	*count = sort_paths(m.paths, m.path_count);
	return m.paths;
}

void stalls_paths_free(struct reference_path *paths, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(paths[i].text);
	free(paths);
}
