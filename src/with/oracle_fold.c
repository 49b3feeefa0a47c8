/* The oracle's rows, one for each instruction and set of events, summed up by instruction, by function, by source
 * line and for the run. Rows are sorted so that those of one sum are neighbours. */
#include "with/oracle_fold.h"

#include "with/places.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

_Static_assert((int)ORACLE_REPORT_PARTS == (int)ORACLE_PARTS && (int)ORACLE_REPORT_CASES == (int)ORACLE_CASES &&
		       (int)ORACLE_REPORT_EVENTS == (int)ORACLE_EVENTS,
	       "the report has what the oracle has");

struct named {
	const struct oracle_row *row;
	struct symbol_place place;
	struct line_place line;
	bool entry; /* of any row of its pc */
};

/* --- names --- */

static void name_line(char *text, size_t size, const struct line_place *line)
{
	const char *slash = line->file ? strrchr(line->file, '/') : NULL;
	*text = 0;
	if (line->file)
		snprintf(text, size, "%s:%" PRIu32, slash ? slash + 1 : line->file, line->line);
}

static void name_function(struct oracle_entry *e, const struct named *n, const struct analysis_code *code)
{
	(void)code;
	snprintf(e->where, sizeof e->where, "%s", symbol_place_object(&n->place));
	symbol_place_name(&n->place, e->name, sizeof e->name);
}

static void name_source(struct oracle_entry *e, const struct named *n, const struct analysis_code *code)
{
	(void)code;
	name_line(e->name, sizeof e->name, &n->line);
	snprintf(e->where, sizeof e->where, "%s", n->line.file);
}

static void name_instruction(struct oracle_entry *e, const struct named *n, const struct analysis_code *code)
{
	symbol_place_text(&n->place, e->where, sizeof e->where);
	name_line(e->line, sizeof e->line, &n->line);
	places_disassemble(code, n->row->pc, e->name, sizeof e->name);
}

static void name_nothing(struct oracle_entry *e, const struct named *n, const struct analysis_code *code)
{
	(void)e, (void)n, (void)code;
}

/* --- neighbours --- */

static bool starts_never(const struct named *n, const struct named *before)
{
	return false;
}

static bool starts_function(const struct named *n, const struct named *before)
{
	return n->row->pc != before->row->pc && symbol_place_begins(&n->place, &before->place, n->entry);
}

static bool starts_line(const struct named *n, const struct named *before)
{
	return n->line.line != before->line.line || strcmp(n->line.file, before->line.file) != 0;
}

static bool starts_instruction(const struct named *n, const struct named *before)
{
	return n->row->pc != before->row->pc;
}

static int by_line(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	if (!x->line.file || !y->line.file)
		return !x->line.file - !y->line.file;
	int order = strcmp(x->line.file, y->line.file);
	if (order)
		return order;
	if (x->line.line != y->line.line)
		return x->line.line < y->line.line ? -1 : 1;
	return (x->row > y->row) - (x->row < y->row);
}

static int by_parts(const void *a, const void *b)
{
	const struct oracle_entry *x = a, *y = b;
	if (x->parts != y->parts)
		return x->parts < y->parts ? 1 : -1;
	return (x->pc > y->pc) - (x->pc < y->pc);
}

static int by_set(const void *a, const void *b)
{
	const struct oracle_set *x = a, *y = b;
	if (x->parts != y->parts)
		return x->parts < y->parts ? 1 : -1;
	return (x->events > y->events) - (x->events < y->events);
}

/* --- sums --- */

struct kind {
	bool (*starts)(const struct named *, const struct named *);
	void (*name)(struct oracle_entry *, const struct named *, const struct analysis_code *);
};

static void add(struct oracle_entry *e, const struct oracle_row *row)
{
	size_t at = 0;
	e->executions += row->executions;
	e->parts += oracle_parts(row);
	for (unsigned i = 0; i < ORACLE_CASES; i++)
		e->by_case[i] += row->parts[i];
	while (at < e->set_count && e->sets[at].events != row->events)
		at++;
	e->sets[at].events = row->events;
	e->sets[at].parts += oracle_parts(row);
	e->set_count += at == e->set_count;
}

static bool fold(struct oracle_table *t, const struct named *all, size_t n, size_t listed, const struct kind *kind,
		 const struct analysis_code *code)
{
	t->entries = calloc(n + 1, sizeof *t->entries);
	t->sets = calloc(n + 1, sizeof *t->sets);
	if (!t->entries || !t->sets)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (i == 0 || kind->starts(&all[i], &all[i - 1])) {
			struct oracle_entry *e = &t->entries[t->all++];
			e->pc = all[i].row->pc;
			e->sets = t->sets + i; /* no more sets than rows */
			kind->name(e, &all[i], code);
		}
		add(&t->entries[t->all - 1], all[i].row);
	}
	for (size_t i = 0; i < t->all; i++)
		qsort(t->entries[i].sets, t->entries[i].set_count, sizeof *t->sets, by_set);
	if (t->all)
		qsort(t->entries, t->all, sizeof *t->entries, by_parts);
	t->count = listed < t->all ? listed : t->all;
	struct oracle_entry *fewer = realloc(t->entries, (t->count + 1) * sizeof *fewer);
	t->entries = fewer ? fewer : t->entries;
	return true;
}

static struct named *name_rows(const struct oracle *o, const struct analysis_totals *totals)
{
	struct named *all = calloc(o->count + 1, sizeof *all);
	for (size_t i = 0; all && i < o->count; i++) {
		const struct oracle_row *row = &o->rows[i];
		all[i] = (struct named){row, symbols_find(totals->symbols, row->pc), lines_find(totals->lines, row->pc),
					row->entry};
		for (size_t j = i + 1; j < o->count && o->rows[j].pc == row->pc; j++)
			all[i].entry |= o->rows[j].entry;
	}
	return all;
}

static void fill_names(struct oracle_report *r)
{
	for (unsigned i = 0; i < ORACLE_CASES; i++) {
		r->cases[i].name = oracle_case_name(i);
		r->cases[i].meaning = oracle_case_meaning(i);
	}
	for (unsigned i = 0; i < ORACLE_EVENTS; i++) {
		r->events[i].name = oracle_event_name(i);
		r->events[i].tea = oracle_event_tea(i);
		r->events[i].meaning = oracle_event_meaning(i);
	}
}

static size_t with_lines(const struct named *all, size_t n)
{
	size_t known = 0;
	while (known < n && all[known].line.file)
		known++;
	return known;
}

bool oracle_fold(struct oracle_report *r, const struct oracle *o, const struct analysis_totals *totals, size_t listed,
		 struct error *err)
{
	static const struct kind whole = {starts_never, name_nothing}, functions = {starts_function, name_function},
				 lines = {starts_line, name_source},
				 instructions = {starts_instruction, name_instruction};
	struct named *all = name_rows(o, totals);
	fill_names(r);
	bool good = all && fold(&r->whole, all, o->count, 1, &whole, &totals->code) &&
		    fold(&r->functions, all, o->count, listed, &functions, &totals->code) &&
		    fold(&r->instructions, all, o->count, listed, &instructions, &totals->code);
	if (good) {
		if (o->count)
			qsort(all, o->count, sizeof *all, by_line);
		good = fold(&r->lines, all, with_lines(all, o->count), listed, &lines, &totals->code);
	}
	for (unsigned i = 0; good && r->whole.count && i < ORACLE_CASES; i++)
		r->cases[i].parts = r->whole.entries->by_case[i];
	free(all);
	return good || error_set(err, ERROR_SYSTEM, "out of memory for the oracle's report");
}
