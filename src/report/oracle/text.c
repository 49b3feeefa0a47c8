/* At most 80 columns. */
#include "report/oracle/report.h"
#include "report/format.h"

#include <stdlib.h>
#include <string.h>

enum { EVENTS_WIDTH = 31 };

static double percent(uint64_t part, uint64_t whole)
{
	return 100 * format_ratio((double)part, (double)whole);
}

void oracle_report_destroy(struct oracle_report *r)
{
	struct oracle_table *const all[] = {&r->whole, &r->functions, &r->lines, &r->instructions};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		free(all[i]->entries);
		free(all[i]->sets);
	}
}

/* "l1d+memory"; "none" */
static void name_set(const struct oracle_report *r, unsigned events, char *text, size_t size)
{
	snprintf(text, size, "%s", events ? "" : "none");
	for (unsigned i = 0; i < ORACLE_REPORT_EVENTS; i++)
		if (events >> i & 1) {
			size_t used = strlen(text);
			snprintf(text + used, size - used, "%s%s", used ? "+" : "", r->events[i].name);
		}
}

static void print_cases(const struct oracle_report *r, FILE *out)
{
	char text[32];
	uint64_t whole = r->cycles * ORACLE_REPORT_PARTS;
	fprintf(out, "  %-9s %15s %6s\n", "", "cycles", "%");
	for (unsigned i = 0; i < ORACLE_REPORT_CASES; i++)
		fprintf(out, "  %-9s %15s %6.2f  %s\n", r->cases[i].name,
			format_grouped((int64_t)(r->cases[i].parts / ORACLE_REPORT_PARTS), text),
			percent(r->cases[i].parts, whole), r->cases[i].meaning);
	if (r->end)
		fprintf(out, "  %-9s %15s %6.2f  after the last commit: nobody's\n", "end",
			format_grouped((int64_t)r->end, text), percent(r->end, r->cycles));
	fprintf(out, "  %-9s %15s %6.2f\n", "total", format_grouped((int64_t)r->cycles, text), 100.0);
}

/* The events that some cycle went with. */
static void print_events(const struct oracle_report *r, FILE *out)
{
	const struct oracle_entry *all = r->whole.entries;
	uint64_t by_event[ORACLE_REPORT_EVENTS] = {0};
	char text[32];
	for (size_t i = 0; i < all->set_count; i++)
		for (unsigned e = 0; e < ORACLE_REPORT_EVENTS; e++)
			by_event[e] += all->sets[i].events >> e & 1 ? all->sets[i].parts : 0;
	fprintf(out, "\nCycles of instructions that met an event; an instruction can meet several\n");
	for (unsigned e = 0; e < ORACLE_REPORT_EVENTS; e++)
		if (by_event[e])
			fprintf(out, "  %-10s %14s %6.2f  %s\n", r->events[e].name,
				format_grouped((int64_t)(by_event[e] / ORACLE_REPORT_PARTS), text),
				percent(by_event[e], r->cycles * ORACLE_REPORT_PARTS), r->events[e].meaning);
}

/* The sets of most of the entry's cycles, as many as there is room for: "l1d+memory 61, none 20". */
static void print_sets(const struct oracle_report *r, const struct oracle_entry *e, FILE *out)
{
	char text[EVENTS_WIDTH + 1] = "";
	for (size_t i = 0; i < e->set_count; i++) {
		char name[120], more[140];
		if (percent(e->sets[i].parts, e->parts) < 0.5)
			break;
		name_set(r, e->sets[i].events, name, sizeof name);
		int length = snprintf(more, sizeof more, "%s%s %.0f", i ? ", " : "", name,
				      percent(e->sets[i].parts, e->parts));
		if (strlen(text) + (size_t)length > EVENTS_WIDTH)
			break;
		strcat(text, more);
	}
	fprintf(out, "  %s\n", text);
}

static void print_entry(const struct oracle_report *r, const struct oracle_entry *e, const char *place, FILE *out)
{
	fprintf(out, "  %6.2f", percent(e->parts, r->cycles * ORACLE_REPORT_PARTS));
	for (unsigned i = 0; i < ORACLE_REPORT_CASES; i++)
		fprintf(out, " %4.0f", percent(e->by_case[i], e->parts));
	fprintf(out, "  %-17.17s", place);
	print_sets(r, e, out);
}

static void print_title(const struct oracle_report *r, const char *title, const char *place, FILE *out)
{
	fprintf(out, "\n%s\n  %6s", title, "% time");
	for (unsigned i = 0; i < ORACLE_REPORT_CASES; i++)
		fprintf(out, " %4.4s", r->cases[i].name);
	fprintf(out, "  %-17s  %s\n", place, "events, % of its cycles");
}

static size_t listed(const struct oracle_report *r, const struct oracle_table *t)
{
	return t->count < r->rows ? t->count : r->rows;
}

static void print_table(const struct oracle_report *r, const struct oracle_table *t, const char *title,
			const char *place, FILE *out)
{
	if (!t->count)
		return;
	print_title(r, title, place, out);
	for (size_t i = 0; i < listed(r, t); i++)
		print_entry(r, &t->entries[i], t->entries[i].name, out);
}

static void print_instructions(const struct oracle_report *r, FILE *out)
{
	const struct oracle_table *t = &r->instructions;
	print_title(r, "Instructions with most cycles", "instruction", out);
	for (size_t i = 0; i < listed(r, t); i++) {
		const struct oracle_entry *e = &t->entries[i];
		print_entry(r, e, e->name, out);
		fprintf(out, "  %8s  %.46s%s%.20s\n", "", e->where, *e->line ? "  " : "", e->line);
	}
}

void oracle_text(const struct oracle_report *r, FILE *out)
{
	fprintf(out, "\nOracle: every cycle by the instructions that commit exposed in it, none sampled\n");
	print_cases(r, out);
	if (!r->whole.count)
		return;
	print_events(r, out);
	print_table(r, &r->functions, "Functions with most cycles; comp to drai: % of them in each case", "function",
		    out);
	print_table(r, &r->lines, "Source lines with most cycles", "line", out);
	print_instructions(r, out);
}
