/* The pipeline log: what a core says of its cycles beside its records, for those to interpret who have the
 * time. It holds what committed instructions do not tell: what each stage moved in a cycle, why fetch and dispatch did
 * not move more, branches and misses of wrong paths, squashes. What an instruction waited for is left to the records,
 * which come later: the log is read up to a cycle when every right-path instruction that was in the window then is
 * known.
 *
 * An entry belongs to the cycle that the next entry of kind CYCLE or CYCLES ends; within one cycle the order is that of
 * culprit/observer.h. A log begins with an empty pipeline, at cycle 0 and instruction 0, and every cycle is in it. */
#ifndef CULPRIT_LOG_H
#define CULPRIT_LOG_H

#include "culprit/observer.h"

CULPRIT_C_BEGIN

enum culprit_log_kind {
	CULPRIT_LOG_CYCLE = 0,
	CULPRIT_LOG_CYCLES = 1,	      /* several alike, in which nothing moved */
	CULPRIT_LOG_BRANCH = 2,	      /* fetched */
	CULPRIT_LOG_FETCH_MISSED = 3, /* the instruction that waited has been fetched */
	CULPRIT_LOG_LOAD_MISSED = 4,  /* or a store missed the data TLB, before its write: of level L1 */
	CULPRIT_LOG_STORE_MISSED = 5,
	CULPRIT_LOG_SQUASHED = 6,
	CULPRIT_LOG_KINDS /* no kind */
};

enum culprit_log_flag { CULPRIT_LOG_ROB_FULL = 1, CULPRIT_LOG_WRONG_PATH = 32 /* that fetch is on */ };

/* `kind` decides what is valid of the rest. */
struct culprit_log_entry {
	__extension__ union {
		uint8_t kind;	       /* enum culprit_log_kind */
		__extension__ struct { /* CYCLE, CYCLES: as in struct culprit_cycle */
			uint8_t : 8;
			uint8_t fetch, dispatch, why_empty;
			/* enum culprit_commit_stop; CYCLES: in the first. Where that is DISPATCH or EXECUTES, what
			 * comes next may begin within them */
			uint8_t stop;
			uint8_t flags;	/* enum culprit_log_flag */
			uint16_t front; /* UINT16_MAX: that many or more */
		};
		__extension__ struct { /* LOAD_MISSED, STORE_MISSED; FETCH_MISSED: of the instruction */
			uint8_t : 8;
			uint8_t level, tlb_level;
			bool merged;
			uint32_t
				cycles; /* LOAD_MISSED, STORE_MISSED: until it is complete, or written; UINT32_MAX: or more */
		};
		__extension__ struct { /* BRANCH */
			uint8_t : 8;
			bool mispredicted, wrong_path;
		};
		__extension__ struct { /* SQUASHED */
			uint8_t : 8;
			uint8_t why; /* enum culprit_squash */
		};
	};
	__extension__ union {
		__extension__ struct { /* CYCLE */
			uint16_t committed,
				dispatched; /* numbers of the next to commit and to enter the window, modulo 2^16 */
			uint16_t issued;    /* in this cycle: slots, where records have weights; */
			uint16_t issued_wrong_path; /* and those of wrong paths since the log began, modulo 2^16 */
		};
		uint64_t length; /* CYCLES */
		uint64_t seq;	 /* the others; SQUASHED: the first to leave */
	};
};
CULPRIT_STATIC_ASSERT(sizeof(struct culprit_log_entry) == 16, "four in a host cache line");

/* A right-path instruction of the window that a violation squashed in cycle `until`, or that was in flight when the
 * simulation stopped then: its record as far as it goes (issue = UINT64_MAX: it had not issued). */
struct culprit_log_squashed {
	struct culprit_record record;
	uint64_t until;
};

/* A part of the log: those squashed are told before the entry that ends their last cycle, or with it. */
struct culprit_log_part {
	const struct culprit_log_entry *entries;
	size_t count;
	const struct culprit_log_squashed *squashed;
	size_t squashed_count;
};

/* Where the core writes. When `next` has come to `end`, `full` makes room. */
struct culprit_log {
	struct culprit_log_entry *next, *end;
	void *context;
	void (*full)(void *context);
	void (*squashed)(void *context, const struct culprit_record *record, uint64_t until);
};

CULPRIT_C_END

#endif
