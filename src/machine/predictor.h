/* Branch prediction as fetch sees it: direction predictor, BTB, return address stack, indirect predictor.
 *
 * Order of calls for a fetched branch:  predict -> [save, when the branch turns out mispredicted] -> speculate with
 * the predicted outcome. On a squash: restore the save, speculate with the actual outcome. At commit: update.
 * Tables are trained only by update; history and return stack move only by speculate; predict changes nothing.
 * Warm-up without a pipeline: predict, speculate the actual outcome, update.
 * What each part models and approximates: docs/decisions/branch-prediction.md. */
#ifndef CULPRIT_MACHINE_PREDICTOR_H
#define CULPRIT_MACHINE_PREDICTOR_H

#include "culprit/record.h"
#include "machine/machine.h"

struct predictor;

struct branch_query {
	uint64_t pc;
	uint64_t direct_target; /* conditional and direct branches: the encoded target */
	uint64_t actual_next;	/* where the program goes: for the oracle and for a perfect return stack */
	uint8_t length;		/* bytes of the branch */
	uint8_t kind;		/* enum culprit_branch */
	bool actual_taken;	/* oracle only */
	uint8_t link_register; /* INDIRECT_CALL only: 1 when it also pops, that is, when rs1 is a link register (x1, x5)
				     * other than rd; `jalr ra, imm(ra)`, the far call, does not pop */
};

/* A prediction carries what update needs later (table indices, providers), so it is kept with the instruction. */
struct prediction {
	uint64_t next_pc; /* pc + length when not taken; meaningless when !target_known */
	bool taken;
	bool btb_hit;	   /* the fetch stage knew that a branch is here, and its target */
	bool target_known; /* false: indirect branch without a target (BTB miss, empty return stack) */
	uint8_t component; /* who decided: see enum predictor_component */
	union {
		uint64_t word[13];
		uint8_t byte[104];
	} note; /* private to the predictor; the simple ones touch only its first 16 bytes */
};
_Static_assert(sizeof(struct prediction) == 120, "kept with every branch in flight");

enum predictor_component {
	PREDICTOR_STATIC = CULPRIT_PREDICTOR_STATIC,
	PREDICTOR_BIMODAL = CULPRIT_PREDICTOR_BIMODAL,
	PREDICTOR_GSHARE = CULPRIT_PREDICTOR_GSHARE,
	PREDICTOR_TAGE = CULPRIT_PREDICTOR_TAGE,
	PREDICTOR_LOOP = CULPRIT_PREDICTOR_LOOP,
	PREDICTOR_CORRECTOR = CULPRIT_PREDICTOR_CORRECTOR,
	PREDICTOR_ORACLE = CULPRIT_PREDICTOR_ORACLE,
	PREDICTOR_BTB = CULPRIT_PREDICTOR_BTB,
	PREDICTOR_RAS = CULPRIT_PREDICTOR_RAS,
	PREDICTOR_ITTAGE = CULPRIT_PREDICTOR_ITTAGE,
	PREDICTOR_COMPONENT_COUNT = CULPRIT_PREDICTOR_COUNT
};

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

/* Speculative state (histories, return stack top) into/out of a buffer of predictor_save_size bytes (never 0). */
size_t predictor_save_size(const struct predictor *p);
void predictor_save(const struct predictor *p, void *save);
void predictor_restore(struct predictor *p, const void *save);

#endif
