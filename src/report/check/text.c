/* The checker's findings in words. */
#include "report/check/report.h"
#include "report/format.h"

#include <inttypes.h>
#include <string.h>

enum { WIDTH = 118 };

/* Words from `indent` on, folded. */
static void print_folded(const char *text, int indent, FILE *out)
{
	int at = indent;
	fprintf(out, "%*s", indent, "");
	while (*text) {
		int length = (int)strcspn(text, " ");
		if (at > indent && at + 1 + length > WIDTH) {
			fprintf(out, "\n%*s", indent, "");
			at = indent;
		}
		at += fprintf(out, "%s%.*s", at > indent ? " " : "", length, text);
		text += length + (text[length] == ' ');
	}
	fputc('\n', out);
}

static void print_line(const struct check_line *l, FILE *out)
{
	char words[700];
	fprintf(out, "  %12" PRIu64 " %12" PRIu64 " %8" PRIu64 "  %s%s%s\n", l->count, l->cycles, l->worst, l->step,
		l->rule ? ", " : "", l->rule ? l->kind : "");
	if (l->rule) {
		snprintf(words, sizeof words, "in the graph %s", l->rule);
		print_folded(words, 8, out);
	} else {
		snprintf(words, sizeof words, "most of it at 0x%" PRIx64 ": %" PRIu64 " cycles", l->worst_pc,
			 l->worst_cycles);
		print_folded(words, 8, out);
	}
	snprintf(words, sizeof words, "first: %s", l->first);
	print_folded(words, 8, out);
	if (*l->remedy) {
		snprintf(words, sizeof words, "to do: %s", l->remedy);
		print_folded(words, 8, out);
	}
}

static void print_lines(const char *title, const struct check_line *lines, size_t count, FILE *out)
{
	fprintf(out, "\n%s\n  %12s %12s %8s  %s\n", title, "instructions", "cycles", "worst", "at");
	for (size_t i = 0; i < count; i++)
		print_line(&lines[i], out);
}

static void print_silence(const struct check_silence *s, FILE *out)
{
	char words[300];
	snprintf(words, sizeof words, "%s: %" PRIu64 " %s", s->field, s->chances, s->words);
	print_folded(words, 4, out);
}

static void print_misfit(const struct check_misfit *m, FILE *out)
{
	char words[700];
	fprintf(out, "  %12" PRIu64 " %12" PRIu64 "  %s\n", m->count, m->asked, m->name);
	print_folded(m->rule, 8, out);
	snprintf(words, sizeof words, "first: instruction %" PRIu64 " at 0x%" PRIx64, m->first_seq, m->first_pc);
	print_folded(words, 8, out);
	snprintf(words, sizeof words, "to do: %s", m->remedy);
	print_folded(words, 8, out);
}

void check_text(const struct check_report *r, FILE *out)
{
	char instructions[64], edges[64];
	fprintf(out, "\nRecords against the graph: %s, %s\n",
		format_counted(r->instructions, "instruction", instructions), format_counted(r->edges, "edge", edges));
	if (!r->contradicted_count)
		fprintf(out, "  No recorded time contradicts an edge.\n");
	else
		print_lines("Contradicted: recorded earlier than an edge of the graph allows", r->contradicted,
			    r->contradicted_count, out);
	if (!r->early_count)
		fprintf(out, "  The graph explains every wait.\n");
	else
		print_lines("The graph runs ahead: recorded later than every edge asks for", r->early, r->early_count,
			    out);
	if (r->misfit_count)
		fprintf(out,
			"\nDoes not fit: told otherwise than the machine or other records have it\n  %12s %12s  %s\n",
			"instructions", "of", "what");
	for (size_t i = 0; i < r->misfit_count; i++)
		print_misfit(&r->misfits[i], out);
	if (r->silent_count)
		fprintf(out, "\nNever told: unless it is so, fill these, or declare them unknown\n");
	for (size_t i = 0; i < r->silent_count; i++)
		print_silence(&r->silent[i], out);
}
