/* One program on one machine, with every analysis that listens to the core: what must hold whatever the machine. */
#ifndef TESTS_CORE_MACHINE_CHECKS_H
#define TESTS_CORE_MACHINE_CHECKS_H

#include "machine/machine.h"

#include <stdio.h>

/* The instructions simulated are enough for one percent to be some cycles, and few enough for a thousand machines. */
enum { EXPLAIN_ROWS = 4 };
enum { CHECKS_CODE_BYTES = 60000, CHECKS_INSNS = 6000, CHECKS_INSNS_LEAST = 2000 };

enum machine_check_name {
	CHECK_RUN,	/* no error, no deadlock; nobody listening: as many cycles */
	CHECK_COMMIT,	/* the commit stack's rows are the cycles, the profile's those up to the last commit */
	CHECK_STACKS,	/* every counter architecture's stack, stage stacks and top-down sum (through log and replay) */
	CHECK_STALLS,	/* the stall tree's leaves are the opportunities lost */
	CHECK_POWERSET, /* the graph's interaction costs and what is left with everything idealised are its base time */
	CHECK_PATH,	/* the critical path's parts, by kind and by instruction, are its length */
	/* base times: the error in percent is in the results, and it is the caller's to say what is too much */
	CHECK_GRAPH,
	CHECK_GRAPH_RECORDED, /* waits for issue as recorded */
	CHECK_CRITICAL,
	CHECK_COUNT
};

struct machine_checks {
	uint64_t instructions, cycles;
	double error[CHECK_COUNT];	 /* percent, of base times */
	const char *broken[CHECK_COUNT]; /* what does not hold; NULL = it does */
	char texts[CHECK_COUNT][200];
	FILE *figures; /* as below */
};

const char *machine_check_what(enum machine_check_name check);
/* `code`: CHECKS_CODE_BYTES of it. Only the run, when the program is shorter than CHECKS_INSNS_LEAST. All that was found is
 * written to `figures`, if that is not NULL (machine_figures.h). */
void machine_checks_run(struct machine_checks *x, const struct machine *m, const uint8_t *code, FILE *figures);

/* Where recorded times and the edges of the graph disagree, as `culprit check` has it. */
void machine_checks_explain(const struct machine *m, const uint8_t *code, FILE *f);

#endif
