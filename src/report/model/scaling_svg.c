/* Scaling studies as a picture: time over depth for each share of the miss paths that is pipelined, with a curve for
 * each width and a filled mark at the depth next to its optimum; below, the issue rates after a misprediction. */
#include "report/curves.h"
#include "report/model/scaling.h"
#include "report/svg.h"

#include <math.h>
#include <stdint.h>

enum { HEAD = 44, RAMP_SHOWN = 60, NAME = 80 };

struct panel {
	char title[160], names[SCALING_REPORT_WIDTHS][NAME], x[RAMP_SHOWN][16];
	const char *labels[RAMP_SHOWN];
	double y[SCALING_REPORT_WIDTHS][RAMP_SHOWN];
	struct curve curves[SCALING_REPORT_WIDTHS];
	struct curves all;
};
_Static_assert((int)RAMP_SHOWN >= (int)SCALING_REPORT_DEPTHS, "room for each");

static void finish_panel(struct panel *p, const char *x_label, size_t count)
{
	for (size_t i = 0; i < count; i++)
		p->labels[i] = p->x[i];
	for (size_t w = 0; w < SCALING_REPORT_WIDTHS; w++) {
		p->curves[w].name = p->names[w];
		p->curves[w].y = p->y[w];
	}
	p->all = (struct curves){.title = p->title,
				 .x_label = x_label,
				 .count = count,
				 .x = p->labels,
				 .curve_count = SCALING_REPORT_WIDTHS,
				 .curves = p->curves};
}

static size_t nearest_depth(const struct scaling_report_curve *c)
{
	size_t at = 0;
	for (size_t i = 1; i < SCALING_REPORT_DEPTHS; i++)
		if (fabs(c->points[i].depth - c->best.depth) < fabs(c->points[at].depth - c->best.depth))
			at = i;
	return at;
}

static void depth_panel(const struct scaling_report *r, size_t share, struct panel *p)
{
	snprintf(p->title, sizeof p->title, "Time for each instruction, FO4; miss paths %.0f%% pipelined",
		 100 * r->curves[0][share].pipelined);
	for (size_t i = 0; i < SCALING_REPORT_DEPTHS; i++)
		snprintf(p->x[i], sizeof p->x[i], "%g", r->curves[0][share].points[i].depth);
	for (size_t w = 0; w < SCALING_REPORT_WIDTHS; w++) {
		const struct scaling_report_curve *c = &r->curves[w][share];
		if (c->beyond)
			snprintf(p->names[w], NAME, "width %g, optimum beyond 100", c->width);
		else
			snprintf(p->names[w], NAME, "width %g, optimum %.2f", c->width, c->best.depth);
		for (size_t i = 0; i < SCALING_REPORT_DEPTHS; i++)
			p->y[w][i] = c->points[i].time;
		p->curves[w].marked = c->beyond ? SIZE_MAX : nearest_depth(c);
	}
	finish_panel(p, "depth, stages", SCALING_REPORT_DEPTHS);
}

static void ramp_panel(const struct scaling_report *r, struct panel *p)
{
	snprintf(p->title, sizeof p->title,
		 "Instructions issued in a cycle; a misprediction every %g instructions (figure 21)", r->between);
	for (size_t i = 0; i < RAMP_SHOWN; i++)
		snprintf(p->x[i], sizeof p->x[i], "%zu", i + 1);
	for (size_t w = 0; w < SCALING_REPORT_WIDTHS; w++) {
		snprintf(p->names[w], NAME, "width %g", r->ramps[w].width);
		for (size_t i = 0; i < RAMP_SHOWN; i++)
			p->y[w][i] = i < r->ramps[w].count ? r->ramps[w].rates[i] : NAN;
		p->curves[w].marked = SIZE_MAX;
	}
	finish_panel(p, "cycles after the first instruction", RAMP_SHOWN);
}

void scaling_report_svg(const struct scaling_report *r, FILE *out)
{
	struct panel panels[SCALING_REPORT_SHARES + 1] = {0};
	double height = HEAD;
	char words[400];
	for (size_t f = 0; f < SCALING_REPORT_SHARES; f++)
		depth_panel(r, f, &panels[f]);
	ramp_panel(r, &panels[SCALING_REPORT_SHARES]);
	for (size_t i = 0; i <= SCALING_REPORT_SHARES; i++)
		height += curves_height(&panels[i].all);
	svg_begin(CURVES_WIDTH, height, SVG_SANS, out);
	snprintf(words, sizeof words, "Depth and width, balanced processors: %.150s on %.100s", r->program, r->machine);
	svg_text(16, 20, "start", words, out);
	snprintf(words, sizeof words,
		 "%g FO4 of logic, %g for a latch, base machine of %g stages. A filled mark: next to the optimum by "
		 "search.",
		 r->logic, r->latch, r->base_depth);
	svg_text(16, 38, "start", words, out);
	height = HEAD;
	for (size_t i = 0; i <= SCALING_REPORT_SHARES; i++) {
		curves_svg(&panels[i].all, height, out);
		height += curves_height(&panels[i].all);
	}
	svg_end(out);
}
