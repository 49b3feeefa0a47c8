/* libcyaml says what is wrong in a log of several lines: a reason, then where it stood, innermost first:
 *     Load: Unexpected key: robb
 *     Load: Backtrace:
 *       in mapping (line: 2, column: 8)
 *       in mapping field 'window' (line: 2, column: 3)
 * This takes the path from the backtrace and says in our own words what the key is and what it should have been. */
#include "machine/machine_file.h"
#include "machine/machine_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The text after `label`, up to the end of its line; false when the log has no such label. */
static bool after(const char *log, const char *label, char *text, size_t size)
{
	const char *found = strstr(log, label);
	if (!found)
		return false;
	found += strlen(label);
	size_t length = strcspn(found, "\n");
	if (length >= size)
		length = size - 1;
	memcpy(text, found, length);
	text[length] = '\0';
	return true;
}

/* Put one step of the backtrace in front of the path collected so far. */
static void prepend(char path[OUTLINE_PATH_MAX], const char *step)
{
	char old[OUTLINE_PATH_MAX];
	strcpy(old, path);
	snprintf(path, OUTLINE_PATH_MAX, "%.60s%s%.120s", step, *old && *old != '[' ? "." : "", old);
}

/* libcyaml counts list entries from 1. */
static void backtrace_path(const char *log, char path[OUTLINE_PATH_MAX])
{
	path[0] = '\0';
	const char *line = strstr(log, "Backtrace:");
	for (; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		char step[64];
		unsigned entry;
		if (sscanf(line, " in mapping field '%60[A-Za-z0-9_-]'", step) == 1) {
			prepend(path, step);
		} else if (sscanf(line, " in sequence entry '%u'", &entry) == 1) {
			snprintf(step, sizeof step, "[%u]", entry ? entry - 1 : 0);
			prepend(path, step);
		}
	}
}

static bool unknown_key(const struct outline *o, const char *parent, const char *key, struct error *err)
{
	char path[OUTLINE_PATH_MAX + 64];
	snprintf(path, sizeof path, "%s%s%s", parent, *parent ? "." : "", key);
	const char *near = machine_key_nearest(path);
	if (near)
		return outline_error(o, path, err, "unknown key; did you mean %s?", near);
	return outline_error(o, path, err, "unknown key");
}

static void op_names(char *text, size_t size)
{
	size_t used = (size_t)snprintf(text, size, "a list of operation classes (");
	for (int i = 0; i < CULPRIT_OP_COUNT && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", culprit_op_name(i));
	if (used < size)
		snprintf(text + used, size - used, ")");
}

static void event_names(char *text, size_t size)
{
	size_t used = (size_t)snprintf(text, size, "a list of event classes (");
	for (int i = 0; i < CULPRIT_EVENT_COUNT && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", culprit_event_name(i));
	if (used < size)
		snprintf(text + used, size - used, ")");
}

/* What may stand at a known path. */
static void expected(const char *path, char *text, size_t size)
{
	const char *dot = strrchr(path, '.');
	char section[64] = "";
	if (dot && dot - path < 64)
		memcpy(section, path, (size_t)(dot - path));
	const struct machine_row *row = dot ? machine_row_find(section, dot + 1) : NULL;
	const struct machine_range *range = machine_range_find(path);
	if (row)
		machine_row_expected(row, text, size);
	else if (range)
		snprintf(text, size, "a whole number from %u to %u %s", range->min, range->max, range->unit);
	else if (!strncmp(path, "ideal", 5))
		event_names(text, size);
	else if (dot && strstr(dot, ".ops"))
		op_names(text, size);
	else if (!strcmp(path, "queues") || !strcmp(path, "units"))
		snprintf(text, size, "a list of mappings");
	else if (machine_section_known(path) || (!dot && strchr(path, '['))) /* an entry of queues or units */
		snprintf(text, size, "a mapping of keys");
	else
		snprintf(text, size, "a text");
}

static void found(const struct outline *o, const char *path, char *text, size_t size)
{
	const struct outline_node *node = outline_find(o, path);
	char quoted[64];
	if (!node)
		snprintf(text, size, "something else");
	else if (node->kind == OUTLINE_SEQUENCE)
		snprintf(text, size, "a list");
	else if (node->kind == OUTLINE_MAPPING)
		snprintf(text, size, "a mapping");
	else if (!*node->text)
		snprintf(text, size, "nothing");
	else
		snprintf(text, size, "'%s'", machine_quotable(node->text, quoted));
}

/* The item of a list of words that libcyaml does not know: its own path, for the line. */
static void flag_path(const struct outline *o, const char *flag, char path[OUTLINE_PATH_MAX])
{
	size_t length = strlen(path);
	for (size_t i = 0; i < o->count; i++) {
		const struct outline_node *node = &o->nodes[i];
		if (!strncmp(node->path, path, length) && node->path[length] == '[' && !strcmp(node->text, flag) &&
		    strlen(node->path) < OUTLINE_PATH_MAX) {
			strcpy(path, node->path);
			return;
		}
	}
}

static bool wrong_value(const char *log, const struct outline *o, char path[OUTLINE_PATH_MAX], struct error *err)
{
	char flag[64], want[400], have[80];
	if (after(log, "Unknown flag: ", flag, sizeof flag))
		flag_path(o, flag, path);
	expected(path, want, sizeof want);
	found(o, path, have, sizeof have);
	return outline_error(o, path, err, "expected %s; found %s", want, have);
}

bool machine_file_explain(const char *log, const struct outline *o, struct error *err)
{
	char path[OUTLINE_PATH_MAX], word[64];
	backtrace_path(log, path);
	if (after(log, "Unexpected key: ", word, sizeof word))
		return unknown_key(o, path, word, err);
	if (after(log, "Missing required mapping field: ", word, sizeof word)) {
		char *dot = strrchr(path, '.'); /* the last key that was read */
		if (dot)
			*dot = '\0';
		return outline_error(o, path, err, "the key '%s' is missing", word);
	}
	if (after(log, "Excessive entries (", word, sizeof word)) {
		path[strcspn(path, "[")] = '\0';
		return outline_error(o, path, err, "too many entries: at most %d", atoi(word));
	}
	if (after(log, "STRING length > ", word, sizeof word))
		return outline_error(o, path, err, "longer than %d characters", atoi(word));
	if (after(log, "STRING length < ", word, sizeof word))
		return outline_error(o, path, err, "must not be empty");
	return wrong_value(log, o, path, err);
}
