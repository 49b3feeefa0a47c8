/* A line table is a list of rows; each holds from its address to the next row's in the same sequence. All rows of
 * all objects are kept in one array, sorted by address; where two claim the same address (identical functions folded
 * by the linker) the later start wins. File names stay in libdw's memory, so the files stay open. */
#include "report/lines.h"

#include "base/plain.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct row {
	uint64_t start, end;
	const char *file;
	uint32_t line;
	uint32_t unit; /* in lines.units */
};

struct lines {
	struct row *rows;
	size_t count, capacity;
	struct inlines *units; /* compilation units; what was inlined there is read when it is asked for */
	size_t unit_count;
	Dwarf **objects;
	int *descriptors;
	size_t object_count;
};

struct lines *lines_create(struct error *err)
{
	struct lines *l = calloc(1, sizeof *l);
	if (!l)
		error_set(err, ERROR_SYSTEM, "out of memory for source lines");
	return l;
}

void lines_destroy(struct lines *l)
{
	for (size_t i = 0; l && i < l->unit_count; i++)
		inlines_destroy(&l->units[i]);
	for (size_t i = 0; l && i < l->object_count; i++) {
		dwarf_end(l->objects[i]);
		close(l->descriptors[i]);
	}
	if (l) {
		free(l->objects);
		free(l->descriptors);
		free(l->rows);
		free(l->units);
	}
	free(l);
}

/* --- reading --- */

static bool add_row(struct lines *l, const struct row *row)
{
	if (l->count == l->capacity) {
		size_t capacity = l->capacity ? l->capacity * 2 : 1024;
		struct row *grown = realloc(l->rows, capacity * sizeof *grown);
		if (!grown)
			return false;
		l->rows = grown;
		l->capacity = capacity;
	}
	l->rows[l->count++] = *row;
	return true;
}

static bool add_unit(struct lines *l, const Dwarf_Die *unit, uint64_t bias)
{
	struct inlines *grown = l->units;
	if (!(l->unit_count & (l->unit_count - 1))) /* a power of two */
		grown = realloc(l->units, 2 * (l->unit_count + 1) * sizeof *grown);
	if (!grown)
		return false;
	l->units = grown;
	l->units[l->unit_count++] = (struct inlines){.unit = *unit, .bias = bias};
	return true;
}

/* Line 0 is code that the compiler made up. */
static bool read_unit(struct lines *l, Dwarf_Die *unit, uint64_t bias)
{
	Dwarf_Lines *table;
	size_t n;
	if (dwarf_getsrclines(unit, &table, &n) != 0)
		return true;
	if (!add_unit(l, unit, bias))
		return false;
	for (size_t i = 0; i + 1 < n; i++) {
		Dwarf_Line *here = dwarf_onesrcline(table, i), *next = dwarf_onesrcline(table, i + 1);
		Dwarf_Addr start, end;
		bool over;
		int line;
		if (dwarf_lineendsequence(here, &over) || over || dwarf_lineaddr(here, &start) ||
		    dwarf_lineaddr(next, &end) || dwarf_lineno(here, &line))
			continue;
		struct row row = {start + bias, end + bias, dwarf_linesrc(here, NULL, NULL), (uint32_t)line,
				  (uint32_t)l->unit_count - 1};
		if (row.start < row.end && row.file && plain_is(row.file) && line > 0 && !add_row(l, &row))
			return false;
	}
	return true;
}

static bool read_units(struct lines *l, Dwarf *dwarf, uint64_t bias)
{
	Dwarf_Off offset = 0, next;
	size_t header;
	while (dwarf_nextcu(dwarf, offset, &next, &header, NULL, NULL, NULL) == 0) {
		Dwarf_Die unit;
		if (dwarf_offdie(dwarf, offset + header, &unit) && !read_unit(l, &unit, bias))
			return false;
		offset = next;
	}
	return true;
}

static int by_start(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->end != y->end)
		return x->end > y->end ? -1 : 1;
	int order = strcmp(x->file, y->file);
	return order ? order : (x->line > y->line) - (x->line < y->line);
}

/* libdw cannot go on without memory; its own way would end with status 1, which is the guest's to use. */
__attribute__((noreturn)) static void out_of_memory(void)
{
	fputs("culprit: out of memory for source lines\n", stderr);
	exit(125);
}

static bool keep_object(struct lines *l, Dwarf *dwarf, int fd)
{
	Dwarf **objects = realloc(l->objects, (l->object_count + 1) * sizeof(Dwarf *));
	l->objects = objects ? objects : l->objects;
	int *descriptors = realloc(l->descriptors, (l->object_count + 1) * sizeof *descriptors);
	l->descriptors = descriptors ? descriptors : l->descriptors;
	if (!objects || !descriptors)
		return false;
	l->objects[l->object_count] = dwarf;
	l->descriptors[l->object_count++] = fd;
	return true;
}

bool lines_add(struct lines *l, const char *path, uint64_t bias, struct error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return true;
	errno = 0;
	Dwarf *dwarf = dwarf_begin(fd, DWARF_C_READ);
	if (!dwarf) {
		close(fd);
		return errno != ENOMEM || error_set(err, ERROR_SYSTEM, "out of memory for source lines");
	}
	dwarf_new_oom_handler(dwarf, out_of_memory);
	if (!keep_object(l, dwarf, fd)) {
		dwarf_end(dwarf);
		close(fd);
		return error_set(err, ERROR_SYSTEM, "out of memory for source lines");
	}
	if (!read_units(l, dwarf, bias) || errno == ENOMEM)
		return error_set(err, ERROR_SYSTEM, "%s: out of memory for its source lines", path);
	if (l->count)
		qsort(l->rows, l->count, sizeof *l->rows, by_start);
	return true;
}

/* --- asking --- */

static const struct row *find_row(const struct lines *l, uint64_t pc)
{
	size_t low = 0, high = l->count;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (l->rows[middle].start <= pc)
			low = middle + 1;
		else
			high = middle;
	}
	return low && pc < l->rows[low - 1].end ? &l->rows[low - 1] : NULL;
}

struct line_place lines_find(const struct lines *l, uint64_t pc)
{
	const struct row *row = find_row(l, pc);
	return row ? (struct line_place){row->file, row->line} : (struct line_place){NULL, 0};
}

bool lines_frames(struct lines *l, uint64_t pc, struct line_frame *frames, size_t room, size_t *count,
		  struct error *err)
{
	const struct row *row = find_row(l, pc);
	*count = 0;
	return !row || inlines_find(&l->units[row->unit], pc, frames, room, count) ||
	       error_set(err, ERROR_SYSTEM, "out of memory for inlined functions");
}

static bool same_file(const char *recorded, const char *wanted)
{
	size_t have = strlen(recorded), want = strlen(wanted);
	if (!want || have < want || strcmp(recorded + have - want, wanted) != 0)
		return false;
	return have == want || recorded[have - want - 1] == '/';
}

size_t lines_ranges(const struct lines *l, const char *file, uint32_t line, struct line_range *ranges, size_t room)
{
	size_t n = 0;
	struct line_range open = {0, 0};
	for (size_t i = 0; i < l->count; i++) {
		const struct row *r = &l->rows[i];
		if (r->line != line || !same_file(r->file, file))
			continue;
		if (n && r->start <= open.end) {
			open.end = r->end > open.end ? r->end : open.end;
		} else {
			open = (struct line_range){r->start, r->end};
			n++;
		}
		if (n <= room)
			ranges[n - 1] = open;
	}
	return n;
}
