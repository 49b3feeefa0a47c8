#include "analysis/commit_stack.h"

#include "analysis/record_facts.h"
#include "machine/machine.h"

#include <string.h>

const char *commit_row_name(enum commit_row row)
{
	static const char *const names[] = {
#define COMMIT_ROW(name, meaning) #name,
#include "analysis/commit_stack.def"
	};
	return names[row];
}

const char *commit_row_meaning(enum commit_row row)
{
	static const char *const meanings[] = {
#define COMMIT_ROW(name, meaning) meaning,
#include "analysis/commit_stack.def"
	};
	return meanings[row];
}

struct commit_stack_params commit_stack_of(const struct machine *m)
{
	return (struct commit_stack_params){
		.frontend_stages = m->frontend_stages,
		.dispatch_to_issue = m->issue_dispatch_to_issue,
		.commit_delay = m->commit_delay,
	};
}

void commit_stack_init(struct commit_stack *s, const struct commit_stack_params *params)
{
	memset(s, 0, sizeof *s);
	s->params = *params;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Charge the cycles from *from up to `to` (exclusive), and move *from on. */
static void charge(struct commit_wait *w, enum commit_row row, uint64_t *from, uint64_t to)
{
	if (to <= *from)
		return;
	w->parts[w->count].row = row;
	w->parts[w->count++].cycles = to - *from;
	*from = to;
}

enum commit_row commit_stack_emptied(unsigned before, const struct culprit_record *r)
{
	if (r->flags & CULPRIT_VIOLATED)
		return COMMIT_violation;
	if (before & CULPRIT_MISPREDICTED)
		return COMMIT_bmisp;
	if (before & CULPRIT_SERIALISING)
		return COMMIT_serial;
	if (before & CULPRIT_BTB_MISS)
		return COMMIT_btb;
	/* nothing else starts fetch anew than a pipeline that had to drain: a fault, another thread's turn */
	return r->redirect ? COMMIT_serial : COMMIT_fetch;
}

/* By the level that the line came from. */
static enum commit_row fetch_row(uint8_t level)
{
	static const uint8_t rows[CULPRIT_LEVEL_COUNT] = {
		[CULPRIT_LEVEL_NONE] = COMMIT_other,  [CULPRIT_LEVEL_L1] = COMMIT_iport,
		[CULPRIT_LEVEL_L2] = COMMIT_il2,      [CULPRIT_LEVEL_L3] = COMMIT_il3,
		[CULPRIT_LEVEL_MEMORY] = COMMIT_imem,
	};
	return (enum commit_row)rows[level];
}

/* What held an instruction that had come through the front end, although the window was empty. An entry of the store
 * queue is free only when its store is written, after commit; those of the other structures have left with it. */
static enum commit_row held_row(uint8_t window)
{
	return window == CULPRIT_WINDOW_SQ || window == CULPRIT_WINDOW_LSQ ? COMMIT_sq : COMMIT_other;
}

/* The window was empty until dispatch. Where a full structure held the instruction, that is why from when it had come
 * through the front end. Misses on the way are the latest part of the fetch delay, so they take the last cycles before
 * the front-end pipeline; the rest is the redirect's, or plain front-end time. */
static void charge_empty(struct commit_wait *w, const struct commit_stack_params *p, const struct culprit_record *r,
			 unsigned before, uint64_t *from)
{
	bool held = r->window != CULPRIT_WINDOW_NONE;
	uint64_t until = held ? least(r->fetch + p->frontend_stages, r->dispatch) : r->dispatch;
	uint64_t empty = until > *from ? until - *from : 0;
	uint64_t imiss = r->imiss < empty ? r->imiss : empty;
	uint64_t itlb = r->itlb < empty - imiss ? r->itlb : empty - imiss;
	charge(w, fetch_row(r->ilevel), from, *from + imiss);
	charge(w, COMMIT_itlb, from, *from + itlb);
	charge(w, commit_stack_emptied(before, r), from, until);
	charge(w, held_row(r->window), from, r->dispatch);
}

static enum commit_row miss_row(uint8_t level)
{
	static const uint8_t rows[CULPRIT_LEVEL_COUNT] = {
		[CULPRIT_LEVEL_NONE] = COMMIT_other,  [CULPRIT_LEVEL_L1] = COMMIT_dport,
		[CULPRIT_LEVEL_L2] = COMMIT_dl2,      [CULPRIT_LEVEL_L3] = COMMIT_dl3,
		[CULPRIT_LEVEL_MEMORY] = COMMIT_dmem,
	};
	return (enum commit_row)rows[level];
}

static enum commit_row operation_row(const struct culprit_record *r)
{
	bool one_cycle = culprit_execution_class(r->op_class, r->exec_latency) == CULPRIT_EVENT_shalu;
	return one_cycle ? COMMIT_shalu : COMMIT_lgalu;
}

enum commit_row commit_stack_executed(const struct culprit_record *r)
{
	if (!(r->flags & CULPRIT_LOAD))
		return operation_row(r);
	const uint64_t hit = r->issue + r->dtlb + r->exec_latency;
	return r->complete > hit ? miss_row(r->dlevel) : COMMIT_dl1;
}

static void charge_execution(struct commit_wait *w, const struct culprit_record *r, uint64_t *from)
{
	charge(w, COMMIT_dtlb, from, r->issue + record_translates(r));
	if (!(r->flags & CULPRIT_LOAD)) {
		charge(w, operation_row(r), from, r->complete);
		return;
	}
	charge(w, COMMIT_dl1, from, r->issue + r->dtlb + r->exec_latency);
	charge(w, miss_row(r->dlevel), from, r->complete);
}

/* What the oldest waits for when it is through the dispatch-to-issue pipeline and not ready. */
static enum commit_row unready_row(const struct culprit_record *r)
{
	if (r->order_waited || (r->mem_producer && !(r->flags & CULPRIT_FORWARDED)))
		return COMMIT_order;
	bool operands = r->producer[0] | r->producer[1] | r->producer[2] | r->mem_producer;
	return operands ? COMMIT_operand : COMMIT_other;
}

/* The limit of commit's that the record names. */
static enum commit_row limit_row(const struct culprit_record *r)
{
	switch (r->commit_stop) {
#define COMMIT_LIMIT(name, row, stall, what) \
	case CULPRIT_STOP_##name:            \
		return COMMIT_##row;
#include "culprit/commit_limit.def"
	default:
		return COMMIT_other;
	}
}

void commit_stack_wait(const struct commit_stack_params *params, const struct culprit_record *r, unsigned before,
		       uint64_t from, struct commit_wait *w)
{
	w->count = 0;
	if (r->dispatch > from)
		charge_empty(w, params, r, before, &from);
	charge(w, COMMIT_dispatch, &from, least(r->dispatch + params->dispatch_to_issue, r->ready));
	charge(w, unready_row(r), &from, r->ready);
	charge(w, COMMIT_issue, &from, r->issue);
	charge_execution(w, r, &from);
	charge(w, COMMIT_delay, &from, least(r->complete + params->commit_delay, r->commit));
	charge(w, COMMIT_other, &from, r->commit - r->commit_wait);
	charge(w, limit_row(r), &from, r->commit);
}

static void charge_wait(struct commit_stack *s, const struct culprit_record *r, unsigned before, uint64_t from)
{
	struct commit_wait wait;
	commit_stack_wait(&s->params, r, before, from, &wait);
	for (unsigned i = 0; i < wait.count; i++)
		s->cycles[wait.parts[i].row] += wait.parts[i].cycles;
}

/* Most instructions commit in the cycle of the one before, and most others in the next. */
void commit_stack_push(struct commit_stack *s, const struct culprit_record *records, size_t count)
{
	uint64_t next = s->next_cycle;
	for (size_t i = 0; i < count; i++) {
		const struct culprit_record *r = &records[i];
		if (r->commit < next)
			continue;
		if (r->commit > next)
			charge_wait(s, r, i ? r[-1].flags : s->previous_flags, next);
		next = r->commit + 1;
		s->cycles[COMMIT_commit]++;
	}
	s->next_cycle = next;
	if (count)
		s->previous_flags = records[count - 1].flags;
}

void commit_stack_finish(struct commit_stack *s, uint64_t cycles)
{
	if (cycles > s->next_cycle) {
		s->cycles[COMMIT_end] += cycles - s->next_cycle;
		s->next_cycle = cycles;
	}
}
