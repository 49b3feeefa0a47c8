/* The report of `culprit run` as text: plain columns, widths fixed, no colour, so that it can be diffed. */
#include "base/plain.h"
#include "report/format.h"
#include "report/run/report.h"
#include "report/terminal.h"

#include <string.h>

enum { BAR_WIDTH = 30 };

static unsigned count_lines(const char *text)
{
	unsigned lines = 0;
	for (; text && *text; text++)
		lines += *text == '\n';
	return lines;
}

/* The end of a path that is too long says more than its beginning. */
static unsigned print_title(const struct run_report *r, const struct report_view *view, FILE *out)
{
	char rest[200], program[4096];
	snprintf(rest, sizeof rest, r->functional ? ", functional" : " on %s", r->machine);
	plain_copy(r->program, program, sizeof program);
	size_t fixed = strlen("culprit : ") + strlen(r->version) + strlen(rest), length = strlen(program);
	size_t room = view->width > fixed + 10 ? view->width - fixed : 10;
	bool long_path = length > room;
	fprintf(out, "culprit %s: %s%s%s\n", r->version, long_path ? ".." : "",
		program + (long_path ? length - room + 2 : 0), rest);
	return 1;
}

static void add_gap(const struct report_trace *t, char *text, size_t size)
{
	char a[32], b[32];
	size_t at = strlen(text);
#define ADD(...) at += (size_t)snprintf(text + at, size - at, __VA_ARGS__)
	if (t->left_out)
		ADD("; %s %s left out", format_grouped((int64_t)t->left_out, a), t->left_what);
	if (t->jumps)
		ADD("; %s gap%s or trap%s", format_grouped((int64_t)t->jumps, a), t->jumps == 1 ? "" : "s",
		    t->jumps == 1 ? "" : "s");
	if (t->addresses)
		ADD("; %s of %s addresses not told", format_grouped((int64_t)t->addresses, a),
		    format_grouped((int64_t)t->accesses, b));
	if (t->values)
		ADD("; %s of %s values not told", format_grouped((int64_t)t->values, a),
		    format_grouped((int64_t)t->results, b));
	if (!strcmp(t->code, "trace"))
		ADD("; no program: wrong paths end where it never went");
	if (!strcmp(t->code, "made"))
		ADD("; its code is made, of additions");
	if (!strchr(text, ';'))
		ADD("; nothing left out");
#undef ADD
}

/* One sentence: what the figures rest on. */
static unsigned print_trace(const struct report_trace *t, FILE *out)
{
	char text[500];
	if (!t->format)
		return 0;
	snprintf(text, sizeof text, "from a trace (%s)", t->format);
	add_gap(t, text, sizeof text);
	return terminal_wrap(text, 2, TERMINAL_WIDTH, out);
}

unsigned run_report_head(const struct run_report *r, const struct report_view *view, FILE *out)
{
	char a[64], b[64];
	unsigned lines = print_title(r, view, out);
	fputs(r->plugins ? r->plugins : "", out);
	lines += count_lines(r->plugins);
	if (r->cut)
		lines += (unsigned)!!fprintf(out, REPORT_CUT_LINE, r->cut);
	killed_head(&r->killed, out);
	lines += r->killed.signal != 0;
	if (r->warnings)
		fputs(r->warnings, out);
	lines += count_lines(r->warnings);
	fprintf(out, "  %s", format_counted(r->instructions, "instruction", a));
	if (!r->functional)
		fprintf(out, ", %s, IPC %.4f", format_counted(r->cycles, "cycle", b),
			format_ratio((double)r->instructions, (double)r->cycles));
	fputc('\n', out);
	if (r->skipped || r->warmed)
		lines += (unsigned)!!fprintf(out, "  after %s skipped and %s warmed up\n",
					     format_grouped((int64_t)r->skipped, a),
					     format_grouped((int64_t)r->warmed, b));
	lines += print_trace(&r->trace, out);
	if (r->records)
		lines += (unsigned)!!fprintf(out, "  from the records in %s\n", r->records);
	if (r->parts > 1)
		lines += (unsigned)!!fprintf(
			out, "  in %s parts, which together have %s instruction%s more than the region\n",
			format_grouped((int64_t)r->parts, a), format_grouped((int64_t)r->more, b),
			r->more == 1 ? "" : "s");
	return lines + 1;
}

static void print_speed(const struct run_report *r, FILE *out)
{
	fprintf(out, "\n  simulated at %.2f M instructions/s (%.2f s)\n",
		format_ratio((double)r->instructions, r->host_seconds) / 1e6, r->host_seconds);
}

static void print_machine(const struct run_report *r, FILE *out)
{
	char text[400];
	bool told = r->validated && *r->validated;
	snprintf(text, sizeof text, "%s, %s", r->machine, told ? r->validated : "validated: its file does not say");
	fputc('\n', out);
	terminal_wrap(text, 2, TERMINAL_WIDTH, out);
}

static void print_stack(const struct run_report *r, FILE *out)
{
	char a[32];
	if (!r->has_stack)
		return;
	fprintf(out, "\nWhere the cycles went, by what commit waited for\n");
	fprintf(out, "  %-10s %16s %8s %7s\n", "", "cycles", "CPI", "%");
	uint64_t total = 0;
	for (uint32_t i = 0; i < r->stack_count; i++) {
		const struct report_stack_row *row = &r->stack[i];
		total += row->cycles;
		if (!row->cycles)
			continue;
		double share = format_ratio((double)row->cycles, (double)r->cycles);
		int bar = (int)(share * BAR_WIDTH + 0.5);
		fprintf(out, "  %-10s %16s %8.4f %7.2f%s%.*s\n", row->name, format_grouped((int64_t)row->cycles, a),
			format_ratio((double)row->cycles, (double)r->instructions), 100 * share, bar ? " " : "", bar,
			"##############################");
	}
	fprintf(out, "  %-10s %16s %8.4f %7.2f\n", "total", format_grouped((int64_t)total, a),
		format_ratio((double)total, (double)r->instructions),
		100 * format_ratio((double)total, (double)r->cycles));
	for (uint32_t i = 0; i < r->stack_count; i++) {
		char text[200];
		snprintf(text, sizeof text, "%s: %s", r->stack[i].name, r->stack[i].meaning);
		if (r->stack[i].cycles)
			terminal_wrap(text, 2, TERMINAL_WIDTH, out);
	}
}

static void print_rates(const struct run_report *r, FILE *out)
{
	double kilo = (double)r->instructions / 1000;
	fprintf(out, "\nPer thousand instructions\n");
	fprintf(out, "  %-22s %10s %10s %9s %17s\n", "", "accesses", "misses", "miss %", "wrong-path misses");
	for (uint32_t i = 0; i < r->cache_count; i++) {
		const struct report_rate_row *c = &r->caches[i];
		fprintf(out, "  %-22s %10.3f %10.3f %9.3f %17.3f\n", c->name, format_ratio((double)c->accesses, kilo),
			format_ratio((double)c->misses, kilo),
			100 * format_ratio((double)c->misses, (double)c->accesses),
			format_ratio((double)c->wrong_path_misses, kilo));
	}
	fprintf(out, "  %-22s %10s %10s %9s\n", "", "branches", "mispred.", "mispred. %");
	for (uint32_t i = 0; i < r->branch_count; i++) {
		const struct report_rate_row *b = &r->branches[i];
		if (b->accesses)
			fprintf(out, "  %-22s %10.3f %10.3f %9.3f\n", b->name, format_ratio((double)b->accesses, kilo),
				format_ratio((double)b->misses, kilo),
				100 * format_ratio((double)b->misses, (double)b->accesses));
	}
	fprintf(out,
		"  loads %.1f  stores %.1f  forwarded %.1f  fetched on wrong paths %.1f\n"
		"  decode redirects %.2f  violations %.3f\n",
		format_ratio((double)r->loads, kilo), format_ratio((double)r->stores, kilo),
		format_ratio((double)r->forwarded, kilo), format_ratio((double)r->fetched_wrong_path, kilo),
		format_ratio((double)r->decode_redirects, kilo), format_ratio((double)r->violations, kilo));
	if (r->prefetches)
		fprintf(out, "  prefetches %.3f, used %.3f, of these late %.3f\n",
			format_ratio((double)r->prefetches, kilo), format_ratio((double)r->prefetches_used, kilo),
			format_ratio((double)r->prefetches_late, kilo));
}

static void print_functions(const struct run_report *r, FILE *out)
{
	char a[32];
	if (!r->function_count)
		return;
	fprintf(out, "\nFunctions with most cycles\n  %16s %7s %8s  %s\n", "cycles", "%", "CPI", "function");
	for (uint32_t i = 0; i < r->function_count; i++) {
		const struct report_function_row *f = &r->functions[i];
		fprintf(out, "  %16s %7.2f %8.4f  %.40s (%s)\n", format_grouped((int64_t)f->cycles, a),
			100 * format_ratio((double)f->cycles, (double)r->cycles),
			format_ratio((double)f->cycles, (double)f->instructions), f->name, f->object);
	}
}

/* --- which of them --- */

static const struct {
	const char *name;
	void (*print)(const struct run_report *r, FILE *out);
} sections[] = {{"machine", print_machine}, {"programs", run_report_program_table}, {"stack", print_stack},
		{"rates", print_rates},	    {"functions", print_functions},	    {"speed", print_speed}};
enum { SECTIONS = sizeof sections / sizeof sections[0] };

const char *const *run_report_sections(void)
{
	static const char *const names[] = {"machine", "programs", "stack", "rates", "functions", "speed", NULL};
	return names;
}

bool report_shows(const struct report_view *view, const char *section)
{
	size_t wanted = strlen(section);
	for (const char *list = view->show; list;) {
		size_t length = strcspn(list, ",");
		if (length == wanted && !strncmp(list, section, length))
			return true;
		list = list[length] ? list + length + 1 : NULL;
	}
	return view->verbose;
}

/* --show has only the head before its sections. */
void run_report_text(const struct run_report *r, const struct report_view *view, FILE *out)
{
	if (view->show && !view->verbose)
		run_report_head(r, view, out);
	else
		run_report_screen(r, view, out);
	for (size_t i = 0; i < SECTIONS && !r->functional; i++)
		if (report_shows(view, sections[i].name))
			sections[i].print(r, out);
}
