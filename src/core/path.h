/* The path: the program executed functionally as it is fetched, right or wrong.
 *
 * On the right path everything is final: memory, registers, system calls. After a mispredicted branch a checkpoint
 * keeps the state of the right path and memory writes go to an undo log; nested mispredictions on the wrong path stack up.
 * A wrong path that faults, makes a system call or leaves executable memory just stops fetch. */
#ifndef CULPRIT_CORE_PATH_H
#define CULPRIT_CORE_PATH_H

#include "core/state.h"

bool path_create(struct core *c, struct error *err);
void path_destroy(struct core *c);

static inline bool path_is_wrong(const struct core *c)
{
	return c->checkpoint_count > 0;
}

/* The instruction at the hart's pc; NULL when it is not executable memory. */
static inline const struct riscv_insn *path_peek(struct core *c)
{
	if (!c->block || c->block_next == c->block->count) {
		c->block = riscv_code_block(c->code, c->hart->pc);
		c->block_next = 0;
		if (!c->block)
			return NULL;
	}
	return &c->block->insns[c->block_next];
}

/* Execute `insn` (what path_peek returned) into the slot of index c->tail and advance the tail. False: it did not
 * execute; c->hold says what now (wrong path stopped, drain for a fault). */
bool path_execute(struct core *c, const struct riscv_insn *insn, struct slot *s, struct riscv_outcome *outcome);

/* Nothing executable at the pc. */
void path_fetch_fault(struct core *c);

/* Go down the predicted path of the mispredicted branch `index`, which was executed last. False: too many are
 * nested; nothing changed. */
bool path_leave(struct core *c, uint64_t index, const struct branch_note *note);
/* Back to the right path of checkpoint `number`: later checkpoints are dropped. */
void path_return(struct core *c, uint32_t number);
/* The checkpoint of the branch `index`; CHECKPOINTS when there is none. */
uint32_t path_checkpoint_of(const struct core *c, uint64_t index);

/* Forget the stores that are younger than the first `number` ones. */
void path_drop_stores(struct core *c, uint32_t number);
/* The oldest store in flight has committed. */
void path_retire_store(struct core *c);

/* The pipeline is empty: do what it was drained for. */
void path_drained(struct core *c);

#endif
