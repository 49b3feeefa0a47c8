/* Shares of places: functions, lines, branches, loads. The profile of the whole region has their cycles: of each row of
 * the commit stack as much as the row's estimate, in the proportions of what the samples and the start saw. So a place
 * leans on the row's event with its part of the row, and its interval is that of such an estimate (ESTIMATE_PLACE).
 * What events tell of rows that no sample met has no place: it is a function of its own in the report. */
#include "sample/shares.h"

#include "sample/columns.h"
#include "sample/fill.h"
#include "sample/snapshot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NOWHERE "met by no sample"

/* Cycles of the whole profile, of the row and of the cause that an event belongs to. */
struct totals {
	double rows[SAMPLE_EVENTS], causes[SAMPLE_EVENTS];
};

struct shares {
	struct sample *s;
	struct columns columns;
	struct totals totals;
};

static bool no_memory(struct error *err)
{
	return error_set(err, ERROR_SYSTEM, "out of memory for the shares of functions and lines");
}

static enum commit_cause cause_of(enum sample_event event)
{
	return commit_row_cause(sample_event_commit_row(event));
}

static void find_totals(const struct insn_cycles *whole, struct totals *to)
{
	uint64_t rows[COMMIT_ROWS], causes[COMMIT_CAUSES] = {0};
	insn_cycles_stack(whole, 0, rows);
	for (size_t i = 0; i < whole->entry_count; i++)
		for (unsigned c = 0; c < COMMIT_CAUSES; c++)
			causes[c] += whole->entries[i].site->causes[c];
	for (unsigned e = 0; e < SAMPLE_EVENTS; e++) {
		to->rows[e] = (double)rows[sample_event_commit_row(e)];
		to->causes[e] = (double)causes[cause_of(e)];
	}
}

static double part(uint64_t cycles, double total)
{
	return total > 0 ? (double)cycles / total : 0;
}

/* --- sections --- */

/* Adds to the parts of a name: an array, of each event. */
static void add_parts(json_t *parts, const char *name, const double more[SAMPLE_EVENTS])
{
	json_t *of = json_object_get(parts, name);
	if (!of && json_object_set_new(parts, name, of = json_array()))
		return;
	for (unsigned e = 0; e < SAMPLE_EVENTS; e++)
		if (e == json_array_size(of))
			json_array_append_new(of, json_real(more[e]));
		else if (more[e] > 0)
			json_array_set_new(of, e, json_real(json_number_value(json_array_get(of, e)) + more[e]));
}

static void find_parts(const struct shares *h, json_t *functions, json_t *lines)
{
	const struct insn_cycles *whole = &h->s->whole;
	for (size_t i = 0; i < whole->entry_count; i++) {
		struct sample_place_names names;
		double parts[SAMPLE_EVENTS];
		for (unsigned e = 0; e < SAMPLE_EVENTS; e++)
			parts[e] = part(whole->entries[i].site->rows[sample_event_commit_row(e)], h->totals.rows[e]);
		sample_name_place(h->s, whole->entries[i].pc, &names);
		add_parts(functions, names.function, parts);
		if (*names.line)
			add_parts(lines, names.line, parts);
	}
}

static struct estimate place_estimate(struct shares *h, const char *path, const char *name,
				      const double parts[SAMPLE_EVENTS], double burst)
{
	const struct column_names names = {.path = path, .name = name, .base = "cycles"};
	struct estimate_samples samples = columns_place(h->s, &h->columns, &names, parts);
	samples.burst = burst;
	return sample_estimate(h->s, &samples);
}

/* The profile has the value, in whole cycles, and the estimate how far its interval reaches. */
static void set_row(struct sample_row *row, double value, const struct estimate *e)
{
	row->value = value;
	row->low = fmax(0, value - 100 * (e->value - e->low));
	row->high = fmin(100, value + 100 * (e->high - e->value));
	row->half = isfinite(e->half) ? fmax(value - row->low, row->high - value) : INFINITY;
}

static void fill_section(struct shares *h, const char *section, const json_t *parts, const json_t *cycles, double all)
{
	struct sample_section *to = (struct sample_section *)sample_find(&h->s->report, section);
	for (size_t i = 0; to && i < to->count; i++) {
		const json_t *of = json_object_get(parts, to->rows[i].name);
		double has[SAMPLE_EVENTS];
		for (unsigned e = 0; e < SAMPLE_EVENTS; e++)
			has[e] = json_number_value(json_array_get(of, e));
		const struct estimate e = place_estimate(h, section, to->rows[i].name, has, to->burst);
		set_row(&to->rows[i], 100 * json_number_value(json_object_get(cycles, to->rows[i].name)) / all, &e);
	}
	if (to)
		sample_sort(to);
}

/* A stretch without samples may be of nothing else. */
static bool add_nowhere(struct shares *h, double cycles, double all)
{
	struct sample_section *to = (struct sample_section *)sample_find(&h->s->report, "functions");
	const struct estimate_samples time = columns_gather(h->s, &h->columns, "counts", "cycles", "cycles");
	double has[SAMPLE_EVENTS], sum = 0;
	if (!to || cycles <= 0)
		return true;
	for (unsigned e = 0; e < SAMPLE_EVENTS; e++)
		has[e] = h->totals.rows[e] > 0 ? 0 : 1;
	for (size_t i = 0; i < time.count; i++)
		sum += time.c[i];
	struct sample_row *rows = realloc(to->rows, (to->count + 1) * sizeof *rows);
	if (!rows)
		return false;
	to->rows = rows;
	struct sample_row *row = &rows[to->count];
	const struct estimate e = place_estimate(h, "functions", NOWHERE, has, sum / (double)time.count);
	*row = (struct sample_row){.name = strdup(NOWHERE)};
	set_row(row, 100 * cycles / all, &e);
	to->count += row->name != NULL;
	sample_sort(to);
	return row->name != NULL;
}

static double cycles_nowhere(const struct shares *h)
{
	double cycles = 0;
	for (unsigned e = 0; e < SAMPLE_EVENTS; e++)
		if (h->totals.rows[e] <= 0)
			cycles += sample_cycles(h->s, "commit_stack", sample_event_row(e)).value;
	return cycles;
}

static double sum_of(const json_t *object)
{
	double sum = 0;
	const char *name;
	json_t *value;
	json_object_foreach((json_t *)object, name, value) sum += json_number_value(value);
	return sum;
}

static bool fill_sections(struct shares *h)
{
	json_t *measured = json_object(), *functions = json_object(), *lines = json_object();
	bool good = measured && functions && lines;
	if (good) {
		const double nowhere = cycles_nowhere(h);
		sample_measure_places(h->s, &h->s->whole, measured);
		const json_t *cycles = json_object_get(measured, "functions");
		const double all = nowhere + sum_of(cycles);
		find_parts(h, functions, lines);
		if (all > nowhere) {
			fill_section(h, "functions", functions, cycles, all);
			fill_section(h, "lines", lines, json_object_get(measured, "lines"), all);
			good = add_nowhere(h, nowhere, all);
		}
	}
	json_decref(measured);
	json_decref(functions);
	json_decref(lines);
	return good;
}

/* --- the screen --- */

/* What is shown of functions, branches and loads, in this order. */
enum { SHOWN = REPORT_FUNCTIONS_MAX + 2 * REPORT_WORST_MAX };

/* Of one instruction: in each of the three. */
struct amounts {
	double all, refill, waited;
};

static void add_spots(const struct report_spot *spots, uint32_t count, size_t id, double weight, double *sums)
{
	for (uint32_t i = 0; i < count; i++)
		sums[i] += spots[i].id == id ? weight : 0;
}

static void add_shown(const struct run_report *r, const struct places_at *at, const struct amounts *a,
		      double sums[SHOWN])
{
	double *branches = sums + REPORT_FUNCTIONS_MAX, *loads = branches + REPORT_WORST_MAX;
	for (uint32_t i = 0; i < r->function_count; i++)
		sums[i] += r->functions[i].id == at->function ? a->all : 0;
	add_spots(r->worst_branches, r->branch_spots, at->spot, a->refill, branches);
	add_spots(r->worst_loads, r->load_spots, at->spot, a->waited, loads);
}

/* Both are sorted by address, and the index has all that a sample has. */
static bool unit_shown(const struct sample *s, const struct sample_unit *u, const struct places_index *index,
		       double sums[SHOWN], struct error *err)
{
	struct insn_cycles unit = {0};
	const bool good = snapshot_unit(u, &unit, err);
	for (size_t i = 0, at = 0; good && i < unit.entry_count; i++) {
		const struct insn_cycles_entry *e = &unit.entries[i];
		const struct amounts a = {(double)e->cycles, (double)e->site->refill,
					  (double)places_waited_for_load(e->site)};
		while (at < index->count && index->at[at].pc < e->pc)
			at++;
		if (at < index->count && index->at[at].pc == e->pc)
			add_shown(&s->screen, &index->at[at], &a, sums);
	}
	insn_cycles_destroy(&unit);
	return good;
}

/* Spots are stretched by cause, functions by row. */
static struct amounts parts_of(const struct shares *h, const struct insn_cycles_site *site, enum sample_event event)
{
	const enum commit_cause cause = cause_of(event);
	const double total = h->totals.causes[event];
	struct amounts a = {.all = part(site->rows[sample_event_commit_row(event)], h->totals.rows[event])};
	if (cause == CAUSE_mispredict)
		a.refill = part(site->refill, total);
	if (cause == CAUSE_memory || cause == CAUSE_cache || cause == CAUSE_tlb || cause == CAUSE_l1)
		a.waited = part(site->causes[cause], total);
	return a;
}

/* A row of `table` is a sample: the start, then those that measured something, each times its weight. How many there
 * are behind the start; 0: an error. */
static size_t fill_table(const struct sample *s, const struct places_index *index, double (*table)[SHOWN],
			 struct error *err)
{
	size_t rows = 1;
	if (sample_measured(&s->first) && !unit_shown(s, &s->first, index, table[0], err))
		return 0;
	for (size_t i = 0; i < s->schedule.taken; i++) {
		if (!sample_measured(&s->units[i]))
			continue;
		if (!unit_shown(s, &s->units[i], index, table[rows], err))
			return 0;
		for (size_t k = 0; k < SHOWN; k++)
			table[rows][k] *= sample_weight(s, i);
		rows++;
	}
	return rows - 1;
}

static double burst_of(const struct sample *s, const char *section)
{
	const struct sample_section *of = sample_find(&s->report, section);
	return of ? of->burst : 0;
}

static void set_halves(struct run_report *r, const double halves[SHOWN])
{
	const double *branches = halves + REPORT_FUNCTIONS_MAX, *loads = branches + REPORT_WORST_MAX;
	for (uint32_t i = 0; i < r->function_count; i++)
		r->functions[i].half = halves[i];
	for (uint32_t i = 0; i < r->branch_spots; i++)
		r->worst_branches[i].half = branches[i];
	for (uint32_t i = 0; i < r->load_spots; i++)
		r->worst_loads[i].half = loads[i];
}

/* `column`: room for all samples. */
static void find_halves(struct shares *h, double (*table)[SHOWN], size_t count, double (*parts)[SAMPLE_EVENTS],
			double *column)
{
	const struct column_names names = {.path = "counts", .name = "cycles", .base = "cycles"};
	double halves[SHOWN];
	for (size_t k = 0; k < SHOWN; k++) {
		struct estimate_samples samples = columns_place(h->s, &h->columns, &names, parts[k]);
		for (size_t i = 0; i < count; i++)
			column[i] = table[i + 1][k];
		samples.x = column;
		samples.start_x = table[0][k];
		samples.burst = burst_of(h->s, k < REPORT_FUNCTIONS_MAX ? "functions" : "lines");
		const struct estimate e = sample_estimate(h->s, &samples);
		halves[k] = isfinite(e.half) ? e.half * (double)h->s->screen.cycles : 0;
	}
	set_halves(&h->s->screen, halves);
}

static void find_shown_parts(const struct shares *h, const struct places_index *index, double (*parts)[SAMPLE_EVENTS])
{
	const struct insn_cycles *whole = &h->s->whole;
	for (unsigned event = 0; event < SAMPLE_EVENTS; event++) {
		double sums[SHOWN] = {0};
		for (size_t i = 0; i < whole->entry_count && i < index->count; i++) {
			const struct amounts a = parts_of(h, whole->entries[i].site, event);
			add_shown(&h->s->screen, &index->at[i], &a, sums);
		}
		for (size_t k = 0; k < SHOWN; k++)
			parts[k][event] = sums[k];
	}
}

static bool fill_screen(struct shares *h, const struct places_index *index, struct error *err)
{
	const size_t most = h->s->schedule.taken + 1;
	double(*table)[SHOWN] = calloc(most, sizeof *table);
	double(*parts)[SAMPLE_EVENTS] = calloc(SHOWN, sizeof *parts);
	double *column = calloc(most, sizeof *column);
	bool good = (table && parts && column) || no_memory(err);
	const size_t count = good ? fill_table(h->s, index, table, err) : 0;
	if (count) {
		find_shown_parts(h, index, parts);
		find_halves(h, table, count, parts, column);
	}
	free(table);
	free(parts);
	free(column);
	return good && count;
}

bool sample_shares(struct sample *s, const struct places_index *index, struct error *err)
{
	struct shares h = {.s = s};
	bool good = columns_create(&h.columns, s) || no_memory(err);
	if (good) {
		columns_cpi(s, &h.columns); /* the events are learnt there */
		find_totals(&s->whole, &h.totals);
		good = (fill_sections(&h) || no_memory(err)) && fill_screen(&h, index, err);
	}
	columns_destroy(&h.columns);
	return good;
}
