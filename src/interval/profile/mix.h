/* What the stream is made of: classes, branches, dependence distances, and how many fetch groups it takes. */
#ifndef CULPRIT_INTERVAL_PROFILE_MIX_H
#define CULPRIT_INTERVAL_PROFILE_MIX_H

#include "interval/profile/stream.h"
#include "riscv/riscv.h"

/* Groups of one width and taken limit, while they are counted. */
struct fetch_group {
	uint32_t room;	/* instructions that still fit */
	uint32_t taken; /* branches so far */
};

struct interval_mix_pass {
	struct interval_mix mix;
	struct interval_fetch fetch;
	uint64_t at;				 /* instructions of the region */
	uint64_t written[EVENT_NO_REGISTER + 1]; /* number of the last writer, from 1; 0 = none */
	uint64_t window;			 /* number of its first instruction */
	uint64_t period;			 /* one window begins in so many instructions */
	uint32_t line_shift;
	uint64_t line;	 /* of the instruction before; in [1] */
	bool broken;	 /* the instruction before was a taken branch, or there is none */
	uint32_t run[2]; /* instructions since the last break */
	struct fetch_group groups[2][INTERVAL_FETCH_TAKEN][INTERVAL_FETCH_WIDTHS];
};

/* One stretch of the region in `every` comes with events. */
void interval_mix_init(struct interval_mix_pass *m, const struct machine *reference, uint64_t every);
/* The instruction was executed so many times. Taken conditional branches and what hangs on the order come of the
 * batches. */
void interval_mix_count(struct interval_mix_pass *m, const struct riscv_insn *insn, uint64_t times);
void interval_mix_push(struct interval_mix_pass *m, const struct interval_batch *b);
void interval_mix_restart(struct interval_mix_pass *m);
void interval_mix_finish(const struct interval_mix_pass *m, struct interval_profile *to);

#endif
