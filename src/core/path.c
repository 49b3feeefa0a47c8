#include "core/path.h"

#include "riscv/follow.h"
#include "riscv/vector.h"

#include <stdlib.h>
#include <string.h>

bool path_create(struct core *c, struct error *err)
{
	for (unsigned i = 0; i < CHECKPOINTS; i++) {
		c->checkpoints[i].predictor = malloc(predictor_save_size(c->predictor));
		if (!c->checkpoints[i].predictor)
			return error_set(err, ERROR_SYSTEM, "out of memory for branch checkpoints");
	}
	for (unsigned i = 0; c->hart->vector && i < CHECKPOINTS; i++) {
		c->checkpoints[i].vector = riscv_vector_create(8 * c->hart->vector->vlenb);
		if (!c->checkpoints[i].vector)
			return error_set(err, ERROR_SYSTEM, "out of memory for branch checkpoints");
	}
	c->undo_capacity = 1024;
	c->undo = malloc(c->undo_capacity * sizeof *c->undo);
	if (!c->undo)
		return error_set(err, ERROR_SYSTEM, "out of memory for the undo log");
	c->turn = guest_turn_left(c->guest);
	return true;
}

void path_destroy(struct core *c)
{
	for (unsigned i = 0; i < CHECKPOINTS; i++)
		free(c->checkpoints[i].predictor), free(c->checkpoints[i].vector);
	free(c->undo);
}

void path_enter_space(struct core *c)
{
	c->space = guest_space(c->guest);
	c->spaces = guest_has_spaces(c->guest);
	hierarchy_enter_space(c->hierarchy, c->space >> GUEST_SPACE_SHIFT);
}

static struct core_program *program_at(struct core *c, size_t index)
{
	if (index >= c->program_count) {
		struct core_program *grown = realloc(c->programs, (index + 1) * sizeof *grown);
		if (!grown)
			return NULL;
		c->programs = grown;
		for (; c->program_count <= index; c->program_count++)
			grown[c->program_count] = (struct core_program){0};
	}
	return &c->programs[index];
}

void path_charge(struct core *c)
{
	struct core_program *p = c->spaces ? program_at(c, c->program) : NULL;
	if (p) {
		p->cycles += c->now - c->program_cycle;
		p->instructions += c->head - c->program_insn;
		c->program_cycle = c->now;
		c->program_insn = c->head;
	}
	c->program = guest_program(c->guest);
}

/* --- memory dependences --- */

static void filter_add(struct core *c, const struct slot *s, uint32_t size, int by)
{
	if (slot_is_vector(c, s)) {
		c->vector->stores += (uint32_t)by;
		return;
	}
	unsigned first = path_granule(s->mem_addr), last = path_granule(s->mem_addr + size - 1);
	c->store_filter[first] = (uint16_t)(c->store_filter[first] + by);
	if (last != first)
		c->store_filter[last] = (uint16_t)(c->store_filter[last] + by);
}

/* The youngest store in flight that overlaps the load, and whether it covers it. Few stores are in flight and most
 * loads meet none in the filter, so a scan back beats an associative structure. */
void path_find_store(struct core *c, struct slot *load, uint64_t index, uint64_t size)
{
	uint64_t begin = load->mem_addr, end = begin + size;
	bool any = slot_is_vector(c, load) || (c->vector && c->vector->stores);
	if (!any && !path_may_overlap(c, begin, end - 1))
		return;
	for (uint32_t n = c->stores_tail; n != c->stores_head; n--) {
		uint64_t store_index = c->stores[(n - 1) & c->stores_mask];
		const struct slot *s = slot_at(c, store_index);
		uint64_t store_end = s->mem_addr + slot_mem_size(c, s);
		if (s->mem_addr >= end || store_end <= begin)
			continue;
		load->mem_producer = (uint32_t)(index - store_index);
		load->partial = s->mem_addr > begin || store_end < end || slot_is_scattered(c, s);
		return;
	}
}

void path_find_near_store(struct core *c, struct slot *load, uint64_t index, uint64_t size)
{
	uint64_t block = c->m.lsq_check_bytes, begin = load->mem_addr & -block;
	uint64_t end = (load->mem_addr + size + block - 1) & -block;
	load->near_store = 0;
	for (uint32_t n = c->stores_tail; n != c->stores_head; n--) {
		uint64_t nearest = c->stores[(n - 1) & c->stores_mask];
		if (load->mem_producer && index - nearest >= load->mem_producer)
			return;
		const struct slot *s = slot_at(c, nearest);
		if (s->mem_addr >= end || s->mem_addr + slot_mem_size(c, s) <= begin)
			continue;
		load->near_store = (uint32_t)(index - nearest);
		return;
	}
}

void path_note_store(struct core *c, struct slot *s, uint64_t index, uint32_t size)
{
	c->stores[c->stores_tail & c->stores_mask] = index;
	c->stores_tail++;
	filter_add(c, s, size, 1);
}

/* From the lowest to the highest byte; what lies between them counts, too. */
void path_note_vector(struct core *c, struct slot *s, uint64_t index)
{
	struct vector_note *n = vector_note_of(c, s);
	if (!n->access_count)
		n->first = s->mem_addr, n->end = s->mem_addr + 1;
	s->mem_addr = n->first;
	path_note_memory(c, s, index, (uint32_t)(n->end - n->first > UINT32_MAX ? UINT32_MAX : n->end - n->first));
}

static void forget_store(struct core *c, const struct slot *s)
{
	filter_add(c, s, s->insn->mem_size, -1);
}

void path_drop_stores(struct core *c, uint32_t number)
{
	while (c->stores_tail != number) {
		c->stores_tail--;
		forget_store(c, slot_at(c, c->stores[c->stores_tail & c->stores_mask]));
	}
}

void path_retire_store(struct core *c)
{
	forget_store(c, slot_at(c, c->stores[c->stores_head & c->stores_mask]));
	c->stores_head++;
}

/* --- execution --- */

static bool log_bytes(struct core *c, uint64_t addr, uint32_t size)
{
	if (!address_space_allows(c->memory, addr, size, PAGE_WRITE))
		return true;
	if (c->undo_count == c->undo_capacity) {
		struct undo_entry *grown = realloc(c->undo, 2 * c->undo_capacity * sizeof *grown);
		if (!grown)
			return false;
		c->undo = grown;
		c->undo_capacity *= 2;
	}
	struct undo_entry *u = &c->undo[c->undo_count++];
	u->addr = addr;
	u->size = size;
	memcpy(&u->old, address_space_host(c->memory, addr), size);
	return true;
}

/* In the pieces that an entry holds. */
static bool log_vector_store(struct core *c, const struct riscv_insn *insn)
{
	struct riscv_vector_access accesses[RISCV_VECTOR_ACCESSES];
	unsigned count = riscv_vector_accesses(c->hart, insn, accesses);
	for (unsigned i = 0; i < count; i++) {
		uint64_t addr = accesses[i].address, end = addr + accesses[i].size;
		for (; addr < end; addr += sizeof c->undo->old)
			if (!log_bytes(c, addr, end - addr < 8 ? (uint32_t)(end - addr) : 8))
				return false;
	}
	return true;
}

/* Before a wrong-path store: remember what was there. A bad address is left to the executor's fault. */
bool path_log_store(struct core *c, const struct riscv_insn *insn)
{
	if (riscv_op_is_vector(insn->op))
		return log_vector_store(c, insn);
	return log_bytes(c,
			 c->hart->r[insn->rs1] + (uint64_t)(int64_t)(insn->op_class == CULPRIT_OP_amo ? 0 : insn->imm),
			 insn->mem_size);
}

static void hold_for_fault(struct core *c, enum riscv_stop stop, const struct riscv_outcome *outcome)
{
	if (path_is_wrong(c)) {
		c->hold = HOLD_WRONG_PATH;
		return;
	}
	c->hold = HOLD_DRAIN;
	c->drain = DRAIN_FAULT;
	c->fault = stop;
	c->fault_outcome = *outcome;
}

void path_fetch_fault(struct core *c)
{
	hold_for_fault(c, RISCV_STOP_FETCH_FAULT,
		       &(struct riscv_outcome){.value = riscv_code_fault_address(c->code, c->hart->pc)});
}

/* The guest counted what it handled: how many instructions its turn has left, one more for the caller to count. */
void path_count_turn(struct core *c)
{
	c->turn = guest_turn_left(c->guest) % GUEST_TURN + 1;
}

bool path_stops(struct core *c, uint64_t index)
{
	if (c->stop_index != index) { /* fetch may have to try many times */
		c->stop_index = index;
		c->stop_left--;
	}
	return !c->stop_left;
}

const struct riscv_insn *path_place(struct core *c, uint64_t index)
{
	if (path_is_wrong(c) || !path_stops(c, index))
		return &c->stop_insn;
	c->hold = HOLD_END;
	return NULL;
}

bool path_exception(struct core *c, enum riscv_stop stop, struct slot *s, struct riscv_outcome *outcome)
{
	bool wrong = path_is_wrong(c);
	if (stop == RISCV_STOP_FENCE_I && !wrong) {
		riscv_code_flush(c->code);
	} else if (stop == RISCV_STOP_ECALL && !wrong) {
		c->guest_state = guest_handle(c->guest, stop, outcome);
		path_enter_space(c);
		path_count_turn(c);
		s->dest = 10; /* a0 */
		outcome->next_pc = c->hart->pc;
		outcome->taken = false;
	} else {
		hold_for_fault(c, stop, outcome);
		return false;
	}
	c->block = NULL;
	return true;
}

enum riscv_stop path_follow(struct core *c, const struct riscv_insn *insn, struct slot *s,
			    struct riscv_outcome *outcome)
{
	bool jumps;
	riscv_follow(c->follow, c->hart, insn, c->memory, outcome, &jumps);
	if (insn->op == RISCV_OP_ecall)
		s->dest = 10; /* a0 */
	if (jumps) {	      /* as a fault does: the pipeline runs empty first */
		c->hold = HOLD_DRAIN;
		c->drain = DRAIN_TURN;
	}
	return RISCV_CONTINUE;
}

/* Turns are counted in right-path instructions, so they do not depend on the machine. */
void path_turn(struct core *c)
{
	c->turn = GUEST_TURN;
	if (guest_has_other_threads(c->guest) || riscv_code_full(c->code)) {
		c->hold = HOLD_DRAIN;
		c->drain = DRAIN_TURN;
	}
}

/* --- wrong paths --- */

bool path_leave(struct core *c, uint64_t index, const struct branch_note *note)
{
	if (c->checkpoint_count == CHECKPOINTS)
		return false;
	struct checkpoint *k = &c->checkpoints[c->checkpoint_count++];
	c->wrong = SLOT_WRONG_PATH;
	k->branch = index;
	k->hart = *c->hart;
	if (k->vector)
		riscv_vector_copy(k->vector, c->hart->vector);
	k->undo_mark = c->undo_count;
	predictor_save(c->predictor, k->predictor);
	c->hart->pc = note->prediction.next_pc ^ c->space; /* another space's: a wild one */
	c->block = NULL;
	return true;
}

void path_return(struct core *c, uint32_t number)
{
	const struct checkpoint *k = &c->checkpoints[number];
	while (c->undo_count > k->undo_mark) {
		const struct undo_entry *u = &c->undo[--c->undo_count];
		memcpy(address_space_host(c->memory, u->addr), &u->old, u->size);
	}
	*c->hart = k->hart;
	if (k->vector)
		riscv_vector_copy(c->hart->vector, k->vector);
	predictor_restore(c->predictor, k->predictor);
	c->checkpoint_count = number;
	c->wrong = number ? SLOT_WRONG_PATH : 0;
	c->block = NULL;
}

uint32_t path_checkpoint_of(const struct core *c, uint64_t index)
{
	for (uint32_t i = 0; i < c->checkpoint_count; i++)
		if (c->checkpoints[i].branch == index)
			return i;
	return CHECKPOINTS;
}

/* --- drains --- */

void path_drained(struct core *c)
{
	if (c->drain == DRAIN_FAULT)
		c->guest_state = guest_handle(c->guest, c->fault, &c->fault_outcome);
	/* also when a turn's first instruction faults, as the guest by itself does */
	if (c->guest_state == GUEST_RUNNING && guest_has_other_threads(c->guest) &&
	    (c->drain == DRAIN_TURN || c->hart->instret % GUEST_TURN == 0))
		guest_preempt(c->guest);
	path_enter_space(c);
	path_charge(c);
	if (riscv_code_full(c->code))
		riscv_code_flush(c->code);
	c->turn = guest_turn_left(c->guest);
	c->drain = DRAIN_NOTHING;
	c->block = NULL;
	riscv_code_reclaim(c->code);
	c->hold = c->guest_state == GUEST_RUNNING ? HOLD_NONE : HOLD_END;
}
