/* Warm-up: functional execution that trains caches, TLBs and predictors on the right path, without time. The program
 * runs in pieces that are traced; then the pieces are played to caches and predictors, in program order. */
#include "base/archive.h"
#include "core/order.h"
#include "core/path.h"
#include "core/stray.h"
#include "machine/hierarchy_warm.h"
#include "riscv/vector.h"

#include "riscv/trace.h"

#include <stdlib.h>

enum { PIECE = 16384 }; /* instructions: a trace that stays in the host's caches */

static void warm_branch(struct core *c, const struct riscv_insn *insn, uint64_t pc, bool condition, uint64_t next)
{
	bool taken = condition || insn->branch != CULPRIT_BRANCH_CONDITIONAL;
	next |= c->space;
	pc |= c->space;
	const struct branch_query q = {
		.pc = pc,
		.direct_target = pc + (uint64_t)(int64_t)insn->imm,
		.actual_next = next,
		.actual_taken = taken,
		.length = insn->length,
		.kind = insn->branch,
		.link_register = insn->branch == CULPRIT_BRANCH_INDIRECT_CALL && riscv_reads_link(insn),
	};
	struct prediction wrong;
	if (!c->untrained &&
	    !predictor_train(c->predictor, &q, taken, next, &c->warmed.branches, c->strays ? &wrong : NULL)) {
		stray_follow(c, &q, &wrong);
		predictor_speculate(c->predictor, &q, taken, next);
		predictor_update(c->predictor, &q, &wrong, taken, next);
	}
	if (c->compares)
		predictor_train(c->reference, &q, taken, next, &c->warmed.reference, NULL);
}

static inline void warm_fetch(struct core *c, uint64_t pc, uint32_t length)
{
	uint64_t line = (pc + length - 1) >> c->line_bits;
	if (line == c->fetch_line)
		return;
	if (pc >> c->line_bits != line)
		hierarchy_warm_fetch_inline(c->hierarchy, pc);
	hierarchy_warm_fetch_inline(c->hierarchy, line << c->line_bits);
	c->fetch_line = line;
}

static inline void warm_data(struct core *c, const struct riscv_trace_access *access, uint64_t pc)
{
	const struct riscv_insn *insn = access->insn;
	uint32_t size = insn->flags & RISCV_VECTOR ? c->hart->vector->vlenb : insn->mem_size; /* one register's */
	hierarchy_warm_data_inline(c->hierarchy, pc, path_frame(c, access->address), size, insn->flags & RISCV_STORE);
}

/* Instruction by instruction; returns the accesses behind its own. */
static const struct riscv_trace_access *warm_long_block(struct core *c, const struct riscv_trace_entry *entry,
							const struct riscv_trace_access *access)
{
	uint64_t pc = entry->block->pc + entry->block->tag;
	for (uint32_t i = 0; i < entry->count; i++) {
		const struct riscv_insn *insn = &entry->block->insns[i];
		warm_fetch(c, pc, insn->length);
		if (insn->flags & (RISCV_LOAD | RISCV_STORE))
			warm_data(c, access++, pc);
		pc += insn->length;
	}
	return access;
}

/* Fetch goes on through its block, to the line of the byte at `last`. */
static inline void warm_fetch_on(struct core *c, uint64_t last)
{
	while (c->fetch_line < last >> c->line_bits)
		hierarchy_warm_fetch_inline(c->hierarchy, ++c->fetch_line << c->line_bits);
}

/* A whole block, by its accesses and lines. That an instruction across two lines uses the first once more changes
 * nothing where `warms_by_line` says so. */
static const struct riscv_trace_access *warm_block(struct core *c, const struct riscv_trace_entry *entry,
						   const struct riscv_trace_access *access)
{
	const struct riscv_block *block = entry->block;
	const struct riscv_trace_access *end = access + block->accesses;
	uint64_t pc = block->pc + block->tag, high = pc & ~(uint64_t)UINT32_MAX; /* a block lies in one page */
	uint64_t last = pc + block->bytes - 1;
	if (entry->count != block->count)
		return warm_long_block(c, entry, access);
	if (last >> c->line_bits == c->fetch_line && pc >> c->line_bits == c->fetch_line) {
		for (; access < end; access++)
			warm_data(c, access, high | access->insn->pc_low);
		return end;
	}
	if (!c->warms_by_line)
		return warm_long_block(c, entry, access);
	warm_fetch(c, pc, block->insns[0].length);
	for (; access < end; access++) {
		const struct riscv_insn *insn = access->insn;
		warm_fetch_on(c, (high | insn->pc_low) + insn->length - 1);
		warm_data(c, access, high | insn->pc_low);
	}
	warm_fetch_on(c, last);
	return end;
}

/* The block's branch, which ends it: the program went on at `next`. */
static void warm_end(struct core *c, const struct riscv_trace_entry *entry, uint64_t next)
{
	if (!entry->count || (c->untrained && !c->compares))
		return;
	const struct riscv_insn *last = &entry->block->insns[entry->count - 1];
	if (last->branch)
		warm_branch(c, last, (entry->block->pc & ~(uint64_t)UINT32_MAX) | last->pc_low, entry->taken, next);
}

static void warm_trace(struct core *c, const struct riscv_trace *trace)
{
	const struct riscv_trace_access *access = trace->accesses;
	for (size_t i = 0; i < trace->entry_count; i++) {
		const struct riscv_trace_entry *entry = &trace->entries[i];
		uint64_t next = i + 1 < trace->entry_count ? entry[1].block->pc : c->hart->pc;
		access = warm_block(c, entry, access);
		warm_end(c, entry, next);
	}
}

/* Up to `most` instructions, to the end of a thread's turn, or to where the guest has to do something. */
static void warm_piece(struct core *c, uint64_t most, struct riscv_trace *trace)
{
	uint64_t turn = guest_has_other_threads(c->guest) ? guest_turn_left(c->guest) : UINT64_MAX;
	struct riscv_outcome out;
	uint64_t limit = most < turn ? most : turn;
	bool exact = limit <= PIECE;
	enum riscv_stop stop = riscv_trace_run(c->hart, c->code, c->memory, exact ? limit : PIECE, exact, trace, &out);
	warm_trace(c, trace);
	c->warmed.serialising += stop == RISCV_STOP_ECALL || stop == RISCV_STOP_FENCE_I;
	if (stop == RISCV_STOP_FENCE_I)
		riscv_code_flush(c->code);
	else if (stop != RISCV_STOP_LIMIT)
		c->guest_state = guest_handle(c->guest, stop, &out);
	if (c->guest_state == GUEST_RUNNING && guest_has_other_threads(c->guest) && c->hart->instret % GUEST_TURN == 0)
		guest_preempt(c->guest);
	path_enter_space(c);
	if (riscv_code_full(c->code))
		riscv_code_flush(c->code);
	riscv_code_reclaim(c->code);
}

/* Blocks must be decoded for the trace; the core itself takes both kinds. */
static bool begin(struct core *c)
{
	if (c->warm_trace)
		return true;
	c->warm_trace = calloc(1, sizeof *c->warm_trace);
	if (!c->warm_trace)
		return false;
	c->warm_trace->entries = malloc(PIECE * sizeof *c->warm_trace->entries);
	c->warm_trace->accesses = malloc(PIECE * sizeof *c->warm_trace->accesses);
	riscv_code_trace(c->code, true);
	return c->warm_trace->entries && c->warm_trace->accesses;
}

void warm_destroy(struct core *c)
{
	predictor_destroy(c->reference);
	free(c->strays);
	if (!c->warm_trace)
		return;
	free(c->warm_trace->entries);
	free(c->warm_trace->accesses);
	free(c->warm_trace);
}

enum guest_state core_warm(struct core *c, uint64_t max_insns, uint64_t *executed)
{
	uint64_t start = c->hart->instret;
	c->guest_state = begin(c) ? GUEST_RUNNING : GUEST_FAILED;
	c->warms_by_line = hierarchy_warms_by_line(c->hierarchy);
	c->block = NULL;
	path_enter_space(c);
	stray_forget(c); /* counts begin anew */
	while (c->guest_state == GUEST_RUNNING && c->hart->instret - start < max_insns)
		warm_piece(c, max_insns - (c->hart->instret - start), c->warm_trace);
	*executed = c->hart->instret - start;
	c->warmed.instructions += *executed;
	c->fetch_line = c->enter.pc = NEVER;
	c->turn = guest_turn_left(c->guest);
	hierarchy_settle(c->hierarchy);
	return c->guest_state;
}

void core_warmed(const struct core *c, struct core_warmed *warmed)
{
	*warmed = c->warmed;
	warmed->accesses = *hierarchy_warmed(c->hierarchy);
}

void core_train_branches(struct core *c, bool train)
{
	c->untrained = !train;
}

bool core_reference_begin(struct core *c, struct error *err)
{
	struct bytes bytes = {0};
	struct archive save = {.to = &bytes};
	if (!c->reference)
		TRY(c->reference = predictor_create(&c->m, err));
	predictor_archive(&save, c->predictor);
	struct archive load = {.loading = true, .from = {.at = bytes.at, .left = bytes.size}};
	predictor_archive(&load, c->reference);
	const bool good = archive_good(&save, err) && archive_good(&load, err);
	free(bytes.at);
	c->compares = good;
	return good;
}

void core_reference_end(struct core *c)
{
	c->compares = false;
}

void core_archive_warm(struct core *c, struct archive *a)
{
	hierarchy_archive(a, c->hierarchy);
	predictor_archive(a, c->predictor);
	order_archive(c, a);
}

/* A fault that waits for the pipeline to be empty is met again; a turn that ended is over. */
void core_leave_guest(struct core *c)
{
	if (c->checkpoint_count)
		path_return(c, 0);
	if (c->drain == DRAIN_TURN && guest_has_other_threads(c->guest))
		guest_preempt(c->guest);
	riscv_code_reclaim(c->code);
}
