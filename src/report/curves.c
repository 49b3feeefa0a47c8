#include "report/curves.h"

#include "report/palette.h"
#include "report/svg.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { LEFT = 64, RIGHT = 240, TOP = 44, HEIGHT = 240, BOTTOM = 52, KEY = 18, LOOKS = 8 };

static const struct {
	const char *colour; /* a name of the palette */
	const char *dashes;
} looks[LOOKS] = {{"memory", "none"}, {"bmisp", "6 3"}, {"code", "2 2"},  {"unit", "8 3 2 3"},
		  {"order", "none"},  {"dtlb", "6 3"},	{"limit", "2 2"}, {"end", "8 3 2 3"}};

struct frame {
	double top, low, high, first, last;
	bool logarithmic;
	const struct curves *c;
};

double curves_height(const struct curves *c)
{
	double keys = TOP + KEY * (double)c->curve_count + 10;
	return fmax(TOP + HEIGHT, keys) + BOTTOM;
}

/* --- scales --- */

/* Values that are numbers and ascend stand where they belong, by their logarithm when they span a factor of four and
 * more; others stand side by side. */
static bool number_at(const struct curves *c, size_t i, double *number)
{
	char *end;
	*number = strtod(c->x[i], &end);
	return end != c->x[i] && !*end;
}

static bool numbers_ascend(const struct curves *c)
{
	double before = -INFINITY, number;
	for (size_t i = 0; i < c->count; i++) {
		if (!number_at(c, i, &number) || !(number > before))
			return false;
		before = number;
	}
	return c->count > 1;
}

static double position(const struct frame *f, size_t i)
{
	double number;
	if (f->first >= f->last || !number_at(f->c, i, &number))
		return f->c->count > 1 ? (double)i / (double)(f->c->count - 1) : 0.5;
	return f->logarithmic ? log(number / f->first) / log(f->last / f->first)
			      : (number - f->first) / (f->last - f->first);
}

static struct frame make_frame(const struct curves *c, double top)
{
	struct frame f = {.top = top, .low = 0, .high = 0, .c = c};
	if (numbers_ascend(c)) {
		number_at(c, 0, &f.first);
		number_at(c, c->count - 1, &f.last);
		f.logarithmic = f.first > 0 && f.last / f.first >= 4;
	}
	for (size_t k = 0; k < c->curve_count; k++)
		for (size_t i = 0; i < c->count; i++)
			if (isfinite(c->curves[k].y[i])) {
				f.low = fmin(f.low, c->curves[k].y[i]);
				f.high = fmax(f.high, c->curves[k].y[i]);
			}
	f.high = f.high > f.low ? f.high + 0.05 * (f.high - f.low) : f.low + 1;
	return f;
}

static double x_of(const struct frame *f, size_t i)
{
	return LEFT + (CURVES_WIDTH - LEFT - RIGHT) * position(f, i);
}

static double y_of(const struct frame *f, double y)
{
	return f->top + TOP + HEIGHT * (f->high - y) / (f->high - f->low);
}

/* --- axes --- */

static double step_of(const struct frame *f)
{
	double raw = (f->high - f->low) / 5, power = pow(10, floor(log10(raw)));
	return power * (raw / power < 1.5 ? 1 : raw / power < 3.5 ? 2 : raw / power < 7.5 ? 5 : 10);
}

static void y_axis(const struct frame *f, FILE *out)
{
	double step = step_of(f);
	for (long i = (long)ceil(f->low / step - 1e-9); (double)i * step <= f->high; i++) {
		char words[32];
		double y = y_of(f, (double)i * step);
		fprintf(out, "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"%s\"/>\n", LEFT,
			CURVES_WIDTH - RIGHT, y, y, i ? "#ddd" : "#444");
		snprintf(words, sizeof words, "%.3g", (double)i * step);
		svg_text(LEFT - 8, y + 4, "end", words, out);
	}
}

/* A value whose name would touch the one before stays without. */
static void x_axis(const struct frame *f, FILE *out)
{
	double free_from = 0;
	for (size_t i = 0; i < f->c->count; i++) {
		double x = x_of(f, i), half = 4 * (double)strlen(f->c->x[i]);
		fprintf(out, "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#444\"/>\n", x, x,
			f->top + TOP + HEIGHT, f->top + TOP + HEIGHT + 5);
		if (x - half < free_from)
			continue;
		svg_text(x, f->top + TOP + HEIGHT + 20, "middle", f->c->x[i], out);
		free_from = x + half + 6;
	}
	svg_text((LEFT + CURVES_WIDTH - RIGHT) / 2.0, f->top + TOP + HEIGHT + 40, "middle", f->c->x_label, out);
}

/* --- curves --- */

static const char *colour_of(size_t curve, char text[8])
{
	struct palette_colour k = palette_find(looks[curve % LOOKS].colour);
	snprintf(text, 8, "#%02x%02x%02x", k.red, k.green, k.blue);
	return text;
}

static void mark(double x, double y, size_t curve, bool filled, FILE *out)
{
	char colour[8];
	const char *fill = filled ? colour_of(curve, colour) : "#fff";
	char stroke[8];
	colour_of(curve, stroke);
	if (curve % 3 == 0)
		fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\"", x, y);
	else if (curve % 3 == 1)
		fprintf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"7\" height=\"7\"", x - 3.5, y - 3.5);
	else
		fprintf(out, "<path d=\"M%.1f %.1fl4.5 8h-9z\"", x, y - 5);
	fprintf(out, " fill=\"%s\" stroke=\"%s\" stroke-width=\"1.5\"/>\n", fill, stroke);
}

static void draw(const struct frame *f, size_t k, FILE *out)
{
	const struct curve *curve = &f->c->curves[k];
	char colour[8];
	bool pen = false;
	fprintf(out, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\" stroke-dasharray=\"%s\" d=\"",
		colour_of(k, colour), looks[k % LOOKS].dashes);
	for (size_t i = 0; i < f->c->count; i++) {
		bool known = isfinite(curve->y[i]);
		if (known)
			fprintf(out, "%c%.1f %.1f", pen ? 'L' : 'M', x_of(f, i), y_of(f, curve->y[i]));
		pen = known;
	}
	fputs("\"/>\n", out);
	for (size_t i = 0; i < f->c->count; i++)
		if (isfinite(curve->y[i]) && (f->c->count <= CURVES_MARKS || i == curve->marked))
			mark(x_of(f, i), y_of(f, curve->y[i]), k, i == curve->marked, out);
}

static void key(const struct frame *f, size_t k, FILE *out)
{
	double x = CURVES_WIDTH - RIGHT + 16, y = f->top + TOP + KEY * (double)k + 6;
	char colour[8];
	fprintf(out,
		"<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" stroke-width=\"1.5\" "
		"stroke-dasharray=\"%s\"/>\n",
		x, x + 24, y, y, colour_of(k, colour), looks[k % LOOKS].dashes);
	mark(x + 12, y, k, false, out);
	svg_text(x + 30, y + 4, "start", f->c->curves[k].name, out);
}

void curves_svg(const struct curves *c, double top, FILE *out)
{
	struct frame f = make_frame(c, top);
	svg_text(LEFT, top + 16, "start", c->title, out);
	y_axis(&f, out);
	x_axis(&f, out);
	for (size_t k = 0; k < c->curve_count; k++)
		draw(&f, k, out);
	for (size_t k = 0; k < c->curve_count; k++)
		key(&f, k, out);
}
