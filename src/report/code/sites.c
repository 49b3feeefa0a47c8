/* The instructions with most of the time of one kind: branches by the refills behind their mispredictions, loads by
 * the cycles that commit waited for them. */
#include "report/code/annotate.h"
#include "report/format.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 20, WIDE = 100 };

struct site {
	const struct code_function *function;
	const struct code_insn *insn;
	uint64_t weight; /* cycles */
};

static uint64_t cause(const struct code *c, const struct code_counts *n, const char *name)
{
	for (uint32_t i = 0; i < c->cause_count; i++)
		if (!strcmp(c->causes[i], name))
			return n->causes[i];
	return 0;
}

static uint64_t weigh(const struct code *c, const struct code_counts *n, bool branches)
{
	if (branches)
		return n->refill;
	return cause(c, n, "memory") + cause(c, n, "cache") + cause(c, n, "tlb") + cause(c, n, "l1");
}

static int by_weight(const void *a, const void *b)
{
	const struct site *x = a, *y = b;
	if (x->weight != y->weight)
		return x->weight < y->weight ? 1 : -1;
	return (x->insn->pc > y->insn->pc) - (x->insn->pc < y->insn->pc);
}

static size_t find(const struct code *c, bool branches, struct site *all)
{
	size_t n = 0;
	for (size_t i = 0; i < c->function_count; i++)
		for (size_t j = 0; j < c->functions[i].count; j++) {
			const struct code_insn *insn = &c->functions[i].insns[j];
			uint64_t weight = weigh(c, &insn->counts, branches);
			if (weight && all)
				all[n] = (struct site){&c->functions[i], insn, weight};
			n += weight != 0;
		}
	return n;
}

static void print_place(const struct code *c, const struct site *s, unsigned room, FILE *out)
{
	char place[200];
	const struct code_insn *n = s->insn;
	const char *function = n->inlined == CODE_NONE ? s->function->name : c->inlined[n->inlined].function;
	if (n->file == CODE_NONE)
		code_place(s->function, n->pc, place, sizeof place);
	else
		snprintf(place, sizeof place, "%.60s:%" PRIu32 " %.100s", code_file_name(c, n->file), n->line,
			 function);
	code_print_cut(place, room, out);
	fputc('\n', out);
}

static void print_site(const struct code_result *r, const struct site *s, bool branches, unsigned width, FILE *out)
{
	const struct code_counts *n = &s->insn->counts;
	char runs[32];
	fprintf(out, "  %6.2f %6s ", 100 * format_ratio((double)s->weight, (double)r->cycles),
		code_compact(n->executions, runs));
	double each = 100 / (double)(n->executions ? n->executions : 1);
	if (branches)
		fprintf(out, "%6.1f ", each * (double)n->mispredictions);
	else
		fprintf(out, "%6.1f %6.1f %6.1f ", each * (double)n->misses[CODE_L1D],
			each * (double)n->misses[CODE_L2], each * (double)n->misses[CODE_MEMORY]);
	if (width >= WIDE)
		fprintf(out, "%-10" PRIx64 " ", s->insn->pc);
	fprintf(out, "%-20.20s ", s->insn->text);
	const unsigned taken = (branches ? 44 : 58) + (width >= WIDE ? 11 : 0);
	print_place(&r->code, s, width > taken + 20 ? width - taken : 20, out);
}

bool code_sites(const struct code_result *r, const struct code_view *view, FILE *out)
{
	const bool branches = !strcmp(view->sites, "branches");
	size_t n = find(&r->code, branches, NULL);
	struct site *all = calloc(n + 1, sizeof *all);
	if (!all)
		return false;
	find(&r->code, branches, all);
	qsort(all, n, sizeof *all, by_weight);
	code_head(r, out);
	fprintf(out, "\n  %6s %6s %6s %s%s%-20s %s\n", "% time", "runs", branches ? "% mis" : "% L1D",
		branches ? "" : " % >L2  % mem ", view->width >= WIDE ? "address    " : "", "instruction", "place");
	for (size_t i = 0; i < n && (view->verbose || i < ROWS); i++)
		print_site(r, &all[i], branches, view->width, out);
	if (n > ROWS && !view->verbose)
		fprintf(out, "  and %zu more: --verbose\n", n - ROWS);
	if (!n)
		fprintf(out, "  no %s with time of their own\n", branches ? "mispredicted branches" : "loads");
	free(all);
	return true;
}
