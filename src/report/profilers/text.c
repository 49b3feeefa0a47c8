/* At most 80 columns. */
#include "report/profilers/report.h"
#include "report/format.h"

static void print_levels(const struct profilers_report *r, FILE *out)
{
	fprintf(out, "  %-14s", "");
	for (unsigned i = 0; i < PROFILERS_REPORT_LEVELS; i++)
		fprintf(out, " %12s", r->levels[i].name);
}

static void print_all(const struct profilers_report *r, FILE *out)
{
	fprintf(out, "\nEvery cycle sampled: %% of the time blamed on the wrong one\n");
	print_levels(r, out);
	fprintf(out, " %9s\n", "published");
	for (unsigned i = 0; i < r->count; i++) {
		const struct profilers_report_row *row = &r->rows[i];
		fprintf(out, "  %-14s", row->label);
		for (unsigned level = 0; level < PROFILERS_REPORT_LEVELS; level++)
			if (row->all[level] < 0)
				fprintf(out, " %12s", "-");
			else
				fprintf(out, " %12.1f", row->all[level]);
		if (row->published > 0)
			fprintf(out, " %9.1f", row->published);
		fputc('\n', out);
	}
}

static void print_sampled(const struct profilers_report *r, FILE *out)
{
	char text[32];
	fprintf(out, "\nOne cycle in %s sampled: mean of %u series of samples, and its 95%% interval\n",
		format_grouped((int64_t)r->period, text), r->series);
	print_levels(r, out);
	fprintf(out, " %9s\n", "samples");
	for (unsigned i = 0; i < r->count; i++) {
		const struct profilers_report_row *row = &r->rows[i];
		fprintf(out, "  %-14s", row->label);
		for (unsigned level = 0; level < PROFILERS_REPORT_LEVELS; level++)
			if (row->mean[level] < 0)
				fprintf(out, " %12s", "-");
			else
				fprintf(out, " %6.1f +-%3.1f", row->mean[level], row->half[level]);
		fprintf(out, " %9s\n", format_grouped((int64_t)(row->samples + 0.5), text));
	}
}

static void print_lost(const struct profilers_report *r, FILE *out)
{
	char text[32];
	for (unsigned i = 0; i < r->count; i++)
		if (r->rows[i].lost >= 0.5)
			fprintf(out, "  %s: %s more sample%s lost, of instructions that were squashed\n",
				r->rows[i].label, format_grouped((int64_t)(r->rows[i].lost + 0.5), text),
				r->rows[i].lost < 1.5 ? "" : "s");
}

void profilers_text(const struct profilers_report *r, FILE *out)
{
	char text[32];
	fprintf(out, "\nProfilers against the oracle of %s cycles\n", format_grouped((int64_t)r->cycles, text));
	print_levels(r, out);
	fputc('\n', out);
	fprintf(out, "  %-14s", "different ones");
	for (unsigned i = 0; i < PROFILERS_REPORT_LEVELS; i++)
		fprintf(out, " %12s", format_grouped((int64_t)r->levels[i].symbols, text));
	fputc('\n', out);
	print_all(r, out);
	print_sampled(r, out);
	print_lost(r, out);
	fprintf(out, "\nWhom each blames for a sampled cycle\n");
	for (unsigned i = 0; i < r->count; i++)
		fprintf(out, "  %-14s %s\n", r->rows[i].label, r->rows[i].whom);
	if (r->skid)
		fprintf(out, "  The address that an interrupt finds is %s instructions late.\n",
			format_grouped((int64_t)r->skid, text));
}
