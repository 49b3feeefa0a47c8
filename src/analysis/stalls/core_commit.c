/* Commit's accounting: the opportunities lost since the commit before were lost to the instruction that commits now.
 *
 *   until its dispatch        the ROB was empty: the empty stalls that came down last
 *   until it finished         (a) its own stall history, most recent first, each leaf event once;
 *                             (b) as many cycles as it became the oldest before its shortest possible time had
 *                                 passed: ROB nearly empty, again because of the empty stalls; when all of these are
 *                                 accumulated, the last ones right before it all the same; when there were none, the
 *                                 front end's width;
 *                             (c) the rest: long executing
 *   then                      too few slots left in the cycle of the commit before, for one that takes several;
 *                             the limit of commit that the record names
 * A cycle is one event, weighted by the opportunities lost in it. */
#include "analysis/stalls/core_state.h"
#include "analysis/stalls/state.h"

/* The instruction at the ROB's head, while it does not commit. */
struct head {
	uint64_t dispatch;
	uint64_t finished;   /* from this cycle on it can commit */
	uint64_t fits;	     /* from this cycle on there are as many slots as it takes */
	uint64_t limited;    /* from this cycle on a limit of commit's keeps it; */
	uint32_t limit;	     /* its type */
	uint32_t early;	     /* cycles of (b) */
	uint32_t unfinished; /* its type of commit stall */
};

void stalls_lose(struct stalls_core *s, uint64_t cycle, culprit_stall_chain chain, uint32_t cycles)
{
	uint64_t width = s->params.commit_width, first = cycle == s->short_cycle ? s->short_lost : width;
	bool again = chain_is_flush(s->engine, chain);
	s->losses[s->loss_count++ & s->loss_mask] =
		(struct stalls_loss){cycle, cycles, again ? chain : chain | CULPRIT_STALL_SPENT};
	stalls_charge(s->engine, s->accumulator, chain, cycle, cycles, first, width);
}

static void lose_leaf(struct stalls_core *s, uint64_t cycle, uint32_t type, uint32_t leaf, uint32_t cycles)
{
	culprit_stall_chain chain = stalls_leaf_chain(s->engine, leaf);
	stalls_lose(s, cycle, type ? stalls_effect(s->engine, type, chain) : chain, cycles);
}

/* The most recent empty stall again, in each cycle. It ends at the dispatch, so stalls_front_take has accumulated
 * it. */
static void lose_recent(struct stalls_core *s, uint64_t cycle, uint32_t type, uint32_t cycles)
{
	culprit_stall_chain chain = s->recent.chain & ~CULPRIT_STALL_SPENT;
	stalls_lose(s, cycle, stalls_effect(s->engine, type, chain), cycles);
}

static void rob_empty(struct stalls_core *s, uint64_t cycle, uint32_t type, uint32_t cycles)
{
	uint32_t n = stalls_front_take(s, cycle, type, cycles);
	if (n < cycles && s->recent.length)
		lose_recent(s, cycle + n, type, cycles - n);
	else if (n < cycles)
		lose_leaf(s, cycle + n, type, STALL_dispatch_width, cycles - n);
}

static void not_finished(struct stalls_core *s, const struct head *h, uint64_t cycle, uint32_t cycles)
{
	uint32_t n = stalls_insn_take(s, cycle, h->unfinished, cycles);
	if (n == cycles)
		return;
	uint32_t early = cycles - n < h->early ? cycles - n : h->early;
	if (early)
		rob_empty(s, cycle + n, STALL_commit_nearly_empty, early);
	n += early;
	n += stalls_insn_take_execution(s, cycle + n, h->unfinished, cycles - n);
	if (n < cycles)
		lose_leaf(s, cycle + n, h->unfinished, STALL_commit_counted_before, cycles - n);
}

static uint32_t cycles_until(uint64_t from, uint64_t end, uint64_t until)
{
	uint64_t stop = end < until ? end : until;
	return stop > from ? clip32(stop - from) : 0;
}

static uint32_t limit_type(const struct stalls_insn *i)
{
	switch (i->commit_stop) {
#define COMMIT_LIMIT(name, row, stall, what) \
	case CULPRIT_STOP_##name:            \
		return STALL_commit_##stall;
#include "culprit/commit_limit.def"
	default:
		return STALL_commit_other;
	}
}

/* Cycles [from, until). */
static void lose(struct stalls_core *s, const struct head *h, uint64_t from, uint64_t until)
{
	uint32_t n = cycles_until(from, until, h->dispatch + 1);
	if (n)
		rob_empty(s, from, STALL_commit_rob_empty, n);
	from += n;
	n = cycles_until(from, until, h->finished);
	if (n)
		not_finished(s, h, from, n);
	from += n;
	n = cycles_until(from, until, h->fits);
	if (n)
		lose_leaf(s, from, CULPRIT_STALL_NONE, STALL_commit_slots, n);
	from += n;
	n = cycles_until(from, until, h->limited);
	if (n)
		lose_leaf(s, from, CULPRIT_STALL_NONE, STALL_commit_other, n);
	from += n;
	if (from < until)
		lose_leaf(s, from, CULPRIT_STALL_NONE, h->limit, clip32(until - from));
}

static void select_place(struct stalls_core *s)
{
	if (!s->params.end_pc)
		return;
	uint64_t pc = s->pcs[s->next & s->reach];
	culprit_stalls_select(s->engine, s->accumulator, pc >= s->params.first_pc && pc < s->params.end_pc);
}

/* The first instruction that commits in its cycle: what was lost in cycle `from`, `left` opportunities, and then. */
static void lost_to(struct stalls_core *s, const struct stalls_insn *i, uint64_t from, uint64_t left)
{
	uint64_t begin = left ? from : from + 1, oldest = begin > i->dispatch ? begin : i->dispatch + 1;
	uint64_t shortest = s->params.dispatch_to_issue + stalls_minimum(s, i) + s->params.commit_delay;
	uint64_t ready = i->dispatch + shortest;
	struct head h = {
		.dispatch = i->dispatch,
		.finished = i->complete + s->params.commit_delay,
		.fits = left < stalls_weights_of(s, i).commit ? from + 1 : 0,
		.limited = i->commit - i->commit_wait,
		.limit = limit_type(i),
		.early = ready > oldest ? clip32(ready - oldest) : 0,
		.unfinished = STALL_commit_unfinished + i->op_class,
	};
	select_place(s);
	s->short_cycle = from;
	s->short_lost = left;
	lose(s, &h, begin, i->commit);
}

void stalls_commits(struct stalls_core *s, const struct stalls_insn *i, bool late)
{
	uint64_t from = s->next ? s->commit : 0, used = stalls_slots_retired(s) - s->retired;
	uint64_t left = used < s->params.commit_width ? s->params.commit_width - used : 0;
	s->commit = i->commit;
	s->retired = stalls_slots_retired(s);
	s->commit_cycles++;
	if (i->commit == from || (left == 0 && i->commit == from + 1))
		return;
	if (!late)
		stalls_front_none(s, i);
	lost_to(s, i, from, left);
}
