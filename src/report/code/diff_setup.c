/* In what two runs differ besides their cycles. What was run comes first; then the machine's keys, those first that act
 * on the causes that changed most. */
#include "report/code/diff.h"

#include <stdlib.h>
#include <string.h>

/* What the runs were of: no output options, no paths of libraries; the machine's keys, not what is said of them. */
static json_t *setup_of(const json_t *root)
{
	static const char *const options[] = {"skip",	 "warmup", "max-insns", "start-at",
					      "stop-at", "env",	   "guest-seed"};
	const json_t *p = json_object_get(root, "provenance"), *given = json_object_get(p, "options");
	json_t *all = json_object();
	json_t *machine = json_copy(json_object_get(p, "machine"));
	json_object_del(machine, "validated");
	json_object_del(machine, "description");
	json_object_set_new(all, "machine", machine);
	json_object_set(all, "arguments", json_object_get(p, "arguments"));
	for (size_t i = 0; i < sizeof options / sizeof *options; i++)
		json_object_set(all, options[i], json_object_get(given, options[i]));
	const json_t *program = json_array_get(json_object_get(p, "files"), 0);
	json_object_set(all, "program.sha256", json_object_get(program, "sha256"));
	return all;
}

/* --- their order --- */

static const struct {
	const char *cause, *prefix;
} rows[] = {
#define CAUSE_KEY(cause, prefix) {#cause, prefix},
#include "report/code/cause_key.def"
};
enum { ROWS = sizeof rows / sizeof *rows };

static uint32_t cause_of(const struct code *c, const char *name)
{
	uint32_t i = 0;
	while (i < c->cause_count && strcmp(c->causes[i], name) != 0)
		i++;
	return i;
}

/* Of the causes that a key acts on the one that changed most; of its rows the first. */
static void find_cause(struct diff_setting *s, const struct code_diff *d, const struct code_counts n[DIFF_SIDES])
{
	static const char machine[] = "machine.";
	const char *key = s->difference->place;
	const size_t length = sizeof machine - 1;
	s->cause = UINT32_MAX;
	s->is_key = !strncmp(key, machine, length);
	for (uint32_t i = 0; s->is_key && i < ROWS; i++) {
		const uint32_t cause = cause_of(&d->r[DIFF_A].code, rows[i].cause);
		if (cause == d->r[DIFF_A].code.cause_count ||
		    strncmp(key + length, rows[i].prefix, strlen(rows[i].prefix)) != 0)
			continue;
		const int64_t change = (int64_t)(n[DIFF_B].causes[cause] - n[DIFF_A].causes[cause]);
		const uint64_t size = change < 0 ? -(uint64_t)change : (uint64_t)change;
		if (size > s->change) {
			s->change = size;
			s->cause = cause;
			s->row = i;
		}
	}
}

static int by_cause(const void *a, const void *b)
{
	const struct diff_setting *x = a, *y = b;
	if (x->is_key != y->is_key)
		return x->is_key - y->is_key;
	if (x->change != y->change)
		return x->change < y->change ? 1 : -1;
	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	return (x->difference > y->difference) - (x->difference < y->difference); /* as in the file */
}

static bool order(struct code_diff *d, struct error *err)
{
	struct code_counts n[DIFF_SIDES];
	diff_totals(d, n);
	d->settings = calloc(d->setup.kept_count + 1, sizeof *d->settings);
	if (!d->settings)
		return error_set(err, ERROR_SYSTEM, "out of memory for the differences");
	for (size_t i = 0; i < d->setup.kept_count; i++) {
		d->settings[i].difference = &d->setup.kept[i];
		find_cause(&d->settings[i], d, n);
	}
	qsort(d->settings, d->setup.kept_count, sizeof *d->settings, by_cause);
	return true;
}

bool diff_compare_setups(struct code_diff *d, struct error *err)
{
	json_t *a = setup_of(d->root[DIFF_A]), *b = setup_of(d->root[DIFF_B]);
	const bool good = compare_results(&d->setup, a, b, COMPARE_ALL, err);
	json_decref(a);
	json_decref(b);
	return good && order(d, err);
}
