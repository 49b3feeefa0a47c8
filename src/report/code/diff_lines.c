/* Lines of two runs: by function, file and text; of the same text the first matches the first, and so on. Instructions
 * without lines match by their offset. */
#include "report/code/annotate.h"
#include "report/code/diff.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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

/* A row for the line that an instruction belongs to, keyed by function, file and number. */
static void name_line(struct diff_row *row, const struct code *c, uint32_t file, uint32_t line, unsigned side)
{
	const size_t used = strlen(row->key);
	snprintf(row->key + used, sizeof row->key - used, ":%.60s:%08" PRIu32, code_file_name(c, file), line);
	row->file = code_file_name(c, file);
	row->text = trimmed(code_source(c, file, line));
	row->text = row->text && *row->text ? row->text : NULL;
	row->line[side] = line;
}

/* Without lines each instruction is a row, as it is a place on the first screen. What another instruction has taken the
 * place of is another row. */
static void name_insn(struct diff_row *row, const struct code_function *f, const struct code_insn *n)
{
	const size_t used = strlen(row->key);
	code_place(f, n->pc, row->place, sizeof row->place);
	snprintf(row->key + used, sizeof row->key - used, "::%08" PRIx64 " %.*s", code_offset(f, n->pc),
		 (int)(strcspn(n->text, " ") & 63), n->text);
	row->insn = n->text;
}

/* Rows for the lines of a function; a line may have several. */
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
		if (row && file != CODE_NONE && file == last_file && line == last_line) {
			code_counts_add(&row->n[side], &n->counts, c->cause_count);
			continue;
		}
		if (!(row = diff_row_add(t)))
			return false;
		last_file = file;
		last_line = line;
		diff_row_name(row, r, f);
		if (file == CODE_NONE)
			name_insn(row, f, n);
		else
			name_line(row, c, file, line, side);
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
		diff_row_name(&row, r, f);
		if (!strcmp(row.key, key))
			return true;
	}
	return false;
}

bool diff_add_lines(struct code_diff *d, unsigned side)
{
	const struct code_result *r = &d->r[side];
	struct diff_table t = {NULL, 0};
	bool good = true;
	for (size_t i = 0; good && i < r->code.function_count; i++) {
		struct diff_row name;
		diff_row_name(&name, r, &r->code.functions[i]);
		d->lines_left_out |= !r->code.functions[i].count;
		if (r->code.functions[i].count && !is_bare(d, !side, name.key))
			good = add_lines(&t, r, &r->code.functions[i], side);
	}
	diff_rows_join(&t, r->code.cause_count);
	key_by_text(&t);
	for (size_t i = 0; good && i < t.count; i++) {
		struct diff_row *row = diff_row_add(&d->lines);
		good = row != NULL;
		if (row)
			*row = t.rows[i];
	}
	free(t.rows);
	return good;
}
