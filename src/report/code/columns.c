/* The figures in front of a line or an instruction. A column that has nothing in the whole function is left out, and
 * so is one that says the same as the next. */
#include "report/code/annotate.h"
#include "report/format.h"

#include <string.h>

enum column { TIME, MOSTLY, RUNS, L1D, L2, MEMORY, MISPREDICTED, PATH, COST, SLACK };
enum { TEXT_LEAST = 28 };

static const struct {
	const char *head;
	unsigned width;
	unsigned order; /* the later ones go first when there is no room */
} columns[CODE_COLUMNS] = {
	[TIME] = {"% time", 6, 0},
	[MOSTLY] = {"mostly", 11, 1},
	[RUNS] = {"runs", 5, 2},
	[L1D] = {"L1D", 5, 5},
	[L2] = {">L2", 5, 7},
	[MEMORY] = {"memory", 6, 3},
	[MISPREDICTED] = {"mispr", 5, 4},
	[PATH] = {"% path", 6, 8},
	[COST] = {"% cost", 6, 4},
	[SLACK] = {"slack", 5, 9},
};

const char *code_column_name(uint32_t column)
{
	return columns[column].head;
}

const char *code_compact(uint64_t n, char text[32])
{
	static const struct {
		double unit;
		char letter;
	} units[] = {{1e18, 'E'}, {1e15, 'P'}, {1e12, 'T'}, {1e9, 'G'}, {1e6, 'M'}, {1e3, 'k'}};
	snprintf(text, 32, "%llu", (unsigned long long)n);
	for (size_t i = 0; n > 99999 && i < sizeof units / sizeof *units; i++) {
		double v = (double)n / units[i].unit;
		if (v < 0.9995)
			continue;
		snprintf(text, 32, "%.*f%c", v < 9.995 ? 2 : v < 99.95 ? 1 : 0, v, units[i].letter);
		break;
	}
	return text;
}

uint32_t code_mostly(const struct code *c, const struct code_counts *n)
{
	uint32_t most = 0;
	for (uint32_t i = 1; i < c->cause_count; i++)
		if (n->causes[i] && (!most || n->causes[i] > n->causes[most]))
			most = i;
	return n->causes[most] >= n->causes[0] ? most : 0;
}

void code_row_add(struct code_row *row, const struct code_insn *n, uint32_t causes)
{
	const uint64_t runs = row->counts.executions;
	const struct code_criticality *k = &n->criticality;
	code_counts_add(&row->counts, &n->counts, causes);
	row->counts.executions = runs > n->counts.executions ? runs : n->counts.executions;
	row->criticality.watched |= k->watched;
	row->criticality.path += k->path;
	row->criticality.cost += k->cost;
	row->criticality.slack = k->slack;
}

/* --- which of them --- */

static bool has_something(enum column column, const struct code_result *r, const struct code_counts *n)
{
	switch (column) {
	case L1D:
		return n->misses[CODE_L1D] > n->misses[CODE_L2];
	case L2:
		return n->misses[CODE_L2] > n->misses[CODE_MEMORY];
	case MEMORY:
		return n->misses[CODE_MEMORY];
	case MISPREDICTED:
		return n->mispredictions;
	case PATH:
	case COST:
	case SLACK:
		return r->code.has_criticality;
	default:
		return true;
	}
}

/* The last to be given up for more room; CODE_COLUMNS: none may. */
static size_t least(const struct code_columns *k)
{
	size_t at = CODE_COLUMNS;
	for (size_t i = 0; i < k->count; i++)
		if (columns[k->used[i]].order > columns[RUNS].order &&
		    (at == CODE_COLUMNS || columns[k->used[i]].order > columns[k->used[at]].order))
			at = i;
	return at;
}

void code_columns_choose(struct code_columns *k, const struct code_result *r, const struct code_function *f,
			 unsigned width)
{
	unsigned taken = 1;
	*k = (struct code_columns){.result = r};
	k->decimals = format_ratio((double)f->counts.cycles, (double)r->cycles) < 0.1 ? 2 : 1;
	for (uint32_t i = 0; i < CODE_COLUMNS; i++)
		if (has_something(i, r, &f->counts)) {
			k->used[k->count++] = i;
			taken += columns[i].width + 1;
		}
	for (size_t at; taken + TEXT_LEAST > width && (at = least(k)) < CODE_COLUMNS;) {
		k->left_out[k->left_out_count++] = k->used[at];
		taken -= columns[k->used[at]].width + 1;
		memmove(&k->used[at], &k->used[at + 1], (--k->count - at) * sizeof *k->used);
	}
	k->room = width > taken + TEXT_LEAST ? width - taken : TEXT_LEAST;
}

/* --- printing --- */

void code_columns_head(const struct code_columns *k, const char *text, FILE *out)
{
	for (size_t i = 0; i < k->count; i++)
		fprintf(out, k->used[i] == MOSTLY ? " %-*s" : " %*s", (int)columns[k->used[i]].width,
			columns[k->used[i]].head);
	fprintf(out, " %s\n", text);
}

static void share(char *text, double part, const struct code_columns *k)
{
	snprintf(text, 32, "%.*f", k->decimals, 100 * format_ratio(part, (double)k->result->cycles));
}

static void figure(enum column column, const struct code_columns *k, const struct code_row *row, char text[32])
{
	static const enum code_level levels[] = {[L1D] = CODE_L1D, [L2] = CODE_L2, [MEMORY] = CODE_MEMORY};
	const struct code_criticality *c = &row->criticality;
	uint64_t n = 0;
	*text = 0;
	switch (column) {
	case TIME:
		if (row->counts.cycles)
			share(text, (double)row->counts.cycles, k);
		return;
	case MOSTLY:
		if (row->counts.cycles)
			snprintf(text, 32, "%.11s",
				 k->result->code.labels[code_mostly(&k->result->code, &row->counts)]);
		return;
	case PATH:
		if (c->path)
			share(text, (double)c->path, k);
		return;
	case COST:
		if (c->watched && c->cost > 0)
			share(text, c->cost, k);
		return;
	case SLACK:
		if (c->watched && row->slack)
			snprintf(text, 32, c->slack < 9999 ? "%.0f" : "%.0e", c->slack);
		return;
	case RUNS:
		n = row->counts.executions;
		break;
	case MISPREDICTED:
		n = row->counts.mispredictions;
		break;
	default:
		n = row->counts.misses[levels[column]];
	}
	if (n)
		code_compact(n, text);
}

void code_columns_row(const struct code_columns *k, const struct code_row *row, FILE *out)
{
	char text[32] = "";
	for (size_t i = 0; i < k->count; i++) {
		if (row)
			figure(k->used[i], k, row, text);
		fprintf(out, k->used[i] == MOSTLY ? " %-*s" : " %*s", (int)columns[k->used[i]].width, text);
	}
}

/* Bytes of the text's first `room` characters. */
static size_t bytes_of(const char *text, size_t room)
{
	size_t n = 0;
	for (; text[n] && room; room--)
		for (n++; ((unsigned char)text[n] & 0xc0) == 0x80;)
			n++;
	return n;
}

void code_print_cut(const char *text, size_t room, FILE *out)
{
	size_t all = bytes_of(text, room);
	if (text[all])
		fprintf(out, "%.*s..", (int)bytes_of(text, room - 2), text);
	else
		fputs(text, out);
}

const char *code_file_name(const struct code *c, uint32_t file)
{
	const char *path = file == CODE_NONE ? "" : c->files[file].path, *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

const char *code_source(const struct code *c, uint32_t file, uint32_t line)
{
	if (file == CODE_NONE)
		return NULL;
	const struct code_file *f = &c->files[file];
	size_t low = 0, high = f->count;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (f->lines[middle].number < line)
			low = middle + 1;
		else
			high = middle;
	}
	return low < f->count && f->lines[low].number == line ? f->lines[low].text : NULL;
}
