#include "export/row_places.h"

#include "base/plain.h"
#include "export/recorded_names.h"
#include "report/lines.h"
#include "report/symbols.h"
#include "riscv/riscv.h"

#include <stdlib.h>
#include <string.h>

static bool out_of_memory(struct error *err)
{
	return error_set(err, ERROR_SYSTEM, "out of memory for the program's code");
}

/* NULL: out of memory. */
static char *plain(const char *text)
{
	char *copy = strdup(text);
	if (copy)
		plain_make(copy);
	return copy;
}

static bool set(struct row_places *p, struct row_place *place, enum row_place_text which, const char *text)
{
	place->texts[which] = plain(text);
	p->any[which] = true;
	return place->texts[which] != NULL;
}

static bool set_instruction(struct row_places *p, struct row_place *place, uint32_t bits)
{
	char text[160];
	riscv_disassemble(bits, place->pc, text, sizeof text);
	for (char *c = text; *c; c++)
		if (*c == '\t')
			*c = ' ';
	return set(p, place, ROW_INSTRUCTION, text);
}

/* As the lists of places in other results have it: without folders. */
static bool set_line(struct row_places *p, struct row_place *place, const struct lines *lines)
{
	enum { LONGEST = 300 };
	char text[LONGEST];
	const struct line_place line = lines_find(lines, place->pc);
	const char *slash = line.file ? strrchr(line.file, '/') : NULL;
	if (!line.file)
		return true;
	snprintf(text, sizeof text, "%s:%u", slash ? slash + 1 : line.file, line.line);
	return set(p, place, ROW_LINE, text);
}

static bool fill(struct row_places *p, const struct record_about *about, const struct symbols *symbols,
		 const struct lines *lines)
{
	for (size_t i = 0; i < p->count; i++) {
		struct row_place *place = &p->places[i];
		place->pc = about->code[i].pc;
		const struct symbol_place symbol = symbols_find(symbols, place->pc);
		TRY(set_instruction(p, place, about->code[i].bits));
		TRY(!symbol.function || set(p, place, ROW_FUNCTION, symbol.function));
		TRY(!symbol.object || set(p, place, ROW_OBJECT, symbol.object));
		TRY(set_line(p, place, lines));
	}
	return true;
}

static bool find_all(struct row_places *p, const struct record_about *about, struct symbols *symbols,
		     struct lines *lines, struct error *err)
{
	TRY(recorded_names_load(about, symbols, lines, err));
	return fill(p, about, symbols, lines) || out_of_memory(err);
}

bool row_places_create(struct row_places *p, const struct record_about *about, struct error *err)
{
	p->places = calloc((size_t)about->code_count + 1, sizeof *p->places);
	p->recent = calloc(ROW_PLACES_RECENT, sizeof *p->recent);
	if (!p->places || !p->recent)
		return out_of_memory(err);
	p->count = about->code_count;
	p->places[p->count].pc = UINT64_MAX; /* no instruction is there */
	struct symbols *symbols = symbols_create(err);
	struct lines *lines = symbols ? lines_create(err) : NULL;
	const bool good = lines && find_all(p, about, symbols, lines, err);
	symbols_destroy(symbols);
	lines_destroy(lines);
	return good;
}

void row_places_destroy(struct row_places *p)
{
	for (size_t i = 0; i < p->count; i++)
		for (size_t j = 0; j < ROW_PLACE_TEXTS; j++)
			free(p->places[i].texts[j]);
	free(p->places);
	free(p->recent);
}

size_t row_places_search(const struct row_places *p, uint64_t pc)
{
	size_t low = 0, high = p->count;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (p->places[middle].pc < pc)
			low = middle + 1;
		else
			high = middle;
	}
	return low < p->count && p->places[low].pc == pc ? low : p->count;
}
