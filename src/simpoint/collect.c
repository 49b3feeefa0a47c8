#include "simpoint/collect.h"

#include "riscv/trace.h"

#include <stdlib.h>
#include <string.h>

enum { PIECE = 16384 };

struct slot {
	uint64_t pc;
	uint32_t block; /* 0 = free */
};

struct bbv_collector {
	struct guest *guest;
	struct bbv *to;
	uint64_t length, left; /* of the interval; instructions until it ends */
	struct riscv_trace trace;
	struct slot *slots; /* hash table, a power of two, at most half full */
	size_t slot_count;
	uint32_t blocks;	/* numbered so far */
	uint64_t *instructions; /* of this interval, by block */
	uint32_t *touched;	/* blocks whose count is not 0 */
	size_t touched_count;
	bool failed;
	struct error error;
};

struct bbv_collector *bbv_collector_create(struct guest *guest, uint64_t length, struct bbv *to, struct error *err)
{
	struct bbv_collector *c = calloc(1, sizeof *c);
	if (c) {
		*c = (struct bbv_collector){.guest = guest, .to = to, .length = length, .left = length};
		c->trace.entries = malloc(PIECE * sizeof *c->trace.entries);
		c->trace.accesses = malloc(PIECE * sizeof *c->trace.accesses);
	}
	if (!c || !c->trace.entries || !c->trace.accesses) {
		bbv_collector_destroy(c);
		error_set(err, ERROR_SYSTEM, "out of memory for the trace");
		return NULL;
	}
	riscv_code_trace(guest_code(guest), true);
	return c;
}

void bbv_collector_destroy(struct bbv_collector *c)
{
	if (!c)
		return;
	free(c->trace.entries);
	free(c->trace.accesses);
	free(c->slots);
	free(c->instructions);
	free(c->touched);
	free(c);
}

bool bbv_collector_check(const struct bbv_collector *c, struct error *err)
{
	if (c->failed)
		*err = c->error;
	return !c->failed;
}

/* --- numbers of blocks --- */

static struct slot *find(struct slot *slots, size_t count, uint64_t pc)
{
	size_t i = (pc >> 1) * 0x9e3779b97f4a7c15 >> 20 & (count - 1);
	while (slots[i].block && slots[i].pc != pc)
		i = (i + 1) & (count - 1);
	return &slots[i];
}

static bool grow(struct bbv_collector *c)
{
	size_t count = c->slot_count ? 2 * c->slot_count : 4096;
	struct slot *slots = calloc(count, sizeof *slots);
	uint64_t *instructions = realloc(c->instructions, count * sizeof *instructions);
	if (instructions)
		c->instructions = instructions;
	uint32_t *touched = realloc(c->touched, count * sizeof *touched);
	if (touched)
		c->touched = touched;
	if (!slots || !instructions || !touched) {
		free(slots);
		return false;
	}
	memset(instructions + c->slot_count, 0, (count - c->slot_count) * sizeof *instructions);
	for (size_t i = 0; i < c->slot_count; i++)
		if (c->slots[i].block)
			*find(slots, count, c->slots[i].pc) = c->slots[i];
	free(c->slots);
	c->slots = slots;
	c->slot_count = count;
	return true;
}

/* 0: out of memory */
static uint32_t number(struct bbv_collector *c, uint64_t pc)
{
	if (2 * (size_t)(c->blocks + 1) > c->slot_count && !grow(c))
		return 0;
	struct slot *slot = find(c->slots, c->slot_count, pc);
	if (!slot->block)
		*slot = (struct slot){pc, ++c->blocks};
	return slot->block;
}

/* --- counting --- */

static bool end_interval(struct bbv_collector *c)
{
	for (size_t i = 0; i < c->touched_count; i++) {
		uint32_t block = c->touched[i];
		TRY(bbv_add(c->to, block, c->instructions[block], &c->error));
		c->instructions[block] = 0;
	}
	c->touched_count = 0;
	return bbv_end(c->to, &c->error);
}

static bool count(struct bbv_collector *c, uint64_t pc, uint64_t instructions)
{
	uint32_t block = number(c, pc);
	if (!block)
		return error_set(&c->error, ERROR_SYSTEM, "out of memory for basic blocks");
	if (!c->instructions[block])
		c->touched[c->touched_count++] = block;
	c->instructions[block] += instructions;
	if (c->left > instructions) {
		c->left -= instructions;
		return true;
	}
	uint64_t over = (instructions - c->left) % c->length; /* a block may be longer than an interval */
	c->left = c->length - over;
	return end_interval(c);
}

static bool count_trace(struct bbv_collector *c)
{
	for (size_t i = 0; i < c->trace.entry_count; i++) {
		const struct riscv_trace_entry *e = &c->trace.entries[i];
		if (e->count)
			TRY(count(c, e->block->pc, e->count));
	}
	return true;
}

/* --- execution --- */

static enum guest_state handle(struct bbv_collector *c, enum riscv_stop stop, const struct riscv_outcome *out)
{
	struct riscv_hart *hart = guest_hart(c->guest);
	if (stop == RISCV_STOP_FENCE_I)
		riscv_code_flush(guest_code(c->guest));
	if (stop == RISCV_STOP_FENCE_I || stop == RISCV_STOP_LIMIT)
		return GUEST_RUNNING;
	/* a system call is one more instruction, the last of its block */
	const struct riscv_trace *t = &c->trace;
	uint64_t before = hart->instret, block = t->entry_count ? t->entries[t->entry_count - 1].block->pc : hart->pc;
	enum guest_state state = guest_handle(c->guest, stop, out);
	if (hart->instret != before && !count(c, block, hart->instret - before))
		c->failed = true;
	return state;
}

static enum guest_state piece(struct bbv_collector *c, uint64_t most)
{
	struct guest *g = c->guest;
	uint64_t turn = guest_has_other_threads(g) ? guest_turn_left(g) : UINT64_MAX;
	uint64_t limit = most < turn ? most : turn;
	bool exact = limit <= PIECE;
	struct riscv_outcome out;
	enum riscv_stop stop = riscv_trace_run(guest_hart(g), guest_code(g), guest_memory(g), exact ? limit : PIECE,
					       exact, &c->trace, &out);
	if (!count_trace(c)) {
		c->failed = true;
		return GUEST_FAILED;
	}
	enum guest_state state = handle(c, stop, &out);
	if (state == GUEST_RUNNING && guest_has_other_threads(g) && guest_hart(g)->instret % GUEST_TURN == 0)
		guest_preempt(g);
	if (riscv_code_full(guest_code(g)))
		riscv_code_flush(guest_code(g));
	riscv_code_reclaim(guest_code(g));
	return c->failed ? GUEST_FAILED : state;
}

enum guest_state bbv_collector_run(struct bbv_collector *c, uint64_t max_insns, uint64_t *executed)
{
	const struct riscv_hart *hart = guest_hart(c->guest);
	uint64_t start = hart->instret;
	enum guest_state state = GUEST_RUNNING;
	while (state == GUEST_RUNNING && hart->instret - start < max_insns)
		state = piece(c, max_insns - (hart->instret - start));
	*executed = hart->instret - start;
	return state;
}
