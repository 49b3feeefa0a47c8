/* One instruction's stalls between dispatch and completion, from its record, oldest first:
 *
 *   dispatch + dispatch_to_issue .. ready   waits for what made it ready: the operand that came last
 *   ready .. issue                          not selected
 *   issue .. complete                       translation, the cache's hit time (no stall), the miss: the line, MSHR,
 *                                           bandwidth
 * What its execution takes beside that is no stall of its own, but may be one of its consumers': one cycle, or a load's
 * hit time, is the shortest it can take; the rest is long execution. */
#include "analysis/stalls/core_state.h"
#include "analysis/stalls/state.h"

typedef struct culprit_stall_run run;

static uint32_t op_type(uint32_t first, const struct stalls_insn *r)
{
	return first + r->op_class;
}

static uint64_t wake(const struct stalls_insn *r)
{
	return r->issue + r->wakeup;
}

static culprit_stall_chain leaf(struct stalls_core *s, uint32_t type)
{
	return stalls_leaf_chain(s->engine, type);
}

static void push(struct stalls_history *h, culprit_stall_chain chain, uint64_t cycles)
{
	h->items[h->count++] = (struct stalls_item){.chain = chain, .length = clip32(cycles)};
}

static void push_leaf(struct stalls_core *s, struct stalls_history *h, uint32_t type, uint64_t cycles)
{
	if (cycles)
		push(h, leaf(s, type), cycles);
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
		push(h, stalls_effect(s->engine, type, leaf(s, op_type(STALL_execute_close, source))), cycles - known);
	known = known < cycles ? known : cycles;
	if (known)
		h->items[h->count++] =
			(struct stalls_item){.length = clip32(known), .wait = {.distance = distance, .type = type}};
}

/* --- operands --- */

/* The distance of the producer whose register comes last, if that is what made the instruction ready; of several the
 * youngest. 0: it was something else. */
static inline uint32_t last_producer(const struct stalls_core *s, uint64_t place, const struct stalls_insn *i)
{
	uint32_t reach = (uint32_t)(s->reach - (s->arrived - place)), last = 0;
	uint64_t wakes = i->ready;
	reach = reach < s->params.window ? reach : s->params.window;
	reach = reach < place ? reach : clip32(place);
	for (unsigned n = 0; n < 3; n++) {
		uint32_t d = i->producer[n];
		if (!d || d > reach)
			continue;
		uint64_t cycle = wake(&s->ring[(place - d) & s->reach]);
		if (cycle < wakes || (cycle == wakes && last && last < d))
			continue;
		wakes = cycle;
		last = d;
	}
	return last;
}

/* What else makes an instruction ready: becoming the oldest, or older stores. */
static void wait_for_order(struct stalls_core *s, uint64_t place, struct stalls_history *h, uint64_t cycles)
{
	const struct stalls_insn *r = stalls_insn_at(s, place);
	bool forwarded = r->flags & CULPRIT_FORWARDED;
	uint32_t distance = r->order_waited;
	struct stalls_insn *store = stalls_back(s, place, distance);
	if (!store && forwarded)
		store = stalls_back(s, place, distance = r->mem_producer);
	if (r->flags & CULPRIT_AT_HEAD)
		push_leaf(s, h, STALL_issue_wait_oldest, cycles);
	else if (store)
		push_wait(s, h, STALL_issue_wait_store, store, distance, cycles);
	else if (r->mem_producer && !forwarded)
		push_leaf(s, h, STALL_issue_partial_store, cycles);
	else
		push_leaf(s, h, r->order_waited ? STALL_issue_store_set : STALL_issue_other, cycles);
}

/* From cycle `from` until it is ready it waits for what came last: the others would not have made it ready sooner. */
static void wait_for_operands(struct stalls_core *s, uint64_t place, struct stalls_history *h, uint64_t from)
{
	const struct stalls_insn *r = stalls_insn_at(s, place);
	if (from >= r->ready)
		return;
	uint32_t distance = last_producer(s, place, r);
	const struct stalls_insn *p = stalls_insn_at(s, place - distance);
	if (distance)
		push_wait(s, h, op_type(STALL_issue_wait, p), p, distance, r->ready - from);
	else
		wait_for_order(s, place, h, r->ready - from);
}

/* --- selection --- */

static uint32_t contention_type(const struct stalls_core *s, const struct stalls_insn *r)
{
	bool queue = r->queue < s->params.queue_count, unit = r->unit < s->params.unit_count;
	if (r->contended == CULPRIT_CONTENTION_ISSUE)
		return STALL_issue_issue_width;
	if (r->contended == CULPRIT_CONTENTION_QUEUE && queue)
		return s->queue_ids + 2u * r->queue + 1;
	if (r->contended == CULPRIT_CONTENTION_UNIT && unit)
		return s->unit_ids + 2u * r->unit;
	if (r->contended == CULPRIT_CONTENTION_BUSY && unit)
		return s->unit_ids + 2u * r->unit + 1;
	return STALL_issue_other;
}

/* The younger instruction that held the unit could have waited as long as this one did: it was on a wrong path, or sat
 * finished in the window for that long. */
static bool poorly_scheduled(struct stalls_core *s, uint64_t place, const struct stalls_insn *r)
{
	if (!r->contender)
		return false;
	if (r->contender >= CULPRIT_CONTENDER_FAR || place + r->contender >= s->arrived)
		return true;
	const struct stalls_insn *y = stalls_insn_at(s, place + r->contender);
	return y->commit >= y->complete + s->params.commit_delay + (r->issue - r->ready);
}

static void wait_for_selection(struct stalls_core *s, uint64_t place, struct stalls_history *h)
{
	const struct stalls_insn *r = stalls_insn_at(s, place);
	if (r->issue <= r->ready)
		return;
	culprit_stall_chain why = leaf(s, contention_type(s, r));
	if (poorly_scheduled(s, place, r))
		why = stalls_effect(s->engine, STALL_issue_poor_scheduling, why);
	push(h, stalls_effect(s->engine, STALL_issue_not_selected, why), r->issue - r->ready);
}

/* --- execution --- */

static uint32_t miss_type(const struct stalls_insn *r)
{
	return r->dlevel == CULPRIT_LEVEL_MEMORY ? STALL_memory_l1d_memory
	       : r->dlevel == CULPRIT_LEVEL_L3	 ? STALL_memory_l1d_l3
						 : STALL_memory_l1d_l2;
}

static struct stalls_insn *primary_miss(struct stalls_core *s, uint64_t place, const struct stalls_insn *r)
{
	return r->flags & CULPRIT_LOAD && r->flags & CULPRIT_MERGED ? stalls_back(s, place, r->primary_miss) : NULL;
}

/* Its line's item, in numbers, for it is about to be shared; NULL = it waited for no line. */
static struct stalls_item *shared_line(struct stalls_core *s, uint64_t place)
{
	struct stalls_history *h = stalls_history_at(s, place);
	const struct stalls_insn *i = stalls_insn_at(s, place);
	if (i->shape != STALLS_LIST || !h->miss)
		return NULL;
	struct stalls_item *line = &h->items[h->miss - 1];
	uint32_t before = 0;
	for (uint32_t n = h->count; n > h->miss; n--)
		before += h->items[n - 1].length;
	if (!line->first)
		line->first = stalls_insn_number(s, i, before, line->length);
	return line;
}

/* The latest cycles of the older access's own wait for the line, then, if that was shorter, its type again. */
static void push_merged(struct stalls_core *s, uint64_t place, struct stalls_history *h, uint32_t cycles)
{
	const struct stalls_insn *r = stalls_insn_at(s, place);
	if (!primary_miss(s, place, r)) {
		push_leaf(s, h,
			  r->flags & CULPRIT_PREFETCHED ? STALL_memory_late_prefetch : STALL_memory_wrong_path_line,
			  cycles);
		return;
	}
	const struct stalls_item *line = shared_line(s, place - r->primary_miss);
	bool theirs = line && line->length >= cycles;
	push(h, stalls_effect(s->engine, STALL_memory_merged, theirs ? line->chain : leaf(s, miss_type(r))), cycles);
	if (theirs)
		h->items[h->count - 1].first = line->first + (line->length - cycles);
}

/* Waits for MSHRs and for bandwidth are parts of the miss, put last: an access that had not waited would have
 * overlapped its latency with others', so of the two it is the wait that is exposed first. */
static void wait_for_memory(struct stalls_core *s, uint64_t place, struct stalls_history *h)
{
	const struct stalls_insn *r = stalls_insn_at(s, place);
	if (!r->dmiss)
		return;
	uint32_t mshr = r->mshr_wait < r->dmiss ? r->mshr_wait : r->dmiss, rest = r->dmiss - mshr;
	uint32_t bandwidth = r->bandwidth_wait < rest ? r->bandwidth_wait : rest;
	rest -= bandwidth;
	if (rest && r->flags & CULPRIT_MERGED)
		push_merged(s, place, h, rest);
	else
		push_leaf(s, h, miss_type(r), rest);
	h->miss = rest ? h->count : 0;
	push_leaf(s, h, STALL_memory_mshr, mshr);
	push_leaf(s, h, STALL_memory_bandwidth, bandwidth);
}

static void while_executing(struct stalls_core *s, uint64_t place, struct stalls_history *h)
{
	const struct stalls_insn *r = stalls_insn_at(s, place);
	const uint32_t walk = r->dtlb_level == CULPRIT_LEVEL_MEMORY ? STALL_memory_dtlb_walk : STALL_memory_dtlb_l2;
	if (r->flags & CULPRIT_LOAD)
		push_leaf(s, h, STALL_execute_forward_data, r->exec_latency - stalls_minimum(s, r));
	push_leaf(s, h, walk, stalls_translates(r));
	if (r->flags & CULPRIT_LOAD)
		wait_for_memory(s, place, h);
}

/* --- shapes --- */

static __attribute__((noinline)) void make_list(struct stalls_core *s, uint64_t place, struct stalls_insn *i)
{
	struct stalls_history *h = stalls_history_at(s, place);
	i->shape = STALLS_LIST;
	h->count = h->miss = 0;
	h->execution[0] = h->execution[1] = 0;
	wait_for_operands(s, place, h, i->dispatch + s->params.dispatch_to_issue);
	wait_for_selection(s, place, h);
	h->before_issue = h->count;
	while_executing(s, place, h);
}

/* Nothing but operands made it late. */
static inline bool operands_only(const struct stalls_core *s, const struct stalls_insn *i)
{
	if (i->issue > i->ready)
		return false;
	if (stalls_translates(i))
		return false;
	return !(i->flags & CULPRIT_LOAD) || !(i->dmiss | (i->exec_latency - stalls_minimum(s, i)));
}

/* It waited for a producer that has as much to tell: surely if its result took no longer than itself, for it was
 * not dispatched later. */
static inline bool one_wait(const struct stalls_core *s, uint64_t place, struct stalls_insn *i, uint64_t from)
{
	uint32_t distance = last_producer(s, place, i);
	const struct stalls_insn *p = &s->ring[(place - distance) & s->reach];
	i->source = (uint16_t)distance;
	if (!distance || p->ready < p->dispatch + s->params.dispatch_to_issue)
		return false;
	i->wait = clip32(i->ready - from);
	uint64_t surely = p->flags & CULPRIT_LOAD ? p->exec_latency : p->complete - p->issue;
	return p->wakeup <= surely || whole_length(s, p) >= i->ready - from;
}

static inline void find_shape(struct stalls_core *s, uint64_t place, struct stalls_insn *i)
{
	uint64_t from = i->dispatch + s->params.dispatch_to_issue;
	if (!operands_only(s, i))
		make_list(s, place, i);
	else if (i->ready <= from)
		i->shape = STALLS_NO_WAIT;
	else if (one_wait(s, place, i, from))
		i->shape = STALLS_ONE_WAIT;
	else
		make_list(s, place, i);
}

/* Those whose lines it waits for with them come first: each merged access leads to an older one, the last to the
 * miss. */
static __attribute__((noinline)) void find_merged_shape(struct stalls_core *s, uint64_t place, struct stalls_insn *i)
{
	while (!i->shape) {
		uint64_t first = place;
		struct stalls_insn *f = i, *m;
		while ((m = primary_miss(s, first, f)) && !m->shape) {
			first -= f->primary_miss;
			f = m;
		}
		find_shape(s, first, f);
	}
}

void stalls_insn_shape(struct stalls_core *s, uint64_t place)
{
	struct stalls_insn *i = stalls_insn_at(s, place);
	if (i->flags & CULPRIT_MERGED)
		find_merged_shape(s, place, i);
	else
		find_shape(s, place, i);
}

/* A shape is not found anew: its producer may have left the ring. */
struct stalls_history *stalls_insn_list(struct stalls_core *s, uint64_t place)
{
	struct stalls_insn *i = stalls_insn_at(s, place);
	struct stalls_history *h = stalls_history_at(s, place);
	if (!i->shape)
		stalls_insn_shape(s, place);
	if (i->shape == STALLS_LIST)
		return h;
	h->count = h->miss = 0;
	h->execution[0] = h->execution[1] = 0;
	if (i->shape == STALLS_ONE_WAIT) {
		uint32_t type = op_type(STALL_issue_wait, stalls_insn_at(s, place - i->source));
		h->items[h->count++] =
			(struct stalls_item){.length = i->wait, .wait = {.distance = i->source, .type = type}};
	}
	h->before_issue = h->count;
	i->shape = STALLS_LIST;
	return h;
}

uint64_t stalls_insn_number(struct stalls_core *s, const struct stalls_insn *i, uint32_t before, uint32_t length)
{
	uint64_t first = stalls_number_leaves(s->engine, length);
	uint32_t spent = i->spent > before ? i->spent - before : 0;
	stalls_mark(s->engine, s->accumulator, (run){0, length, first}, spent < length ? spent : length);
	return first;
}
