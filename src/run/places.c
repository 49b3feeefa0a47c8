/* A spot is a source line within one function: instructions of a line that was inlined elsewhere are another spot.
 * Where an object has no line table, each instruction is a spot. Where it has no symbols, functions begin where calls
 * have gone. */
#include "run/places.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct named {
	const struct insn_cycles_entry *entry;
	struct symbol_place place;
	struct line_place line;
	size_t function; /* by address, from 0 */
	size_t spot;	 /* likewise */
};

/* Sums over a spot's instructions. */
struct sums {
	const struct named *first;
	uint64_t cycles, causes[COMMIT_CAUSES];
	uint64_t refill, mispredictions, branches;  /* branches: executions of those that were ever mispredicted */
	uint64_t waited, l1d_misses, memory, loads; /* loads: executions of those that commit ever waited for */
};

struct places {
	struct run_report *report;
	struct named *all;
	size_t count;
	struct report_function_row *functions;
	size_t function_count;
};

/* --- names --- */

static void name_line(char *text, size_t size, const struct line_place *line)
{
	const char *slash = line->file ? strrchr(line->file, '/') : NULL;
	*text = 0;
	if (line->file)
		snprintf(text, size, "%s:%" PRIu32, slash ? slash + 1 : line->file, line->line);
}

static void name_spot(const struct places *p, struct report_spot *s, const struct named *n)
{
	const struct report_function_row *f = &p->functions[n->function];
	s->id = n->spot;
	snprintf(s->function, sizeof s->function, "%s", f->name);
	snprintf(s->object, sizeof s->object, "%s", symbol_place_object(&n->place));
	name_line(s->place, sizeof s->place, &n->line);
	if (!*s->place)
		symbol_place_text(&n->place, s->place, sizeof s->place);
}

/* --- functions --- */

static void find_functions(struct places *p)
{
	for (size_t i = 0; i < p->count; i++) {
		struct named *n = &p->all[i];
		if (i == 0 || symbol_place_begins(&n->place, &(n - 1)->place, n->entry->entry)) {
			struct report_function_row *f = &p->functions[p->function_count++];
			f->id = p->function_count - 1;
			symbol_place_name(&n->place, f->name, sizeof f->name);
			snprintf(f->object, sizeof f->object, "%s", symbol_place_object(&n->place));
		}
		n->function = p->function_count - 1;
		struct report_function_row *row = &p->functions[n->function];
		row->cycles += n->entry->cycles;
		row->instructions += n->entry->count;
		row->causes[CAUSE_commit] += n->entry->commit_cycles;
		for (unsigned c = 0; c < COMMIT_CAUSES; c++)
			row->causes[c] += n->entry->site->causes[c];
	}
}

/* Has it enough of the time for a row of the first screen? */
static bool is_worth(const struct run_report *r, uint64_t cycles)
{
	return cycles && 1000 * cycles >= REPORT_LEAST_PERMILLE * r->cycles;
}

/* The profile has them by address; of equal ones the first comes first. */
static void keep_functions(struct places *p)
{
	struct run_report *r = p->report;
	for (size_t i = 0; i < p->function_count; i++) {
		const struct report_function_row *f = &p->functions[i];
		uint32_t at = r->function_count;
		r->function_worth += is_worth(r, f->cycles);
		while (at > 0 && r->functions[at - 1].cycles < f->cycles)
			at--;
		if (at >= REPORT_FUNCTIONS_MAX)
			continue;
		uint32_t last = r->function_count < REPORT_FUNCTIONS_MAX ? r->function_count++
									 : REPORT_FUNCTIONS_MAX - 1;
		for (uint32_t j = last; j > at; j--)
			r->functions[j] = r->functions[j - 1];
		r->functions[at] = *f;
	}
}

/* --- spots --- */

static int by_spot(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	if (x->line.file && y->line.file) {
		int order = strcmp(x->line.file, y->line.file);
		if (order || x->line.line != y->line.line)
			return order ? order : x->line.line < y->line.line ? -1 : 1;
	} else if (x->line.file || y->line.file) {
		return x->line.file ? -1 : 1;
	}
	return (x->entry->pc > y->entry->pc) - (x->entry->pc < y->entry->pc);
}

static bool same_spot(const struct named *a, const struct named *b)
{
	return a->function == b->function && a->line.file && b->line.file && a->line.line == b->line.line &&
	       !strcmp(a->line.file, b->line.file);
}

uint64_t places_waited_for_load(const struct insn_cycles_site *s)
{
	return s->causes[CAUSE_memory] + s->causes[CAUSE_cache] + s->causes[CAUSE_tlb] + s->causes[CAUSE_l1];
}

static void add_instruction(struct sums *s, const struct named *n)
{
	const struct insn_cycles_entry *e = n->entry;
	const struct insn_cycles_site *site = e->site;
	s->cycles += e->cycles;
	for (unsigned c = 0; c < COMMIT_CAUSES; c++)
		s->causes[c] += site->causes[c];
	s->refill += site->refill;
	s->mispredictions += site->mispredictions;
	s->branches += site->mispredictions ? e->count : 0;
	uint64_t waited = places_waited_for_load(site);
	s->waited += waited;
	s->l1d_misses += waited ? site->l1d_misses : 0;
	s->memory += waited ? site->memory : 0;
	s->loads += waited ? e->count : 0;
}

/* Into the list, sorted by weight, if it is among the first. */
static void keep_spot(const struct places *p, struct report_spot *list, uint32_t *count, const struct named *first,
		      const struct report_spot *values)
{
	uint32_t at = *count;
	while (at > 0 && list[at - 1].weight < values->weight)
		at--;
	if (!values->weight || at >= REPORT_WORST_MAX)
		return;
	*count += *count < REPORT_WORST_MAX;
	for (uint32_t i = *count - 1; i > at; i--)
		list[i] = list[i - 1];
	list[at] = *values;
	name_spot(p, &list[at], first);
}

/* A misprediction's cycles pass at the instructions behind it, but its place is the branch. */
static uint64_t weight_of(const struct sums *s, unsigned cause)
{
	return cause == CAUSE_mispredict ? s->refill : s->causes[cause];
}

static void end_spot(struct places *p, const struct sums *s)
{
	struct run_report *r = p->report;
	for (unsigned c = 0; c < COMMIT_CAUSES; c++) {
		struct report_cause *cause = &r->causes[c];
		if (weight_of(s, c) <= cause->spot.weight)
			continue;
		cause->spot.weight = weight_of(s, c);
		name_spot(p, &cause->spot, s->first);
	}
	struct report_function_row *f = &p->functions[s->first->function];
	if (s->cycles > f->place_cycles) {
		f->place_cycles = s->cycles;
		name_line(f->place, sizeof f->place, &s->first->line);
		if (!*f->place)
			symbol_place_text(&s->first->place, f->place, sizeof f->place);
	}
	const struct report_spot branch = {.weight = s->refill, .instances = s->branches, .bad = s->mispredictions};
	const struct report_spot load = {
		.weight = s->waited, .instances = s->loads, .bad = s->l1d_misses, .worse = s->memory};
	r->spot_worth += is_worth(r, branch.weight) + is_worth(r, load.weight);
	keep_spot(p, r->worst_branches, &r->branch_spots, s->first, &branch);
	keep_spot(p, r->worst_loads, &r->load_spots, s->first, &load);
}

static void find_spots(struct places *p)
{
	qsort(p->all, p->count, sizeof *p->all, by_spot);
	struct sums s = {.first = NULL};
	size_t spot = 0;
	for (size_t i = 0; i < p->count; i++) {
		if (s.first && !same_spot(&p->all[i], s.first)) {
			end_spot(p, &s);
			s.first = NULL;
			spot++;
		}
		p->all[i].spot = spot;
		if (!s.first)
			s = (struct sums){.first = &p->all[i]};
		add_instruction(&s, &p->all[i]);
	}
	if (s.first)
		end_spot(p, &s);
}

/* --- causes --- */

static const char *event_name(enum culprit_event_class event)
{
	static const char *const names[] = {
#define EVENT_CLASS(name, base, what) #name,
#include "culprit/event_class.def"
		NULL,
	};
	return names[event];
}

static void find_causes(const struct places *p)
{
	struct run_report *r = p->report;
	r->cause_count = COMMIT_CAUSES;
	for (unsigned c = 0; c < COMMIT_CAUSES; c++) {
		const struct commit_cause_row row = commit_cause_told(c, r->unknown);
		bool nobodys = c == CAUSE_commit || c == CAUSE_pipeline || c == CAUSE_unknown || c == CAUSE_end;
		r->causes[c] = (struct report_cause){.name = row.name,
						     .label = row.label,
						     .words = row.words,
						     .event = event_name(row.event),
						     .nobodys = nobodys};
		for (size_t i = 0; i < p->count; i++)
			r->causes[c].cycles += p->all[i].entry->site->causes[c];
	}
	r->causes[CAUSE_commit].cycles = r->stack[COMMIT_commit].cycles;
	r->causes[CAUSE_end].cycles = r->stack[COMMIT_end].cycles;
}

/* --- sites --- */

static int by_weight(const void *a, const void *b)
{
	const struct insn_cycles_entry *x = ((const struct named *)a)->entry, *y = ((const struct named *)b)->entry;
	uint64_t left = x->cycles + x->site->refill, right = y->cycles + y->site->refill;
	if (left != right)
		return left < right ? 1 : -1;
	return (x->pc > y->pc) - (x->pc < y->pc);
}

static void fill_site(const struct places *p, struct report_site *s, const struct named *n)
{
	const struct insn_cycles_entry *e = n->entry;
	*s = (struct report_site){.pc = e->pc,
				  .executions = e->count,
				  .cycles = e->cycles,
				  .commit_cycles = e->commit_cycles,
				  .refill = e->site->refill,
				  .mispredictions = e->site->mispredictions,
				  .l1d_misses = e->site->l1d_misses,
				  .memory = e->site->memory};
	snprintf(s->function, sizeof s->function, "%s", p->functions[n->function].name);
	snprintf(s->object, sizeof s->object, "%s", symbol_place_object(&n->place));
	name_line(s->line, sizeof s->line, &n->line);
	memcpy(s->stack, e->site->rows, sizeof e->site->rows);
	memcpy(s->causes, e->site->causes, sizeof e->site->causes);
	s->stack[COMMIT_commit] = s->causes[CAUSE_commit] = e->commit_cycles;
}

static bool keep_sites(struct places *p, size_t most)
{
	struct run_report *r = p->report;
	r->all_sites = p->count;
	r->site_count = p->count < most ? p->count : most;
	r->sites = calloc(r->site_count + 1, sizeof *r->sites);
	if (!r->sites) {
		r->site_count = 0;
		return false;
	}
	qsort(p->all, p->count, sizeof *p->all, by_weight);
	for (size_t i = 0; i < r->site_count; i++)
		fill_site(p, &r->sites[i], &p->all[i]);
	return true;
}

static int by_address(const void *a, const void *b)
{
	const struct places_at *x = a, *y = b;
	return (x->pc > y->pc) - (x->pc < y->pc);
}

static bool make_index(const struct places *p, struct places_index *index)
{
	index->count = p->count;
	index->at = calloc(p->count + 1, sizeof *index->at);
	for (size_t i = 0; index->at && i < p->count; i++)
		index->at[i] = (struct places_at){p->all[i].entry->pc, p->all[i].function, p->all[i].spot};
	if (index->at)
		qsort(index->at, index->count, sizeof *index->at, by_address);
	return index->at != NULL;
}

/* Sites or an index. */
static bool fill(struct run_report *r, struct insn_cycles *insns, const struct symbols *symbols,
		 const struct lines *lines, size_t sites, struct places_index *index, struct error *err)
{
	struct places p = {.report = r};
	TRY(insn_cycles_finish(insns, &p.count, err));
	p.all = calloc(p.count + 1, sizeof *p.all);
	p.functions = calloc(p.count + 1, sizeof *p.functions);
	bool good = p.all && p.functions;
	for (size_t i = 0; good && i < p.count; i++) {
		const struct insn_cycles_entry *e = &insns->entries[i];
		p.all[i] = (struct named){e, symbols_find(symbols, e->pc), lines_find(lines, e->pc), 0, 0};
		r->function_cycles += e->cycles;
	}
	if (good) {
		find_causes(&p);
		find_functions(&p);
		find_spots(&p);
		keep_functions(&p);
		good = index ? make_index(&p, index) : keep_sites(&p, sites);
	}
	free(p.all);
	free(p.functions);
	return good || error_set(err, ERROR_SYSTEM, "out of memory for the report's places");
}

bool places_fill(struct run_report *r, struct insn_cycles *insns, const struct symbols *symbols,
		 const struct lines *lines, size_t sites, struct error *err)
{
	return fill(r, insns, symbols, lines, sites, NULL, err);
}

bool places_fill_indexed(struct run_report *r, struct insn_cycles *insns, const struct symbols *symbols,
			 const struct lines *lines, struct places_index *index, struct error *err)
{
	return fill(r, insns, symbols, lines, 0, index, err);
}
