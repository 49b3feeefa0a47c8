/* The first screen of a sampled run. Each sample hands over what it counted at each instruction, before and after what
 * it measured; the difference is the sample's. All of them, each times what it stands for, and the start, which was
 * simulated in full, are one profile of the whole region: what `run` would have counted, estimated. The screen is made
 * of that as the screen of `run` is. Then once more sample by sample, for the intervals of what it shows. */
#include "sample/places.h"

#include "run/places.h"
#include "sample/columns.h"
#include "sample/fill.h"
#include "sample/shares.h"
#include "sample/snapshot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- profiles --- */

static bool no_memory(struct error *err)
{
	return error_set(err, ERROR_SYSTEM, "out of memory for the samples' instructions");
}

static uint64_t scaled(uint64_t value, double scale)
{
	return (uint64_t)llround((double)value * scale);
}

static bool add_scaled(struct insn_cycles *to, const struct insn_cycles *part, double scale, struct error *err)
{
	for (size_t i = 0; i < part->entry_count; i++) {
		const struct insn_cycles_entry *e = &part->entries[i];
		struct insn_cycles_place *place = snapshot_place(to, e->pc, e->entry, true);
		if (!place)
			return no_memory(err);
		place->commit_cycles += scaled(e->commit_cycles, scale);
		place->count += scaled(e->count, scale);
		uint64_t more[SNAPSHOT_COUNTERS], sum[SNAPSHOT_COUNTERS];
		memcpy(more, e->site, sizeof more);
		memcpy(sum, place->site, sizeof sum);
		for (size_t k = 0; k < SNAPSHOT_COUNTERS; k++)
			sum[k] += scaled(more[k], scale);
		memcpy(place->site, sum, sizeof sum);
	}
	return true;
}

static bool add_unit(struct insn_cycles *to, const struct sample_unit *u, double scale, struct error *err)
{
	struct insn_cycles part = {0};
	const bool good = snapshot_unit(u, &part, err) && add_scaled(to, &part, scale, err);
	insn_cycles_destroy(&part);
	return good;
}

/* What each row, and each cause, has to be multiplied with to have the cycles of its estimate: samples alone have those
 * that their own events cost, not those of events that are counted everywhere; and counts of samples were rounded. */
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

/* Cycles move between places of a row, not between rows: those of a row that no sample met have no place. */
static bool stretch_profile(struct sample *s, struct error *err)
{
	struct stretch by;
	size_t count;
	TRY(insn_cycles_finish(&s->whole, &count, err));
	find_stretch(s, &by);
	for (size_t i = 0; i < s->whole.entry_count; i++) {
		struct insn_cycles_place *place = snapshot_place(&s->whole, s->whole.entries[i].pc, false, false);
		if (!place || !place->site)
			continue;
		place->commit_cycles = scaled(place->commit_cycles, by.rows[COMMIT_commit]);
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

/* As the sections have them: of rows that no sample met, but events tell of, too. */
static void fill_stack(struct sample *s)
{
	struct run_report *r = &s->screen;
	r->cycles = (uint64_t)llround(s->report.cpi.value * (double)s->position);
	r->has_stack = true;
	for (unsigned i = 0; i < COMMIT_ROWS; i++) {
		const double cycles = sample_cycles(s, "commit_stack", commit_row_name(i)).value;
		r->stack[r->stack_count++] = (struct report_stack_row){commit_row_name(i), commit_row_meaning(i),
								       (uint64_t)llround(fmax(0, cycles))};
	}
}

static void fill_causes(struct sample *s)
{
	struct run_report *r = &s->screen;
	for (uint32_t i = 0; i < r->cause_count; i++) {
		const struct estimate e = sample_cycles(s, "causes", r->causes[i].name);
		r->causes[i].cycles = (uint64_t)llround(fmax(0, e.value));
		r->causes[i].half = isfinite(e.half) ? e.half : 0;
	}
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
	fill_causes(s);
	sample_costs(s, &r->costs);
	const bool estimated = r->samples && s->report.samples && !s->report.chosen;
	const bool good = !estimated || sample_shares(s, &index, err);
	free(index.at);
	return good;
}
