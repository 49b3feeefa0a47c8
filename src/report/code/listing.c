/* One function: below each of its source lines the instructions that come from it, those of inlined calls behind the
 * line of the call; or all in the order of addresses. Of lines with little of the function's time the instructions
 * are left out. */
#include "report/code/annotate.h"
#include "report/format.h"
#include "report/terminal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LITTLE_PERMILLE = 5, CONTEXT = 2, OTHERS = 4, WIDE = 110 };

/* An instruction with the line of the function itself that it belongs to: where an inlined call is, the call's. */
struct item {
	const struct code_insn *insn;
	uint32_t file, line;
};

struct listing {
	const struct code_result *r;
	const struct code *c;
	const struct code_function *f;
	const struct code_view *view;
	struct code_columns columns;
	struct item *items;
	uint32_t file;	  /* the function's own */
	uint32_t printed; /* last source line of that file */
	bool left_out;	  /* instructions */
	FILE *out;
};

static double percent(uint64_t part, uint64_t whole)
{
	return 100 * format_ratio((double)part, (double)whole);
}

/* --- head --- */

void code_head(const struct code_result *r, FILE *out)
{
	char a[64], b[64];
	fprintf(out, "%s on %s\n  %s, %s, IPC %.4f\n", r->program, r->machine,
		format_counted(r->instructions, "instruction", a), format_counted(r->cycles, "cycle", b),
		format_ratio((double)r->instructions, (double)r->cycles));
	code_result_ending(r, out);
}

/* The largest causes of the function's cycles, those of at least 1%. */
static void print_causes(const struct listing *l)
{
	enum { MOST = 4 };
	struct code_counts left = l->f->counts;
	fputs("  ", l->out);
	for (unsigned shown = 0; shown < MOST; shown++) {
		uint32_t most = 0;
		for (uint32_t i = 1; i < l->c->cause_count; i++)
			most = left.causes[i] > left.causes[most] ? i : most;
		if (!left.causes[most] || 100 * left.causes[most] < l->f->counts.cycles)
			break;
		fprintf(l->out, "%s%s %.1f%%", shown ? ", " : "", l->c->labels[most],
			percent(left.causes[most], l->f->counts.cycles));
		left.causes[most] = 0;
	}
	fputc('\n', l->out);
}

/* What it is called has its object already, where it has no name. */
static void print_name(const struct listing *l)
{
	const char *file = code_file_name(l->c, l->file);
	fprintf(l->out, "\n%s", l->f->name);
	if (!code_nameless(l->f))
		fprintf(l->out, " (%s%s%s)", l->f->object, *file ? ", " : "", file);
}

/* What offsets count from. */
static void print_base(const struct listing *l)
{
	const struct code_function *f = l->f;
	char text[300];
	bool bare = l->file == CODE_NONE;
	for (size_t i = 0; i < f->count; i++)
		bare |= f->insns[i].file == CODE_NONE;
	snprintf(text, sizeof text, "instructions without a line: their offset in %.120s, which begins at 0x%" PRIx64,
		 code_nameless(f) ? f->object : f->name, f->start - code_offset(f, f->start));
	if (bare && f->start != code_offset(f, f->start)) /* of no object they are addresses */
		terminal_wrap(text, 2, l->view->width, l->out);
}

static void print_function(const struct listing *l, size_t alike)
{
	const struct code_counts *n = &l->f->counts;
	char a[32];
	code_head(l->r, l->out);
	print_name(l);
	fprintf(l->out, ": %.1f%% of the time, %s cycles, IPC %.2f\n", percent(n->cycles, l->r->cycles),
		format_grouped((int64_t)n->cycles, a), format_ratio((double)n->executions, (double)n->cycles));
	print_causes(l);
	print_base(l);
	if (alike)
		fprintf(l->out, "  %zu more of this name: an address says which\n", alike);
	fputc('\n', l->out);
	code_columns_head(&l->columns, l->file == CODE_NONE ? "instruction" : "line, instruction", l->out);
}

/* --- rows --- */

static void paint(const struct listing *l, const struct code_row *row)
{
	if (l->view->colour && row && 10 * row->counts.cycles >= l->f->counts.cycles)
		fputs("\033[1m", l->out);
}

static void end_row(const struct listing *l)
{
	fputs(l->view->colour ? "\033[0m\n" : "\n", l->out);
}

/* On a narrow screen the line's text has a row of its own. */
static void print_source(const struct listing *l, uint32_t file, uint32_t line, const struct code_row *row)
{
	const char *text = code_source(l->c, file, line);
	const bool apart = l->view->width < WIDE && text;
	char number[64];
	if (file == l->file)
		snprintf(number, sizeof number, "%4" PRIu32, line);
	else
		snprintf(number, sizeof number, "%.40s:%" PRIu32, code_file_name(l->c, file), line);
	const size_t used = strlen(number) + 3;
	if (apart) {
		fprintf(l->out, "%s%s:%s", l->view->colour ? "\033[36m" : "", number, *text ? " " : "");
		code_print_cut(text, l->view->width - used, l->out);
		end_row(l);
		if (!row)
			return;
	}
	paint(l, row);
	code_columns_row(&l->columns, row, l->out);
	if (!apart) {
		fprintf(l->out, " %s%s", number, text && *text ? ": " : "");
		code_print_cut(text ? text : "", l->columns.room > used + 2 ? l->columns.room - used : 2, l->out);
	} else {
		fprintf(l->out, " line%s", number);
	}
	end_row(l);
}

static void print_insn(const struct listing *l, const struct code_insn *n)
{
	char text[160];
	struct code_row row = {.slack = true};
	code_row_add(&row, n, l->c->cause_count);
	paint(l, &row);
	code_columns_row(&l->columns, &row, l->out);
	code_insn_text(l->f, n, text, sizeof text);
	code_print_cut(text, l->columns.room, l->out);
	end_row(l);
}

/* "| twice > clamp inl.c:3: the line's text" */
static void name_inlined(const struct listing *l, const struct code_insn *n, char *text, size_t size)
{
	const char *source = code_source(l->c, n->file, n->line);
	char calls[800] = "";
	for (uint32_t i = n->inlined; i != CODE_NONE; i = l->c->inlined[i].outer) {
		char inner[sizeof calls];
		strcpy(inner, calls);
		snprintf(calls, sizeof calls, "%.100s%s%.600s", l->c->inlined[i].function, *inner ? " > " : "", inner);
	}
	snprintf(text, size, "| %s %s:%" PRIu32 "%s%s", calls, code_file_name(l->c, n->file), n->line,
		 source ? ": " : "", source ? source + strspn(source, " ") : "");
}

static void print_inlined(const struct listing *l, const struct code_insn *n, const struct code_row *row)
{
	char text[1300];
	const bool apart = l->view->width < WIDE;
	name_inlined(l, n, text, sizeof text);
	if (apart) {
		fprintf(l->out, "%s      ", l->view->colour ? "\033[36m" : "");
		code_print_cut(text, l->view->width - 6, l->out);
		end_row(l);
		if (!row)
			return;
		snprintf(text, sizeof text, "| line %" PRIu32, n->line);
	}
	paint(l, row);
	code_columns_row(&l->columns, row, l->out);
	fputc(' ', l->out);
	code_print_cut(text, l->columns.room - 1, l->out);
	end_row(l);
}

/* --- by line --- */

static uint32_t rank_file(const struct listing *l, uint32_t file)
{
	return file == l->file ? 0 : file == CODE_NONE ? UINT32_MAX : file + 1;
}

static int by_line(const void *a, const void *b, void *context)
{
	const struct listing *l = context;
	const struct item *x = a, *y = b;
	const uint64_t keys[][2] = {{rank_file(l, x->file), rank_file(l, y->file)},
				    {x->line, y->line},
				    {x->insn->inlined + 1, y->insn->inlined + 1}, /* its own code first */
				    {rank_file(l, x->insn->file), rank_file(l, y->insn->file)},
				    {x->insn->line, y->insn->line},
				    {x->insn->pc, y->insn->pc}};
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (keys[i][0] != keys[i][1])
			return keys[i][0] < keys[i][1] ? -1 : 1;
	return 0;
}

static bool same_line(const struct item *a, const struct item *b)
{
	return a->file == b->file && a->line == b->line;
}

static bool same_code(const struct item *a, const struct item *b)
{
	return a->insn->inlined == b->insn->inlined && a->insn->file == b->insn->file && a->insn->line == b->insn->line;
}

static struct code_row sum(const struct listing *l, size_t from, size_t to)
{
	struct code_row row = {.slack = false};
	for (size_t i = from; i < to; i++)
		code_row_add(&row, l->items[i].insn, l->c->cause_count);
	return row;
}

static bool is_little(struct listing *l, const struct code_row *row)
{
	bool little = !l->view->verbose && 1000 * row->counts.cycles < LITTLE_PERMILLE * l->f->counts.cycles;
	l->left_out |= little;
	return little;
}

/* Source lines without code, from the last one printed to before `line`: the nearest of them. */
static void print_between(struct listing *l, uint32_t line)
{
	const uint32_t first = l->printed ? l->printed + 1 : line > 3 ? line - 3 : 1;
	const bool many = l->printed && line > first + 2 * CONTEXT + 1;
	for (uint32_t n = first; n < line; n++) {
		if (many && n == first + CONTEXT) {
			fputs("  ...\n", l->out);
			n = line - CONTEXT;
		}
		if (code_source(l->c, l->file, n))
			print_source(l, l->file, n, NULL);
	}
	l->printed = line;
}

/* Items of one line: its own, then those of each inlined call. */
static void print_line(struct listing *l, size_t from, size_t to)
{
	const struct item *first = &l->items[from];
	struct code_row row = sum(l, from, to);
	if (first->file == l->file)
		print_between(l, first->line);
	print_source(l, first->file, first->line, &row);
	if (is_little(l, &row))
		return;
	for (size_t i = from, next; i < to; i = next) {
		for (next = i + 1; next < to && same_code(&l->items[next], &l->items[i]);)
			next++;
		struct code_row part = sum(l, i, next);
		if (l->items[i].insn->inlined != CODE_NONE)
			print_inlined(l, l->items[i].insn, &part);
		if (is_little(l, &part))
			continue;
		for (size_t j = i; j < next; j++)
			print_insn(l, l->items[j].insn);
	}
}

static void print_lines(struct listing *l)
{
	qsort_r(l->items, l->f->count, sizeof *l->items, by_line, l);
	for (size_t i = 0, next; i < l->f->count; i = next) {
		for (next = i + 1; next < l->f->count && same_line(&l->items[next], &l->items[i]);)
			next++;
		print_line(l, i, next);
	}
}

/* --- by address --- */

static unsigned length_of(const struct code_insn *n)
{
	return strncmp(n->text, "c.", 2) && strncmp(n->text, ".2", 2) ? 4 : 2;
}

static void print_address(struct listing *l, size_t i)
{
	const struct item *now = &l->items[i];
	if (now->insn->file != CODE_NONE && (!i || !same_code(now, now - 1) || !same_line(now, now - 1))) {
		if (now->insn->inlined == CODE_NONE)
			print_source(l, now->file, now->line, NULL);
		else
			print_inlined(l, now->insn, NULL);
	}
	print_insn(l, now->insn);
}

/* What did not run, from `pc` on: the instructions if they are few, or all are wanted and there. */
static void print_gap(struct listing *l, uint64_t pc, size_t from, size_t to)
{
	enum { FEW = 16 };
	const uint64_t end = to < l->f->count ? l->items[to].insn->pc : l->f->end;
	const bool known = to > from;
	if (end > pc && (!known || (!l->view->verbose && end - pc > FEW)))
		fprintf(l->out, "%*s%" PRIu64 " bytes that did not run\n", (int)(l->view->width - l->columns.room + 3),
			"", end - pc);
	else
		for (size_t i = from; i < to; i++)
			print_address(l, i);
}

static void print_addresses(struct listing *l)
{
	uint64_t pc = l->f->start;
	for (size_t i = 0, next; i < l->f->count; i = next + 1) {
		for (next = i; next < l->f->count && !l->items[next].insn->counts.executions;)
			next++;
		print_gap(l, pc, i, next);
		if (next == l->f->count)
			return;
		print_address(l, next);
		pc = l->items[next].insn->pc + length_of(l->items[next].insn);
	}
}

/* --- the whole --- */

static void find_line(struct listing *l, size_t i)
{
	struct item *item = &l->items[i];
	item->insn = &l->f->insns[i];
	code_own_line(l->c, item->insn, &item->file, &item->line);
	if (l->file == CODE_NONE)
		l->file = item->file;
}

static void print_end(const struct listing *l)
{
	if (l->left_out)
		fprintf(l->out, "  instructions of lines with less than %.1f%% of the function's time: --verbose\n",
			LITTLE_PERMILLE / 10.0);
	for (size_t i = 0; i < l->columns.left_out_count; i++)
		fprintf(l->out, "%s%s%s",
			i ? ", " : "  no room for the columns: ", code_column_name(l->columns.left_out[i]),
			i + 1 == l->columns.left_out_count ? " (a wider terminal has them)\n" : "");
}

/* The functions with most of the time beside this one. */
static void print_others(const struct listing *l)
{
	char text[600] = "others: --function";
	unsigned shown = 0;
	for (size_t i = 0; i < l->c->function_count && shown < OTHERS; i++) {
		const struct code_function *f = &l->c->functions[i];
		if (f == l->f || 100 * f->counts.cycles < l->r->cycles)
			continue;
		size_t used = strlen(text);
		snprintf(text + used, sizeof text - used, "%s %.100s (%.1f%%)", shown ? "," : "", f->name,
			 percent(f->counts.cycles, l->r->cycles));
		shown++;
	}
	if (shown)
		terminal_wrap(text, 2, l->view->width, l->out);
}

bool code_listing(const struct code_result *r, const struct code_function *f, size_t alike,
		  const struct code_view *view, FILE *out)
{
	struct listing l = {.r = r, .c = &r->code, .f = f, .view = view, .file = CODE_NONE, .out = out};
	l.items = calloc(f->count, sizeof *l.items);
	if (!l.items)
		return false;
	for (size_t i = 0; i < f->count; i++)
		find_line(&l, i);
	code_columns_choose(&l.columns, r, f, view->width);
	print_function(&l, alike);
	if (view->addresses || l.file == CODE_NONE)
		print_addresses(&l);
	else
		print_lines(&l);
	print_end(&l);
	if (!view->function)
		print_others(&l);
	free(l.items);
	return true;
}
