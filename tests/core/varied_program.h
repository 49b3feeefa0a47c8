/* Random programs that differ in what they are made of: each leaves out a third of the kinds of parts that there are (varied_parts.c),
 * and has much of a few. A key of a machine is felt where much of what it is about comes together; where a program has a little of
 * everything, something else holds each instruction up.
 *
 * Loops of parts, three deep at most, and functions that call each other. Every program ends. */
#ifndef TESTS_CORE_VARIED_PROGRAM_H
#define TESTS_CORE_VARIED_PROGRAM_H

#include "random_program.h"

#include <stdbool.h>

/* Flat code for bare_guest_create; returns its bytes (at most `size`). */
size_t varied_program(uint64_t seed, bool vectors, uint8_t *code, size_t size);

/* --- for varied_parts.c --- */

/* x3 and x4 walk through data; x8, x9 point at data; x18 to x20 count loops and x26 calls; x21 is random bits; x23 to x25
 * are for a moment; x22 keeps a function's return address. Results: x5 to x7, x11 to x15, x28 to x31, f0 to f7; v4 on. v0 has
 * indices. */
enum {
	STREAM = 3,
	STRIDED = 4,
	NEAR = 8,
	BITS = 21,
	FUNCTION_RETURN = 22,
	TARGET = 23,
	OTHER = 24,
	LENGTH = 25,
	DEPTH = 26
};

enum { PARTS_MOST = 32, FUNCTIONS_MOST = 6 };

struct writer {
	struct random_source random;
	uint8_t *code;
	size_t at, size;
	size_t functions[FUNCTIONS_MOST];
	unsigned function_count;
	unsigned weight[PARTS_MOST], weights;
	unsigned depth; /* of parts in parts */
	/* for the next instruction: registers, groups of four vector registers (not that of v0), random bits */
	unsigned ahead[3], groups[3];
	uint32_t bits;
};

unsigned writer_below(struct writer *w, uint32_t limit);
uint32_t writer_spare(const struct writer *w, uint32_t limit);
/* Of 4 bytes, or 2 where the encoding is such. */
void writer_emit(struct writer *w, uint32_t raw);
unsigned writer_result(struct writer *w);
/* A branch or jump at `at` that leads here. */
void writer_here(struct writer *w, size_t at, uint32_t branch);
/* x21: new bits */
void writer_stir(struct writer *w);
/* rd = value, in two instructions */
void writer_load(struct writer *w, unsigned rd, uint64_t value);
/* So many parts, as the weights say. */
void writer_parts(struct writer *w, unsigned count);

/* One kind of part. */
struct varied_part {
	void (*write)(struct writer *w);
	unsigned weight; /* at most, and 1 at least where it is not left out */
	bool vector;
};
extern const struct varied_part varied_parts[];
extern const unsigned varied_part_count;

#endif
