/* The first screen: the verdict, the time as a bar, the functions with most of it, the worst branches and loads, and
 * what to run next. It has SCREEN_LINES lines at most; the tables take what the sentences leave. */
#include "report/format.h"
#include "report/palette.h"
#include "report/run/verdict.h"
#include "report/terminal.h"

#include <string.h>

enum { SCREEN_LINES = 24, NEXT_ROWS = 2, LEAST_PERMILLE = 5 };

static double percent(uint64_t part, uint64_t whole)
{
	return 100 * format_ratio((double)part, (double)whole);
}

/* Sampled figures have them, and the tables a column for them. */
static bool has_intervals(const struct run_report *r)
{
	return r->samples && r->confidence > 0;
}

static void heading(const struct report_view *view, const char *text, FILE *out)
{
	fprintf(out, view->colour ? "\033[1m%s\033[0m\n" : "%s\n", text);
}

/* --- the verdict --- */

/* What the biggest cause is, what it is worth and with what belongs together; the others begin a line each. */
static bool begins_line(enum verdict_sentence s)
{
	return s < SENTENCE_GAIN_unknown || s >= SENTENCE_ALONE_not_asked;
}

unsigned run_report_verdict(const struct run_report *r, const struct report_view *view, FILE *out)
{
	enum verdict_sentence said[VERDICT_SENTENCES];
	struct verdict v;
	char paragraph[2048] = "", sentence[600];
	unsigned lines = 0;
	if (!r->cause_count)
		return 0;
	verdict_find(&v, r);
	for (unsigned i = 0, n = verdict_sentences(&v, said); i < n; i++) {
		if (begins_line(said[i])) {
			lines += terminal_wrap(paragraph, 2, view->width, out);
			*paragraph = 0;
		}
		verdict_say(&v, said[i], sentence, sizeof sentence);
		size_t used = strlen(paragraph);
		snprintf(paragraph + used, sizeof paragraph - used, "%s%s", used ? " " : "", sentence);
	}
	return lines + terminal_wrap(paragraph, 2, view->width, out);
}

/* --- the bar --- */

struct segment {
	const char *label;
	uint64_t cycles;
	const char *colour; /* its name in the palette */
};

static size_t add_segment(struct segment *all, size_t n, const char *label, uint64_t cycles, const char *colour)
{
	size_t at = n;
	if (!cycles)
		return n;
	for (; at > 0 && all[at - 1].cycles < cycles; at--)
		all[at] = all[at - 1];
	all[at] = (struct segment){label, cycles, colour};
	return n + 1;
}

/* Cycles in which commit went on are two: as many as the instructions need at full width, and those that were lost
 * because fewer than could came. */
static size_t segments(const struct run_report *r, struct segment *all)
{
	uint64_t full = r->width ? r->instructions / r->width : 0, commit = r->causes[0].cycles;
	full = full < commit ? full : commit;
	size_t n = add_segment(all, 0, "full width", full, "commit");
	n = add_segment(all, n, "part width", commit - full, "part");
	for (uint32_t i = 1; i < r->cause_count; i++)
		n = add_segment(all, n, r->causes[i].label, r->causes[i].cycles, r->causes[i].name);
	return n;
}

/* Letters are black or white, whichever can be read. */
static void paint(const char *colour, FILE *out)
{
	const struct palette_colour c = palette_find(colour);
	const unsigned lightness = (3u * c.red + 6u * c.green + c.blue) / 10, letters = lightness > 128 ? 16 : 231;
	fprintf(out, "\033[48;2;%u;%u;%u;38;5;%um", c.red, c.green, c.blue, letters);
}

/* Returns whether its name is in it. */
static bool print_segment(const struct segment *s, double share, unsigned columns, unsigned order,
			  const struct report_view *view, FILE *out)
{
	char text[64];
	unsigned room = columns - 1; /* the last column is the border */
	unsigned length = (unsigned)snprintf(text, sizeof text, "%s %.0f%%", s->label, share);
	bool named = length <= room;
	if (!named)
		length = (unsigned)snprintf(text, sizeof text, "%.0f%%", share);
	if (length > room)
		length = 0;
	if (view->colour)
		paint(s->colour, out);
	fprintf(out, "%.*s", (int)length, text);
	for (unsigned i = length; i < room; i++)
		fputc(view->colour ? ' ' : "=-"[order % 2], out);
	fprintf(out, "%s|", view->colour ? "\033[0m" : "");
	return named;
}

/* Append a segment to the line under the bar, if there is room. */
static void add_rest(char *rest, size_t width, const struct segment *s, double share)
{
	char item[64];
	size_t used = strlen(rest);
	snprintf(item, sizeof item, "%s%s %.*f%%", used ? ", " : "then ", s->label, share < 10, share);
	if (used + strlen(item) <= width)
		strcpy(rest + used, item);
}

static unsigned print_bar(const struct run_report *r, const struct report_view *view, FILE *out)
{
	enum { LEAST_COLUMNS = 4, REST_MOST = 400 };
	struct segment all[REPORT_CAUSES_MAX + 1];
	char rest[REST_MOST] = "";
	size_t n = segments(r, all);
	size_t rest_width = view->width - 2 < REST_MOST ? view->width - 2 : REST_MOST - 1;
	const double columns = view->width - 3;
	uint64_t sum = 0;
	bool drawing = true;
	fputs("  |", out);
	for (size_t i = 0; i < n; i++) {
		double share = percent(all[i].cycles, r->cycles);
		unsigned from = (unsigned)(format_ratio((double)sum, (double)r->cycles) * columns + 0.5);
		sum += all[i].cycles;
		unsigned to = (unsigned)(format_ratio((double)sum, (double)r->cycles) * columns + 0.5);
		drawing &= to - from >= LEAST_COLUMNS;
		if (!(drawing && print_segment(&all[i], share, to - from, (unsigned)i, view, out)) && share >= 0.5)
			add_rest(rest, rest_width, &all[i], share);
	}
	fputc('\n', out);
	if (*rest)
		fprintf(out, "  %s\n", rest);
	return *rest ? 2 : 1;
}

/* --- functions --- */

static void print_mostly(const struct run_report *r, const struct report_function_row *f, FILE *out)
{
	char text[40];
	uint32_t most = 0;
	for (uint32_t i = 1; i < r->cause_count; i++)
		if (f->causes[i] > f->causes[most])
			most = i;
	double share = percent(f->causes[most], f->cycles);
	if (most == 0)
		snprintf(text, sizeof text, "commit %.0f%%, %.1f of %u", share,
			 format_ratio((double)f->instructions, (double)f->causes[0]), r->width);
	else
		snprintf(text, sizeof text, "%s %.0f%%", r->causes[most].label, share);
	fprintf(out, "%-20s", text);
}

/* For each of two columns of names; farther apart a row is hard to follow. */
static unsigned more_columns(const struct report_view *view)
{
	enum { NARROW = 80, WIDE = 120 };
	const unsigned width = view->width < WIDE ? view->width : WIDE;
	return width > NARROW ? (width - NARROW) / 2 : 0;
}

/* The end of a name that is too long says more than its beginning. */
static void print_name(const char *name, unsigned width, FILE *out)
{
	size_t length = strlen(name);
	if (length <= width)
		fprintf(out, "%-*s ", (int)width, name);
	else
		fprintf(out, "..%s ", name + length - width + 2);
}

/* With several programs: of which one, or of which library. */
static void print_function(const struct run_report *r, const char *object, const char *function, unsigned width,
			   FILE *out)
{
	char text[320];
	snprintf(text, sizeof text, r->program_count > 1 ? "%s:%s" : "%.0s%s", object, function);
	print_name(text, width, out);
}

/* Does a sentence of the verdict name it? */
static bool is_named(const struct run_report *r, uint32_t function)
{
	struct verdict v;
	verdict_find(&v, r);
	const int named[] = {v.first, v.second, v.third};
	for (size_t i = 0; i < sizeof named / sizeof named[0]; i++)
		if (named[i] >= 0 && !strcmp(r->causes[named[i]].spot.function, r->functions[function].name))
			return true;
	return false;
}

static unsigned count_named(const struct run_report *r, unsigned functions)
{
	unsigned n = 0;
	for (uint32_t i = 0; i < functions; i++)
		n += is_named(r, i);
	return n;
}

/* Those with most time. But the last of them leaves its row to one that the verdict names, unless the verdict names
 * it as well, or it has a tenth of the time. */
static uint32_t choose_functions(const struct run_report *r, unsigned rows, bool chosen[REPORT_FUNCTIONS_MAX])
{
	uint32_t named = rows;
	for (uint32_t i = 0; i < r->function_count; i++)
		chosen[i] = i < rows;
	while (named < r->function_count && !is_named(r, named))
		named++;
	if (named < r->function_count && !is_named(r, rows - 1) && 10 * r->functions[rows - 1].cycles < r->cycles) {
		chosen[rows - 1] = false;
		chosen[named] = true;
	}
	return r->function_count;
}

static void print_function_rows(const struct run_report *r, unsigned rows, const struct report_view *view, FILE *out)
{
	bool chosen[REPORT_FUNCTIONS_MAX];
	const uint32_t count = choose_functions(r, rows, chosen);
	const unsigned extra = more_columns(view), name = 20 + extra, place = 20 + extra;
	char text[400];
	snprintf(text, sizeof text, "  %-*s %-*s %6s  %-20s %6s", (int)name, "function", (int)place,
		 "its costliest line", "% time", "mostly", has_intervals(r) ? "+-" : "IPC");
	heading(view, text, out);
	for (uint32_t i = 0; i < count; i++) {
		if (!chosen[i])
			continue;
		const struct report_function_row *f = &r->functions[i];
		fputs("  ", out);
		print_function(r, f->object, f->name, name, out);
		print_name(f->place, place, out);
		fprintf(out, "%6.1f  ", percent(f->cycles, r->cycles));
		print_mostly(r, f, out);
		const double half = 100 * format_ratio(f->half, (double)r->cycles);
		const double ipc = format_ratio((double)f->instructions, (double)f->cycles);
		fprintf(out, " %6.2f\n", has_intervals(r) ? half : ipc);
	}
}

/* --- branches and loads --- */

static void print_spot(const struct run_report *r, const char *kind, const struct report_spot *s, unsigned extra,
		       FILE *out)
{
	char text[32];
	fprintf(out, "  %-6s ", kind);
	print_name(s->place, 20 + extra, out);
	print_function(r, s->object, s->function, 18 + extra, out);
	const double missed = percent(s->bad, s->instances), time = percent(s->weight, r->cycles);
	if (has_intervals(r))
		fprintf(out, "%13.3g %4.0f %6.1f %4.1f\n", (double)s->instances, missed, time,
			100 * format_ratio(s->half, (double)r->cycles));
	else
		fprintf(out, "%13s %8.1f %6.1f\n", format_grouped((int64_t)s->instances, text), missed, time);
}

/* Rows worth a line: those with 0.5% of the time. */
static unsigned worth(const struct run_report *r, const struct report_spot *spots, uint32_t count)
{
	unsigned n = 0;
	while (n < count && 1000 * spots[n].weight >= LEAST_PERMILLE * r->cycles && spots[n].weight)
		n++;
	return n;
}

static void print_spots(const struct run_report *r, unsigned rows, const struct report_view *view, FILE *out)
{
	unsigned extra = more_columns(view), at[2] = {0, 0};
	const unsigned count[2] = {worth(r, r->worst_branches, r->branch_spots),
				   worth(r, r->worst_loads, r->load_spots)};
	char text[400];
	snprintf(text, sizeof text, "  %-6s %-*s %-*s %13s %s", "worst", (int)(20 + extra), "branches and loads",
		 (int)(18 + extra), "function", "executions",
		 has_intervals(r) ? "miss% % time   +-" : "% missed % time");
	heading(view, text, out);
	for (unsigned i = 0; i < rows; i++) { /* the heavier of the two that are next */
		const struct report_spot *b = &r->worst_branches[at[0]], *l = &r->worst_loads[at[1]];
		bool branch = at[0] < count[0] && (at[1] == count[1] || b->weight >= l->weight);
		print_spot(r, branch ? "branch" : "load", branch ? b : l, extra, out);
		at[!branch]++;
	}
}

/* --- next --- */

static size_t longest_word(const char *text)
{
	size_t longest = 0;
	while (*text) {
		size_t length = strcspn(text, " ");
		while (text[length] && length && text[length - 1] == '\\') /* as terminal_wrap */
			length += 1 + strcspn(text + length + 1, " ");
		longest = length > longest ? length : longest;
		text += length + (text[length] == ' ');
	}
	return longest;
}

/* Whole if it fits into three lines, else with its middle left out. */
static unsigned print_command(const struct run_report *r, const char *begin, const char *options,
			      const struct report_view *view, FILE *out)
{
	enum { MARGIN = 8, LINES = 3 };
	char text[2048], command[2000], whole[2048];
	const char *verb = verdict_verb(r, options), *slash = strrchr(r->program, '/');
	snprintf(text, sizeof text, "%s culprit %s%s ...%s%s", begin, verb, options, r->records ? "" : " -- ",
		 r->records ? ""
		 : slash    ? slash + 1
			    : r->program);
	unsigned length = verdict_command(r, options, r->result, command, sizeof command) + (unsigned)strlen(begin) + 1;
	snprintf(whole, sizeof whole, "%s %s", begin, command);
	bool fits = length <= LINES * (view->width - MARGIN) && longest_word(whole) < view->width - MARGIN;
	return terminal_wrap(fits ? whole : text, 2, view->width, out);
}

static unsigned print_next(const struct run_report *r, const struct report_view *view, FILE *out)
{
	struct verdict v;
	struct verdict_next rows[NEXT_ROWS];
	char text[300];
	unsigned lines = 0;
	verdict_find(&v, r);
	unsigned n = verdict_next(&v, rows, NEXT_ROWS);
	if (n)
		lines += print_command(r, "next:", rows[0].options, view, out);
	for (unsigned i = 1; i < n && i < NEXT_ROWS; i++) {
		if (verdict_next_is_other(rows[i].options)) {
			lines += print_command(r, "or:", rows[i].options, view, out);
			continue;
		}
		snprintf(text, sizeof text, "or add %s: %s", rows[i].options, rows[i].why);
		lines += terminal_wrap(text, 2, view->width, out);
	}
	return lines;
}

/* --- all of it --- */

/* The two tables, in at most `room` lines with their headings. */
static void print_tables(const struct run_report *r, unsigned room, const struct report_view *view, FILE *out)
{
	const unsigned sites = worth(r, r->worst_branches, r->branch_spots) + worth(r, r->worst_loads, r->load_spots);
	unsigned functions = r->function_count;
	while (functions > 1 && 1000 * r->functions[functions - 1].cycles < LEAST_PERMILLE * r->cycles)
		functions--;
	room = room > 2 ? room - 2 : 0;
	unsigned below = room / 2 < sites ? room / 2 : sites;
	unsigned above = room - below < functions ? room - below : functions;
	const unsigned named = count_named(r, functions);
	above = above < named ? (named < room + 1 ? named : room + 1) : above;
	below = above >= room ? 0 : room - above < sites ? room - above : sites;
	if (above)
		print_function_rows(r, above, view, out);
	if (below)
		print_spots(r, below, view, out);
}

/* The lines of what comes last are needed to know the room of the tables. */
static void print_rest(const struct run_report *r, unsigned used, const struct report_view *view, FILE *out)
{
	fputc('\n', out);
	if (!view->brief) {
		used += 1 + print_bar(r, view, out) + print_next(r, view, NULL) + run_report_programs(r, view, out);
		print_tables(r, used < SCREEN_LINES ? SCREEN_LINES - used : 0, view, out);
	}
	print_next(r, view, out);
}

void run_report_behind(const struct run_report *r, unsigned used, const struct report_view *view, FILE *out)
{
	if (!r->cause_count)
		return;
	fputc('\n', out);
	used += 1 + run_report_verdict(r, view, out);
	print_rest(r, used, view, out);
}

void run_report_screen(const struct run_report *r, const struct report_view *view, FILE *out)
{
	run_report_behind(r, run_report_head(r, view, out), view, out);
}
