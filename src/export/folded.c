/* Folded stacks: "object;function;inlined;file.c:12;cause cycles", a line for each stack, in the order of the code. */
#include "export/export.h"
#include "export/sites.h"

#include <inttypes.h>
#include <string.h>

struct folded {
	const struct code_result *result;
	FILE *out;
};

static void print_frame(FILE *out, char before, const char *name)
{
	if (before)
		fputc(before, out);
	for (; *name; name++)
		fputc(*name == ';' || *name == '\n' ? ',' : *name, out);
}

static void print_stack(const struct folded *w, const struct export_site *site, const char *cause, uint64_t cycles)
{
	const struct export_frame *inner = &site->frames[site->depth - 1];
	const char *slash = strrchr(inner->file, '/');
	char line[200];
	if (!cycles)
		return;
	print_frame(w->out, 0, site->object);
	for (size_t i = 0; i < site->depth; i++)
		print_frame(w->out, ';', site->frames[i].function);
	snprintf(line, sizeof line, "%s:%" PRIu32, slash ? slash + 1 : inner->file, inner->line);
	if (*inner->file && inner->line)
		print_frame(w->out, ';', line);
	if (cause)
		print_frame(w->out, ';', cause);
	fprintf(w->out, " %" PRIu64 "\n", cycles);
}

static bool stacks(void *context, const struct export_site *site)
{
	const struct folded *w = context;
	const struct code *c = &w->result->code;
	uint64_t rest = site->counts->cycles;
	for (uint32_t i = 0; i < c->cause_count; i++) {
		print_stack(w, site, c->labels[i], site->counts->causes[i]);
		rest -= site->counts->causes[i];
	}
	print_stack(w, site, NULL, rest); /* after the last commit */
	return true;
}

bool export_folded(const struct export_input *in, FILE *out, struct error *err)
{
	struct folded w = {&in->result, out};
	(void)err;
	return export_sites(&in->result, stacks, &w);
}
