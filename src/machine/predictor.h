/* Branch prediction as fetch sees it: direction predictor, BTB, return address stack, indirect predictor.
 *
 * Order of calls for a fetched branch:  predict -> [save, when the branch turns out mispredicted] -> speculate with
 * the predicted outcome. On a squash: restore the save, speculate with the actual outcome. At commit: update.
 * Tables are trained only by update; history and return stack move only by speculate; predict changes nothing.
 * Warm-up without a pipeline: train.
 * What each part models and approximates: docs/decisions/branch-prediction.md. */
#ifndef CULPRIT_MACHINE_PREDICTOR_H
#define CULPRIT_MACHINE_PREDICTOR_H

#include "machine/machine.h"
#include "machine/prediction.h"

struct predictor;

struct predictor *predictor_create(const struct machine *m, struct error *err);
void predictor_destroy(struct predictor *p);

/* Bits of storage that the configured parts would take in hardware (perfect parts and the oracle take none). */
struct predictor_storage {
	uint64_t direction, btb, ras, indirect;
};
struct predictor_storage predictor_storage_bits(const struct predictor *p);

void predictor_predict(struct predictor *p, const struct branch_query *q, struct prediction *out);
void predictor_speculate(struct predictor *p, const struct branch_query *q, bool taken, uint64_t next_pc);
void predictor_update(struct predictor *p, const struct branch_query *q, const struct prediction *pred, bool taken,
		      uint64_t next_pc);
/* Warm-up: predict, speculate the actual outcome, update. Counts where fetch would have gone wrong, and the taken
 * branches that only decode would have found. With `wrong`, what fetch would go wrong with is predicted alone: false,
 * and the caller does the rest when it has been where the prediction leads. */
struct predictor_met {
	uint64_t mispredictions, redirects;
};
bool predictor_train(struct predictor *p, const struct branch_query *q, bool taken, uint64_t next_pc,
		     struct predictor_met *met, struct prediction *wrong);
/* With branch.train_queue (outcomes.h): a branch has executed, on any path, and its outcome arrives in cycle `when`;
 * fetch reads counters in a cycle; all cycles up to `end` are over, and with `reading` it read in each. What is not
 * told so trains at update. */
void predictor_resolved(struct predictor *p, const struct branch_query *q, struct prediction *pred, bool taken,
			uint64_t when);
void predictor_reads(struct predictor *p, uint64_t cycle);
void predictor_write(struct predictor *p, uint64_t end, bool reading);

/* Speculative state (histories, return stack top) into/out of a buffer of predictor_save_size bytes (never 0). */
size_t predictor_save_size(const struct predictor *p);
void predictor_save(const struct predictor *p, void *save);
void predictor_restore(struct predictor *p, const void *save);

/* All that training and history have left, to bytes and back, into a predictor of the same machine that has predicted
 * nothing yet. Not with a plug-in, whose state nobody knows. */
struct archive;
void predictor_archive(struct archive *a, struct predictor *p);

#endif
