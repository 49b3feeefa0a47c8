/* The keys that are searched: all numbers and words of machine.def, latencies and intervals of operations that the
 * machine has, entries of its queues, counts of its units. What is not searched: page and line sizes, which
 * programs are laid out for. */
#include "fit/fit.h"

#include "base/nearest.h"
#include "culprit/record.h"

#include <stdlib.h>
#include <string.h>

static bool searched(const struct machine_row *row)
{
	return strcmp(row->name, "page") && strcmp(row->name, "line");
}

/* One more key of the machine. */
static bool add(struct fit_keys *k, const char *section, const char *middle, const char *name,
		const struct machine_row *row, uint32_t min, uint32_t max)
{
	if (k->count == FIT_KEYS_MAX)
		return false;
	struct fit_key *key = &k->keys[k->count++];
	*key = (struct fit_key){.row = row, .min = min, .max = max};
	snprintf(key->name, sizeof key->name, "%s.%s%s%s", section, middle, *middle ? "." : "", name);
	return true;
}

static void add_all(struct fit_keys *k, const struct machine *m)
{
	for (size_t i = 0; i < machine_row_count; i++)
		if (searched(&machine_rows[i]))
			add(k, machine_rows[i].section, "", machine_rows[i].name, &machine_rows[i], machine_rows[i].min,
			    machine_rows[i].max);
	for (int op = 0; op < CULPRIT_OP_COUNT; op++) {
		add(k, "latency", "", culprit_op_name(op), NULL, machine_range_find("latency.load")->min,
		    MACHINE_OP_MAX);
		add(k, "interval", "", culprit_op_name(op), NULL, 1, MACHINE_OP_MAX);
	}
	for (uint32_t i = 0; i < m->queue_count; i++)
		add(k, "queues", m->queues[i].name, "entries", NULL, 0, MACHINE_QUEUE_ENTRIES_MAX);
	for (uint32_t i = 0; i < m->unit_count; i++)
		add(k, "units", m->units[i].name, "count", NULL, 1, MACHINE_UNIT_COUNT_MAX);
}

/* Is the key `word`, or one of the section `word`? */
static bool names(const char *word, size_t length, const char *key)
{
	return !strncmp(word, key, length) && (!key[length] || key[length] == '.');
}

static bool unknown(const struct fit_keys *k, const char *word, size_t length, struct error *err)
{
	struct nearest near;
	const int shown = length < 60 ? (int)length : 60;
	for (size_t i = 0; i < machine_row_count; i++) {
		const struct machine_row *row = &machine_rows[i];
		char name[FIT_NAME_MAX];
		snprintf(name, sizeof name, "%s.%s", row->section, row->name);
		if (!searched(row) && length == strlen(name) && !strncmp(word, name, length))
			return error_set(err, ERROR_USAGE,
					 "--keys: %.*s cannot be fitted: kernels are laid out for one size of %ss",
					 shown, word, row->name);
	}
	nearest_begin(&near, word, length);
	for (size_t i = 0; i < k->count; i++)
		nearest_consider(&near, k->keys[i].name);
	return error_set(err, ERROR_USAGE, "--keys: '%.*s' is neither a key nor a section of keys that can be fitted%s",
			 shown, word, nearest_hint(&near));
}

/* Keep what the list names; each of its words must name something. */
static bool keep(struct fit_keys *k, const char *list, struct error *err)
{
	bool *kept = calloc(k->count, sizeof *kept);
	if (!kept)
		return error_set(err, ERROR_SYSTEM, "out of memory for the keys");
	bool good = true;
	for (const char *word = list; good && word; word = strchr(word, ',') ? strchr(word, ',') + 1 : NULL) {
		size_t length = strcspn(word, ",");
		bool found = false;
		for (size_t i = 0; length && i < k->count; i++)
			if (names(word, length, k->keys[i].name))
				found = kept[i] = true;
		if (!found)
			good = unknown(k, word, length, err);
	}
	size_t count = 0;
	for (size_t i = 0; i < k->count; i++)
		if (kept[i])
			k->keys[count++] = k->keys[i];
	k->count = count;
	free(kept);
	return good;
}

bool fit_keys_create(struct fit_keys *k, const struct machine *m, const char *list, size_t kernels, struct error *err)
{
	k->keys = calloc(FIT_KEYS_MAX, sizeof *k->keys);
	if (!k->keys)
		return error_set(err, ERROR_SYSTEM, "out of memory for the keys");
	add_all(k, m);
	if (list)
		TRY(keep(k, list, err));
	for (size_t i = 0; i < k->count; i++) {
		k->keys[i].family = calloc(kernels, sizeof *k->keys[i].family);
		k->keys[i].value = k->keys[i].proposed = fit_key_get(&k->keys[i], m);
		if (!k->keys[i].family)
			return error_set(err, ERROR_SYSTEM, "out of memory for the keys");
	}
	return true;
}

void fit_keys_destroy(struct fit_keys *k)
{
	for (size_t i = 0; i < k->count; i++)
		free(k->keys[i].family);
	free(k->keys);
}

/* The middle of "queues.NAME.entries". */
static bool in_the_middle(const char *key, const char *name)
{
	const char *from = strchr(key, '.') + 1, *to = strrchr(key, '.');
	return (size_t)(to - from) == strlen(name) && !strncmp(from, name, (size_t)(to - from));
}

static uint32_t get_from_lists(const char *key, const struct machine *m)
{
	const char *last = strrchr(key, '.') + 1;
	if (!strncmp(key, "latency.", 8))
		return m->latency[machine_op_find(last)];
	if (!strncmp(key, "interval.", 9))
		return m->interval[machine_op_find(last)];
	for (uint32_t i = 0; i < m->queue_count; i++)
		if (!strncmp(key, "queues.", 7) && in_the_middle(key, m->queues[i].name))
			return m->queues[i].entries;
	for (uint32_t i = 0; i < m->unit_count; i++)
		if (!strncmp(key, "units.", 6) && in_the_middle(key, m->units[i].name))
			return m->units[i].count;
	return 0;
}

uint32_t fit_key_get(const struct fit_key *key, const struct machine *m)
{
	return key->row ? machine_row_get(m, key->row) : get_from_lists(key->name, m);
}

void fit_key_text(const struct fit_key *key, uint32_t value, char *text, size_t size)
{
	char number[16];
	if (key->row)
		snprintf(text, size, "%s=%s", key->name, machine_row_text(key->row, value, number));
	else
		snprintf(text, size, "%s=%u", key->name, value);
}

bool fit_key_put(const struct fit_key *key, struct machine *m, uint32_t value)
{
	char text[2 * FIT_NAME_MAX];
	struct error ignored;
	struct machine changed = *m;
	fit_key_text(key, value, text, sizeof text);
	if (!machine_set(&changed, text, &ignored) || !machine_check(&changed, "", &ignored))
		return false;
	*m = changed;
	return true;
}

static void offer(const struct fit_key *key, uint32_t value, int64_t other, uint32_t values[FIT_VALUES_MAX],
		  size_t *count)
{
	if (other < (int64_t)key->min || other > (int64_t)key->max || other == (int64_t)value ||
	    *count == FIT_VALUES_MAX)
		return;
	for (size_t i = 0; i < *count; i++)
		if (values[i] == (uint32_t)other)
			return;
	values[(*count)++] = (uint32_t)other;
}

size_t fit_key_values(const struct fit_key *key, uint32_t value, bool probe, uint32_t values[FIT_VALUES_MAX])
{
	static const int64_t from_nothing[] = {1, 2, 4, 8, 16, 32, 64};
	size_t count = 0;
	int64_t v = value;
	if (key->row && key->row->kind != MACHINE_KIND_UINT) {
		for (uint32_t word = key->min; word <= key->max; word++)
			offer(key, value, word, values, &count);
		return count;
	}
	if (!value) {
		for (size_t i = probe ? 2 : 0; i < sizeof from_nothing / sizeof *from_nothing; i += probe ? 2 : 1)
			offer(key, value, from_nothing[i], values, &count);
		return count;
	}
	const int64_t far[] = {2 * v + (v < 4), v / 2};
	const int64_t near[] = {v - 1, v + 1, v - v / 8, v + v / 8, v - v / 4, v + v / 4, 0};
	for (size_t i = 0; i < sizeof far / sizeof *far; i++)
		offer(key, value, far[i], values, &count);
	for (size_t i = 0; !probe && i < sizeof near / sizeof *near; i++)
		offer(key, value, near[i], values, &count);
	return count;
}
