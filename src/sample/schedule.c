#include "sample/schedule.h"

/* SplitMix64's finalizer. */
static uint64_t scramble(uint64_t z)
{
	z += 0x9e3779b97f4a7c15;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

/* The same whatever was dropped since: by the number that it had at first. */
static int64_t place_of(const struct sample_schedule *s, uint64_t number)
{
	const uint64_t drawn = s->spread ? scramble(s->seed + (number << s->doubled) + 1) % s->spread : 0;
	return s->first + (int64_t)(number * s->interval + drawn);
}

/* Of the places of a round: the step that drops it. Place 0 may lie before the start. */
enum { ROUND = 8, STEPS = 4 };
static bool has_number(const struct sample_schedule *s, uint64_t number)
{
	static const unsigned step[ROUND] = {STEPS + 1, 4, STEPS + 1, 2, STEPS + 1, 3, STEPS + 1, 1};
	return step[number % ROUND] > s->dropped && place_of(s, number) >= (int64_t)s->start;
}

static void skip_dropped(struct sample_schedule *s)
{
	while (!has_number(s, s->next))
		s->next++;
}

/* So far before the start that every instruction behind it is as likely to be a place as any other. */
static void draw_first(struct sample_schedule *s)
{
	s->first = (int64_t)(s->start + s->seed % s->interval) - (int64_t)s->spread;
	skip_dropped(s);
}

void schedule_begin(struct sample_schedule *s, uint64_t start, uint64_t interval, uint64_t needed, uint64_t seed)
{
	*s = (struct sample_schedule){.interval = interval, .start = start, .seed = scramble(seed)};
	s->spread = interval > needed ? interval - needed : 0;
	draw_first(s);
}

void schedule_fit(struct sample_schedule *s, uint64_t length, size_t most)
{
	const uint64_t needed = s->interval - s->spread, first = s->start + s->seed % s->interval;
	while (length > first && (length - first - 1) / s->interval >= most - 1)
		s->interval *= 2;
	if (!s->spread)
		return;
	s->spread = s->interval - needed;
	s->next = 0;
	draw_first(s);
}

uint64_t schedule_next(const struct sample_schedule *s)
{
	return (uint64_t)place_of(s, s->next);
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
		s->doubled++;
		s->next = (s->next + 1) / 2;
	}
	skip_dropped(s);
}

bool schedule_has(const struct sample_schedule *s, uint64_t place)
{
	const uint64_t number = (place - (uint64_t)s->first) / s->interval;
	return place == (uint64_t)place_of(s, number) && has_number(s, number);
}

uint64_t schedule_distance(const struct sample_schedule *s)
{
	return s->interval * ROUND / (ROUND - s->dropped);
}
