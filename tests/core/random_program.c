/* See the header. Registers: x8, x9 point at data, x18 to x20 count loops, x21 is random bits, x22 keeps a
 * function's return address, x23 an address on its way to an indirect jump; x5 to x7, x11 to x15, x28 to x31 and
 * f0 to f7 are results. */
#include "random_program.h"

#include "bare_guest.h"
#include "encode.h"

#include <stdlib.h>
#include <string.h>

uint64_t random_next(struct random_source *r)
{
	/* splitmix64 */
	uint64_t z = r->state += 0x9e3779b97f4a7c15;
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

uint32_t random_below(struct random_source *r, uint32_t limit)
{
	return (uint32_t)(random_next(r) >> 32) % limit;
}

struct writer {
	struct random_source random;
	uint8_t *code;
	size_t at, size;
	size_t functions[4];
	unsigned function_count;
};

enum { BITS = 21, FUNCTION_RETURN = 22, TARGET = 23 };

static unsigned below(struct writer *w, uint32_t limit)
{
	return random_below(&w->random, limit);
}

static void emit(struct writer *w, uint32_t raw)
{
	unsigned bytes = (raw & 3) == 3 || raw == 0 ? 4 : 2;
	if (w->at + bytes > w->size)
		abort();
	memcpy(w->code + w->at, &raw, bytes);
	w->at += bytes;
}

static unsigned result(struct writer *w)
{
	static const uint8_t registers[] = {5, 6, 7, 11, 12, 13, 14, 15, 28, 29, 30, 31};
	return registers[below(w, sizeof registers)];
}

/* x21 = x21 * 5 + 1 would have poor low bits; shift and xor instead */
static void stir(struct writer *w)
{
	emit(w, i_type(SLLI, TARGET, BITS, 13));
	emit(w, r_type(XOR, BITS, BITS, TARGET));
	emit(w, i_type(SRLI, TARGET, BITS, 7));
	emit(w, r_type(XOR, BITS, BITS, TARGET));
	emit(w, i_type(SLLI, TARGET, BITS, 17));
	emit(w, r_type(XOR, BITS, BITS, TARGET));
}

static void arithmetic(struct writer *w)
{
	static const uint32_t bases[] = {
		ADD,	    SUB,	XOR,	    AND,	0x6033,
		0x1033,	    0x5033,	0x3033,				    /* or, sll, srl, sltu */
		0x02000033, 0x02000033, 0x02004033, 0x02007033, 0x0200003b, /* mul, div, remu, mulw */
	};
	unsigned n = below(w, 16);
	if (n < 13)
		emit(w, r_type(bases[n], result(w), n & 1 ? BITS : result(w), result(w)));
	else if (n < 15)
		emit(w, i_type(ADDI, result(w), result(w), (int)below(w, 4096) - 2048));
	else
		emit(w, 0x0001 | result(w) << 7 | (1 + below(w, 31)) << 2); /* c.addi */
}

/* f0 to f7 from and to integers, and each unit */
static void floating(struct writer *w)
{
	unsigned d = below(w, 8), a = below(w, 8), b = below(w, 8), c = below(w, 8);
	switch (below(w, 10)) {
	case 0:
		emit(w, r_type(0xd2207053, d, result(w), 0));
		break; /* fcvt.d.l */
	case 1:
		emit(w, r_type(0xf2000053, d, result(w), 0));
		break; /* fmv.d.x */
	case 2:
		emit(w, r_type(0xe2000053, result(w), a, 0));
		break; /* fmv.x.d */
	case 3:
		emit(w, r_type(0x02007053, d, a, b));
		break; /* fadd.d */
	case 4:
		emit(w, r_type(0x12007053, d, a, b));
		break; /* fmul.d */
	case 5:
		emit(w, r_type(0x1a007053, d, a, b));
		break; /* fdiv.d */
	case 6:
		emit(w, r_type(0x02007043, d, a, b) | c << 27);
		break; /* fmadd.d */
	case 7:
		emit(w, r_type(0xa2002053, result(w), a, b));
		break; /* feq.d */
	case 8:
		emit(w, s_type(0x3027, 8, a, (int)below(w, 32) * 8));
		break; /* fsd */
	default:
		emit(w, i_type(0x3007, d, 8, (int)below(w, 32) * 8)); /* fld */
	}
}

/* At x8 or x9 (the same words seen 4 bytes apart), or at x8 + a few random bits: they alias. */
static void memory(struct writer *w)
{
	static const uint32_t loads[] = {0x3, 0x1003, 0x2003, LD, 0x4003, 0x6003};
	static const uint32_t stores[] = {0x23, 0x1023, 0x2023, SD};
	unsigned base = 8 + below(w, 2);
	if (below(w, 3) == 0) {
		emit(w, i_type(ANDI, TARGET, below(w, 2) ? BITS : result(w), 0x78));
		emit(w, r_type(ADD, TARGET, TARGET, base));
		base = TARGET;
	}
	int offset = (int)below(w, 20) * (below(w, 8) ? 4 : 3);
	if (below(w, 5) < 3)
		emit(w, i_type(loads[below(w, 6)], result(w), base, offset));
	else
		emit(w, s_type(stores[below(w, 4)], base, result(w), offset));
}

static void far_memory(struct writer *w)
{
	/* 2 MiB of lines: misses at every level, and pages */
	emit(w, i_type(SRLI, TARGET, BITS, 7));
	emit(w, i_type(SLLI, TARGET, TARGET, 43));
	emit(w, i_type(SRLI, TARGET, TARGET, 43));
	emit(w, i_type(ANDI, TARGET, TARGET, -64));
	emit(w, r_type(ADD, TARGET, TARGET, 8));
	if (below(w, 3))
		emit(w, i_type(LD, result(w), TARGET, 0));
	else
		emit(w, s_type(SD, TARGET, result(w), 0));
}

static void rare(struct writer *w)
{
	switch (below(w, 8)) {
	case 0:
		emit(w, FENCE);
		break;
	case 1:
		emit(w, FENCE_I);
		break;
	case 2:
		emit(w, ECALL);
		break; /* does nothing: a7 is 0 */
	case 3:
		emit(w, i_type(0x2073, result(w), 0, 0xc02 - 0x1000));
		break; /* csrr instret */
	case 4:
		emit(w, i_type(0x2073, result(w), 0, 0x001));
		break; /* frflags */
	case 5:
		emit(w, r_type(0x0000302f, result(w), 8, result(w)));
		break; /* amoadd.d */
	case 6:
		emit(w, r_type(0x1000302f, result(w), 8, 0)); /* lr.d, sc.d */
		emit(w, r_type(0x1800302f, result(w), 8, result(w)));
		break;
	default:
		emit(w, r_type(0x0800302f, result(w), 8, result(w))); /* amoswap.d */
	}
}

/* Never executed, but easy to get to on a wrong path: behind a branch that nobody can know to be taken always. */
static void never(struct writer *w)
{
	emit(w, i_type(ORI, TARGET, result(w), 1));
	emit(w, b_type(BNE, TARGET, 0, 8));
	switch (below(w, 6)) {
	case 0:
		emit(w, 0);
		break;
	case 1:
		emit(w, ECALL);
		break;
	case 2:
		emit(w, EBREAK);
		break;
	case 3:
		emit(w, i_type(JALR, 0, 0, 0));
		break; /* address 0 */
	case 4:
		emit(w, s_type(SD, 0, BITS, 8));
		break; /* a store to nowhere */
	default:
		emit(w, s_type(SD, 8, BITS, 16));
		break; /* a store that must leave no trace */
	}
}

/* A load through a pointer that is null every other time, and tested before. */
static void guarded(struct writer *w)
{
	emit(w, i_type(ANDI, TARGET, BITS, 1));
	emit(w, r_type(SUB, TARGET, 0, TARGET));
	emit(w, r_type(AND, TARGET, TARGET, 8));
	emit(w, b_type(BEQ, TARGET, 0, 8));
	emit(w, i_type(LD, result(w), TARGET, 8));
}

/* rd = value, in two instructions */
static void load_upper(struct writer *w, unsigned rd, uint64_t value)
{
	emit(w, 0x37 | rd << 7 | (uint32_t)((value + 0x800) & 0xfffff000));
	emit(w, i_type(ADDI, rd, rd, (int)(value & 0xfff)));
}

static void call(struct writer *w)
{
	if (!w->function_count)
		return;
	size_t target = w->functions[below(w, w->function_count)];
	if (below(w, 3)) {
		emit(w, j_type(1, (int)(target - w->at)));
		return;
	}
	/* one of two functions, by a random bit */
	size_t other = w->functions[below(w, w->function_count)];
	emit(w, i_type(ANDI, TARGET, BITS, 1));
	emit(w, b_type(BEQ, TARGET, 0, 16));
	load_upper(w, TARGET, BARE_CODE + target);
	emit(w, j_type(0, 12));
	load_upper(w, TARGET, BARE_CODE + other);
	emit(w, i_type(JALR, 1, TARGET, 0));
}

static void straight(struct writer *w, unsigned count, unsigned depth);

static void skip(struct writer *w, unsigned depth)
{
	size_t branch;
	unsigned bit = below(w, 3);
	emit(w, i_type(ANDI, TARGET, BITS, bit == 0 ? 1 : bit == 1 ? 6 : 64));
	branch = w->at;
	emit(w, 0); /* filled in below */
	straight(w, 1 + below(w, 6), depth + 1);
	uint32_t raw = b_type(below(w, 2) ? BEQ : BNE, TARGET, 0, (int)(w->at - branch));
	memcpy(w->code + branch, &raw, sizeof raw);
}

static void straight(struct writer *w, unsigned count, unsigned depth)
{
	while (count--) {
		unsigned n = below(w, 100);
		if (n < 35)
			arithmetic(w);
		else if (n < 60)
			memory(w);
		else if (n < 70)
			floating(w);
		else if (n < 74)
			far_memory(w);
		else if (n < 80)
			stir(w);
		else if (n < 82)
			rare(w);
		else if (n < 85)
			never(w);
		else if (n < 89)
			guarded(w);
		else if (n < 93)
			call(w);
		else if (depth < 3)
			skip(w, depth);
	}
}

static void loop(struct writer *w, unsigned depth)
{
	unsigned counter = 18 + depth;
	emit(w, i_type(ADDI, counter, 0, 1 + (int)below(w, depth ? 5 : 20)));
	size_t start = w->at;
	stir(w);
	straight(w, 2 + below(w, 12), 0);
	if (depth < 2 && below(w, 2))
		loop(w, depth + 1);
	straight(w, below(w, 6), 0);
	emit(w, i_type(ADDI, counter, counter, -1));
	/* the body may be too long for a branch: around a jump */
	emit(w, b_type(BEQ, counter, 0, 8));
	emit(w, j_type(0, (int)start - (int)w->at));
}

static void function(struct writer *w)
{
	size_t start = w->at;
	emit(w, i_type(ADDI, FUNCTION_RETURN, 1, 0));
	unsigned count = w->function_count;
	w->function_count = 0; /* leaves only: they would overwrite x22 */
	straight(w, 1 + below(w, 8), 1);
	w->function_count = count;
	emit(w, i_type(ADDI, 1, FUNCTION_RETURN, 0));
	emit(w, i_type(JALR, 0, 1, 0));
	w->functions[w->function_count++] = start;
}

size_t random_program(uint64_t seed, uint8_t *code, size_t size)
{
	struct writer w = {.random = {seed}, .code = code, .size = size};
	size_t entry = w.at;
	emit(&w, 0); /* to main, below */
	for (unsigned i = 1 + below(&w, 4); i; i--)
		function(&w);
	uint32_t raw = j_type(0, (int)(w.at - entry));
	memcpy(code + entry, &raw, sizeof raw);
	load_upper(&w, 8, BARE_DATA + 0x400);
	load_upper(&w, 9, BARE_DATA + 0x404);
	load_upper(&w, BITS, (uint32_t)random_next(&w.random) | 0x1000);
	for (unsigned i = 2 + below(&w, 3); i; i--)
		loop(&w, 0);
	emit(&w, i_type(ADDI, 17, 0, 93));
	emit(&w, ECALL);
	for (unsigned i = 0; i < 16; i++)
		emit(&w, 0);
	return w.at;
}
