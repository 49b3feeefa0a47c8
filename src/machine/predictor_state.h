/* The inside of struct predictor, for predictor.c, predictor_train.c and warm_archive.c. Nobody else looks in here. */
#ifndef CULPRIT_MACHINE_PREDICTOR_STATE_H
#define CULPRIT_MACHINE_PREDICTOR_STATE_H

#include "machine/btb.h"
#include "machine/direction.h"
#include "machine/early_counters.h"
#include "machine/first_btb.h"
#include "machine/ittage.h"
#include "machine/path_targets.h"
#include "machine/plugin.h"
#include "machine/ras.h"
#include "machine/tage.h"

struct predictor {
	bool oracle;
	struct direction direction;
	struct btb btb;
	struct ras ras;
	struct tage *tage;     /* NULL unless configured */
	struct ittage *ittage; /* likewise */
	struct path_targets path;
	struct plugged_predictor plugged;
	struct first_btb first;
	struct early_counters early;
	uint8_t bubble, return_bubble, indirect_bubble, call_bubble;
	enum return_predictor returns;
	uint32_t next_block; /* fetch.block */
	bool lost;	     /* nothing tells where indirect jumps go */
	bool no_btb, btb_direct;
	bool simple;   /* of the outcome of a conditional branch, only the direction predictor's history is kept */
	bool prompt;   /* nothing that fetch knows at once or not: a prediction is never late */
	bool restored; /* by a squash: fetch goes where the next branch told of went */
};

#endif
