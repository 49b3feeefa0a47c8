/* The same picture as bar.c, to scale. */
#include "report/format.h"
#include "report/graph/report.h"
#include "report/svg.h"

#include <math.h>

enum { SCALE = 4, LEFT = 60, TOP = 20, BAR = 120, LABEL_LEAST = 3 };

/* Colours that stay apart for colour-blind readers (after Okabe and Ito), pairs lighter than singles. */
static const char *colour(unsigned set, size_t number)
{
	static const char *const single[] = {"#0072b2", "#e69f00", "#009e73", "#d55e00",
					     "#cc79a7", "#56b4e9", "#f0e442", "#999999"};
	static const char *const pair[] = {"#99c7e0", "#f5d899", "#99d8c7", "#eebf99", "#ebc9dc", "#bbe1f6"};
	if (!set)
		return "#dddddd";
	return set & (set - 1) ? pair[number % 6] : single[__builtin_ctz(set) % 8];
}

static void segment(const struct graph_row *row, size_t number, double y, double height, FILE *out)
{
	fprintf(out,
		"<rect x=\"%d\" y=\"%.1f\" width=\"%d\" height=\"%.1f\" fill=\"%s\" stroke=\"#333\" "
		"stroke-width=\"0.5\"><title>",
		LEFT, y, BAR, height, colour(row->set, number));
	format_xml(row->label, SIZE_MAX, out);
	const char *word = graph_row_advice(row);
	fprintf(out, " %.1f%%%s%s</title></rect>\n", graph_row_printed(row), *word ? ", " : "", word);
	if (fabs(row->percent) < LABEL_LEAST)
		return;
	char words[sizeof row->label + 32];
	snprintf(words, sizeof words, "%s %.1f", row->label, row->percent);
	svg_text(LEFT + BAR + 8, y + height / 2 + 4, "start", words, out);
}

static double height_of(const struct graph_row *rows, size_t n, double sign)
{
	double sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += rows[i].percent * sign > 0 ? fabs(rows[i].percent) : 0;
	return sum;
}

static void line(double y, const char *label, FILE *out)
{
	fprintf(out, "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"#000\"/>\n", LEFT - 8, y,
		LEFT + BAR + 4, y);
	svg_text(10, y + 4, "start", label, out);
}

void graph_svg(const struct graph_report *r, FILE *out)
{
	struct graph_row rows[GRAPH_ROWS_MAX];
	size_t n = graph_rows(r, rows);
	double above = height_of(rows, n, 1), below = height_of(rows, n, -1);
	above = above > 100 ? above : 100;
	double axis = TOP + above * SCALE, up = axis, down = axis;
	svg_begin(LEFT + BAR + 200, axis + below * SCALE + TOP, SVG_SANS, out);
	fputs("<title>Interaction costs, percent of time</title>\n", out);
	for (size_t i = 0; i < n; i++) {
		double height = fabs(rows[i].percent) * SCALE;
		if (rows[i].percent > 0) {
			up -= height;
			segment(&rows[i], i, up, height, out);
		} else if (rows[i].percent < 0) {
			segment(&rows[i], i, down, height, out);
			down += height;
		}
	}
	line(axis, "0%", out);
	line(axis - 100 * SCALE, "100%", out);
	svg_end(out);
}
