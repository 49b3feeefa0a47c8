/* A sweep's speed-ups as curves, as figure 3 of the 2003 paper. */
#include "report/curves.h"
#include "report/svg.h"
#include "report/truth/report.h"

#include <math.h>
#include <stdlib.h>

static double gain(const struct truth_curve *c, uint32_t x)
{
	bool known = c->cycles[0] != UINT64_MAX && c->cycles[x] != UINT64_MAX && c->cycles[x];
	return known ? 100 * ((double)c->cycles[0] / (double)c->cycles[x] - 1) : NAN;
}

static void draw(const struct truth_report *r, const struct curve *curves, FILE *out)
{
	char title[300], what[200];
	snprintf(title, sizeof title, "%.80s on %.60s, re-simulated, culprit %.20s", r->program, r->machine,
		 r->version);
	snprintf(what, sizeof what, "Speed-up in percent from changing %.80s, against its first value", r->x_key);
	const struct curves all = {.title = what,
				   .x_label = r->x_key,
				   .count = r->x_count,
				   .x = (const char *const *)r->x_values,
				   .curve_count = r->curve_count,
				   .curves = curves};
	enum { TITLE = 40 };
	svg_begin(CURVES_WIDTH, TITLE + curves_height(&all), SVG_SANS, out);
	svg_text(16, 24, "start", title, out);
	curves_svg(&all, TITLE, out);
	svg_end(out);
}

void truth_curves_svg(const struct truth_report *r, FILE *out)
{
	double *y = calloc(r->curve_count * r->x_count, sizeof *y);
	struct curve *curves = calloc(r->curve_count, sizeof *curves);
	for (size_t i = 0; y && curves && i < r->curve_count; i++) {
		const char *name = r->curves[i].name;
		curves[i] = (struct curve){*name ? name : r->x_key, y + i * r->x_count, SIZE_MAX};
		for (uint32_t x = 0; x < r->x_count; x++)
			y[i * r->x_count + x] = gain(&r->curves[i], x);
	}
	if (y && curves)
		draw(r, curves, out);
	free(y);
	free(curves);
}
