/* CPI stacks as JSON; docs/explanation/stacks.md describes the keys. */
#include "report/stacks/report.h"

static json_t *column_json(const struct stacks_table *t, const struct stacks_column *c)
{
	json_t *o = json_object();
	for (uint32_t i = 0; i < t->row_count; i++)
		json_object_set_new(o, t->rows[i].name, json_integer(c->amounts[i]));
	return o;
}

/* key: unit, then an object for each stack */
static json_t *table_json(const struct stacks_table *t, const char *unit)
{
	json_t *o = json_object();
	if (unit)
		json_object_set_new(o, unit, json_integer((json_int_t)t->unit));
	for (uint32_t i = 0; i < t->column_count; i++)
		json_object_set_new(o, t->columns[i].name, column_json(t, &t->columns[i]));
	return o;
}

static json_t *overcharged_json(const struct stacks_report *r)
{
	json_t *o = json_object();
	for (uint32_t i = 0; i < r->methods.column_count; i++)
		json_object_set_new(o, r->methods.columns[i].name,
				    json_boolean(stacks_overcharges(&r->methods.columns[i])));
	return o;
}

static json_t *storage_json(const struct stacks_report *r)
{
	json_t *o = json_object();
	for (uint32_t i = 0; i < r->methods.column_count; i++)
		json_object_set_new(o, r->methods.columns[i].name,
				    json_integer((json_int_t)r->methods.columns[i].storage_bits));
	return o;
}

static json_t *fmt_json(const struct stacks_report *r)
{
	return json_pack("{s:I,s:I,s:I,s:I,s:I,s:I}", "rows", (json_int_t)r->fmt_rows, "counter_bits",
			 (json_int_t)r->counter_bits, "rows_used", (json_int_t)r->fmt_rows_used, "overflowed",
			 (json_int_t)r->fmt_overflowed, "untracked", (json_int_t)r->fmt_untracked, "filled",
			 (json_int_t)r->fmt_filled);
}

static json_t *overlaps_json(const struct stacks_report *r)
{
	json_t *o = json_object();
	json_object_set_new(o, "contested", json_integer((json_int_t)r->contested));
	for (uint32_t i = 0; i < r->overlap_count; i++)
		json_object_set_new(o, r->overlap_rows[i].name, json_integer((json_int_t)r->overlaps[i]));
	return o;
}

static json_t *events_json(const struct stacks_report *r)
{
	json_t *o = json_object();
	for (uint32_t i = 0; i < r->event_count; i++)
		json_object_set_new(o, r->events[i].name, json_integer((json_int_t)r->events[i].count));
	return o;
}

static json_t *facts_json(const struct stacks_report *r)
{
	json_t *o = json_object();
	for (uint32_t i = 0; i < r->fact_count; i++) {
		const struct stacks_fact *f = &r->facts[i];
		json_t *values = json_object();
		for (uint32_t j = 0; j < f->count; j++)
			json_object_set_new(values, r->methods.columns[j].name,
					    f->known[j] ? json_real(f->values[j]) : json_null());
		json_object_set_new(o, f->key,
				    f->count == 1 ? (f->known[0] ? json_real(f->values[0]) : json_null())
						  : json_incref(values));
		json_decref(values);
	}
	return o;
}

json_t *stacks_report_json(const struct stacks_report *r)
{
	json_t *o = json_object();
	json_object_set_new(o, "cycles", table_json(&r->methods, NULL));
	json_object_set_new(o, "overcharged", overcharged_json(r));
	json_object_set_new(o, "storage_bits", storage_json(r));
	json_object_set_new(o, "fmt", fmt_json(r));
	json_object_set_new(o, "stages", table_json(&r->stages, "slots_per_cycle"));
	if (r->has_slots)
		json_object_set_new(o, "topdown", table_json(&r->slots, "slots_per_cycle"));
	json_object_set_new(o, "overlaps", overlaps_json(r));
	json_object_set_new(o, "events", events_json(r));
	json_object_set_new(o, "penalties", facts_json(r));
	return o;
}
