/* The random part of a sequence.
 *
 * It is made of units: one instruction, or a few that belong together, such as a pointer into the scratch buffer and
 * the load that uses it. Control goes from unit to unit only, always forward, but for one counted loop around the whole
 * part. The base register and the loop counter are never written by the units. Encodings are written down here
 * independently of the executor's table. */
#include "random/units.h"

#include <stdlib.h>

#define LOOP_TURNS 3
#define NONE 32 /* no such register */

struct row {
	uint32_t word;
	char fields[6];
};

/* Register operations. Fields: d s t = x registers rd rs1 rs2, D S T R = f registers rd rs1 rs2 rs3, m = rounding mode, x = number of a constant,
 * i = 12 bits, < and > = shift amounts of 5 and 6 bits, u = 20 bits. */
static const struct row integer_rows[] = {
	{0x00000033, "dst"}, {0x40000033, "dst"}, {0x00001033, "dst"}, {0x00002033, "dst"}, /* add sub sll slt */
	{0x00003033, "dst"}, {0x00004033, "dst"}, {0x00005033, "dst"}, {0x40005033, "dst"}, /* sltu xor srl sra */
	{0x00006033, "dst"}, {0x00007033, "dst"}, {0x0000003b, "dst"}, {0x4000003b, "dst"}, /* or and addw subw */
	{0x0000103b, "dst"}, {0x0000503b, "dst"}, {0x4000503b, "dst"},			    /* sllw srlw sraw */
	{0x00000013, "dsi"}, {0x00002013, "dsi"}, {0x00003013, "dsi"}, {0x00004013, "dsi"}, /* addi slti sltiu xori */
	{0x00006013, "dsi"}, {0x00007013, "dsi"}, {0x0000001b, "dsi"},			    /* ori andi addiw */
	{0x00001013, "ds>"}, {0x00005013, "ds>"}, {0x40005013, "ds>"},			    /* slli srli srai */
	{0x0000101b, "ds<"}, {0x0000501b, "ds<"}, {0x4000501b, "ds<"},			    /* slliw srliw sraiw */
	{0x00000037, "du"},  {0x00000017, "du"},					    /* lui auipc */
};

static const struct row multiply_rows[] = {
	{0x02000033, "dst"}, {0x02001033, "dst"}, {0x02002033, "dst"}, {0x02003033, "dst"}, /* mul mulh mulhsu mulhu */
	{0x02004033, "dst"}, {0x02005033, "dst"}, {0x02006033, "dst"}, {0x02007033, "dst"}, /* div divu rem remu */
	{0x0200003b, "dst"}, {0x0200403b, "dst"}, {0x0200503b, "dst"},			    /* mulw divw divuw */
	{0x0200603b, "dst"}, {0x0200703b, "dst"},					    /* remw remuw */
};

/* Zba, Zbb, Zbs, Zbc: where the other emulator has them, as qemu has from 7.1 on. Without ctzw,
 * which looks at all 64 bits there before 8.0. */
static const struct row bit_rows[] = {
	{0x0800003b, "dst"}, {0x20002033, "dst"}, {0x20004033, "dst"}, {0x20006033, "dst"}, /* add.uw sh1add sh2 sh3 */
	{0x2000203b, "dst"}, {0x2000403b, "dst"}, {0x2000603b, "dst"}, {0x0800101b, "ds>"}, /* sh.uw slli.uw */
	{0x40007033, "dst"}, {0x40006033, "dst"}, {0x40004033, "dst"}, {0x60001013, "ds"},  /* andn orn xnor clz */
	{0x60101013, "ds"},  {0x60201013, "ds"},  {0x6000101b, "ds"},			    /* ctz cpop clzw */
	{0x6020101b, "ds"},  {0x0a006033, "dst"}, {0x0a007033, "dst"}, {0x0a004033, "dst"}, /* cpopw max maxu min */
	{0x0a005033, "dst"}, {0x60401013, "ds"},  {0x60501013, "ds"},  {0x0800403b, "ds"},  /* minu sext.b .h zext.h */
	{0x60001033, "dst"}, {0x60005033, "dst"}, {0x60005013, "ds>"}, {0x6000103b, "dst"}, /* rol ror rori rolw */
	{0x6000503b, "dst"}, {0x6000501b, "ds<"}, {0x28705013, "ds"},  {0x6b805013, "ds"},  /* rorw roriw orc.b rev8 */
	{0x48001033, "dst"}, {0x48001013, "ds>"}, {0x48005033, "dst"}, {0x48005013, "ds>"}, /* bclr bext */
	{0x68001033, "dst"}, {0x68001013, "ds>"}, {0x28001033, "dst"}, {0x28001013, "ds>"}, /* binv bset */
	{0x0a001033, "dst"}, {0x0a003033, "dst"}, {0x0a002033, "dst"},			    /* clmul h r */
};

/* Singles; with FORMAT_D set the same for doubles. */
#define FORMAT_D 0x02000000
static const struct row fp_rows[] = {
	{0x00000053, "DSTm"},  {0x08000053, "DSTm"},  {0x10000053, "DSTm"},  {0x18000053, "DSTm"}, /* add sub mul div */
	{0x58000053, "DSm"},   {0x20000053, "DST"},   {0x20001053, "DST"},   {0x20002053, "DST"},  /* sqrt sgnj n x */
	{0x28000053, "DST"},   {0x28001053, "DST"},						   /* min max */
	{0xa0000053, "dST"},   {0xa0001053, "dST"},   {0xa0002053, "dST"},			   /* le lt eq */
	{0xc0000053, "dSm"},   {0xc0100053, "dSm"},   {0xc0200053, "dSm"},   {0xc0300053, "dSm"},  /* to w wu l lu */
	{0xd0000053, "Dsm"},   {0xd0100053, "Dsm"},   {0xd0200053, "Dsm"},   {0xd0300053, "Dsm"},  /* from w wu l lu */
	{0xe0000053, "dS"},    {0xe0001053, "dS"},    {0xf0000053, "Ds"},			   /* mv class mv */
	{0x00000043, "DSTRm"}, {0x00000047, "DSTRm"}, {0x0000004b, "DSTRm"}, {0x0000004f, "DSTRm"}, /* fused */
};

static const struct row fp_convert_rows[] = {{0x40100053, "DSm"}, {0x42000053, "DSm"}}; /* s.d d.s */

/* Zfh, and what Zfa adds in every format. */
static const struct row half_rows[] = {
	{0x04000053, "DSTm"},  {0x0c000053, "DSTm"},  {0x14000053, "DSTm"},
	{0x1c000053, "DSTm"}, /* add sub mul div */
	{0x5c000053, "DSm"},   {0x24000053, "DST"},   {0x24001053, "DST"},
	{0x24002053, "DST"}, /* sqrt sgnj n x */
	{0x2c000053, "DST"},   {0x2c001053, "DST"},   {0xa4000053, "dST"},
	{0xa4001053, "dST"}, /* min max le lt */
	{0xa4002053, "dST"},   {0xc4000053, "dSm"},   {0xc4100053, "dSm"},
	{0xc4200053, "dSm"}, /* eq to w wu l */
	{0xc4300053, "dSm"},   {0xd4000053, "Dsm"},   {0xd4100053, "Dsm"},
	{0xd4200053, "Dsm"}, /* lu from w wu l */
	{0xd4300053, "Dsm"},   {0xe4001053, "dS"},    {0xe4000053, "dS"},
	{0xf4000053, "Ds"}, /* lu class mv mv */
	{0x04000043, "DSTRm"}, {0x04000047, "DSTRm"}, {0x0400004b, "DSTRm"},
	{0x0400004f, "DSTRm"}, /* fused */
	{0x40200053, "DS"},    {0x40200053, "DSm"},   {0x42200053, "DS"},
	{0x42200053, "DSm"},			    /* s.h d.h */
	{0x44000053, "DSm"},   {0x44100053, "DSm"}, /* h.s h.d */
	{0x2c002053, "DST"},   {0x2c003053, "DST"},   {0xa4004053, "dST"},
	{0xa4005053, "dST"}, /* minm maxm leq ltq */
	{0x28002053, "DST"},   {0x28003053, "DST"},   {0xa0004053, "dST"},
	{0xa0005053, "dST"}, /* of singles */
	{0x2a002053, "DST"},   {0x2a003053, "DST"},   {0xa2004053, "dST"},
	{0xa2005053, "dST"}, /* of doubles */
	{0x44400053, "DSm"},   {0x44500053, "DSm"},   {0x40400053, "DSm"},
	{0x40500053, "DSm"},						  /* round */
	{0x42400053, "DSm"},   {0x42500053, "DSm"},   {0xc2801053, "dS"}, /* fcvtmod.w.d */
	{0xf4100053, "Dx"},    {0xf0100053, "Dx"},    {0xf2100053, "Dx"}, /* fli */
};

/* Compressed instructions without memory or jumps: bits that are the encoding, bits free to choose, which registers the
 * chosen bits may not name: 'd' bits 11..7 are a destination, 'p' bits 9..7 and 'q' bits 4..2 one of x8..x15. */
struct compressed_row {
	uint16_t word, free;
	char destination;
	uint16_t not_zero; /* not all of these bits may be zero */
};

static const struct compressed_row compressed_rows[] = {
	{0x0000, 0x1ffc, 'q', 0x1fe0}, /* addi4spn */
	{0x0001, 0x1ffc, 'd', 0},      /* addi, nop */
	{0x2001, 0x1ffc, 'd', 0x0f80}, /* addiw */
	{0x4001, 0x1ffc, 'd', 0},      /* li */
	{0x6101, 0x107c, 'd', 0x107c}, /* addi16sp */
	{0x6001, 0x1ffc, 'd', 0x107c}, /* lui; rd = sp is addi16sp */
	{0x8001, 0x13fc, 'p', 0},      /* srli */
	{0x8401, 0x13fc, 'p', 0},      /* srai */
	{0x8801, 0x13fc, 'p', 0},      /* andi */
	{0x8c01, 0x03fc, 'p', 0},      /* sub xor or and */
	{0x9c01, 0x03bc, 'p', 0},      /* subw addw */
	{0x0002, 0x1ffc, 'd', 0},      /* slli */
	{0x8002, 0x0ffc, 'd', 0x007c}, /* mv */
	{0x9002, 0x0ffc, 'd', 0x007c}, /* add */
};

void emit(struct state *state, uint32_t word)
{
	program_emit32(state->program, word);
}

bool kept(const struct state *state, unsigned reg)
{
	return reg == state->base || reg == state->counter;
}

unsigned destination(struct state *state)
{
	unsigned reg;

	do
		reg = pick(state->random, 32);
	while (kept(state, reg));
	return reg;
}

/* A pointer or link register: neither x0 nor kept. `low`: one of x8..x15. */
unsigned free_register(struct state *state, bool low)
{
	unsigned reg;

	do
		reg = low ? 8 + pick(state->random, 8) : 1 + pick(state->random, 31);
	while (kept(state, reg));
	return reg;
}

static uint32_t rounding_mode(struct state *state)
{
	static const uint32_t modes[] = {0, 1, 2, 3, 4, 7};

	return modes[pick(state->random, COUNT(modes))] << 12;
}

static uint32_t field(struct state *state, char letter)
{
	switch (letter) {
	case 'd':
		return destination(state) << 7;
	case 'D':
		return pick(state->random, 32) << 7;
	case 's':
	case 'S':
	case 'x':
		return pick(state->random, 32) << 15;
	case 't':
	case 'T':
	case '<':
		return pick(state->random, 32) << 20;
	case '>':
		return pick(state->random, 64) << 20;
	case 'R':
		return pick(state->random, 32) << 27;
	case 'm':
		return rounding_mode(state);
	case 'i':
		return pick(state->random, 4096) << 20;
	default: /* u */
		return pick(state->random, 1 << 20) << 12;
	}
}

static uint32_t fill_row(struct state *state, const struct row *row)
{
	uint32_t word = row->word;

	for (const char *letter = row->fields; *letter; letter++)
		word |= field(state, *letter);
	return word;
}

static void emit_row(struct state *state, const struct row *row, uint32_t extra)
{
	emit(state, fill_row(state, row) | extra);
}

uint32_t addi(unsigned rd, unsigned rs1, int imm)
{
	return 0x13 | rd << 7 | rs1 << 15 | (uint32_t)imm << 20;
}

/* --- other compressed instructions --- */

static bool compressed_allowed(const struct state *state, const struct compressed_row *row, uint16_t word)
{
	unsigned rd = row->destination == 'd' ? word >> 7 & 31 : 8 + (word >> (row->destination == 'p' ? 7 : 2) & 7);

	return !kept(state, rd) && (!row->not_zero || word & row->not_zero);
}

static void unit_compressed(struct state *state)
{
	const struct compressed_row *row;
	uint16_t word;

	do {
		row = PICK_ROW(state, compressed_rows);
		word = row->word | (row->free & (uint16_t)random_next(state->random));
	} while (!compressed_allowed(state, row, word));
	program_emit16(state->program, word);
}

/* --- control and status --- */

enum { CSR_FFLAGS = 1, CSR_FRM, CSR_FCSR };

static void emit_csr(struct state *state, uint32_t function, unsigned csr, unsigned source)
{
	emit(state, 0x73 | function << 12 | destination(state) << 7 | source << 15 | csr << 20);
}

/* Whatever is written, afterwards frm holds a rounding mode, so that dynamic rounding stays legal. */
static void unit_csr(struct state *state)
{
	uint32_t function = 1 + pick(state->random, 6);

	if (function >= 4)
		function++;
	unsigned csr = CSR_FFLAGS + pick(state->random, 3);
	emit_csr(state, function, csr, pick(state->random, 32));
	emit_csr(state, 5, CSR_FRM, pick(state->random, 5));
}

static void unit_fence(struct state *state)
{
	switch (pick(state->random, 5)) {
	case 0:
		emit(state, 0x100f); /* fence.i */
		break;
	case 1:
		emit(state, 0x8330000f); /* fence.tso */
		break;
	case 2: /* fields that are reserved for later: to be ignored */
		emit(state, ((uint32_t)random_next(state->random) & ~0x607fu) | 0x0f);
		break;
	default:
		emit(state, 0x0000000f | pick(state->random, 256) << 20);
	}
}

/* Exchange two instructions and execute the second place, so that around the loop it is another one each turn: what was
 * decoded before fence.i must not be executed after it. */
static void unit_exchange(struct state *state)
{
	unsigned pointer = free_register(state, false), first, second;

	do
		first = free_register(state, false);
	while (first == pointer);
	do
		second = free_register(state, false);
	while (second == pointer || second == first);
	emit(state, 0x17 | pointer << 7);			       /* auipc */
	emit(state, 0x2003 | first << 7 | pointer << 15 | 28 << 20);   /* lw */
	emit(state, 0x2003 | second << 7 | pointer << 15 | 32u << 20); /* lw */
	emit(state, 0x2023 | second << 20 | pointer << 15 | 28 << 7);  /* sw to 28 */
	emit(state, 0x2023 | first << 20 | pointer << 15 | 1 << 25);   /* sw to 32 */
	emit(state, 0x100f);					       /* fence.i */
	emit(state, 0x6f | scatter_jal(8));			       /* j to 32 */
	emit(state, fill_row(state, PICK_ROW(state, integer_rows)));   /* 28 */
	emit(state, fill_row(state, PICK_ROW(state, multiply_rows)));  /* 32 */
}

static void unit_integer(struct state *state)
{
	if ((state->program->beyond & RANDOM_BITS) && pick(state->random, 2)) {
		emit_row(state, PICK_ROW(state, bit_rows), 0);
		return;
	}
	emit_row(state, PICK_ROW(state, integer_rows), 0);
}

static void unit_multiply(struct state *state)
{
	emit_row(state, PICK_ROW(state, multiply_rows), 0);
}

/* fround, froundnx. qemu 10 declares them free of side effects, and leaves one out, with the flags that it raises, if another
 * instruction writes its destination before any reads it. So it is read: stored at once. */
#define ROUND_MASK 0xf9e0007fu
#define ROUND_WORD 0x40400053u

static void unit_half(struct state *state)
{
	uint32_t word = fill_row(state, PICK_ROW(state, half_rows));

	emit(state, word);
	if ((word & ROUND_MASK) == ROUND_WORD)
		emit(state, 0x3027 | state->base << 15 | (word >> 7 & 31) << 20); /* fsd */
}

static void unit_fp(struct state *state)
{
	uint32_t format = pick(state->random, 2) ? FORMAT_D : 0;

	if ((state->program->beyond & RANDOM_HALF) && pick(state->random, 3)) {
		unit_half(state);
		return;
	}
	if (pick(state->random, 12) == 0)
		emit_row(state, PICK_ROW(state, fp_convert_rows), 0);
	else
		emit_row(state, PICK_ROW(state, fp_rows), format);
}

static const struct {
	void (*generate)(struct state *state);
	unsigned weight;
} unit_kinds[] = {
	{unit_integer, 20}, {unit_multiply, 8},		 {unit_fp, 30},	     {unit_access, 14}, {unit_amo, 4},
	{unit_reserve, 2},  {unit_compressed, 10},	 {unit_branch, 6},   {unit_jump, 4},	{unit_csr, 3},
	{unit_fence, 1},    {unit_compressed_access, 6}, {unit_exchange, 1},
};

static void generate_unit(struct state *state)
{
	unsigned total = 0, i = 0;

	for (size_t k = 0; k < COUNT(unit_kinds); k++)
		total += unit_kinds[k].weight;
	for (unsigned at = pick(state->random, total); at >= unit_kinds[i].weight; i++)
		at -= unit_kinds[i].weight;
	unit_kinds[i].generate(state);
}

static void close_loop(struct state *state, size_t start)
{
	uint32_t back = (uint32_t)(2 * (start - state->program->halves) - 4);

	emit(state, addi(state->counter, state->counter, -1));
	emit(state, 0x1063 | state->counter << 15 | scatter_branch(back)); /* bne */
}

void units_generate(struct program *program, struct random *random, unsigned base, unsigned length)
{
	struct state state = {.program = program, .random = random, .base = base, .counter = NONE, .units = length};
	size_t starts[MAX_UNITS + 1], loop;

	if (length > MAX_UNITS)
		abort();
	if (pick(random, 4) == 0) {
		state.counter = free_register(&state, false);
		emit(&state, addi(state.counter, 0, LOOP_TURNS));
	}
	loop = program->halves;
	for (state.unit = 0; state.unit < length; state.unit++) {
		starts[state.unit] = program->halves;
		generate_unit(&state);
	}
	starts[length] = program->halves;
	jumps_resolve(&state, starts);
	if (state.counter != NONE)
		close_loop(&state, loop);
}
