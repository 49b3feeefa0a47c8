/* ITTAGE (Seznec, 2011): targets of indirect jumps and calls from tagged tables with geometrically growing global
 * histories; the base prediction is the BTB's last target.
 *
 * The history takes the outcome of conditional branches and three bits of the target of indirect ones and returns;
 * direct jumps add nothing that the branches before them do not tell. An entry holds a tag, a whole target, a 2-bit
 * confidence and a useful bit; ITTAGE_TABLES tables of 16 entries for each KiB. As with TAGE, predict reads only,
 * speculate moves the history, update trains. */
#ifndef CULPRIT_MACHINE_ITTAGE_H
#define CULPRIT_MACHINE_ITTAGE_H

#include "machine/machine.h"
#include "machine/prediction.h"
#include "machine/tage_history.h"

enum { ITTAGE_TABLES = 8, ITTAGE_BASE = 255 /* a provider that is not a table: the BTB */ };

struct ittage_entry {
	uint64_t target;
	uint16_t tag;
	uint8_t confidence; /* 2 bits; a wrong target goes when it is 0 */
	uint8_t useful;	    /* 1 bit */
};

struct ittage {
	struct ittage_entry *entries; /* table after table */
	uint32_t index_mask, log2_entries;
	int8_t use_alternate; /* 4 bits: trust the alternate when the provider has no confidence? */
	uint16_t pressure;
	uint64_t random;
	struct history history;
};

struct ittage_note {
	uint32_t hash[ITTAGE_TABLES];
	uint64_t provider_target, alternate_target;
	uint8_t provider, alternate;
	bool alternate_known;
	bool weak;	  /* the provider had no confidence */
	bool right_known; /* there was a prediction at all */
	bool used_alternate;
};
_Static_assert(sizeof(struct ittage_note) <= sizeof(((struct prediction *)0)->note), "fits the prediction's note");

struct ittage *ittage_create(uint32_t kib, struct error *err);
void ittage_destroy(struct ittage *t);
uint64_t ittage_storage_bits(const struct ittage *t);

/* base_known, *target: the BTB's answer on entry; on return the final target. False: no prediction. *component is
 * set to PREDICTOR_ITTAGE when a table decided. */
bool ittage_predict(const struct ittage *t, uint64_t pc, bool base_known, uint64_t *target, struct ittage_note *note,
		    uint8_t *component);
void ittage_speculate(struct ittage *t, const struct branch_query *q, bool taken, uint64_t next_pc);
void ittage_update(struct ittage *t, const struct ittage_note *note, uint64_t target);

#endif
