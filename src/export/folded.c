/* Folded stacks: "object;function;inlined;file.c:12;cause cycles", a line for each stack. Instructions of one line, and
 * of a line in several pieces of code, have the same stack: so all are made, sorted, and those alike added up. */
#include "base/memory_stream.h"
#include "export/export.h"
#include "export/sites.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct stack {
	char *frames;
	uint64_t cycles;
};

struct folded {
	const struct code_result *result;
	struct stack *stacks;
	size_t count, room;
};

static void print_frame(FILE *out, char before, const char *name)
{
	if (before)
		fputc(before, out);
	for (; *name; name++)
		fputc(*name == ';' || *name == '\n' ? ',' : *name, out);
}

static void print_frames(const struct export_site *site, const char *cause, FILE *out)
{
	const struct export_frame *inner = &site->frames[site->depth - 1];
	const char *slash = strrchr(inner->file, '/');
	char line[200];
	print_frame(out, 0, site->object);
	for (size_t i = 0; i < site->depth; i++)
		print_frame(out, ';', site->frames[i].function);
	snprintf(line, sizeof line, "%s:%" PRIu32, slash ? slash + 1 : inner->file, inner->line);
	if (*inner->file && inner->line)
		print_frame(out, ';', line);
	if (cause)
		print_frame(out, ';', cause);
}

static bool reserve(struct folded *w)
{
	if (w->count < w->room)
		return true;
	const size_t room = w->room ? 2 * w->room : 1024;
	struct stack *grown = realloc(w->stacks, room * sizeof *grown);
	if (!grown)
		return false;
	w->stacks = grown;
	w->room = room;
	return true;
}

static bool add_stack(struct folded *w, const struct export_site *site, const char *cause, uint64_t cycles)
{
	struct memory_stream out;
	if (!cycles)
		return true;
	if (!reserve(w))
		return false;
	if (memory_stream_open(&out))
		print_frames(site, cause, out.file);
	char *frames = memory_stream_close(&out);
	if (frames)
		w->stacks[w->count++] = (struct stack){frames, cycles};
	return frames != NULL;
}

static bool add_stacks(void *context, const struct export_site *site)
{
	struct folded *w = context;
	const struct code *c = &w->result->code;
	uint64_t rest = site->counts->cycles;
	for (uint32_t i = 0; i < c->cause_count; i++) {
		TRY(add_stack(w, site, c->labels[i], site->counts->causes[i]));
		rest -= site->counts->causes[i];
	}
	return add_stack(w, site, NULL, rest); /* after the last commit */
}

static int by_frames(const void *a, const void *b)
{
	return strcmp(((const struct stack *)a)->frames, ((const struct stack *)b)->frames);
}

static void print_all(struct folded *w, FILE *out)
{
	if (w->count)
		qsort(w->stacks, w->count, sizeof *w->stacks, by_frames);
	for (size_t i = 0; i < w->count;) {
		const char *frames = w->stacks[i].frames;
		uint64_t cycles = 0;
		for (; i < w->count && !strcmp(w->stacks[i].frames, frames); i++)
			cycles += w->stacks[i].cycles;
		fprintf(out, "%s %" PRIu64 "\n", frames, cycles);
	}
}

bool export_folded(const struct export_input *in, FILE *out, struct error *err)
{
	struct folded w = {.result = &in->result};
	const bool good = export_sites(&in->result, add_stacks, &w);
	if (good)
		print_all(&w, out);
	for (size_t i = 0; i < w.count; i++)
		free(w.stacks[i].frames);
	free(w.stacks);
	return good || error_set(err, ERROR_SYSTEM, "out of memory for stacks");
}
