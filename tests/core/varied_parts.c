/* What varied programs are made of: a function for each kind of part, and the table of them at the end. */
#include "bare_guest.h"
#include "encode.h"
#include "varied_program.h"

#include <stddef.h>

#define below writer_below
#define emit writer_emit
#define result writer_result

#define spare writer_spare

/* The order in which a compiler evaluates arguments is its own, so that no expression draws twice: registers and a spare number are
 * drawn beforehand. */
#define R(n) (w->ahead[n])
#define G(n) (w->groups[n])
#define PICK(w, list) ((list)[below(w, sizeof(list) / sizeof *(list))])

/* --- what computes --- */

static void arithmetic(struct writer *w)
{
	static const uint32_t bases[] = {
		ADD,	    SUB,	XOR,	   AND,	       0x6033, 0x1033, 0x5033, 0x40005033, /* or sll srl sra */
		0x2033,	    0x3033,	0x3b,	   0x4000003b, 0x103b, /* slt sltu addw subw sllw */
		0x02000033, 0x02001033, 0x0200003b};		       /* mul mulh mulw */
	const unsigned n = below(w, 20);
	if (n < 14)
		emit(w, r_type(PICK(w, bases), R(0), n & 1 ? BITS : R(1), R(2)));
	else if (n < 17)
		emit(w, i_type(ADDI | below(w, 2) << 3, R(0), R(1), (int)spare(w, 4096) - 2048)); /* addiw */
	else if (n < 18)
		emit(w, 0x17 | below(w, 2) << 5 | R(0) << 7 | spare(w, 100) << 12); /* auipc lui */
	else
		emit(w, (n < 19 ? 0x0001 : 0x4001) | R(0) << 7 | (1 + below(w, 31)) << 2); /* c.addi c.li */
}

/* Each form of a copy, also of a register to itself and of nothing. */
static void moves(struct writer *w)
{
	const unsigned from = result(w), to = below(w, 8) ? result(w) : from;
	switch (below(w, 5)) {
	case 0:
		emit(w, i_type(ADDI, to, from, 0));
		break;
	case 1:
		emit(w, r_type(ADD, to, 0, from));
		break;
	case 2:
		emit(w, r_type(ADD, to, from, 0));
		break;
	case 3:
		emit(w, 0x8002 | to << 7 | from << 2); /* c.mv */
		break;
	default:
		emit(w, i_type(ADDI, to, 0, 0));
	}
	if (below(w, 2))
		emit(w, r_type(ADD, R(0), to, from));
}

/* Each waits for the one before. */
static void chain(struct writer *w)
{
	const unsigned rd = result(w), count = 2 + below(w, 12);
	const uint32_t base = below(w, 3) ? ADD : 0x02000033;
	for (unsigned i = 0; i < count; i++)
		emit(w, r_type(base, rd, rd, BITS));
}

/* Quotients of every length, the same operands once more, and a remainder of them. */
static void division(struct writer *w)
{
	static const uint32_t bases[] = {0x02004033, 0x02005033, 0x02006033, 0x02007033,
					 0x0200403b, 0x0200503b, 0x0200603b};
	const unsigned a = below(w, 3) ? BITS : result(w), d = result(w);
	emit(w, i_type(SRLI, TARGET, a, (int)below(w, 64)));
	emit(w, i_type(SRLI, OTHER, BITS, (int)below(w, 64)));
	emit(w, r_type(PICK(w, bases), d, TARGET, OTHER));
	for (unsigned again = below(w, 3); again; again--)
		emit(w, r_type(PICK(w, bases), R(0), TARGET, OTHER));
	if (below(w, 2))
		emit(w, r_type(ADD, R(0), d, d));
}

/* f0 to f7 from and to integers, each unit, and fused ones whose addend comes late. */
static void floating(struct writer *w)
{
	static const uint32_t pairs[] = {0x02007053, 0x0a007053, 0x12007053,
					 0x1a007053, 0x22000053,	      /* fadd fsub fmul fdiv fsgnj */
					 0x2a000053, 0x00007053, 0x10007053}; /* fmin fadd.s fmul.s */
	static const uint32_t fused[] = {0x02007043, 0x02007047, 0x0200704b, 0x0200704f};
	static const uint32_t from_int[] = {0xd2207053, 0xd2007053, 0xf2000053,
					    0xf0000053}; /* fcvt.d.l .d.w fmv.d.x .w.x */
	static const uint32_t to_int[] = {0xc2207053, 0xe2000053, 0xe2001053,
					  0xe0000053};			      /* fcvt.l.d fmv.x.d fclass fmv.x.w */
	static const uint32_t alone[] = {0x5a007053, 0x40107053, 0x42007053}; /* fsqrt.d fcvt.s.d fcvt.d.s */
	const unsigned d = below(w, 8), a = below(w, 8), b = below(w, 8);
	switch (below(w, 10)) {
	case 0:
		emit(w, r_type(PICK(w, from_int), d, R(0), 0));
		break;
	case 1:
		emit(w, r_type(PICK(w, to_int), R(0), a, 0));
		break;
	case 2:
	case 3:
		emit(w, r_type(PICK(w, fused), d, a, b) | spare(w, 8) << 27);
		break;
	case 4:
		emit(w, r_type(PICK(w, alone), d, a, 0));
		break;
	case 5:
		emit(w, r_type(0xa2002053, R(0), a, b)); /* feq.d */
		break;
	case 6:
		emit(w, s_type(below(w, 2) ? 0x3027 : 0x2027, NEAR, a, (int)spare(w, 32) * 4)); /* fsd fsw */
		break;
	case 7:
		emit(w, i_type(below(w, 2) ? 0x3007 : 0x2007, d, NEAR, (int)spare(w, 32) * 4)); /* fld flw */
		break;
	default:
		emit(w, r_type(PICK(w, pairs), d, a, b));
	}
}

/* --- memory --- */

static const uint32_t loads[] = {0x3, 0x1003, 0x2003, LD, 0x4003, 0x5003, 0x6003};
static const uint32_t stores[] = {0x23, 0x1023, 0x2023, SD};

/* At x8 or x9 (the same words seen 4 bytes apart), or at x8 + a few random bits: they alias, in part, and across lines. */
static void near_memory(struct writer *w)
{
	unsigned base = NEAR + below(w, 2);
	if (below(w, 3) == 0) {
		emit(w, i_type(ANDI, TARGET, below(w, 2) ? BITS : R(0), 0x78));
		emit(w, r_type(ADD, TARGET, TARGET, base));
		base = TARGET;
	}
	const int offset = (int)below(w, 20) * (spare(w, 6) ? 4 : 3);
	if (below(w, 5) < 3)
		emit(w, i_type(PICK(w, loads), R(0), base, offset));
	else
		emit(w, s_type(PICK(w, stores), base, R(0), offset));
}

/* Across the end of 16, 64, and 4096 bytes. */
static void crossing(struct writer *w)
{
	static const int ends[] = {16, 64, 128, 0x400};
	const int offset = PICK(w, ends) - 1 - (int)spare(w, 7);
	if (below(w, 2))
		emit(w, i_type(PICK(w, loads), R(0), NEAR, offset));
	else
		emit(w, s_type(PICK(w, stores), NEAR, R(0), offset));
}

/* A store whose address, or data, come late, and loads of what it may write. */
static void late_store(struct writer *w)
{
	const unsigned late = result(w), kind = below(w, 4);
	emit(w, r_type(kind & 1 ? 0x02007033 : 0x02000033, late, BITS, NEAR)); /* remu mul */
	if (kind < 2) {
		emit(w, i_type(ANDI, OTHER, late, 8 * (int)below(w, 4)));
		emit(w, r_type(ADD, OTHER, OTHER, NEAR));
		emit(w, s_type(PICK(w, stores), OTHER, R(0), 0));
	} else {
		emit(w, s_type(PICK(w, stores), NEAR, late, 8 * (int)spare(w, 2)));
	}
	if (below(w, 2)) { /* goes ahead later than what is behind it */
		emit(w, r_type(0x02000033, TARGET, BITS, STRIDED));
		emit(w, i_type(ANDI, TARGET, TARGET, 8));
		emit(w, r_type(ADD, TARGET, TARGET, NEAR));
		emit(w, i_type(PICK(w, loads), R(0), TARGET, 0));
	}
	for (unsigned i = 1 + below(w, 3); i; i--)
		emit(w, i_type(PICK(w, loads), R(0), NEAR, (int)spare(w, 4) * 4));
}

/* 2 MiB of lines: misses at every level, and pages; or 16 KiB. */
static void far_memory(struct writer *w)
{
	const int bits = below(w, 2) ? 43 : 50;
	emit(w, i_type(SRLI, TARGET, BITS, (int)below(w, 20)));
	emit(w, i_type(SLLI, TARGET, TARGET, bits));
	emit(w, i_type(SRLI, TARGET, TARGET, bits));
	emit(w, i_type(ANDI, TARGET, TARGET, -64));
	emit(w, r_type(ADD, TARGET, TARGET, NEAR));
	for (unsigned i = 1 + below(w, 2); i; i--) { /* the second finds the line on its way */
		if (below(w, 3))
			emit(w, i_type(LD, R(0), TARGET, 8 * (int)below(w, 3)));
		else
			emit(w, s_type(SD, TARGET, R(0), 8 * (int)below(w, 3)));
	}
}

/* Whole lines are written, one after the other. */
static void stream(struct writer *w)
{
	const unsigned count = 4 + below(w, 16);
	for (unsigned i = 0; i < count; i++)
		emit(w, s_type(SD, STREAM, BITS, 8 * (int)i));
	emit(w, i_type(ADDI, STREAM, STREAM, 8 * (int)count));
	if (below(w, 4) == 0)
		emit(w, i_type(LD, R(0), STREAM, -8 * (int)below(w, 20)));
}

static void strided(struct writer *w)
{
	static const int strides[] = {8, 24, 64, 128, -64, 1024};
	emit(w, i_type(PICK(w, loads), R(0), STRIDED, 8 * (int)spare(w, 4)));
	emit(w, i_type(ADDI, STRIDED, STRIDED, PICK(w, strides)));
}

/* A load whose address is another's data. */
static void dependent_load(struct writer *w)
{
	emit(w, i_type(LD, TARGET, NEAR, 8 * (int)below(w, 20)));
	emit(w, i_type(ANDI, TARGET, TARGET, 0x7f8));
	emit(w, r_type(ADD, TARGET, TARGET, NEAR));
	emit(w, i_type(LD, R(0), TARGET, 0));
}

/* --- what serialises, or waits for the head --- */

static void serialising(struct writer *w)
{
	static const uint32_t alone[] = {FENCE, FENCE_I, ECALL, EBREAK, 0x0ff0000f};
	emit(w, PICK(w, alone)); /* the call does nothing: a7 is 0 */
	if (below(w, 2))
		emit(w, i_type(0x2073, R(0), 0, below(w, 2) ? 0xc02 - 0x1000 : 1)); /* csrr instret, frflags */
}

static void atomic(struct writer *w)
{
	static const uint32_t kinds[] = {0x0000302f, 0x0800302f, 0x0000202f, 0x2000302f, 0x6000302f, 0x0600302f};
	if (below(w, 3) == 0) {
		emit(w, r_type(0x1000302f, R(0), NEAR, 0)); /* lr.d, sc.d */
		emit(w, r_type(0x1800302f, R(0), NEAR, R(1)));
	} else {
		emit(w, r_type(PICK(w, kinds), R(0), NEAR, R(1)));
	}
	if (below(w, 2))
		emit(w, i_type(PICK(w, loads), R(0), NEAR, (int)spare(w, 2) * 4));
}

/* --- branches --- */

/* Over a few parts, or not, by a random bit, or by what a load or a division brings. */
static void skip(struct writer *w)
{
	if (w->depth >= 2) /* a branch reaches no further */
		return;
	static const int masks[] = {1, 6, 64, 3};
	const unsigned from = below(w, 3);
	if (from == 1)
		emit(w, i_type(LD, OTHER, NEAR, 8 * (int)below(w, 20)));
	if (from == 2)
		emit(w, r_type(0x02007033, OTHER, BITS, STREAM)); /* remu */
	emit(w, i_type(ANDI, TARGET, from ? OTHER : BITS, PICK(w, masks)));
	const size_t branch = w->at;
	emit(w, 0);
	w->depth++;
	writer_parts(w, 1 + below(w, 5));
	w->depth--;
	writer_here(w, branch, (below(w, 2) ? BEQ : BNE) | TARGET << 15);
}

/* Over a few integer operations: c.beqz and c.bnez, too. */
static void short_skip(struct writer *w)
{
	const unsigned condition = 11 + below(w, 5), by = 1 + below(w, 4);
	emit(w, i_type(ANDI, condition, below(w, 4) ? BITS : R(0), 1 << spare(w, 8)));
	const uint32_t bytes = 4 * by + (below(w, 2) ? 4 : 2);
	if (bytes & 2) /* the branch has two bytes */
		emit(w, (below(w, 2) ? 0xc001u : 0xe001u) | (condition - 8) << 7 | (bytes >> 1 & 3) << 3 |
				(bytes >> 3 & 3) << 10);
	else
		emit(w, b_type(below(w, 2) ? BEQ : BNE, condition, 0, (int)bytes));
	for (unsigned i = 0; i < by; i++)
		emit(w, r_type(i & 1 ? XOR : ADD, R(0), R(1), R(2)));
}

/* Many in a row, taken seldom. */
static void dense(struct writer *w)
{
	const unsigned count = 2 + below(w, 5);
	for (unsigned i = 0; i < count; i++) {
		const int by = 4 * (int)(count - i);
		emit(w, b_type(below(w, 3) ? 0x7063 : BNE, spare(w, 2) ? 0 : TARGET, R(0), by)); /* bgeu */
	}
}

/* A small loop, from a loop buffer after some rounds; some have a branch inside. */
static void tight_loop(struct writer *w)
{
	const unsigned ops = 1 + below(w, 6);
	emit(w, i_type(ADDI, OTHER, 0, 1 + (int)below(w, 14)));
	const size_t start = w->at;
	for (unsigned i = 0; i < ops; i++)
		emit(w, r_type(i % 3 == 2 ? 0x02000033 : ADD, R(0), R(1), OTHER));
	if (below(w, 2)) {
		emit(w, i_type(ANDI, TARGET, OTHER, 1 << below(w, 3)));
		emit(w, b_type(BNE, TARGET, 0, 8));
		emit(w, r_type(ADD, R(0), BITS, OTHER));
	}
	emit(w, i_type(ADDI, OTHER, OTHER, -1));
	emit(w, b_type(BNE, OTHER, 0, (int)start - (int)w->at));
}

/* Over code that is never there: other lines and pages. */
static void jump_far(struct writer *w)
{
	if (w->size - w->at < 16384)
		return;
	const size_t jump = w->at;
	emit(w, 0);
	w->at += 4 * below(w, w->depth ? 20 : below(w, 6) ? 40 : 1200);
	writer_here(w, jump, 0x6f);
}

static void call(struct writer *w)
{
	if (!w->function_count)
		return;
	const size_t target = w->functions[below(w, w->function_count)];
	emit(w, i_type(ADDI, DEPTH, 0, (int)below(w, 10)));
	if (below(w, 3)) {
		emit(w, j_type(1, (int)(target - w->at)));
		return;
	}
	/* one of two functions, by a random bit */
	const size_t other = w->functions[below(w, w->function_count)];
	emit(w, i_type(ANDI, TARGET, BITS, 1));
	emit(w, b_type(BEQ, TARGET, 0, 16));
	writer_load(w, TARGET, BARE_CODE + target);
	emit(w, j_type(0, 12));
	writer_load(w, TARGET, BARE_CODE + other);
	emit(w, i_type(JALR, 1, TARGET, 0));
}

/* One of four places, by random bits; one of the registers is a link, so that a return is predicted. */
static void indirect(struct writer *w)
{
	static const unsigned links[] = {0, 0, 1, 5};
	const unsigned base = below(w, 5) ? TARGET : 5;
	emit(w, i_type(ANDI, OTHER, BITS, 0x18));
	emit(w, 0x17 | base << 7); /* auipc */
	emit(w, r_type(ADD, base, base, OTHER));
	emit(w, i_type(JALR, PICK(w, links), base, 12));
	for (unsigned i = 0; i < 4; i++) {
		emit(w, r_type(ADD, R(0), R(1), BITS));
		emit(w, j_type(0, 4 + 8 * (3 - (int)i)));
	}
}

/* --- wrong paths --- */

/* Never executed, but easy to get to on a wrong path: behind a branch that nobody can know to be taken always. */
static void never(struct writer *w)
{
	static const uint32_t parts[] = {0,
					 ECALL,
					 EBREAK,
					 FENCE,
					 FENCE_I,
					 0x6f,
					 0x0000302f | NEAR << 15 | 7 << 7,
					 JALR,
					 JALR | NEAR << 15,
					 JALR | BITS << 15,
					 JALR | STREAM << 15,
					 0x15023,
					 0x43023 | BITS << 20,
					 0xffe43023 | BITS << 20,
					 0x0ff0000f,
					 0x30200073};
	emit(w, i_type(ORI, TARGET, R(0), 1));
	if (below(w, 2))
		emit(w, r_type(0x02007033, TARGET, TARGET, 0)); /* remu: as it is, later */
	const size_t branch = w->at;
	emit(w, 0);
	for (unsigned i = 1 + below(w, 3); i; i--) {
		emit(w, PICK(w, parts));
		if (below(w, 2))
			emit(w, i_type(LD, R(0), NEAR, 8 * (int)below(w, 4)));
	}
	writer_here(w, branch, BNE | TARGET << 15);
}

/* Through a pointer that is null every other time, and tested before: a load, a store, a call to nowhere. */
static void guarded(struct writer *w)
{
	emit(w, i_type(ANDI, TARGET, BITS, 1));
	emit(w, r_type(SUB, TARGET, 0, TARGET));
	emit(w, r_type(AND, TARGET, TARGET, NEAR));
	emit(w, b_type(BEQ, TARGET, 0, 8));
	if (below(w, 3))
		emit(w, i_type(LD, R(0), TARGET, 8));
	else
		emit(w, s_type(SD, TARGET, R(0), 8));
}

/* --- vectors --- */

static void vector_length(struct writer *w)
{
	emit(w, i_type(ADDI, LENGTH, 0, (int)below(w, 36)));
	emit(w, 0x7057 | LENGTH << 15 | below(w, 3) << 20 | (2u << 3 | spare(w, 2) << 6 | 1u << 7) << 20);
}

static void vector_operation(struct writer *w)
{
	static const uint32_t kinds[] = {0x00000057, 0x94002057, 0x00001057, 0x00002057,
					 0x80001057, 0x84002057, 0x0c001057};
	static const uint32_t scalars[] = {0x42002057, 0x42006057}; /* vmv.x.s, vmv.s.x */
	for (unsigned i = 1 + below(w, 4); i; i--)
		emit(w, PICK(w, kinds) | 1u << 25 | G(0) << 20 | G(1) << 15 |
				G(2) << 7); /* vadd vmul vfadd vredsum vfdiv vdiv vfredosum */
	if (below(w, 3))
		return;
	const uint32_t scalar = PICK(w, scalars);
	emit(w, scalar & 0x4000 ? scalar | G(0) << 7 | R(0) << 15 : scalar | G(1) << 20 | R(1) << 7);
}

/* A group of four registers, each from another operation. */
static void vector_gather(struct writer *w)
{
	const unsigned to = G(2);
	emit(w, i_type(ADDI, LENGTH, 0, 32));
	emit(w, 0x7057 | LENGTH << 15 | (2u << 3 | 3u << 6) << 20);
	for (unsigned i = 0; i < 4; i++)
		emit(w, (below(w, 2) ? 0x94002057 : 0x80001057) | 1u << 25 | G(0) << 20 | G(1) << 15 | (to + i) << 7);
	emit(w, 0x7057 | LENGTH << 15 | (2u | 2u << 3 | 3u << 6) << 20);
	emit(w, 0x00000057 | 1u << 25 | G(0) << 20 | to << 15 | G(1) << 7);
}

static void vector_memory(struct writer *w)
{
	static const uint32_t widths[] = {5, 6, 6};
	const uint32_t store = below(w, 2);
	const uint32_t base = (store ? 0x27u : 0x07u) | 1u << 25 | TARGET << 15 | G(0) << 7;
	emit(w, i_type(ADDI, TARGET, below(w, 4) ? NEAR : STRIDED, 4 * (int)spare(w, 60)));
	switch (below(w, 3)) {
	case 0:
		emit(w, base | PICK(w, widths) << 12);
		break;
	case 1:
		emit(w, i_type(ADDI, OTHER, 0, (int)below(w, 64) * 4 - 64));
		emit(w, base | 6u << 12 | 2u << 26 | OTHER << 20);
		break;
	default:
		emit(w, base | 6u << 12 | 1u << 26);
	}
	if (below(w, 2))
		emit(w, i_type(PICK(w, loads), R(0), TARGET, 4 * (int)spare(w, 8)));
}

const struct varied_part varied_parts[] = {
	{arithmetic, 8, false},	  {moves, 4, false},	       {chain, 3, false},	 {division, 3, false},
	{floating, 8, false},	  {near_memory, 8, false},     {crossing, 3, false},	 {late_store, 4, false},
	{far_memory, 4, false},	  {stream, 3, false},	       {strided, 4, false},	 {dependent_load, 3, false},
	{serialising, 1, false},  {atomic, 2, false},	       {skip, 6, false},	 {short_skip, 4, false},
	{dense, 3, false},	  {tight_loop, 3, false},      {jump_far, 3, false},	 {call, 5, false},
	{indirect, 3, false},	  {never, 4, false},	       {guarded, 4, false},	 {writer_stir, 5, false},
	{vector_length, 3, true}, {vector_operation, 8, true}, {vector_memory, 8, true}, {vector_gather, 4, true},
};
const unsigned varied_part_count = sizeof varied_parts / sizeof *varied_parts;
