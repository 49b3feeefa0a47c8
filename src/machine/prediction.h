/* What is asked of a predictor about a branch, and its answer. */
#ifndef CULPRIT_MACHINE_PREDICTION_H
#define CULPRIT_MACHINE_PREDICTION_H

#include "culprit/record.h"

struct branch_query {
	uint64_t pc;
	uint64_t direct_target; /* conditional and direct branches: the encoded target */
	uint64_t enter;		/* where fetch entered the branch's block, as a first-level BTB by blocks finds it */
	uint64_t actual_next;	/* where the program goes: for the oracle and for a perfect return stack */
	uint8_t length;		/* bytes of the branch */
	uint8_t kind;		/* enum culprit_branch */
	bool actual_taken;	/* for the oracle and for plug-ins */
	uint8_t link_register;	/* INDIRECT_CALL only: 1 when it also pops (riscv_reads_link) */
	bool wrong_path;	/* for plug-ins */
	bool opens;		/* ... and that BTB may learn it there */
};

/* A prediction carries what update needs later (table indices, providers), so it is kept with the instruction. */
struct prediction {
	uint64_t next_pc; /* pc + length when not taken; meaningless when !target_known */
	bool taken;
	bool btb_hit;	   /* the fetch stage knew that a branch is here, and its target */
	bool target_known; /* false: indirect branch without a target (BTB miss, empty return stack) */
	uint8_t component; /* who decided: see enum predictor_component */
	uint8_t late;	   /* in the BTB: cycles until fetch knows, because a slower part answers */
	bool trained;	   /* its direction: as it executed (branch.train_queue) */
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
	PREDICTOR_PLUGIN = CULPRIT_PREDICTOR_PLUGIN,
	PREDICTOR_COMPONENT_COUNT = CULPRIT_PREDICTOR_COUNT
};

#endif
