/* The commit stack: every cycle of the run, by what commit waited for. From records alone, with work per instruction
 * and not per cycle; the rows sum exactly to the cycles.
 *
 * A cycle in which something commits counts as `commit`. Each other cycle belongs to the instruction that commits next
 * (the oldest), and is charged to what that instruction was doing in it: its recorded times and latencies say so. */
#ifndef CULPRIT_ANALYSIS_COMMIT_STACK_H
#define CULPRIT_ANALYSIS_COMMIT_STACK_H

#include "culprit/record.h"

struct machine;

enum commit_row {
#define COMMIT_ROW(name, meaning) COMMIT_##name,
#include "analysis/commit_stack.def"
	COMMIT_ROWS
};

struct commit_stack_params {
	uint32_t frontend_stages, dispatch_to_issue, commit_delay; /* cycles */
};
struct commit_stack_params commit_stack_of(const struct machine *m);

struct commit_stack {
	struct commit_stack_params params;
	uint64_t cycles[COMMIT_ROWS];
	uint64_t next_cycle;	 /* first cycle not yet accounted for */
	uint16_t previous_flags; /* of the instruction before */
};

/* What commit waited for before one instruction, in the order of time. */
enum { COMMIT_WAIT_PARTS = 13 };
struct commit_wait {
	unsigned count;
	struct {
		enum commit_row row;
		uint64_t cycles; /* not 0 */
	} parts[COMMIT_WAIT_PARTS];
};

/* The cycles from `from` on in which commit waited for r, the first to commit in its cycle; `before`: flags of the
 * instruction before. */
void commit_stack_wait(const struct commit_stack_params *params, const struct culprit_record *r, unsigned before,
		       uint64_t from, struct commit_wait *wait);

/* What emptied the window in front of r, misses of fetch aside: bmisp, violation, serial, btb or fetch. */
enum commit_row commit_stack_emptied(unsigned before, const struct culprit_record *r);

/* What r executed: the last row of its execution. */
enum commit_row commit_stack_executed(const struct culprit_record *r);

void commit_stack_init(struct commit_stack *s, const struct commit_stack_params *params);
void commit_stack_push(struct commit_stack *s, const struct culprit_record *records, size_t count);
/* The run had `cycles` cycles: what came after the last commit goes to `end`. */
void commit_stack_finish(struct commit_stack *s, uint64_t cycles);

const char *commit_row_name(enum commit_row row);
const char *commit_row_meaning(enum commit_row row);

#endif
