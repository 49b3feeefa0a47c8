/* The path: the program executed functionally as it is fetched, right or wrong.
 *
 * On the right path everything is final: memory, registers, system calls. After a mispredicted branch a checkpoint
 * keeps the state of the right path and memory writes go to an undo log; nested mispredictions on the wrong path
 * stack up. A wrong path that faults, makes a system call or leaves executable memory just stops fetch. */
#ifndef CULPRIT_CORE_PATH_H
#define CULPRIT_CORE_PATH_H

#include "core/state.h"
#include "core/vector.h"
#include "riscv/code.h"

bool path_create(struct core *c, struct error *err);
void path_destroy(struct core *c);
void warm_destroy(struct core *c); /* warm.c */

static inline bool path_is_wrong(const struct core *c)
{
	return c->wrong != 0;
}

/* The instruction at the hart's pc; NULL when it is not executable memory. */
static inline const struct riscv_insn *path_peek(struct core *c)
{
	if (!c->block || c->block_next == c->block->count) {
		const uint64_t pc = c->hart->pc;
		c->block = code_lookup(c->code, pc);
		if (__builtin_expect(!c->block, 0))
			c->block = riscv_code_block(c->code, pc);
		c->block_next = 0;
		if (!c->block)
			return NULL;
	}
	return &c->block->insns[c->block_next];
}

/* The guest may run in another address space now. In flight are only instructions of the one before, whose addresses
 * are frames': nothing in the core is mixed up with what comes. */
void path_enter_space(struct core *c);
/* The pipeline is empty: what has passed since the last call is the program's that ran until now. */
void path_charge(struct core *c);

/* Where a byte of data lies, as caches see it: several address spaces have the same addresses. */
static inline uint64_t path_frame(const struct core *c, uint64_t address)
{
	return __builtin_expect(c->spaces, 0) ? guest_frame(c->guest, address) : address;
}

/* The frame of the instruction that path_peek found. */
static inline uint64_t path_pc(const struct core *c)
{
	return c->hart->pc + c->block->tag;
}

/* A code address as predictors take it: the program's own, marked with the space's number. */
static inline uint64_t path_named(const struct core *c, uint64_t pc)
{
	return (pc & (ADDRESS_SPACE_LIMIT - 1)) | c->space;
}

/* Before a wrong-path store: remember what was there. False: the path cannot go on. */
bool path_log_store(struct core *c, const struct riscv_insn *insn);
/* The right path's next instruction, of this index, is where the region ends: for the last time? */
bool path_stops(struct core *c, uint64_t index);
/* It has the encoding at which the region ends: that instruction; NULL: the region ends. */
const struct riscv_insn *path_place(struct core *c, uint64_t index);
/* Anything but plain execution. False: nothing executed; c->hold says what now. */
bool path_exception(struct core *c, enum riscv_stop stop, struct slot *s, struct riscv_outcome *outcome);
/* Memory dependences of a load or store just executed; most loads overlap no store in flight (path_note_memory). */
void path_find_store(struct core *c, struct slot *load, uint64_t index, uint64_t size);
void path_note_store(struct core *c, struct slot *s, uint64_t index, uint32_t size);
/* lsq.check_bytes: the youngest store in flight that touches a block of the load's and is younger than the one that it
 * depends on. */
void path_find_near_store(struct core *c, struct slot *load, uint64_t index, uint64_t size);
/* Likewise of a vector one, whose accesses have been noted. */
void path_note_vector(struct core *c, struct slot *s, uint64_t index);
/* The right path's next instruction, as a trace has it. */
enum riscv_stop path_follow(struct core *c, const struct riscv_insn *insn, struct slot *s,
			    struct riscv_outcome *outcome);
/* A thread's turn is over. */
void path_turn(struct core *c);
void path_count_turn(struct core *c);

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

/* Of the store filter: addresses are hashed by their 8 bytes. */
static inline unsigned path_granule(uint64_t addr)
{
	uint64_t g = addr >> 3;
	return (unsigned)((g ^ (g >> STORE_FILTER_BITS)) & ((1u << STORE_FILTER_BITS) - 1));
}

static inline bool path_may_overlap(const struct core *c, uint64_t first, uint64_t last)
{
	return c->store_filter[path_granule(first)] || ((first ^ last) >> 3 && c->store_filter[path_granule(last)]);
}

static inline void path_note_memory(struct core *c, struct slot *s, uint64_t index, uint32_t size)
{
	if (s->flags & SLOT_LOAD) {
		s->mem_producer = 0;
		s->partial = false;
		if (core_rare(c->vector != NULL) || path_may_overlap(c, s->mem_addr, s->mem_addr + size - 1))
			path_find_store(c, s, index, size);
		if (core_rare(c->m.lsq_check_bytes != 0))
			path_find_near_store(c, s, index, size);
	}
	if (s->flags & SLOT_STORE)
		path_note_store(c, s, index, size);
}

static inline void path_fill(const struct core *c, struct slot *s, const struct riscv_insn *insn, uint64_t pc,
			     uint8_t wrong)
{
	s->insn = insn;
	s->pc = pc;
	s->flags = (insn->flags & SLOT_FROM_INSN) | wrong;
	s->place = c->d.place[insn->op_class];
	s->dest = insn->rd;
	if (core_rare(c->m.branch_sfb != 0))
		s->shadow = 0;
	s->record_flags = 0;
	if (insn->flags & (RISCV_LOAD | RISCV_STORE | RISCV_BRANCH))
		s->store_number = c->stores_tail;
}

/* How early a division or square root ends: known before it executes, by its operands. */
static inline void path_note_early(struct core *c, struct slot *s, const struct riscv_insn *insn)
{
	const uint64_t a = c->hart->r[insn->rs1], b = c->hart->r[insn->rs2];
	s->early = insn->flags & RISCV_VECTOR		  ? 0
		   : insn->op_class == CULPRIT_OP_int_div ? divide_early(&c->divider, &c->m, insn, a, b)
							  : divide_fp_early(&c->m, insn, a, b);
}

/* Execute `insn` (what path_peek returned) into the slot of index c->tail and advance the tail. False: it did not
 * execute; c->hold says what now (wrong path stopped, drain for a fault). */
static inline bool path_execute(struct core *c, const struct riscv_insn *insn, struct slot *s,
				struct riscv_outcome *outcome)
{
	bool wrong = path_is_wrong(c);
	uint64_t pc = path_pc(c);
	if (wrong && (insn->flags & (RISCV_SERIALISING | RISCV_STORE)) &&
	    ((insn->flags & RISCV_SERIALISING) || !path_log_store(c, insn))) {
		c->hold = HOLD_WRONG_PATH;
		return false;
	}
	path_fill(c, s, insn, pc, c->wrong);
	if (slot_is_vector(c, s) && !vector_note(c, s, insn)) {
		c->hold = HOLD_END; /* the host has no memory left */
		return false;
	}
	if (core_rare((c->m.divide_bits | c->m.divide_fp_bits) != 0) && divide_ends_early(&c->m, insn->op_class))
		path_note_early(c, s, insn);
	enum riscv_stop stop = core_rare(c->follow != NULL) && !wrong ? path_follow(c, insn, s, outcome)
								      : riscv_step(c->hart, insn, c->memory, outcome);
	if (__builtin_expect(stop != RISCV_CONTINUE, 0)) {
		if (!path_exception(c, stop, s, outcome))
			return false;
	} else if (outcome->taken) {
		c->block = NULL;
	} else {
		c->block_next++;
	}
	if (insn->flags & (RISCV_LOAD | RISCV_STORE)) {
		s->mem_addr = path_frame(c, outcome->mem_addr);
		if (slot_is_vector(c, s))
			path_note_vector(c, s, c->tail);
		else
			path_note_memory(c, s, c->tail, insn->mem_size);
	}
	c->tail++;
	if (!wrong && !--c->turn)
		path_turn(c);
	return true;
}

#endif
