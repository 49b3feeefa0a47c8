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

/* Of the places of a round: the step that drops it. */
enum { ROUND = 8, STEPS = 4 };
static bool has_number(const struct sample_schedule *s, uint64_t number)
{
	static const unsigned step[ROUND] = {STEPS + 1, 4, STEPS + 1, 2, STEPS + 1, 3, STEPS + 1, 1};
	return step[number % ROUND] > s->dropped;
}

void schedule_fit(struct sample_schedule *s, uint64_t length, size_t most)
{
	while (length > s->first && (length - s->first - 1) / s->interval >= most - 1)
		s->interval *= 2;
}

uint64_t schedule_next(const struct sample_schedule *s)
{
	return s->first + s->next * s->interval;
}

static void skip_dropped(struct sample_schedule *s)
{
	while (!has_number(s, s->next))
		s->next++;
}

void schedule_took(struct sample_schedule *s)
{
	s->taken++;
	s->next++;
	skip_dropped(s);
}

void schedule_thin(struct sample_schedule *s)
{
	if (++s->dropped == STEPS) {
		s->dropped = 0;
		s->interval *= 2;
		s->next = (s->next + 1) / 2;
	}
	skip_dropped(s);
}

bool schedule_has(const struct sample_schedule *s, uint64_t place)
{
	return (place - s->first) % s->interval == 0 && has_number(s, (place - s->first) / s->interval);
}

uint64_t schedule_distance(const struct sample_schedule *s)
{
	return s->interval * ROUND / (ROUND - s->dropped);
}
