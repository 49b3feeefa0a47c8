/* Figure 1b of the 2003 paper: one column, to scale. */
#include "report/format.h"
#include "report/graph/report.h"
#include "report/palette.h"
#include "report/svg.h"

#include <math.h>
#include <string.h>

enum { SCALE = 4, LEFT = 60, TOP = 40, BAR = 120, LABEL_LEAST = 3 };

/* A class has its colour of the palette, one of the user's own that of its place in the list; a pair, the mean of both,
 * lighter. */
static struct palette_colour class_colour(const char *name, size_t length, size_t number)
{
	static const char *const others[] = {"dmiss", "unit", "code", "bmisp", "order", "dl1", "shalu", "limit"};
	char text[sizeof((struct graph_row *)0)->label];
	snprintf(text, sizeof text, "%.*s", (int)length, name);
	struct palette_colour c = palette_find(text);
	return c.letter != '?' ? c : palette_find(others[number % 8]);
}

static const char *colour(const struct graph_row *row, char text[8])
{
	const char *plus = strchr(row->label, '+');
	if (!row->set)
		return "#dddddd";
	const size_t first = (size_t)__builtin_ctz(row->set), second = 31 - (size_t)__builtin_clz(row->set);
	struct palette_colour a =
		class_colour(row->label, plus ? (size_t)(plus - row->label) : strlen(row->label), first);
	struct palette_colour b = plus ? class_colour(plus + 1, strlen(plus + 1), second) : a;
	const struct palette_colour mean = {.red = (uint8_t)((a.red + b.red) / 2),
					    .green = (uint8_t)((a.green + b.green) / 2),
					    .blue = (uint8_t)((a.blue + b.blue) / 2)};
	svg_tint(mean, plus ? 50 : 100, text);
	return text;
}

static void segment(const struct graph_row *row, double y, double height, FILE *out)
{
	char text[8];
	fprintf(out,
		"<rect x=\"%d\" y=\"%.1f\" width=\"%d\" height=\"%.1f\" fill=\"%s\" stroke=\"#333\" "
		"stroke-width=\"0.5\"><title>",
		LEFT, y, BAR, height, colour(row, text));
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
	svg_text(10, 20, "start", "Interaction costs (dependence graph), percent of the time", out);
	for (size_t i = 0; i < n; i++) {
		double height = fabs(rows[i].percent) * SCALE;
		if (rows[i].percent > 0) {
			up -= height;
			segment(&rows[i], up, height, out);
		} else if (rows[i].percent < 0) {
			segment(&rows[i], down, height, out);
			down += height;
		}
	}
	line(axis, "0%", out);
	line(axis - 100 * SCALE, "100%", out);
	svg_end(out);
}
