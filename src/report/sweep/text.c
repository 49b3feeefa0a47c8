/* A sweep as a table for each program and region, in 80 columns. */
#include "report/format.h"
#include "report/sweep/report.h"
#include "report/terminal.h"

#include <math.h>
#include <string.h>

enum { NUMBER = 5, FIGURES = 8 + 8 + 9 + 2 + 19, NARROWEST = 7 };

/* What tells the points of a group apart: their machines, or, below the name of a machine, the values of the axes. */
struct column {
	const char *title;
	uint32_t axis; /* UINT32_MAX: the machine */
	int width;
};

struct table {
	const struct sweep_report *r;
	uint32_t first, end, count;
	struct column columns[SWEEP_REPORT_AXES + 1];
	unsigned width;
	bool narrow; /* the columns do not fit: values stand in a line of their own */
};

/* What points are compared with. Of machines alone, none of which is marked, it is the first. */
static const char *reference_name(const struct sweep_report *r)
{
	bool is_first = !r->axis_count;
	for (uint32_t first = 0; first < r->count; first = sweep_group_end(r, first))
		is_first &= r->points[first].reference == first;
	return is_first ? "first" : "default";
}

static const char *cell(const struct table *t, const struct column *c, uint32_t point, char text[64])
{
	const struct sweep_report_point *p = &t->r->points[point];
	if (c->axis == UINT32_MAX)
		snprintf(text, 64, "%.60s", p->machine);
	else
		snprintf(text, 64, "%.60s%s", p->values[c->axis], p->own[c->axis] ? "*" : "");
	return text;
}

static void add_column(struct table *t, const char *title, uint32_t axis)
{
	struct column *c = &t->columns[t->count++];
	char text[64];
	*c = (struct column){title, axis, (int)strlen(title)};
	for (uint32_t i = t->first; i < t->end; i++) {
		int length = (int)strlen(cell(t, c, i, text));
		c->width = length > c->width ? length : c->width;
	}
}

/* The widest columns become narrower until all fit, or none can. */
static void fit(struct table *t)
{
	for (;;) {
		unsigned used = NUMBER + FIGURES;
		struct column *widest = &t->columns[0];
		for (uint32_t i = 0; i < t->count; i++) {
			used += (unsigned)t->columns[i].width + 2;
			widest = t->columns[i].width > widest->width ? &t->columns[i] : widest;
		}
		t->narrow = used > t->width;
		if (!t->narrow || widest->width <= NARROWEST)
			return;
		widest->width--;
	}
}

static void lay_out(struct table *t)
{
	if (!t->r->axis_count)
		add_column(t, "machine", UINT32_MAX);
	for (uint32_t a = 0; a < t->r->axis_count; a++)
		add_column(t, t->r->axes[a].name, a);
	fit(t);
}

/* A long name loses its middle, so that both ends tell it. */
static void print_cell(const char *text, const struct column *c, FILE *out)
{
	int length = (int)strlen(text), tail = c->width / 2 - 1;
	if (length > c->width)
		fprintf(out, "  %.*s..%s", c->width - 2 - tail, text, text + length - tail);
	else
		fprintf(out, c->axis == UINT32_MAX ? "  %-*s" : "  %*s", c->width, text);
}

static void print_title(const struct table *t, FILE *out)
{
	fprintf(out, "%*s", NUMBER, "#");
	for (uint32_t i = 0; !t->narrow && i < t->count; i++)
		print_cell(t->columns[i].title, &t->columns[i], out);
	fputs("     IPC     CPI  speedup  moved most, CPI\n", out);
}

static void print_figures(const struct table *t, uint32_t point, FILE *out)
{
	const struct sweep_report_point *p = &t->r->points[point];
	double cpi, speedup = sweep_speedup(t->r, point);
	const char *moved = sweep_moved(t->r, point, &cpi);
	if (!p->known) {
		fprintf(out, "  %s\n", p->trouble ? "failed, see below" : "not simulated yet");
		return;
	}
	fprintf(out, "  %6.3f  %6.3f", (double)p->instructions / (double)p->cycles,
		(double)p->cycles / (double)p->instructions);
	if (p->reference == point)
		fprintf(out, "    1.000  the %s\n", reference_name(t->r));
	else if (speedup <= 0 && t->r->axis_count)
		fputs("        -  no default to compare\n", out);
	else if (speedup <= 0)
		fprintf(out, "        -  no result of the %s to compare\n", reference_name(t->r));
	else if (moved && fabs(cpi) >= 0.0005)
		fprintf(out, "  %7.3f  %s %+.3f\n", speedup, moved, cpi);
	else
		fprintf(out, "  %7.3f  -\n", speedup);
}

static void print_point(const struct table *t, uint32_t point, FILE *out)
{
	char text[64], name[600];
	fprintf(out, "%*u", NUMBER, point + 1);
	for (uint32_t i = 0; !t->narrow && i < t->count; i++)
		print_cell(cell(t, &t->columns[i], point, text), &t->columns[i], out);
	print_figures(t, point, out);
	if (!t->narrow)
		return;
	sweep_point_name(t->r, point, name, sizeof name);
	terminal_wrap(name, NUMBER + 2, t->width, out);
}

static void print_group(const struct sweep_report *r, uint32_t first, uint32_t end, unsigned width, FILE *out)
{
	struct table t = {.r = r, .first = first, .end = end, .width = width};
	const struct sweep_report_point *p = &r->points[first];
	bool whole = !strcmp(p->region, "all");
	lay_out(&t);
	fprintf(out, "\n%s%s%s\n", p->program, whole ? "" : ", region ", whole ? "" : p->region);
	print_title(&t, out);
	for (uint32_t i = first; i < end; i++) {
		const char *machine = r->points[i].machine;
		if (r->axis_count && (i == first || strcmp(machine, r->points[i - 1].machine) != 0))
			fprintf(out, " %s\n", machine);
		print_point(&t, i, out);
	}
}

static bool any_own(const struct sweep_report *r)
{
	for (uint32_t i = 0; i < r->count; i++)
		for (uint32_t a = 0; a < r->axis_count; a++)
			if (r->points[i].own[a])
				return true;
	return false;
}

static void print_head(const struct sweep_report *r, FILE *out)
{
	fprintf(out, "culprit %s: %s\n", r->version, r->title);
	fprintf(out, "  %u point%s, %u done", r->count, r->count == 1 ? "" : "s", r->known - r->killed);
	if (r->killed)
		fprintf(out, ", %u killed by a signal, see below", r->killed);
	if (r->failed)
		fprintf(out, ", %u failed", r->failed);
	fputs(r->cut ? " (interrupted: the same command goes on)\n" : "\n", out);
	if (r->results)
		fprintf(out, "  results: %s\n", r->results);
}

static void print_troubles(const struct sweep_report *r, unsigned width, FILE *out)
{
	char line[700];
	for (uint32_t i = 0; i < r->count; i++) {
		if (!r->points[i].trouble)
			continue;
		snprintf(line, sizeof line, "point %u: %s", i + 1, r->points[i].trouble);
		terminal_wrap(line, 2, width, out);
	}
}

/* Programs that ended otherwise did other work: their cycles are not comparable. */
static void print_different_ends(const struct sweep_report *r, FILE *out)
{
	for (uint32_t i = 0; i < r->count; i++) {
		const struct sweep_report_point *p = &r->points[i], *to = &r->points[p->reference];
		if (!p->known || !to->known || p->exit_status == to->exit_status)
			continue;
		fprintf(out, "  note: in point %u the program ended with status %d, in point %u with %d\n", i + 1,
			p->exit_status, p->reference + 1, to->exit_status);
		return;
	}
}

void sweep_report_text(const struct sweep_report *r, const struct sweep_report_view *view, FILE *out)
{
	print_head(r, out);
	for (uint32_t first = 0, end; first < r->count; first = end) {
		end = sweep_group_end(r, first);
		print_group(r, first, end, view->width, out);
	}
	fputc('\n', out);
	if (any_own(r))
		fputs("  * the machine's own value\n", out);
	const char *reference = reference_name(r);
	fprintf(out,
		"  speedup: cycles of the %s over the point's\n"
		"  moved most: the part of the CPI stack that differs most from the %s's\n",
		reference, reference);
	print_different_ends(r, out);
	print_troubles(r, view->width, out);
}
