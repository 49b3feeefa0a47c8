/* CPI stacks as text, at most 80 columns wide: a table, one bar for each stack, and what rows and columns mean. On a
 * terminal the bars are coloured; elsewhere each component is a letter, so that the report can be diffed. */
#include "report/format.h"
#include "report/palette.h"
#include "report/stacks/report.h"
#include "report/terminal.h"

#include <inttypes.h>
#include <string.h>

enum { BAR_WIDTH = 60, BAR_MOST = 65 }; /* all cycles; what is charged beyond that is cut off */

static int64_t total(const struct stacks_table *t, const struct stacks_column *c)
{
	int64_t sum = 0;
	for (uint32_t i = 0; i < t->row_count; i++)
		if (!t->rows[i].parent)
			sum += c->amounts[i];
	return sum;
}

/* A row that nothing was charged to. */
static bool is_empty(const struct stacks_table *t, uint32_t row)
{
	for (uint32_t i = 0; i < t->column_count; i++)
		if (t->columns[i].amounts[row])
			return false;
	return true;
}

static void print_header(const struct stacks_table *t, const char *what, FILE *out)
{
	fprintf(out, "  %-10s", what);
	for (uint32_t i = 0; i < t->column_count; i++)
		fprintf(out, " %8s", t->columns[i].label);
	fputc('\n', out);
}

static double cycles_of(const struct stacks_table *t, int64_t amount)
{
	return format_ratio((double)amount, (double)t->unit);
}

/* The rows that have something, and their sum: each amount as a share of `all` cycles. */
static void print_rows(const struct stacks_table *t, double all, int digits, FILE *out)
{
	for (uint32_t i = 0; i < t->row_count; i++) {
		if (is_empty(t, i))
			continue;
		fprintf(out, "%c %-10s", palette_find(t->rows[i].name).letter, t->rows[i].name);
		for (uint32_t j = 0; j < t->column_count; j++)
			fprintf(out, " %8.*f", digits, format_ratio(cycles_of(t, t->columns[j].amounts[i]), all));
		fputc('\n', out);
	}
	fprintf(out, "  %-10s", "total");
	for (uint32_t j = 0; j < t->column_count; j++)
		fprintf(out, " %8.*f", digits, format_ratio(cycles_of(t, total(t, &t->columns[j])), all));
	fputc('\n', out);
}

static void print_block(struct palette_colour c, int width, bool colours, FILE *out)
{
	if (colours && width)
		fprintf(out, "\033[48;2;%d;%d;%dm", c.red, c.green, c.blue);
	for (int i = 0; i < width; i++)
		fputc(colours ? ' ' : c.letter, out);
	if (colours && width)
		fputs("\033[0m", out);
}

/* Components upward from the base. A negative base is told in words: the others then reach beyond 100 %. */
static void print_bar(const struct stacks_report *r, const struct stacks_table *t, const struct stacks_column *c,
		      bool colours, FILE *out)
{
	double all = (double)r->cycles * (double)t->unit, sum = 0;
	int drawn = 0;
	fprintf(out, "  %-10s |", c->label);
	for (uint32_t i = 0; i < t->row_count; i++) {
		if (c->amounts[i] < 0)
			continue;
		sum += (double)c->amounts[i];
		int end = (int)(format_ratio(sum, all) * BAR_WIDTH + 0.5);
		end = end < BAR_MOST ? end : BAR_MOST;
		print_block(palette_find(t->rows[i].name), end - drawn, colours, out);
		drawn = end;
	}
	fprintf(out, "%*s%c\n", drawn < BAR_WIDTH ? BAR_WIDTH - drawn : 0, "", drawn < BAR_MOST ? '|' : '>');
	for (uint32_t i = 0; i < t->row_count; i++)
		if (c->amounts[i] < 0)
			fprintf(out, "  %-10s  charged for %.2f%% more cycles than there were\n", "",
				-100 * format_ratio((double)c->amounts[i], all));
}

/* Before the figures: a negative base is no time. */
static void warn_of_overcharge(const struct stacks_table *t, FILE *out)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < t->column_count; i++)
		if (stacks_overcharges(&t->columns[i]))
			fprintf(out, "%s%s", count++ ? ", " : "  The base is negative: ", t->columns[i].label);
	if (count)
		fputs(".\n  These counters charge more cycles than there were, so their components are\n"
		      "  too large and are no shares of the time.\n",
		      out);
}

static void print_table(const struct stacks_report *r, const struct stacks_table *t, FILE *out)
{
	bool colours = terminal_colour(out);
	fprintf(out, "\n%s\n", t->title);
	warn_of_overcharge(t, out);
	print_header(t, "% of cycles", out);
	print_rows(t, (double)r->cycles / 100, 2, out);
	print_header(t, "CPI", out);
	print_rows(t, (double)r->instructions, 4, out);
	for (uint32_t i = 0; i < t->column_count; i++)
		print_bar(r, t, &t->columns[i], colours, out);
	for (uint32_t i = 0; i < t->row_count; i++)
		if (!is_empty(t, i))
			fprintf(out, "%c %-10s %s\n", palette_find(t->rows[i].name).letter, t->rows[i].name,
				t->rows[i].meaning);
	for (uint32_t i = 0; i < t->column_count; i++)
		if (t->columns[i].meaning)
			fprintf(out, "  %-10s %s\n", t->columns[i].label, t->columns[i].meaning);
}

static void print_storage(const struct stacks_report *r, FILE *out)
{
	fprintf(out, "  %-10s", "state bits");
	for (uint32_t i = 0; i < r->methods.column_count; i++)
		fprintf(out, " %8" PRIu64, r->methods.columns[i].storage_bits);
	fprintf(out,
		"\n  beside nine global counters. FMT: %" PRIu32 " rows, at most %" PRIu32 " in use, %" PRIu32
		"-bit counters\n",
		r->fmt_rows, r->fmt_rows_used, r->counter_bits);
	if (r->fmt_overflowed)
		fprintf(out, "  branches that found no row: %" PRIu64 ", of these mispredicted %" PRIu64 "\n",
			r->fmt_overflowed, r->fmt_untracked);
	if (r->fmt_filled)
		fprintf(out, "  ROB full but for a wrong path that ended in a fault: %.2f%% of the cycles\n",
			100 * format_ratio((double)r->fmt_filled, (double)r->cycles));
}

static void print_slots(const struct stacks_report *r, FILE *out)
{
	if (!r->has_slots) {
		fprintf(out, "\nTop-down slots: bandwidth is idealised, there are none to lose\n");
		return;
	}
	const struct stacks_table *t = &r->slots;
	double all = (double)r->cycles * (double)t->unit;
	fprintf(out, "\n%s\n", t->title);
	for (uint32_t i = 0; i < t->row_count; i++) {
		if (t->rows[i].parent)
			continue;
		fprintf(out, "  tma_%-20s %6.2f  %s\n", t->rows[i].name,
			100 * format_ratio((double)t->columns[0].amounts[i], all), t->rows[i].meaning);
		for (uint32_t j = 0; j < t->row_count; j++)
			if (t->rows[j].parent && !strcmp(t->rows[j].parent, t->rows[i].name))
				fprintf(out, "    tma_%-18s %6.2f  %s\n", t->rows[j].name,
					100 * format_ratio((double)t->columns[0].amounts[j], all), t->rows[j].meaning);
	}
}

static void print_overlaps(const struct stacks_report *r, FILE *out)
{
	fprintf(out, "\nContested cycles: %.2f%% could be charged to more than one event\n",
		100 * format_ratio((double)r->contested, (double)r->cycles));
	for (uint32_t i = 0; i < r->overlap_count; i++)
		fprintf(out, "  %6.2f  %s\n", 100 * format_ratio((double)r->overlaps[i], (double)r->cycles),
			r->overlap_rows[i].meaning);
}

static void print_facts(const struct stacks_report *r, FILE *out)
{
	fprintf(out, "\nPenalties, cycles for each event of a committed instruction\n  %-22s", "");
	for (uint32_t i = 0; i < r->methods.column_count; i++)
		fprintf(out, " %8s", r->methods.columns[i].label);
	fputc('\n', out);
	for (uint32_t i = 0; i < r->fact_count; i++) {
		const struct stacks_fact *f = &r->facts[i];
		fprintf(out, "  %-22s", f->label);
		for (uint32_t j = 0; j < f->count; j++)
			if (f->known[j])
				fprintf(out, " %8.2f", f->values[j]);
			else
				fprintf(out, " %8s", "-");
		fputc('\n', out);
	}
}

void stacks_report_text(const struct stacks_report *r, FILE *out)
{
	print_table(r, &r->methods, out);
	print_storage(r, out);
	print_table(r, &r->stages, out);
	print_slots(r, out);
	print_overlaps(r, out);
	print_facts(r, out);
}
