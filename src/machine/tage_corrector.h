/* Statistical corrector of TAGE-SC-L: a sum of small counters that says when TAGE's prediction, in this context, is
 * statistically wrong.
 *
 * 13 tables of 6-bit counters: three biases indexed by pc and what TAGE said, three with the global history of
 * conditional outcomes, two with the path, three with the branch's own (local) history, two with the inner-most-loop
 * iteration count (IMLI; the second with some global history). An adaptive threshold, one global part and one per
 * group of branches, decides what counts as a confident sum; two choosers arbitrate the unsure cases.
 * Against the 2016 championship's predictor: no per-component weights, no second and third local table, no IMLI-OH.
 *
 * Local histories and IMLI count move at fetch and are saved and restored whole; hardware would keep the in-flight
 * local histories in a window with the same effect. */
#ifndef CULPRIT_MACHINE_TAGE_CORRECTOR_H
#define CULPRIT_MACHINE_TAGE_CORRECTOR_H

#include <stdbool.h>
#include <stdint.h>

enum { CORRECTOR_TABLES = 13, CORRECTOR_LOCALS = 256, CORRECTOR_THRESHOLDS = 64 };

struct corrector {
	int8_t *table; /* CORRECTOR_TABLES tables one after the other */
	uint32_t log2_entries;
	int16_t threshold;			 /* in eighths */
	int8_t thresholds[CORRECTOR_THRESHOLDS]; /* added, by pc */
	int8_t chooser_high, chooser_medium;	 /* negative: trust the corrector */
};

struct corrector_spec {
	uint64_t global; /* outcomes of conditional branches, newest in bit 0 */
	uint16_t local[CORRECTOR_LOCALS];
	uint16_t imli;
};

enum tage_confidence { TAGE_LOW, TAGE_MEDIUM, TAGE_HIGH };

/* What comes in from TAGE. */
struct corrector_input {
	uint64_t pc;
	uint64_t path;
	bool tage_taken;
	uint8_t confidence; /* enum tage_confidence */
	uint8_t provider;   /* 0 = base table */
};

struct corrector_note {
	uint16_t index[CORRECTOR_TABLES];
	int16_t sum;
	bool tage_taken;
	uint8_t confidence;
};

bool corrector_create(struct corrector *c, uint32_t log2_entries);
void corrector_destroy(struct corrector *c);
uint64_t corrector_storage_bits(const struct corrector *c);

/* Returns TAGE's prediction, or reverts it. */
bool corrector_predict(const struct corrector *c, const struct corrector_spec *s, const struct corrector_input *in,
		       struct corrector_note *note);
void corrector_speculate(struct corrector_spec *s, uint64_t pc, bool backward, bool taken);
void corrector_update(struct corrector *c, uint64_t pc, const struct corrector_note *note, bool taken);

#endif
