/* The report of `culprit truth` as text: plain columns, widths fixed, no colour, so that it can be diffed. */
#include "base/plain.h"
#include "report/format.h"
#include "report/truth/report.h"

#include <string.h>

/* A sweep's points are machines of their own, and none of them need be the one named. */
static void print_varied(const struct truth_report *r, FILE *out)
{
	for (size_t i = 0; i < r->varied_count; i++) {
		fprintf(out, "  %-12s %s =", i ? "" : "varied:", r->varied[i].key);
		for (uint32_t k = 0; k < r->varied[i].count; k++)
			fprintf(out, "%s %s", k ? "," : "", r->varied[i].values[k]);
		fputc('\n', out);
	}
}

static void print_head(const struct truth_report *r, FILE *out)
{
	char a[32], program[4096];
	fprintf(out, "culprit %s: %s on %s, idealised re-simulation\n", r->version,
		plain_copy(r->program, program, sizeof program), r->machine);
	if (r->cut)
		fprintf(out, "  *** %s: only what the simulations that had finished can tell ***\n", r->cut);
	killed_head(&r->killed, out);
	for (size_t i = 0; i < r->score_count; i++)
		graph_base_head(&r->scores[i].base, r->scores[i].method, out);
	print_varied(r, out);
	fprintf(out, "  region starts after %s skipped", format_grouped((int64_t)r->skipped, a));
	fprintf(out, ", %s warmed up\n", format_grouped((int64_t)r->warmed, a));
	if (r->cycles) {
		fprintf(out, "  instructions %18s\n", format_grouped((int64_t)r->instructions, a));
	}
	if (r->cycles && !r->x_key) {
		fprintf(out, "  cycles       %18s\n", format_grouped((int64_t)r->cycles, a));
		fprintf(out, "  IPC          %18.4f   CPI %.4f\n",
			format_ratio((double)r->instructions, (double)r->cycles),
			format_ratio((double)r->cycles, (double)r->instructions));
	}
	fprintf(out, "  %zu of %zu simulations in %.1f s, %u at a time\n", r->run_count - r->failed, r->run_count,
		r->host_seconds, r->at_once);
	for (size_t i = 0; i < r->run_count; i++)
		if (r->runs[i].failure)
			fprintf(out, "  *** %s%s%s: %s ***\n", r->runs[i].point, *r->runs[i].point ? ", " : "",
				r->runs[i].name, r->runs[i].failure);
}

static void print_value(const struct truth_report *r, const struct truth_value_row *v, int width, FILE *out)
{
	char a[32];
	fprintf(out, "  %-*s", width, v->name);
	if (!v->known) {
		fprintf(out, " %13s\n", "not simulated");
		return;
	}
	fprintf(out, " %13s %8.4f %6.2f  %s%s%s\n", format_grouped(v->cycles, a),
		format_ratio((double)v->cycles, (double)r->instructions),
		100 * format_ratio((double)v->cycles, (double)v->base), v->word ? v->word : "", v->word ? ": " : "",
		v->meaning);
}

static int name_width(const struct truth_value_row *rows, size_t count)
{
	size_t width = 12;
	for (size_t i = 0; i < count; i++)
		if (strlen(rows[i].name) > width)
			width = strlen(rows[i].name);
	return (int)width;
}

static void print_values(const struct truth_report *r, const struct truth_value_row *rows, size_t count, FILE *out)
{
	int width = name_width(rows, count);
	fprintf(out, "  %-*s %13s %8s %6s\n", width, "", "cycles", "CPI", "%");
	for (size_t i = 0; i < count; i++) {
		if (*rows[i].point && (!i || strcmp(rows[i].point, rows[i - 1].point)))
			fprintf(out, "  at %s\n", rows[i].point);
		print_value(r, &rows[i], width, out);
	}
}

static void print_breakdown(const struct truth_report *r, FILE *out)
{
	char a[32];
	if (r->cost_count) {
		fprintf(out, "\nCost: the cycles that go when a class is idealised by itself\n");
		print_values(r, r->costs, r->cost_count, out);
	}
	if (r->icost_count) {
		fprintf(out, "\nInteraction cost: what a set's cost has beyond its parts' costs and interactions\n");
		print_values(r, r->icosts, r->icost_count, out);
	}
	if (r->has_other)
		fprintf(out, "\n  other        %13s %8.4f %6.2f  cycles that no row above explains\n",
			format_grouped(r->other, a), format_ratio((double)r->other, (double)r->instructions),
			100 * format_ratio((double)r->other, (double)r->cycles));
}

static void print_identity(const struct truth_report *r, FILE *out)
{
	char a[32], b[32], c[32];
	if (!r->full)
		return;
	fprintf(out, "\nIdentity: all costs and icosts + the time with everything idealised = the base time\n");
	if (!r->identity_known)
		fprintf(out, "  not every simulation finished\n");
	else
		fprintf(out, "  %s + %s = %s  %s\n", format_grouped(r->identity_sum, a),
			format_grouped((int64_t)r->identity_remainder, b), format_grouped((int64_t)r->cycles, c),
			r->identity_holds ? "holds" : "*** DOES NOT HOLD ***");
}

static void print_stack(const struct truth_report *r, const struct truth_stack_table *t, FILE *out)
{
	char a[32];
	fprintf(out, "\n%s\n", t->title);
	if (!t->known) {
		fprintf(out, "  not every simulation that it needs finished\n");
		return;
	}
	fprintf(out, "  %-12s %13s %8s %6s\n", "", "cycles", "CPI", "%");
	int64_t total = 0;
	for (uint32_t i = 0; i < t->count; i++) {
		int64_t cycles = t->rows[i].cycles;
		total += cycles;
		fprintf(out, "  %-12s %13s %8.4f %6.2f  %s\n", t->rows[i].name, format_grouped(cycles, a),
			format_ratio((double)cycles, (double)r->instructions),
			100 * format_ratio((double)cycles, (double)r->cycles), t->rows[i].meaning);
	}
	fprintf(out, "  %-12s %13s %8.4f %6.2f\n", "total", format_grouped(total, a),
		format_ratio((double)total, (double)r->instructions),
		100 * format_ratio((double)total, (double)r->cycles));
}

void truth_report_text(const struct truth_report *r, FILE *out)
{
	print_head(r, out);
	if (!r->cycles)
		return;
	truth_curves_text(r, out);
	print_breakdown(r, out);
	print_identity(r, out);
	for (uint32_t i = 0; i < r->stack_count; i++)
		print_stack(r, &r->stacks[i], out);
	truth_scores_text(r, out);
}
