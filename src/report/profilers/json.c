#include "report/profilers/report.h"
#include "report/format.h"

static json_t *levels(const struct profilers_report *r, const double values[PROFILERS_REPORT_LEVELS])
{
	json_t *all = json_object();
	for (unsigned i = 0; i < PROFILERS_REPORT_LEVELS; i++)
		json_object_set_new(all, r->levels[i].name, values[i] < 0 ? json_null() : json_real(values[i]));
	return all;
}

static json_t *row_json(const struct profilers_report *r, const struct profilers_report_row *row)
{
	return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:f, s:f}", "name", row->name, "blames", row->whom,
			 "published", row->published > 0 ? json_real(row->published) : json_null(), "every_cycle",
			 levels(r, row->all), "sampled", levels(r, row->mean), "sampled_half_interval",
			 levels(r, row->half), "samples", row->samples, "lost", row->lost);
}

json_t *profilers_json(const struct profilers_report *r)
{
	json_t *symbols = json_object(), *rows = json_array();
	for (unsigned i = 0; i < PROFILERS_REPORT_LEVELS; i++)
		json_object_set_new(symbols, r->levels[i].name, format_integer(r->levels[i].symbols));
	for (unsigned i = 0; i < r->count; i++)
		json_array_append_new(rows, row_json(r, &r->rows[i]));
	return json_pack("{s:o, s:o, s:o, s:o, s:i, s:o, s:o}", "cycles", format_integer(r->cycles), "period",
			 format_integer(r->period), "skid", format_integer(r->skid), "seed", format_integer(r->seed),
			 "series", (int)r->series, "symbols", symbols, "profilers", rows);
}
