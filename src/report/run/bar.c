/* See the header. */
#include "report/run/bar.h"

#include "report/format.h"
#include "report/palette.h"

#include <string.h>

static double percent(uint64_t part, uint64_t whole)
{
	return 100 * format_ratio((double)part, (double)whole);
}

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

unsigned run_report_bar(const struct run_report *r, const struct report_view *view, FILE *out)
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
