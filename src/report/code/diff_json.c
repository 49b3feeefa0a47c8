/* The comparison as JSON: everything, in the order of the text. */
#include "report/code/diff.h"
#include "report/format.h"

static json_t *side_json(const struct code_diff *d, unsigned s)
{
	const struct code_result *r = &d->r[s];
	json_t *o = json_object();
	json_object_set_new(o, "file", json_string(d->path[s]));
	json_object_set_new(o, "program", json_string(r->program));
	json_object_set_new(o, "machine", json_string(r->machine));
	json_object_set_new(o, "complete", json_boolean(r->complete));
	json_object_set_new(o, "killed", *r->killed ? json_string(r->killed) : json_null());
	json_object_set_new(o, "instructions", format_integer(r->instructions));
	json_object_set_new(o, "cycles", format_integer(r->cycles));
	json_object_set_new(o, "outside", format_integer(r->code.outside));
	return o;
}

/* null: no cause that changed */
static json_t *setup_json(const struct code_diff *d)
{
	json_t *all = json_array();
	for (size_t i = 0; i < d->setup.kept_count; i++) {
		const struct diff_setting *s = &d->settings[i];
		const struct compare_difference *f = s->difference;
		json_t *o = json_pack("{s:s, s:s, s:s}", "what", f->place, "a", f->was, "b", f->is);
		const char *cause = s->cause == UINT32_MAX ? NULL : d->r[DIFF_A].code.causes[s->cause];
		json_object_set_new(o, "cause", cause ? json_string(cause) : json_null());
		json_array_append_new(all, o);
	}
	return all;
}

static void set_change(json_t *o, uint64_t a, uint64_t b)
{
	json_object_set_new(o, "a", format_integer(a));
	json_object_set_new(o, "b", format_integer(b));
	json_object_set_new(o, "change", json_integer((json_int_t)(b - a)));
}

/* n: of both sides */
static json_t *causes_json(const struct code_diff *d, const struct code_counts *n)
{
	const struct code *c = &d->r[DIFF_A].code;
	json_t *all = json_object();
	for (uint32_t i = 0; i < c->cause_count; i++) {
		if (!n[DIFF_A].causes[i] && !n[DIFF_B].causes[i])
			continue;
		json_t *o = json_object();
		set_change(o, n[DIFF_A].causes[i], n[DIFF_B].causes[i]);
		json_object_set_new(all, c->causes[i], o);
	}
	return all;
}

static json_t *executions_json(const struct diff_row *row)
{
	json_t *o = json_object();
	set_change(o, row->n[DIFF_A].executions, row->n[DIFF_B].executions);
	return o;
}

/* null: this run has it not; 0: no line is known */
static json_t *line_json(const struct diff_row *row, unsigned s)
{
	return row->has[s] ? json_integer(row->line[s]) : json_null();
}

static json_t *table_json(const struct code_diff *d, const struct diff_table *t, bool lines)
{
	json_t *all = json_array();
	for (size_t i = 0; i < t->count; i++) {
		const struct diff_row *row = &t->rows[i];
		const char *text = row->insn ? row->insn : row->text;
		json_t *o = json_object();
		json_object_set_new(o, "function", format_text(row->name));
		if (lines) {
			json_object_set_new(o, "file", row->file ? json_string(row->file) : json_null());
			json_object_set_new(o, "line_a", line_json(row, DIFF_A));
			json_object_set_new(o, "line_b", line_json(row, DIFF_B));
			json_object_set_new(o, "place", row->insn ? format_text(row->place) : json_null());
			json_object_set_new(o, "text", text ? json_string(text) : json_null());
		} else {
			for (unsigned s = 0; s < DIFF_SIDES; s++)
				json_object_set_new(o, s ? "object_b" : "object_a",
						    row->object[s] ? json_string(row->object[s]) : json_null());
		}
		set_change(o, row->n[DIFF_A].cycles, row->n[DIFF_B].cycles);
		json_object_set_new(o, "executions", executions_json(row));
		json_object_set_new(o, "causes", causes_json(d, row->n));
		json_array_append_new(all, o);
	}
	return all;
}

static json_t *costs_json(const struct code_diff *d)
{
	json_t *all = json_array();
	for (size_t i = 0; i < d->cost_count; i++) {
		const struct diff_cost *c = &d->costs[i];
		json_array_append_new(all, json_pack("{s:s, s:s, s:f, s:f, s:f, s:f, s:b}", "method", c->method,
						     "class", c->term, "a", c->percent[DIFF_A], "b", c->percent[DIFF_B],
						     "interval_a", c->interval[DIFF_A], "interval_b",
						     c->interval[DIFF_B], "noise", diff_is_noise(d, c)));
	}
	return all;
}

json_t *code_diff_json(const struct code_diff *d)
{
	struct code_counts n[DIFF_SIDES];
	json_t *o = json_object();
	diff_totals(d, n);
	json_object_set_new(o, "a", side_json(d, DIFF_A));
	json_object_set_new(o, "b", side_json(d, DIFF_B));
	json_object_set_new(o, "setup", setup_json(d));
	json_object_set_new(o, "change", json_integer((json_int_t)diff_change(n)));
	json_object_set_new(o, "causes", causes_json(d, n));
	json_object_set_new(o, "functions", table_json(d, &d->functions, false));
	json_object_set_new(o, "lines", table_json(d, &d->lines, true));
	json_object_set_new(o, "costs", costs_json(d));
	return o;
}

json_t *code_diff_legend(const struct code_diff *d)
{
	const struct code *c = &d->r[DIFF_A].code;
	json_t *causes = json_object();
	for (uint32_t i = 0; i < c->cause_count; i++)
		json_object_set_new(causes, c->causes[i], json_string(c->labels[i]));
	return json_pack("{s:o}", "causes", causes);
}
