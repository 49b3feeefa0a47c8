/* Estimates as text, at most 80 columns wide. */
#include "base/memory_stream.h"
#include "base/plain.h"
#include "report/format.h"
#include "report/sample/report.h"
#include "report/terminal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 12, NAME = 40 };

/* Rows that would print as zero say nothing. */
static bool worth(const struct sample_row *row)
{
	return fabs(row->value) >= 0.05;
}

/* One figure where both sides print alike. */
static void print_interval(const struct sample_row *row, FILE *out)
{
	char below[32], above[32];
	snprintf(below, sizeof below, "%.2f", row->value - row->low);
	snprintf(above, sizeof above, "%.2f", row->high - row->value);
	if (!isfinite(row->half))
		return;
	if (!strcmp(below, above))
		fprintf(out, " +- %s", below);
	else
		fprintf(out, " -%s +%s", below, above);
}

static void print_section(const struct sample_section *s, FILE *out)
{
	size_t printed = 0;
	fprintf(out, "\n  %-*s %s\n", NAME, s->title, s->unit);
	for (; printed < s->count && printed < MOST && worth(&s->rows[printed]); printed++) {
		const struct sample_row *row = &s->rows[printed];
		fprintf(out, "  %-*.*s %9.2f", NAME, NAME, *row->label ? row->label : row->name, row->value);
		print_interval(row, out);
		fputc('\n', out);
	}
	if (printed < s->count)
		fputs("  (the rest: smaller; --json has all)\n", out);
}

static void print_number(const char *before, uint64_t value, const char *behind, FILE *out)
{
	char text[32];
	fprintf(out, "%s%s%s", before, format_grouped((int64_t)value, text), behind);
}

static void print_head(const struct sample_report *r, FILE *out)
{
	char program[4096];
	fprintf(out, "culprit: %s on %s", plain_copy(r->program, program, sizeof program), r->machine);
	fputc('\n', out);
	killed_head(&r->killed, out);
	print_number("  ", r->instructions, r->instructions == 1 ? " instruction: " : " instructions: ", out);
	if (r->start)
		print_number("the first ", r->start < r->instructions ? r->start : r->instructions,
			     r->start < r->instructions ? " in full, " : " in full", out);
	if (r->chosen) {
		print_number("", r->samples, r->samples == 1 ? " window" : " windows", out);
		print_number(" of ", r->length, " that SimPoint chose, ", out);
		fprintf(out, "weighted; %.3g%% in detail",
			100 * format_ratio((double)r->measured, (double)r->instructions));
	} else if (r->start < r->instructions) {
		print_number(r->start ? "then " : "", r->samples, r->samples == 1 ? " sample of " : " samples of ",
			     out);
		print_number("", r->length, ", one in ", out);
		print_number("", r->interval, "", out);
		fprintf(out, "; %.3g%% in detail", 100 * format_ratio((double)r->measured, (double)r->instructions));
	}
	fprintf(out, "%s%s\n", r->cut ? "; " : "", r->cut ? r->cut : "");
}

static const double WHOLE = 0.995; /* SimPoint prints weights with few digits */

/* What it cost that predictors did not learn all the way. */
static void print_predictors(const struct sample_report *r, FILE *out)
{
	if (!r->gaps)
		return;
	print_number("  Predictors learn in the last ", r->trained, " instructions before a sample: ", out);
	if (r->compared < 2)
		fputs("too few samples were compared with predictors that learn always, so bmisp and btb may be "
		      "anything from 0 to twice their value.\n",
		      out);
	else
		fprintf(out, "%+.2f +- %.2f%% mispredictions, of %zu samples compared; estimates are corrected.\n",
			r->more, r->half, r->compared);
}

static void print_unsure(const struct sample_report *r, FILE *out)
{
	fprintf(out, "  CPI %.4f, IPC %.3f; no interval: %s\n", r->cpi.value, 1 / r->cpi.value,
		r->samples ? "one sample does not tell its error" : "there is no sample");
	print_predictors(r, out);
	if (!r->samples && r->start < r->instructions)
		fputs("  No sample: the figures are those of the start alone. Shorter samples, or a shorter interval, "
		      "help.\n",
		      out);
}

static void print_cpi(const struct sample_report *r, FILE *out)
{
	double error = r->cpi.half / r->cpi.value;
	if (r->chosen) {
		fprintf(out, "  CPI %.4f, IPC %.3f; no interval: chosen windows do not tell their error\n",
			r->cpi.value, 1 / r->cpi.value);
		if (r->covered < WHOLE)
			fprintf(out,
				"  The weights sum to %.3g: the rest of the program is taken to be like these "
				"windows.\n",
				r->covered);
		return;
	}
	if (!isfinite(r->cpi.half)) {
		print_unsure(r, out);
		return;
	}
	fprintf(out, "  CPI %.4f +- %.4f (%.2f%%), IPC %.3f; confidence %g%%\n", r->cpi.value, r->cpi.half, 100 * error,
		1 / r->cpi.value, 100 * r->confidence);
	if (r->first_samples)
		fprintf(out, "  A second pass: the %zu samples of the first gave CPI to within %.2f%%.\n",
			r->first_samples, 100 * r->first_error);
	if (r->error > 0 && error > r->error)
		fprintf(out, "  The error asked for, %g%%, is not reached: try --samples %.0f.\n", 100 * r->error,
			ceil((double)r->samples * error * error / r->error / r->error));
	print_predictors(r, out);
	if (r->few)
		fprintf(out,
			"  Intervals of %zu row%s of the commit stack rest on fewer than 5 samples that have them.\n",
			r->few, r->few == 1 ? "" : "s");
	if (!r->samples && r->start < r->instructions)
		fputs("  No sample: the figures are those of the start alone. Shorter samples, or a shorter interval, "
		      "help.\n",
		      out);
	else if (r->samples < 30 && r->start < r->instructions)
		fprintf(out, "  Fewer than 30 samples: the intervals are rough. A shorter --sample-interval helps.\n");
}

unsigned sample_report_head(const struct sample_report *r, unsigned width, FILE *out)
{
	struct memory_stream plain, folded;
	unsigned lines = 0;
	if (!memory_stream_open(&plain))
		return 0;
	print_head(r, plain.file);
	if (r->measured)
		print_cpi(r, plain.file);
	char *text = memory_stream_close(&plain), *rows = NULL;
	if (text && memory_stream_open(&folded)) {
		terminal_fold(text, width, folded.file);
		rows = memory_stream_close(&folded);
	}
	for (const char *c = rows; c && *c; c++)
		lines += *c == '\n';
	fputs(rows ? rows : "", out);
	free(rows);
	free(text);
	return lines;
}

void sample_report_sections(const struct sample_report *r, bool all, FILE *out)
{
	for (size_t i = 0; r->measured && i < r->section_count; i++)
		if (all || r->sections[i].asked)
			print_section(&r->sections[i], out);
}

void sample_report_destroy(struct sample_report *r)
{
	for (size_t i = 0; i < r->section_count; i++) {
		for (size_t k = 0; k < r->sections[i].count; k++)
			free(r->sections[i].rows[k].name);
		free(r->sections[i].rows);
	}
	r->section_count = 0;
}
