/* The same as JSON; schemas/run.schema.json says what the keys mean. */
#include "report/oracle/report.h"
#include "report/format.h"

static json_t *cycles(uint64_t parts)
{
	return json_real((double)parts / ORACLE_REPORT_PARTS);
}

static json_t *by_case(const struct oracle_report *r, const uint64_t parts[ORACLE_REPORT_CASES])
{
	json_t *all = json_object();
	for (unsigned i = 0; i < ORACLE_REPORT_CASES; i++)
		json_object_set_new(all, r->cases[i].name, format_integer(parts[i]));
	return all;
}

static json_t *set_json(const struct oracle_report *r, const struct oracle_set *s)
{
	json_t *events = json_array();
	for (unsigned i = 0; i < ORACLE_REPORT_EVENTS; i++)
		if (s->events >> i & 1)
			json_array_append_new(events, json_string(r->events[i].name));
	return json_pack("{s:o, s:o}", "events", events, "parts", format_integer(s->parts));
}

static json_t *entry_json(const struct oracle_report *r, const struct oracle_entry *e)
{
	json_t *sets = json_array();
	for (size_t i = 0; i < e->set_count; i++)
		json_array_append_new(sets, set_json(r, &e->sets[i]));
	return json_pack("{s:o, s:o, s:o, s:o, s:o}", "executions", format_integer(e->executions), "cycles",
			 cycles(e->parts), "parts", format_integer(e->parts), "by_case", by_case(r, e->by_case),
			 "by_events", sets);
}

static json_t *named(const struct oracle_report *r, const struct oracle_table *t, const char *name, const char *where)
{
	json_t *all = json_array();
	for (size_t i = 0; i < t->count; i++) {
		json_t *e = entry_json(r, &t->entries[i]);
		json_object_set_new(e, name, json_string(t->entries[i].name));
		json_object_set_new(e, where, json_string(t->entries[i].where));
		json_array_append_new(all, e);
	}
	return all;
}

static json_t *instructions(const struct oracle_report *r)
{
	json_t *all = json_array();
	for (size_t i = 0; i < r->instructions.count; i++) {
		const struct oracle_entry *x = &r->instructions.entries[i];
		json_t *e = entry_json(r, x);
		json_object_set_new(e, "pc", format_integer(x->pc));
		json_object_set_new(e, "text", json_string(x->name));
		json_object_set_new(e, "place", json_string(x->where));
		json_object_set_new(e, "line", *x->line ? json_string(x->line) : json_null());
		json_array_append_new(all, e);
	}
	return all;
}

json_t *oracle_json(const struct oracle_report *r)
{
	json_t *root = r->whole.count ? entry_json(r, r->whole.entries) : json_object();
	if (!root)
		return NULL;
	json_object_set_new(root, "parts_of_a_cycle", json_integer(ORACLE_REPORT_PARTS));
	json_object_set_new(root, "end", format_integer(r->end));
	json_object_set_new(root, "functions", named(r, &r->functions, "function", "object"));
	json_object_set_new(root, "lines", named(r, &r->lines, "line", "file"));
	json_object_set_new(root, "instructions", instructions(r));
	json_object_set_new(root, "all_instructions", format_integer(r->instructions.all));
	return root;
}
