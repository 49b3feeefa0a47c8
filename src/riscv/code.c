/* The cache of decoded blocks: a hash table from pc to block, blocks in chunks of memory that are only ever filled.
 *
 * Decoding follows fetch, not stores: as the architecture has it, code that was overwritten is seen after fence.i
 * (riscv_code_flush). A flush forgets the table and retires the chunks; riscv_code_reclaim frees them. */
#include "riscv/code.h"

#include "riscv/isa.h"

#include <stdlib.h>
#include <string.h>

#define CHUNK_BYTES (256 * 1024)
#define CHUNKS_MAX 1024 /* 256 MiB: some five million instructions, more than any program has at work */
#define FIRST_SLOTS_LOG2 12

struct code_chunk {
	struct code_chunk *next;
	size_t used;
	_Alignas(64) uint8_t bytes[];
};

struct riscv_code *riscv_code_create(const struct address_space *as, struct error *err)
{
	struct riscv_code *code = calloc(1, sizeof *code);
	struct riscv_code_space *first = code ? riscv_code_space_create(code) : NULL;

	if (!first) {
		free(code);
		error_set(err, ERROR_SYSTEM, "out of memory for the cache of decoded blocks");
		return NULL;
	}
	code->as = as;
	code->watch.pc = RISCV_NOWHERE;
	code->handlers = riscv_run_handlers();
	riscv_code_space_enter(code, first);
	return code;
}

static void code_space_leave(struct riscv_code *code);

static void free_chunks(struct code_chunk *chunk)
{
	while (chunk) {
		struct code_chunk *next = chunk->next;
		free(chunk);
		chunk = next;
	}
}

void riscv_code_destroy(struct riscv_code *code)
{
	if (!code)
		return;
	code_space_leave(code);
	while (code->spaces)
		riscv_code_space_destroy(code, code->spaces);
	free_chunks(code->retired);
	free(code);
}

static void retire(struct riscv_code *code, struct code_chunk **live)
{
	struct code_chunk **end = live;

	for (; *end; end = &(*end)->next)
		code->chunks--;
	*end = code->retired;
	code->retired = *live;
	*live = NULL;
}

static void forget_parked(struct riscv_code *code)
{
	for (struct riscv_code_space *s = code->spaces; s; s = s->next) {
		if (s == code->current || !s->used)
			continue;
		memset(s->slots, 0, (s->mask + 1) * sizeof *s->slots);
		s->used = 0;
		retire(code, &s->live);
	}
}

void riscv_code_flush(struct riscv_code *code)
{
	if (riscv_code_full(code))
		forget_parked(code);
	if (!code->used)
		return;
	memset(code->slots, 0, (code->mask + 1) * sizeof *code->slots);
	code->used = 0;
	retire(code, &code->live);
}

void riscv_code_forget_all(struct riscv_code *code)
{
	forget_parked(code);
	riscv_code_flush(code);
}

/* --- address spaces --- */

struct riscv_code_space *riscv_code_space_current(struct riscv_code *code)
{
	return code->current;
}

uint64_t riscv_code_space_number(const struct riscv_code *code)
{
	return code->current->number;
}

struct riscv_code_space *riscv_code_space_create(struct riscv_code *code)
{
	struct riscv_code_space *s = calloc(1, sizeof *s);

	if (s)
		s->slots = calloc(1u << FIRST_SLOTS_LOG2, sizeof *s->slots);
	if (!s || !s->slots) {
		free(s);
		return NULL;
	}
	s->mask = (1u << FIRST_SLOTS_LOG2) - 1;
	s->shift = 64 - FIRST_SLOTS_LOG2;
	s->number = ++code->spaces_made;
	s->next = code->spaces;
	code->spaces = s;
	return s;
}

static void code_space_leave(struct riscv_code *code)
{
	struct riscv_code_space *s = code->current;

	if (!s)
		return;
	s->slots = code->slots;
	s->mask = code->mask;
	s->shift = code->shift;
	s->used = code->used;
	s->live = code->live;
	code->current = NULL;
}

void riscv_code_space_enter(struct riscv_code *code, struct riscv_code_space *to)
{
	code_space_leave(code);
	code->slots = to->slots;
	code->mask = to->mask;
	code->shift = to->shift;
	code->used = to->used;
	code->live = to->live;
	code->current = to;
}

void riscv_code_space_destroy(struct riscv_code *code, struct riscv_code_space *space)
{
	struct riscv_code_space **link = &code->spaces;

	while (*link != space)
		link = &(*link)->next;
	*link = space->next;
	retire(code, &space->live);
	free(space->slots);
	free(space);
}

void riscv_code_frames(struct riscv_code *code, uint64_t (*tag)(const void *context, uint64_t pc), const void *context)
{
	code->tag = tag;
	code->tag_context = context;
}

bool riscv_code_full(const struct riscv_code *code)
{
	return code->chunks >= CHUNKS_MAX;
}

void riscv_code_reclaim(struct riscv_code *code)
{
	free_chunks(code->retired);
	code->retired = NULL;
}

bool riscv_code_has_forgotten(const struct riscv_code *code)
{
	return code->retired != NULL;
}

static size_t block_bytes(const struct riscv_block *block)
{
	return sizeof *block + (block->count + 1) * sizeof(struct riscv_insn);
}

static void visit_chunks(struct code_chunk *chunk, void (*visit)(void *context, struct riscv_block *block),
			 void *context)
{
	for (; chunk; chunk = chunk->next)
		for (size_t at = 0; at < chunk->used;) {
			struct riscv_block *block = (struct riscv_block *)(chunk->bytes + at);
			at += block_bytes(block);
			visit(context, block);
		}
}

void riscv_code_visit(const struct riscv_code *code, void (*visit)(void *context, struct riscv_block *block),
		      void *context)
{
	visit_chunks(code->live, visit, context);
	for (const struct riscv_code_space *s = code->spaces; s; s = s->next)
		if (s != code->current)
			visit_chunks(s->live, visit, context);
	visit_chunks(code->retired, visit, context);
}

static void insert(struct riscv_code *code, struct riscv_block *block)
{
	uint64_t i = code_hash(code, block->pc);

	while (code->slots[i].block)
		i = (i + 1) & code->mask;
	code->slots[i] = (struct code_slot){block->pc, block};
}

static bool grow(struct riscv_code *code)
{
	struct code_slot *old = code->slots;
	uint64_t count = code->mask + 1;
	struct code_slot *slots = calloc(2 * count, sizeof *slots);

	if (!slots)
		return false;
	code->slots = slots;
	code->mask = 2 * count - 1;
	code->shift--;
	for (uint64_t i = 0; i < count; i++) {
		if (old[i].block)
			insert(code, old[i].block);
	}
	free(old);
	return true;
}

/* Room for the largest block at the end of the newest chunk; NULL when the host has no memory left. */
static struct riscv_block *reserve_block(struct riscv_code *code)
{
	const size_t largest = sizeof(struct riscv_block) + (RISCV_BLOCK_MAX + 1) * sizeof(struct riscv_insn);
	struct code_chunk *chunk = code->live;

	if (!chunk || CHUNK_BYTES - chunk->used < largest) {
		chunk = malloc(sizeof *chunk + CHUNK_BYTES);
		if (!chunk)
			return NULL;
		chunk->next = code->live;
		chunk->used = 0;
		code->live = chunk;
		code->chunks++;
	}
	return (struct riscv_block *)(chunk->bytes + chunk->used);
}

/* Fetch the encoding at pc. False when it is not wholly in executable memory. */
static bool fetch(const struct address_space *as, uint64_t pc, uint32_t *raw)
{
	uint16_t half;

	if ((pc & 1) || !address_space_allows(as, pc, 2, PAGE_EXEC))
		return false;
	memcpy(&half, as->base + pc, 2);
	*raw = half;
	if ((half & 3) != 3)
		return true;
	if (!address_space_allows(as, pc + 2, 2, PAGE_EXEC))
		return false;
	memcpy(&half, as->base + pc + 2, 2);
	*raw |= (uint32_t)half << 16;
	return true;
}

bool riscv_code_exhausted(const struct riscv_code *code)
{
	return code->exhausted;
}

uint64_t riscv_code_fault_address(const struct riscv_code *code, uint64_t pc)
{
	return !(pc & 1) && address_space_allows(code->as, pc, 2, PAGE_EXEC) ? pc + 2 : pc;
}

/* What a trace's reader would otherwise go through the instructions for, each time. */
static void describe(struct riscv_block *block)
{
	block->entered = block->longs = block->accesses = 0;
	for (uint32_t i = 0; i < block->count; i++) {
		block->longs |= (uint64_t)(block->insns[i].length == 4) << i;
		block->accesses += !!(block->insns[i].flags & (RISCV_LOAD | RISCV_STORE));
	}
}

void riscv_code_extend(struct riscv_code *code, uint32_t extensions)
{
	code->extensions = extensions;
}

void riscv_code_decode(const struct riscv_code *code, uint32_t raw, uint64_t pc, struct riscv_insn *insn)
{
	riscv_decode(raw, pc, insn);
	if (riscv_insn_extension(insn) & ~code->extensions)
		riscv_decode_illegal(insn);
}

static bool is_watched(const struct riscv_code *code, uint64_t pc, uint32_t raw)
{
	const struct riscv_watch *w = &code->watch;

	return (pc == w->pc || (raw == w->raw && raw)) && (!w->space || w->space == code->current->number);
}

void riscv_code_watch(struct riscv_code *code, struct riscv_watch watch)
{
	code->watch = watch;
	riscv_code_forget_all(code);
}

enum riscv_stop riscv_step_over(struct riscv_hart *hart, struct riscv_code *code, struct address_space *as,
				struct riscv_outcome *out)
{
	struct riscv_insn insn;
	uint32_t raw;

	if (!fetch(code->as, hart->pc, &raw)) { /* unmapped since it was decoded */
		out->value = riscv_code_fault_address(code, hart->pc);
		return RISCV_STOP_FETCH_FAULT;
	}
	riscv_code_decode(code, raw, hart->pc, &insn);
	return riscv_step(hart, &insn, as, out);
}

/* An instruction that crosses into the next page belongs to the page it starts in and ends the block. */
static void fill_block(const struct riscv_code *code, struct riscv_block *block)
{
	uint64_t pc = block->pc, page_end = (pc | (GUEST_PAGE_SIZE - 1)) + 1;
	struct riscv_insn *insn = block->insns;
	uint32_t raw;

	while (insn < block->insns + RISCV_BLOCK_MAX && pc < page_end && fetch(code->as, pc, &raw)) {
		riscv_code_decode(code, raw, pc, insn);
		if (is_watched(code, pc, raw))
			insn->op = RISCV_OP_PLACE;
		insn->handler = code->handlers[insn->op];
		pc += insn->length;
		if ((insn++)->flags & RISCV_BLOCK_END)
			break;
	}
	block->count = (uint32_t)(insn - block->insns);
	block->bytes = (uint32_t)(pc - block->pc);
	block->taken = block->fallthrough = NULL;
	describe(block);
	if (block->count)
		insn[-1].flags |= RISCV_BLOCK_END;
	memset(insn, 0, sizeof *insn);
	insn->handler = code->handlers[RISCV_OP_BLOCK_END];
	insn->pc_low = (uint32_t)pc;
	insn->rd = RISCV_NO_DEST;
}

/* Kept out of line: looking up needs no stack frame then. */
__attribute__((noinline)) static struct riscv_block *decode_block(struct riscv_code *code, uint64_t pc)
{
	struct riscv_block *block;

	block = 2 * code->used <= code->mask || grow(code) ? reserve_block(code) : NULL;
	if (!block) {
		code->exhausted = true;
		return NULL;
	}
	block->pc = pc;
	block->tag = code->tag ? code->tag(code->tag_context, pc) : 0;
	fill_block(code, block);
	if (!block->count)
		return NULL;
	code->live->used += block_bytes(block);
	code->used++;
	insert(code, block);
	return block;
}

struct riscv_block *riscv_code_block(struct riscv_code *code, uint64_t pc)
{
	struct riscv_block *block = code_lookup(code, pc);

	return block ? block : decode_block(code, pc);
}
