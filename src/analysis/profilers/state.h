/* Private to src/analysis/profilers. */
#ifndef CULPRIT_ANALYSIS_PROFILERS_STATE_H
#define CULPRIT_ANALYSIS_PROFILERS_STATE_H

#include "analysis/oracle/oracle.h"
#include "analysis/profilers/sampling.h"
#include "culprit/log.h"

typedef uint64_t series_counts[PROFILER_SERIES];

/* Of one row: samples in ORACLE_PARTS. */
struct profile_row {
	series_counts weights[PROFILERS];
};

/* Instructions from a branch's target to the next taken branch. */
struct lbr_run {
	uint64_t first, last; /* addresses of instructions */
	series_counts seen;   /* how often samples saw it */
	series_counts cycles; /* ... times the cycles that it took */
};

enum { LBR_BRANCHES = 32, LBR_SPAN_BITS = 16 };

/* A taken branch that has committed. */
struct lbr_branch {
	uint32_t run;	       /* that ended with it */
	uint64_t cycles;       /* of the run */
	series_counts samples; /* taken before it */
};

struct lbr {
	struct lbr_run *runs;
	size_t count, room;
	struct map places;			  /* first address and length -> run + 1 */
	struct lbr_branch branches[LBR_BRANCHES]; /* ring */
	uint64_t taken;				  /* branches so far */
	struct cursor cursor;			  /* through taken branches */
	series_counts samples;			  /* up to it */
	uint64_t first, committed;
	bool inside; /* `first` is known */
};

/* An instruction that was tagged as it entered the window. */
struct tag {
	uint64_t seq;
	series_counts samples;
};

/* What the log says of dispatch. */
struct tagging {
	uint64_t now, dispatched;
	struct cursor cursor;
	struct tag *tags; /* those of instructions that neither committed nor left, [first, count): by seq */
	size_t first, count, room;
	series_counts lost;
};

struct profilers {
	struct profilers_params params;
	struct oracle oracle;
	struct oracle_listener listener;
	struct profile_row *rows; /* as the oracle's */
	size_t room;
	struct cursor software, last, next, tip;
	uint64_t *fetched;  /* ring: when the last `skid` instructions were */
	uint64_t pushed;    /* records */
	uint32_t committed; /* row of the last that did, UINT32_MAX = none has */
	struct tagging tagging;
	struct lbr lbr;
	uint32_t *order; /* rows by pc and events: made at the end */
	bool out_of_memory;
};

void lbr_begin(struct lbr *l, const struct profilers_params *params);
void lbr_destroy(struct lbr *l);
/* False: no memory. */
bool lbr_push(struct lbr *l, const struct profilers_params *params, const struct culprit_record *r);

void tagging_begin(struct tagging *t, const struct profilers_params *params);
void tagging_destroy(struct tagging *t);
bool tagging_log(struct tagging *t, const struct profilers_params *params, const struct culprit_log_part *part);
/* Samples that tagged the instruction, which has committed; NULL = none. Valid until the next call. */
const uint64_t *tagging_commit(struct tagging *t, uint64_t seq);

/* The last cycle with commits is the last commit's, too. */
void profilers_close(struct profilers *p);

/* NULL: no memory, and nothing is lost. What is new is not cleared. */
void *profilers_grown(void *array, size_t used, size_t *room, size_t size);

#endif
