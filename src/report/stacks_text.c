/* CPI stacks as text: a table, then one bar for each stack. On a terminal the bars are coloured; elsewhere each
 * component is a letter, so that the report can be diffed. */
#include "report/format.h"
#include "report/stacks_report.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

enum { BAR_WIDTH = 60 };

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

static void print_header(const struct stacks_table *t, FILE *out)
{
	fprintf(out, "\n%s\n  %-10s", t->title, "CPI and %");
	for (uint32_t i = 0; i < t->column_count; i++)
		fprintf(out, " %16s", t->columns[i].label);
	fputc('\n', out);
}

static void print_amount(const struct stacks_report *r, const struct stacks_table *t, int64_t amount, FILE *out)
{
	double cycles = format_ratio((double)amount, (double)t->unit);
	fprintf(out, " %8.4f %7.2f", format_ratio(cycles, (double)r->instructions),
		100 * format_ratio(cycles, (double)r->cycles));
}

static void print_rows(const struct stacks_report *r, const struct stacks_table *t, FILE *out)
{
	for (uint32_t i = 0; i < t->row_count; i++) {
		if (is_empty(t, i))
			continue;
		fprintf(out, "%c %-10s", stacks_colour(t->rows[i].name).letter, t->rows[i].name);
		for (uint32_t j = 0; j < t->column_count; j++)
			print_amount(r, t, t->columns[j].amounts[i], out);
		fprintf(out, "  %s\n", t->rows[i].meaning);
	}
	fprintf(out, "  %-10s", "total");
	for (uint32_t j = 0; j < t->column_count; j++)
		print_amount(r, t, total(t, &t->columns[j]), out);
	fputc('\n', out);
}

static void print_block(struct stacks_colour c, int width, bool colours, FILE *out)
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
		end = end < 2 * BAR_WIDTH ? end : 2 * BAR_WIDTH;
		print_block(stacks_colour(t->rows[i].name), end - drawn, colours, out);
		drawn = end;
	}
	fprintf(out, "%*s|\n", drawn < BAR_WIDTH ? BAR_WIDTH - drawn : 0, "");
	for (uint32_t i = 0; i < t->row_count; i++)
		if (c->amounts[i] < 0)
			fprintf(out, "  %-10s  charged for %.2f%% more cycles than there were\n", "",
				-100 * format_ratio((double)c->amounts[i], all));
}

static void print_table(const struct stacks_report *r, const struct stacks_table *t, FILE *out)
{
	bool colours = isatty(fileno(out));
	print_header(t, out);
	print_rows(r, t, out);
	for (uint32_t i = 0; i < t->column_count; i++)
		print_bar(r, t, &t->columns[i], colours, out);
}

static void print_storage(const struct stacks_report *r, FILE *out)
{
	fprintf(out, "  beside nine global counters, in bits:");
	for (uint32_t i = 0; i < r->methods.column_count; i++)
		fprintf(out, "%s %s %" PRIu64, i ? "," : "", r->methods.columns[i].label,
			r->methods.columns[i].storage_bits);
	fprintf(out, "\n  FMT: %" PRIu32 " rows of %" PRIu32 "-bit counters, at most %" PRIu32 " in use", r->fmt_rows,
		r->counter_bits, r->fmt_rows_used);
	fprintf(out, "; branches without a row %" PRIu64 ", of these mispredicted %" PRIu64 "\n", r->fmt_overflowed,
		r->fmt_untracked);
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
		fprintf(out, "  tma_%-22s %7.2f  %s\n", t->rows[i].name,
			100 * format_ratio((double)t->columns[0].amounts[i], all), t->rows[i].meaning);
		for (uint32_t j = 0; j < t->row_count; j++)
			if (t->rows[j].parent && !strcmp(t->rows[j].parent, t->rows[i].name))
				fprintf(out, "    tma_%-20s %7.2f  %s\n", t->rows[j].name,
					100 * format_ratio((double)t->columns[0].amounts[j], all), t->rows[j].meaning);
	}
}

static void print_overlaps(const struct stacks_report *r, FILE *out)
{
	fprintf(out, "\nContested cycles: %.2f%% could be charged to more than one event\n",
		100 * format_ratio((double)r->contested, (double)r->cycles));
	for (uint32_t i = 0; i < r->overlap_count; i++)
		fprintf(out, "  %-22s %7.2f  %s\n", r->overlap_rows[i].name,
			100 * format_ratio((double)r->overlaps[i], (double)r->cycles), r->overlap_rows[i].meaning);
}

static void print_facts(const struct stacks_report *r, FILE *out)
{
	fprintf(out, "\nPenalties, cycles for each event of a committed instruction\n  %-34s", "");
	for (uint32_t i = 0; i < r->methods.column_count; i++)
		fprintf(out, " %9s", r->methods.columns[i].label);
	fputc('\n', out);
	for (uint32_t i = 0; i < r->fact_count; i++) {
		const struct stacks_fact *f = &r->facts[i];
		fprintf(out, "  %-34s", f->label);
		for (uint32_t j = 0; j < f->count; j++)
			if (f->known[j])
				fprintf(out, " %9.2f", f->values[j]);
			else
				fprintf(out, " %9s", "-");
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
