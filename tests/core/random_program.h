/* Random programs for the core's tests: short loops with unpredictable branches, aliasing loads and stores, calls, what
 * serialises, what waits for the head; and on paths that are never right: faults, illegal instructions, system calls,
 * jumps to nowhere. Every program ends. */
#ifndef TESTS_CORE_RANDOM_PROGRAM_H
#define TESTS_CORE_RANDOM_PROGRAM_H

#include <stddef.h>
#include <stdint.h>

struct random_source {
	uint64_t state;
};

uint64_t random_next(struct random_source *r);
/* 0 <= value < limit */
uint32_t random_below(struct random_source *r, uint32_t limit);

/* Flat code for bare_guest_create; returns its bytes (at most `size`). */
size_t random_program(uint64_t seed, uint8_t *code, size_t size);

#endif
