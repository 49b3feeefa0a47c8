/* Address spaces: made, copied for fork, entered, released. All that the host keeps of one goes when nobody has it. */
#include "guest/files.h"
#include "guest/memory_map.h"

#include <stdlib.h>

struct space *space_create(struct guest *g, struct error *err)
{
	bool room = g->space_count < GUEST_SPACES;
	struct space *s = room ? calloc(1, sizeof(*s)) : NULL;

	if (!s) {
		error_set(err, ERROR_SYSTEM, room ? "out of memory" : "no room for another address space");
		return NULL;
	}
	s->code = g->code && g->next_space ? riscv_code_space_create(g->code) : NULL;
	if ((g->next_space && !s->code) || !address_space_create(&s->memory, err)) {
		if (s->code)
			riscv_code_space_destroy(g->code, s->code);
		free(s);
		return NULL;
	}
	s->references = 1;
	s->tag = g->next_space++ << SPACE_SHIFT;
	g->space_count++;
	return s;
}

void space_enter(struct guest *g, struct space *s)
{
	g->space = s;
	g->memory = s->memory;
	if (s->code && riscv_code_space_current(g->code) != s->code)
		riscv_code_space_enter(g->code, s->code);
}

static void free_words(struct space *s)
{
	for (size_t i = 0; i < s->argc; i++)
		free(s->argv[i]);
	free(s->argv);
	free(s->auxv);
	free(s->program_path);
}

void space_release(struct guest *g, struct space *s)
{
	struct space *running = g->space;

	if (--s->references)
		return;
	g->space = s; /* the mappings' own functions look there */
	g->memory = s->memory;
	regions_write_back(g, 0, ADDRESS_SPACE_LIMIT);
	regions_destroy(g);
	g->space = running;
	if (running)
		g->memory = running->memory;
	if (s->code && s->code != riscv_code_space_current(g->code))
		riscv_code_space_destroy(g->code, s->code);
	address_space_destroy(&s->memory);
	free_words(s);
	free(s);
	g->space_count--;
}

/* --- fork --- */

static bool copy_words(struct space *to, const struct space *from)
{
	to->argv = calloc(from->argc + 1, sizeof(*to->argv));
	to->auxv = malloc(from->auxv_size + 1);
	to->program_path = strdup(from->program_path);
	if (!to->argv || !to->auxv || !to->program_path)
		return false;
	memcpy(to->auxv, from->auxv, from->auxv_size);
	to->auxv_size = from->auxv_size;
	for (; to->argc < from->argc; to->argc++)
		if (!(to->argv[to->argc] = strdup(from->argv[to->argc])))
			return false;
	return true;
}

/* A mapping as the child has it: the pages of its own are copied, all others are the same ones. */
static bool copy_region(struct guest *g, const struct region *r, const struct address_space *from)
{
	struct region copy = *r;

	copy.frame = r->text ? r->frame : 0;
	if (r->path && !(copy.path = strdup(r->path)))
		return false;
	if (copy.file)
		file_retain(copy.file);
	if (copy.common)
		common_retain(copy.common);
	if (!region_map(g, &copy)) {
		region_drop(g, &copy);
		return false;
	}
	if (!copy.common)
		address_space_copy(&g->memory, from, r->start, r->end - r->start);
	return true;
}

static bool copy_regions(struct guest *g, struct space *from)
{
	for (const struct region *r = region_tree_from(from->map.regions, 0); r;
	     r = region_tree_from(from->map.regions, r->end))
		if (!copy_region(g, r, &from->memory))
			return false;
	return true;
}

struct space *space_copy(struct guest *g, struct space *from)
{
	struct space *to = space_create(g, NULL);
	bool done;

	if (!to)
		return NULL;
	space_enter(g, to);
	to->map = from->map;
	to->map.regions = NULL;
	to->map.count = 0;
	to->argument_start = from->argument_start;
	to->argument_end = from->argument_end;
	to->environment_end = from->environment_end;
	to->sigreturn_address = from->sigreturn_address;
	done = copy_words(to, from) && copy_regions(g, from);
	space_enter(g, from);
	if (done)
		return to;
	space_release(g, to);
	return NULL;
}
