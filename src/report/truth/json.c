/* The report of `culprit truth` as JSON. Keys stay as they are once published; docs/explanation/truth.md describes
 * them. */
#include "report/format.h"
#include "report/truth/report.h"

static double percent(int64_t cycles, uint64_t base)
{
	return base ? 100 * (double)cycles / (double)base : 0;
}

static void set_point(json_t *row, const char *point)
{
	if (*point)
		json_object_set_new(row, "at", json_string(point));
}

static json_t *runs_json(const struct truth_report *r)
{
	json_t *list = json_array();
	for (size_t i = 0; i < r->run_count; i++) {
		const struct truth_run_row *run = &r->runs[i];
		json_t *row = json_object();
		set_point(row, run->point);
		json_object_set_new(row, "ideal", json_string(run->name));
		json_object_set_new(row, "cycles", run->failure ? json_null() : format_integer(run->cycles));
		if (run->failure)
			json_object_set_new(row, "failure", json_string(run->failure));
		json_array_append_new(list, row);
	}
	return list;
}

static json_t *values_json(const struct truth_value_row *rows, size_t count, const char *word)
{
	json_t *list = json_array();
	for (size_t i = 0; i < count; i++) {
		const struct truth_value_row *v = &rows[i];
		json_t *row = json_object();
		set_point(row, v->point);
		json_object_set_new(row, "set", json_string(v->name));
		json_object_set_new(row, "cycles", v->known ? json_integer(v->cycles) : json_null());
		json_object_set_new(row, "percent", v->known ? json_real(percent(v->cycles, v->base)) : json_null());
		if (word && v->known)
			json_object_set_new(row, word, json_string(v->word));
		json_array_append_new(list, row);
	}
	return list;
}

static json_t *identity_json(const struct truth_report *r)
{
	json_t *o = json_object();
	json_object_set_new(o, "sum", r->identity_known ? json_integer(r->identity_sum) : json_null());
	json_object_set_new(o, "remainder", r->identity_known ? format_integer(r->identity_remainder) : json_null());
	json_object_set_new(o, "base", format_integer(r->cycles));
	json_object_set_new(o, "holds", r->identity_known ? json_boolean(r->identity_holds) : json_null());
	return o;
}

static json_t *stack_json(const struct truth_stack_table *t)
{
	if (!t->known)
		return json_null();
	json_t *o = json_object();
	for (uint32_t i = 0; i < t->count; i++)
		json_object_set_new(o, t->rows[i].name, json_integer(t->rows[i].cycles));
	return o;
}

static json_t *varied_json(const struct truth_report *r)
{
	json_t *varied = json_array();
	for (size_t i = 0; i < r->varied_count; i++) {
		json_t *values = json_array();
		for (uint32_t k = 0; k < r->varied[i].count; k++)
			json_array_append_new(values, json_string(r->varied[i].values[k]));
		json_array_append_new(varied, json_pack("{s:s, s:o}", "key", r->varied[i].key, "values", values));
	}
	return varied;
}

static json_t *verdicts_json(const struct truth_report *r)
{
	json_t *verdicts = json_array();
	size_t sets = r->curve_count ? r->icost_count / r->curve_count : 0;
	for (size_t set = 0; set < sets; set++) {
		struct truth_verdict v = truth_curves_verdict(r, set);
		json_array_append_new(verdicts, json_pack("{s:s, s:I, s:I, s:I}", "set", r->icosts[set].name, "agree",
							  (json_int_t)v.agree, "disagree", (json_int_t)v.disagree,
							  "ties", (json_int_t)v.ties));
	}
	return verdicts;
}

static json_t *sweep_json(const struct truth_report *r)
{
	json_t *sweep = json_object(), *values = json_array(), *curves = json_array();
	for (uint32_t x = 0; x < r->x_count; x++)
		json_array_append_new(values, json_string(r->x_values[x]));
	for (size_t i = 0; i < r->curve_count; i++) {
		json_t *curve = json_object(), *cycles = json_array();
		for (uint32_t x = 0; x < r->x_count; x++) {
			uint64_t c = r->curves[i].cycles[x];
			json_array_append_new(cycles, c == UINT64_MAX ? json_null() : format_integer(c));
		}
		json_object_set_new(curve, "at", json_string(r->curves[i].name));
		json_object_set_new(curve, "cycles", cycles);
		json_array_append_new(curves, curve);
	}
	json_object_set_new(sweep, "key", json_string(r->x_key));
	json_object_set_new(sweep, "values", values);
	json_object_set_new(sweep, "curves", curves);
	json_object_set_new(sweep, "varied", varied_json(r));
	json_object_set_new(sweep, "verdicts", verdicts_json(r));
	return sweep;
}

json_t *truth_report_json(const struct truth_report *r)
{
	json_t *root = json_object();
	if (!root)
		return NULL;
	json_object_set_new(root, "culprit", json_string(r->version));
	json_object_set_new(root, "machine", json_string(r->machine));
	json_object_set_new(root, "program", json_string(r->program));
	json_object_set_new(root, "exit_status", r->exit_status < 0 ? json_null() : json_integer(r->exit_status));
	json_object_set_new(root, "killed", killed_json(&r->killed));
	json_object_set_new(root, "complete", json_boolean(!r->cut && !r->failed));
	json_object_set_new(root, "skipped", format_integer(r->skipped));
	json_object_set_new(root, "warmed", format_integer(r->warmed));
	json_object_set_new(root, "instructions", format_integer(r->instructions));
	json_object_set_new(root, "cycles", r->cycles && !r->x_key ? format_integer(r->cycles) : json_null());
	json_object_set_new(root, "runs", runs_json(r));
	json_object_set_new(root, "costs", values_json(r->costs, r->cost_count, NULL));
	json_object_set_new(root, "icosts", values_json(r->icosts, r->icost_count, "interaction"));
	if (r->has_other)
		json_object_set_new(root, "other", json_integer(r->other));
	if (r->full)
		json_object_set_new(root, "identity", identity_json(r));
	for (uint32_t i = 0; i < r->stack_count; i++)
		json_object_set_new(root, r->stacks[i].key, stack_json(&r->stacks[i]));
	if (r->score_count)
		json_object_set_new(root, "scores", truth_scores_json(r));
	if (r->x_key)
		json_object_set_new(root, "sweep", sweep_json(r));
	return root;
}
