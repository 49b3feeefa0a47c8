/* Stall trees: which stall caused which, from a lost completion back to its root cause (Robinson, Stallscope).
 *
 * Each component of a simulator owns a *stall set*, a table of stall types. Each cycle that something fails to move is
 * a stall event: a type, and at most one event that caused it. A type is a leaf (the end of a chain: it has no cause)
 * or it is not. Following causes from a lost completion gives its path; an *accumulator* adds all paths up into one
 * tree.
 *
 *     stalls = culprit_stalls_create(&params, &why);
 *     fetch = culprit_stalls_add_set(stalls, &fetch_set);                    once for each component
 *     commit = culprit_stalls_add_accumulator(stalls, "commit", width);
 *     miss = culprit_stalls_leaf(stalls, fetch + L1I_MISS, 3);               three cycles of it: a root cause
 *     empty = culprit_stalls_because(stalls, decode + NOTHING_CAME, miss);   and what it causes downstream
 *     culprit_stalls_count(stalls, commit, cycle, rob + IS_EMPTY, empty, width);
 *     culprit_stalls_results(stalls, commit, &results);
 *
 * How it is kept. A chain of (type, cause) pairs is interned once, so it is one number. Each leaf event has a number of
 * its own and passes it on to everything it causes. Events of successive cycles that are alike form a *run*: chain,
 * number of the first leaf event, length. So recording costs O(1) for each run and nothing is allocated once the tables
 * are warm.
 *
 * Propagation is the simulator's, with the delay of its own flow control; the engine gives the pieces:
 *   empty stalls (downstream) and full stalls (upstream): struct culprit_stall_stage keeps what a stage could not do
 *   this
 *     cycle and the cycle before; a neighbour reads `last` and passes it on with culprit_stalls_because.
 *   operands: struct culprit_stall_history is an instruction's own stalls; culprit_stalls_wait lets a consumer pop the
 *     producer's, most recent first, without altering them.
 *   flushes: a leaf of a CULPRIT_STALL_FLUSH type is one global event, however long it lasts and however often it
 *   counts.
 *
 * The rule of unique leaves: what culprit_stalls_take accumulates from a history, it accumulates once, by the number of
 * the leaf event (paper, section 6.2); flush events are exempt. For every accumulator
 *     sum of `own` over the tree's nodes + elsewhere = everything counted,
 * which its owner compares with the opportunities lost. */
#ifndef CULPRIT_STALLS_H
#define CULPRIT_STALLS_H

#include "culprit/version.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

CULPRIT_C_BEGIN

struct culprit_stalls;

/* --- types --- */

enum culprit_stall_flag {
	CULPRIT_STALL_LEAF = 1,		 /* has no cause: ends every chain it is in */
	CULPRIT_STALL_FLUSH = 2,	 /* a leaf, and global: may be accumulated any number of times */
	CULPRIT_STALL_INFORMATIONAL = 4, /* no stall by itself: says more about the rest of its chain */
};

struct culprit_stall_type {
	const char *name;    /* a word, unique in its set: for machines */
	const char *label;   /* a few words: for people */
	const char *meaning; /* one line */
	uint32_t flags;	     /* enum culprit_stall_flag */
};

/* The tables and texts must outlive the engine. */
struct culprit_stall_set {
	const char *name; /* the component */
	const struct culprit_stall_type *types;
	uint32_t count;
};

/* Types that every engine has, in the set "stalls". */
enum {
	CULPRIT_STALL_NONE = 0,
	CULPRIT_STALL_SNIPPED = 1, /* stands for the middle of a chain that is longer than `depth` */
	CULPRIT_STALL_OTHER =
		2, /* stands for the path between a lost completion and its leaf when the table was full */
	CULPRIT_STALL_OWN_TYPES = 3
};

/* --- the engine --- */

/* 0 = the default. */
struct culprit_stall_params {
	uint32_t depth;	 /* longest chain, 4..64, default 32: beyond, the middle is snipped out, both ends are kept */
	uint32_t chains; /* at most so many different chains, default 2^18 (about 10 MB when all are used) */
	uint32_t leaf_bits; /* leaf events further back than 2^leaf_bits count as accumulated; 10..28, default 20 */
	uint64_t interval;  /* cycles of a snapshot; 0 = no snapshots */
};

/* NULL: *why (may be NULL) names what is wrong. */
struct culprit_stalls *culprit_stalls_create(const struct culprit_stall_params *params, const char **why);
void culprit_stalls_destroy(struct culprit_stalls *s);

/* The id of the set's first type; the others follow. 0: out of memory. Sets are added before anything is recorded. */
uint32_t culprit_stalls_add_set(struct culprit_stalls *s, const struct culprit_stall_set *set);

/* NULL while all is well: else what went wrong first (a leaf with a cause, out of memory). Counts go on and stay exact,
 * but the tree is not to be trusted. */
const char *culprit_stalls_error(const struct culprit_stalls *s);

/* --- events --- */

typedef uint32_t culprit_stall_chain; /* an interned chain; 0 = none */

/* Added to the chain of runs in histories whose leaves have all been accumulated: nothing more will come of them. */
#define CULPRIT_STALL_SPENT (1u << 31)

/* Successive stall events that are alike; `length` 0 = no stall. The leaf events have the numbers first .. first +
 * length - 1, in order of time (all the same one when the leaf is a flush). A value: copy it at will. */
struct culprit_stall_run {
	culprit_stall_chain chain;
	uint32_t length; /* cycles */
	uint64_t first;
};

/* `cycles` new leaf events of a leaf type. */
struct culprit_stall_run culprit_stalls_leaf(struct culprit_stalls *s, uint32_t type, uint32_t cycles);
/* Events of `type`, each caused by the event of `cause` at its place. */
struct culprit_stall_run culprit_stalls_because(struct culprit_stalls *s, uint32_t type,
						struct culprit_stall_run cause);
/* `cycles` events of a run, from place `from` on; a flush's go on for ever. */
struct culprit_stall_run culprit_stalls_part(const struct culprit_stalls *s, struct culprit_stall_run run,
					     uint32_t from, uint32_t cycles);

/* --- stages: empty stalls go downstream, full stalls upstream, each a cycle later --- */

struct culprit_stall_stage {
	struct culprit_stall_run now;  /* why the stage moves nothing on in this cycle; length 0 = it does */
	struct culprit_stall_run last; /* the same for the cycle before: what neighbours see */
};

/* The cycle is over. */
static inline void culprit_stalls_clock(struct culprit_stall_stage *stage)
{
	stage->last = stage->now;
	stage->now.length = 0;
}

/* The stage was flushed: in the next cycle it has nothing to move, because of `flush`. */
static inline void culprit_stalls_flush(struct culprit_stall_stage *stage, struct culprit_stall_run flush)
{
	stage->now = flush;
}

/* --- an instruction's stall history --- */

/* Zero it once, begin it for each instruction, release it once. The members are the engine's. */
struct culprit_stall_history {
	struct culprit_stall_run
		*runs; /* most recent last; within a run of a wait the order of time is turned so too */
	uint32_t count, capacity;
	struct culprit_stall_run executing, minimum;
	struct culprit_stall_history *source; /* the consecutive-stall queue: a wait that still goes on */
	uint32_t wait_type, waited;
};

enum { CULPRIT_STALL_HISTORY_RUNS = 1024 }; /* of one instruction; the oldest go first, counted in the results */

void culprit_stalls_begin(struct culprit_stall_history *h);
void culprit_stalls_release(struct culprit_stall_history *h);

/* Adds stalls of the cycles after those pushed before. */
void culprit_stalls_push(struct culprit_stalls *s, struct culprit_stall_history *h, struct culprit_stall_run run);

/* The instruction waited `cycles` cycles for the result of `source`. Each cycle takes one stall of the source as its
 * cause: its most recent stall, then the one before, and so on; then its execution beyond the minimum latency; then its
 * minimum latency. Example: a multiply of 3 cycles without stalls gives two cycles of "long executing", then one of
 * "too close". Call it in each cycle or once for many. Consecutive calls with the same source and type are one
 * sequence. It is pushed when it ends, so that its order is kept (section 6.1). By then the source must have finished,
 * and must not have begun anew. */
void culprit_stalls_wait(struct culprit_stalls *s, struct culprit_stall_history *h, uint32_t type,
			 struct culprit_stall_history *source, uint32_t cycles);
/* Ends a sequence of waits, if one goes on: its source is about to be used again. Everything else here does it too. */
void culprit_stalls_settle(struct culprit_stalls *s, struct culprit_stall_history *h);

/* What execution costs beside stalls: runs of leaves, one event a cycle, shared by all who wait for this instruction.
 * `minimum`: of the shortest time it can take ("dependency too close"); `executing`: beyond it ("long executing"). */
void culprit_stalls_executes(struct culprit_stall_history *h, struct culprit_stall_run executing,
			     struct culprit_stall_run minimum);

/* --- accumulators --- */

/* At any stage; `width` opportunities a cycle, for the reader. The accumulator's number; UINT32_MAX: out of memory. */
uint32_t culprit_stalls_add_accumulator(struct culprit_stalls *s, const char *name, uint32_t width);

/* From cycle `cycle` on, each of the run's cycles lost `weight` opportunities to `type` caused by the run's event (type
 * CULPRIT_STALL_NONE: to the run's events themselves). Marks the leaves as accumulated. */
void culprit_stalls_count(struct culprit_stalls *s, uint32_t accumulator, uint64_t cycle, uint32_t type,
			  struct culprit_stall_run run, uint64_t weight);

/* The same for up to `cycles` events of a history, most recent first, passing over those whose leaf is accumulated
 * already. Returns how many there were. The second form takes from a run. */
uint32_t culprit_stalls_take(struct culprit_stalls *s, uint32_t accumulator, uint64_t cycle, uint32_t type,
			     struct culprit_stall_history *h, uint32_t cycles, uint64_t weight);
uint32_t culprit_stalls_take_run(struct culprit_stalls *s, uint32_t accumulator, uint64_t cycle, uint32_t type,
				 struct culprit_stall_run run, uint32_t cycles, uint64_t weight);

/* Restricts an accumulator to a place: while not selected, leaves are marked as ever but counts go to `elsewhere`. */
void culprit_stalls_select(struct culprit_stalls *s, uint32_t accumulator, bool selected);

/* --- results --- */

struct culprit_stall_type_info {
	struct culprit_stall_type type;
	const char *set;
};

/* A node of the tree: an occurrence of a type on one path. Preorder: a parent comes before its children, siblings by
 * total, largest first (then by type). own != 0: paths end here, so the type is a leaf. */
struct culprit_stall_node {
	uint32_t parent; /* index; CULPRIT_STALL_ROOT = none: the immediate stall at the accumulator */
	uint32_t type;
	uint32_t depth; /* 0 = immediate */
	uint32_t end;	/* index after its last descendant */
	uint64_t own;	/* opportunities whose path ends here */
	uint64_t total; /* own + children's totals */
};
#define CULPRIT_STALL_ROOT UINT32_MAX

/* Counts of one interval of time, by type. The last may be shorter. */
struct culprit_stall_interval {
	uint64_t first, cycles; /* cycles */
	uint64_t lost;		/* selected opportunities: sum of `leaves` */
	const uint64_t *leaves; /* [type_count]: by the type of the path's leaf */
	const uint64_t *tops;	/* [type_count]: by the immediate stall */
};

struct culprit_stall_results {
	const char *accumulator;
	uint32_t width;	    /* opportunities a cycle */
	uint64_t counted;   /* everything: lost + elsewhere */
	uint64_t lost;	    /* the tree's total */
	uint64_t elsewhere; /* not selected */

	uint32_t type_count; /* types[id] of every set, id 0 is unused */
	const struct culprit_stall_type_info *types;
	struct culprit_stall_node *nodes;
	size_t node_count;
	uint64_t *leaf_totals; /* [type_count]: leaf summary; sums to `lost` */
	uint64_t *node_totals; /* [type_count]: node summary: paths that the type is on, each path once */

	struct culprit_stall_interval *intervals;
	size_t interval_count;
	uint64_t interval; /* cycles of each; longer than asked for when there would have been too many */

	uint64_t chains;	 /* different chains kept */
	uint64_t snipped;	 /* part of lost: on paths with the middle snipped out */
	uint64_t folded;	 /* part of lost: on paths folded into CULPRIT_STALL_OTHER */
	uint64_t dropped_events; /* stall events of histories longer than CULPRIT_STALL_HISTORY_RUNS */
};

enum { CULPRIT_STALL_INTERVALS = 4096 }; /* when there are more, pairs are joined and the interval doubles */

/* So far; recording may go on, the results stay as they are. False: out of memory. Free them with the second. */
bool culprit_stalls_results(const struct culprit_stalls *s, uint32_t accumulator, struct culprit_stall_results *out);
void culprit_stalls_results_free(struct culprit_stall_results *results);

/* The inverted tree: leaves at the top, below each the stalls it caused, and so on: its first `levels` levels are the
 * paper's twig summary. `nodes` alone differs from `results`; to be freed apart. False: out of memory. */
bool culprit_stalls_invert(const struct culprit_stall_results *results, struct culprit_stall_node **nodes,
			   size_t *node_count);

CULPRIT_C_END

#endif
