/* The smallest host that can run a random program (program.h): its two segments, and the system calls write and exit.
 * It needs nothing but the riscv room, so a mismatch is the executor's. */
#ifndef CULPRIT_TESTS_RANDOM_HOST_H
#define CULPRIT_TESTS_RANDOM_HOST_H

#include "random/coverage.h"
#include "random/program.h"

enum host_mode {
	HOST_RUN,    /* riscv_run without a limit */
	HOST_SLICES, /* riscv_run with small limits */
	HOST_STEP,   /* riscv_step, checking what the decoder says about each instruction */
	HOST_MODES
};

extern const char *const host_mode_names[HOST_MODES];

/* What the program wrote, and how its run ended: "" for exit(0), else why not. */
struct host_output {
	uint8_t *bytes;
	size_t size, room;
	char trouble[600];
	uint64_t instructions;
};

/* `coverage` is added to when stepping. */
void host_run(const struct program *program, enum host_mode mode, struct host_output *output,
	      struct coverage *coverage);

#endif
