/* See the header. A batch ends when it is full, and wherever the program does not go on by itself (a signal, another
 * thread): the event after a branch tells where it went. */
#include "run/profile_guest.h"

#include <stdlib.h>
#include <string.h>

enum { ROOM_LEAST = 1024 }; /* a batch with less is sent */

bool profile_guest_create(struct profile_guest *p, struct guest *guest, struct interval_pass *pass, struct error *err)
{
	*p = (struct profile_guest){.guest = guest, .pass = pass};
	p->trace.entries = malloc(EVENT_BATCH * sizeof *p->trace.entries);
	p->trace.accesses = malloc(EVENT_BATCH * sizeof *p->trace.accesses);
	if (!p->trace.entries || !p->trace.accesses)
		return error_set(err, ERROR_SYSTEM, "out of memory for the trace");
	TRY(p->strays = interval_strays_create(err));
	riscv_code_trace(guest_code(guest), true);
	return true;
}

void profile_guest_destroy(struct profile_guest *p)
{
	free(p->trace.entries);
	free(p->trace.accesses);
	interval_strays_destroy(p->strays);
}

static void send(struct profile_guest *p)
{
	if (p->batch && p->batch->count)
		interval_pass_send(p->pass);
	p->batch = NULL;
}

/* --- how often each instruction was executed --- */

static void count_block(void *context, struct riscv_block *block)
{
	struct profile_guest *p = context;
	for (uint32_t i = 0; block->entered && i < block->count; i++)
		interval_pass_count(p->pass, &block->insns[i], block->entered);
	block->entered = 0;
}

static void count_blocks(struct profile_guest *p)
{
	riscv_code_visit(guest_code(p->guest), count_block, p);
}

/* The last block of a trace may not have been executed whole. */
static void count_part(struct profile_guest *p)
{
	const struct riscv_trace *t = &p->trace;
	if (!t->entry_count)
		return;
	const struct riscv_trace_entry *last = &t->entries[t->entry_count - 1];
	for (uint32_t i = 0; last->count < last->block->count && i < last->count; i++)
		interval_pass_count(p->pass, &last->block->insns[i], 1);
}

static void reclaim(struct profile_guest *p)
{
	if (!riscv_code_has_forgotten(guest_code(p->guest)))
		return;
	count_blocks(p);
	riscv_code_reclaim(guest_code(p->guest));
}

/* --- execution --- */

static struct interval_batch *batch(struct profile_guest *p)
{
	if (!p->batch)
		p->batch = interval_pass_batch(p->pass);
	return p->batch;
}

/* Do what execution stopped for. A system call counts as an instruction. */
static enum guest_state handle(struct profile_guest *p, enum riscv_stop stop, const struct riscv_outcome *out)
{
	struct riscv_hart *hart = guest_hart(p->guest);
	struct interval_batch *b = batch(p);
	uint64_t pc = hart->pc, before = hart->instret;
	bool call = stop == RISCV_STOP_ECALL;
	struct riscv_insn insn;
	if (call) {
		const struct riscv_trace_entry *last = &p->trace.entries[p->trace.entry_count - 1];
		insn = last->block->insns[last->count];
	}
	enum guest_state state = guest_handle(p->guest, stop, out);
	if (call && hart->instret != before) {
		interval_batch_add(b, &insn, pc, 0, false);
		interval_batch_go_on(b, pc + insn.length);
		interval_pass_count(p->pass, &insn, 1);
	}
	return state;
}

static enum guest_state stopped(struct profile_guest *p, enum riscv_stop stop, const struct riscv_outcome *out)
{
	if (stop == RISCV_STOP_FENCE_I)
		riscv_code_flush(guest_code(p->guest));
	else if (stop != RISCV_STOP_LIMIT)
		return handle(p, stop, out);
	return GUEST_RUNNING;
}

/* Stretches of the sample are run with their wrong paths. */
static enum riscv_stop execute(struct profile_guest *p, uint64_t limit, bool exact, struct riscv_outcome *out)
{
	struct riscv_hart *hart = guest_hart(p->guest);
	struct riscv_code *code = guest_code(p->guest);
	struct address_space *memory = guest_memory(p->guest);
	uint64_t left;
	bool wanted = interval_strays_wanted(p->strays, hart->instret, &left);
	if (left <= limit) {
		limit = left;
		exact = true;
	}
	if (wanted)
		return interval_strays_run(p->strays, hart, code, memory, limit, &p->trace, out);
	return riscv_trace_run(hart, code, memory, limit, exact, &p->trace, out);
}

/* One piece of at most `most` instructions, or up to the end of a turn, or to the instruction watched. */
static enum guest_state piece(struct profile_guest *p, uint64_t most, bool *there)
{
	struct guest *g = p->guest;
	struct riscv_hart *hart = guest_hart(g);
	struct interval_batch *b = batch(p);
	uint64_t room = b->most - b->count;
	uint64_t turn = guest_has_other_threads(g) ? guest_turn_left(g) : UINT64_MAX;
	uint64_t wanted = most < turn ? most : turn, limit = wanted < room ? wanted : room;
	bool exact = limit == wanted || b->bounded;
	struct riscv_outcome out;
	enum riscv_stop stop = execute(p, limit, exact, &out);
	interval_batch_add_trace(b, &p->trace, hart->pc);
	count_part(p);
	*there = stop == RISCV_STOP_PLACE;
	if (*there)
		return GUEST_RUNNING;
	enum guest_state state = stopped(p, stop, &out);
	if (state == GUEST_RUNNING && guest_has_other_threads(g) && hart->instret % GUEST_TURN == 0)
		guest_preempt(g);
	if (hart->pc != b->events[b->count].pc || b->most - b->count < (b->bounded ? 1 : ROOM_LEAST))
		send(p);
	reclaim(p);
	return state;
}

static void watch(struct profile_guest *p)
{
	riscv_code_watch(guest_code(p->guest), p->stop.left ? p->stop.at : (struct riscv_watch){.pc = RISCV_NOWHERE});
}

/* The watched instruction, when it is not the last time. */
static enum guest_state pass_over(struct profile_guest *p)
{
	bool there;
	riscv_code_watch(guest_code(p->guest), (struct riscv_watch){.pc = RISCV_NOWHERE});
	enum guest_state state = piece(p, 1, &there);
	watch(p);
	return state;
}

enum guest_state profile_guest_run(struct profile_guest *p, uint64_t max_insns, uint64_t *executed, bool *reached)
{
	struct riscv_hart *hart = guest_hart(p->guest);
	uint64_t start = hart->instret;
	enum guest_state state = GUEST_RUNNING;
	*reached = false;
	watch(p);
	while (state == GUEST_RUNNING && !*reached && hart->instret - start < max_insns) {
		bool there;
		state = piece(p, max_insns - (hart->instret - start), &there);
		*reached = there && !--p->stop.left;
		if (there && !*reached)
			state = pass_over(p);
	}
	riscv_code_watch(guest_code(p->guest), (struct riscv_watch){.pc = RISCV_NOWHERE});
	send(p);
	count_blocks(p);
	*executed = hart->instret - start;
	return state;
}
