/* Rows of the analysis summed up by function and by source line. Where an object has no symbols, functions begin where
 * calls have gone, as in the profile. */
#include "report/critical/report.h"
#include "report/format.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* One static instruction with its names. */
struct named {
	struct culprit_critical_row row;
	struct symbol_place place;
	struct line_place line;
};

/* What was seen of one instruction in watched windows stands for all of it: per execution, per cycle of the path. */
static void estimate(struct critical_entry *e, const struct culprit_critical_row *row)
{
	double executions = format_ratio((double)row->executions, (double)row->watched);
	e->tied += (double)row->tied * format_ratio((double)row->path, (double)row->watched_path);
	e->cost += (double)row->cost * executions;
	e->saved += (double)row->saved * executions;
}

static void add(struct culprit_critical_row *sum, const struct culprit_critical_row *row)
{
	for (unsigned k = 0; k < CULPRIT_CRITICAL_KINDS; k++)
		sum->cycles[k] += row->cycles[k];
	sum->executions += row->executions;
	sum->path += row->path;
	sum->watched += row->watched;
	sum->visits += row->visits;
	sum->zero_slack += row->zero_slack;
	sum->slack_sum += row->slack_sum;
	sum->slack_min = row->slack_min < sum->slack_min ? row->slack_min : sum->slack_min;
}

static int by_pc(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	return (x->row.pc > y->row.pc) - (x->row.pc < y->row.pc);
}

static int by_line(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	if (!x->line.file || !y->line.file)
		return !x->line.file - !y->line.file;
	int order = strcmp(x->line.file, y->line.file);
	if (order)
		return order;
	return x->line.line != y->line.line ? (x->line.line > y->line.line) - (x->line.line < y->line.line)
					    : by_pc(a, b);
}

static int by_path(const void *a, const void *b)
{
	const struct critical_entry *x = a, *y = b;
	if (x->sum.path != y->sum.path)
		return x->sum.path < y->sum.path ? 1 : -1;
	if (x->sum.executions != y->sum.executions)
		return x->sum.executions < y->sum.executions ? 1 : -1;
	return (x->sum.pc > y->sum.pc) - (x->sum.pc < y->sum.pc);
}

/* --- names --- */

static void name_line(char *text, size_t size, const struct line_place *line)
{
	if (!line->file)
		return;
	const char *slash = strrchr(line->file, '/');
	snprintf(text, size, "%s:%" PRIu32, slash ? slash + 1 : line->file, line->line);
}

static void name_function(struct critical_entry *e, const struct named *n)
{
	snprintf(e->where, sizeof e->where, "%s", symbol_place_object(&n->place));
	symbol_place_name(&n->place, e->name, sizeof e->name);
}

static void name_source(struct critical_entry *e, const struct named *n)
{
	name_line(e->name, sizeof e->name, &n->line);
	snprintf(e->where, sizeof e->where, "%s", n->line.file);
}

static void name_instruction(struct critical_entry *e, const struct named *n)
{
	symbol_place_text(&n->place, e->where, sizeof e->where);
	name_line(e->line, sizeof e->line, &n->line);
}

/* --- tables --- */

static bool starts_function(const struct named *n, const struct named *before)
{
	return symbol_place_begins(&n->place, &before->place, n->row.calls != 0);
}

static bool starts_line(const struct named *n, const struct named *before)
{
	return !before->line.file || n->line.line != before->line.line || strcmp(n->line.file, before->line.file) != 0;
}

static bool starts_always(const struct named *n, const struct named *before)
{
	return true;
}

/* Neighbours that belong together become one entry. */
static bool fold(struct critical_table *t, const struct named *all, size_t n, size_t rows,
		 bool (*starts)(const struct named *, const struct named *),
		 void (*name)(struct critical_entry *, const struct named *))
{
	t->entries = calloc(n + 1, sizeof *t->entries);
	if (!t->entries)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (i == 0 || starts(&all[i], &all[i - 1])) {
			struct critical_entry *e = &t->entries[t->all++];
			e->sum.pc = all[i].row.pc;
			e->sum.slack_min = UINT32_MAX;
			name(e, &all[i]);
		}
		add(&t->entries[t->all - 1].sum, &all[i].row);
		estimate(&t->entries[t->all - 1], &all[i].row);
	}
	qsort(t->entries, t->all, sizeof *t->entries, by_path);
	t->count = rows && rows < t->all ? rows : t->all;
	struct critical_entry *listed = realloc(t->entries, (t->count + 1) * sizeof *listed);
	t->entries = listed ? listed : t->entries;
	return true;
}

static struct named *name_rows(const struct critical_report *r, const struct culprit_critical *c,
			       const struct symbols *symbols, const struct lines *lines)
{
	struct named *all = calloc(r->totals.rows + 1, sizeof *all);
	for (size_t i = 0; all && culprit_critical_row(c, i, &all[i].row); i++) {
		all[i].place = symbols_find(symbols, all[i].row.pc);
		all[i].line = lines_find(lines, all[i].row.pc);
	}
	return all;
}

static void name_step(struct critical_entry *e, const struct named *n)
{
	e->sum = n->row;
	estimate(e, &n->row);
	name_instruction(e, n);
}

static bool fold_loop(struct critical_report *r, const struct culprit_critical *c, const struct named *all,
		      const struct symbols *symbols)
{
	r->has_loop = culprit_critical_hottest(c, &r->loop);
	const struct symbol_place end = symbols_find(symbols, r->loop.end);
	symbol_place_text(&end, r->loop_end, sizeof r->loop_end);
	r->chain = calloc(r->loop.steps + 1, sizeof *r->chain);
	if (!r->chain)
		return false;
	for (size_t i = 0; i < r->totals.rows; i++)
		r->tied += (double)all[i].row.tied *
			   format_ratio((double)all[i].row.path, (double)all[i].row.watched_path);
	for (size_t i = 0; i < r->loop.steps; i++)
		name_step(&r->chain[i], &all[r->loop.chain[i].row]);
	for (size_t i = 0; r->has_loop && i < r->totals.rows; i++)
		if (all[i].row.pc == r->loop.first)
			name_step(&r->loop_place, &all[i]);
	return true;
}

static size_t with_lines(const struct named *all, size_t n)
{
	size_t known = 0;
	while (known < n && all[known].line.file)
		known++;
	return known;
}

bool critical_fold(struct critical_report *r, const struct culprit_critical *c, const struct symbols *symbols,
		   const struct lines *lines, size_t rows, struct error *err)
{
	size_t n = r->totals.rows;
	struct named *all = name_rows(r, c, symbols, lines);
	bool good = all && fold_loop(r, c, all, symbols);
	if (good) {
		qsort(all, n, sizeof *all, by_pc);
		good = fold(&r->functions, all, n, rows, starts_function, name_function) &&
		       fold(&r->instructions, all, n, rows, starts_always, name_instruction);
	}
	if (good) {
		qsort(all, n, sizeof *all, by_line);
		good = fold(&r->lines, all, with_lines(all, n), rows, starts_line, name_source);
	}
	free(all);
	return good || error_set(err, ERROR_SYSTEM, "out of memory for the report");
}

void critical_report_destroy(struct critical_report *r)
{
	free(r->functions.entries);
	free(r->lines.entries);
	free(r->instructions.entries);
	free(r->chain);
}
