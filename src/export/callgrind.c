/* Callgrind's format, for KCachegrind and callgrind_annotate: a cost line for each instruction, with its address, its
 * line and all columns. What was inlined stays in the function that it is part of, with the file it came from (fi, fe).
 * Real calls are not in a result, so there are no `calls` lines. Names are compressed: "(3) name" first, then "(3)". */
#include "export/export.h"
#include "export/numbers.h"
#include "export/sites.h"

#include <inttypes.h>
#include <string.h>

struct callgrind {
	struct export_columns columns;
	FILE *out;
	struct numbers names[3]; /* of objects, files and functions */
	const char *object, *function, *file;
	uint64_t totals[EXPORT_COLUMNS_MAX];
};

enum { OBJECTS, FILES, FUNCTIONS };

/* A name may hold anything but the end of a line. */
static void print_name(FILE *out, const char *name)
{
	for (; *name; name++)
		fputc(*name == '\n' || *name == '\r' ? ' ' : *name, out);
}

static void say(struct callgrind *w, const char *key, int table, const char *name)
{
	bool fresh;
	uint32_t number = numbers_of(&w->names[table], name, &fresh);
	fprintf(w->out, "%s=(%" PRIu32 ")", key, number + 1);
	if (fresh) {
		fputc(' ', w->out);
		print_name(w->out, *name ? name : "???");
	}
	fputc('\n', w->out);
}

static bool differs(const char *a, const char *b)
{
	return !a || strcmp(a, b) != 0;
}

/* Two functions of one name in one file are one to callgrind, too. */
static void say_place(struct callgrind *w, const struct export_site *site)
{
	const struct export_frame *outer = &site->frames[0], *inner = &site->frames[site->depth - 1];
	if (differs(w->object, site->object))
		say(w, "ob", OBJECTS, site->object);
	if (differs(w->object, site->object) || differs(w->function, outer->function)) {
		say(w, "fl", FILES, outer->file);
		say(w, "fn", FUNCTIONS, outer->function);
		w->file = outer->file;
	}
	if (differs(w->file, inner->file))
		say(w, differs(outer->file, inner->file) ? "fi" : "fe", FILES, inner->file);
	w->object = site->object;
	w->function = outer->function;
	w->file = inner->file;
}

static bool cost_line(void *context, const struct export_site *site)
{
	struct callgrind *w = context;
	const struct export_frame *inner = &site->frames[site->depth - 1];
	say_place(w, site);
	fprintf(w->out, "0x%" PRIx64 " %" PRIu32, site->pc, inner->line);
	for (size_t i = 0; i < w->columns.count; i++) {
		uint64_t value = export_column(&w->columns, i, site->counts);
		fprintf(w->out, " %" PRIu64, value);
		w->totals[i] += value;
	}
	fputc('\n', w->out);
	return true;
}

static void head(const struct export_input *in, const struct export_columns *columns, FILE *out)
{
	const struct code_result *r = &in->result;
	char name[40];
	fprintf(out, "# callgrind format\nversion: 1\ncreator: culprit %s\ncmd: ", in->version);
	print_name(out, r->program);
	fputs("\ndesc: Machine: ", out);
	print_name(out, r->machine);
	fputs("\npositions: instr line\n", out);
	for (size_t i = 0; i < columns->count; i++) {
		export_column_name(columns, i, name);
		fprintf(out, "event: %s : %s\n", name, export_column_words(columns, i));
	}
	fputs("events:", out);
	for (size_t i = 0; i < columns->count; i++) {
		export_column_name(columns, i, name);
		fprintf(out, " %s", name);
	}
	fputc('\n', out);
}

bool export_callgrind(const struct export_input *in, FILE *out, struct error *err)
{
	struct callgrind w = {.out = out};
	bool good = true;
	for (unsigned i = 0; i < 3; i++)
		good &= numbers_create(&w.names[i]);
	export_columns(&w.columns, &in->result.code);
	head(in, &w.columns, out);
	good = good && export_sites(&in->result, cost_line, &w);
	fputs("totals:", out);
	for (size_t i = 0; i < w.columns.count; i++)
		fprintf(out, " %" PRIu64, w.totals[i]);
	fputc('\n', out);
	for (unsigned i = 0; i < 3; i++) {
		good &= !w.names[i].failed;
		numbers_destroy(&w.names[i]);
	}
	return good || error_set(err, ERROR_SYSTEM, "out of memory");
}
