#include "report/code/diff.h"

#include "report/code/annotate.h"
#include "report/format.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* --- rows --- */

/* Room in a table that grows. NULL: no memory. */
static struct diff_row *add_row(struct diff_table *t)
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

/* Rows of the same key become one. */
static void join_rows(struct diff_table *t, uint32_t causes)
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

/* A compiler's copies and parts of a function are that function. The program's own file may have another name in the
 * other run. */
static void name_row(struct diff_row *row, const struct code_result *r, const struct code_function *f)
{
	const bool own = !strcmp(f->object, last_part(r->program));
	const char *symbol = f->symbol ? f->symbol : f->name;
	snprintf(row->name, sizeof row->name, "%.*s", base_length(f->name), f->name);
	snprintf(row->key, sizeof row->key, "%.60s:%.*s", own ? "" : f->object, base_length(symbol), symbol);
}

static bool add_functions(struct code_diff *d, unsigned side)
{
	const struct code_result *r = &d->r[side];
	for (size_t i = 0; i < r->code.function_count; i++) {
		const struct code_function *f = &r->code.functions[i];
		struct diff_row *row = add_row(&d->functions);
		if (!row)
			return false;
		name_row(row, r, f);
		row->object[side] = f->object;
		row->n[side] = f->counts;
		row->has[side] = true;
	}
	return true;
}

/* --- lines --- */

static int by_text(const void *a, const void *b)
{
	const struct diff_row *x = a, *y = b;
	int order = strcmp(x->key, y->key);
	if (order || !x->text || !y->text)
		return order ? order : !x->text - !y->text;
	order = strcmp(x->text, y->text);
	unsigned side = x->has[DIFF_A] ? DIFF_A : DIFF_B;
	return order ? order : (x->line[side] > y->line[side]) - (x->line[side] < y->line[side]);
}

static const char *trimmed(const char *text)
{
	return text ? text + strspn(text, " ") : NULL;
}

/* Rows for the lines of a function, keyed by function, file and number; a line may have several. */
static bool add_lines(struct diff_table *t, const struct code_result *r, const struct code_function *f, unsigned side)
{
	const struct code *c = &r->code;
	uint32_t file, line, last_file = CODE_NONE, last_line = 0;
	struct diff_row *row = NULL;
	for (size_t i = 0; i < f->count; i++) {
		const struct code_insn *n = &f->insns[i];
		if (!n->counts.executions)
			continue;
		code_own_line(c, n, &file, &line);
		if (row && file == last_file && line == last_line) {
			code_counts_add(&row->n[side], &n->counts, c->cause_count);
			continue;
		}
		if (!(row = add_row(t)))
			return false;
		last_file = file;
		last_line = line;
		name_row(row, r, f);
		size_t used = strlen(row->key);
		snprintf(row->key + used, sizeof row->key - used, ":%.60s:%08" PRIu32, code_file_name(c, file), line);
		row->file = file == CODE_NONE ? NULL : code_file_name(c, file);
		row->text = trimmed(code_source(c, file, line));
		row->text = row->text && *row->text ? row->text : NULL;
		row->line[side] = line;
		row->object[side] = f->object;
		row->n[side] = n->counts;
		row->has[side] = true;
	}
	return true;
}

/* Where the text is known it stands for the number: of the same text in a function and file the first matches the
 * first, and so on. */
static void key_by_text(struct diff_table *t)
{
	unsigned again = 0;
	char before[sizeof t->rows->key] = "";
	for (size_t i = 0; i < t->count; i++)
		if (t->rows[i].text)
			*strrchr(t->rows[i].key, ':') = 0; /* its number goes */
	if (t->count)
		qsort(t->rows, t->count, sizeof *t->rows, by_text);
	for (size_t i = 0; i < t->count; i++) {
		struct diff_row *row = &t->rows[i];
		if (!row->text)
			continue;
		bool same = i && t->rows[i - 1].text && !strcmp(before, row->key) &&
			    !strcmp(t->rows[i - 1].text, row->text);
		again = same ? again + 1 : 0;
		snprintf(before, sizeof before, "%s", row->key);
		size_t used = strlen(row->key);
		snprintf(row->key + used, sizeof row->key - used, ":%.120s:%u", row->text, again);
	}
}

/* Has the other run this function, but not its instructions? Then its lines cannot be compared. */
static bool is_bare(const struct code_diff *d, unsigned other, const char *key)
{
	const struct code_result *r = &d->r[other];
	for (size_t i = 0; i < r->code.function_count; i++) {
		struct diff_row row;
		const struct code_function *f = &r->code.functions[i];
		if (f->count)
			continue;
		name_row(&row, r, f);
		if (!strcmp(row.key, key))
			return true;
	}
	return false;
}

static bool add_side(struct code_diff *d, unsigned side)
{
	const struct code_result *r = &d->r[side];
	struct diff_table t = {NULL, 0};
	bool good = true;
	for (size_t i = 0; good && i < r->code.function_count; i++) {
		struct diff_row name;
		name_row(&name, r, &r->code.functions[i]);
		d->lines_left_out |= !r->code.functions[i].count;
		if (r->code.functions[i].count && !is_bare(d, !side, name.key))
			good = add_lines(&t, r, &r->code.functions[i], side);
	}
	join_rows(&t, r->code.cause_count);
	key_by_text(&t);
	for (size_t i = 0; good && i < t.count; i++) {
		struct diff_row *row = add_row(&d->lines);
		good = row != NULL;
		if (row)
			*row = t.rows[i];
	}
	free(t.rows);
	return good;
}

/* --- what else differs --- */

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

static void compare_setups(struct code_diff *d)
{
	json_t *a = setup_of(d->root[DIFF_A]), *b = setup_of(d->root[DIFF_B]);
	compare_results(&d->setup, a, b);
	json_decref(a);
	json_decref(b);
}

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
		if (!add_functions(d, s) || !add_side(d, s))
			return error_set(err, ERROR_SYSTEM, "out of memory for the comparison");
	join_rows(&d->functions, causes);
	join_rows(&d->lines, causes);
	if (d->functions.count)
		qsort(d->functions.rows, d->functions.count, sizeof *d->functions.rows, by_change);
	if (d->lines.count)
		qsort(d->lines.rows, d->lines.count, sizeof *d->lines.rows, by_change);
	compare_setups(d);
	add_costs(d, "graph");
	add_costs(d, "shotgun");
	return true;
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
}
