/* A sweep as a picture. For each program and region: the CPI stack of every point as a bar, and, where an axis has
 * several values, IPC over the axis with most of them. */
#include "report/curves.h"
#include "report/palette.h"
#include "report/svg.h"
#include "report/sweep/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEFT = 230, RIGHT = 130, BAR = 16, ROW = 22, HEAD = 46, TITLE = 56, KEY_WIDTH = 118, KEY_ROW = 20 };
enum { CURVES_MOST = 8, VALUES_MOST = 64 };

/* --- curves of a group --- */

struct group {
	const struct sweep_report *r;
	uint32_t first, end, axis; /* axis: of the curves; UINT32_MAX = no curves */
};

struct drawing {
	double y[CURVES_MOST][VALUES_MOST];
	char names[CURVES_MOST][80];
	const char *x[VALUES_MOST];
	struct curve curves[CURVES_MOST];
	struct curves all;
};

/* The values of an axis in the group's order. */
static size_t values_of(const struct group *g, uint32_t axis, const char *values[VALUES_MOST])
{
	size_t n = 0;
	for (uint32_t i = g->first; i < g->end; i++) {
		size_t k = 0;
		while (k < n && strcmp(values[k], g->r->points[i].values[axis]) != 0)
			k++;
		if (k == n && n < VALUES_MOST)
			values[n++] = g->r->points[i].values[axis];
	}
	return n;
}

static uint32_t longest_axis(const struct group *g)
{
	const char *values[VALUES_MOST];
	size_t most = 1;
	uint32_t best = UINT32_MAX;
	for (uint32_t a = 0; a < g->r->axis_count; a++) {
		size_t n = values_of(g, a, values);
		if (n > most) {
			most = n;
			best = a;
		}
	}
	return best;
}

/* All but the axis: what a curve has alike. */
static void curve_name(const struct group *g, uint32_t point, char text[80])
{
	const struct sweep_report_point *p = &g->r->points[point];
	size_t used = (size_t)snprintf(text, 80, "%s", p->machine);
	for (uint32_t a = 0; a < g->r->axis_count && used < 80; a++)
		if (a != g->axis)
			used += (size_t)snprintf(text + used, 80 - used, ", %s", p->values[a]);
}

static struct curve *curve_of(struct drawing *d, const char *name)
{
	size_t k = 0;
	while (k < d->all.curve_count && strcmp(d->names[k], name) != 0)
		k++;
	if (k == CURVES_MOST)
		return NULL;
	if (k == d->all.curve_count) {
		memcpy(d->names[k], name, sizeof d->names[k]);
		d->curves[k] = (struct curve){d->names[k], d->y[k], SIZE_MAX};
		for (size_t i = 0; i < VALUES_MOST; i++)
			d->y[k][i] = NAN;
		d->all.curve_count++;
	}
	return &d->curves[k];
}

static void find_curves(const struct group *g, struct drawing *d)
{
	d->all = (struct curves){.title = "IPC. A filled mark is the machine's own value.",
				 .x_label = g->r->axes[g->axis].name,
				 .count = values_of(g, g->axis, d->x),
				 .x = d->x,
				 .curves = d->curves};
	for (uint32_t i = g->first; i < g->end; i++) {
		const struct sweep_report_point *p = &g->r->points[i];
		char name[80];
		curve_name(g, i, name);
		struct curve *c = curve_of(d, name);
		size_t x = 0;
		while (x < d->all.count && strcmp(d->x[x], p->values[g->axis]) != 0)
			x++;
		if (!c || x == d->all.count)
			continue;
		if (p->known)
			d->y[c - d->curves][x] = (double)p->instructions / (double)p->cycles;
		c->marked = p->own[g->axis] ? x : c->marked;
	}
}

/* --- stacks --- */

static double highest_cpi(const struct group *g)
{
	double most = 0;
	for (uint32_t i = g->first; i < g->end; i++)
		if (g->r->points[i].known)
			most = fmax(most, (double)g->r->points[i].cycles / (double)g->r->points[i].instructions);
	return most;
}

static const char *colour_of(const char *cause, char text[8])
{
	struct palette_colour k = palette_find(cause);
	snprintf(text, 8, "#%02x%02x%02x", k.red, k.green, k.blue);
	return text;
}

static void draw_stack(const struct group *g, uint32_t point, double scale, double y, FILE *out)
{
	const struct sweep_report_point *p = &g->r->points[point];
	double x = LEFT;
	char text[100];
	sweep_point_name(g->r, point, text, sizeof text);
	if (strlen(text) > 34)
		strcpy(text + 32, "..");
	svg_text(LEFT - 8, y + 12, "end", text, out);
	for (uint32_t i = 0; i < p->cause_count; i++) {
		double width = scale * (double)p->causes[i].cycles / (double)p->instructions;
		char colour[8];
		if (!p->causes[i].cycles)
			continue;
		fprintf(out,
			"<rect x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%d\" fill=\"%s\" stroke=\"#fff\" "
			"stroke-width=\"0.5\"><title>%s: %.3f cycles an instruction</title></rect>\n",
			x, y, width, BAR, colour_of(p->causes[i].name, colour), p->causes[i].label,
			(double)p->causes[i].cycles / (double)p->instructions);
		x += width;
	}
	if (p->known)
		snprintf(text, sizeof text, "IPC %.3f%s", (double)p->instructions / (double)p->cycles,
			 p->reference == point ? ", default" : "");
	else
		snprintf(text, sizeof text, "no result");
	svg_text(x + 6, y + 12, "start", text, out);
}

/* Where values are what tells points apart, the machine's name stands above its bars. */
static bool begins_machine(const struct group *g, uint32_t point)
{
	const struct sweep_report_point *points = g->r->points;
	return g->r->axis_count && (point == g->first || strcmp(points[point].machine, points[point - 1].machine) != 0);
}

static double stacks_height(const struct group *g)
{
	uint32_t rows = g->end - g->first;
	for (uint32_t i = g->first; i < g->end; i++)
		rows += begins_machine(g, i);
	return HEAD + ROW * (double)rows + 12;
}

static void draw_stacks(const struct group *g, double top, FILE *out)
{
	char title[300];
	const double most = highest_cpi(g);
	const double scale = most > 0 ? (CURVES_WIDTH - LEFT - RIGHT) / most : 0;
	const struct sweep_report_point *p = &g->r->points[g->first];
	bool whole = !strcmp(p->region, "all");
	snprintf(title, sizeof title, "%.100s%s%.100s: cycles per instruction by cause", p->program,
		 whole ? "" : ", region ", whole ? "" : p->region);
	svg_text(16, top + 24, "start", title, out);
	double y = top + HEAD - 8;
	for (uint32_t i = g->first; i < g->end; i++, y += ROW) {
		if (begins_machine(g, i)) {
			svg_text(16, y + 12, "start", g->r->points[i].machine, out);
			y += ROW;
		}
		draw_stack(g, i, scale, y, out);
	}
}

/* --- legend --- */

static bool worth_a_key(const struct sweep_report *r, uint32_t cause)
{
	for (uint32_t i = 0; i < r->count; i++)
		if (cause < r->points[i].cause_count && 200 * r->points[i].causes[cause].cycles >= r->points[i].cycles)
			return true;
	return false;
}

static const struct sweep_report_point *with_causes(const struct sweep_report *r)
{
	for (uint32_t i = 0; i < r->count; i++)
		if (r->points[i].cause_count)
			return &r->points[i];
	return NULL;
}

/* Draws it, or with `out` NULL only measures. */
static double legend(const struct sweep_report *r, double top, FILE *out)
{
	const struct sweep_report_point *p = with_causes(r);
	uint32_t n = 0, across = (CURVES_WIDTH - 32) / KEY_WIDTH;
	for (uint32_t i = 0; p && i < p->cause_count; i++) {
		char colour[8];
		if (!worth_a_key(r, i))
			continue;
		uint32_t row = n / across, column = n % across;
		if (out)
			svg_key(16 + KEY_WIDTH * (double)column, top + KEY_ROW * (double)row,
				colour_of(p->causes[i].name, colour), p->causes[i].label, out);
		n++;
	}
	uint32_t rows = (n + across - 1) / across;
	return KEY_ROW * (double)rows;
}

/* --- all --- */

/* Draws the group, or with `out` NULL only measures. */
static double group_svg(struct drawing *d, struct group *g, double top, FILE *out)
{
	double height = stacks_height(g);
	if (out)
		draw_stacks(g, top, out);
	g->axis = longest_axis(g);
	if (g->axis == UINT32_MAX)
		return height;
	*d = (struct drawing){0};
	find_curves(g, d);
	if (out)
		curves_svg(&d->all, top + height + 8, out);
	return height + 8 + curves_height(&d->all);
}

static double groups_svg(struct drawing *d, const struct sweep_report *r, double top, FILE *out)
{
	double height = 0;
	for (uint32_t first = 0; first < r->count;) {
		struct group g = {.r = r, .first = first, .end = sweep_group_end(r, first)};
		height += group_svg(d, &g, top + height, out) + 12;
		first = g.end;
	}
	return height;
}

void sweep_report_svg(const struct sweep_report *r, FILE *out)
{
	struct drawing *d = malloc(sizeof *d);
	char title[300];
	if (!d)
		return;
	double keys = legend(r, 0, NULL), top = TITLE + keys;
	svg_begin(CURVES_WIDTH, top + groups_svg(d, r, 0, NULL), SVG_SANS, out);
	snprintf(title, sizeof title, "%.200s: %u points, culprit %.20s", r->title, r->count, r->version);
	svg_text(16, 26, "start", title, out);
	legend(r, 42, out);
	groups_svg(d, r, top, out);
	svg_end(out);
	free(d);
}
