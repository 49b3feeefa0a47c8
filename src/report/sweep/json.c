#include "report/format.h"
#include "report/sweep/report.h"

static json_t *settings_json(const struct sweep_report *r, const struct sweep_report_point *p)
{
	json_t *all = json_object();
	for (uint32_t a = 0; a < r->axis_count; a++)
		json_object_set_new(all, r->axes[a].name,
				    json_pack("{s:s, s:b}", "value", p->values[a], "default", (int)p->own[a]));
	return all;
}

static json_t *causes_json(const struct sweep_report_point *p)
{
	json_t *all = json_object();
	for (uint32_t i = 0; i < p->cause_count; i++)
		json_object_set_new(all, p->causes[i].name, format_integer(p->causes[i].cycles));
	return all;
}

static json_t *moved_json(const struct sweep_report *r, uint32_t point)
{
	double cpi;
	const char *moved = sweep_moved(r, point, &cpi);
	return moved ? json_pack("{s:s, s:f}", "component", moved, "cpi", cpi) : json_null();
}

static void figures_json(const struct sweep_report *r, uint32_t point, json_t *o)
{
	const struct sweep_report_point *p = &r->points[point];
	double speedup = sweep_speedup(r, point);
	json_object_set_new(o, "exit_status", p->exit_status < 0 ? json_null() : json_integer(p->exit_status));
	json_object_set_new(o, "instructions", format_integer(p->instructions));
	json_object_set_new(o, "cycles", format_integer(p->cycles));
	json_object_set_new(o, "ipc", json_real((double)p->instructions / (double)p->cycles));
	json_object_set_new(o, "cpi", json_real((double)p->cycles / (double)p->instructions));
	json_object_set_new(o, "speedup", speedup > 0 ? json_real(speedup) : json_null());
	json_object_set_new(o, "moved_most", moved_json(r, point));
	json_object_set_new(o, "causes", causes_json(p));
}

static json_t *point_json(const struct sweep_report *r, uint32_t i)
{
	const struct sweep_report_point *p = &r->points[i];
	json_t *o = json_object();
	json_object_set_new(o, "number", json_integer(i + 1));
	json_object_set_new(o, "machine", format_text(p->machine));
	json_object_set_new(o, "program", format_text(p->program));
	json_object_set_new(o, "region", format_text(p->region));
	json_object_set_new(o, "settings", settings_json(r, p));
	json_object_set_new(o, "reference", json_integer((json_int_t)p->reference + 1));
	json_object_set_new(o, "command", format_text(p->command));
	json_object_set_new(o, "done", json_boolean(p->known));
	json_object_set_new(o, "trouble", p->trouble ? format_text(p->trouble) : json_null());
	if (p->known)
		figures_json(r, i, o);
	return o;
}

/* The labels of the causes, once. */
static json_t *labels_json(const struct sweep_report *r)
{
	json_t *all = json_object();
	for (uint32_t i = 0; i < r->count; i++)
		for (uint32_t k = 0; k < r->points[i].cause_count; k++)
			json_object_set_new(all, r->points[i].causes[k].name,
					    json_string(r->points[i].causes[k].label));
	return all;
}

static json_t *value_json(const struct sweep_report_value *v)
{
	json_t *sets = json_array();
	for (uint32_t i = 0; i < v->set_count; i++)
		json_array_append_new(sets, format_text(v->sets[i]));
	return json_pack("{s:o, s:o}", "name", format_text(v->name), "sets", sets);
}

static json_t *axis_json(const struct sweep_report_axis *a)
{
	json_t *values = json_array();
	for (uint32_t i = 0; i < a->value_count; i++)
		json_array_append_new(values, value_json(&a->values[i]));
	return json_pack("{s:s, s:s?, s:o}", "name", a->name, "key", a->key, "values", values);
}

static json_t *machines_json(const struct sweep_report *r)
{
	json_t *all = json_array();
	for (uint32_t i = 0; i < r->machine_count; i++)
		json_array_append_new(all, json_pack("{s:o, s:O}", "name", format_text(r->machines[i].name), "keys",
						     r->machines[i].keys));
	return all;
}

json_t *sweep_report_json(const struct sweep_report *r)
{
	json_t *root = json_object(), *axes = json_array(), *points = json_array();
	for (uint32_t a = 0; a < r->axis_count; a++)
		json_array_append_new(axes, axis_json(&r->axes[a]));
	for (uint32_t i = 0; i < r->count; i++)
		json_array_append_new(points, point_json(r, i));
	json_object_set_new(root, "culprit", json_string(r->version));
	json_object_set_new(root, "title", format_text(r->title));
	json_object_set_new(root, "complete", json_boolean(r->known == r->count));
	json_object_set_new(root, "machines", machines_json(r));
	json_object_set_new(root, "axes", axes);
	json_object_set_new(root, "cause_labels", labels_json(r));
	json_object_set_new(root, "points", points);
	return root;
}
