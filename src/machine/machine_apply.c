/* The defaults, and one loaded file put over them (or over the machine that it extends). Scalars, latencies and
 * intervals override one by one; queues, units and ideal replace the whole list. */
#include "machine/machine_defaults.h"
#include "machine/machine_file.h"
#include "machine/machine_rows.h"

#include <string.h>

#define OP(class) (UINT32_C(1) << CULPRIT_OP_##class)

void machine_defaults(struct machine *m)
{
	static const struct machine_unit units[] = {
#define MACHINE_DEFAULT_UNIT(name, count, ops) {name, count, 0, ops},
#include "machine/machine_ops.def"
	};
	memset(m, 0, sizeof *m); /* padding too: machines may be compared as bytes */
	for (size_t i = 0; i < machine_row_count; i++)
		machine_row_put(m, &machine_rows[i], machine_rows[i].fallback);
#define MACHINE_OP(op, cycles, every)         \
	m->latency[CULPRIT_OP_##op] = cycles; \
	m->interval[CULPRIT_OP_##op] = every;
#include "machine/machine_ops.def"
	m->queue_count = 1;
	strcpy(m->queues[0].name, "all");
	m->unit_count = sizeof units / sizeof units[0];
	memcpy(m->units, units, sizeof units);
}

static void apply_ops(const struct file_ops *ops, uint32_t value[CULPRIT_OP_COUNT])
{
#define OP_CLASS(name, label, event) \
	if (ops->name)               \
		value[CULPRIT_OP_##name] = *ops->name;
#include "culprit/op_class.def"
}

static int queue_find(const struct machine *m, const char *name)
{
	for (uint32_t i = 0; i < m->queue_count; i++)
		if (!strcmp(m->queues[i].name, name))
			return (int)i;
	return -1;
}

/* A name that an error or --set can point to, and only one of its kind. */
static bool list_name(const struct outline *o, const char *list, uint32_t i, const char *name, bool taken,
		      struct error *err)
{
	char path[64];
	snprintf(path, sizeof path, "%s[%u].name", list, i);
	if (!machine_name_ok(name))
		return outline_error(o, path, err, "a name is made of letters, digits, '_' and '-'");
	return !taken || outline_error(o, path, err, "two %s are called %s", list, name);
}

/* Units kept from the extended machine follow their queues by name. */
static bool reattach_units(struct machine *m, const struct machine *base, const struct outline *o, struct error *err)
{
	for (uint32_t i = 0; i < m->unit_count; i++) {
		const char *name = base->queues[base->units[i].queue].name;
		int queue = queue_find(m, name);
		if (queue < 0 && m->queue_count != 1)
			return outline_error(
				o, "queues", err,
				"unit %s is fed by queue %s, which this list does not have: give units too",
				m->units[i].name, name);
		m->units[i].queue = queue < 0 ? 0 : (uint32_t)queue;
	}
	return true;
}

static bool apply_queues(const struct machine_file *file, const struct outline *o, struct machine *m, struct error *err)
{
	struct machine base = *m;
	memset(m->queues, 0, sizeof m->queues);
	m->queue_count = 0;
	for (uint32_t i = 0; file->queues && i < file->queues_count; i++) {
		const struct file_queue *from = &file->queues[i];
		struct machine_queue *to = &m->queues[i];
		TRY(list_name(o, "queues", i, from->name, queue_find(m, from->name) >= 0, err));
		strcpy(to->name, from->name);
		to->entries = from->entries ? *from->entries : 0;
		to->width = from->width ? *from->width : 0;
		m->queue_count++;
	}
	return outline_find(o, "units") || reattach_units(m, &base, o, err);
}

static bool unit_queue(const struct machine *m, const struct outline *o, const struct file_unit *unit, uint32_t i,
		       uint32_t *queue, struct error *err)
{
	char path[64], quoted[64];
	if (!unit->queue && m->queue_count == 1) {
		*queue = 0;
		return true;
	}
	snprintf(path, sizeof path, unit->queue ? "units[%u].queue" : "units[%u]", i);
	if (!unit->queue)
		return outline_error(o, path, err, "the key 'queue' is missing: there are %u queues", m->queue_count);
	int found = queue_find(m, unit->queue);
	if (found < 0)
		return outline_error(o, path, err, "no queue is called %s", machine_quotable(unit->queue, quoted));
	*queue = (uint32_t)found;
	return true;
}

static bool apply_units(const struct machine_file *file, const struct outline *o, struct machine *m, struct error *err)
{
	memset(m->units, 0, sizeof m->units);
	m->unit_count = 0;
	for (uint32_t i = 0; file->units && i < file->units_count; i++) {
		const struct file_unit *from = &file->units[i];
		struct machine_unit *to = &m->units[i];
		bool taken = false;
		for (uint32_t j = 0; j < i; j++)
			taken |= !strcmp(m->units[j].name, from->name);
		TRY(list_name(o, "units", i, from->name, taken, err));
		TRY(unit_queue(m, o, from, i, &to->queue, err));
		strcpy(to->name, from->name);
		to->count = from->count ? *from->count : 1;
		to->ops = from->ops;
		m->unit_count++;
	}
	return true;
}

bool machine_file_apply(const struct machine_file *file, const struct outline *o, struct machine *m, struct error *err)
{
	if (file->description) {
		memset(m->description, 0, sizeof m->description);
		snprintf(m->description, sizeof m->description, "%s", file->description);
	}
	for (size_t i = 0; i < machine_row_count; i++) {
		const void *given = machine_file_row(file, i);
		if (!given)
			continue;
		uint32_t value;
		if (machine_rows[i].kind == MACHINE_KIND_BOOL)
			value = *(const bool *)given;
		else
			memcpy(&value, given, sizeof value);
		machine_row_put(m, &machine_rows[i], value);
	}
	apply_ops(&file->latency, m->latency);
	apply_ops(&file->interval, m->interval);
	if (file->queues || outline_find(o, "queues"))
		TRY(apply_queues(file, o, m, err));
	if (file->units || outline_find(o, "units"))
		TRY(apply_units(file, o, m, err));
	if (file->ideal)
		m->ideal = *file->ideal;
	return true;
}
