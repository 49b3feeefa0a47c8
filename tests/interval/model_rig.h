/* Helpers of the model's tests: machines out of text, streams by hand, and a made-up profile whose counts are known. */
#ifndef TESTS_INTERVAL_MODEL_RIG_H
#define TESTS_INTERVAL_MODEL_RIG_H

#include "interval/model/model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static inline struct machine rig_machine(const char *text)
{
	struct machine m;
	struct error err;
	memset(&m, 0, sizeof m);
	if (!machine_parse(&m, text, strlen(text), "rig", &err))
		fail_msg("%s", err.text);
	return m;
}

static inline void rig_set(struct machine *m, const char *assignment)
{
	struct error err;
	if (!machine_set(m, assignment, &err))
		fail_msg("%s", err.text);
}

/* The same numbers on every host. */
static inline uint32_t rig_random(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(*state >> 33);
}

static inline struct interval_sample rig_op(uint32_t i, enum culprit_op_class op, uint16_t producer)
{
	return (struct interval_sample){.pc = 2 * i, .op = op, .producer = {producer}, .dest = SAMPLE_DEST_INT};
}

/* A mix with everything in it: chains, loads that miss here and there, stores, mispredictions, fetch misses. */
static inline struct interval_sample rig_random_sample(uint32_t i, uint64_t *state)
{
	uint32_t kind = rig_random(state) % 100;
	struct interval_sample s = rig_op(i, CULPRIT_OP_int_alu, (uint16_t)(1 + rig_random(state) % 12));
	if (kind < 25) {
		s.op = CULPRIT_OP_load;
		s.flags = SAMPLE_LOAD;
		s.address = rig_random(state) % 100000 + 1;
		uint32_t where = rig_random(state) % 200;
		s.dlevel = where < 2 ? CULPRIT_LEVEL_MEMORY : where < 20 ? CULPRIT_LEVEL_L2 : CULPRIT_LEVEL_L1;
		s.dtlb = where == 30 ? CULPRIT_LEVEL_MEMORY : CULPRIT_LEVEL_L1;
	} else if (kind < 35) {
		s.op = CULPRIT_OP_store;
		s.flags = SAMPLE_STORE;
		s.address = rig_random(state) % 100000 + 1;
		s.dlevel = CULPRIT_LEVEL_L1;
		s.dest = SAMPLE_DEST_NONE;
	} else if (kind < 50) {
		s.op = CULPRIT_OP_branch;
		s.flags = rig_random(state) % 12 ? 0 : SAMPLE_MISPREDICTED;
		s.flags |= rig_random(state) % 2 ? SAMPLE_TAKEN : 0;
		s.dest = SAMPLE_DEST_NONE;
	} else if (kind < 52) {
		s.op = CULPRIT_OP_int_mul;
	}
	if (i % 8 == 0)
		s.ilevel = rig_random(state) % 16 ? CULPRIT_LEVEL_L1 : CULPRIT_LEVEL_L2;
	return s;
}

/* Half of the accesses hit at depth 0; every doubling of the sets lets a tenth more hit. */
static inline void rig_sweep(struct interval_sweep *s, uint64_t first_sets, uint64_t accesses)
{
	s->first_sets = first_sets;
	s->sets = INTERVAL_SETS;
	for (unsigned line = 0; line < INTERVAL_LINES; line++)
		for (unsigned kind = 0; kind < INTERVAL_KINDS; kind++) {
			s->accesses[line][kind] = accesses;
			for (unsigned sets = 0; sets < INTERVAL_SETS; sets++) {
				s->hits[line][kind][sets][0] = accesses / 2;
				for (unsigned d = 1; d < INTERVAL_WAYS; d++)
					s->hits[line][kind][sets][d] = accesses / 100 * (1 + sets) / 4;
			}
		}
}

static inline void rig_paths(struct interval_profile *p)
{
	for (unsigned w = 0; w < INTERVAL_WINDOW; w++) {
		p->paths.windows[w] = 1000;
		for (unsigned set = 0; set < INTERVAL_LATENCIES; set++)
			p->paths.sum[set][w] = (uint64_t)(1000 * __builtin_pow(w + 1, 1 / 1.6) / 1.2);
	}
}

/* To be cleared by interval_profile_clear() and freed. */
static inline struct interval_profile *rig_profile(uint32_t samples, uint64_t seed)
{
	struct interval_profile *p = calloc(1, sizeof *p);
	assert_non_null(p);
	p->machine = rig_machine("description: rig\n");
	strcpy(p->program, "rig");
	p->instructions = samples;
	p->samples.list = calloc(samples, sizeof *p->samples.list);
	p->samples.count = samples;
	p->samples.stretch = INTERVAL_SAMPLE;
	p->samples.every = 1;
	for (uint32_t i = 0; i < samples; i++)
		p->samples.list[i] = rig_random_sample(i, &seed);
	p->mix.op[CULPRIT_OP_int_alu] = samples / 4 * 3;
	p->mix.op[CULPRIT_OP_load] = samples / 4;
	rig_sweep(&p->l1i, 4, samples / 8);
	rig_sweep(&p->l1d, 4, samples / 4);
	rig_sweep(&p->l2, 6, samples / 100);
	memset(p->l2.accesses[2], 0, sizeof p->l2.accesses[2][INTERVAL_FETCH]); /* 128-byte lines: no fetch misses L2 */
	memset(p->l2.hits[2][INTERVAL_FETCH], 0, sizeof p->l2.hits[2][INTERVAL_FETCH]);
	rig_paths(p);
	strcpy(p->predictor[0].name, "reference");
	p->predictor[0].branch = interval_branch_of(&p->machine);
	p->predictor[0].direction = samples / 80;
	p->predictor[0].interval[80] = samples / 80;
	p->predictor[0].instructions[80] = samples;
	for (unsigned w = 0; w < INTERVAL_WINDOWS; w++)
		p->overlap[INTERVAL_CHAIN_memory].units[w] = samples / 400 - w;
	p->overlap[INTERVAL_CHAIN_memory].misses = samples / 400;
	return p;
}

static inline void rig_profile_free(struct interval_profile *p)
{
	interval_profile_clear(p);
	free(p);
}

#endif
