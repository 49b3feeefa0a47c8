/* Outcomes of branches on their way into the counters of a direction predictor (branch.train_queue). An outcome arrives
 * in a cycle. If the counters are read in that cycle, or others wait, it waits as well; with the queue full at the
 * beginning of the cycle it is lost. In a cycle without a read the oldest that waits is written. Rules and places are
 * those of the Xuantie C910 (ifu/rtl/ct_ifu_bht.v: bht_wr_buf_updt_vld, wr_buf_hit). */
#ifndef CULPRIT_MACHINE_OUTCOMES_H
#define CULPRIT_MACHINE_OUTCOMES_H

#include "machine/machine.h"

/* What update needs of the prediction: it trains the counters that were read, as they were indexed then. */
struct direction_note {
	uint32_t bimodal, gshare, meta; /* indices */
	bool bimodal_taken, gshare_taken;
	uint8_t choice, counter; /* bi-mode by blocks: as they were read */
};

struct outcome {
	uint64_t when;
	struct direction_note note;
	bool taken;
};

struct outcomes {
	struct outcome *waiting, *arriving; /* oldest first */
	uint32_t room, waits, arrivals;
	uint32_t entered; /* ever, into the queue: each takes the place after the last one's, in a circle */
	uint64_t done;	  /* the last cycle that is over */
	uint64_t reads;	  /* bit n: counters are read in cycle done + 1 + n */
};

/* room 0: nothing ever waits here. */
bool outcomes_create(struct outcomes *o, uint32_t room, struct error *err);
void outcomes_destroy(struct outcomes *o);

/* Counters are read in this cycle, which is at most 63 after the last one that is over. Others are not marked. */
void outcomes_read(struct outcomes *o, uint64_t cycle);
/* One arrives; in order of time. */
void outcomes_arrive(struct outcomes *o, const struct outcome *one);
/* The next that is to be written by the end of the cycle `end`; false: none, and all cycles up to it are over. With
 * `reading` counters are read in all of these. */
bool outcomes_next(struct outcomes *o, uint64_t end, bool reading, struct outcome *out);
/* Of those that wait, the one with these counters that has the lowest place; NULL = none. */
const struct outcome *outcomes_find(const struct outcomes *o, uint32_t meta, uint32_t gshare);

#endif
