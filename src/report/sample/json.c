/* Estimates as JSON; docs/reference/json.md describes the keys. */
#include "report/format.h"
#include "report/sample/report.h"

#include <math.h>

static json_t *end(const struct sample_row *row, double value)
{
	return isfinite(row->half) ? json_real(value) : json_null();
}

static json_t *estimate(const struct sample_row *row)
{
	json_t *object = json_object();
	json_object_set_new(object, "value", json_real(row->value));
	json_object_set_new(object, "half_width", end(row, row->half));
	json_object_set_new(object, "low", end(row, row->low));
	json_object_set_new(object, "high", end(row, row->high));
	return object;
}

static json_t *section(const struct sample_section *s)
{
	json_t *object = json_object(), *rows = json_object();
	for (size_t i = 0; i < s->count; i++)
		json_object_set_new(rows, s->rows[i].name, estimate(&s->rows[i]));
	json_object_set_new(object, "title", json_string(s->title));
	json_object_set_new(object, "unit", json_string(s->unit));
	json_object_set_new(object, "components", rows);
	return object;
}

static json_t *predictors(const struct sample_report *r)
{
	const struct sample_row more = {
		.value = r->more, .half = r->half, .low = r->more - r->half, .high = r->more + r->half};
	json_t *object = json_object();
	json_object_set_new(object, "trained", format_integer(r->trained));
	json_object_set_new(object, "compared", format_integer(r->compared));
	json_object_set_new(object, "more_mispredictions_percent", r->compared < 2 ? json_null() : estimate(&more));
	return object;
}

static json_t *first_pass(const struct sample_report *r)
{
	json_t *object = json_object();
	json_object_set_new(object, "samples", format_integer(r->first_samples));
	json_object_set_new(object, "cpi_error_percent", json_real(100 * r->first_error));
	return object;
}

json_t *sample_report_json(const struct sample_report *r)
{
	json_t *root = json_object(), *sections = json_object();
	json_object_set_new(root, "culprit", json_string(r->version));
	json_object_set_new(root, "machine", json_string(r->machine));
	json_object_set_new(root, "program", json_string(r->program));
	json_object_set_new(root, "exit_status", r->exit_status < 0 ? json_null() : json_integer(r->exit_status));
	json_object_set_new(root, "killed", killed_json(&r->killed));
	json_object_set_new(root, "complete", json_boolean(!r->cut));
	json_object_set_new(root, "skipped", format_integer(r->skipped));
	json_object_set_new(root, "instructions", format_integer(r->instructions));
	json_object_set_new(root, "chosen_by", json_string(r->chosen ? "simpoint" : "schedule"));
	json_object_set_new(root, "weights_sum", r->chosen ? json_real(r->covered) : json_null());
	json_object_set_new(root, "samples", format_integer(r->samples));
	json_object_set_new(root, "start", format_integer(r->start));
	json_object_set_new(root, "sample_length", format_integer(r->length));
	json_object_set_new(root, "sample_warmup", format_integer(r->warmup));
	json_object_set_new(root, "sample_interval", format_integer(r->interval));
	json_object_set_new(root, "measured", format_integer(r->measured));
	json_object_set_new(root, "confidence_percent", json_real(100 * r->confidence));
	json_object_set_new(root, "cpi", estimate(&r->cpi));
	json_object_set_new(root, "first_pass", r->first_samples ? first_pass(r) : json_null());
	json_object_set_new(root, "predictors", r->gaps ? predictors(r) : json_null());
	json_object_set_new(root, "rows_in_few_samples", format_integer(r->few));
	for (size_t i = 0; i < r->section_count; i++)
		json_object_set_new(sections, r->sections[i].name, section(&r->sections[i]));
	json_object_set_new(root, "sections", sections);
	json_object_set_new(root, "host_seconds", json_real(r->host_seconds));
	return root;
}
