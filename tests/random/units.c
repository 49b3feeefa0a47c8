/* The random part of a sequence.
 *
 * It is made of units: one instruction, or a few that belong together, such as a pointer into the scratch buffer and
 * the load that uses it. Control goes from unit to unit only, always forward, but for one counted loop around the whole
 * part. The base register and the loop counter are never written by the units. Encodings are written down here
 * independently of the executor's table. */
#include "random/program.h"

#include <stdlib.h>
#include <string.h>

#define LOOP_TURNS 3
#define NONE 32 /* no such register */

struct row {
	uint32_t word;
	char fields[6];
};

/* Register operations. Fields: d s t = x registers rd rs1 rs2, D S T R = f registers rd rs1 rs2 rs3, m = rounding mode,
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

static const uint32_t amo_words[] = {
	0x0000202f, 0x0800202f, 0x2000202f, 0x4000202f, 0x6000202f, 0x8000202f, 0xa000202f, 0xc000202f, 0xe000202f,
};
#define AMO_D 0x1000
#define LR_W 0x1000202f
#define SC_W 0x1800202f

static const uint32_t branch_words[] = {0x0063, 0x1063, 0x4063, 0x5063, 0x6063, 0x7063};

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

enum fixup_kind { FIX_BRANCH, FIX_JAL, FIX_JALR, FIX_ADDI, FIX_C_BRANCH, FIX_C_J };

/* A jump to the start of a unit that is not laid out yet. */
struct fixup {
	enum fixup_kind kind;
	size_t half;   /* where the encoding is */
	size_t anchor; /* what its offset counts from */
	unsigned unit;
};

struct state {
	struct program *program;
	struct random *random;
	unsigned base, counter; /* registers to keep */
	unsigned unit;		/* the one being generated */
	unsigned units;
	struct fixup fixups[MAX_UNITS];
	unsigned fixup_count;
};

#define PICK_ROW(state, rows) (&(rows)[pick((state)->random, COUNT(rows))])

static void emit(struct state *state, uint32_t word)
{
	program_emit32(state->program, word);
}

static bool kept(const struct state *state, unsigned reg)
{
	return reg == state->base || reg == state->counter;
}

static unsigned destination(struct state *state)
{
	unsigned reg;

	do
		reg = pick(state->random, 32);
	while (kept(state, reg));
	return reg;
}

/* A pointer or link register: neither x0 nor kept. `low`: one of x8..x15. */
static unsigned free_register(struct state *state, bool low)
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

/* --- memory --- */

static uint32_t addi(unsigned rd, unsigned rs1, int imm)
{
	return 0x13 | rd << 7 | rs1 << 15 | (uint32_t)imm << 20;
}

/* An offset from the base such that `size` bytes there are scratch. */
static int scratch_offset(struct state *state, int size)
{
	return (int)pick(state->random, (unsigned)(SCRATCH_BYTES - size + 1)) - BASE_OFFSET;
}

static void unit_access(struct state *state)
{
	const struct access_row *row = PICK_ROW(state, access_rows);
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

static void unit_amo(struct state *state)
{
	uint32_t wide = pick(state->random, 2) ? AMO_D : 0;
	unsigned pointer = aligned_pointer(state, wide ? 8 : 4);

	uint32_t word = amo_words[pick(state->random, COUNT(amo_words))];

	emit(state, word | wide | amo_fields(state, pointer));
}

/* LR, then SC: to the same place, after a store to it, to another place, or twice. */
static void unit_reserve(struct state *state)
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

static void unit_compressed_access(struct state *state)
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

/* --- control flow --- */

static void jump_forward(struct state *state, enum fixup_kind kind, size_t anchor)
{
	unsigned ahead = 1 + pick(state->random, 5), last = state->units;
	struct fixup *fixup = &state->fixups[state->fixup_count++];

	*fixup = (struct fixup){kind, state->program->halves, anchor, state->unit + ahead};
	if (fixup->unit > last)
		fixup->unit = last;
}

static void unit_branch(struct state *state)
{
	size_t here = state->program->halves;

	if (pick(state->random, 3) == 0) {
		uint32_t compressed = 0xc001 | pick(state->random, 2) << 13;
		compressed |= pick(state->random, 8) << 7;
		jump_forward(state, FIX_C_BRANCH, here);
		program_emit16(state->program, (uint16_t)compressed);
		return;
	}
	uint32_t word = branch_words[pick(state->random, COUNT(branch_words))];
	uint32_t rs1 = pick(state->random, 32);
	uint32_t rs2 = pick(state->random, 4) ? pick(state->random, 32) : rs1;
	jump_forward(state, FIX_BRANCH, here);
	emit(state, word | rs1 << 15 | rs2 << 20);
}

static void unit_jump(struct state *state)
{
	size_t here = state->program->halves;
	unsigned pointer = free_register(state, false);
	unsigned kind = pick(state->random, 4);

	if (kind == 0) {
		jump_forward(state, FIX_JAL, here);
		emit(state, 0x6f | destination(state) << 7);
		return;
	}
	if (kind == 1) {
		jump_forward(state, FIX_C_J, here);
		program_emit16(state->program, 0xa001);
		return;
	}
	emit(state, 0x17 | pointer << 7); /* auipc */
	if (kind == 2) {
		jump_forward(state, FIX_JALR, here);
		emit(state, 0x67 | destination(state) << 7 | pointer << 15);
		return;
	}
	jump_forward(state, FIX_ADDI, here);
	emit(state, addi(pointer, pointer, 0));
	/* c.jr, or c.jalr, which writes ra */
	program_emit16(state->program,
		       (uint16_t)(0x8002 | pointer << 7 | (kept(state, 1) ? 0 : pick(state->random, 2) << 12)));
}

static uint32_t scatter_branch(uint32_t offset)
{
	return (offset >> 12 & 1) << 31 | (offset >> 5 & 63) << 25 | (offset >> 1 & 15) << 8 | (offset >> 11 & 1) << 7;
}

static uint32_t scatter_jal(uint32_t offset)
{
	return (offset >> 20 & 1) << 31 | (offset >> 1 & 1023) << 21 | (offset >> 11 & 1) << 20 | (offset & 0xff000);
}

static uint16_t scatter_c_branch(uint32_t offset)
{
	return (uint16_t)((offset >> 8 & 1) << 12 | (offset >> 3 & 3) << 10 | (offset >> 6 & 3) << 5 |
			  (offset >> 1 & 3) << 3 | (offset >> 5 & 1) << 2);
}

static uint16_t scatter_c_j(uint32_t offset)
{
	return (uint16_t)((offset >> 11 & 1) << 12 | (offset >> 4 & 1) << 11 | (offset >> 8 & 3) << 9 |
			  (offset >> 10 & 1) << 8 | (offset >> 6 & 1) << 7 | (offset >> 7 & 1) << 6 |
			  (offset >> 1 & 7) << 3 | (offset >> 5 & 1) << 2);
}

static void apply(struct state *state, const struct fixup *fixup, const size_t *starts)
{
	uint32_t offset = (uint32_t)(2 * (starts[fixup->unit] - fixup->anchor)), word = 0;
	uint16_t *code = state->program->code + fixup->half;

	switch (fixup->kind) {
	case FIX_BRANCH:
		word = scatter_branch(offset);
		break;
	case FIX_JAL:
		word = scatter_jal(offset);
		break;
	case FIX_JALR:
		word = (offset | pick(state->random, 2)) << 20; /* the lowest bit does not count */
		break;
	case FIX_ADDI:
		word = (offset | pick(state->random, 2)) << 20;
		break;
	case FIX_C_BRANCH:
		word = scatter_c_branch(offset);
		break;
	case FIX_C_J:
		word = scatter_c_j(offset);
		break;
	}
	code[0] |= (uint16_t)word;
	if (word >> 16)
		code[1] |= (uint16_t)(word >> 16);
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
	emit_row(state, PICK_ROW(state, integer_rows), 0);
}

static void unit_multiply(struct state *state)
{
	emit_row(state, PICK_ROW(state, multiply_rows), 0);
}

static void unit_fp(struct state *state)
{
	uint32_t format = pick(state->random, 2) ? FORMAT_D : 0;

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
	for (unsigned i = 0; i < state.fixup_count; i++)
		apply(&state, &state.fixups[i], starts);
	if (state.counter != NONE)
		close_loop(&state, loop);
}
