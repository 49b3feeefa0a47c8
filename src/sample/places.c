/* The first screen of a sampled run. Each sample hands over what it counted at each instruction, before and after what
 * it measured; the difference is the sample's. All of them, each times what it stands for, and the start, which was
 * simulated in full, are one profile of the whole region: what `run` would have counted, estimated. The screen is made
 * of that as the screen of `run` is. Then once more sample by sample, for the intervals of what it shows.
 *
 * A snapshot is numbers of seven bits a byte: how many instructions; of each the distance of its address to the one
 * before, whether a call went there, cycles with commits, executions, how many counters are not 0; of these, index and
 * value. */
#include "sample/places.h"

#include "run/places.h"
#include "sample/columns.h"
#include "sample/fill.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(struct insn_cycles_site) % sizeof(uint64_t) == 0, "nothing but counters");
enum { COUNTERS = sizeof(struct insn_cycles_site) / sizeof(uint64_t) };

/* --- a snapshot --- */

static void put(struct bytes *to, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		bytes_put(to, (value & 0x7f) | 0x80, 1);
	bytes_put(to, value, 1);
}

static uint64_t get(struct cursor *from)
{
	uint64_t value = 0, byte = 0x80;
	for (unsigned at = 0; at < 64 && (byte & 0x80) && !from->failed; at += 7) {
		byte = cursor_get(from, 1);
		value |= (byte & 0x7f) << at;
	}
	return value;
}

static void put_site(struct bytes *to, const struct insn_cycles_site *site)
{
	uint64_t counters[COUNTERS], n = 0;
	memcpy(counters, site, sizeof counters);
	for (size_t i = 0; i < COUNTERS; i++)
		n += counters[i] != 0;
	put(to, n);
	for (size_t i = 0; i < COUNTERS; i++)
		if (counters[i]) {
			put(to, i);
			put(to, counters[i]);
		}
}

void sample_places_write(const struct insn_cycles *p, struct bytes *to)
{
	uint64_t before = 0;
	put(to, p->entry_count);
	for (size_t i = 0; i < p->entry_count; i++) {
		const struct insn_cycles_entry *e = &p->entries[i];
		put(to, e->pc - before);
		put(to, e->entry);
		put(to, e->commit_cycles);
		put(to, e->count);
		put_site(to, e->site);
		before = e->pc;
	}
}

/* --- profiles --- */

static bool no_memory(struct error *err)
{
	return error_set(err, ERROR_SYSTEM, "out of memory for the samples' instructions");
}

/* NULL: no memory. With counters, where there are some to add. */
static struct insn_cycles_place *place_of(struct insn_cycles *to, uint64_t pc, bool entry, bool counters)
{
	struct insn_cycles_page *page = insn_cycles_page(to, pc >> INSN_CYCLES_PAGE_BITS);
	const size_t at = pc >> 1 & (INSN_CYCLES_PLACES - 1);
	struct insn_cycles_place *place = page ? &page->places[at] : NULL;
	if (!place)
		return NULL;
	page->entries[at] |= entry;
	if (counters && !place->site && !(place->site = calloc(1, sizeof *place->site)))
		return NULL;
	return place;
}

/* A snapshot, `sign` times: 1, or -1 as an unsigned number, whose sums wrap to the difference. */
static bool add_snapshot(struct insn_cycles *to, struct cursor from, uint64_t sign, struct error *err)
{
	uint64_t pc = 0;
	for (uint64_t left = get(&from); left && !from.failed; left--) {
		pc += get(&from);
		const bool entry = get(&from) != 0;
		const uint64_t commit = get(&from), count = get(&from), counters = get(&from);
		struct insn_cycles_place *place = place_of(to, pc, entry, counters != 0);
		if (!place)
			return no_memory(err);
		place->commit_cycles += sign * commit;
		place->count += sign * count;
		for (uint64_t i = 0; i < counters && !from.failed; i++) {
			const uint64_t index = get(&from), value = get(&from);
			if (index >= COUNTERS)
				return error_set(err, ERROR_INTERNAL, "a sample's instructions are not whole");
			((uint64_t *)(void *)place->site)[index] += sign * value;
		}
	}
	return !from.failed || error_set(err, ERROR_INTERNAL, "a sample's instructions are not whole");
}

/* What one sample measured, with its entries. */
static bool unit_profile(const struct sample_unit *u, struct insn_cycles *part, struct error *err)
{
	const struct commit_stack_params none = {0, 0, 0};
	size_t count;
	TRY(insn_cycles_create(part, &none, 0, err));
	if (u->places[1].size)
		TRY(add_snapshot(part, (struct cursor){.at = u->places[1].at, .left = u->places[1].size}, 1, err));
	if (u->places[0].size)
		TRY(add_snapshot(part, (struct cursor){.at = u->places[0].at, .left = u->places[0].size}, UINT64_MAX,
				 err));
	return insn_cycles_finish(part, &count, err);
}

static uint64_t scaled(uint64_t value, double scale)
{
	return (uint64_t)llround((double)value * scale);
}

static bool add_scaled(struct insn_cycles *to, const struct insn_cycles *part, double scale, struct error *err)
{
	for (size_t i = 0; i < part->entry_count; i++) {
		const struct insn_cycles_entry *e = &part->entries[i];
		struct insn_cycles_place *place = place_of(to, e->pc, e->entry, true);
		if (!place)
			return no_memory(err);
		place->commit_cycles += scaled(e->commit_cycles, scale);
		place->count += scaled(e->count, scale);
		uint64_t more[COUNTERS], sum[COUNTERS];
		memcpy(more, e->site, sizeof more);
		memcpy(sum, place->site, sizeof sum);
		for (size_t k = 0; k < COUNTERS; k++)
			sum[k] += scaled(more[k], scale);
		memcpy(place->site, sum, sizeof sum);
	}
	return true;
}

static bool add_unit(struct insn_cycles *to, const struct sample_unit *u, double scale, struct error *err)
{
	struct insn_cycles part = {0};
	const bool good = unit_profile(u, &part, err) && add_scaled(to, &part, scale, err);
	insn_cycles_destroy(&part);
	return good;
}

/* What each row, and each cause, has to be multiplied with to have the cycles of its estimate: samples alone have those
 * that their own events cost, not those of events that are counted everywhere. */
struct stretch {
	double rows[COMMIT_ROWS], causes[COMMIT_CAUSES];
};

static void find_stretch(const struct sample *s, struct stretch *to)
{
	uint64_t rows[COMMIT_ROWS], causes[COMMIT_CAUSES] = {0};
	insn_cycles_stack(&s->whole, 0, rows);
	for (size_t i = 0; i < s->whole.entry_count; i++)
		for (unsigned c = 0; c < COMMIT_CAUSES; c++)
			causes[c] += s->whole.entries[i].site->causes[c];
	for (unsigned i = 0; i < COMMIT_ROWS; i++)
		to->rows[i] = rows[i] ? sample_cycles(s, "commit_stack", commit_row_name(i)).value / (double)rows[i]
				      : 1;
	for (unsigned c = 0; c < COMMIT_CAUSES; c++)
		to->causes[c] =
			causes[c] ? sample_cycles(s, "causes", commit_cause_row(c)->name).value / (double)causes[c] : 1;
}

/* Cycles move between places of a row, not between rows: cycles of a row that has no place go to the end. */
static bool stretch_profile(struct sample *s, struct error *err)
{
	struct stretch by;
	size_t count;
	TRY(insn_cycles_finish(&s->whole, &count, err));
	find_stretch(s, &by);
	for (size_t i = 0; i < s->whole.entry_count; i++) {
		struct insn_cycles_place *place = place_of(&s->whole, s->whole.entries[i].pc, false, false);
		if (!place || !place->site)
			continue;
		for (unsigned r = 0; r < COMMIT_ROWS; r++)
			place->site->rows[r] = scaled(place->site->rows[r], by.rows[r]);
		for (unsigned c = 0; c < COMMIT_CAUSES; c++)
			place->site->causes[c] = scaled(place->site->causes[c], by.causes[c]);
		place->site->refill = scaled(place->site->refill, by.causes[CAUSE_mispredict]);
	}
	free(s->whole.entries);
	s->whole.entries = NULL;
	s->whole.entry_count = 0;
	return true;
}

/* The whole region's, in s->whole. */
static bool whole_profile(struct sample *s, struct error *err)
{
	const struct commit_stack_params none = {0, 0, 0};
	TRY(insn_cycles_create(&s->whole, &none, 0, err));
	if (sample_measured(&s->first))
		TRY(add_unit(&s->whole, &s->first, 1, err));
	const double scale = sample_scale(s);
	for (size_t i = 0; i < s->schedule.taken; i++)
		if (sample_measured(&s->units[i]))
			TRY(add_unit(&s->whole, &s->units[i], scale * sample_weight(s, i), err));
	return stretch_profile(s, err);
}

/* --- the screen --- */

static void fill_stack(struct sample *s)
{
	struct run_report *r = &s->screen;
	uint64_t rows[COMMIT_ROWS], sum = 0;
	insn_cycles_stack(&s->whole, 0, rows);
	for (unsigned i = 0; i < COMMIT_ROWS; i++)
		sum += rows[i];
	const uint64_t cycles = (uint64_t)llround(s->report.cpi.value * (double)s->position);
	rows[COMMIT_end] += cycles > sum ? cycles - sum : 0; /* what came after a sample's last commit */
	r->cycles = cycles > sum ? cycles : sum;
	r->has_stack = true;
	for (unsigned i = 0; i < COMMIT_ROWS; i++)
		r->stack[r->stack_count++] =
			(struct report_stack_row){commit_row_name(i), commit_row_meaning(i), rows[i]};
}

/* Everything that has an interval on the screen: causes, functions, branches, loads, in this order. */
enum { SHOWN = REPORT_CAUSES_MAX + REPORT_FUNCTIONS_MAX + 2 * REPORT_WORST_MAX };

static void add_spots(const struct report_spot *spots, uint32_t count, size_t id, uint64_t weight, double *sums)
{
	for (uint32_t i = 0; i < count; i++)
		sums[i] += spots[i].id == id ? (double)weight : 0;
}

static void add_shown(const struct run_report *r, const struct insn_cycles_entry *e, const struct places_at *at,
		      double sums[SHOWN])
{
	double *functions = sums + REPORT_CAUSES_MAX, *branches = functions + REPORT_FUNCTIONS_MAX;
	sums[CAUSE_commit] += (double)e->commit_cycles;
	for (unsigned c = CAUSE_commit + 1; c < COMMIT_CAUSES; c++)
		sums[c] += (double)e->site->causes[c];
	for (uint32_t i = 0; i < r->function_count; i++)
		functions[i] += r->functions[i].id == at->function ? (double)e->cycles : 0;
	add_spots(r->worst_branches, r->branch_spots, at->spot, e->site->refill, branches);
	add_spots(r->worst_loads, r->load_spots, at->spot, places_waited_for_load(e->site),
		  branches + REPORT_WORST_MAX);
}

/* Both are sorted by address, and the index has all that a sample has. */
static bool unit_shown(const struct sample *s, const struct sample_unit *u, const struct places_index *index,
		       double sums[SHOWN], struct error *err)
{
	struct insn_cycles part = {0};
	const bool good = unit_profile(u, &part, err);
	memset(sums, 0, SHOWN * sizeof *sums);
	for (size_t i = 0, at = 0; good && i < part.entry_count; i++) {
		while (at < index->count && index->at[at].pc < part.entries[i].pc)
			at++;
		if (at < index->count && index->at[at].pc == part.entries[i].pc)
			add_shown(&s->screen, &part.entries[i], &index->at[at], sums);
	}
	insn_cycles_destroy(&part);
	return good;
}

/* halves[i]: of the i-th that is shown, in cycles. Those of causes lean on events, as the causes do. */
static void set_halves(const struct sample *s, struct run_report *r, const double halves[SHOWN])
{
	const double *functions = halves + REPORT_CAUSES_MAX, *branches = functions + REPORT_FUNCTIONS_MAX;
	for (uint32_t i = 0; i < r->cause_count; i++)
		r->causes[i].half = sample_cycles(s, "causes", r->causes[i].name).half;
	for (uint32_t i = 0; i < r->function_count; i++)
		r->functions[i].half = functions[i];
	for (uint32_t i = 0; i < r->branch_spots; i++)
		r->worst_branches[i].half = branches[i];
	for (uint32_t i = 0; i < r->load_spots; i++)
		r->worst_loads[i].half = branches[REPORT_WORST_MAX + i];
}

/* A row of `table` is a sample: the start, then those that measured something, each times its weight. */
static bool find_halves(struct sample *s, const struct places_index *index, double (*table)[SHOWN], double *column,
			struct error *err)
{
	double halves[SHOWN];
	size_t rows = 1;
	if (sample_measured(&s->first))
		TRY(unit_shown(s, &s->first, index, table[0], err));
	for (size_t i = 0; i < s->schedule.taken; i++) {
		if (!sample_measured(&s->units[i]))
			continue;
		TRY(unit_shown(s, &s->units[i], index, table[rows], err));
		for (size_t k = 0; k < SHOWN; k++)
			table[rows][k] *= sample_weight(s, i);
		rows++;
	}
	for (size_t k = 0; k < SHOWN; k++) {
		for (size_t i = 1; i < rows; i++)
			column[i - 1] = table[i][k];
		const double half = sample_half(s, column, rows - 1, table[0][k]);
		if (half < 0)
			return no_memory(err);
		halves[k] = half * (double)s->screen.cycles;
	}
	set_halves(s, &s->screen, halves);
	return true;
}

static bool fill_halves(struct sample *s, const struct places_index *index, struct error *err)
{
	double(*table)[SHOWN] = calloc(s->schedule.taken + 1, sizeof *table);
	double *column = calloc(s->schedule.taken + 1, sizeof *column);
	const bool good = table && column ? find_halves(s, index, table, column, err) : no_memory(err);
	free(table);
	free(column);
	return good;
}

static void fill_places(struct sample *s)
{
	json_t *measured = json_object();
	sample_measure_places(s, &s->whole, measured);
	sample_fill_places(s, measured);
	json_decref(measured);
}

bool sample_screen(struct sample *s, struct error *err)
{
	struct run_report *r = &s->screen;
	struct places_index index = {0};
	r->width = s->session.machine.commit_width;
	r->instructions = s->position;
	if (s->report.start < s->position)				/* else all of it was counted */
		r->samples = s->report.samples ? s->report.samples : 1; /* the start alone is one */
	r->confidence = s->report.chosen || s->report.samples < 2 ? 0 : 100 * s->report.confidence;
	r->has_critical = analyses_have(&s->session.analyses, "critical");
	TRY(whole_profile(s, err));
	fill_stack(s);
	TRY(places_fill_indexed(r, &s->whole, s->symbols, s->lines, &index, err));
	if (r->confidence > 0)
		fill_places(s);
	sample_costs(s, &r->costs);
	const bool good = r->confidence <= 0 || fill_halves(s, &index, err);
	free(index.at);
	return good;
}
