/* State of the counter architectures, private to stacks_*.c.
 *
 * Instructions are told apart by their number. Three of them mark where the pipeline is: everything below `dispatched`
 * has entered the window, everything from `wrong_from` on is on a wrong path. */
#ifndef CULPRIT_ANALYSIS_STACKS_STATE_H
#define CULPRIT_ANALYSIS_STACKS_STATE_H

#include "analysis/stacks.h"

#define STACKS_NEVER UINT64_MAX

enum { FRONT_L1I, FRONT_L2I, FRONT_ITLB, FRONT_MISSES };

/* A row of the FMT. It belongs to a branch; its miss counters hold what fetch waited for since the branch before. */
struct fmt_row {
	uint64_t seq;
	uint64_t entered;	/* "ROB not full" count when the branch was dispatched */
	uint64_t entered_cycle;
	uint32_t misses[FRONT_MISSES];
	uint32_t penalty;
	uint32_t resolution, refill; /* cycles, for the penalties' report */
	bool mispredicted;
};

/* Rows [head, fetch) are branches in flight in order of age, those before `dispatch` are in the window; the row at
 * `fetch` is open: the next branch takes it. Free-running. */
struct fmt {
	struct fmt_row *rows;
	uint32_t mask, limit, most; /* rows, and the largest value of a counter */
	uint32_t head, dispatch, fetch;
	uint64_t not_full; /* cycles with ROB not full */
	/* The misprediction whose right path has not yet been dispatched. */
	bool refilling, refill_committed;
	struct fmt_row refill;	    /* as the row was */
	uint64_t refill_first;	    /* first of the right path */
	uint64_t refill_cycle;	    /* of the resolution */
	uint64_t global[FRONT_MISSES], global_bmisp;
};

/* sFMT: the I-miss bits are the entries of `imisses` that are not below `cleared`. */
struct sfmt {
	uint32_t shared[FRONT_MISSES];
	uint64_t cleared;
	uint64_t global[FRONT_MISSES];
};

/* Instructions in flight that a fetch miss delayed, in order: a ring. */
struct imiss {
	uint64_t seq;
	uint8_t ilevel, itlb_level;
};

/* Loads in flight that missed, in any order. */
struct dmiss {
	uint64_t seq;
	uint8_t level, tlb_level;
	bool merged, isolated;
};

struct stage_state {
	uint64_t slots[STAGE_ROWS];
	uint64_t carry; /* instructions moved beyond the width, for slots to come */
};

struct stacks {
	struct stacks_params params;
	struct culprit_observer observer;

	uint64_t cycles; /* seen so far */
	uint64_t head, dispatched, wrong_from;
	bool refilling;	      /* a misprediction of the right path has resolved, its right path is not dispatched yet */
	uint64_t refill_first;
	uint64_t next_commit; /* number of the oldest branch row or imiss: nothing to do for a commit below it */

	struct fmt fmt;
	struct sfmt sfmt;
	struct imiss *imisses;
	uint32_t imiss_mask, imiss_head, imiss_tail; /* free-running */
	struct dmiss *dmisses;
	uint32_t dmiss_count, dmiss_capacity;
	uint64_t dmiss_oldest; /* number, or later than that */
	uint64_t long_until;   /* a right-path miss to memory is outstanding before this cycle */

	/* the present wait of fetch, for the naive counters */
	uint8_t wait; /* enum culprit_fetch_state */
	uint64_t wait_age;

	uint64_t backend[STACK_COMPONENTS]; /* FMT's and sFMT's: cycles with a full ROB */
	uint64_t power5[STACK_COMPONENTS];
	struct stage_state stages[STACK_STAGES];
	uint32_t width;		  /* of the stage stacks */
	uint8_t last_why;	  /* why_empty of the cycle before */
	uint8_t last_dispatch;	  /* enum stage_row that dispatch blamed in the cycle before */
	uint64_t issued, replayed; /* right-path instructions issued; dispatched ones undone by violations */
	uint64_t slots[SLOTS_ROWS];
	uint64_t slots_dispatched[2]; /* [wrong path?] */
	uint64_t claims[CLAIM_SETS];
	struct stacks_penalties penalties;
};

/* --- the pieces of a cycle's work, in the order in which they are called --- */

/* stacks_fmt.c */
bool fmt_create(struct fmt *f, const struct stacks_params *p, struct error *err);
void fmt_branch_fetched(struct stacks *s, uint64_t seq);
void fmt_branch_committed(struct stacks *s);
void fmt_squashed(struct stacks *s, uint64_t cycle, uint64_t first, enum culprit_squash why);
void fmt_branches_dispatched(struct stacks *s, uint64_t cycle, uint64_t dispatched);
void fmt_refilled(struct stacks *s, uint64_t cycle);
void fmt_waits(struct stacks *s, unsigned miss, uint64_t cycles);
void fmt_finish(struct stacks *s);

/* stacks_events.c */
bool events_create(struct stacks *s, struct error *err);
void events_fetch_waits(struct stacks *s, const struct culprit_cycle *e);
void events_imiss_fetched(struct stacks *s, const struct culprit_fetched *f);
void events_imiss_committed(struct stacks *s);
void events_load_missed(struct stacks *s, uint64_t cycle, uint64_t seq, uint64_t completes, uint8_t level,
			uint8_t tlb_level, bool merged);
void events_loads_committed(struct stacks *s, uint64_t head);
void events_squashed(struct stacks *s, uint64_t first);

/* stacks_results.c: the checks that every run makes */
bool stacks_check(const struct stacks *s, uint64_t cycles, uint64_t instructions, struct error *err);

static inline uint32_t stacks_saturate(uint64_t v, uint32_t most)
{
	return v < most ? (uint32_t)v : most;
}

/* A branch row or I-miss came or went: what is the oldest? */
static inline void stacks_find_next_commit(struct stacks *s)
{
	const struct fmt *f = &s->fmt;
	uint64_t branch = f->head != f->fetch ? f->rows[f->head & f->mask].seq : STACKS_NEVER;
	uint64_t imiss = s->imiss_head != s->imiss_tail ? s->imisses[s->imiss_head & s->imiss_mask].seq : STACKS_NEVER;
	s->next_commit = branch < imiss ? branch : imiss;
}

#endif
