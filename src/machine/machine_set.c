/* One "--set" assignment: a scalar key, latency.OP, interval.OP, queues.NAME.entries|width,
 * units.NAME.count|queue, ideal. Rules between keys are machine_check's, after the last assignment. */
#include "machine/machine_rows.h"

#include <string.h>

struct assignment {
	char key[100];
	const char *value;
};

static bool refuse(const struct assignment *a, struct error *err, const char *reason)
{
	return error_set(err, ERROR_USAGE, "key %s: %s", a->key, reason);
}

static bool unknown(const struct assignment *a, struct error *err)
{
	const char *near = machine_key_nearest(a->key);
	if (near && !strcmp(near, a->key))
		return refuse(a, err, "belongs to a machine file; it cannot be set");
	if (!near)
		return refuse(a, err, "unknown key");
	return error_set(err, ERROR_USAGE, "key %s: unknown key; did you mean %s?", a->key, near);
}

static bool split(const char *text, struct assignment *a, struct error *err)
{
	size_t length = strcspn(text, "=");
	char quoted[64];
	if (!text[length] || !length || length >= sizeof a->key)
		return error_set(err, ERROR_USAGE, "'%s' is not an assignment: expected section.name=value",
				 machine_quotable(text, quoted));
	memcpy(a->key, text, length);
	a->key[length] = '\0';
	for (char *p = a->key; *p; p++)
		if (*p < ' ' || *p > '~')
			*p = '?';
	a->value = text + length + 1;
	return true;
}

/* A number that lies outside the rows of machine.def. */
static bool set_number(const struct assignment *a, uint32_t *to, struct error *err)
{
	char reason[300];
	const struct machine_range *range = machine_range_find(a->key);
	if (!range)
		return unknown(a, err);
	return machine_range_parse(range, a->value, to, reason, sizeof reason) || refuse(a, err, reason);
}

static bool set_queue(struct machine *m, const struct assignment *a, const char *name, const char *key,
		      struct error *err)
{
	char names[300] = "", reason[360];
	for (uint32_t i = 0; i < m->queue_count; i++) {
		struct machine_queue *q = &m->queues[i];
		if (!strcmp(q->name, name) && !strcmp(key, "entries"))
			return set_number(a, &q->entries, err);
		if (!strcmp(q->name, name) && !strcmp(key, "width"))
			return set_number(a, &q->width, err);
		if (!strcmp(q->name, name))
			return refuse(a, err, "unknown key: a queue has entries and width");
		size_t used = strlen(names);
		snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "", q->name);
	}
	snprintf(reason, sizeof reason, "no such queue: there are %s", names);
	return refuse(a, err, reason);
}

static bool set_unit_queue(struct machine *m, const struct assignment *a, struct machine_unit *unit, struct error *err)
{
	char reason[100], quoted[64];
	for (uint32_t i = 0; i < m->queue_count; i++)
		if (!strcmp(m->queues[i].name, a->value)) {
			unit->queue = i;
			return true;
		}
	snprintf(reason, sizeof reason, "no queue is called %s", machine_quotable(a->value, quoted));
	return refuse(a, err, reason);
}

static bool set_unit(struct machine *m, const struct assignment *a, const char *name, const char *key,
		     struct error *err)
{
	char names[300] = "", reason[360];
	for (uint32_t i = 0; i < m->unit_count; i++) {
		struct machine_unit *u = &m->units[i];
		if (!strcmp(u->name, name) && !strcmp(key, "count"))
			return set_number(a, &u->count, err);
		if (!strcmp(u->name, name) && !strcmp(key, "queue"))
			return set_unit_queue(m, a, u, err);
		if (!strcmp(u->name, name))
			return refuse(a, err, "unknown key: of a unit, count and queue can be set");
		size_t used = strlen(names);
		snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "", u->name);
	}
	snprintf(reason, sizeof reason, "no such unit: there are %s", names);
	return refuse(a, err, reason);
}

/* "queues.NAME.key" and "units.NAME.key". */
static bool set_listed(struct machine *m, const struct assignment *a, struct error *err)
{
	char parts[sizeof a->key];
	strcpy(parts, a->key);
	char *name = strchr(parts, '.') + 1;
	char *dot = strchr(name, '.');
	if (!dot)
		return unknown(a, err);
	*dot = '\0';
	return *parts == 'q' ? set_queue(m, a, name, dot + 1, err) : set_unit(m, a, name, dot + 1, err);
}

static bool set_row(struct machine *m, const struct assignment *a, struct error *err)
{
	char section[sizeof a->key], reason[300];
	strcpy(section, a->key);
	char *dot = strchr(section, '.');
	if (!dot)
		return machine_section_known(section) ? refuse(a, err, "a section: expected section.name=value")
						      : unknown(a, err);
	*dot = '\0';
	const struct machine_row *row = machine_row_find(section, dot + 1);
	uint32_t value;
	if (!row)
		return unknown(a, err);
	if (!machine_row_parse(row, a->value, &value, reason, sizeof reason))
		return refuse(a, err, reason);
	machine_row_put(m, row, value);
	return true;
}

static bool set_ideal(struct machine *m, const struct assignment *a, struct error *err)
{
	return culprit_event_set_parse(a->value, &m->ideal, err) || error_context(err, "key ideal");
}

bool machine_same(const struct machine *a, const struct machine *b)
{
	const void *x = a, *y = b; /* machines begin as zeros, so their gaps are alike, too */
	return !memcmp(x, y, sizeof *a);
}

/* What was said of the machine as it was is not said of this one. Idealisation asks a question of the same machine. */
static void note_change(struct machine *m, const struct machine *before)
{
	if (*m->validated && !machine_same(m, before))
		snprintf(m->validated, sizeof m->validated, "parameters: changed from what the machine file says");
}

static bool set_value(struct machine *m, const struct assignment *a, struct error *err)
{
	if (!strncmp(a->key, "queues.", 7) || !strncmp(a->key, "units.", 6))
		return set_listed(m, a, err);
	bool latency = !strncmp(a->key, "latency.", 8), interval = !strncmp(a->key, "interval.", 9);
	if (!latency && !interval)
		return set_row(m, a, err);
	int op = machine_op_find(a->key + (latency ? 8 : 9));
	if (op < 0)
		return unknown(a, err);
	return set_number(a, latency ? &m->latency[op] : &m->interval[op], err);
}

bool machine_set(struct machine *m, const char *assignment, struct error *err)
{
	struct assignment a;
	TRY(split(assignment, &a, err));
	if (!strcmp(a.key, "ideal"))
		return set_ideal(m, &a, err);
	const struct machine before = *m;
	TRY(set_value(m, &a, err));
	note_change(m, &before);
	return true;
}
