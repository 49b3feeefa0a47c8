/* The simple direction predictors: static rules, bimodal, gshare, and McFarling's combination of the two.
 *
 * Two-bit saturating counters, taken when >= 2. Tables are indexed by the pc in halfwords (compressed code).
 * gshare xors the global history of conditional branches onto it; a history longer than the index is folded.
 * Combined: SimpleScalar's policy - both components train on every branch, the chooser only when they disagreed.
 * Bi-mode (Lee, Chen and Mudge 1997): `meta` counters, by pc, choose between two gshare tables, of branches mostly
 * taken (`gshare`) and mostly not (`bimodal`). Only the table chosen trains; the choice does, unless it was wrong
 * about a branch that the table got right. The chooser starts as cleared memory: not taken. Counters start weakly
 * taken, the chooser starts weakly towards bimodal (which warms up sooner).
 * Bi-mode by blocks (branch.block), as the Xuantie C910 has it: `meta` goes by blocks of code; the newest four outcomes
 * are xored onto the block and find a counter in a row, which older outcomes choose: ten, and the oldest six folded.
 * Counters of either table start strong. What is written is what was read at prediction, one step on; if either of
 * choice and counter has to be written, both are.
 * Tournament, as the Alpha 21264 has it and gem5 after it: `bimodal` counters are found by the branch's own history,
 * the `gshare` ones and `meta`, which chooses, by the global history alone; all start as cleared memory. An
 * approximation: a branch's own history moves when it commits, where gem5 moves it at prediction and repairs it.
 * With branch.choice_row, fetch reads a row of choice counters where it enters code: what is written meanwhile counts
 * from the next time on. The row of a mispredicted branch's right path is read before its outcome is written.
 * With branch.train_queue, an outcome waits until fetch reads no counters. */
#ifndef CULPRIT_MACHINE_DIRECTION_H
#define CULPRIT_MACHINE_DIRECTION_H

#include "machine/machine.h"
#include "machine/outcomes.h"
#include "machine/prediction.h"

enum { CHOICE_ROW_MOST = 64 };

struct direction {
	enum direction_predictor kind;
	uint8_t *bimodal, *gshare, *meta; /* one counter per byte; NULL when the kind has no such table */
	uint32_t bimodal_mask, gshare_mask, meta_mask;
	uint32_t gshare_bits;  /* index bits */
	uint32_t history_bits; /* history length */
	uint64_t history_mask;
	uint64_t history;     /* newest outcome in bit 0 */
	uint32_t block_shift; /* 0: no blocks */
	uint32_t row_shift;   /* of pcs; 0: choice counters are read one by one */
	uint64_t row;	      /* the row that was read, and its counters as they were */
	uint8_t read[CHOICE_ROW_MOST];
	uint32_t *local; /* tournament: newest outcome in bit 0 */
	uint32_t local_mask;
	struct outcomes outcomes; /* branch.train_queue */
	bool fresh;		  /* no conditional branch was predicted since a squash sent fetch to this block: */
	uint64_t fresh_block;
};

bool direction_create(struct direction *d, const struct machine *m, struct error *err);
void direction_destroy(struct direction *d);
uint64_t direction_storage_bits(const struct direction *d);

bool direction_predict(const struct direction *d, const struct branch_query *q, struct direction_note *note,
		       uint8_t *component);
/* Bi-mode by blocks: was the counter at its most taken? Others do not say: they are. */
bool direction_is_strong(const struct direction *d, const struct direction_note *note);
/* Fetch has passed a branch of any kind and goes to `next`; `restored`: a squash has sent it there. */
void direction_passed(struct direction *d, const struct branch_query *q, bool restored, bool taken, uint64_t next);
/* A conditional branch has committed: its own history moves. After direction_update. */
void direction_committed(struct direction *d, uint64_t pc, bool taken);
void direction_update(struct direction *d, const struct direction_note *note, bool taken);
/* Warm-up: predict, speculate the outcome, update and commit at once; what was predicted. Without rows and queue.
 * `right_alone`: a wrong prediction is all that happens. */
bool direction_train(struct direction *d, const struct branch_query *q, bool taken, bool right_alone);
/* With a queue: the branch has executed, its outcome arrives in cycle `when`; what is written up to the end of cycle
 * `end`, where `reading` says that counters are read in all of these cycles. */
void direction_resolved(struct direction *d, const struct direction_note *note, bool taken, uint64_t when);
void direction_write(struct direction *d, uint64_t end, bool reading);

static inline void direction_speculate(struct direction *d, bool taken)
{
	d->history = (d->history << 1 | taken) & d->history_mask;
}

#endif
