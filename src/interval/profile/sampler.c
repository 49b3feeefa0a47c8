#include "interval/profile/sampler.h"

#include <stdlib.h>
#include <string.h>

enum { ROOM = INTERVAL_STRETCH * INTERVAL_STRETCHES };

uint64_t interval_sampler_first_every(uint64_t expected)
{
	uint64_t every = 1;
	while (expected / every > 4 * (uint64_t)ROOM)
		every *= 2;
	return every;
}

bool interval_sampler_create(struct interval_sampler *s, uint64_t every, struct error *err)
{
	*s = (struct interval_sampler){.samples = {.stretch = INTERVAL_STRETCH, .every = every}, .first_every = every};
	s->samples.list = malloc(ROOM * sizeof *s->samples.list);
	return s->samples.list || error_set(err, ERROR_SYSTEM, "out of memory for the sample");
}

void interval_sampler_destroy(struct interval_sampler *s)
{
	free(s->samples.list);
	s->samples.list = NULL;
}

void interval_sampler_restart(struct interval_sampler *s)
{
	s->samples.count = 0;
	s->samples.every = s->first_every;
	s->seen = 0;
}

_Static_assert(INTERVAL_STRETCHES % 2 == 0, "the first stretch after thinning is kept");

/* Full: keep stretches 0, 2, 4, ... of those kept. */
static void thin(struct interval_sampler *s)
{
	for (uint64_t i = 1; 2 * i < INTERVAL_STRETCHES; i++)
		memcpy(&s->samples.list[i * INTERVAL_STRETCH], &s->samples.list[2 * i * INTERVAL_STRETCH],
		       INTERVAL_STRETCH * sizeof *s->samples.list);
	s->samples.count = ROOM / 2;
	s->samples.every *= 2;
}

uint64_t interval_sampler_gap(const struct interval_sampler *s)
{
	uint64_t period = INTERVAL_STRETCH * s->samples.every, place = s->seen % period;
	return place < INTERVAL_STRETCH ? 0 : period - place;
}

uint64_t interval_sampler_left(const struct interval_sampler *s)
{
	return INTERVAL_STRETCH - s->seen % INTERVAL_STRETCH;
}

void interval_sampler_pass(struct interval_sampler *s, uint64_t count)
{
	s->seen += count;
}

struct interval_sample *interval_sampler_next(struct interval_sampler *s)
{
	if (interval_sampler_gap(s)) {
		s->seen++;
		return NULL;
	}
	if (s->samples.count == ROOM)
		thin(s); /* an even number: the next stretch is one of those kept */
	s->seen++;
	return &s->samples.list[s->samples.count++];
}

void interval_sampler_finish(struct interval_sampler *s, struct interval_samples *samples)
{
	uint64_t whole = s->samples.count - s->samples.count % INTERVAL_STRETCH;
	if (s->samples.every > 1 && whole)
		s->samples.count = whole;
	*samples = s->samples;
	s->samples.list = NULL;
}
