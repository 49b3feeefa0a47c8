/* Callgrind's format, for KCachegrind and callgrind_annotate: a cost line for each instruction, with its address, its
 * line and all columns. What was inlined stays in the function that it is part of, with the file it came from (fi, fe).
 * Behind an instruction stand its calls, each with all columns of what ran until it came back. Names are compressed:
 * "(3) name" first, then "(3)". */
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
	const struct code *code;
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

static void costs(struct callgrind *w, const struct code_counts *counts)
{
	for (size_t i = 0; i < w->columns.count; i++)
		fprintf(w->out, " %" PRIu64, export_column(&w->columns, i, counts));
	fputc('\n', w->out);
}

/* Of the calls at or behind an address, the first. */
static size_t first_call(const struct code *c, uint64_t site)
{
	size_t low = 0, high = c->call_count;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (c->calls[middle].site < site)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void calls_of(struct callgrind *w, const struct export_site *site)
{
	const struct code *c = w->code;
	const uint32_t line = site->frames[site->depth - 1].line;
	for (size_t i = first_call(c, site->pc); i < c->call_count && c->calls[i].site < site->end; i++) {
		const struct code_call *call = &c->calls[i];
		const struct code_insn *target = code_find(c, call->target);
		struct export_site callee;
		if (!export_function_at(c, call->target, &callee))
			continue;
		say(w, "cob", OBJECTS, callee.object);
		say(w, "cfi", FILES, callee.frames[0].file);
		say(w, "cfn", FUNCTIONS, callee.frames[0].function);
		fprintf(w->out, "calls=%" PRIu64 " 0x%" PRIx64 " %" PRIu32 "\n", call->count, call->target,
			target ? target->line : 0);
		fprintf(w->out, "0x%" PRIx64 " %" PRIu32, call->site, line);
		costs(w, &call->counts);
	}
}

static bool cost_line(void *context, const struct export_site *site)
{
	struct callgrind *w = context;
	const struct export_frame *inner = &site->frames[site->depth - 1];
	say_place(w, site);
	fprintf(w->out, "0x%" PRIx64 " %" PRIu32, site->pc, inner->line);
	costs(w, site->counts);
	for (size_t i = 0; i < w->columns.count; i++)
		w->totals[i] += export_column(&w->columns, i, site->counts);
	calls_of(w, site);
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
	struct callgrind w = {.out = out, .code = &in->result.code};
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
