/* Static, bimodal, gshare and combined direction prediction; the model is described in direction.h. */
#include "machine/direction.h"

#include <stdlib.h>
#include <string.h>

enum { ROW_COLUMNS = 4, FOLDED = 6 }; /* bi-mode by blocks: bits within a row, and of the oldest outcomes */
enum { COUNTER_NOT = 0, COUNTER_WEAKLY_NOT = 1, COUNTER_WEAKLY_TAKEN = 2, COUNTER_MAX = 3 };

static uint8_t *counters_create(uint32_t entries, uint8_t initial, uint32_t *mask, const char *key, struct error *err)
{
	if (entries == 0 || (entries & (entries - 1))) {
		error_set(err, ERROR_INPUT, "branch.%s: %u is not a power of two", key, entries);
		return NULL;
	}
	uint8_t *table = malloc(entries);
	if (!table) {
		error_set(err, ERROR_SYSTEM, "branch.%s: out of memory for %u counters", key, entries);
		return NULL;
	}
	memset(table, initial, entries);
	*mask = entries - 1;
	return table;
}

static void history_create(struct direction *d, const struct machine *m)
{
	d->gshare_bits = (uint32_t)__builtin_popcount(d->gshare_mask);
	d->history_bits = m->branch_history;
	d->history_mask = m->branch_history < 64 ? (1ull << m->branch_history) - 1 : ~0ull;
}

static bool bi_mode_create(struct direction *d, const struct machine *m, struct error *err)
{
	uint32_t entries = m->branch_gshare_entries, block = m->branch_block;
	d->block_shift = block ? (uint32_t)__builtin_ctz(block) : 0;
	d->row_shift = m->branch_choice_row ? d->block_shift + (uint32_t)__builtin_ctz(m->branch_choice_row) : 0;
	d->row = UINT64_MAX;
	TRY(d->gshare = counters_create(entries, block ? COUNTER_MAX : COUNTER_WEAKLY_TAKEN, &d->gshare_mask,
					"gshare_entries", err));
	TRY(d->bimodal = counters_create(entries, block ? COUNTER_NOT : COUNTER_WEAKLY_NOT, &d->bimodal_mask,
					 "gshare_entries", err));
	TRY(d->meta = counters_create(m->branch_meta_entries, COUNTER_NOT, &d->meta_mask, "meta_entries", err));
	history_create(d, m);
	return true;
}

static bool tournament_create(struct direction *d, const struct machine *m, struct error *err)
{
	TRY(d->bimodal =
		    counters_create(m->branch_bimodal_entries, COUNTER_NOT, &d->bimodal_mask, "bimodal_entries", err));
	TRY(d->gshare = counters_create(m->branch_gshare_entries, COUNTER_NOT, &d->gshare_mask, "gshare_entries", err));
	TRY(d->meta = counters_create(m->branch_meta_entries, COUNTER_NOT, &d->meta_mask, "meta_entries", err));
	d->local = calloc(m->branch_local_entries, sizeof *d->local);
	d->local_mask = m->branch_local_entries - 1;
	history_create(d, m);
	return d->local || error_set(err, ERROR_SYSTEM, "branch.local_entries: out of memory");
}

bool direction_create(struct direction *d, const struct machine *m, struct error *err)
{
	*d = (struct direction){.kind = m->branch_predictor};
	TRY(outcomes_create(&d->outcomes, m->branch_train_queue, err));
	bool combined = d->kind == direction_predictor_combined;
	if (d->kind == direction_predictor_bi_mode)
		return bi_mode_create(d, m, err);
	if (d->kind == direction_predictor_tournament)
		return tournament_create(d, m, err);
	if (combined || d->kind == direction_predictor_bimodal) {
		d->bimodal = counters_create(m->branch_bimodal_entries, COUNTER_WEAKLY_TAKEN, &d->bimodal_mask,
					     "bimodal_entries", err);
		TRY(d->bimodal);
	}
	if (combined || d->kind == direction_predictor_gshare) {
		d->gshare = counters_create(m->branch_gshare_entries, COUNTER_WEAKLY_TAKEN, &d->gshare_mask,
					    "gshare_entries", err);
		TRY(d->gshare);
		history_create(d, m);
	}
	if (combined) {
		d->meta =
			counters_create(m->branch_meta_entries, COUNTER_WEAKLY_NOT, &d->meta_mask, "meta_entries", err);
		TRY(d->meta);
	}
	return true;
}

void direction_destroy(struct direction *d)
{
	free(d->bimodal);
	free(d->gshare);
	free(d->meta);
	outcomes_destroy(&d->outcomes);
	free(d->local);
}

uint64_t direction_storage_bits(const struct direction *d)
{
	uint64_t bits = d->history_bits;
	if (d->bimodal)
		bits += 2 * ((uint64_t)d->bimodal_mask + 1);
	if (d->gshare)
		bits += 2 * ((uint64_t)d->gshare_mask + 1);
	if (d->meta)
		bits += 2 * ((uint64_t)d->meta_mask + 1);
	if (d->local)
		bits += (uint64_t)__builtin_popcount(d->bimodal_mask) * ((uint64_t)d->local_mask + 1);
	return bits;
}

static uint32_t gshare_index(const struct direction *d, uint64_t pc)
{
	uint64_t folded = d->history;
	if (d->history_bits > d->gshare_bits && d->gshare_bits > 0)
		for (uint64_t rest = d->history >> d->gshare_bits; rest; rest >>= d->gshare_bits)
			folded ^= rest;
	return (uint32_t)(pc >> 1 ^ folded) & d->gshare_mask;
}

static bool bimodal_read(const struct direction *d, uint64_t pc, struct direction_note *note)
{
	note->bimodal = (uint32_t)(pc >> 1) & d->bimodal_mask;
	return d->bimodal[note->bimodal] >= COUNTER_WEAKLY_TAKEN;
}

static bool gshare_read(const struct direction *d, uint64_t pc, struct direction_note *note)
{
	note->gshare = gshare_index(d, pc);
	return d->gshare[note->gshare] >= COUNTER_WEAKLY_TAKEN;
}

static bool combined_read(const struct direction *d, uint64_t pc, struct direction_note *note, uint8_t *component)
{
	note->bimodal_taken = bimodal_read(d, pc, note);
	note->gshare_taken = gshare_read(d, pc, note);
	note->meta = (uint32_t)(pc >> 1) & d->meta_mask;
	bool use_gshare = d->meta[note->meta] >= COUNTER_WEAKLY_TAKEN;
	*component = use_gshare ? PREDICTOR_GSHARE : PREDICTOR_BIMODAL;
	return use_gshare ? note->gshare_taken : note->bimodal_taken;
}

static bool tournament_read(const struct direction *d, uint64_t pc, struct direction_note *note, uint8_t *component)
{
	note->bimodal = d->local[pc >> 1 & d->local_mask] & d->bimodal_mask;
	note->gshare = (uint32_t)d->history & d->gshare_mask;
	note->meta = (uint32_t)d->history & d->meta_mask;
	note->bimodal_taken = d->bimodal[note->bimodal] >= COUNTER_WEAKLY_TAKEN;
	note->gshare_taken = d->gshare[note->gshare] >= COUNTER_WEAKLY_TAKEN;
	bool global = d->meta[note->meta] >= COUNTER_WEAKLY_TAKEN;
	*component = global ? PREDICTOR_GSHARE : PREDICTOR_BIMODAL;
	return global ? note->gshare_taken : note->bimodal_taken;
}

void direction_committed(struct direction *d, uint64_t pc, bool taken)
{
	if (!d->local)
		return;
	uint32_t *history = &d->local[pc >> 1 & d->local_mask];
	*history = *history << 1 | taken;
}

/* A row by older outcomes, and a column in it by the newest and the block. */
static uint32_t block_index(const struct direction *d, uint64_t block)
{
	uint64_t oldest = d->history_bits > FOLDED ? d->history >> (d->history_bits - FOLDED) : 0;
	uint64_t row = d->history >> ROW_COLUMNS ^ oldest, column = (block ^ d->history) & ((1u << ROW_COLUMNS) - 1);
	return (uint32_t)(row << ROW_COLUMNS | column) & d->gshare_mask;
}

/* Counters of the row that was read are as they were then. */
static uint8_t choice_read(const struct direction *d, uint64_t pc, uint32_t index)
{
	bool kept = d->row_shift && pc >> d->row_shift == d->row;
	return kept ? d->read[index & ((1u << (d->row_shift - d->block_shift)) - 1)] : d->meta[index];
}

void direction_passed(struct direction *d, const struct branch_query *q, bool restored, bool taken, uint64_t next)
{
	const bool redirected = taken || restored;
	uint64_t at = redirected ? next : q->pc;
	if (!d->row_shift)
		return;
	d->fresh = restored || (d->fresh && q->kind != CULPRIT_BRANCH_CONDITIONAL);
	if (restored)
		d->fresh_block = next >> d->block_shift;
	if (!redirected && q->pc >> d->row_shift == d->row)
		return;
	d->row = at >> d->row_shift;
	uint32_t counters = 1u << (d->row_shift - d->block_shift);
	for (uint32_t i = 0; i < counters; i++)
		d->read[i] = d->meta[(d->row * counters + i) & d->meta_mask];
}

/* One step towards `up`, saturating, without a branch: outcomes are what a host predicts worst. */
static inline void counter_train(uint8_t *counter, bool up)
{
	uint8_t c = *counter;
	*counter = (uint8_t)(c + (up & (c < COUNTER_MAX)) - (!up & (c > 0)));
}

static inline uint8_t counter_stepped(uint8_t counter, bool up)
{
	counter_train(&counter, up);
	return counter;
}

/* Behind a squash the choice is looked for among the outcomes that wait to be written. */
static uint8_t choice_waiting(const struct direction *d, const struct direction_note *note)
{
	const struct outcome *one = outcomes_find(&d->outcomes, note->meta, note->gshare);
	return one ? counter_stepped(one->note.choice, one->taken) : note->choice;
}

/* A function of its own, or what it needs is saved for each prediction of the others. */
__attribute__((noinline)) static bool block_read(const struct direction *d, uint64_t pc, struct direction_note *note)
{
	uint64_t block = pc >> d->block_shift;
	note->gshare = block_index(d, block);
	note->meta = (uint32_t)block & d->meta_mask;
	note->choice = choice_read(d, pc, note->meta);
	if (d->fresh && d->fresh_block == block)
		note->choice = choice_waiting(d, note);
	note->bimodal_taken = note->choice >= COUNTER_WEAKLY_TAKEN;
	note->counter = (note->bimodal_taken ? d->gshare : d->bimodal)[note->gshare];
	return note->gshare_taken = note->counter >= COUNTER_WEAKLY_TAKEN;
}

static bool bi_mode_read(const struct direction *d, uint64_t pc, struct direction_note *note)
{
	note->gshare = gshare_index(d, pc);
	note->meta = (uint32_t)(pc >> 1) & d->meta_mask;
	note->bimodal_taken = d->meta[note->meta] >= COUNTER_WEAKLY_TAKEN;
	const uint8_t *table = note->bimodal_taken ? d->gshare : d->bimodal;
	return note->gshare_taken = table[note->gshare] >= COUNTER_WEAKLY_TAKEN;
}

bool direction_predict(const struct direction *d, const struct branch_query *q, struct direction_note *note,
		       uint8_t *component)
{
	switch (d->kind) {
	case direction_predictor_bimodal:
		*component = PREDICTOR_BIMODAL;
		return bimodal_read(d, q->pc, note);
	case direction_predictor_gshare:
		*component = PREDICTOR_GSHARE;
		return gshare_read(d, q->pc, note);
	case direction_predictor_combined:
		return combined_read(d, q->pc, note, component);
	case direction_predictor_tournament:
		return tournament_read(d, q->pc, note, component);
	case direction_predictor_bi_mode:
		*component = PREDICTOR_GSHARE;
		return d->block_shift ? block_read(d, q->pc, note) : bi_mode_read(d, q->pc, note);
	case direction_predictor_taken:
		*component = PREDICTOR_STATIC;
		return true;
	case direction_predictor_static_:
		*component = PREDICTOR_STATIC;
		return q->direct_target <= q->pc;
	default:
		*component = PREDICTOR_STATIC;
		return false;
	}
}

bool direction_is_strong(const struct direction *d, const struct direction_note *note)
{
	return !d->block_shift || note->counter == COUNTER_MAX;
}

/* Has anything to be written? Not where both counters stay, nor the choice that is wrong and does no harm. */
static bool block_learns(const struct direction_note *note, bool taken)
{
	bool kept = note->bimodal_taken != taken && note->gshare_taken == taken;
	return counter_stepped(note->counter, taken) != note->counter ||
	       (!kept && counter_stepped(note->choice, taken) != note->choice);
}

static void block_update(struct direction *d, const struct direction_note *note, bool taken)
{
	if (!block_learns(note, taken))
		return;
	d->meta[note->meta] = counter_stepped(note->choice, taken);
	(note->bimodal_taken ? d->gshare : d->bimodal)[note->gshare] = counter_stepped(note->counter, taken);
}

static void bi_mode_update(struct direction *d, const struct direction_note *note, bool taken)
{
	uint8_t *table = note->bimodal_taken ? d->gshare : d->bimodal;
	if (note->bimodal_taken == taken || note->gshare_taken != taken)
		counter_train(&d->meta[note->meta], taken);
	counter_train(&table[note->gshare], taken);
}

void direction_update(struct direction *d, const struct direction_note *note, bool taken)
{
	if (d->kind == direction_predictor_bi_mode) {
		if (d->block_shift)
			block_update(d, note, taken);
		else
			bi_mode_update(d, note, taken);
		return;
	}
	if (d->bimodal)
		counter_train(&d->bimodal[note->bimodal], taken);
	if (d->gshare)
		counter_train(&d->gshare[note->gshare], taken);
	if (d->meta && note->bimodal_taken != note->gshare_taken)
		counter_train(&d->meta[note->meta], note->gshare_taken == taken);
}

bool direction_train(struct direction *d, const struct branch_query *q, bool taken, bool right_alone)
{
	struct direction_note note = {0};
	uint8_t component;
	const bool predicted = direction_predict(d, q, &note, &component);
	if (right_alone && predicted != taken)
		return predicted;
	direction_speculate(d, taken);
	direction_update(d, &note, taken);
	direction_committed(d, q->pc, taken);
	return predicted;
}

void direction_resolved(struct direction *d, const struct direction_note *note, bool taken, uint64_t when)
{
	if (!d->outcomes.room || (d->block_shift && !block_learns(note, taken)))
		return;
	outcomes_arrive(&d->outcomes, &(struct outcome){.when = when, .note = *note, .taken = taken});
}

void direction_write(struct direction *d, uint64_t end, bool reading)
{
	for (struct outcome one; outcomes_next(&d->outcomes, end, reading, &one);)
		direction_update(d, &one.note, one.taken);
}
