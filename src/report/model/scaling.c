/* Scaling studies as text, CSV and JSON. */
#include "report/model/scaling.h"

#include <math.h>

const char *const scaling_report_parts[SCALING_REPORT_PARTS] = {"dispatch", "edge",	 "icache", "resolve",
								"refill",   "long_miss", "tlb"};

/* --- text --- */

static void text_curve(const struct scaling_report_curve *c, FILE *out)
{
	if (c->beyond)
		fprintf(out, "  %6s", ">100");
	else
		fprintf(out, "  %6.2f", c->best.depth);
	if (isfinite(c->formula))
		fprintf(out, " %6.2f", c->formula);
	else
		fprintf(out, " %6s", "none");
	if (c->beyond)
		fprintf(out, " %8s", "-");
	else
		fprintf(out, " %8.2f", c->best.depth * sqrt(c->width));
}

void scaling_report_text(const struct scaling_report *r, FILE *out)
{
	fputs("Optimum depth (stages) of balanced processors: by search, by the formula,\nsearch x sqrt(D); by the "
	      "share of the miss paths that is pipelined\n      D",
	      out);
	for (size_t f = 0; f < SCALING_REPORT_SHARES; f++)
		fprintf(out, "  %21.0f%%", 100 * r->curves[0][f].pipelined);
	fputc('\n', out);
	for (size_t w = 0; w < SCALING_REPORT_WIDTHS; w++) {
		fprintf(out, "  %5g", r->curves[w][0].width);
		for (size_t f = 0; f < SCALING_REPORT_SHARES; f++)
			text_curve(&r->curves[w][f], out);
		fputc('\n', out);
	}
}

/* --- CSV: a line for each figure, with the study's name in front --- */

static void csv_point(const char *study, const struct scaling_report_curve *c, const struct scaling_report_point *p,
		      FILE *out)
{
	fprintf(out, "%s,%g,%g,%g,%.0f,%.5f", study, c->width, p->depth, c->pipelined, p->window, p->time);
	for (size_t i = 0; i < SCALING_REPORT_PARTS; i++)
		fprintf(out, ",%.5f", p->parts[i]);
	fputc('\n', out);
}

static void csv_curves(const struct scaling_report *r, FILE *out)
{
	for (size_t w = 0; w < SCALING_REPORT_WIDTHS; w++)
		for (size_t f = 0; f < SCALING_REPORT_SHARES; f++)
			for (size_t p = 0; p < SCALING_REPORT_DEPTHS; p++)
				csv_point("tpi", &r->curves[w][f], &r->curves[w][f].points[p], out);
}

static void csv_optima(const struct scaling_report *r, FILE *out)
{
	for (size_t w = 0; w < SCALING_REPORT_WIDTHS; w++)
		for (size_t f = 0; f < SCALING_REPORT_SHARES; f++) {
			const struct scaling_report_curve *c = &r->curves[w][f];
			csv_point("optimum", c, &c->best, out);
			fprintf(out, "formula,%g,%.3f,%g,0,0,0,0,0,0,0,0,0\n", c->width, c->formula, c->pipelined);
		}
}

void scaling_report_csv(const struct scaling_report *r, FILE *out)
{
	fputs("study,width,depth,pipelined,window,tpi", out);
	for (size_t i = 0; i < SCALING_REPORT_PARTS; i++)
		fprintf(out, ",%s", scaling_report_parts[i]);
	fputc('\n', out);
	csv_curves(r, out);
	csv_optima(r, out);
	for (size_t w = 0; w < SCALING_REPORT_WIDTHS; w++)
		for (size_t i = 0; i < r->ramps[w].count; i++)
			fprintf(out, "ramp,%g,%zu,0,0,%.5f,0,0,0,0,0,0,0\n", r->ramps[w].width, i + 1,
				r->ramps[w].rates[i]);
}

/* --- JSON --- */

static json_t *point_json(const struct scaling_report_point *p)
{
	json_t *parts = json_object();
	for (size_t i = 0; i < SCALING_REPORT_PARTS; i++)
		json_object_set_new(parts, scaling_report_parts[i], json_real(p->parts[i]));
	return json_pack("{s:f, s:f, s:f, s:o}", "depth", p->depth, "window", p->window, "time", p->time, "parts",
			 parts);
}

static json_t *curve_json(const struct scaling_report_curve *c)
{
	json_t *points = json_array();
	for (size_t p = 0; p < SCALING_REPORT_DEPTHS; p++)
		json_array_append_new(points, point_json(&c->points[p]));
	return json_pack("{s:f, s:f, s:o, s:o, s:o}", "width", c->width, "pipelined", c->pipelined, "points", points,
			 "best", c->beyond ? json_null() : point_json(&c->best), "formula",
			 isfinite(c->formula) ? json_real(c->formula) : json_null());
}

static json_t *ramp_json(const struct scaling_report_ramp *p)
{
	json_t *rates = json_array();
	for (size_t i = 0; i < p->count; i++)
		json_array_append_new(rates, json_real(p->rates[i]));
	return json_pack("{s:f, s:o}", "width", p->width, "rates", rates);
}

json_t *scaling_report_json(const struct scaling_report *r)
{
	json_t *curves = json_array(), *ramps = json_array();
	for (size_t w = 0; w < SCALING_REPORT_WIDTHS; w++) {
		for (size_t f = 0; f < SCALING_REPORT_SHARES; f++)
			json_array_append_new(curves, curve_json(&r->curves[w][f]));
		json_array_append_new(ramps, ramp_json(&r->ramps[w]));
	}
	return json_pack("{s:f, s:f, s:f, s:f, s:o, s:o}", "logic", r->logic, "latch", r->latch, "base_depth",
			 r->base_depth, "between_mispredictions", r->between, "curves", curves, "ramps", ramps);
}
