/* The last part of a record file: how the run ended other than by itself, and its programs where there were several. A
 * byte says what follows. Where nothing does there is no such byte, so that files of most runs are as they were before
 * there was one. */
#include "record/record_file.h"

#include "base/plain.h"
#include "record/record_chunk.h"

#include <stdlib.h>

enum { CUT = 1, DEATH = 2, PROGRAMS = 4, DIED = 8 /* another program than the first */, SIGNALS = 64 };

void record_ending_destroy(struct record_about *a)
{
	free(a->death.instruction);
	free(a->death.reason);
	free(a->death.program);
	for (uint32_t i = 0; i < a->program_count; i++)
		free(a->programs[i].path);
	free(a->programs);
}

static void put_death(struct bytes *to, const struct record_death *d)
{
	bytes_put(to, d->signal, 4);
	bytes_put(to, d->has_address, 1);
	bytes_put(to, d->pc, 8);
	bytes_put(to, d->address, 8);
	bytes_put(to, d->caller, 8);
	bytes_put_text(to, d->instruction);
	bytes_put_text(to, d->reason);
	if (d->program)
		bytes_put_text(to, d->program);
}

static void put_program(struct bytes *to, const struct record_program *p)
{
	bytes_put_text(to, p->path);
	bytes_put(to, p->processes, 8);
	bytes_put(to, p->cycles, 8);
	bytes_put(to, p->instructions, 8);
}

void record_ending_put(const struct record_about *a, struct bytes *to)
{
	const unsigned told = (a->cut ? CUT : 0) | (a->death.signal ? DEATH : 0) | (a->program_count ? PROGRAMS : 0) |
			      (a->death.signal && a->death.program ? DIED : 0);
	if (told)
		bytes_put(to, told, 1);
	if (told & DEATH)
		put_death(to, &a->death);
	if (told & PROGRAMS)
		bytes_put(to, a->program_count, 4);
	for (uint32_t i = 0; i < a->program_count; i++)
		put_program(to, &a->programs[i]);
}

static char *get_plain(struct cursor *from)
{
	char *text = cursor_get_text(from, SAMPLE_TEXT_MAX);
	if (text)
		plain_make(text);
	return text;
}

static bool get_death(struct record_death *d, bool program, struct cursor *from)
{
	d->signal = (uint32_t)cursor_get(from, 4);
	d->has_address = cursor_get(from, 1);
	d->pc = cursor_get(from, 8);
	d->address = cursor_get(from, 8);
	d->caller = cursor_get(from, 8);
	d->instruction = get_plain(from);
	d->reason = get_plain(from);
	d->program = program ? get_plain(from) : NULL;
	return d->instruction && d->reason && !d->program == !program && d->signal && d->signal <= SIGNALS;
}

static bool get_programs(struct record_about *a, struct cursor *from)
{
	enum { LEAST = 28 }; /* bytes of one */
	const uint64_t count = cursor_get(from, 4);
	if (!count || count * LEAST > from->left)
		return false;
	a->programs = cursor_room(from, count, sizeof *a->programs);
	if (!a->programs)
		return false;
	for (; a->program_count < count && !from->failed; a->program_count++) {
		struct record_program *p = &a->programs[a->program_count];
		p->path = get_plain(from);
		p->processes = cursor_get(from, 8);
		p->cycles = cursor_get(from, 8);
		p->instructions = cursor_get(from, 8);
	}
	return !from->failed;
}

/* NULL in `why`: it is good. */
const char *record_ending_get(struct record_about *a, struct cursor *from)
{
	const uint64_t told = from->left ? cursor_get(from, 1) : 0;
	if (told & ~(uint64_t)(CUT | DEATH | PROGRAMS | DIED))
		return "an ending of a later culprit";
	a->cut = told & CUT;
	if ((told & (DEATH | DIED)) && (!(told & DEATH) || !get_death(&a->death, told & DIED, from)))
		return "its ending does not fit";
	if ((told & PROGRAMS) && !get_programs(a, from))
		return "its programs do not fit";
	return from->left || from->failed ? "its ending does not fit" : NULL;
}
