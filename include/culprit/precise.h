/* Samples of machines as they are: a precise sample names one instruction, tells what its access to memory met, and
 * brings the last taken branches (Intel's LBR, AMD's LBR, Arm's BRBE, RISC-V's CTR). They are made into the samples
 * that the shotgun profiler's reconstruction takes (culprit/shotgun.h):
 *
 *     culprit_samples_from_branches(&samples, &precise, &code, &machine, &made);
 *
 * A branch stack is an exact path, so it becomes a signature sample: the instructions from the target of its oldest
 * branch to its newest branch. A sample with an access becomes a detailed sample; the signature bits in front of it
 * are those of its own branch stack. What no such sample tells is left out: docs/explanation/shotgun.md. */
#ifndef CULPRIT_PRECISE_H
#define CULPRIT_PRECISE_H

#include "culprit/shotgun.h"

CULPRIT_C_BEGIN

enum culprit_precise_flag {
	CULPRIT_PRECISE_STACK = 1,  /* its branches are a path to measure */
	CULPRIT_PRECISE_ACCESS = 2, /* level and tlb_walk are of a load or store */
	CULPRIT_PRECISE_MERGED = 4, /* the line was on its way */
	CULPRIT_PRECISE_WALK = 8,   /* the access walked the page table */
};

/* What a sample's latency is counted from. */
enum culprit_precise_latency {
	CULPRIT_LATENCY_NONE = 0,
	CULPRIT_LATENCY_ACCESS = 1, /* issue to data: Intel's load latency */
	CULPRIT_LATENCY_MISS = 2,   /* the miss alone: AMD's IBS */
};

struct culprit_precise_sample {
	uint64_t ip;
	size_t first_branch; /* in `branches`, the newest first */
	uint32_t branch_count;
	uint32_t latency; /* cycles; 0 = not known */
	uint8_t level;	  /* enum culprit_level */
	uint8_t latency_of, flags;
};

struct culprit_precise {
	const struct culprit_precise_sample *samples;
	size_t count;
	const struct culprit_branch_record *branches;
};

/* What became of the branch stacks. */
struct culprit_precise_made {
	uint64_t stacks, used, cut; /* cut: of the used ones, those whose older branches do not fit the code */
	uint64_t no_code;	    /* stacks and blocks that leave the code that is known ... */
	uint64_t no_path;	    /* ... or from whose start nobody comes to their branch */
	uint64_t interrupted;	    /* blocks of more cycles than their instructions can take */
	uint64_t instructions;	    /* of all used */
	uint64_t details, strange;  /* strange: at an instruction that accesses no memory, or outside the code */
	bool cycles;		    /* branch records have cycles */
	bool not_taken;		    /* ... and there are some of branches that were not taken */
};

/* False: out of memory. Afterwards culprit_branch_samples_free, in any case. */
bool culprit_samples_from_branches(struct culprit_samples *samples, const struct culprit_precise *precise,
				   const struct culprit_code *code, const struct culprit_shotgun_machine *machine,
				   struct culprit_precise_made *made);
void culprit_branch_samples_free(struct culprit_samples *samples);

CULPRIT_C_END

#endif
