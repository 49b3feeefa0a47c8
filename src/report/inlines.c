/* Entries are ranges of code, sorted by start, then outer before inner. Ranges of one unit nest, so going back from
 * the last that starts at or before an address meets inner ones first; `reach` says when no earlier one can hold it.
 * */
#include "report/inlines.h"

#include "base/plain.h"
#include "report/symbols.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 200 }; /* entries of a damaged file may nest without end */

struct inlined {
	uint64_t start, end; /* addresses in the file */
	uint64_t reach;	     /* the largest end up to here */
	unsigned depth;
	char *name;	   /* demangled, or NULL: */
	const char *plain; /* ... as the file has it */
	const char *file;
	uint32_t line;
};

/* --- reading --- */

static bool add_range(struct inlines *u, const struct inlined *e)
{
	if (u->count == u->capacity) {
		size_t capacity = u->capacity ? 2 * u->capacity : 64;
		struct inlined *grown = realloc(u->entries, capacity * sizeof *grown);
		if (!grown)
			return false;
		u->entries = grown;
		u->capacity = capacity;
	}
	u->entries[u->count++] = *e;
	return true;
}

/* A name that cannot be shown is not known. */
static const char *plain(const char *name)
{
	return name && plain_is(name) ? name : NULL;
}

static const char *call_file(const struct inlines *u, Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	Dwarf_Word number;
	Dwarf_Files *files;
	size_t n;
	if (!dwarf_attr(die, DW_AT_call_file, &attribute) || dwarf_formudata(&attribute, &number) ||
	    dwarf_getsrcfiles((Dwarf_Die *)&u->unit, &files, &n) || number >= n)
		return NULL;
	return plain(dwarf_filesrc(files, number, NULL, NULL));
}

static uint32_t call_line(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	Dwarf_Word line;
	if (!dwarf_attr(die, DW_AT_call_line, &attribute) || dwarf_formudata(&attribute, &line) || line > UINT32_MAX)
		return 0;
	return (uint32_t)line;
}

static const char *name_of(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	const char *linked = NULL;
	if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute))
		linked = dwarf_formstring(&attribute);
	return plain(linked ? linked : dwarf_diename(die));
}

static bool add_inlined(struct inlines *u, Dwarf_Die *die, unsigned depth)
{
	struct inlined e = {.depth = depth, .plain = name_of(die), .file = call_file(u, die), .line = call_line(die)};
	Dwarf_Addr base, start, end;
	for (ptrdiff_t at = 0; e.plain && (at = dwarf_ranges(die, at, &base, &start, &end)) > 0;) {
		e.start = start;
		e.end = end;
		if (start < end && !add_range(u, &e))
			return false;
	}
	return true;
}

static bool may_hold_code(int tag)
{
	return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block ||
	       tag == DW_TAG_try_block || tag == DW_TAG_catch_block || tag == DW_TAG_namespace || tag == DW_TAG_module;
}

static bool read_children(struct inlines *u, Dwarf_Die *parent, unsigned depth)
{
	Dwarf_Die die;
	if (depth >= DEEPEST || dwarf_child(parent, &die) != 0)
		return true;
	do {
		int tag = dwarf_tag(&die);
		if (tag == DW_TAG_inlined_subroutine && !add_inlined(u, &die, depth))
			return false;
		if (may_hold_code(tag) && !read_children(u, &die, depth + 1))
			return false;
	} while (dwarf_siblingof(&die, &die) == 0);
	return true;
}

static int by_start(const void *a, const void *b)
{
	const struct inlined *x = a, *y = b;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->depth > y->depth) - (x->depth < y->depth);
}

static bool read_unit(struct inlines *u)
{
	uint64_t reach = 0;
	u->read = true;
	errno = 0;
	if (!read_children(u, &u->unit, 0) || errno == ENOMEM) /* libdw only says that something failed */
		return false;
	if (u->count)
		qsort(u->entries, u->count, sizeof *u->entries, by_start);
	for (size_t i = 0; i < u->count; i++) {
		reach = u->entries[i].end > reach ? u->entries[i].end : reach;
		u->entries[i].reach = reach;
	}
	return true;
}

void inlines_destroy(struct inlines *u)
{
	for (size_t i = 0; i < u->count; i++)
		free(u->entries[i].name);
	free(u->entries);
}

/* --- asking --- */

static size_t starting_by(const struct inlines *u, uint64_t address)
{
	size_t low = 0, high = u->count;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (u->entries[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool inlines_find(struct inlines *u, uint64_t pc, struct line_frame *frames, size_t room, size_t *count)
{
	*count = 0;
	if (!u->read && !read_unit(u))
		return false;
	const uint64_t address = pc - u->bias;
	for (size_t i = starting_by(u, address); i > 0 && u->entries[i - 1].reach > address; i--) {
		struct inlined *e = &u->entries[i - 1];
		if (e->end <= address)
			continue;
		if (!e->name)
			e->name = symbol_demangled(e->plain);
		if (*count < room)
			frames[*count] = (struct line_frame){e->name ? e->name : e->plain, e->file, e->line};
		*count += *count < room;
	}
	return true;
}
