/* Inputs of the workloads: each function prints one, from a seed and a size, with integer arithmetic only, so that
 * every host writes the same bytes. */
#ifndef CULPRIT_WORKLOADS_INPUTS_H
#define CULPRIT_WORKLOADS_INPUTS_H

#include <stdint.h>

/* SplitMix64 (Steele, Lea, Flood 2014): every state gives a well mixed number, so seeds may be small integers. */
struct random {
	uint64_t state;
};

static inline uint64_t random_next(struct random *r)
{
	uint64_t z = r->state += 0x9e3779b97f4a7c15u;
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

/* 0 .. n-1; the bias of the multiply is below n / 2^32. */
static inline uint32_t random_below(struct random *r, uint32_t n)
{
	return (uint32_t)(((random_next(r) >> 32) * n) >> 32);
}

void input_text(uint64_t bytes);
void input_sentences(uint64_t count);
void input_csource(uint64_t functions);
void input_flow(uint64_t nodes);
void input_cnf(uint64_t variables);
void input_genome(uint64_t bases);
void input_reads(uint64_t count);

#endif
