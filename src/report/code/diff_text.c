/* The comparison as text: what differs in the runs, sentences, tables. A is before, B is now. */
#include "report/code/annotate.h"
#include "report/code/diff.h"
#include "report/format.h"
#include "report/terminal.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 10 };

static double percent(double part, double whole)
{
	return format_tenths(100 * format_ratio(part, whole));
}

static const char *name_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

/* Keys and values of a file of somebody's. */
static void plain(char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			*text = '?';
}

/* --- head --- */

static void print_head(const struct code_diff *d, FILE *out)
{
	char a[64], b[64];
	for (unsigned s = 0; s < DIFF_SIDES; s++) {
		const struct code_result *r = &d->r[s];
		fprintf(out, "%c: %s on %s (%s)\n  %s, %s, IPC %.4f\n", 'A' + (int)s, name_of(r->program), r->machine,
			d->path[s], format_counted(r->instructions, "instruction", a),
			format_counted(r->cycles, "cycle", b),
			format_ratio((double)r->instructions, (double)r->cycles));
		code_result_ending(r, out);
	}
}

/* What explains most stands first: so the others can wait. */
static void print_setup(const struct code_diff *d, const struct diff_view *view, FILE *out)
{
	const size_t all = d->setup.kept_count, shown = view->verbose || all < COMPARE_SHOWN ? all : COMPARE_SHOWN;
	for (size_t i = 0; i < shown; i++) {
		struct compare_difference f = *d->settings[i].difference;
		plain(f.place);
		if (!strcmp(f.place, "program.sha256"))
			fputs("  the program is another file\n", out);
		else
			fprintf(out, "  %s: %s in A, %s in B\n", f.place, f.was, f.is);
	}
	if (shown < all)
		fprintf(out, "  and %zu more: --verbose. Keys that act on what changed most stand first.\n",
			all - shown);
}

/* --- sentences --- */

struct speech {
	char text[2000];
};

__attribute__((format(printf, 2, 3))) static void say(struct speech *s, const char *format, ...)
{
	va_list arguments;
	size_t used = strlen(s->text);
	if (used && used + 1 < sizeof s->text)
		s->text[used++] = ' ';
	va_start(arguments, format);
	vsnprintf(s->text + used, sizeof s->text - used, format, arguments);
	va_end(arguments);
}

static const char *amount(int64_t change, char text[32])
{
	return format_grouped(change < 0 ? -change : change, text);
}

static const char *cycles(int64_t change, char text[64])
{
	return format_counted((uint64_t)llabs(change), "cycle", text);
}

static const char *direction(int64_t change)
{
	return change < 0 ? "fewer" : "more";
}

static void say_whole(struct speech *s, const struct code_diff *d, int64_t change)
{
	const struct code_result *a = &d->r[DIFF_A], *b = &d->r[DIFF_B];
	char x[64], y[32], z[32];
	if (!change)
		say(s, "A and B take the same time, %s.", format_counted(a->cycles, "cycle", x));
	else
		say(s, "B takes %.3g%% %s time than A: %s for %s, %s %s.",
		    100 * format_ratio((double)(change < 0 ? -change : change), (double)a->cycles),
		    change < 0 ? "less" : "more", format_counted(b->cycles, "cycle", x),
		    format_grouped((int64_t)a->cycles, y), amount(change, z), direction(change));
}

/* Instructions at A's cycles for each; the rest is what an instruction takes. */
static void say_instructions(struct speech *s, const struct code_diff *d, int64_t change)
{
	const struct code_result *a = &d->r[DIFF_A], *b = &d->r[DIFF_B];
	const int64_t more = (int64_t)(b->instructions - a->instructions);
	char x[64], y[64], z[32];
	if (!more) {
		say(s, "Both run %s.", format_counted(a->instructions, "instruction", x));
		return;
	}
	double own = (double)more * format_ratio((double)a->cycles, (double)a->instructions);
	int64_t by_count = (int64_t)(own < 0 ? own - 0.5 : own + 0.5), by_cpi = change - by_count;
	say(s, "B runs %s %s instruction%s (%.1f%%): at A's IPC that is %s %s; another IPC makes %s %s.",
	    amount(more, x), direction(more), llabs(more) == 1 ? "" : "s",
	    percent((double)llabs(more), (double)a->instructions), cycles(by_count, y), direction(by_count),
	    amount(by_cpi, z), direction(by_cpi));
}

/* The line on which a cause changed most in one direction. Cycles of a misprediction pass behind the branch, but its
 * place is the branch. */
static const struct diff_row *place_of(const struct code_diff *d, uint32_t cause, int sign, int64_t *change)
{
	const bool refill = !strcmp(d->r[DIFF_A].code.causes[cause], "mispredict");
	const struct diff_row *found = NULL;
	*change = 0;
	for (size_t i = 0; i < d->lines.count; i++) {
		const struct code_counts *n = d->lines.rows[i].n;
		int64_t here = refill ? (int64_t)(n[DIFF_B].refill - n[DIFF_A].refill)
				      : (int64_t)(n[DIFF_B].causes[cause] - n[DIFF_A].causes[cause]);
		if (sign * here > *change) {
			*change = sign * here;
			found = &d->lines.rows[i];
		}
	}
	return found;
}

static void place_text(const struct diff_row *row, char *text, size_t size)
{
	const uint32_t a = row->line[DIFF_A], b = row->line[DIFF_B];
	if (!row->file)
		snprintf(text, size, "%.95s", row->place);
	else if (row->has[DIFF_A] && row->has[DIFF_B] && a != b)
		snprintf(text, size, "%.60s:%" PRIu32 ">%" PRIu32, row->file, a, b);
	else
		snprintf(text, size, "%.60s:%" PRIu32, row->file, row->has[DIFF_B] ? b : a);
}

static void say_cause(struct speech *s, const struct code_diff *d, const struct code_counts n[DIFF_SIDES],
		      uint32_t cause, const char *lead)
{
	const int64_t change = (int64_t)(n[DIFF_B].causes[cause] - n[DIFF_A].causes[cause]);
	int64_t there;
	char x[64], place[100];
	const struct diff_row *row = place_of(d, cause, change < 0 ? -1 : 1, &there);
	if (!row) {
		say(s, "%s %s, %s %s.", lead, d->r[DIFF_A].code.labels[cause], cycles(change, x), direction(change));
		return;
	}
	place_text(row, place, sizeof place);
	say(s, "%s %s, %s %s, most of it at %s in %s.", lead, d->r[DIFF_A].code.labels[cause], cycles(change, x),
	    direction(change), place, row->name);
}

/* The cause that changed most: of either sign with `sign` 0, else of that sign. */
static uint32_t largest(const struct code_diff *d, const struct code_counts n[DIFF_SIDES], int sign, int64_t *change)
{
	uint32_t most = UINT32_MAX;
	*change = 0;
	for (uint32_t i = 0; i < d->r[DIFF_A].code.cause_count; i++) {
		const int64_t here = (int64_t)(n[DIFF_B].causes[i] - n[DIFF_A].causes[i]);
		if (llabs(here) > llabs(*change) && (!sign || (here < 0) == (sign < 0))) {
			*change = here;
			most = i;
		}
	}
	return most;
}

/* The largest change may be against the whole, where many small ones outweigh it. */
static void say_causes(struct speech *s, const struct code_diff *d, const struct code_counts n[DIFF_SIDES])
{
	int64_t change, other;
	const uint32_t most = largest(d, n, 0, &change);
	if (most == UINT32_MAX)
		return;
	say_cause(s, d, n, most, "The largest change is");
	const uint32_t against = largest(d, n, change < 0 ? 1 : -1, &other);
	if (100 * llabs(other) > (int64_t)d->r[DIFF_A].cycles)
		say_cause(s, d, n, against, "Against it goes");
}

static void say_trust(struct speech *s, const struct code_diff *d)
{
	bool sampled = false;
	for (size_t i = 0; i < d->cost_count; i++)
		sampled |= d->costs[i].interval[DIFF_A] > 0 || d->costs[i].interval[DIFF_B] > 0;
	say(s, "Every cycle of both runs was counted and a run is the same each time: no change of cycles is noise.");
	if (sampled)
		say(s, "The costs by shotgun are sampled: those marked ~ changed by no more than their error.");
}

static void print_sentences(const struct code_diff *d, const struct diff_view *view, FILE *out)
{
	struct speech s = {""};
	struct code_counts n[DIFF_SIDES];
	diff_totals(d, n);
	const int64_t change = diff_change(n);
	say_whole(&s, d, change);
	say_instructions(&s, d, change);
	say_causes(&s, d, n);
	say_trust(&s, d);
	fputc('\n', out);
	terminal_wrap(s.text, 2, view->width, out);
}

/* --- tables --- */

static void print_figures(uint64_t a, uint64_t b, uint64_t whole, FILE *out)
{
	char x[32], y[32], z[32];
	const int64_t change = (int64_t)(b - a);
	fprintf(out, " %14s %14s %14s %7.1f", format_grouped((int64_t)a, x), format_grouped((int64_t)b, y),
		format_grouped(change, z), percent((double)change, (double)whole));
}

static void print_name(const char *name, unsigned width, FILE *out)
{
	const size_t length = strlen(name);
	if (length > width)
		fprintf(out, "  ..%s", name + length - width + 2);
	else
		fprintf(out, "  %-*s", (int)width, name);
}

static void print_causes(const struct code_diff *d, FILE *out)
{
	const struct code *c = &d->r[DIFF_A].code;
	const uint64_t whole = d->r[DIFF_A].cycles;
	struct code_counts n[DIFF_SIDES];
	diff_totals(d, n);
	fprintf(out, "\n  %-20s %14s %14s %14s %7s\n", "cycles by cause", "A", "B", "change", "% of A");
	for (uint32_t i = 0; i < c->cause_count; i++) {
		uint64_t a = n[DIFF_A].causes[i], b = n[DIFF_B].causes[i];
		if (!a && !b)
			continue;
		fprintf(out, "  %-20s", c->labels[i]);
		print_figures(a, b, whole, out);
		fputc('\n', out);
	}
	if (c->outside || d->r[DIFF_B].code.outside) {
		fprintf(out, "  %-20s", "after the last");
		print_figures(c->outside, d->r[DIFF_B].code.outside, whole, out);
		fputc('\n', out);
	}
	fprintf(out, "  %-20s", "all");
	print_figures(n[DIFF_A].cycles, n[DIFF_B].cycles, whole, out);
	fputc('\n', out);
}

static void print_label(const struct code_diff *d, uint32_t cause, FILE *out)
{
	fprintf(out, " %s\n", cause == UINT32_MAX ? "" : d->r[DIFF_A].code.labels[cause]);
}

/* Functions or lines; those that are not listed are one row, so that the column adds up. */
static size_t shown_rows(const struct diff_table *t, const struct diff_view *view)
{
	size_t n = 0;
	while (n < t->count && (view->verbose || n < ROWS) && diff_change(t->rows[n].n))
		n++;
	return n;
}

static void print_rest(const struct diff_table *t, size_t from, const char *what, unsigned indent, FILE *out)
{
	int64_t rest = 0;
	char x[32], name[64];
	size_t changed = 0;
	for (size_t i = from; i < t->count; i++) {
		rest += diff_change(t->rows[i].n);
		changed += diff_change(t->rows[i].n) != 0;
	}
	if (!changed)
		return;
	snprintf(name, sizeof name, "%zu other %s", changed, what);
	fprintf(out, "  %-*s %14s\n", (int)indent, name, format_grouped(rest, x));
}

static void print_functions(const struct code_diff *d, const struct diff_view *view, FILE *out)
{
	const size_t n = shown_rows(&d->functions, view);
	const unsigned name = 18 + (view->width > 80 ? view->width - 80 < 40 ? view->width - 80 : 40 : 0);
	char x[32], y[32], z[32];
	if (!n)
		return;
	fprintf(out, "\n  %-*s %12s %12s %13s %6s %s\n", (int)name, "function", "A", "B", "change", "% of A", "mostly");
	for (size_t i = 0; i < n; i++) {
		const struct diff_row *row = &d->functions.rows[i];
		const int64_t change = diff_change(row->n);
		print_name(row->name, name, out);
		fprintf(out, " %12s %12s %13s %6.1f",
			row->has[DIFF_A] ? format_grouped((int64_t)row->n[DIFF_A].cycles, x) : "-",
			row->has[DIFF_B] ? format_grouped((int64_t)row->n[DIFF_B].cycles, y) : "-",
			format_grouped(change, z), percent((double)change, (double)d->r[DIFF_A].cycles));
		print_label(d, diff_mostly(d, row->n), out);
	}
	print_rest(&d->functions, n, "functions", name + 12 + 12 + 1, out);
}

static void print_lines(const struct code_diff *d, const struct diff_view *view, FILE *out)
{
	const size_t n = shown_rows(&d->lines, view);
	char place[100], z[32];
	if (!n)
		return;
	fprintf(out, "\n  %-20s %13s %6s %-11s %s\n", "line", "change", "% of A", "mostly", "source");
	for (size_t i = 0; i < n; i++) {
		const struct diff_row *row = &d->lines.rows[i];
		const int64_t change = diff_change(row->n);
		const uint32_t cause = diff_mostly(d, row->n);
		place_text(row, place, sizeof place);
		print_name(place, 20, out);
		fprintf(out, " %13s %6.1f %-11s ", format_grouped(change, z),
			percent((double)change, (double)d->r[DIFF_A].cycles),
			cause == UINT32_MAX ? "" : d->r[DIFF_A].code.labels[cause]);
		const char *only = row->has[DIFF_A] && row->has[DIFF_B] ? "" : row->has[DIFF_A] ? "A: " : "B: ";
		fputs(only, out);
		const unsigned taken = 57 + (unsigned)strlen(only);
		code_print_cut(row->insn   ? row->insn
			       : row->text ? row->text
					   : row->name,
			       view->width > taken + 8 ? view->width - taken : 8, out);
		fputc('\n', out);
	}
	print_rest(&d->lines, n, "lines", 19, out);
	if (d->lines_left_out)
		fputs("  lines of functions that both results have in code: --json-code 0 keeps all\n", out);
}

static void print_costs(const struct code_diff *d, FILE *out)
{
	const char *method = "";
	for (size_t i = 0; i < d->cost_count; i++) {
		const struct diff_cost *c = &d->costs[i];
		if (strcmp(c->method, method) != 0)
			fprintf(out, "\n  %-20s %14s %14s %14s\n", c->method, "% of A's time", "% of B's time",
				"points");
		method = c->method;
		char term[60];
		snprintf(term, sizeof term, "%s", c->term);
		plain(term);
		fprintf(out, "  %-20.20s %14.1f %14.1f %14.1f%s\n", term, c->percent[DIFF_A], c->percent[DIFF_B],
			c->percent[DIFF_B] - c->percent[DIFF_A], diff_is_noise(d, c) ? " ~" : "");
	}
}

void code_diff_text(const struct code_diff *d, const struct diff_view *view, FILE *out)
{
	print_head(d, out);
	print_setup(d, view, out);
	print_sentences(d, view, out);
	print_causes(d, out);
	print_functions(d, view, out);
	print_lines(d, view, out);
	print_costs(d, out);
}
