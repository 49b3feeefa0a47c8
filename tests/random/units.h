/* What the generators of random units share. Private to units.c and unit_*.c. */
#ifndef CULPRIT_TESTS_RANDOM_UNITS_H
#define CULPRIT_TESTS_RANDOM_UNITS_H

#include "random/program.h"

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

void emit(struct state *state, uint32_t word);
uint32_t addi(unsigned rd, unsigned rs1, int imm);
/* May this register not be written? */
bool kept(const struct state *state, unsigned reg);
/* Any register that may be written, x0 too. */
unsigned destination(struct state *state);
/* A pointer or link register: neither x0 nor kept. `low`: one of x8..x15. */
unsigned free_register(struct state *state, bool low);

/* unit_memory.c */
void unit_access(struct state *state);
void unit_compressed_access(struct state *state);
void unit_amo(struct state *state);
void unit_reserve(struct state *state);

/* unit_jump.c */
void unit_branch(struct state *state);
void unit_jump(struct state *state);
/* The offset's bits where an encoding wants them. */
uint32_t scatter_branch(uint32_t offset);
uint32_t scatter_jal(uint32_t offset);
/* Fill in the jumps, now that the units' starts are known. */
void jumps_resolve(struct state *state, const size_t *starts);

#endif
