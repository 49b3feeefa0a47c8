#include "sample/learn.h"

#include "sample/columns.h"

#include <stdlib.h>

enum { LEARN_LAG = 4 };

void learn_write(const struct sample *s, struct bytes *to)
{
	size_t count;
	const struct core_lesson *lessons = core_lessons(s->session.core, &count);
	bytes_put(to, count, 8);
	bytes_put_raw(to, lessons, count * sizeof *lessons);
}

bool learn_read(struct sample_unit *u, struct cursor *from)
{
	const uint64_t count = cursor_get(from, 8);
	free(u->lessons);
	u->lesson_count = 0;
	u->lessons = cursor_room(from, count, sizeof *u->lessons);
	if (!u->lessons || !cursor_copy(from, u->lessons, count * sizeof *u->lessons))
		return false;
	u->lesson_count = count;
	return true;
}

struct sample_unit *learn_next(struct sample *s)
{
	if (!s->learns)
		return NULL;
	if ((s->first.due || s->first.after) && !s->first.taught)
		return &s->first;
	return s->taught + LEARN_LAG <= s->schedule.taken ? &s->units[s->taught] : NULL;
}

/* Of the whole run of a sample's core, warm-up included. */
static double simulated(const struct sample_unit *u, const char *count)
{
	return json_number_value(json_object_get(json_object_get(u->after, "counts"), count));
}

void learn_from(struct sample *s, struct sample_unit *u)
{
	const uint64_t cycles = (uint64_t)simulated(u, "cycles");
	struct core *core = s->session.core;
	/* of the start, time is known; of samples it has gone by already, as far as was known */
	const uint32_t clears = core_age_lessons(core, u == &s->first ? cycles : 0);
	for (size_t i = 0; i < u->lesson_count; i++)
		if (u->lessons[i].clears == clears)
			core_learn(core, &u->lessons[i]);
	s->learnt_cycles += (double)cycles;
	s->learnt_instructions += simulated(u, "instructions");
	free(u->lessons);
	u->lessons = NULL;
	u->lesson_count = 0;
	if (u == &s->first)
		u->taught = true;
	else
		s->taught++;
}

void learn_started(struct sample *s, uint64_t instructions)
{
	const double cpi = s->learnt_instructions > 0 ? s->learnt_cycles / s->learnt_instructions : 1;
	if (s->learns)
		core_age_lessons(s->session.core, (uint64_t)(cpi * (double)instructions));
}
