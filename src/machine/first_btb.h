/* The first-level BTB: which direct branches fetch knows without a bubble. Fully associative. Replaced at
 * random, or the oldest first (branch.l0_fifo). */
#ifndef CULPRIT_MACHINE_FIRST_BTB_H
#define CULPRIT_MACHINE_FIRST_BTB_H

#include "machine/machine.h"

struct first_btb {
	uint64_t *pc; /* NULL unless configured */
	uint32_t entries, used;
	uint32_t random; /* which entry goes next: the same in every run */
	uint32_t oldest; /* fifo: the entry that goes next */
	bool fifo;
};

bool first_btb_create(struct first_btb *f, const struct machine *m, struct error *err);
void first_btb_destroy(struct first_btb *f);
bool first_btb_has(const struct first_btb *f, uint64_t pc);
/* A taken direct branch has committed. */
void first_btb_train(struct first_btb *f, uint64_t pc);

#endif
