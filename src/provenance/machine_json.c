/* A machine in full as JSON. YAML readers read JSON, so that this is a machine file, too. */
#include "provenance/provenance.h"
#include "machine/machine_rows.h"

#include <string.h>

static json_t *row_json(const struct machine *m, const struct machine_row *row)
{
	uint32_t value = machine_row_get(m, row);
	char buffer[16];
	if (row->kind == MACHINE_KIND_UINT)
		return json_integer(value);
	if (row->kind == MACHINE_KIND_BOOL)
		return json_boolean(value);
	return json_string(machine_row_text(row, value, buffer));
}

static json_t *section_json(const struct machine *m, const char *section)
{
	json_t *all = json_object();
	for (size_t i = 0; i < machine_row_count; i++)
		if (!strcmp(machine_rows[i].section, section))
			json_object_set_new(all, machine_rows[i].name, row_json(m, &machine_rows[i]));
	return all;
}

static json_t *ops_json(const uint32_t value[CULPRIT_OP_COUNT])
{
	json_t *all = json_object();
	for (int op = 0; op < CULPRIT_OP_COUNT; op++)
		json_object_set_new(all, culprit_op_name(op), json_integer(value[op]));
	return all;
}

static json_t *queues_json(const struct machine *m)
{
	json_t *all = json_array();
	for (uint32_t i = 0; i < m->queue_count; i++)
		json_array_append_new(all, json_pack("{s:s, s:i, s:i}", "name", m->queues[i].name, "entries",
						     (int)m->queues[i].entries, "width", (int)m->queues[i].width));
	return all;
}

static json_t *units_json(const struct machine *m)
{
	json_t *all = json_array();
	for (uint32_t i = 0; i < m->unit_count; i++) {
		const struct machine_unit *u = &m->units[i];
		json_t *ops = json_array();
		for (int op = 0; op < CULPRIT_OP_COUNT; op++)
			if (u->ops >> op & 1)
				json_array_append_new(ops, json_string(culprit_op_name(op)));
		json_array_append_new(all, json_pack("{s:s, s:i, s:s, s:o}", "name", u->name, "count", (int)u->count,
						     "queue", m->queues[u->queue].name, "ops", ops));
	}
	return all;
}

static json_t *ideal_json(const struct machine *m)
{
	json_t *all = json_array();
	for (int event = 0; event < CULPRIT_EVENT_COUNT; event++)
		if (m->ideal >> event & 1)
			json_array_append_new(all, json_string(culprit_event_name(event)));
	return all;
}

json_t *machine_json(const struct machine *m)
{
	json_t *all = json_object();
	json_object_set_new(all, "description", json_string(m->description));
	if (*m->validated)
		json_object_set_new(all, "validated", json_string(m->validated));
	for (size_t i = 0; i < machine_section_count; i++)
		json_object_set_new(all, machine_sections[i].name, section_json(m, machine_sections[i].name));
	json_object_set_new(all, "latency", ops_json(m->latency));
	json_object_set_new(all, "interval", ops_json(m->interval));
	json_object_set_new(all, "queues", queues_json(m));
	json_object_set_new(all, "units", units_json(m));
	json_object_set_new(all, "ideal", ideal_json(m));
	return all;
}
