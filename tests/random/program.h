/* A RISC-V program made of random instruction sequences, for comparing executors.
 *
 * Each sequence has a record in the program's data. Its code loads every register from the record, runs the random
 * instructions, which load and store only in the record's scratch part (and exchange instructions), stores every register back and writes the
 * record to standard output; so the output is one record per sequence. The same seed gives the same program. */
#ifndef CULPRIT_TESTS_RANDOM_PROGRAM_H
#define CULPRIT_TESTS_RANDOM_PROGRAM_H

#include "riscv/fp_operands.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CODE_ADDRESS 0x10000u
#define DATA_ADDRESS 0x1000000u

#define SCRATCH_BYTES 1024

/* What a program that is beyond RV64GC may use: bits of its seed. */
#define RANDOM_BITS (1ull << 63)  /* Zba, Zbb, Zbc, Zbs */
#define RANDOM_HALF (1ull << 62)  /* Zfh, Zfa */
#define RANDOM_SWAPS (1ull << 61) /* Zacas */

struct record {
	uint8_t scratch[SCRATCH_BYTES];
	uint64_t x[32]; /* x[0] holds the sequence's number */
	uint64_t f[32];
	uint64_t fcsr;
	uint64_t unused;
};

/* A sequence's base register points here in its record. */
#define BASE_OFFSET (SCRATCH_BYTES / 2)

struct sequence {
	uint64_t seed;
	size_t start, end; /* of the random part, in halfwords of the code */
};

struct program {
	unsigned count;
	struct sequence *sequences;
	struct record *records; /* initial values */
	uint16_t *code;
	size_t halves, room;
	uint64_t beyond; /* RANDOM_BITS, ... */
};

/* Generate `count` sequences of `length` units (see units.c) each. With `only` not ALL_SEQUENCES the others are left
 * empty. A shorter length gives the same units, but for jumps past the end. */
#define ALL_SEQUENCES UINT32_MAX
#define MAX_UNITS 1024
void program_generate(struct program *program, uint64_t seed, unsigned count, unsigned length, unsigned only);
void program_free(struct program *program);
bool program_write_elf(const struct program *program, const char *path);

void program_emit16(struct program *program, uint16_t half);
void program_emit32(struct program *program, uint32_t word);
uint64_t program_address(size_t half);

/* Append `length` random units that keep `base`. (units.c) */
void units_generate(struct program *program, struct random *random, unsigned base, unsigned length);
/* A number below `limit`. */
unsigned pick(struct random *random, unsigned limit);

#endif
