/* The checker's findings as JSON; docs/how-to/feed-records.md has the keys. */
#include "report/check/report.h"

static json_t *line_json(const struct check_line *l)
{
	json_t *o = json_pack("{s:s, s:I, s:I, s:I, s:s, s:s}", "step", l->step, "count", (json_int_t)l->count,
			      "cycles", (json_int_t)l->cycles, "worst", (json_int_t)l->worst, "first", l->first, "fill",
			      l->remedy);
	if (l->rule) {
		json_object_set_new(o, "kind", json_string(l->kind));
		json_object_set_new(o, "rule", json_string(l->rule));
	} else {
		json_object_set_new(o, "worst_pc", json_integer((json_int_t)l->worst_pc));
		json_object_set_new(o, "worst_pc_cycles", json_integer((json_int_t)l->worst_cycles));
	}
	return o;
}

static json_t *lines_json(const struct check_line *lines, size_t count)
{
	json_t *list = json_array();
	for (size_t i = 0; i < count; i++)
		json_array_append_new(list, line_json(&lines[i]));
	return list;
}

static json_t *silent_json(const struct check_report *r)
{
	json_t *list = json_array();
	for (size_t i = 0; i < r->silent_count; i++)
		json_array_append_new(list, json_pack("{s:s, s:I, s:s}", "field", r->silent[i].field, "chances",
						      (json_int_t)r->silent[i].chances, "words", r->silent[i].words));
	return list;
}

static json_t *misfits_json(const struct check_report *r)
{
	json_t *list = json_array();
	for (size_t i = 0; i < r->misfit_count; i++) {
		const struct check_misfit *m = &r->misfits[i];
		json_array_append_new(list, json_pack("{s:s, s:I, s:I, s:I, s:I, s:s, s:s}", "name", m->name, "count",
						      (json_int_t)m->count, "of", (json_int_t)m->asked, "first_seq",
						      (json_int_t)m->first_seq, "first_pc", (json_int_t)m->first_pc,
						      "rule", m->rule, "fill", m->remedy));
	}
	return list;
}

json_t *check_json(const struct check_report *r)
{
	return json_pack("{s:I, s:I, s:I, s:o, s:o, s:o, s:o}", "instructions", (json_int_t)r->instructions, "cycles",
			 (json_int_t)r->cycles, "edges", (json_int_t)r->edges, "contradicted",
			 lines_json(r->contradicted, r->contradicted_count), "ahead",
			 lines_json(r->early, r->early_count), "misfits", misfits_json(r), "silent", silent_json(r));
}
