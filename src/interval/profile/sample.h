/* One committed instruction of a sampled stretch of the program, as the functional pass saw it: its dependences, and
 * what the reference machine's caches, TLBs and predictor said when run over the whole region in program order. It
 * has no times: the flow (flow.h) gives it some, on any machine. 20 bytes. */
#ifndef CULPRIT_INTERVAL_PROFILE_SAMPLE_H
#define CULPRIT_INTERVAL_PROFILE_SAMPLE_H

#include "culprit/types.h"

enum interval_sample_flag {
	SAMPLE_TAKEN = 1 << 0,
	SAMPLE_MISPREDICTED = 1 << 1,
	SAMPLE_BTB_MISS = 1 << 2,    /* a decode redirect follows */
	SAMPLE_SERIALISING = 1 << 3, /* fetch waits for its commit */
	SAMPLE_LOAD = 1 << 4,
	SAMPLE_STORE = 1 << 5,
	SAMPLE_AT_HEAD = 1 << 6, /* issues only as the oldest */
	SAMPLE_SHORT = 1 << 7,	 /* two bytes long */
	/* on a wrong path: where the mispredicted branch last before it there would have led */
	SAMPLE_INNER = SAMPLE_BTB_MISS,
};

enum interval_sample_dest { SAMPLE_DEST_NONE, SAMPLE_DEST_INT, SAMPLE_DEST_FP };

struct interval_sample {
	uint32_t pc;	      /* pc >> 1, low 32 bits */
	uint32_t address;     /* data address >> 3, low 32 bits; 0 = no access */
	uint16_t producer[3]; /* distance back to the producers of the operands; 0 = none, or too far */
	uint16_t
		mem_producer; /* loads: distance back to the youngest older store that overlaps; 0 = none, or too far */
	uint8_t op;	      /* enum culprit_op_class */
	uint8_t dlevel : 3;   /* enum culprit_level of the data access; NONE = no access */
	uint8_t dtlb : 3;     /* enum culprit_level of its translation; MEMORY = page walk */
	uint8_t covers : 1;   /* the store at mem_producer covers the whole load */
	/* with the L1D's prefetcher the first use of a line that it has asked for, whatever dlevel says */
	uint8_t prefetched : 1;
	/* of the fetch access that this instruction is the first to need; NONE = line already read */
	uint8_t ilevel : 3;
	uint8_t itlb : 3;
	uint8_t dest : 2; /* enum interval_sample_dest */
	uint8_t flags;	  /* enum interval_sample_flag */
};

/* What a mispredicted branch of the sample would have led to: `count` instructions from number `first` of the strays
 * on, as samples (strays.h). Producers reach back along the wrong path and beyond the branch; levels are not
 * measured. */
struct interval_wrong_path {
	uint32_t branch; /* its place in the sample */
	uint32_t first, count;
};

#endif
