/* See the header. Nothing here branches on an outcome: what a predictor gets wrong the host would, too. */
#include "interval/profile/directions.h"

enum { TAKEN = 2 }; /* a counter, from which on it says so */

/* [the branch was taken][counter] */
static const uint8_t trained[2][4] = {{0, 0, 1, 2}, {1, 2, 3, 3}};

static inline void add(struct interval_notes *n, const struct interval_conditional *c, bool taken)
{
	uint32_t note = c->answers >> (taken ? 2 : 0) & NOTE_BITS;
	n->list[n->count] = c->place | note;
	n->count += note != 0;
}

static void run_bimodal(struct direction *d, const struct interval_conditional *list, size_t count,
			struct interval_notes *notes)
{
	struct interval_notes noted = *notes;
	for (const struct interval_conditional *c = list; c < list + count; c++) {
		uint8_t *b = &d->bimodal[c->key & d->bimodal_mask];
		add(&noted, c, *b >= TAKEN);
		*b = trained[c->taken][*b];
	}
	*notes = noted;
}

static void run_gshare(struct direction *d, const struct interval_conditional *list, size_t count,
		       struct interval_notes *notes)
{
	struct interval_notes noted = *notes;
	uint64_t history = d->history, history_mask = d->history_mask;
	for (const struct interval_conditional *c = list; c < list + count; c++) {
		uint8_t *g = &d->gshare[(c->key ^ (uint32_t)history) & d->gshare_mask];
		add(&noted, c, *g >= TAKEN);
		*g = trained[c->taken][*g];
		history = (history << 1 | c->taken) & history_mask;
	}
	d->history = history;
	*notes = noted;
}

__attribute__((always_inline)) static inline void combined(struct direction *d, const struct interval_conditional *list,
							   size_t count, struct interval_direction_notes *notes,
							   bool parts)
{
	struct interval_direction_notes noted = *notes;
	const struct direction at = *d; /* a store to a counter could be to *d, for all the compiler knows */
	uint64_t history = d->history;
	for (const struct interval_conditional *c = list; c < list + count; c++) {
		uint8_t *b = &at.bimodal[c->key & at.bimodal_mask];
		uint8_t *g = &at.gshare[(c->key ^ (uint32_t)history) & at.gshare_mask];
		uint8_t *m = &at.meta[c->key & at.meta_mask];
		bool from_b = *b >= TAKEN, from_g = *g >= TAKEN;
		add(&noted.whole, c, *m >= TAKEN ? from_g : from_b);
		if (parts) {
			add(&noted.bimodal, c, from_b);
			add(&noted.gshare, c, from_g);
		}
		*b = trained[c->taken][*b];
		*g = trained[c->taken][*g];
		*m = from_b == from_g ? *m : trained[from_g == c->taken][*m];
		history = (history << 1 | c->taken) & at.history_mask;
	}
	d->history = history;
	*notes = noted;
}

static void run_combined(struct direction *d, const struct interval_conditional *list, size_t count,
			 struct interval_direction_notes *notes)
{
	if (notes->bimodal.list)
		combined(d, list, count, notes, true);
	else
		combined(d, list, count, notes, false);
}

/* Whatever it is. */
static void run_any(struct direction *d, const struct interval_conditional *list, size_t count,
		    struct interval_notes *notes)
{
	for (size_t i = 0; i < count; i++) {
		struct branch_query q = {.pc = list[i].pc, .direct_target = list[i].target};
		struct direction_note note;
		uint8_t component;
		add(notes, &list[i], direction_predict(d, &q, &note, &component));
		direction_speculate(d, list[i].taken);
		direction_update(d, &note, list[i].taken);
	}
}

bool interval_directions_are_plain(const struct direction *d)
{
	return d->history_bits <= d->gshare_bits;
}

void interval_directions_run(struct direction *d, const struct interval_conditional *list, size_t count,
			     struct interval_direction_notes *notes)
{
	notes->whole.count = notes->bimodal.count = notes->gshare.count = 0;
	if (!interval_directions_are_plain(d))
		run_any(d, list, count, &notes->whole);
	else if (d->kind == direction_predictor_bimodal)
		run_bimodal(d, list, count, &notes->whole);
	else if (d->kind == direction_predictor_gshare)
		run_gshare(d, list, count, &notes->whole);
	else if (d->kind == direction_predictor_combined)
		run_combined(d, list, count, notes);
	else
		run_any(d, list, count, &notes->whole);
}
