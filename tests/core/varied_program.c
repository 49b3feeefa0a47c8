#include "varied_program.h"

#include "bare_guest.h"
#include "encode.h"

#include <stdlib.h>
#include <string.h>

unsigned writer_below(struct writer *w, uint32_t limit)
{
	return random_below(&w->random, limit);
}

uint32_t writer_spare(const struct writer *w, uint32_t limit)
{
	return w->bits % limit;
}

unsigned writer_result(struct writer *w)
{
	static const uint8_t registers[] = {5, 6, 7, 11, 12, 13, 14, 15, 28, 29, 30, 31};
	return registers[writer_below(w, sizeof registers)];
}

static void draw_ahead(struct writer *w)
{
	for (unsigned i = 0; i < 3; i++) {
		w->ahead[i] = writer_result(w);
		w->groups[i] = 4 * (1 + writer_below(w, 7));
	}
	w->bits = (uint32_t)(random_next(&w->random) >> 32);
}

void writer_emit(struct writer *w, uint32_t raw)
{
	unsigned bytes = (raw & 3) == 3 || raw == 0 ? 4 : 2;
	if (w->at + bytes > w->size)
		abort();
	memcpy(w->code + w->at, &raw, bytes);
	w->at += bytes;
	draw_ahead(w);
}

void writer_here(struct writer *w, size_t at, uint32_t branch)
{
	const int by = (int)(w->at - at);
	const uint32_t raw = branch | ((branch & 0x7f) == 0x6f ? j_type(0, by) : b_type(BEQ, 0, 0, by));
	memcpy(w->code + at, &raw, sizeof raw);
}

/* xorshift */
void writer_stir(struct writer *w)
{
	writer_emit(w, i_type(SLLI, TARGET, BITS, 13));
	writer_emit(w, r_type(XOR, BITS, BITS, TARGET));
	writer_emit(w, i_type(SRLI, TARGET, BITS, 7));
	writer_emit(w, r_type(XOR, BITS, BITS, TARGET));
	writer_emit(w, i_type(SLLI, TARGET, BITS, 17));
	writer_emit(w, r_type(XOR, BITS, BITS, TARGET));
}

void writer_load(struct writer *w, unsigned rd, uint64_t value)
{
	writer_emit(w, 0x37 | rd << 7 | (uint32_t)((value + 0x800) & 0xfffff000));
	writer_emit(w, i_type(ADDI, rd, rd, (int)(value & 0xfff)));
}

void writer_parts(struct writer *w, unsigned count)
{
	while (count--) {
		unsigned which = 0;
		for (unsigned n = writer_below(w, w->weights); n >= w->weight[which]; which++)
			n -= w->weight[which];
		varied_parts[which].write(w);
	}
}

static void draw_weights(struct writer *w, bool vectors)
{
	for (unsigned i = 0; i < varied_part_count; i++) {
		const struct varied_part *part = &varied_parts[i];
		const unsigned drawn = 1 + writer_below(w, part->weight);
		w->weight[i] = (part->vector && !vectors) || !writer_below(w, 3) ? 0 : drawn;
		w->weights += w->weight[i];
	}
	w->weight[0]++; /* there is something, always */
	w->weights++;
}

static void loop(struct writer *w, unsigned depth)
{
	unsigned counter = 18 + depth;
	writer_emit(w, i_type(ADDI, counter, 0, 1 + (int)writer_below(w, depth ? 8 : 24)));
	size_t start = w->at;
	writer_stir(w);
	writer_parts(w, 2 + writer_below(w, 10));
	if (depth < 2 && writer_below(w, 2))
		loop(w, depth + 1);
	writer_parts(w, writer_below(w, 6));
	writer_emit(w, i_type(ADDI, counter, counter, -1));
	/* the body may be too long for a branch: around a jump */
	writer_emit(w, b_type(BEQ, counter, 0, 8));
	writer_emit(w, j_type(0, (int)start - (int)w->at));
}

/* A leaf, or one that calls itself x26 times, with its return addresses on the stack. */
static void function(struct writer *w)
{
	const size_t start = w->at;
	const unsigned count = w->function_count;
	w->function_count = 0; /* calls from parts would overwrite x22 */
	w->depth = 1;
	if (count % 2) {
		writer_emit(w, i_type(ADDI, 2, 2, -16));
		writer_emit(w, s_type(SD, 2, 1, 8));
		writer_emit(w, b_type(BEQ, DEPTH, 0, 12));
		writer_emit(w, i_type(ADDI, DEPTH, DEPTH, -1));
		writer_emit(w, j_type(1, (int)start - (int)w->at));
		writer_parts(w, writer_below(w, 3));
		writer_emit(w, i_type(LD, 1, 2, 8));
		writer_emit(w, i_type(ADDI, 2, 2, 16));
	} else {
		writer_emit(w, i_type(ADDI, FUNCTION_RETURN, 1, 0));
		writer_parts(w, 1 + writer_below(w, 6));
		writer_emit(w, i_type(ADDI, 1, FUNCTION_RETURN, 0));
	}
	writer_emit(w, i_type(JALR, 0, 1, 0));
	w->depth = 0;
	w->function_count = count;
	w->functions[w->function_count++] = start;
}

static void begin(struct writer *w, bool vectors)
{
	writer_load(w, NEAR, BARE_DATA + 0xc00);
	writer_load(w, NEAR + 1, BARE_DATA + 0xc04);
	writer_load(w, STREAM, BARE_DATA + 0x400000);
	writer_load(w, STRIDED, BARE_DATA + 0x800000);
	writer_load(w, BITS, (uint32_t)random_next(&w->random) | 0x1000);
	if (!vectors)
		return;
	writer_emit(w, i_type(ADDI, LENGTH, 0, 32));
	writer_emit(w, 0x7057 | LENGTH << 15 | (2 | 2 << 3 | 3 << 6) << 20); /* vsetvli of elements of 32 bits */
	writer_emit(w, 0x5208a057);					     /* vid.v v0 */
	writer_emit(w, i_type(ADDI, TARGET, 0, 68));
	writer_emit(w, 0x96006057 | TARGET << 15); /* vmul.vx v0, v0, x23 */
}

size_t varied_program(uint64_t seed, bool vectors, uint8_t *code, size_t size)
{
	struct writer w = {.random = {seed}, .code = code, .size = size};
	draw_weights(&w, vectors);
	draw_ahead(&w);
	writer_emit(&w, 0); /* to main, below */
	for (unsigned i = 2 + writer_below(&w, FUNCTIONS_MOST - 1); i; i--)
		function(&w);
	writer_here(&w, 0, 0x6f);
	begin(&w, vectors);
	for (unsigned i = 4 + writer_below(&w, 5); i; i--)
		loop(&w, 0);
	writer_emit(&w, i_type(ADDI, 17, 0, 93));
	writer_emit(&w, ECALL);
	for (unsigned i = 0; i < 16; i++)
		writer_emit(&w, 0);
	return w.at;
}
