/* When samples are taken: one in every `interval` instructions, which begin at a place drawn at random, and each at a
 * place drawn at random from the first `spread` of its interval. Places at equal distances would meet whatever has a
 * period that fits them (a turn of threads has 100,000 instructions) always or never. How long the program is nobody
 * knows before, so samples begin close together, and are dropped when there are too many. What remains is what the
 * thinner schedule would have taken.
 *
 * Places are numbered from 0. Of each ROUND of them 7, 3, 5 and 1 are dropped, in this order, in four steps; then the
 * interval is twice as long, and all places that are left are numbered anew. */
#ifndef CULPRIT_SAMPLE_SCHEDULE_H
#define CULPRIT_SAMPLE_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sample_schedule {
	uint64_t interval; /* instructions for one place */
	uint64_t start;
	int64_t first;	 /* where the interval of place 0 begins: before the start, or behind it */
	uint64_t spread; /* 0: at the beginning of each interval */
	uint64_t seed;
	unsigned doubled; /* how often the interval was, since samples are taken */
	uint64_t next;	  /* number of the place where the next sample is taken */
	size_t taken;	  /* samples that remain */
	unsigned dropped; /* steps done: so many of each ROUND places have no sample */
};

/* None before `start`. `needed`: instructions from a sample's place to its end, so that two do not meet. */
void schedule_begin(struct sample_schedule *s, uint64_t start, uint64_t interval, uint64_t needed, uint64_t seed);
/* So many instructions have fewer samples than `most`: the interval is what dropping would make it, and places are
 * drawn from all of it. Before the first sample. */
void schedule_fit(struct sample_schedule *s, uint64_t length, size_t most);
/* Where the next sample starts, in instructions from the region's start. */
uint64_t schedule_next(const struct sample_schedule *s);
/* It was taken. */
void schedule_took(struct sample_schedule *s);
/* One step further: which of the samples taken are dropped schedule_has says, and the caller sets `taken`. */
void schedule_thin(struct sample_schedule *s);
bool schedule_has(const struct sample_schedule *s, uint64_t place);
/* Instructions from one sample to the next, on average. */
uint64_t schedule_distance(const struct sample_schedule *s);

#endif
