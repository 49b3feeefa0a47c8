#include "report/code/diff.h"
#include "report/format.h"

#include <stdlib.h>
#include <string.h>

/* --- rows --- */

struct diff_row *diff_row_add(struct diff_table *t)
{
	if (!(t->count & (t->count - 1))) {
		struct diff_row *grown = realloc(t->rows, 2 * (t->count + 1) * sizeof *grown);
		if (!grown)
			return NULL;
		t->rows = grown;
	}
	struct diff_row *row = &t->rows[t->count++];
	memset(row, 0, sizeof *row);
	return row;
}

static int by_key(const void *a, const void *b)
{
	return strcmp(((const struct diff_row *)a)->key, ((const struct diff_row *)b)->key);
}

static uint64_t size_of_change(const struct diff_row *row)
{
	int64_t change = diff_change(row->n);
	return change < 0 ? -(uint64_t)change : (uint64_t)change;
}

static int by_change(const void *a, const void *b)
{
	uint64_t x = size_of_change(a), y = size_of_change(b);
	return x != y ? (x < y ? 1 : -1) : by_key(a, b);
}

static void join(struct diff_row *to, const struct diff_row *from, uint32_t causes)
{
	for (unsigned s = 0; s < DIFF_SIDES; s++) {
		if (!from->has[s])
			continue;
		code_counts_add(&to->n[s], &from->n[s], causes);
		to->object[s] = to->has[s] ? to->object[s] : from->object[s];
		to->line[s] = to->has[s] ? to->line[s] : from->line[s];
		to->has[s] = true;
	}
}

void diff_rows_join(struct diff_table *t, uint32_t causes)
{
	size_t kept = 0;
	if (t->count)
		qsort(t->rows, t->count, sizeof *t->rows, by_key);
	for (size_t i = 0; i < t->count; i++)
		if (kept && !strcmp(t->rows[kept - 1].key, t->rows[i].key))
			join(&t->rows[kept - 1], &t->rows[i], causes);
		else
			t->rows[kept++] = t->rows[i];
	t->count = kept;
}

/* --- functions --- */

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

/* Without a compiler's suffix: horner of horner.constprop.0. */
static int base_length(const char *name)
{
	const size_t length = *name ? 1 + strcspn(name + 1, ".") : 0;
	return length < 199 ? (int)length : 199;
}

void diff_row_name(struct diff_row *row, const struct code_result *r, const struct code_function *f)
{
	const bool own = !strcmp(f->object, last_part(r->program));
	const char *nameless = code_nameless(f), *symbol = nameless ? nameless : f->symbol ? f->symbol : f->name;
	snprintf(row->name, sizeof row->name, "%.*s", nameless ? 199 : base_length(f->name), f->name);
	snprintf(row->key, sizeof row->key, "%.60s:%.*s", own ? "" : f->object, base_length(symbol), symbol);
}

static bool add_functions(struct code_diff *d, unsigned side)
{
	const struct code_result *r = &d->r[side];
	for (size_t i = 0; i < r->code.function_count; i++) {
		const struct code_function *f = &r->code.functions[i];
		struct diff_row *row = diff_row_add(&d->functions);
		if (!row)
			return false;
		diff_row_name(row, r, f);
		row->object[side] = f->object;
		row->n[side] = f->counts;
		row->has[side] = true;
	}
	return true;
}

/* --- costs --- */

static const json_t *term_of(const json_t *breakdown, const char *term)
{
	const json_t *row;
	size_t i;
	json_array_foreach(breakdown, i, row)
	{
		const char *name = json_string_value(json_object_get(row, "term"));
		if (name && !strcmp(name, term))
			return row;
	}
	return NULL;
}

/* The cost of each class by a method; interactions are for graphs of their own. */
static void add_costs(struct code_diff *d, const char *method)
{
	const json_t *all[DIFF_SIDES], *row;
	size_t i;
	for (unsigned s = 0; s < DIFF_SIDES; s++)
		all[s] = json_object_get(json_object_get(d->root[s], method), "breakdown");
	json_array_foreach(all[DIFF_A], i, row)
	{
		const char *term = json_string_value(json_object_get(row, "term"));
		const char *kind = json_string_value(json_object_get(row, "kind"));
		const json_t *other = term ? term_of(all[DIFF_B], term) : NULL;
		if (!other || !kind || strcmp(kind, "single") != 0 || d->cost_count == DIFF_COSTS_MAX)
			continue;
		d->costs[d->cost_count++] =
			(struct diff_cost){.method = method,
					   .term = term,
					   .percent = {json_number_value(json_object_get(row, "percent")),
						       json_number_value(json_object_get(other, "percent"))},
					   .interval = {json_number_value(json_object_get(row, "interval")),
							json_number_value(json_object_get(other, "interval"))}};
	}
}

bool diff_is_noise(const struct code_diff *d, const struct diff_cost *c)
{
	double scale[DIFF_SIDES], change, error = 0;
	for (unsigned s = 0; s < DIFF_SIDES; s++) {
		scale[s] = (double)d->r[s].cycles;
		error += c->interval[s] * scale[s];
	}
	change = c->percent[DIFF_B] * scale[DIFF_B] - c->percent[DIFF_A] * scale[DIFF_A];
	return error > 0 && (change < 0 ? -change : change) <= error;
}

/* --- the whole --- */

int64_t diff_change(const struct code_counts n[DIFF_SIDES])
{
	return (int64_t)(n[DIFF_B].cycles - n[DIFF_A].cycles);
}

uint32_t diff_mostly(const struct code_diff *d, const struct code_counts n[DIFF_SIDES])
{
	uint32_t most = UINT32_MAX;
	int64_t largest = 0;
	const int sign = diff_change(n) < 0 ? -1 : 1;
	for (uint32_t i = 0; i < d->r[DIFF_A].code.cause_count; i++) {
		int64_t change = sign * (int64_t)(n[DIFF_B].causes[i] - n[DIFF_A].causes[i]);
		if (change > largest) {
			largest = change;
			most = i;
		}
	}
	return most;
}

void diff_totals(const struct code_diff *d, struct code_counts n[DIFF_SIDES])
{
	for (unsigned s = 0; s < DIFF_SIDES; s++) {
		const struct code *c = &d->r[s].code;
		n[s] = (struct code_counts){.cycles = c->outside};
		for (size_t i = 0; i < c->function_count; i++)
			code_counts_add(&n[s], &c->functions[i].counts, c->cause_count);
	}
}

static bool same_causes(const struct code_diff *d, struct error *err)
{
	const struct code *a = &d->r[DIFF_A].code, *b = &d->r[DIFF_B].code;
	bool same = a->cause_count == b->cause_count;
	for (uint32_t i = 0; same && i < a->cause_count; i++)
		same = !strcmp(a->causes[i], b->causes[i]);
	return same || error_set(err, ERROR_INPUT,
				 "%s and %s do not know the same causes: versions of culprit made them that "
				 "cannot be compared",
				 d->path[DIFF_A], d->path[DIFF_B]);
}

bool code_diff_make(struct code_diff *d, struct error *err)
{
	for (unsigned s = 0; s < DIFF_SIDES; s++)
		TRY(code_result_take(&d->r[s], d->root[s], d->path[s], err));
	TRY(same_causes(d, err));
	const uint32_t causes = d->r[DIFF_A].code.cause_count;
	for (unsigned s = 0; s < DIFF_SIDES; s++)
		if (!add_functions(d, s) || !diff_add_lines(d, s))
			return error_set(err, ERROR_SYSTEM, "out of memory for the comparison");
	diff_rows_join(&d->functions, causes);
	diff_rows_join(&d->lines, causes);
	if (d->functions.count)
		qsort(d->functions.rows, d->functions.count, sizeof *d->functions.rows, by_change);
	if (d->lines.count)
		qsort(d->lines.rows, d->lines.count, sizeof *d->lines.rows, by_change);
	add_costs(d, "graph");
	add_costs(d, "shotgun");
	return diff_compare_setups(d, err);
}

bool code_diff_read(struct code_diff *d, const char *a, const char *b, struct error *err)
{
	d->path[DIFF_A] = a;
	d->path[DIFF_B] = b;
	for (unsigned s = 0; s < DIFF_SIDES; s++)
		TRY(format_read_json(&d->root[s], d->path[s], err));
	return code_diff_make(d, err);
}

void code_diff_destroy(struct code_diff *d)
{
	for (unsigned s = 0; s < DIFF_SIDES; s++) {
		code_result_destroy(&d->r[s]);
		json_decref(d->root[s]);
	}
	free(d->functions.rows);
	free(d->lines.rows);
	free(d->settings);
	comparison_destroy(&d->setup);
}
