/* Dispatch slots lost before an instruction: empty stalls that come down to the ROB.
 *
 * One event for each cycle from the dispatch of the instruction before it (if that left a slot) to its own. Until it
 * had come through the front end the cause is fetch's, `frontend.stages` cycles earlier; from then on dispatch was
 * blocked: a full stall, caused in the same cycle by what commit lost that cycle to (or, for an issue queue, by what
 * last kept the instruction whose entry came free from issuing: one event). The record says what held it last, and so
 * it is taken for all of these cycles.
 *
 * Events that came down more than STALLS_HORIZON cycles before the instruction are forgotten: they cannot be why it is
 * late. Of the cycles before it was fetched, the last ones are its line's miss, before that its translation, the first
 * ones a redirect; what is left in between is a full front end. In the cycle of the instruction before, the group
 * ended. */
#include "analysis/stalls/core_state.h"
#include "analysis/stalls/state.h"

typedef struct culprit_stall_run run;

static run leaf(struct stalls_core *s, uint32_t type, uint64_t cycles)
{
	return culprit_stalls_leaf(s->engine, type, clip32(cycles));
}

/* Its last event is of the cycle before `end`. */
static void keep(struct stalls_core *s, run r, uint64_t end)
{
	if (!r.length)
		return;
	if (s->front_tail - s->front_head == STALLS_HORIZON)
		s->front_head++;
	s->front[s->front_tail++ % STALLS_HORIZON] = (struct stalls_front){r, end};
	s->recent = r;
}

/* The instruction before; s->next > 0. */
static const struct stalls_insn *before(struct stalls_core *s)
{
	return stalls_insn_at(s, s->next - 1);
}

/* --- mispredictions --- */

static uint32_t wrong_target(uint8_t branch)
{
	switch (branch) {
	case CULPRIT_BRANCH_CONDITIONAL:
		return STALL_predictor_target_conditional;
	case CULPRIT_BRANCH_INDIRECT_JUMP:
		return STALL_predictor_target_indirect_jump;
	case CULPRIT_BRANCH_INDIRECT_CALL:
		return STALL_predictor_target_indirect_call;
	case CULPRIT_BRANCH_RETURN:
		return STALL_predictor_target_return;
	default:
		return STALL_predictor_target_direct;
	}
}

static uint32_t who_predicted(uint8_t component)
{
	static const uint16_t who[CULPRIT_PREDICTOR_COUNT] = {
		[CULPRIT_PREDICTOR_STATIC] = STALL_predictor_by_static,
		[CULPRIT_PREDICTOR_BIMODAL] = STALL_predictor_by_bimodal,
		[CULPRIT_PREDICTOR_GSHARE] = STALL_predictor_by_gshare,
		[CULPRIT_PREDICTOR_TAGE] = STALL_predictor_by_tage,
		[CULPRIT_PREDICTOR_LOOP] = STALL_predictor_by_loop,
		[CULPRIT_PREDICTOR_CORRECTOR] = STALL_predictor_by_corrector,
		[CULPRIT_PREDICTOR_ORACLE] = STALL_predictor_by_oracle,
		[CULPRIT_PREDICTOR_BTB] = STALL_predictor_by_btb,
		[CULPRIT_PREDICTOR_RAS] = STALL_predictor_by_ras,
		[CULPRIT_PREDICTOR_ITTAGE] = STALL_predictor_by_ittage,
		[CULPRIT_PREDICTOR_PLUGIN] = STALL_predictor_by_plugin,
	};
	return component < CULPRIT_PREDICTOR_COUNT ? who[component] : STALL_predictor_by_static;
}

/* The instruction before was. */
static run mispredicted(struct stalls_core *s, uint64_t cycles)
{
	const struct stalls_insn *b = before(s);
	bool taken = b->flags & CULPRIT_TAKEN, direction = b->flags & CULPRIT_DIRECTION_WRONG;
	uint32_t type = !direction ? wrong_target(b->branch)
			: taken	   ? STALL_predictor_predicted_not_taken
				   : STALL_predictor_predicted_taken;
	run r = leaf(s, type, cycles);
	r = culprit_stalls_because(s->engine, who_predicted(b->predictor), r);
	return culprit_stalls_because(s->engine, STALL_predictor_mispredict, r);
}

/* --- fetch --- */

/* Where fetch had to start anew: up to which cycle, and why. */
enum restart { RESTART_NONE, RESTART_START, RESTART_VIOLATION, RESTART_MISPREDICT, RESTART_SERIALISE, RESTART_BTB };

static enum restart restarted(struct stalls_core *s, const struct stalls_insn *r)
{
	if (!s->next)
		return RESTART_START;
	if (r->flags & CULPRIT_VIOLATED)
		return RESTART_VIOLATION;
	if (before(s)->flags & CULPRIT_MISPREDICTED)
		return RESTART_MISPREDICT;
	if (before(s)->flags & CULPRIT_SERIALISING)
		return RESTART_SERIALISE;
	if (before(s)->flags & CULPRIT_BTB_MISS)
		return RESTART_BTB;
	return r->redirect ? RESTART_SERIALISE : RESTART_NONE;
}

/* Does what is fetched again wait until all before it has left? */
static bool renames_again(const struct stalls_core *s, enum restart why)
{
	return s->params.recovery &&
	       (why == RESTART_MISPREDICT || (why == RESTART_VIOLATION && s->params.recovery_data));
}

static run restart_run(struct stalls_core *s, enum restart why, uint64_t cycles)
{
	switch (why) {
	case RESTART_START:
		return leaf(s, STALL_fetch_start, cycles);
	case RESTART_VIOLATION:
		return leaf(s, STALL_fetch_violation, cycles);
	case RESTART_MISPREDICT:
		return mispredicted(s, cycles);
	case RESTART_SERIALISE:
		return leaf(s, STALL_fetch_serialise, cycles);
	default:
		return leaf(s, STALL_fetch_btb_redirect, cycles);
	}
}

/* The last cycle that fetch lost to a restart, + 1. */
static uint64_t restart_end(struct stalls_core *s, const struct stalls_insn *r, enum restart why, uint64_t misses_from)
{
	if (why == RESTART_BTB) {
		uint64_t end = before(s)->fetch + 1 + r->redirect;
		return end < misses_from ? end : misses_from;
	}
	return why == RESTART_NONE ? 0 : misses_from;
}

/* The instruction before was the last that its cycle of fetch had room for. Later micro-operations of an instruction
 * (length 0) are not fetched. */
static bool group_full(struct stalls_core *s)
{
	const uint32_t width = s->params.fetch_width;
	uint32_t fetched = 0;
	if (width == UINT32_MAX)
		return false;
	for (uint64_t n = 1; n <= s->next && n <= s->reach && fetched < width; n++) {
		const struct stalls_insn *i = stalls_insn_at(s, s->next - n);
		if (i->fetch != before(s)->fetch)
			return false;
		fetched += i->length != 0;
	}
	return fetched == width;
}

/* The group of the instruction before ended, in that one's cycle. */
static run group_ended(struct stalls_core *s, const struct stalls_insn *r)
{
	if (r->flags & CULPRIT_FETCH_BREAK_TAKEN)
		return leaf(s, STALL_fetch_taken_limit, 1);
	if (r->flags & CULPRIT_FETCH_BREAK_LINE)
		return leaf(s, STALL_fetch_line_end, 1);
	if (group_full(s))
		return leaf(s, STALL_fetch_width, 1);
	return (run){0, 0, 0};
}

/* The most recent event of a run. */
static run last_of(struct stalls_core *s, run r)
{
	return r.length ? culprit_stalls_part(s->engine, r, r.length - 1, 1) : r;
}

static void empty(struct stalls_core *s, run why, uint64_t end)
{
	keep(s, culprit_stalls_because(s->engine, STALL_dispatch_empty, why), end);
}

/* Because of dispatch's last full stall: one event, however long the front end stayed full. */
static void front_full(struct stalls_core *s, uint64_t cycles, uint64_t end)
{
	if (s->last_blocked.length)
		empty(s, culprit_stalls_because(s->engine, STALL_fetch_buffer_full, s->last_blocked), end);
	else
		empty(s, leaf(s, STALL_fetch_other, cycles), end);
}

static run instruction_miss(struct stalls_core *s, const struct stalls_insn *r, uint64_t cycles)
{
	return leaf(s,
		    r->ilevel == CULPRIT_LEVEL_MEMORY ? STALL_fetch_l1i_memory
		    : r->ilevel == CULPRIT_LEVEL_L3   ? STALL_fetch_l1i_l3
		    : r->ilevel == CULPRIT_LEVEL_L2   ? STALL_fetch_l1i_l2
						      : STALL_fetch_port,
		    cycles);
}

/* Cycles [*from, until) of fetch; moves *from on. */
static uint64_t advance(uint64_t *from, uint64_t until)
{
	uint64_t n = until > *from ? until - *from : 0;
	*from += n;
	return n;
}

static void restart_stalls(struct stalls_core *s, enum restart why, uint64_t cycles, uint64_t end)
{
	run cause = restart_run(s, why, cycles);
	if (why == RESTART_SERIALISE || why == RESTART_BTB) {
		empty(s, cause, end);
		return;
	}
	s->flush = culprit_stalls_because(s->engine, STALL_dispatch_empty, cause);
	s->front_head = s->front_tail; /* the flush is as far back as anybody looks */
	keep(s, s->flush, end);
}

static run translation_miss(struct stalls_core *s, const struct stalls_insn *r, uint64_t cycles)
{
	return leaf(s, r->itlb_level == CULPRIT_LEVEL_MEMORY ? STALL_fetch_itlb_walk : STALL_fetch_itlb_l2, cycles);
}

/* Why fetch had not delivered r in its cycles [from, until), until <= r->fetch; they are felt `stages` later. */
static void fetch_stalls(struct stalls_core *s, const struct stalls_insn *r, uint64_t from, uint64_t until)
{
	uint64_t stages = s->params.frontend_stages;
	uint64_t miss = r->fetch > r->imiss ? r->fetch - r->imiss : 0;
	uint64_t itlb = miss > r->itlb ? miss - r->itlb : 0;
	enum restart why = restarted(s, r);
	uint64_t restart = restart_end(s, r, why, itlb), n;
	if ((n = advance(&from, restart < until ? restart : until)))
		restart_stalls(s, why, n, from + stages);
	if (from < until && s->next && from == before(s)->fetch && itlb > from) {
		run ended = group_ended(s, r);
		from += ended.length;
		empty(s, ended, from + stages);
	}
	if ((n = advance(&from, itlb < until ? itlb : until)))
		front_full(s, n, from + stages);
	if ((n = advance(&from, miss < until ? miss : until)))
		empty(s, translation_miss(s, r, n), from + stages);
	if ((n = advance(&from, until)))
		empty(s, instruction_miss(s, r, n), from + stages);
}

/* --- dispatch --- */

/* What commit lost this cycle to, to the end of the run of such cycles; length 0: it lost nothing. Cycles never go back
 * from call to call. */
static run lost_at(struct stalls_core *s, uint64_t cycle)
{
	const run nothing = {0, 0, 0};
	if (s->loss_count - s->loss_cursor > s->loss_mask)
		s->loss_cursor = s->loss_count - s->loss_mask;
	for (; s->loss_cursor < s->loss_count; s->loss_cursor++) {
		const struct stalls_loss *l = &s->losses[s->loss_cursor & s->loss_mask];
		if (l->cycle > cycle)
			return nothing;
		if (l->cycle + l->length > cycle)
			return (run){l->chain, l->length - (uint32_t)(cycle - l->cycle), 0};
	}
	return nothing;
}

/* A structure that commit empties: what commit lost the cycle to. It has moved its full width when it lost nothing, or,
 * a store-queue entry is held until the store's write is done. */
static run commit_lost(struct stalls_core *s, const struct stalls_insn *r, uint64_t cycle, uint64_t most)
{
	run why = lost_at(s, cycle);
	if (!why.length)
		return leaf(s, r->window == CULPRIT_WINDOW_SQ ? STALL_dispatch_store_writes : STALL_commit_width, 1);
	why.length = why.length < most ? why.length : clip32(most);
	return why;
}

/* Some cycles from `cycle` on, at most `most`. */
static run blocked(struct stalls_core *s, const struct stalls_insn *r, uint64_t cycle, uint64_t most)
{
	static const uint16_t full[CULPRIT_WINDOW_COUNT] = {
		[CULPRIT_WINDOW_ROB] = STALL_dispatch_full_rob,
		[CULPRIT_WINDOW_LQ] = STALL_dispatch_full_lq,
		[CULPRIT_WINDOW_SQ] = STALL_dispatch_full_sq,
		[CULPRIT_WINDOW_LSQ] = STALL_dispatch_full_lsq,
		[CULPRIT_WINDOW_BRANCHES] = STALL_dispatch_full_branches,
		[CULPRIT_WINDOW_INT_REGS] = STALL_dispatch_full_int_regs,
		[CULPRIT_WINDOW_FP_REGS] = STALL_dispatch_full_fp_regs,
	};
	if (r->window == CULPRIT_WINDOW_QUEUE && r->queue < s->params.queue_count) {
		bool known = stalls_back(s, s->next, r->previous_holder);
		run why = known ? stalls_insn_held(s, s->next - r->previous_holder) : (run){0, 0, 0};
		if (!why.length)
			why = leaf(s, STALL_dispatch_width, 1);
		return culprit_stalls_because(s->engine, s->queue_ids + 2u * r->queue, why);
	}
	if (r->window == CULPRIT_WINDOW_NONE || !full[r->window])
		return leaf(s, STALL_dispatch_width, most);
	return culprit_stalls_because(s->engine, full[r->window], commit_lost(s, r, cycle, most));
}

static void dispatch_stalls(struct stalls_core *s, const struct stalls_insn *r, uint64_t from, uint64_t until)
{
	run why = {0, 0, 0};
	while (from < until) {
		why = blocked(s, r, from, until - from);
		/* what kept an issue-queue entry is one event, however long it did */
		from = r->window == CULPRIT_WINDOW_QUEUE ? until : from + why.length;
		keep(s, why, from);
	}
	s->last_blocked = last_of(s, why);
}

void stalls_front_none(struct stalls_core *s, const struct stalls_insn *i)
{
	s->recent.length = s->flush.length = 0;
	s->horizon = i->dispatch > STALLS_HORIZON ? i->dispatch - STALLS_HORIZON : 0;
}

void stalls_front(struct stalls_core *s, const struct stalls_insn *r, uint64_t from)
{
	uint64_t stages = s->params.frontend_stages, arrives = r->fetch + stages;
	stalls_front_none(s, r);
	if (from < stages && from < arrives) { /* the region starts: nothing can have arrived */
		uint64_t until = stages < r->dispatch ? stages : r->dispatch;
		s->flush = culprit_stalls_because(s->engine, STALL_dispatch_empty,
						  leaf(s, STALL_fetch_start, until - from));
		keep(s, s->flush, until);
		from = until;
	}
	uint64_t empty_until = arrives < r->dispatch ? arrives : r->dispatch;
	if (from < empty_until)
		fetch_stalls(s, r, from - stages, empty_until - stages);
	from = from > arrives ? from : arrives;
	const enum restart why = restarted(s, r);
	if (from < r->dispatch && renames_again(s, why)) {
		restart_stalls(s, why, r->dispatch - from, r->dispatch);
		from = r->dispatch;
	}
	if (from < r->dispatch)
		dispatch_stalls(s, r, from, r->dispatch);
}

/* Up to `most` of the run's latest `near` events that have not been accumulated; a flush goes on for as long as it is
 * felt. */
static uint32_t take_events(struct stalls_core *s, run r, uint64_t near, uint32_t most)
{
	if (chain_is_flush(s->engine, r.chain))
		return most;
	if (r.chain & CULPRIT_STALL_SPENT)
		return 0;
	uint32_t from = r.length > near ? r.length - (uint32_t)near : 0;
	return stalls_mark(s->engine, s->accumulator, culprit_stalls_part(s->engine, r, from, r.length), most);
}

uint32_t stalls_front_take(struct stalls_core *s, uint64_t cycle, uint32_t type, uint32_t cycles)
{
	uint32_t taken = 0;
	while (taken < cycles && s->front_tail != s->front_head) {
		const struct stalls_front *top = &s->front[(s->front_tail - 1) % STALLS_HORIZON];
		if (top->end <= s->horizon) {
			s->front_head = s->front_tail; /* the rest are older still */
			break;
		}
		uint32_t wanted = cycles - taken, n = take_events(s, top->run, top->end - s->horizon, wanted);
		if (n) {
			culprit_stall_chain chain = top->run.chain & ~CULPRIT_STALL_SPENT;
			stalls_lose(s, cycle + taken, stalls_effect(s->engine, type, chain), n);
		}
		taken += n;
		if (n < wanted)
			s->front_tail--; /* nothing of it is left */
	}
	return taken;
}
