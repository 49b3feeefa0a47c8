/* The first-level BTB: which direct branches fetch knows without a bubble. Fully associative. Replaced at
 * random, or the oldest first (branch.l0_fifo).
 *
 * With branch.l0_blocks, as the Xuantie C910 has it, an entry goes by the address at which fetch enters a block, and
 * tells of one branch there. It is made only where fetch was sent to the block by anything but such an entry (`opens`).
 * A conditional branch gets one while its counter is at its most taken; it answers from the second time on that it is
 * found like that, and is dropped when it is found otherwise, or predicted not taken. The C910 makes entries as it
 * predicts; ours come at commit: otherwise 21 branches in a circle would always miss (kernel taken20_every_1, +46%). */
#ifndef CULPRIT_MACHINE_FIRST_BTB_H
#define CULPRIT_MACHINE_FIRST_BTB_H

#include "machine/machine.h"
#include "machine/prediction.h"

struct first_btb_entry {
	uint64_t pc;	  /* the branch; UINT64_MAX: dropped */
	uint64_t enter;	  /* l0_blocks: where fetch enters the block */
	uint64_t answers; /* 0 or 1; as wide as the others: a checkpoint has entries as they are */
};

struct first_btb {
	struct first_btb_entry *entry; /* NULL unless configured */
	uint32_t entries, used;
	uint32_t random; /* which entry goes next: the same in every run */
	uint32_t oldest; /* fifo: the entry that goes next */
	bool fifo, blocks;
};

bool first_btb_create(struct first_btb *f, const struct machine *m, struct error *err);
void first_btb_destroy(struct first_btb *f);
bool first_btb_has(const struct first_btb *f, uint64_t pc);
/* A taken direct branch has committed that was not found when it was fetched. */
void first_btb_train(struct first_btb *f, const struct branch_query *q);
/* l0_blocks: a direct branch that the BTB has is predicted. `strong`: it is no conditional one, or its counter is at
 * its most taken. Returns whether the prediction comes at once; also one not taken is late where an entry answers. */
bool first_btb_predict(struct first_btb *f, const struct branch_query *q, bool taken, bool strong);

#endif
