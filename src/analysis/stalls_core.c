/* Commit's accounting: the opportunities lost since the commit before were lost to the instruction that commits now.
 *
 *   until its dispatch        the ROB was empty: the empty stalls that came down last
 *   until it finished         (a) its own stall history, most recent first, each leaf event once;
 *                             (b) as many cycles as it became the oldest before its shortest possible time had passed: ROB
 *                                 nearly empty, again because of the empty stalls; when all of these are accumulated, the last
 *                                 ones right before it all the same; when there were none, the front end's width;
 *                             (c) the rest: long executing
 *   then                      the commit stage itself: store ports
 * A cycle is one event, weighted by the opportunities lost in it. */
#include "analysis/stalls_core_state.h"

#include <stdlib.h>
#include <string.h>

enum { WINDOW_MOST = 1u << 16 };

static uint64_t ring_size(const struct stalls_core_params *p)
{
	uint64_t n = 1024;
	while (n < 2ull * p->window + 2 * CULPRIT_CONTENDER_FAR)
		n *= 2;
	return n;
}

struct stalls_core *stalls_core_create(const struct stalls_core_params *params, struct error *err)
{
	struct stalls_core *s = calloc(1, sizeof *s);
	if (!s) {
		error_set(err, ERROR_SYSTEM, "out of memory for stall trees");
		return NULL;
	}
	s->params = *params;
	s->params.window = params->window < WINDOW_MOST ? params->window : WINDOW_MOST;
	s->mask = ring_size(&s->params) - 1;
	s->ring = calloc(s->mask + 1, sizeof *s->ring);
	const char *why = "out of memory";
	s->frames = malloc((s->mask + 1) * sizeof *s->frames);
	s->histories = calloc(s->mask + 1, sizeof *s->histories);
	s->engine = s->ring && s->histories && s->frames ? culprit_stalls_create(&s->params.engine, &why) : NULL;
	bool ok = s->engine && stalls_core_types(s);
	if (ok) {
		uint32_t width = s->params.commit_width == UINT32_MAX ? 1 : s->params.commit_width;
		s->unlimited = s->params.commit_width == UINT32_MAX;
		s->params.commit_width = width;
		s->accumulator = culprit_stalls_add_accumulator(s->engine, "commit", width);
		ok = s->accumulator != UINT32_MAX;
	}
	if (ok)
		return s;
	error_set(err, ERROR_USAGE, "stall trees: %s", why ? why : culprit_stalls_error(s->engine));
	stalls_core_destroy(s);
	return NULL;
}

void stalls_core_destroy(struct stalls_core *s)
{
	if (!s)
		return;
	free(s->ring);
	free(s->histories);
	free(s->frames);
	culprit_stalls_destroy(s->engine);
	free(s->types);
	free(s->sets);
	free(s->texts);
	free(s);
}

/* --- one instruction's part of the lost opportunities --- */

/* The instruction at the ROB's head, while it does not commit. */
struct head {
	uint64_t dispatch;
	uint64_t finished;   /* from this cycle on it can commit */
	uint32_t early;	     /* cycles left of (b) */
	uint32_t unfinished; /* its type of commit stall */
};

static uint32_t rob_empty(struct stalls_core *s, uint64_t cycle, uint32_t type, uint32_t cycles, uint64_t weight)
{
	uint32_t n = stalls_front_take(s, cycle, type, cycles, weight);
	struct culprit_stall_run why = s->recent;
	for (; n < cycles; n++) { /* the same event again in each */
		why = why.length ? culprit_stalls_part(s->engine, why, why.length - 1, 1)
				 : culprit_stalls_leaf(s->engine, STALL_dispatch_width, 1);
		culprit_stalls_count(s->engine, s->accumulator, cycle + n, type, why, weight);
	}
	return cycles;
}

static void not_finished(struct stalls_core *s, struct head *h, uint64_t cycle, uint32_t cycles, uint64_t weight)
{
	uint32_t n = stalls_insn_take(s, &(struct stalls_charge){cycle, weight, h->unfinished}, cycles);
	uint32_t early = cycles - n < h->early ? cycles - n : h->early;
	h->early -= early;
	if (early)
		n += rob_empty(s, cycle + n, STALL_commit_nearly_empty, early, weight);
	for (unsigned i = STALLS_OWN_ITEMS; i > 0 && n < cycles; i--) {
		const struct stalls_item *t = &stalls_history_at(s, s->next)->items[i - 1];
		n += culprit_stalls_take_run(s->engine, s->accumulator, cycle + n, h->unfinished,
					     (struct culprit_stall_run){t->chain, t->length, t->first}, cycles - n,
					     weight);
	}
	if (n < cycles)
		culprit_stalls_count(s->engine, s->accumulator, cycle + n, h->unfinished,
				     culprit_stalls_leaf(s->engine, STALL_commit_counted_before, cycles - n), weight);
}

static uint32_t cycles_until(uint64_t from, uint64_t end, uint64_t until)
{
	uint64_t stop = end < until ? end : until;
	return stop > from ? clip32(stop - from) : 0;
}

/* Cycles [from, until), each with `weight` opportunities lost. */
static void lose(struct stalls_core *s, struct head *h, uint64_t from, uint64_t until, uint64_t weight)
{
	uint32_t n = cycles_until(from, until, h->dispatch + 1);
	if (n)
		from += rob_empty(s, from, STALL_commit_rob_empty, n, weight);
	n = cycles_until(from, until, h->finished);
	if (n)
		not_finished(s, h, from, n, weight);
	from += n;
	if (from < until)
		culprit_stalls_count(s->engine, s->accumulator, from, CULPRIT_STALL_NONE,
				     culprit_stalls_leaf(s->engine, STALL_commit_store_ports, clip32(until - from)),
				     weight);
}

/* The shortest time from dispatch to commit. */
static uint64_t shortest(struct stalls_core *s)
{
	return s->params.dispatch_to_issue + stalls_minimum(s, stalls_insn_at(s, s->next)) + s->params.commit_delay;
}

static void select_place(struct stalls_core *s, uint64_t pc)
{
	if (s->params.end_pc)
		culprit_stalls_select(s->engine, s->accumulator, pc >= s->params.first_pc && pc < s->params.end_pc);
}

static void committed(struct stalls_core *s, const struct culprit_record *r)
{
	uint64_t from = s->any ? s->commit : 0;
	uint32_t used = s->any ? s->commit_slot + 1 : 0;
	uint64_t left = used < s->params.commit_width ? s->params.commit_width - used : 0;
	if (r->commit == from || (left == 0 && r->commit == from + 1))
		return;
	uint64_t begin = left ? from : from + 1, ready = r->dispatch + shortest(s);
	uint64_t oldest = begin > r->dispatch ? begin : r->dispatch + 1;
	struct head h = {
		.dispatch = r->dispatch,
		.finished = r->complete + s->params.commit_delay,
		.early = ready > oldest ? clip32(ready - oldest) : 0,
		.unfinished = STALL_commit_unfinished + r->op_class,
	};
	select_place(s, r->pc);
	if (left)
		lose(s, &h, from, from + 1, left);
	lose(s, &h, from + 1, r->commit, s->params.commit_width);
}

/* Place of the instruction in its cycle. */
static uint32_t slot(const struct stalls_core *s, uint64_t cycle, uint64_t before, uint32_t slot_before)
{
	return s->any && cycle == before ? slot_before + 1 : 0;
}

static void remember(struct stalls_core *s, const struct culprit_record *r)
{
	s->fetch_slot = slot(s, r->fetch, s->fetch, s->fetch_slot);
	s->dispatch_slot = slot(s, r->dispatch, s->dispatch, s->dispatch_slot);
	s->commit_slot = slot(s, r->commit, s->commit, s->commit_slot);
	s->fetch = r->fetch;
	s->dispatch = r->dispatch;
	s->commit = r->commit;
	s->flags = r->flags;
	s->branch = r->branch;
	s->predictor = r->predictor;
	s->any = true;
	s->committed += s->commit_slot < s->params.commit_width;
}

static void process(struct stalls_core *s, const struct culprit_record *r)
{
	stalls_front(s, r);
	committed(s, r);
	/* a flush explains the instruction right after it, no later ones */
	if (s->flush.length && s->front_head != s->front_tail &&
	    s->front[s->front_head % STALLS_HORIZON].run.chain == s->flush.chain)
		s->front_head++;
	remember(s, r);
	s->next++;
}

/* It is not known yet what it must know about a younger one. */
static bool must_wait(const struct stalls_core *s, const struct culprit_record *r)
{
	return r->contender && r->contender != CULPRIT_CONTENDER_FAR && s->next + r->contender >= s->arrived;
}

static void process_pending(struct stalls_core *s, bool all)
{
	while (s->next < s->arrived) {
		const struct culprit_record *r = &s->pending[s->next % STALLS_PENDING];
		if (!all && must_wait(s, r))
			return;
		process(s, r);
	}
}

static void arrive(struct stalls_core *s, const struct culprit_record *r)
{
	struct stalls_insn *i = stalls_insn_at(s, s->arrived++);
	i->dispatch = r->dispatch;
	i->ready = r->ready;
	i->issue = r->issue;
	i->complete = r->complete;
	i->commit = r->commit;
	i->producer[0] = r->producer[0];
	i->producer[1] = r->producer[1];
	i->producer[2] = r->producer[2];
	i->mem_producer = r->mem_producer;
	i->line_misser = r->line_misser;
	i->queue_freer = r->queue_freer;
	i->order_waited = r->order_waited;
	i->dmiss = r->dmiss;
	i->dtlb = r->dtlb;
	i->exec_latency = r->exec_latency;
	i->wakeup = r->wakeup;
	i->mshr_wait = r->mshr_wait;
	i->bandwidth_wait = r->bandwidth_wait;
	i->flags = r->flags;
	i->op_class = r->op_class;
	i->dlevel = r->dlevel;
	i->dtlb_level = r->dtlb_level;
	i->queue = r->queue;
	i->unit = r->unit;
	i->contended = r->contended;
	i->contender = r->contender;
	i->built = false;
}

void stalls_core_push(struct stalls_core *s, const struct culprit_record *records, size_t count)
{
	for (size_t n = 0; n < count; n++) {
		bool first = s->next == s->arrived;
		arrive(s, &records[n]);
		if (first && !must_wait(s, &records[n])) {
			process(s, &records[n]);
		} else {
			s->pending[(s->arrived - 1) % STALLS_PENDING] = records[n];
			process_pending(s, false);
		}
	}
}

/* --- the end --- */

/* After the last commit. */
static void count_end(struct stalls_core *s, uint64_t cycles)
{
	uint64_t from = s->any ? s->commit : 0;
	uint32_t used = s->any ? s->commit_slot + 1 : 0;
	uint64_t left = used < s->params.commit_width ? s->params.commit_width - used : 0;
	struct culprit_stall_run end = culprit_stalls_leaf(s->engine, STALL_commit_end, 1);
	if (s->params.end_pc)
		culprit_stalls_select(s->engine, s->accumulator, false);
	if (left && from < cycles)
		culprit_stalls_count(s->engine, s->accumulator, from, CULPRIT_STALL_NONE, end, left);
	end.length = cycles > from + 1 ? clip32(cycles - from - 1) : 0;
	culprit_stalls_count(s->engine, s->accumulator, from + 1, CULPRIT_STALL_NONE, end, s->params.commit_width);
}

static bool tree_sum(const struct stalls_core *s, uint64_t *sum, struct error *err)
{
	struct culprit_stall_results r;
	if (!stalls_core_results(s, &r))
		return error_set(err, ERROR_SYSTEM, "out of memory for the stall tree");
	*sum = r.elsewhere;
	for (size_t i = 0; i < r.node_count; i++)
		*sum += r.nodes[i].own;
	culprit_stalls_results_free(&r);
	return true;
}

bool stalls_core_finish(struct stalls_core *s, uint64_t cycles, uint64_t instructions, struct error *err)
{
	process_pending(s, true);
	count_end(s, cycles);
	/* by the core's own counts; where commit is unlimited an opportunity is a cycle, and it is used by its first commit */
	s->lost = s->params.commit_width * cycles - (s->unlimited ? s->committed : instructions);
	if (culprit_stalls_error(s->engine))
		return error_set(err, ERROR_INTERNAL, "%s", culprit_stalls_error(s->engine));
	uint64_t sum = 0;
	TRY(tree_sum(s, &sum, err));
	if (sum != s->lost)
		return error_set(err, ERROR_INTERNAL, "the stall tree sums to %llu of %llu lost opportunities",
				 (unsigned long long)sum, (unsigned long long)s->lost);
	return true;
}

uint64_t stalls_core_lost(const struct stalls_core *s)
{
	return s->lost;
}

bool stalls_core_results(const struct stalls_core *s, struct culprit_stall_results *out)
{
	return culprit_stalls_results(s->engine, s->accumulator, out);
}
