/* The machine as idealised: what follows from the machine file and from the event classes that are idealised away.
 * The core and every analysis read it here; docs/reference/core-timing.md has the rules. Latencies of caches and TLBs
 * are idealised by the hierarchy. */
#ifndef CULPRIT_MACHINE_MACHINE_IDEALISED_H
#define CULPRIT_MACHINE_MACHINE_IDEALISED_H

#include "machine/machine.h"

/* An idealised window is this many times larger (docs/reference/event-classes.md). */
enum { MACHINE_IDEAL_WINDOW = 20 };
#define MACHINE_WINDOW_PARTS                                                                                 \
	(CULPRIT_EVENT_BIT(rob) | CULPRIT_EVENT_BIT(iq) | CULPRIT_EVENT_BIT(lsq) | CULPRIT_EVENT_BIT(regs) | \
	 CULPRIT_EVENT_BIT(tags))

/* Where an operation class goes. */
struct machine_place {
	uint8_t unit, queue;
};

/* UINT32_MAX stands for unlimited. */
struct machine_idealised {
	bool no_bandwidth;		/* bw: widths and units are unlimited */
	culprit_event_set larger_parts; /* of the window: rob, iq, lsq, regs, tags; win is all of them */
	bool oracle;			/* every branch is predicted right */
	uint32_t fetch_block; /* bytes: a fetch group does not run on sequentially into the next block; 0 = it does */
	bool one_conditional; /* fetch.one_conditional */
	uint32_t fetch_bank; /* bytes: a block of fetch.block begins at such a boundary, for each group anew; 0 = not */
	uint32_t fetch_width, taken_limit, dispatch_width, issue_width, commit_width;
	uint32_t commit_stores, commit_branches; /* a cycle */
	uint32_t squash_width;			 /* dispatch.squash_width; 0 = all at once */
	uint32_t line_interval;			 /* lsq.line_interval */
	bool whole_groups;			 /* dispatch.whole_groups */
	uint32_t front_capacity;		 /* instructions between fetch and dispatch */
	uint32_t wrong_path_limit;		 /* instructions of a wrong path */
	uint32_t rob, lq, sq, lsq, branches;
	uint32_t rob_rows; /* dispatch.rows: the ROB's; window.fold: its entries, and `rob` is the most instructions
				     * in them; 0 = instructions take entries one by one */
	uint32_t fold;	   /* window.fold, where entries are shared; else 0 */
	uint32_t released; /* instructions that may have left these entries and not committed */
	uint32_t window;   /* most instructions between dispatch and commit: rob + released */
	uint32_t int_regs, fp_regs; /* beyond the 32 that hold architectural state */
	uint32_t queue_entries[MACHINE_QUEUES_MAX];
	uint32_t queue_width
		[MACHINE_QUEUES_MAX]; /* instructions issued a cycle; as the machine file has it with bw, too */
	uint32_t forward_latency, partial_penalty, data_penalty, fp_load;
	uint32_t l1d_latency;
	uint16_t latency[CULPRIT_OP_COUNT], interval[CULPRIT_OP_COUNT];
	struct machine_place place[CULPRIT_OP_COUNT], other[CULPRIT_OP_COUNT]; /* the same, or a second unit */
	bool steered;							       /* some class has two */
	bool grouped; /* what dispatches together is a group: for a choice of units, or as a whole, or in rows */
};

void machine_idealise(struct machine_idealised *d, const struct machine *m);

#endif
