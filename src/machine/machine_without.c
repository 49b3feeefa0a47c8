/* Each row of machine_without.def is one assignment, done as --set does it. */
#include "machine/machine_without.h"

#include "base/nearest.h"
#include "machine/machine_rows.h"

#include <stdio.h>
#include <string.h>

static const struct row {
	const char *feature, *assignment, *why;
} rows[] = {
#define WITHOUT(feature, assignment, why) {feature, assignment, why},
#include "machine/machine_without.def"
};
enum { ROWS = sizeof rows / sizeof *rows };

const char *machine_without_feature(const char *name, size_t *length)
{
	static const char word[] = "-without-";
	const char *at = NULL;
	for (const char *next = name; (next = strstr(next, word)); next++)
		at = next;
	if (!at || at == name)
		return NULL;
	*length = (size_t)(at - name);
	return at + sizeof word - 1;
}

/* A latency, or a number of machine.def; 0: there is no such key. */
static uint32_t number(const struct machine *m, const char *key, size_t length)
{
	for (unsigned op = 0; op < CULPRIT_OP_COUNT; op++)
		if (!strncmp(key, "latency.", 8) && strlen(culprit_op_name((int)op)) == length - 8 &&
		    !strncmp(key + 8, culprit_op_name((int)op), length - 8))
			return m->latency[op];
	for (size_t i = 0; i < machine_row_count; i++) {
		const struct machine_row *row = &machine_rows[i];
		size_t section = strlen(row->section);
		if (section + 1 + strlen(row->name) == length && !strncmp(key, row->section, section) &&
		    !strncmp(key + section + 1, row->name, length - section - 1))
			return machine_row_get(m, row);
	}
	return 0;
}

static bool assign(struct machine *m, const char *assignment, struct error *err)
{
	char text[100];
	size_t key = strcspn(assignment, "+=");
	unsigned more;
	if (!*assignment)
		return true;
	if (assignment[key] == '=' || sscanf(assignment + key, "+%u", &more) != 1)
		return machine_set(m, assignment, err);
	snprintf(text, sizeof text, "%.*s=%u", (int)key, assignment, number(m, assignment, key) + more);
	return machine_set(m, text, err);
}

static bool no_feature(const char *feature, struct error *err)
{
	char quoted[64];
	struct nearest near;
	nearest_begin(&near, feature, strlen(feature));
	for (size_t i = 0; i < ROWS; i++)
		nearest_consider(&near, rows[i].feature);
	if (*near.best)
		return error_set(err, ERROR_USAGE, "no machine can be without '%s'%s",
				 machine_quotable(feature, quoted), nearest_hint(&near));
	char list[300] = "";
	for (size_t i = 0, used = 0; i < ROWS && used < sizeof list; i++)
		if (!i || strcmp(rows[i].feature, rows[i - 1].feature) != 0)
			used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "",
						 rows[i].feature);
	return error_set(err, ERROR_USAGE, "no machine can be without '%s'; features are: %s",
			 machine_quotable(feature, quoted), list);
}

bool machine_without(struct machine *m, const char *feature, struct error *err)
{
	bool found = false;
	for (size_t i = 0; i < ROWS; i++) {
		if (strcmp(rows[i].feature, feature))
			continue;
		TRY(assign(m, rows[i].assignment, err));
		found = true;
	}
	if (!found)
		return no_feature(feature, err);
	char base[64], description[sizeof m->description];
	snprintf(base, sizeof base, "%s", m->name);
	snprintf(m->name, sizeof m->name, "%.*s-without-%.*s", (int)(63 - 9 - strlen(feature)), base, 40, feature);
	snprintf(description, sizeof description, "%.100s; without %.40s", m->description, feature);
	memcpy(m->description, description, sizeof description);
	return true;
}
