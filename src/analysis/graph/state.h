/* The graph's state, private to src/analysis/graph/.
 *
 * A row holds one node's time in every lane; lane l = the run in which the classes of the bits of l are idealised. A
 * node's absolute time is base[lane] + the row's value. Rows are 16 bits wide until some lane's live times spread
 * further than that, then 32 (graph/rows.c proves why neither changes a result).
 *
 * Inside, classes are permuted so that the one with `win` is the top bit and the one with `bw` the next: a row falls
 * into halves (window as it is, window idealised) of two quarters (bandwidth as it is, idealised). Only the upper half
 * has to reach window_factor times further back. */
#ifndef CULPRIT_ANALYSIS_GRAPH_STATE_H
#define CULPRIT_ANALYSIS_GRAPH_STATE_H

#include "analysis/edges/posted.h"
#include "analysis/edges/renames.h"
#include "analysis/graph/held.h"
#include "analysis/graph/misses.h"
#include "analysis/graph/order.h"
#include "analysis/graph/pool.h"
#include "analysis/graph/ports.h"
#include "analysis/graph/prefetched.h"
#include "analysis/graph/rob_rows.h"
#include "analysis/graph/selection.h"
#include "analysis/graph/slots.h"
#include "analysis/graph/step.h"
#include "analysis/graph/team.h"
#include "analysis/recent.h"
#include "analysis/starts.h"
#include "analysis/record_facts.h"
#include "analysis/record_lines.h"
#include "analysis/weights.h"
#include "culprit/graph.h"

enum { GRAPH_STEPS = 4, GRAPH_LAG = 1 };
enum { GRAPH_LATENCIES = 32 }; /* latencies up to here have rows kept */
enum { GRAPH_ALIGN = 64, GRAPH_AHEAD_STEP = 16, GRAPH_PLACES = 6 /* bits of a quarter */ };
/* Lines of the next level remembered as brought by a wrong path: more than an L2 has. With 64, parts of a line used
 * much later counted as fetched from memory again: bzip2, bmisp on eyerman2009-4w 5.4 instead of 22.4 points (22.1
 * by simulation). */
enum { GRAPH_STRAY_LINES = 16384 };

/* Where records have weights. */
struct graph_weighing {
	struct weights weights;
	struct weight_span near, far, dispatch, commit;
	struct weight_span window[2]; /* by half, of all that may be in flight */
};

/* Widths and sizes with nothing unlimited, as far back as they reach: with weights, for the current record. */
struct graph_reach {
	uint64_t fetch_width; /* instructions */
	uint64_t near, far;   /* to the one that made room in the ROB, as it is and idealised */
	uint64_t commit_width;
};

/* The last instructions of some kind (loads, taken branches, ...): the ones that made room. Numbers are one more
 * than the instruction's; 0 = there is none. */
struct graph_recent {
	uint64_t *numbers; /* ring, the number of entries a power of two */
	uint64_t mask;
	uint32_t near, size;	    /* how far back is asked; 0 = never */
	uint64_t count;		    /* in the ring */
	uint64_t near_one, far_one; /* numbers of those near and size back, the newest being 1 back */
};

/* The one that is far_one when there are GRAPH_RECENT_AHEAD more (8: slower). */
enum { GRAPH_RECENT_AHEAD = 2 };
static inline uint64_t graph_recent_after(const struct graph_recent *r)
{
	return r->numbers[(r->count - r->size + GRAPH_RECENT_AHEAD) & r->mask];
}

/* Stores' writes: when each store-queue entry is free again. */
struct graph_writes {
	struct graph_pool entries;  /* count = 0: not asked for */
	struct graph_ring released; /* with the window idealised: the upper half of a row for each store, by number */
	uint64_t planned, count;    /* stores; those of them that have gone through the kernel */
	uint64_t recorded;	    /* when the youngest store's entry was free, by the records */
	uint64_t line;		    /* write_interval: that of the last store planned, + 1 */
	bool posted;
	struct graph_ring served; /* posted: when the last writes left the buffer, by number */
	struct posted_writes by_records;
	struct posted_write write; /* the store at hand */
};

/* The part of the window that a kind of entry is of. */
static inline enum culprit_event_class graph_window_event(unsigned kind)
{
	return kind == RECENT_IN_FLIGHT						? CULPRIT_EVENT_tags
	       : kind == RECENT_INT || kind == RECENT_FP || kind == RECENT_REGS ? CULPRIT_EVENT_regs
										: CULPRIT_EVENT_lsq;
}

/* By how much more of a kind there are where the window is idealised. */
static inline uint64_t graph_recent_factor(const struct culprit_graph_params *p, unsigned kind, uint64_t factor)
{
	bool large = p->large >> graph_window_event(kind) & 1;
	return RECENT_WINDOW >> kind & 1 && !large ? factor : 1;
}

/* Internal bits of classes, one for what is idealised in every lane, and one for what other graphs idealise. */
typedef uint16_t graph_owners;
enum { GRAPH_ALWAYS = 1 << CULPRIT_GRAPH_CLASSES, GRAPH_ELSEWHERE = 2 * GRAPH_ALWAYS, GRAPH_OWNERS = 4 * GRAPH_ALWAYS };

/* Records that a team's threads are handed at once. As many at the most are kept for their groups, which no batch
 * divides. */
enum { GRAPH_BATCH = 128 };

/* params.whole_groups: records whose group is not complete; and while records are planned, those behind the one at
 * hand. */
struct graph_groups {
	struct culprit_record *kept; /* NULL: none are kept */
	size_t count;
	const struct culprit_record *next;
	size_t left;
};

struct culprit_graph {
	struct culprit_graph_params params; /* 0 replaced where it means unlimited */
	struct culprit_graph_class classes[CULPRIT_GRAPH_CLASSES];
	uint32_t internal_bit[CULPRIT_GRAPH_CLASSES];
	graph_owners owners[CULPRIT_EVENT_COUNT]; /* who has this event */
	graph_owners everywhere;		  /* ... of these, the classes without ranges */
	bool split;				  /* bw idealised in exactly the upper quarters */
	bool window_halves;			  /* the whole window is idealised in exactly the upper half */
	bool window_held;			  /* ... in no lane */
	bool window_own;			  /* ... neither of both */
	bool window_parts;			  /* ... because its parts are of different classes */

	const struct graph_kernels *kernels;
	const struct graph_kernel *kernel; /* of the current lane width */
	uint8_t quarters;		   /* bit q: the lanes of quarter q are this graph's; no other is computed */
	struct graph_team *leads;	   /* those that compute the others; NULL: it has all of them */
	struct graph_team *follows;
	uint32_t lane_bytes;
	bool widened;	 /* ... it has been 4 */
	uint64_t limit;	 /* largest value of a lane */
	uint64_t top;	 /* no live lane is above this */
	uint64_t origin; /* every lane's time at the start */

	struct graph_ring f, d, e; /* whole rows; with params.fetch_asked f has when lines were asked for, ... */
	struct graph_ring arrived; /* ... and this when instructions left fetch */
	struct graph_ring left;	   /* with params.released: when instructions leave the window */
	struct graph_ring wc[2];   /* W and C, half a row each, interleaved */
	/* D, half a row, of every AHEAD_STEP-th instruction, by number / AHEAD_STEP: room in an unlimited front end */
	struct graph_ring ahead[2];
	uint32_t reach[2];    /* how far back wc goes */
	uint32_t furthest;    /* ... at most */
	uint32_t asked[2];    /* ... with weights of one */
	uint32_t within[2];   /* how many may be in the window with the current one: lines and stores on their way */
	uint32_t capacity[2]; /* of an unlimited front end, by half */
	uint64_t ahead_due;   /* the next instruction that a row of `ahead` becomes due for */
	char *scratch[SCRATCH_ROWS];
	void *masks[GRAPH_OWNERS];			       /* by set of owners: lanes that none idealises */
	const void *event_mask[CULPRIT_EVENT_COUNT];	       /* masks[owners[event]], when no class has ranges */
	void *latencies[CULPRIT_EVENT_COUNT][GRAPH_LATENCIES]; /* rows: that many cycles where not idealised */
	bool ranged;					       /* some class has ranges */
	char *memory;					       /* rings and scratch, one block */
	size_t memory_bytes;				       /* at the current lane width */
	uint64_t base[GRAPH_LANES];

	struct starts starts;
	uint32_t front_insns; /* frontend_capacity where the kernel does not follow it: it counts instructions that are
			       * not records, or from the arrival of lines */
	struct graph_weighing weighing;
	struct graph_recent recent[RECENT_KINDS];
	uint32_t kinds_asked;	   /* bits of recent_kind with a size */
	uint32_t kinds_dispatched; /* ... that dispatch waits for */
	struct renames renames;
	uint64_t stray_lines[2][GRAPH_STRAY_LINES]; /* of data, of fetches: number + 1 of lines a wrong path brought */
	struct record_lines lines;
	struct graph_writes writes;
	struct graph_misses misses;	 /* with MSHRs */
	struct graph_misses bus;	 /* with lines from memory: one server */
	struct graph_accessed *accessed; /* lines, by instruction, as facts */
	struct graph_prefetched *prefetched;
	struct graph_accesses accesses;
	uint32_t bus_after; /* cycles from an L1's miss to the bus */
	struct graph_pool queues[CULPRIT_GRAPH_QUEUES];
	bool queues_kept;   /* some queue is limited, and each lane keeps account of it */
	bool queues_named;  /* ... or the records name who made room */
	bool rooms_mixed;   /* queues and store queue: not exactly the upper half has the window idealised */
	bool rooms_planned; /* graph_plan_window has something to say of every instruction */
	struct record_facts facts;
	/* Steps wait here for a few instructions before the kernel takes them, so that the host works on the scalar
	 * plan of the next ones meanwhile, and what the kernel reads at once has left the store buffer. Whoever
	 * looks at rows settles them first: graph_catch_up. */
	struct graph_step steps[GRAPH_STEPS];
	struct graph_slots slots;
	int64_t saved[GRAPH_PLACES]; /* sharing.c */
	struct graph_selection selection;
	struct graph_ports ports;
	struct graph_rob_rows rob_rows;
	struct graph_groups groups;

	uint64_t count;			   /* instructions planned, the current one left out */
	uint64_t done;			   /* ... and gone through the kernel: count - GRAPH_LAG <= done <= count */
	uint64_t start;			   /* cycle at which the first fetch began */
	uint64_t fetch_groups;		   /* cycles in which records so far were fetched; with squash_width */
	const void *violated;		   /* lanes in which the violation of the record at hand happens */
	const struct culprit_record *last; /* the record in front: of the same push, or kept from the one before */
	struct culprit_record kept;
	struct graph_reach most;
	struct graph_holds holds;
	uint32_t largest_wake, longest_miss;
	uint32_t longest_interval; /* of an operation that holds its unit */
	uint64_t least_growth;	   /* of every instruction */
	struct graph_walks *walks; /* NULL: waits for page walkers are as recorded */
	struct graph_order *order; /* NULL: waits for stores are as recorded in every lane */
	bool failed;
	char error[200];
};

/* params.c: NULL: they are good. */
const char *graph_params_wrong(const struct culprit_graph_params *p);

/* graph.c: the kernel takes all steps that wait, after which rows are those of the instructions before the current
 * one. */
void graph_catch_up(struct culprit_graph *g);
/* Are the lanes of this quarter the graph's own? */
static inline bool graph_quarter_owned(const struct culprit_graph *g, size_t q)
{
	return g->quarters >> q & 1;
}
static inline bool graph_half_owned(const struct culprit_graph *g, unsigned half)
{
	return g->quarters >> 2 * half & 3;
}
/* Records of whole groups; and into this graph alone. */
bool graph_push_whole(struct culprit_graph *g, const struct culprit_record *records, size_t count);
bool graph_push_own(struct culprit_graph *g, const struct culprit_record *records, size_t count);

/* graph/rows.c */
bool graph_rows_create(struct culprit_graph *g);
void graph_rows_destroy(struct culprit_graph *g);
const void *graph_mask_create(struct culprit_graph *g, graph_owners owners);
static inline const void *graph_mask(struct culprit_graph *g, graph_owners owners)
{
	return g->masks[owners] ? g->masks[owners] : graph_mask_create(g, owners);
}
/* The row of a latency that is kept; its lanes are the caller's to set. */
void *graph_latency_create(struct culprit_graph *g, enum culprit_event_class event, uint32_t cycles);
/* Room for an instruction whose edges and latencies add up to at most `growth`; false = not representable. */
bool graph_rows_make_room(struct culprit_graph *g, uint64_t growth);
static inline bool graph_rows_reserve(struct culprit_graph *g, uint64_t growth)
{
	if (g->top + growth > g->limit && !graph_rows_make_room(g, growth))
		return false;
	g->top += growth;
	return true;
}
/* W and C of more instructions, by half, and D of more: a power of two. */
bool graph_rows_extend(struct culprit_graph *g, const uint32_t reach[2], uint32_t d_rows);
/* Back to 16 bits, if all live times fit well. Called every GRAPH_SETTLE_STEP instructions. */
bool graph_rows_settle(struct culprit_graph *g);
enum { GRAPH_SETTLE_STEP = 4096 };
/* Two bits of a lane's number within a quarter change places: a of those with slots, b of the others. */
bool graph_rows_swap(struct culprit_graph *g, unsigned a, unsigned b);
void graph_rows_times(const struct culprit_graph *g, uint64_t time[GRAPH_LANES]);

/* Rows are found without branches: how far back one lies is as irregular as the program. */
static inline char *graph_ring_row(const struct graph_ring *r, uint32_t back)
{
	uint32_t row = r->at - back;
	row += r->rows & (uint32_t)((int32_t)row >> 31);
	return r->base + ((size_t)row << r->shift);
}
static inline char *graph_power_row(const struct graph_ring *r, uint32_t number)
{
	return r->base + ((size_t)(number & (r->rows - 1)) << r->shift);
}
/* F, D or E of the instruction `back` before the one being planned; its kernel step may still be due. */
static inline char *graph_node_row(const struct culprit_graph *g, const struct graph_ring *r, uint32_t back)
{
	return graph_power_row(r, (uint32_t)g->count - back);
}

/* slots.c: who may issue when. */
bool graph_slots_create(struct culprit_graph *g);
void graph_slots_destroy(struct culprit_graph *g);
void graph_slots_plan(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s);
void graph_slots_rebase(struct culprit_graph *g, const void *delta);
/* Nothing waits for a slot for longer than up to here, in any lane. */
uint64_t graph_slots_top(const struct culprit_graph *g);
/* Forget cycles that every later instruction is beyond. Called every GRAPH_SLOT_STEP instructions. */
void graph_slots_advance(struct culprit_graph *g);
enum { GRAPH_SLOT_STEP = 64, GRAPH_WALKS_STEP = 1024 }; /* walks.h: how long a stretch is */
/* Lanes with this bit are others now: their slots are all free. */
void graph_slots_restart(struct culprit_graph *g, unsigned bit);

/* queues.c and writes.c: room in the issue queues and in the store queue. */
void graph_queues_size(struct culprit_graph *g);
void graph_writes_size(struct culprit_graph *g);
bool graph_writes_create(struct culprit_graph *g);
/* Into D, and what the step holds from then on. */
void graph_queues_plan(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s);
void graph_writes_plan(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s);
/* After the step of instruction number `done`. */
void graph_queues_hold(struct culprit_graph *g, const struct graph_step *s);
void graph_writes_hold(struct culprit_graph *g, const struct graph_step *s);
void graph_left_note(struct culprit_graph *g, const struct graph_step *s); /* left.c */
/* After graph_catch_up: when the instruction `distance` back left; NULL: too old to matter. */
const char *graph_left_row(const struct culprit_graph *g, unsigned half, uint64_t distance);

/* order.c and order_violated.c: memory order that store sets learn. */
bool graph_order_create(struct culprit_graph *g);
void graph_order_destroy(struct culprit_graph *g);
/* Is this lane the recorded run, or not this graph's to compute? */
static inline bool graph_order_recorded(const struct culprit_graph *g, unsigned lane)
{
	return (!lane && !g->params.always) || !(g->quarters >> lane / GRAPH_QUARTER & 1);
}
/* Do lanes wait for different stores at the last load or store planned? */
static inline bool graph_order_parted(const struct culprit_graph *g)
{
	return g->order && g->order->told.any && !g->order->told.store.same;
}
/* The same, of this one. */
bool graph_order_plan(struct culprit_graph *g, const struct culprit_record *r);
/* Lanes in which the violation that was recorded happens, by the store so many instructions back. */
const void *graph_order_violated(struct culprit_graph *g, const struct culprit_record *r, const struct graph_step *s,
				 uint32_t distance);
void graph_order_remember(struct culprit_graph *g, const struct culprit_record *r);
/* After the step of the load r, to whose bytes, or beside them, the store `distance` before it writes. */
void graph_order_watch(struct culprit_graph *g, const struct culprit_record *r, uint32_t distance, bool beside);
/* Cycles of misses on the longest way to its operands. */
uint32_t graph_order_chain(const struct culprit_graph *g, const struct culprit_record *r);
/* Of the lanes that the mask keeps, those in which the load misses: it has not brought its line before, when it was
 * squashed. */
const void *graph_order_missing(struct culprit_graph *g, const struct culprit_record *r, const void *mask);
void graph_order_clear(struct culprit_graph *g);
/* Two bits of lanes' numbers change places. */
void graph_order_swap(struct culprit_graph *g, unsigned a, unsigned b);

/* sharing.c: who has issue slots. False: out of memory. */
bool graph_sharing_choose(struct culprit_graph *g);
/* Chosen after so many instructions, after twice, four and eight times as many, and then every GRAPH_SHARING_STEP. */
enum { GRAPH_SHARING_FIRST = 1024, GRAPH_SHARING_STEP = 8 * GRAPH_SHARING_FIRST };
static inline bool graph_sharing_due(const struct culprit_graph *g)
{
	const bool early = g->count >= GRAPH_SHARING_FIRST && !(g->count & (g->count - 1));
	return g->params.issue_slots && (early || (g->count && g->count % GRAPH_SHARING_STEP == 0));
}

/* misses.c: MSHRs and the memory bus. */
bool graph_misses_create(struct culprit_graph *g);
void graph_misses_destroy(struct culprit_graph *g);
size_t graph_misses_place(const struct culprit_graph *g, struct graph_misses *m, char *rows);
void graph_misses_rebase(struct culprit_graph *g, const struct graph_misses *m, size_t q);
uint64_t graph_misses_largest(const struct culprit_graph *g, const struct graph_misses *m, size_t q);
/* Does this load take an MSHR or a line from the bus, and how; `shared`: it also waits for a line that an older
 * instruction brings; `stray`: what it takes besides without wrong paths. */
bool graph_misses_load(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s, bool shared,
		       uint32_t stray);
bool graph_misses_prefetched(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s);
void graph_misses_write(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s);
/* Cycles of a fetch miss that each lane finds out itself. */
uint32_t graph_misses_fetch(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s);
void graph_misses_remember(struct culprit_graph *g, const struct culprit_record *r);
/* After the step of instruction number `done`. */
void graph_misses_hold(struct culprit_graph *g, const struct graph_step *s);
/* A write is in the account now. */
void graph_misses_written(struct culprit_graph *g, const struct graph_step *s);
/* Is a line that a wrong path brought one from memory, in lanes without wrong paths? */
static inline bool graph_misses_stray(const struct culprit_graph *g, const struct culprit_record *r, uint32_t stray)
{
	return stray && stray + r->dmiss == g->params.miss_cycles[CULPRIT_LEVEL_MEMORY];
}

/* Access to one lane of a row, for what is done rarely. */
static inline void graph_set_lane(const struct culprit_graph *g, void *row, size_t lane, uint64_t value)
{
	if (g->lane_bytes == 2)
		((uint16_t *)row)[lane] = (uint16_t)value;
	else
		((uint32_t *)row)[lane] = (uint32_t)value;
}
static inline uint64_t graph_get_lane(const struct culprit_graph *g, const void *row, size_t lane)
{
	return g->lane_bytes == 2 ? ((const uint16_t *)row)[lane] : ((const uint32_t *)row)[lane];
}

/* classes.c */
const char *graph_classes_check(const struct culprit_graph_params *p); /* what is wrong; NULL = nothing */
bool graph_classes_copy(struct culprit_graph *g, const char **why);
void graph_classes_place(struct culprit_graph *g);
/* Entries of the ROB where it is idealised. */
uint32_t graph_rob_far(const struct culprit_graph_params *p);
/* ... of entries without those that instructions have left (params.released): as they are, and idealised. */
uint32_t graph_held(const struct culprit_graph_params *p), graph_held_far(const struct culprit_graph_params *p);
/* The classes of two bits inside change places; so do lanes, in all rows. */
void graph_classes_swap(struct culprit_graph *g, unsigned a, unsigned b);

/* graph/plan*.c: check a record, lay out its edges in the step of its number. */
bool graph_plan(struct culprit_graph *g, const struct culprit_record *r);

bool graph_fail(struct culprit_graph *g, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
