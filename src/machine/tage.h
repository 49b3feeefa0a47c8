/* TAGE-SC-L (Seznec, championships of 2014 and 2016): tagged tables with geometrically growing global histories over
 * a bimodal base, corrected by a loop predictor and a statistical corrector.
 *
 * predict reads only; speculate moves the histories; update, at commit, trains what the note says was read. The
 * sizes come from one row per storage budget in tage_geometry.def. Own code from the published description; where it
 * departs from the championship's code is said in docs/decisions/branch-prediction.md. */
#ifndef CULPRIT_MACHINE_TAGE_H
#define CULPRIT_MACHINE_TAGE_H

#include "machine/machine.h"
#include "machine/prediction.h"
#include "machine/tage_corrector.h"
#include "machine/tage_history.h"
#include "machine/tage_loop.h"

enum { TAGE_TABLES = HISTORY_TABLES, TAGE_BASE = 255 /* a provider that is not a tagged table */ };

struct tage_entry {
	uint16_t tag;
	int8_t counter; /* 3 bits, taken when >= 0 */
	uint8_t useful; /* 2 bits */
};

/* One storage budget. */
struct tage_geometry {
	uint32_t kib;
	uint8_t log2_base;	/* entries of the base table */
	uint8_t log2_entries;	/* entries of each tagged table */
	uint8_t tag_bits;	/* of the shortest table; one more every second table */
	uint8_t log2_corrector; /* counters of each corrector table */
	uint16_t history[TAGE_TABLES];
};

struct tage_base {
	uint8_t *counter; /* 2 bits, taken when >= 2 */
	uint32_t mask;
};

struct tage {
	const struct tage_geometry *geometry;
	uint32_t tables; /* used of the TAGE_TABLES */
	bool corrects;
	struct tage_base base;
	struct tage_entry *entries; /* table after table */
	uint32_t tag_mask[TAGE_TABLES];
	uint64_t path_mask[TAGE_TABLES];
	int8_t use_alternate[16]; /* 4 bits each: trust the alternate when the provider is weak? by pc */
	uint16_t pressure;	  /* failed allocations against successful ones; full: age the useful bits */
	uint64_t random;
	struct history history;
	struct corrector corrector;
	struct corrector_spec corrector_spec;
	struct loop_predictor loop;
	struct loop_spec loop_spec;
};

struct tage_note {
	uint32_t hash[TAGE_TABLES]; /* index in the low bits, tag in the high half */
	struct corrector_note corrector;
	struct loop_note loop;
	uint8_t provider, alternate; /* table numbers or TAGE_BASE */
	bool provider_taken, alternate_taken;
	bool weak;			  /* the provider's counter was at one of its two middle values */
	bool tage_taken, corrected_taken; /* before and after the statistical corrector */
};
_Static_assert(sizeof(struct tage_note) <= sizeof(((struct prediction *)0)->note), "fits the prediction's note");

/* The speculative state, as saved. */
struct tage_save {
	struct history_state history;
	struct corrector_spec corrector;
	struct loop_spec loop;
};

struct tage *tage_create(uint32_t kib, struct error *err);
/* Use no tables with a history longer than `longest` (0: all), and no corrector unless `corrects`. */
void tage_restrict(struct tage *t, uint32_t longest, bool corrects);
void tage_destroy(struct tage *t);
uint64_t tage_storage_bits(const struct tage *t);

bool tage_predict(const struct tage *t, const struct branch_query *q, struct tage_note *note, uint8_t *component);
void tage_speculate(struct tage *t, const struct branch_query *q, bool taken, uint64_t next_pc);
void tage_update(struct tage *t, const struct branch_query *q, const struct tage_note *note, bool taken);
/* `save` is sizeof(struct tage_save) bytes anywhere. */
void tage_save(const struct tage *t, void *save);
void tage_restore(struct tage *t, const void *save);

/* The tagged tables and the base alone (tage_tables.c); `provider` and its alternate into the note. */
void tage_tables_predict(const struct tage *t, uint64_t pc, struct tage_note *note);
void tage_tables_update(struct tage *t, uint64_t pc, const struct tage_note *note, bool taken);
uint8_t tage_confidence(const struct tage *t, uint64_t pc, const struct tage_note *note);

#endif
