/* CPI stacks as a picture: normalised stacked bars, base at the bottom, a bar for each architecture in a group for each
 * program. A negative base hangs below the axis, and the bar then reaches above 100 %. */
#include "report/svg.h"
#include "report/palette.h"
#include "report/stacks/report.h"

#include <stdlib.h>

enum { BAR = 26, GAP = 6, GROUP_GAP = 28, LEFT = 56, TOP = 24, HEIGHT = 300, LABELS = 92, LEGEND = 190 };

/* What the tallest bar and the deepest negative base need, in per cent of the cycles. */
struct svg_range {
	double up, down;
};

static double share(const struct stacks_report *r, int64_t amount)
{
	return r->cycles ? 100 * (double)amount / (double)r->cycles : 0;
}

static struct svg_range find_range(const struct stacks_report *const *reports, size_t count)
{
	struct svg_range range = {100, 0};
	for (size_t i = 0; i < count; i++)
		for (uint32_t j = 0; j < reports[i]->methods.column_count; j++) {
			const struct stacks_table *t = &reports[i]->methods;
			double up = 0, down = 0;
			for (uint32_t k = 0; k < t->row_count; k++) {
				double s = share(reports[i], t->columns[j].amounts[k]);
				*(s < 0 ? &down : &up) += s;
			}
			range.up = up > range.up ? up : range.up;
			range.down = down < range.down ? down : range.down;
		}
	return range;
}

static double y_of(const struct svg_range *range, double percent)
{
	return TOP + HEIGHT * (range->up - percent) / (range->up - range->down);
}

static const char *colour_of(const char *row, char text[8])
{
	struct palette_colour k = palette_find(row);
	snprintf(text, 8, "#%02x%02x%02x", k.red, k.green, k.blue);
	return text;
}

static void draw_bar(const struct stacks_report *r, const struct stacks_column *c, const struct svg_range *range,
		     double x, FILE *out)
{
	double up = 0, down = 0;
	for (uint32_t i = 0; i < r->methods.row_count; i++) {
		double s = share(r, c->amounts[i]), *from = s < 0 ? &down : &up;
		double a = y_of(range, *from), b = y_of(range, *from + s);
		*from += s;
		if (c->amounts[i] == 0)
			continue;
		char colour[8];
		const char *name = r->methods.rows[i].name;
		fprintf(out,
			"<rect x=\"%.1f\" y=\"%.2f\" width=\"%d\" height=\"%.2f\" fill=\"%s\">"
			"<title>%s %s %.2f%%</title></rect>\n",
			x, a < b ? a : b, BAR, a < b ? b - a : a - b, colour_of(name, colour), c->label, name, s);
	}
	double bottom = TOP + HEIGHT + 10;
	fprintf(out, "<g transform=\"translate(%.1f %.1f) rotate(-90)\">", x + BAR / 2.0 + 4, bottom);
	svg_text(0, 0, "end", c->label, out);
	fputs("</g>\n", out);
}

static void draw_axis(const struct svg_range *range, double width, FILE *out)
{
	int step = range->up - range->down > 400 ? 100 : 20;
	for (int p = step * (int)(range->down / step); p <= range->up; p += step) {
		char label[32];
		snprintf(label, sizeof label, "%d%%", p);
		fprintf(out, "<line x1=\"%d\" x2=\"%.1f\" y1=\"%.2f\" y2=\"%.2f\" stroke=\"%s\"/>\n", LEFT - 4, width,
			y_of(range, p), y_of(range, p), p == 0 || p == 100 ? "#444" : "#ddd");
		svg_text(LEFT - 8, y_of(range, p) + 4, "end", label, out);
	}
}

static void draw_legend(const struct stacks_table *t, double x, FILE *out)
{
	for (uint32_t i = 0; i < t->row_count; i++) {
		char colour[8];
		svg_key(x, TOP + 18.0 * (t->row_count - 1 - i), colour_of(t->rows[i].name, colour), t->rows[i].name,
			out);
	}
}

static double group_width(const struct stacks_report *r)
{
	return r->methods.column_count * (BAR + GAP) + GROUP_GAP;
}

void stacks_report_svg(const struct stacks_report *const *reports, size_t count, FILE *out)
{
	if (!count)
		return;
	struct svg_range range = find_range(reports, count);
	double plot = LEFT + GROUP_GAP / 2.0;
	for (size_t i = 0; i < count; i++)
		plot += group_width(reports[i]);
	double height = TOP + HEIGHT + LABELS + 24;
	svg_begin(plot + LEGEND, height, SVG_SANS, out);
	draw_axis(&range, plot, out);
	double x = LEFT + GROUP_GAP / 2.0;
	for (size_t i = 0; i < count; i++) {
		const struct stacks_table *t = &reports[i]->methods;
		for (uint32_t j = 0; j < t->column_count; j++)
			draw_bar(reports[i], &t->columns[j], &range, x + j * (BAR + GAP), out);
		svg_text(x + (group_width(reports[i]) - GROUP_GAP) / 2, height - 12, "middle", reports[i]->program,
			 out);
		x += group_width(reports[i]);
	}
	draw_legend(&reports[0]->methods, plot + 16, out);
	svg_end(out);
}
