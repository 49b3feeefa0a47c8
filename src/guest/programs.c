/* Which programs ran: a list that only grows, in the order in which they were first executed. */
#include "guest/process.h"

#include <stdlib.h>

#define PROGRAMS_MAX 256 /* the last one stands for all further ones */

struct program {
	char *path;
	uint64_t processes;
};

static size_t find(const struct guest *g, const char *path)
{
	size_t i = 0;

	while (i < g->program_count && strcmp(g->programs[i].path, path) != 0)
		i++;
	return i;
}

/* Nothing is said where memory is short: it counts as the program before. */
static void add(struct guest *g, const char *path)
{
	struct program *more = realloc(g->programs, (g->program_count + 1) * sizeof(*more));

	if (!more)
		return;
	g->programs = more;
	more[g->program_count] = (struct program){.path = strdup(path)};
	g->program_count += more[g->program_count].path != NULL;
}

void program_note(struct guest *g, struct process *p, const char *path)
{
	if (g->program_count == PROGRAMS_MAX - 1 && find(g, path) == g->program_count)
		path = "(others)";
	p->program = find(g, path);
	if (p->program == g->program_count && g->program_count < PROGRAMS_MAX)
		add(g, path);
	if (p->program >= g->program_count)
		p->program = g->program_count ? g->program_count - 1 : 0;
	if (g->program_count)
		g->programs[p->program].processes++;
}

void program_note_copy(struct guest *g, struct process *p, const struct process *parent)
{
	p->program = parent->program;
	if (g->program_count)
		g->programs[p->program].processes++;
}

/* A name without a slash is the last part of a path. */
static bool is_named(const char *path, const char *name)
{
	const char *last = strrchr(path, '/');

	return !strcmp(path, name) || (last && !strcmp(last + 1, name));
}

bool program_awaited(struct guest *g, struct guest_point *point)
{
	struct process *p = g->process;

	if (!point || !point->program || !p->begins)
		return false;
	p->begins = false;
	return is_named(g->space->program_path, point->program) && !--point->left;
}

void programs_destroy(struct guest *g)
{
	for (size_t i = 0; i < g->program_count; i++)
		free(g->programs[i].path);
	free(g->programs);
}

size_t guest_program(const struct guest *g)
{
	return g->process->program;
}

bool guest_program_at(const struct guest *g, size_t index, struct guest_program *program)
{
	if (index >= g->program_count)
		return false;
	*program = (struct guest_program){g->programs[index].path, g->programs[index].processes};
	return true;
}
