/* A synthetic program as a stream of branches: 160 functions that call each other, each with loops, correlated,
 * biased, periodic and (one function in 16) random conditional branches, an interpreter's switch (one in four), and
 * calls and returns around them. Deterministic. Used to compare predictors and to feed the property tests. */
#ifndef TESTS_MACHINE_PREDICTOR_MIX_H
#define TESTS_MACHINE_PREDICTOR_MIX_H

#include "machine/predictor_rig.h"

enum { MIX_QUEUE = 4096, MIX_FUNCTIONS = 160, MIX_SITES = 16, MIX_INSNS_PER_BRANCH = 6 };

struct mix {
	struct branch_query queue[MIX_QUEUE];
	uint32_t head, tail;
	uint64_t random;
	uint32_t visits[MIX_FUNCTIONS][MIX_SITES];
	uint32_t counter[MIX_FUNCTIONS]; /* operations interpreted */
	uint32_t depth, calls;
};

static inline void mix_start(struct mix *x, uint64_t seed)
{
	memset(x, 0, sizeof *x);
	x->random = seed;
}

static inline uint64_t mix_pc(uint32_t function, uint32_t site)
{
	return 0x10000 + function * 0x400u + site * 0x1au;
}

static inline void mix_emit(struct mix *x, struct branch_query q)
{
	x->queue[x->tail++ % MIX_QUEUE] = q;
}

static inline void mix_conditional(struct mix *x, uint32_t function, uint32_t site, bool taken)
{
	uint64_t pc = mix_pc(function, site);
	mix_emit(x, conditional(pc, pc + 0x40, taken));
}

static inline void mix_loop(struct mix *x, uint32_t function, uint32_t site, uint32_t trips, bool body)
{
	uint64_t pc = mix_pc(function, site);
	for (uint32_t i = 0; i < trips; i++) {
		if (body)
			mix_conditional(x, function, site + 1, i % 3 == 0);
		mix_emit(x, conditional(pc, pc - 0x20, i + 1 < trips));
	}
}

static inline void mix_switch(struct mix *x, uint32_t function, uint32_t site, uint32_t choice)
{
	uint64_t pc = mix_pc(function, site);
	mix_emit(x, jump(CULPRIT_BRANCH_INDIRECT_JUMP, pc, pc + 0x40 + 0x12 * choice));
}

static inline void mix_function(struct mix *x, uint32_t f);

static inline void mix_call(struct mix *x, uint32_t from, uint32_t site, uint32_t to)
{
	if (x->depth >= 8)
		return;
	uint64_t pc = mix_pc(from, site);
	bool indirect = (from + site) % 5 == 0;
	mix_emit(x, jump(indirect ? CULPRIT_BRANCH_INDIRECT_CALL : CULPRIT_BRANCH_CALL, pc, mix_pc(to, 0) - 8));
	x->depth++;
	mix_function(x, to);
	x->depth--;
	mix_emit(x, jump(CULPRIT_BRANCH_RETURN, mix_pc(to, MIX_SITES), pc + 4));
}

/* An interpreter: each function has a fixed program of 12 operations in a random-looking order of 11 to 47. What comes
 * next is told by the operations before, not by the operation itself. */
static inline void mix_interpreter(struct mix *x, uint32_t f, uint32_t steps)
{
	for (uint32_t i = 0; i < steps; i++) {
		uint64_t seed = f * 1000 + x->counter[f]++ % (11 + f % 37);
		uint32_t operation = rig_random(&seed) % 12;
		mix_switch(x, f, 8, operation);
		mix_conditional(x, f, 9, operation % 3 == 0);
	}
}

static inline void mix_function(struct mix *x, uint32_t f)
{
	uint32_t *n = x->visits[f];
	uint64_t r = rig_random(&x->random);
	bool noisy = f % 16 == 0;
	bool a = noisy ? r & 1 : n[1]++ % 3 == 0;
	mix_conditional(x, f, 1, a);
	mix_conditional(x, f, 2, (r >> 8 & 63) != 0);	      /* biased */
	mix_conditional(x, f, 3, a ^ (f & 1));		      /* repeats site 1 */
	mix_loop(x, f, 4, 3 + f % 23, f % 3 == 0);	      /* constant trips, own for each function */
	mix_conditional(x, f, 6, n[6]++ % (5 + f % 13) == 0); /* period beyond what a short history shows */
	if (f % 4 == 1)
		mix_interpreter(x, f, 6);
	if (noisy)
		mix_loop(x, f, 10, 1 + (uint32_t)(r >> 24 & 3), false); /* trips at random */
	mix_conditional(x, f, 11, 0x5a35 >> n[11]++ % 15 & 1);		/* local pattern */
	if (n[12]++ % 4)
		mix_call(x, f, 12, (f * 7 + n[12] % 3) % MIX_FUNCTIONS);
}

/* The next branch of the program. Phases of 500 calls over 16 functions each. */
static inline struct branch_query mix_next(struct mix *x)
{
	while (x->head == x->tail) {
		uint32_t phase = x->calls++ / 500;
		mix_call(x, MIX_FUNCTIONS, phase % MIX_SITES, (phase * 16 + x->calls % 16) % MIX_FUNCTIONS);
	}
	return x->queue[x->head++ % MIX_QUEUE];
}

#endif
