/* A prediction as JSON; docs/reference/json.md documents the keys. */
#include "report/format.h"
#include "report/model/report.h"

static json_t *terms(const struct model_report *r)
{
	json_t *all = json_object();
	for (uint32_t i = 0; i < r->term_count; i++) {
		const struct model_report_row *t = &r->terms[i];
		json_object_set_new(all, t->name,
				    json_pack("{s:s, s:f, s:f, s:f}", "component", t->group, "count", t->count,
					      "penalty", t->penalty, "cycles", t->cycles));
	}
	return all;
}

static json_t *components(const struct model_report *r)
{
	json_t *all = json_object();
	for (uint32_t i = 0; i < r->group_count; i++)
		json_object_set_new(all, r->groups[i].name, json_real(r->groups[i].cycles));
	return all;
}

static json_t *windows(const struct model_report *r)
{
	json_t *all = json_array();
	for (uint32_t i = 0; i < r->window_count; i++) {
		const struct model_report_window *w = &r->windows[i];
		json_array_append_new(all, json_pack("{s:I, s:f, s:f, s:f}", "window", (json_int_t)w->window, "path",
						     w->path, "fit", w->fit, "rate", w->rate));
	}
	return all;
}

static json_t *nearest(const struct model_report *r)
{
	json_t *all = json_array();
	for (uint32_t i = 0; i < r->nearest_count; i++) {
		const struct model_report_nearest *n = &r->nearest[i];
		json_array_append_new(all, json_pack("{s:s, s:s, s:s, s:f, s:f, s:f}", "structure", n->structure,
						     "taken", n->text, "component", n->component, "count", n->count,
						     "off", n->off, "cycles", n->cycles));
	}
	return all;
}

static json_t *foreign(const struct model_report *r)
{
	const struct model_report_foreign *f = r->foreign;
	return f ? json_pack("{s:f, s:f, s:I}", "mean", f->mean, "nine_of_ten", f->most, "predictions",
			     (json_int_t)f->predictions)
		 : json_null();
}

json_t *model_report_json(const struct model_report *r)
{
	return json_pack(
		"{s:s, s:s, s:s, s:s, s:s, s:b, s:I, s:f, s:f, s:f, s:o, s:o, s:{s:f, s:f, s:f, s:I, s:I, s:o}, "
		"s:f, s:f, s:f, s:o, s:f, s:o}",
		"culprit", r->version, "machine", r->machine, "program", r->program, "reference", r->reference, "model",
		r->kind, "complete", !r->cut, "instructions", (json_int_t)r->instructions, "cycles", r->cycles, "cpi",
		r->cpi, "ipc", format_ratio(1, r->cpi), "components", components(r), "terms", terms(r), "parallelism",
		"alpha", r->alpha, "beta", r->beta, "residual", r->residual, "fit_low", (json_int_t)r->fit_low,
		"fit_high", (json_int_t)r->fit_high, "windows", windows(r), "latency", r->latency, "drain", r->drain,
		"resolution", r->resolution, "nearest", nearest(r), "nearest_cycles", r->nearest_cycles, "foreign",
		foreign(r));
}

json_t *model_report_legend(const struct model_report *r)
{
	json_t *meanings = json_object();
	for (uint32_t i = 0; i < r->term_count; i++)
		json_object_set_new(meanings, r->terms[i].name, json_string(r->terms[i].meaning));
	return json_pack("{s:o}", "terms", meanings);
}
