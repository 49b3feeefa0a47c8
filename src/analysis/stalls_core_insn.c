/* One instruction's stalls between dispatch and completion, from its record, oldest first:
 *
 *   dispatch + dispatch_to_issue .. ready   waits for operands: of those not there yet, the youngest producer's
 *   ready .. issue                          not selected
 *   issue .. complete                       translation, the cache's hit time (no stall), the miss: the line, MSHR, bandwidth
 * What its execution takes beside that is no stall of its own, but may be one of its consumers': one cycle, or a load's
 * hit time, is the shortest it can take; the rest is long execution. */
#include "analysis/stalls_core_state.h"

typedef struct culprit_stall_run run;

static uint32_t op_type(uint32_t first, const struct stalls_insn *r)
{
	return first + r->op_class;
}

static uint64_t wake(const struct stalls_insn *r)
{
	return r->issue + r->wakeup;
}

static run leaf(struct stalls_core *s, uint32_t type, uint64_t cycles)
{
	return culprit_stalls_leaf(s->engine, type, clip32(cycles));
}

static void push(struct stalls_history *h, run r)
{
	h->items[h->count++] = (struct stalls_item){.chain = r.chain, .length = r.length, .first = r.first};
}

static void push_leaf(struct stalls_core *s, struct stalls_history *h, uint32_t type, uint64_t cycles)
{
	if (cycles)
		push(h, leaf(s, type, cycles));
}

/* How long a consumer can wait for it: all its stalls and its execution. */
static uint64_t whole_length(const struct stalls_core *s, const struct stalls_insn *r)
{
	uint64_t from = r->dispatch + s->params.dispatch_to_issue;
	uint64_t waits = r->ready > from ? r->ready - from : 0,
		 selection = r->issue > r->ready ? r->issue - r->ready : 0;
	uint64_t load = (uint64_t)r->exec_latency + r->dtlb + r->dmiss;
	return waits + selection + (r->flags & CULPRIT_LOAD ? load : r->complete - r->issue);
}

/* Beyond what the producer has to tell it is as if its shortest time had been longer. */
static void push_wait(struct stalls_core *s, struct stalls_history *h, uint32_t type, const struct stalls_insn *source,
		      uint32_t distance, uint64_t cycles)
{
	uint64_t known = whole_length(s, source);
	if (cycles > known)
		push(h, culprit_stalls_because(s->engine, type,
					       leaf(s, op_type(STALL_execute_close, source), clip32(cycles - known))));
	known = known < cycles ? known : cycles;
	if (known)
		h->items[h->count++] = (struct stalls_item){.length = clip32(known), .wait = {distance, type}};
}

/* --- operands --- */

/* Distances of the producers, youngest first; 0 = none. */
static void sort_producers(const struct stalls_insn *r, uint32_t out[3])
{
	for (unsigned i = 0; i < 3; i++) {
		unsigned at = i;
		uint32_t d = r->producer[i];
		for (; at > 0 && d && (!out[at - 1] || out[at - 1] > d); at--)
			out[at] = out[at - 1];
		out[at] = d;
	}
}

static uint64_t wait_for_registers(struct stalls_core *s, uint64_t place, struct stalls_history *h, uint64_t from)
{
	const struct stalls_insn *r = stalls_insn_at(s, place);
	uint32_t producers[3];
	sort_producers(r, producers);
	for (unsigned n = 0; n < 3 && from < r->ready; n++) {
		struct stalls_insn *p = stalls_back(s, place, producers[n]);
		if (!p || wake(p) <= from)
			continue;
		uint64_t until = wake(p) < r->ready ? wake(p) : r->ready;
		push_wait(s, h, op_type(STALL_issue_wait, p), p, producers[n], until - from);
		from = until;
	}
	return from;
}

/* What else holds an instruction until it is ready: becoming the oldest, or older stores. */
static void wait_for_order(struct stalls_core *s, uint64_t place, struct stalls_history *h, uint64_t from)
{
	const struct stalls_insn *r = stalls_insn_at(s, place);
	if (from >= r->ready)
		return;
	bool forwarded = r->flags & CULPRIT_FORWARDED;
	uint32_t distance = r->order_waited;
	struct stalls_insn *store = stalls_back(s, place, distance);
	if (!store && forwarded)
		store = stalls_back(s, place, distance = r->mem_producer);
	if (r->flags & CULPRIT_AT_HEAD)
		push_leaf(s, h, STALL_issue_wait_oldest, r->ready - from);
	else if (store)
		push_wait(s, h, STALL_issue_wait_store, store, distance, r->ready - from);
	else
		push_leaf(s, h, r->mem_producer ? STALL_issue_partial_store : STALL_issue_store_set, r->ready - from);
}

/* --- selection --- */

static uint32_t contention_type(const struct stalls_core *s, const struct stalls_insn *r)
{
	switch (r->contended) {
	case CULPRIT_CONTENTION_QUEUE:
		return r->queue < s->params.queue_count ? s->queue_ids + 2u * r->queue + 1 : STALL_issue_issue_width;
	case CULPRIT_CONTENTION_UNIT:
		return r->unit < s->params.unit_count ? s->unit_ids + 2u * r->unit : STALL_issue_issue_width;
	case CULPRIT_CONTENTION_BUSY:
		return r->unit < s->params.unit_count ? s->unit_ids + 2u * r->unit + 1 : STALL_issue_issue_width;
	default:
		return STALL_issue_issue_width;
	}
}

/* The younger instruction that held the unit could have waited as long as this one did: it was on a wrong path, or sat
 * finished in the window for that long. */
static bool poorly_scheduled(struct stalls_core *s, uint64_t place, const struct stalls_insn *r)
{
	if (!r->contender)
		return false;
	if (r->contender == CULPRIT_CONTENDER_FAR || place + r->contender >= s->arrived)
		return true;
	const struct stalls_insn *y = stalls_insn_at(s, place + r->contender);
	return y->commit >= y->complete + s->params.commit_delay + (r->issue - r->ready);
}

static void wait_for_selection(struct stalls_core *s, uint64_t place, struct stalls_history *h)
{
	const struct stalls_insn *r = stalls_insn_at(s, place);
	if (r->issue <= r->ready)
		return;
	run why = leaf(s, contention_type(s, r), r->issue - r->ready);
	if (poorly_scheduled(s, place, r))
		why = culprit_stalls_because(s->engine, STALL_issue_poor_scheduling, why);
	push(h, culprit_stalls_because(s->engine, STALL_issue_not_selected, why));
}

/* --- execution --- */

static uint32_t miss_type(const struct stalls_insn *r)
{
	return r->dlevel == CULPRIT_LEVEL_MEMORY ? STALL_memory_l1d_memory
	       : r->dlevel == CULPRIT_LEVEL_L3	 ? STALL_memory_l1d_l3
						 : STALL_memory_l1d_l2;
}

/* The latest cycles of the older access's own wait for the line, then, if that was shorter, its type again. */
static run merged_miss(struct stalls_core *s, uint64_t place, const struct stalls_insn *r, uint64_t cycles)
{
	bool misser = stalls_back(s, place, r->line_misser);
	if (r->flags & CULPRIT_PREFETCHED && !misser)
		return leaf(s, STALL_memory_late_prefetch, cycles);
	if (!misser)
		return leaf(s, STALL_memory_wrong_path_line, cycles);
	const struct stalls_history *theirs = stalls_history_at(s, place - r->line_misser);
	const struct stalls_item *line = &theirs->items[theirs->miss];
	run why = {line->chain, theirs->miss ? line->length : 0, line->first};
	if (why.length > cycles)
		why = culprit_stalls_part(s->engine, why, why.length - clip32(cycles), clip32(cycles));
	else if (why.length < cycles)
		why = leaf(s, miss_type(r), cycles);
	return culprit_stalls_because(s->engine, STALL_memory_merged, why);
}

/* Waits for MSHRs and for bandwidth are parts of the miss, put last: an access that had not waited would have overlapped its
 * latency with others', so of the two it is the wait that is exposed first. */
static void wait_for_memory(struct stalls_core *s, uint64_t place, struct stalls_history *h)
{
	const struct stalls_insn *r = stalls_insn_at(s, place);
	push_leaf(s, h, r->dtlb_level == CULPRIT_LEVEL_MEMORY ? STALL_memory_dtlb_walk : STALL_memory_dtlb_l2, r->dtlb);
	if (!r->dmiss)
		return;
	uint32_t mshr = r->mshr_wait < r->dmiss ? r->mshr_wait : r->dmiss, rest = r->dmiss - mshr;
	uint32_t bandwidth = r->bandwidth_wait < rest ? r->bandwidth_wait : rest;
	rest -= bandwidth;
	if (rest) {
		h->miss = h->count;
		push(h, r->flags & CULPRIT_MERGED ? merged_miss(s, place, r, rest) : leaf(s, miss_type(r), rest));
	}
	push_leaf(s, h, STALL_memory_mshr, mshr);
	push_leaf(s, h, STALL_memory_bandwidth, bandwidth);
}

static void while_executing(struct stalls_core *s, uint64_t place, struct stalls_history *h)
{
	const struct stalls_insn *r = stalls_insn_at(s, place);
	if (!(r->flags & CULPRIT_LOAD))
		return;
	push_leaf(s, h, STALL_execute_forward_data, r->exec_latency - stalls_minimum(s, r));
	wait_for_memory(s, place, h);
}

static void execution(struct stalls_core *s, struct stalls_history *h, const struct stalls_insn *r)
{
	uint64_t least = stalls_minimum(s, r), longer = r->flags & CULPRIT_LOAD ? 0 : r->complete - r->issue - least;
	push(h, leaf(s, op_type(STALL_execute_close, r), least));
	push(h, longer ? leaf(s, op_type(STALL_execute_long, r), longer) : (run){0, 0, 0});
}

/* --- all of it --- */

static void build(struct stalls_core *s, uint64_t place, struct stalls_insn *i)
{
	struct stalls_history *h = stalls_history_at(s, place);
	i->built = true;
	h->count = 0;
	h->miss = 0;
	h->spent = 0;
	execution(s, h, i);
	uint64_t from = wait_for_registers(s, place, h, i->dispatch + s->params.dispatch_to_issue);
	wait_for_order(s, place, h, from);
	wait_for_selection(s, place, h);
	h->before_issue = h->count;
	while_executing(s, place, h);
}

/* Those whose lines it waits for with them come first: each merged access leads to an older one, the last to the miss. */
struct stalls_history *stalls_insn_history(struct stalls_core *s, uint64_t place)
{
	struct stalls_insn *i = stalls_insn_at(s, place);
	while (!i->built) {
		uint64_t first = place;
		struct stalls_insn *f = i, *m;
		while (f->flags & CULPRIT_MERGED && (m = stalls_back(s, first, f->line_misser)) && !m->built) {
			first -= f->line_misser;
			f = m;
		}
		build(s, first, f);
	}
	return stalls_history_at(s, place);
}
