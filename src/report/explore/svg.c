/* The design space as a picture: IPC over the logarithm of cost, the machines as dots, the front as a line, its knees
 * named. */
#include "report/explore/report.h"
#include "report/format.h"
#include "report/svg.h"

#include <math.h>

enum { WIDTH = 760, HEIGHT = 440, LEFT = 64, TOP = 40, RIGHT = 24, BOTTOM = 52 };

struct frame {
	double low_cost, high_cost, low_ipc, high_ipc;
};

static void widen(struct frame *f, double cost, double cpi)
{
	double ipc = format_ratio(1, cpi);
	f->low_cost = fmin(f->low_cost, cost);
	f->high_cost = fmax(f->high_cost, cost);
	f->low_ipc = fmin(f->low_ipc, ipc);
	f->high_ipc = fmax(f->high_ipc, ipc);
}

static struct frame frame_of(const struct explore_report *r)
{
	struct frame f = {INFINITY, 0, INFINITY, 0};
	for (size_t i = 0; i < r->front_count; i++)
		widen(&f, r->front[i].cost, r->front[i].cpi);
	for (size_t i = 0; i < r->cloud_count; i++)
		widen(&f, r->cloud[i].cost, r->cloud[i].cpi);
	f.low_cost = fmax(f.low_cost * 0.97, 1e-3);
	f.high_cost = fmax(f.high_cost * 1.03, f.low_cost * 1.01);
	f.low_ipc *= 0.95;
	f.high_ipc = fmax(f.high_ipc * 1.05, f.low_ipc + 1e-6);
	return f;
}

static double x_of(const struct frame *f, double cost)
{
	return LEFT + WIDTH * log(cost / f->low_cost) / log(f->high_cost / f->low_cost);
}

static double y_of(const struct frame *f, double cpi)
{
	return TOP + HEIGHT * (1 - (format_ratio(1, cpi) - f->low_ipc) / (f->high_ipc - f->low_ipc));
}

/* 1, 2, 5 in each decade. */
static void cost_axis(const struct frame *f, FILE *out)
{
	static const double steps[] = {1, 2, 5};
	for (int decade = -3; decade < 12; decade++)
		for (int i = 0; i < 3; i++) {
			double cost = steps[i] * pow(10, decade);
			char words[32];
			if (cost < f->low_cost || cost > f->high_cost)
				continue;
			fprintf(out, "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\" stroke=\"#ddd\"/>\n",
				x_of(f, cost), x_of(f, cost), TOP, TOP + HEIGHT);
			snprintf(words, sizeof words, "%g", cost);
			svg_text(x_of(f, cost), TOP + HEIGHT + 18, "middle", words, out);
		}
	svg_text(LEFT + WIDTH / 2.0, TOP + HEIGHT + 40, "middle", "cost (kilobytes of L1 cache)", out);
}

static void ipc_axis(const struct frame *f, FILE *out)
{
	double range = f->high_ipc - f->low_ipc, step = pow(10, floor(log10(range)));
	step *= range / step < 2 ? 0.2 : range / step < 5 ? 0.5 : 1;
	for (long i = (long)ceil(f->low_ipc / step); (double)i * step <= f->high_ipc; i++) {
		char words[32];
		double ipc = (double)i * step;
		double y = y_of(f, 1 / ipc);
		fprintf(out, "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/>\n", LEFT,
			LEFT + WIDTH, y, y);
		snprintf(words, sizeof words, "%.3g", ipc);
		svg_text(LEFT - 8, y + 4, "end", words, out);
	}
	svg_text(LEFT - 8, TOP - 10, "end", "IPC", out);
}

static void front_line(const struct explore_report *r, const struct frame *f, FILE *out)
{
	fputs("<polyline fill=\"none\" stroke=\"#de2d26\" stroke-width=\"1.5\" points=\"", out);
	for (size_t i = 0; i < r->front_count; i++)
		fprintf(out, "%.1f,%.1f ", x_of(f, r->front[i].cost), y_of(f, r->front[i].cpi));
	fputs("\"/>\n", out);
}

static void knees(const struct explore_report *r, const struct frame *f, FILE *out)
{
	unsigned number = 0;
	for (size_t i = 0; i < r->front_count; i++) {
		const struct explore_report_row *p = &r->front[i];
		if (!p->knee)
			continue;
		double x = x_of(f, p->cost), y = y_of(f, p->cpi);
		fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"5\" fill=\"#de2d26\"><title>", x, y);
		for (uint32_t k = 0; k < r->axis_count; k++) {
			format_xml(r->axes[k], SIZE_MAX, out);
			fputc(' ', out);
			format_xml(p->values[k], SIZE_MAX, out);
			fputc(' ', out);
		}
		fputs("</title></circle>\n", out);
		char words[64];
		snprintf(words, sizeof words, "knee %u: IPC %.3f", ++number, format_ratio(1, p->cpi));
		bool at_right = x > LEFT + WIDTH * 0.7;
		svg_text(at_right ? x - 10 : x + 10, y + 18, at_right ? "end" : "start", words, out);
	}
}

void explore_report_svg(const struct explore_report *r, FILE *out)
{
	struct frame f = frame_of(r);
	char title[200];
	svg_begin(LEFT + WIDTH + RIGHT, TOP + HEIGHT + BOTTOM, SVG_SANS, out);
	snprintf(title, sizeof title, "%.80s: %llu machines", r->program, (unsigned long long)r->evaluated);
	svg_text(LEFT + WIDTH / 2.0, TOP - 16, "middle", title, out);
	cost_axis(&f, out);
	ipc_axis(&f, out);
	for (size_t i = 0; i < r->cloud_count; i++)
		fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"1.5\" fill=\"#9ecae1\"/>\n",
			x_of(&f, r->cloud[i].cost), y_of(&f, r->cloud[i].cpi));
	front_line(r, &f, out);
	knees(r, &f, out);
	svg_end(out);
}
