/* When samples are taken: systematically, every `interval` instructions, from a start drawn at random. How long the
 * program is nobody knows before, so samples begin close together; whenever there are twice as many as wanted, every
 * second one is dropped, and the interval doubles. What remains is what the longer interval would have taken. */
#ifndef CULPRIT_SAMPLE_SCHEDULE_H
#define CULPRIT_SAMPLE_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sample_schedule {
	uint64_t interval; /* instructions from the start of one sample to the start of the next */
	uint64_t first;	   /* start of the first */
	size_t taken;	   /* samples that remain */
};

/* None before `start`. */
void schedule_begin(struct sample_schedule *s, uint64_t start, uint64_t interval, uint64_t seed);
/* So many instructions have fewer samples than `most`: what would be dropped is not taken. */
void schedule_fit(struct sample_schedule *s, uint64_t length, size_t most);
/* Where the next sample starts, in instructions from the region's start. */
uint64_t schedule_next(const struct sample_schedule *s);
/* Samples 1, 3, 5, ... are dropped, and the interval doubles. */
void schedule_thin(struct sample_schedule *s);

#endif
