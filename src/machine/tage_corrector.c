/* Statistical corrector; the model is described in tage_corrector.h. */
#include "machine/tage_corrector.h"

#include "machine/tage_history.h"

#include <stdlib.h>

enum {
	COUNTER_BITS = 6,
	BIAS_START = 15, /* biases start out agreeing with TAGE */
	THRESHOLD_START = 35 * 8,
	THRESHOLD_MAX = 2047, /* 12 bits with sign */
	THRESHOLDS_BITS = 6,
	CHOOSER_BITS = 7,
	LOCAL_BITS = 11,
	IMLI_MAX = 1023,
	IMLI_BITS = 10,
	GLOBAL_BITS = 40,
};

/* History bits that each table sees; rows 0-2 are the biases. */
enum { FIRST_GLOBAL = 3, FIRST_PATH = 6, FIRST_LOCAL = 8, FIRST_IMLI = 11 };
static const uint8_t history_bits[CORRECTOR_TABLES] = {0, 0, 0, 10, 24, GLOBAL_BITS, 9, 16, LOCAL_BITS, 6, 3, 0, 4};

bool corrector_create(struct corrector *c, uint32_t log2_entries)
{
	size_t entries = (size_t)1 << log2_entries;
	*c = (struct corrector){.log2_entries = log2_entries, .threshold = THRESHOLD_START};
	c->table = calloc(CORRECTOR_TABLES, entries);
	if (!c->table)
		return false;
	for (size_t i = 0; i < FIRST_GLOBAL * entries; i++)
		c->table[i] = i & 1 ? BIAS_START : -BIAS_START - 1;
	return true;
}

void corrector_destroy(struct corrector *c)
{
	free(c->table);
}

uint64_t corrector_storage_bits(const struct corrector *c)
{
	return ((uint64_t)CORRECTOR_TABLES * COUNTER_BITS << c->log2_entries) + CORRECTOR_LOCALS * LOCAL_BITS +
	       CORRECTOR_THRESHOLDS * THRESHOLDS_BITS + 12 + 2 * CHOOSER_BITS + IMLI_BITS + GLOBAL_BITS;
}

static unsigned local_of(uint64_t pc)
{
	return (unsigned)(pc >> 1 ^ pc >> 9) % CORRECTOR_LOCALS;
}

static unsigned threshold_of(uint64_t pc)
{
	return (unsigned)(pc >> 1 ^ pc >> 7) % CORRECTOR_THRESHOLDS;
}

static int threshold(const struct corrector *c, uint64_t pc)
{
	int t = (c->threshold >> 3) + c->thresholds[threshold_of(pc)];
	return t > 0 ? t : 0;
}

/* The histories that the tables see, beside `history_bits`. */
static void contexts(const struct corrector_spec *s, const struct corrector_input *in,
		     uint64_t context[CORRECTOR_TABLES])
{
	uint64_t local = s->local[local_of(in->pc)];
	context[0] = 0;
	context[1] = in->confidence;
	context[2] = in->provider;
	for (int i = FIRST_GLOBAL; i < FIRST_PATH; i++)
		context[i] = s->global & ((1ull << history_bits[i]) - 1);
	for (int i = FIRST_PATH; i < FIRST_LOCAL; i++)
		context[i] = in->path & ((1ull << history_bits[i]) - 1);
	for (int i = FIRST_LOCAL; i < FIRST_IMLI; i++)
		context[i] = local & ((1ull << history_bits[i]) - 1);
	context[FIRST_IMLI] = s->imli;
	context[FIRST_IMLI + 1] = (uint64_t)s->imli << 4 | (s->global & 15);
}

/* Multiplicative hashing of pc and context. */
static inline uint32_t hash_of(uint64_t pc_part, uint64_t context, uint32_t shift)
{
	uint64_t hash = pc_part + context * 0xff51afd7ed558ccdu;
	return (uint32_t)((hash ^ hash >> 29) * 0x9e3779b97f4a7c15u >> shift);
}

/* A bias index ends in TAGE's prediction. */
static int corrector_sum(const struct corrector *c, const struct corrector_spec *s, const struct corrector_input *in,
			 uint16_t index[CORRECTOR_TABLES])
{
	uint64_t context[CORRECTOR_TABLES];
	contexts(s, in, context);
	const int8_t *table = c->table;
	const uint32_t bits = c->log2_entries, shift = 64 - bits, tage = in->tage_taken;
	const uint64_t pc_part = (in->pc >> 1) * 0xd6e8feb86659fd93u;
	int sum = 0;
	for (int i = 0; i < CORRECTOR_TABLES; i++, table += 1u << bits) {
		uint32_t at = hash_of(pc_part, context[i], shift);
		if (i < FIRST_GLOBAL)
			at = (at & ~1u) | tage;
		index[i] = (uint16_t)at;
		sum += table[at];
	}
	return 2 * sum + CORRECTOR_TABLES;
}

/* Where the corrector disagrees and is not sure, the choosers say whom to trust. */
static bool arbitrate(const struct corrector *c, bool tage, uint8_t confidence, int magnitude, int limit)
{
	if (confidence == TAGE_HIGH) {
		if (magnitude < limit / 4)
			return tage;
		if (magnitude < limit / 2)
			return c->chooser_high < 0 ? !tage : tage;
	}
	if (confidence == TAGE_MEDIUM && magnitude < limit / 4)
		return c->chooser_medium < 0 ? !tage : tage;
	return !tage;
}

bool corrector_predict(const struct corrector *c, const struct corrector_spec *s, const struct corrector_input *in,
		       struct corrector_note *note)
{
	int sum = corrector_sum(c, s, in, note->index);
	note->sum = (int16_t)sum;
	note->tage_taken = in->tage_taken;
	note->confidence = in->confidence;
	bool taken = sum >= 0;
	if (taken == in->tage_taken)
		return taken;
	return arbitrate(c, in->tage_taken, in->confidence, abs(sum), threshold(c, in->pc));
}

void corrector_speculate(struct corrector_spec *s, uint64_t pc, bool backward, bool taken)
{
	uint16_t *local = &s->local[local_of(pc)];
	*local = (uint16_t)((*local << 1 | taken) & ((1u << LOCAL_BITS) - 1));
	s->global = s->global << 1 | taken;
	if (backward)
		s->imli = taken ? (s->imli < IMLI_MAX ? s->imli + 1 : IMLI_MAX) : 0;
}

static void choosers_train(struct corrector *c, const struct corrector_note *note, int magnitude, int limit,
			   bool tage_right)
{
	if (note->confidence == TAGE_HIGH && magnitude >= limit / 4 && magnitude < limit / 2)
		counter_step(&c->chooser_high, tage_right, CHOOSER_BITS);
	if (note->confidence == TAGE_MEDIUM && magnitude < limit / 4)
		counter_step(&c->chooser_medium, tage_right, CHOOSER_BITS);
}

/* Raise the threshold when the corrector was wrong, lower it when it was right but unsure. */
static void threshold_train(struct corrector *c, uint64_t pc, bool wrong)
{
	counter_step(&c->thresholds[threshold_of(pc)], wrong, THRESHOLDS_BITS);
	if (wrong && c->threshold < THRESHOLD_MAX)
		c->threshold++;
	else if (!wrong && c->threshold > 0)
		c->threshold--;
}

void corrector_update(struct corrector *c, uint64_t pc, const struct corrector_note *note, bool taken)
{
	bool said = note->sum >= 0;
	int magnitude = abs(note->sum);
	int limit = threshold(c, pc);
	if (said != note->tage_taken)
		choosers_train(c, note, magnitude, limit, note->tage_taken == taken);
	if (said == taken && magnitude >= limit)
		return;
	threshold_train(c, pc, said != taken);
	int8_t *table = c->table;
	const uint32_t entries = 1u << c->log2_entries;
	for (int i = 0; i < CORRECTOR_TABLES; i++, table += entries)
		counter_step(&table[note->index[i]], taken, COUNTER_BITS);
}
