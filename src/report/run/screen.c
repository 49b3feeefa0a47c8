/* The first screen: the verdict, the time as a bar, the functions with most of it, the worst branches and loads, and
 * what to run next. The tables take what the verdict leaves of SCREEN_LINES lines. What not every run has (warnings,
 * long commands, programs) takes nothing from them; where rows are left out nevertheless, a line says so. */
#include "report/format.h"
#include "report/run/bar.h"
#include "report/run/verdict.h"
#include "report/terminal.h"

#include <string.h>

enum { SCREEN_LINES = 24, HEAD_LINES = 2, NEXT_ROWS = 2 };

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

/* With several programs: of which one, or of which library; a function without a name says it itself. */
static void print_function(const struct run_report *r, const char *object, const char *function, unsigned width,
			   FILE *out)
{
	char text[320];
	const size_t length = strlen(object);
	const bool said = !strncmp(function, object, length) && !strncmp(function + length, "+0x", 3);
	snprintf(text, sizeof text, r->program_count > 1 && !said ? "%s:%s" : "%.0s%s", object, function);
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

/* An estimate does not know more than three digits. */
static const char *estimated(uint64_t n, char text[32])
{
	uint64_t unit = 1;
	while (n / unit >= 1000)
		unit *= 10;
	return format_grouped((int64_t)((n + unit / 2) / unit * unit), text);
}

/* "-": the records do not tell. */
static const char *name_missed(const struct run_report *r, bool branch, const struct report_spot *s, int decimals,
			       char text[32])
{
	if (r->unknown & (branch ? CULPRIT_FIELD_BIT(redirect) : CULPRIT_FIELD_BIT(miss)))
		return "-";
	snprintf(text, 32, "%.*f", decimals, percent(s->bad, s->instances));
	return text;
}

static void print_spot(const struct run_report *r, bool branch, const struct report_spot *s, unsigned extra, FILE *out)
{
	char text[32], rate[32];
	fprintf(out, "  %-6s ", branch ? "branch" : "load");
	print_name(s->place, 20 + extra, out);
	print_function(r, s->object, s->function, 18 + extra, out);
	const double time = percent(s->weight, r->cycles);
	if (has_intervals(r))
		fprintf(out, "%13s %4s %6.1f %4.1f\n", estimated(s->instances, text),
			name_missed(r, branch, s, 0, rate), time, 100 * format_ratio(s->half, (double)r->cycles));
	else
		fprintf(out, "%13s %8s %6.1f\n", format_grouped((int64_t)s->instances, text),
			name_missed(r, branch, s, 1, rate), time);
}

/* Rows worth a line: those with 0.5% of the time. */
static unsigned worth(const struct run_report *r, const struct report_spot *spots, uint32_t count)
{
	unsigned n = 0;
	while (n < count && 1000 * spots[n].weight >= REPORT_LEAST_PERMILLE * r->cycles && spots[n].weight)
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
		print_spot(r, branch, branch ? b : l, extra, out);
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

/* Rows of the two tables. */
struct rows {
	unsigned functions, spots;
};

static struct rows all_rows(const struct run_report *r)
{
	const unsigned spots = worth(r, r->worst_branches, r->branch_spots) + worth(r, r->worst_loads, r->load_spots);
	struct rows all = {r->function_count, spots};
	while (all.functions > 1 && 1000 * r->functions[all.functions - 1].cycles < REPORT_LEAST_PERMILLE * r->cycles)
		all.functions--;
	return all;
}

/* Those of `all` that have room, in so many lines with the tables' headings. */
static struct rows choose_rows(const struct run_report *r, const struct rows *all, unsigned room)
{
	struct rows n;
	room = room > 2 ? room - 2 : 0;
	n.spots = room / 2 < all->spots ? room / 2 : all->spots;
	n.functions = room - n.spots < all->functions ? room - n.spots : all->functions;
	const unsigned named = count_named(r, all->functions);
	n.functions = n.functions < named ? (named < room + 1 ? named : room + 1) : n.functions;
	n.spots = n.functions >= room ? 0 : room - n.functions < all->spots ? room - n.functions : all->spots;
	return n;
}

/* How many there are beyond those: some may not even be listed. */
static void print_left_out(const struct run_report *r, const struct rows *shown, const struct rows *all,
			   const struct report_view *view, FILE *out)
{
	const unsigned functions = r->function_worth > all->functions ? r->function_worth : all->functions;
	const unsigned spots = r->spot_worth > all->spots ? r->spot_worth : all->spots;
	const unsigned f = functions - shown->functions, s = spots - shown->spots;
	const char *how = !view->verbose ? "--verbose" : r->samples ? "--json FILE" : "--json-code 0 --json FILE";
	if (f || s)
		fputs("  and ", out);
	if (f)
		fprintf(out, "%u more function%s%s", f, f == 1 ? "" : "s", s ? ", " : "");
	if (s)
		fprintf(out, "%u more branch%s or load%s", s, s == 1 ? "" : "es", s == 1 ? "" : "s");
	if (f || s)
		fprintf(out, ": %s\n", how);
}

static void print_tables(const struct run_report *r, unsigned room, const struct report_view *view, FILE *out)
{
	const struct rows all = all_rows(r);
	struct rows shown = view->verbose ? all : choose_rows(r, &all, room);
	if (shown.functions < all.functions || shown.spots < all.spots)
		shown = choose_rows(r, &all, room ? room - 1 : 0); /* a line says so */
	if (shown.functions)
		print_function_rows(r, shown.functions, view, out);
	if (shown.spots)
		print_spots(r, shown.spots, view, out);
	print_left_out(r, &shown, &all, view, out);
}

static void print_rest(const struct run_report *r, unsigned used, const struct report_view *view, FILE *out)
{
	fputc('\n', out);
	if (!view->brief) {
		used += 1 + run_report_bar(r, view, out) + NEXT_ROWS;
		run_report_programs(r, view, out);
		print_tables(r, used < SCREEN_LINES ? SCREEN_LINES - used : 0, view, out);
	}
	print_next(r, view, out);
}

void run_report_behind(const struct run_report *r, const struct report_view *view, FILE *out)
{
	if (!r->cause_count)
		return;
	fputc('\n', out);
	print_rest(r, HEAD_LINES + 1 + run_report_verdict(r, view, out), view, out);
}

void run_report_screen(const struct run_report *r, const struct report_view *view, FILE *out)
{
	run_report_head(r, view, out);
	run_report_behind(r, view, out);
}
