#include "export/sites.h"

#include <ctype.h>
#include <string.h>

/* --- columns --- */

enum { MISSES_AT = 3, CAUSES_AT = MISSES_AT + CODE_LEVELS };

static const char *const names[CAUSES_AT] = {"cycles",	   "executions", "mispredictions",
					     "l1d_misses", "beyond_l2",	 "memory_accesses"};
static const char *const words[CAUSES_AT] = {"Cycles",
					     "Executions",
					     "Mispredicted branches",
					     "L1D misses",
					     "Data from beyond the L2",
					     "Data accesses to memory"};

static uint64_t value_of(const struct code_counts *n, unsigned kind)
{
	const uint64_t first[MISSES_AT] = {n->cycles, n->executions, n->mispredictions};
	return kind < MISSES_AT	  ? first[kind]
	       : kind < CAUSES_AT ? n->misses[kind - MISSES_AT]
				  : n->causes[kind - CAUSES_AT];
}

void export_columns(struct export_columns *columns, const struct code *c)
{
	struct code_counts sum = {0};
	for (size_t i = 0; i < c->function_count; i++)
		code_counts_add(&sum, &c->functions[i].counts, c->cause_count);
	columns->code = c;
	columns->count = 0;
	for (unsigned kind = 0; kind < CAUSES_AT + c->cause_count; kind++)
		if (kind == EXPORT_CYCLES || value_of(&sum, kind))
			columns->kinds[columns->count++] = kind;
}

/* l1d_misses -> L1dMisses; causes have a C before them, so that no two are alike. */
void export_column_name(const struct export_columns *columns, size_t i, char name[40])
{
	const unsigned kind = columns->kinds[i];
	const char *from = kind < CAUSES_AT ? names[kind] : columns->code->causes[kind - CAUSES_AT];
	size_t used = 0;
	bool begins = true;
	if (kind >= CAUSES_AT)
		name[used++] = 'C';
	for (; *from && used < 39; from++) {
		if (isalnum((unsigned char)*from))
			name[used++] = begins ? (char)toupper((unsigned char)*from) : *from;
		begins = !isalnum((unsigned char)*from);
	}
	name[used] = 0;
}

const char *export_column_words(const struct export_columns *columns, size_t i)
{
	const unsigned kind = columns->kinds[i];
	return kind < CAUSES_AT ? words[kind] : columns->code->labels[kind - CAUSES_AT];
}

uint64_t export_column(const struct export_columns *columns, size_t i, const struct code_counts *n)
{
	return value_of(n, columns->kinds[i]);
}

/* --- sites --- */

static const char *path_of(const struct code *c, uint32_t file)
{
	return file == CODE_NONE ? "" : c->files[file].path;
}

/* Inlined calls are listed from the innermost out; frames are wanted from the outermost in. */
static void fill_frames(const struct code *c, const struct code_function *f, const struct code_insn *n,
			struct export_site *site)
{
	uint32_t file = n->file, line = n->line;
	size_t depth = n->inlined == CODE_NONE ? 0 : c->inlined[n->inlined].depth + 1;
	site->depth = depth + 1;
	for (uint32_t call = n->inlined; call != CODE_NONE; call = c->inlined[call].outer) {
		site->frames[depth--] = (struct export_frame){c->inlined[call].function, path_of(c, file), line};
		file = c->inlined[call].file;
		line = c->inlined[call].line;
	}
	site->frames[0] = (struct export_frame){f->name, path_of(c, file), line};
}

static bool visit_function(const struct code *c, const struct code_function *f, export_visit *visit, void *context)
{
	struct export_site site = {
		.object = f->object, .pc = f->start, .end = f->end, .counts = &f->counts, .depth = 1};
	if (!f->count) {
		site.frames[0] = (struct export_frame){f->name, "", 0};
		return visit(context, &site);
	}
	for (size_t i = 0; i < f->count; i++) {
		const struct code_insn *n = &f->insns[i];
		if (!n->counts.cycles && !n->counts.executions)
			continue;
		site.insn = n;
		site.pc = n->pc;
		site.end = n->pc + 1;
		site.counts = &n->counts;
		fill_frames(c, f, n, &site);
		TRY(visit(context, &site));
	}
	return true;
}

static bool keep_site(void *context, const struct export_site *site)
{
	*(struct export_site *)context = *site;
	return false;
}

/* A function that was left and entered again by its addresses may stand in several pieces. */
bool export_function_at(const struct code *c, uint64_t pc, struct export_site *site)
{
	for (size_t i = 0; i < c->function_count; i++)
		if (c->functions[i].start <= pc && pc < c->functions[i].end)
			return !visit_function(c, &c->functions[i], keep_site, site);
	return false;
}

bool export_sites(const struct code_result *r, export_visit *visit, void *context)
{
	const struct code *c = &r->code;
	for (size_t i = 0; i < c->function_count; i++)
		TRY(visit_function(c, &c->functions[i], visit, context));
	const struct code_counts after = {.cycles = c->outside};
	const struct export_site end = {
		.object = r->program, .counts = &after, .frames = {{"(after the last commit)", "", 0}}, .depth = 1};
	return !c->outside || visit(context, &end);
}
