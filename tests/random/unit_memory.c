/* Units that access memory: plain, compressed and atomic, all within the scratch buffer. */
#include "random/units.h"

/* Loads and stores: the size, whether it stores, whether the register is an f register. */
struct access_row {
	uint32_t word;
	int size;
	bool store, fp;
};

static const struct access_row access_rows[] = {
	{0x0003, 1, false, false}, {0x1003, 2, false, false}, {0x2003, 4, false, false}, {0x3003, 8, false, false},
	{0x4003, 1, false, false}, {0x5003, 2, false, false}, {0x6003, 4, false, false}, {0x2007, 4, false, true},
	{0x3007, 8, false, true},  {0x0023, 1, true, false},  {0x1023, 2, true, false},	 {0x2023, 4, true, false},
	{0x3023, 8, true, false},  {0x2027, 4, true, true},   {0x3027, 8, true, true},
};

/* Zfhmin */
static const struct access_row half_access_rows[] = {{0x1007, 2, false, true}, {0x1027, 2, true, true}};

static const uint32_t amo_words[] = {
	0x0000202f, 0x0800202f, 0x2000202f, 0x4000202f, 0x6000202f, 0x8000202f, 0xa000202f, 0xc000202f, 0xe000202f,
};
#define AMO_D 0x1000
#define LR_W 0x1000202f
#define SC_W 0x1800202f

/* Compressed loads and stores: whether relative to sp, whether a load into an x register. */
struct compressed_access {
	uint16_t word;
	bool sp, load, fp;
};

static const struct compressed_access compressed_accesses[] = {
	{0x2000, false, true, true},  {0x4000, false, true, false},  {0x6000, false, true, false},
	{0xa000, false, false, true}, {0xc000, false, false, false}, {0xe000, false, false, false},
	{0x2002, true, true, true},   {0x4002, true, true, false},   {0x6002, true, true, false},
	{0xa002, true, false, true},  {0xc002, true, false, false},  {0xe002, true, false, false},
};

/* An offset from the base such that `size` bytes there are scratch. */
static int scratch_offset(struct state *state, int size)
{
	return (int)pick(state->random, (unsigned)(SCRATCH_BYTES - size + 1)) - BASE_OFFSET;
}

void unit_access(struct state *state)
{
	bool half = (state->program->beyond & RANDOM_HALF) && pick(state->random, 4) == 0;
	const struct access_row *row = half ? PICK_ROW(state, half_access_rows) : PICK_ROW(state, access_rows);
	int offset = scratch_offset(state, row->size);
	unsigned pointer = state->base;
	uint32_t word = row->word;

	if (pick(state->random, 2))
		offset &= -row->size; /* aligned half of the time */
	if (pick(state->random, 3) == 0) {
		int moved = scratch_offset(state, 8);
		pointer = free_register(state, false);
		emit(state, addi(pointer, state->base, moved));
		offset -= moved;
	}
	word |= pointer << 15;
	if (row->store)
		word |= pick(state->random, 32) << 20 | ((uint32_t)offset & 31) << 7 | (uint32_t)offset >> 5 << 25;
	else
		word |= (row->fp ? pick(state->random, 32) : destination(state)) << 7 | (uint32_t)offset << 20;
	emit(state, word);
}

/* A register that points to an aligned place in the scratch buffer. */
static unsigned aligned_pointer(struct state *state, int size)
{
	unsigned pointer = free_register(state, false);

	emit(state, addi(pointer, state->base, scratch_offset(state, 8) & -size));
	return pointer;
}

static uint32_t amo_fields(struct state *state, unsigned pointer)
{
	uint32_t fields = destination(state) << 7 | pointer << 15;

	fields |= pick(state->random, 32) << 20;
	fields |= pick(state->random, 4) << 25; /* aq, rl */
	return fields;
}

/* rd holds what is there half of the time, so that both ends are reached. amocas.q: registers come in pairs. Never x0, after
 * which qemu 10 computes with another zero. */
static void unit_swap(struct state *state)
{
	unsigned width = 2 + pick(state->random, 3); /* log2 of bytes */
	unsigned pointer = aligned_pointer(state, 1 << width), pair = width == 4, rd, rs2;

	do
		rd = destination(state) & ~pair;
	while (rd == pointer || !rd || (pair && (rd + 1 == pointer || kept(state, rd) || kept(state, rd + 1))));
	if (rd && pick(state->random, 2)) {
		emit(state, (width == 2 ? 0x2003 : 0x3003) | rd << 7 | pointer << 15); /* lw, ld */
		if (pair)
			emit(state, 0x3003 | (rd + 1) << 7 | pointer << 15 | 8 << 20);
	}
	rs2 = pick(state->random, 32) & ~pair;
	emit(state, 0x2800002f | width << 12 | rd << 7 | pointer << 15 | rs2 << 20 | pick(state->random, 4) << 25);
}

void unit_amo(struct state *state)
{
	if ((state->program->beyond & RANDOM_SWAPS) && pick(state->random, 2)) {
		unit_swap(state);
		return;
	}
	uint32_t wide = pick(state->random, 2) ? AMO_D : 0;
	unsigned pointer = aligned_pointer(state, wide ? 8 : 4);

	uint32_t word = amo_words[pick(state->random, COUNT(amo_words))];

	emit(state, word | wide | amo_fields(state, pointer));
}

/* LR, then SC: to the same place, after a store to it, to another place, or twice. */
void unit_reserve(struct state *state)
{
	uint32_t wide = pick(state->random, 2) ? AMO_D : 0;
	int size = wide ? 8 : 4;
	unsigned pointer = aligned_pointer(state, size);
	unsigned kind = pick(state->random, 4), loaded;

	do
		loaded = destination(state);
	while (loaded == pointer);
	emit(state, LR_W | wide | loaded << 7 | pointer << 15 | pick(state->random, 4) << 25);
	if (kind == 1)
		emit(state, 0x2023 | pick(state->random, 32) << 20 | pointer << 15); /* sw */
	if (kind == 2)
		pointer = aligned_pointer(state, size);
	if (kind == 3) {
		uint32_t first = SC_W | wide | amo_fields(state, pointer);
		emit(state, (first & ~0xf80u)); /* rd = x0 */
	}
	emit(state, SC_W | wide | amo_fields(state, pointer));
}

/* c.lwsp and the like: sp must point into the scratch buffer. */
static void unit_sp_access(struct state *state, const struct compressed_access *row)
{
	uint32_t word = row->word;

	if (state->counter == 2)
		return;
	if (state->base != 2)
		emit(state, addi(2, state->base, 0));
	word |= pick(state->random, 32) << 2; /* offset, or what is stored */
	if (row->load) {
		word |= (row->fp ? pick(state->random, 32) : free_register(state, false)) << 7;
		word |= pick(state->random, 2) << 12;
	} else {
		word |= pick(state->random, 64) << 7;
	}
	program_emit16(state->program, (uint16_t)word);
}

void unit_compressed_access(struct state *state)
{
	const struct compressed_access *row = PICK_ROW(state, compressed_accesses);
	uint32_t word = row->word;
	unsigned pointer = state->base;

	if (row->sp) {
		unit_sp_access(state, row);
		return;
	}
	if (pointer < 8 || pointer >= 16) {
		pointer = free_register(state, true);
		emit(state, addi(pointer, state->base, scratch_offset(state, 256)));
	}
	word |= (pointer & 7) << 7;
	word |= (row->load && !row->fp ? free_register(state, true) & 7 : pick(state->random, 8)) << 2;
	word |= pick(state->random, 4) << 5;
	word |= pick(state->random, 8) << 10;
	program_emit16(state->program, (uint16_t)word);
}
