#include "sample/schedule.h"

/* SplitMix64's finalizer. */
static uint64_t scramble(uint64_t z)
{
	z += 0x9e3779b97f4a7c15;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

void schedule_begin(struct sample_schedule *s, uint64_t start, uint64_t interval, uint64_t seed)
{
	*s = (struct sample_schedule){.interval = interval};
	s->first = start + scramble(seed) % interval;
}

void schedule_fit(struct sample_schedule *s, uint64_t length, size_t most)
{
	while (length > s->first && (length - s->first - 1) / s->interval >= most - 1)
		s->interval *= 2;
}

uint64_t schedule_next(const struct sample_schedule *s)
{
	return s->first + s->taken * s->interval;
}

void schedule_thin(struct sample_schedule *s)
{
	s->taken = (s->taken + 1) / 2;
	s->interval *= 2;
}
