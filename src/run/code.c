/* A function's instructions are those that ran, and those between that did not: they show what the program could have
 * done. Where more than GAP bytes did not run they are left out; whoever lists the code sees it by the addresses. */
#include "run/code.h"

#include "with/places.h"

#include <stdlib.h>
#include <string.h>

enum { GAP = 256, FRAMES = 16 };

struct builder {
	struct code *code;
	const struct code_parts *parts;
	const struct insn_cycles_entry *entries, *end;
};

/* A function while it is made: its entries. */
struct span {
	const struct insn_cycles_entry *first, *end;
};

static bool no_memory(struct error *err)
{
	return error_set(err, ERROR_SYSTEM, "out of memory for the program's code");
}

/* --- functions --- */

static void count(struct code_counts *n, const struct insn_cycles_entry *e)
{
	const struct insn_cycles_site *s = e->site;
	*n = (struct code_counts){
		.executions = e->count,
		.cycles = e->cycles,
		.mispredictions = s->mispredictions,
		.refill = s->refill,
		.misses = {[CODE_L1D] = s->l1d_misses, [CODE_L2] = s->l2_misses, [CODE_MEMORY] = s->memory}};
	memcpy(n->causes, s->causes, sizeof s->causes);
	n->causes[CAUSE_commit] += e->commit_cycles;
}

static bool name_function(struct code_function *f, const struct symbol_place *place, uint64_t pc)
{
	char name[400];
	symbol_place_name(place, name, sizeof name);
	f->name = strdup(name);
	f->symbol = place->symbol ? strdup(place->symbol) : NULL;
	f->object = strdup(symbol_place_object(place));
	f->start = place->function ? place->start : pc;
	return f->name && f->object && (f->symbol || !place->symbol);
}

/* One for each run of entries of the same function. */
static bool find_functions(struct builder *b)
{
	struct code *c = b->code;
	struct symbol_place before = {.function = NULL};
	for (const struct insn_cycles_entry *e = b->entries; e != b->end; e++) {
		struct symbol_place place = symbols_find(b->parts->symbols, e->pc);
		if (e == b->entries || symbol_place_begins(&place, &before, e->entry)) {
			struct code_function *grown = c->functions;
			if (!(c->function_count & (c->function_count - 1)))
				grown = realloc(grown, 2 * (c->function_count + 1) * sizeof *grown);
			if (!grown)
				return false;
			c->functions = grown;
			struct code_function *f = &grown[c->function_count++];
			memset(f, 0, sizeof *f);
			if (!name_function(f, &place, e->pc))
				return false;
		}
		struct code_function *f = &c->functions[c->function_count - 1];
		struct code_counts n;
		count(&n, e);
		code_counts_add(&f->counts, &n, c->cause_count);
		f->end = place.end > e->pc ? place.end : e->pc + 2;
		before = place;
	}
	return true;
}

static int by_cycles(const void *a, const void *b)
{
	const struct code_function *x = a, *y = b;
	if (x->counts.cycles != y->counts.cycles)
		return x->counts.cycles < y->counts.cycles ? 1 : -1;
	return (x->start > y->start) - (x->start < y->start);
}

/* --- instructions --- */

static const struct insn_cycles_entry *entry_from(const struct builder *b, uint64_t pc)
{
	const struct insn_cycles_entry *low = b->entries, *high = b->end;
	while (low < high) {
		const struct insn_cycles_entry *middle = low + (high - low) / 2;
		if (middle->pc < pc)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The table's entry for the innermost of the calls; equal ones are the same. False: out of memory. */
static bool add_inlined(struct code *c, const struct line_frame *frames, size_t n, uint32_t *number)
{
	*number = CODE_NONE;
	for (size_t i = n; i > 0; i--) {
		const struct line_frame *f = &frames[i - 1];
		struct code_inlined new = {NULL, code_file(c, f->file), f->line, *number, (uint32_t)(n - i)};
		size_t at = c->inlined_count;
		for (; at > 0; at--) {
			const struct code_inlined *old = &c->inlined[at - 1];
			if (old->outer == new.outer && old->line == new.line && old->file == new.file &&
			    !strcmp(old->function, f->function))
				break;
		}
		if (!at) {
			struct code_inlined *grown = realloc(c->inlined, (c->inlined_count + 1) * sizeof *grown);
			new.function = strdup(f->function);
			if (grown)
				c->inlined = grown;
			if (!grown || !new.function) {
				free(new.function);
				return false;
			}
			c->inlined[c->inlined_count++] = new;
			at = c->inlined_count;
		}
		*number = (uint32_t)at - 1;
	}
	return true;
}

static bool place_insn(const struct builder *b, struct code_insn *n, struct error *err)
{
	struct line_frame frames[FRAMES];
	size_t calls;
	struct line_place line = lines_find(b->parts->lines, n->pc);
	n->file = code_file(b->code, line.file);
	n->line = line.line;
	TRY(lines_frames(b->parts->lines, n->pc, frames, FRAMES, &calls, err));
	return add_inlined(b->code, frames, calls, &n->inlined) || no_memory(err);
}

/* A jump or a call to a function's start says which. */
static void name_target(const struct builder *b, char *text, size_t size)
{
	const char *target = strrchr(text, ',');
	target = target ? target + 1 : strchr(text, ' ');
	if (!target || (strncmp(text, "jal ", 4) != 0 && strncmp(text, "c.j ", 4) != 0))
		return;
	uint64_t pc = strtoull(target, NULL, 16);
	struct symbol_place place = symbols_find(b->parts->symbols, pc);
	size_t used = strlen(text);
	if (place.function && place.start == pc)
		snprintf(text + used, size - used, " <%s>", place.function);
}

/* The instruction at pc, which ran as `e` says (NULL: it did not). Its length, at least 2; 0: an error. */
static unsigned add_insn(const struct builder *b, struct code_function *f, uint64_t pc,
			 const struct insn_cycles_entry *e, struct error *err)
{
	char text[200];
	struct code_insn *grown = f->insns;
	if (!(f->count & (f->count - 1)))
		grown = realloc(grown, 2 * (f->count + 1) * sizeof *grown);
	const struct analysis_code code = places_code(b->parts->guest);
	unsigned length = places_disassemble(&code, pc, text, sizeof text);
	name_target(b, text, sizeof text);
	if (!grown)
		return no_memory(err);
	f->insns = grown;
	struct code_insn *n = &grown[f->count];
	*n = (struct code_insn){.pc = pc, .text = strdup(text)};
	if (!n->text)
		return no_memory(err);
	f->count++;
	if (e)
		count(&n->counts, e);
	return place_insn(b, n, err) ? length ? length : 2 : 0;
}

/* What did not run, from `pc` to before `end`. */
static bool add_gap(const struct builder *b, struct code_function *f, uint64_t pc, uint64_t end, struct error *err)
{
	if (end <= pc || end - pc > GAP)
		return true;
	while (pc < end) {
		unsigned length = add_insn(b, f, pc, NULL, err);
		TRY(length);
		pc += length;
	}
	return true;
}

static bool add_insns(const struct builder *b, struct code_function *f, struct error *err)
{
	uint64_t next = f->start, left = f->counts.executions;
	const struct insn_cycles_entry *e = entry_from(b, f->start);
	for (; e != b->end && left; e++) {
		TRY(add_gap(b, f, next, e->pc, err));
		unsigned length = add_insn(b, f, e->pc, e, err);
		TRY(length);
		next = e->pc + length;
		left -= e->count < left ? e->count : left;
	}
	if (e != b->end && f->end > e->pc)
		f->end = e->pc;
	f->end = f->end > next ? f->end : next;
	return add_gap(b, f, next, f->end, err);
}

/* --- calls --- */

static bool take_calls(struct code *c, const struct calls *all)
{
	if (!all || !all->wanted)
		return true;
	c->calls = calloc(all->edge_count + 1, sizeof *c->calls);
	for (; c->calls && c->call_count < all->edge_count; c->call_count++) {
		const struct calls_edge *e = &all->edges[c->call_count];
		struct code_call *n = &c->calls[c->call_count];
		*n = (struct code_call){.site = e->site,
					.target = e->target,
					.count = e->count,
					.counts = {.executions = e->costs.executions,
						   .mispredictions = e->costs.mispredictions,
						   .misses = {[CODE_L1D] = e->costs.l1d_misses,
							      [CODE_L2] = e->costs.l2_misses,
							      [CODE_MEMORY] = e->costs.memory}}};
		memcpy(n->counts.causes, e->costs.causes, sizeof e->costs.causes);
		for (unsigned i = 0; i < COMMIT_CAUSES; i++)
			n->counts.cycles += e->costs.causes[i];
	}
	return c->calls != NULL;
}

/* --- the whole --- */

static bool name_causes(struct code *c)
{
	_Static_assert((int)COMMIT_CAUSES <= CODE_CAUSES_MAX, "room for every cause");
	for (unsigned i = 0; i < COMMIT_CAUSES; i++) {
		const struct commit_cause_row *row = commit_cause_row(i);
		c->causes[i] = strdup(row->name);
		c->labels[i] = strdup(row->label);
		c->cause_count++;
		if (!c->causes[i] || !c->labels[i])
			return false;
	}
	return true;
}

bool code_fill(struct code *c, const struct code_parts *parts, struct error *err)
{
	struct builder b = {c, parts, parts->insns->entries, parts->insns->entries + parts->insns->entry_count};
	c->outside = parts->outside;
	if (!name_causes(c) || !find_functions(&b) || !take_calls(c, parts->calls))
		return no_memory(err);
	if (c->function_count)
		qsort(c->functions, c->function_count, sizeof *c->functions, by_cycles);
	for (size_t i = 0; i < c->function_count && i < parts->functions; i++)
		TRY(add_insns(&b, &c->functions[i], err));
	return source_fill(c, parts->source_dirs, err);
}
