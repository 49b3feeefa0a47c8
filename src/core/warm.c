/* Warm-up: functional execution that trains caches, TLBs and predictors on the right path, without time. */
#include "core/path.h"

static void warm_branch(struct core *c, const struct riscv_insn *insn, uint64_t pc, const struct riscv_outcome *out)
{
	bool taken = out->taken || insn->branch != CULPRIT_BRANCH_CONDITIONAL;
	struct branch_query q = {
		.pc = pc,
		.direct_target = pc + (uint64_t)(int64_t)insn->imm,
		.actual_next = out->next_pc,
		.actual_taken = taken,
		.length = insn->length,
		.kind = insn->branch,
		.link_register = (insn->rs1 == 1 || insn->rs1 == 5) && insn->rd != insn->rs1,
	};
	struct prediction p;
	predictor_predict(c->predictor, &q, &p);
	predictor_speculate(c->predictor, &q, taken, out->next_pc);
	predictor_update(c->predictor, &q, &p, taken, out->next_pc);
}

static void warm_caches(struct core *c, const struct riscv_insn *insn, uint64_t pc, const struct riscv_outcome *out)
{
	uint64_t line = (pc + insn->length - 1) >> c->line_bits;
	if (line != c->fetch_line) {
		if (pc >> c->line_bits != line)
			hierarchy_warm_fetch(c->hierarchy, pc);
		hierarchy_warm_fetch(c->hierarchy, line << c->line_bits);
		c->fetch_line = line;
	}
	if (insn->flags & (RISCV_LOAD | RISCV_STORE))
		hierarchy_warm_data(c->hierarchy, pc, out->mem_addr, insn->mem_size, insn->flags & RISCV_STORE);
}

/* What the executor stopped for, or the end of a turn. */
static void warm_stop(struct core *c, enum riscv_stop stop, const struct riscv_outcome *out)
{
	if (stop == RISCV_STOP_FENCE_I)
		riscv_code_flush(c->code);
	else
		c->guest_state = guest_handle(c->guest, stop, out);
	path_count_turn(c);
	riscv_code_reclaim(c->code);
	c->block = NULL;
}

static void warm_turn(struct core *c)
{
	c->turn = GUEST_TURN;
	if (guest_has_other_threads(c->guest) && guest_preempt(c->guest))
		c->block = NULL;
	if (riscv_code_full(c->code)) {
		riscv_code_flush(c->code);
		riscv_code_reclaim(c->code);
		c->block = NULL;
	}
}

static void warm_execute(struct core *c, const struct riscv_insn *insn)
{
	struct riscv_outcome out;
	uint64_t pc = c->hart->pc;
	enum riscv_stop stop = riscv_step(c->hart, insn, c->memory, &out);
	if (stop != RISCV_CONTINUE) {
		warm_stop(c, stop, &out);
		return;
	}
	warm_caches(c, insn, pc, &out);
	if (insn->flags & RISCV_BRANCH)
		warm_branch(c, insn, pc, &out);
	if (out.taken)
		c->block = NULL;
	else
		c->block_next++;
}

static void warm_one(struct core *c)
{
	const struct riscv_insn *insn = path_peek(c);
	if (insn)
		warm_execute(c, insn);
	else
		warm_stop(c, RISCV_STOP_FETCH_FAULT,
			  &(struct riscv_outcome){.value = riscv_code_fault_address(c->code, c->hart->pc)});
	if (!--c->turn)
		warm_turn(c);
}

enum guest_state core_warm(struct core *c, uint64_t max_insns, uint64_t *executed)
{
	uint64_t start = c->hart->instret;
	c->guest_state = GUEST_RUNNING;
	while (c->guest_state == GUEST_RUNNING && c->hart->instret - start < max_insns)
		warm_one(c);
	*executed = c->hart->instret - start;
	c->fetch_line = NEVER;
	c->block = NULL;
	hierarchy_settle(c->hierarchy);
	return c->guest_state;
}
