/* State of the counter architectures, private to stacks_*.c.
 *
 * Instructions are told apart by their number. Three of them mark where the pipeline is: everything below `dispatched`
 * has entered the window, everything from `wrong_from` on is on a wrong path. */
#ifndef CULPRIT_ANALYSIS_STACKS_STATE_H
#define CULPRIT_ANALYSIS_STACKS_STATE_H

#include "analysis/stacks/types.h"
#include "base/error.h"
#include "culprit/observer.h"

#define STACKS_NEVER UINT64_MAX

enum { FRONT_L1I, FRONT_L2I, FRONT_ITLB, FRONT_MISSES };

/* A row of the FMT. It belongs to a branch; its miss counters hold what fetch waited for since the branch before. */
struct fmt_row {
	uint64_t seq;
	bool waited;	   /* `misses` are valid, and not all zero */
	bool mispredicted; /* resolved so; what follows `misses` is valid then */
	uint32_t misses[FRONT_MISSES];
	uint32_t penalty;
	uint32_t resolution, refill; /* cycles, for the penalties' report */
};

/* Rows [head, fetch) are branches in order of age; the next branch takes the open row's counters. Free-running.
 * Rows of committed branches that count nothing may linger until somebody looks. */
struct fmt {
	struct fmt_row *rows;
	uint32_t mask, limit, most; /* rows, and the largest value of a counter */
	uint32_t head, fetch;
	uint32_t watch;		     /* with fewer rows in use a branch gets one without ado */
	uint32_t open[FRONT_MISSES]; /* the open row; zero unless open_counts */
	bool open_counts;
	/* Cycles that no misprediction is charged for: the ROB was full, or the right path waited for a miss of its
	 * own. */
	uint64_t excluded;
	/* The present misprediction, from its branch's dispatch to that of its right path. */
	uint64_t entered, entered_excluded; /* the cycle of the branch's dispatch, and `excluded` before it */
	uint64_t resolved_cycle;
	struct fmt_row refill; /* as the row was at resolution */
	bool tracked;	       /* it has a row */
	bool committed;	       /* before its right path was dispatched */
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

/* A committed store that missed and may not be written yet. */
struct write {
	uint64_t until;
	uint8_t component;
};

/* What a lost slot is blamed on: what the oldest waits for; from EMPTY_KEYS on, what fetch waited for; and the same
 * from WRONG_KEYS on where only a wrong path could have used the slot. */
enum {
	EMPTY_KEYS = CULPRIT_HEAD_STATE_COUNT,
	BLAME_KEYS = EMPTY_KEYS + CULPRIT_FETCH_STATE_COUNT,
	WRONG_KEYS = 32,
	ALL_KEYS = 2 * WRONG_KEYS
};
_Static_assert((int)BLAME_KEYS <= (int)WRONG_KEYS, "the two ranges do not overlap");

/* Sets of cycles: two bits, and what the right path's fetch waits for: nothing, a miss that the fetch buffer still
 * hides from the pipeline, or FETCH_COUNTS + a front-end miss. */
enum { SEEN_FULL = 1, SEEN_BRANCH = 2, SEEN_FETCH = 4 };
enum { FETCH_HIDDEN = 1, FETCH_COUNTS = 2, FETCH_STATES = FETCH_COUNTS + FRONT_MISSES };
enum { SEEN_SETS = SEEN_FETCH * FETCH_STATES };

_Static_assert((int)SEEN_FULL == 1, "added as a truth value");

struct stage_state {
	bool wide;		    /* wider than the narrowest: needs the carry */
	uint64_t carry;		    /* instructions moved beyond the width, for slots to come */
	uint64_t moved;		    /* slots of right-path instructions; of a stage that is not wide, at the end */
	uint64_t lost[ALL_KEYS];    /* slots not used */
	uint64_t wasted;	    /* the rest: slots of wrong-path instructions; at the end */
	uint64_t slots[STAGE_ROWS]; /* made of these by stacks_finish */
};

/* Cycles and slots are added up by what was seen in them, and only at the end sorted into the stacks: a cycle costs a
 * few additions, and hardly a decision that the host's branch predictor could get wrong. What happens seldom waits
 * behind two numbers: `next_commit` for commits, `next_dispatch` for dispatches. */
struct stacks {
	struct stacks_params params;
	struct culprit_observer observer;

	uint64_t cycles; /* at the end; before, stacks_seen */
	uint64_t head, dispatched, wrong_from;
	bool in_branch;			 /* the branch before wrong_from is in the window */
	bool refilling;			 /* it has resolved, its right path is not dispatched yet */
	uint8_t branch_set, branch_keys; /* SEEN_BRANCH while either, WRONG_KEYS while in_branch; else 0 */
	uint64_t refill_first;
	uint64_t next_tagged;	/* number of the oldest row or I-miss that counts something when it commits, or older */
	uint64_t next_commit;	/* number of the oldest of these and of loads that missed, or older */
	uint64_t next_dispatch; /* once this one is in the window, one of the two above changes */

	struct fmt fmt;
	struct sfmt sfmt;
	struct imiss *imisses;
	uint32_t imiss_mask, imiss_head, imiss_tail; /* free-running */
	struct dmiss *dmisses;
	uint32_t dmiss_count, dmiss_capacity;
	uint64_t dmiss_oldest;			     /* number, or later than that */
	struct write *writes;			     /* committed stores that missed, oldest first */
	uint32_t write_mask, write_head, write_tail; /* free-running */
	uint64_t drained
		[STACK_COMPONENTS]; /* cycles in which dispatch waited for one of them, and the window was empty */
	uint64_t long_until;	    /* a right-path miss to memory is outstanding before this cycle */

	/* the present wait of fetch, for the naive counters */
	uint8_t wait;		      /* enum culprit_fetch_state */
	uint64_t wait_age, wait_next; /* cycles of it so far; the cycle in which it would go on */
	uint64_t front,
		unfed;	   /* instructions in the front end after the cycle before, and of these in fetch's buffer */
	uint64_t phantoms; /* instructions that a wrong path would have dispatched since it ended */
	uint64_t phantoms_until; /* the cycle in which that would go on */

	uint64_t seen[SEEN_SETS][WRONG_KEYS]; /* cycles, by what commit found */
	/* slots of dispatch's own width, by what dispatch said, and whether it moved anything */
	uint64_t lost_at_dispatch[CULPRIT_DISPATCH_STATE_COUNT][2][ALL_KEYS];
	struct stage_state stages[STACK_STAGES];
	bool weighed; /* events count slots: */
	uint64_t expected[STACK_STAGES], heavy;
	uint32_t width;		   /* of the stage stacks */
	uint32_t dispatch_width;   /* 0: unlimited */
	uint8_t full_above;	   /* dispatch's states above this one make a full window, though the ROB has room */
	uint64_t feed_width;	   /* the same of the front-end pipeline's first stage; never 0 */
	uint8_t last_why;	   /* EMPTY_KEYS + why_empty of the cycle before */
	uint8_t last_dispatch;	   /* blame key of dispatch in the cycle before */
	uint64_t wrong_dispatched; /* wrong-path instructions dispatched */
	uint64_t issued_wrong;	   /* wrong-path instructions issued, if that stage is not wide */
	uint8_t wide_stages;	   /* which are wide: see stacks.c */
	uint64_t replayed;	   /* right-path instructions dispatched and squashed by violations */
	uint64_t slots[SLOTS_ROWS];
	uint64_t claims[CLAIM_SETS];
	struct stacks_penalties penalties;
};

/* --- the pieces of a cycle's work, in the order in which they are called --- */

/* fmt.c */
bool fmt_create(struct fmt *f, const struct stacks_params *p, struct error *err);
void fmt_take_row(struct stacks *s, uint64_t seq);
void fmt_branch_dispatched(struct stacks *s, uint64_t cycle);
void fmt_resolved(struct stacks *s, uint64_t cycle, uint64_t first);
void fmt_refilled(struct stacks *s, uint64_t cycle);
void fmt_squashed(struct stacks *s, uint64_t first);
void fmt_committed(struct stacks *s, uint64_t head);
void fmt_waits(struct stacks *s, unsigned miss, uint64_t cycles);
uint64_t fmt_next_commit(const struct fmt *f);
void fmt_finish(struct stacks *s);

/* events.c */
bool events_create(struct stacks *s, struct error *err);
void events_fetch_waits(struct stacks *s, const struct culprit_cycle *e);
void events_imiss_fetched(struct stacks *s, uint64_t seq, uint8_t ilevel, uint8_t itlb_level);
void events_imiss_committed(struct stacks *s);
void events_load_missed(struct stacks *s, uint64_t cycle, uint64_t seq, uint64_t completes, uint8_t level,
			uint8_t tlb_level, bool merged);
void events_store_missed(struct stacks *s, uint64_t written, uint8_t level, uint8_t tlb_level, bool merged);
void events_waits_for_write(struct stacks *s, const struct culprit_cycle *e);
void events_loads_committed(struct stacks *s, uint64_t head);
void events_squashed(struct stacks *s, uint64_t first);

/* results.c: sort what was seen into the stacks; the checks that every run makes */
void stacks_sort(struct stacks *s);
bool stacks_check(const struct stacks *s, uint64_t cycles, uint64_t instructions, struct error *err);

/* Cycles so far. */
static inline uint64_t stacks_seen(const struct stacks *s)
{
	uint64_t cycles = 0;
	for (unsigned set = 0; set < SEEN_SETS; set++)
		for (unsigned key = 0; key < BLAME_KEYS; key++)
			cycles += s->seen[set][key];
	return cycles;
}

static inline bool stacks_rule(const struct stacks *s, enum fmt_rule rule)
{
	return s->params.fmt_rules & (1u << rule);
}

static inline uint32_t stacks_saturate(uint64_t v, uint32_t most)
{
	return v < most ? (uint32_t)v : most;
}

static inline uint64_t stacks_oldest_imiss(const struct stacks *s)
{
	return s->imiss_head != s->imiss_tail ? s->imisses[s->imiss_head & s->imiss_mask].seq : STACKS_NEVER;
}

static inline uint64_t stacks_older(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Rows or I-misses came or went: which is the oldest? */
static inline void stacks_find_next_commit(struct stacks *s)
{
	s->next_tagged = stacks_older(fmt_next_commit(&s->fmt), stacks_oldest_imiss(s));
	s->next_commit = stacks_older(s->next_tagged, s->dmiss_oldest);
}

/* This one counts something when it commits. */
static inline void stacks_tag(struct stacks *s, uint64_t seq)
{
	s->next_tagged = stacks_older(s->next_tagged, seq);
	s->next_commit = stacks_older(s->next_commit, seq);
}

#endif
