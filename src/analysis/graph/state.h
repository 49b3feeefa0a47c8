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

#include "analysis/graph/misses.h"
#include "analysis/graph/pool.h"
#include "analysis/graph/slots.h"
#include "analysis/record_facts.h"
#include "analysis/record_lines.h"
#include "culprit/graph.h"

enum { GRAPH_STEPS = 4, GRAPH_LAG = 1 };
enum { GRAPH_LATENCIES = 32 }; /* latencies up to here have rows kept */
enum { GRAPH_LANES = 256, GRAPH_HALF = 128, GRAPH_QUARTER = 64, GRAPH_PRODUCERS = 4 };
enum { GRAPH_ALIGN = 64, GRAPH_AHEAD_STEP = 16 };
/* Lines of the next level remembered as brought by a wrong path: more than an L2 has. With 64, parts of a line used
 * much later counted as fetched from memory again: bzip2, bmisp on eyerman2009-4w 5.4 instead of 22.4 points (22.1
 * by simulation). */
enum { GRAPH_STRAY_LINES = 16384 };
enum { GRAPH_MARGIN = 4096 }; /* times older than F by more than this may be raised to F - GRAPH_MARGIN */

/* How far back the instructions are whose W or C an instruction waits for. 0 and what is beyond a half's reach:
 * none. */
enum graph_back {
	BACK_LAST,	/* C of i-1: always 1 */
	BACK_NEAR,	/* C of the one that made room in the window as it is ... */
	BACK_FAR,	/* ... and idealised */
	BACK_COMMIT,	/* C of the one that fills commit's or a store's width */
	BACK_PRODUCERS, /* W, from when dependents may issue: the first two always, the others with STEP_PRODUCERS */
	BACK_COUNT = BACK_PRODUCERS + GRAPH_PRODUCERS
};

/* What few instructions have: nodes with rarer edges, latencies with more than one part. */
enum graph_step_rare {
	STEP_AHEAD = 1 << 0, /* room in an unlimited front end: another instruction made it than for i-1 */
	STEP_F_FLOOR = 1 << 1,
	STEP_F_ADD = 1 << 2,
	STEP_D_FREE = 1 << 3,
	STEP_D_FLOOR = 1 << 4,
	STEP_PRODUCERS = 1 << 5,
	STEP_E_FLOOR = 1 << 6,
	STEP_WAKE = 1 << 7, /* ... differs from the latency */
	STEP_MISS = 1 << 8,
	STEP_P_ADD = 1 << 9,
	STEP_P_FLOOR = 1 << 10,
	STEP_P_OUT = 1 << 11,
	STEP_STORES = 1 << 12,
	STEP_D_ENTRY = 1 << 13,
	STEP_QUEUE = 1 << 14,	   /* holds an entry of a queue that is kept account of, until its issue */
	STEP_WRITE = 1 << 15,	   /* ... and of the store queue, until its write is done */
	STEP_MISS_LOAD = 1 << 16,  /* takes an MSHR */
	STEP_MISS_WRITE = 1 << 17, /* ... for its write */
	STEP_F_BUS = 1 << 18,	   /* takes a line from the memory bus: the fetch, ... */
	STEP_MISS_BUS = 1 << 19,   /* the load, ... */
	STEP_WRITE_BUS = 1 << 20,  /* the write */
	STEP_HELD = 1 << 21,	   /* a younger operation has its unit */
	STEP_MISSES = STEP_MISS_LOAD | STEP_MISS_WRITE | STEP_F_BUS | STEP_MISS_BUS | STEP_WRITE_BUS,
	STEP_COMPLETE = STEP_MISS_LOAD | STEP_MISS_BUS | STEP_WAKE | STEP_MISS | STEP_P_ADD | STEP_P_FLOOR |
			STEP_P_OUT | STEP_STORES,
};

/* One instruction, ready for the kernel: where its edges come from and what is on them. The kernel finds the rows of
 * `back` itself. Rows of W and C (side by side) and of the unlimited front end are of half width, by half (window as it
 * is, idealised); all others are whole, and so are masks. F, D and C never decrease from instruction to instruction, so
 * of all edges with the same latency and class from such nodes only the youngest is kept. A floor is the latest of a
 * node's rarer edges. What has a bit in `rare` counts only where it is set. */
struct graph_step {
	int32_t back[BACK_COUNT] __attribute__((aligned(64)));
	uint32_t rare; /* of enum graph_step_rare */
	uint32_t dispatch_to_issue, contention, miss, wake;
	uint32_t alone;	     /* PP: at worst the access brings the line itself, with this latency */
	const void *f_width; /* F of the instruction that ended the last group but one */
	const void *ahead[2];
	const void *f_floor, *f_add, *d_floor, *e_floor;
	const void *d_free;		    /* E of the instruction that freed the issue-queue entry; lower half only */
	const void *entry[2];		    /* when there is a store-queue entry, by half */
	const void *latency;		    /* of the unit, by lane */
	const void *exec_mask;		    /* lanes in which it is not idealised */
	const void *miss_mask, *p_add;	    /* the miss parts of a load's latency: the usual one, the others */
	const void *p_floor, *alone_mask;   /* PP: when the line that is on its way arrives */
	const void *bw_mask;		    /* unless `split` */
	const struct graph_slot_use *slots; /* NULL = nothing to take, or contention as recorded */
	const void *slot_mask; /* lanes that wait for slots, besides those limited by bandwidth; NULL = all of them */
	uint32_t interval;     /* cycles until the unit takes the next one; 0, 1 = pipelined */
	uint32_t held;	       /* cycles that a younger operation keeps it from its unit, in the lanes of held_mask */
	const void *held_mask;
	uint32_t write_miss, write_dtlb;
	const void *hit_mask, *write_miss_mask, *write_dtlb_mask;
	struct graph_pool *queue;
	const void *hold;     /* cycles that a load has an MSHR, by lane; from when it has one its miss takes as long */
	uint32_t unexplained; /* ... after which it has waited that much, besides */
	uint32_t mshr_over, bus_over, f_bus_over; /* cycles by which the account makes the waits too long */
	uint32_t write_hold,
		write_waited; /* ... the cycles it waited for MSHRs that no lane gives out, which are not part of it */
	const void *f_bus, *bus; /* lanes in which the fetch, the load takes a line from the memory bus: not 0 */
	const void *f_itlb_mask;
	uint32_t f_itlb;
};

/* What is compiled once per vector width and lane width. */
struct graph_kernel {
	/* all nodes of instruction number g->done */
	void (*step)(const struct culprit_graph *g, const struct graph_step *step);
	/* dst = first ? (src + add) & mask : max(dst, ...), over half a row */
	void (*edge)(void *dst, const void *src, uint32_t add, const void *mask, bool first);
	/* dst = first ? add & mask : dst + (add & mask), over a whole row */
	void (*latency)(void *dst, uint32_t add, const void *mask, bool first);
	/* row = max(row, delta) - delta for `count` half rows, `stride` bytes apart */
	void (*rebase)(void *rows, size_t count, size_t stride, const void *delta);
	/* the largest lane of half a row */
	uint32_t (*largest)(const void *row);
	/* pool_body.h */
	void (*pool_take)(void *rows, uint32_t front, size_t stride, const void *until);
	void (*pool_merge)(void *rows, uint32_t count, size_t stride);
	/* writes_body.h */
	void (*write)(void *released, void *done, const void *commit, const void *write);
	/* misses_body.h */
	void (*miss_write)(const struct culprit_graph *g, const struct graph_step *s, const void *const commit[2]);
};
struct graph_kernels {
	const char *name;
	const struct graph_kernel *narrow, *wide; /* 16 and 32 bits */
	bool (*usable)(void);
	bool slot_planes; /* issue slots as in slots_planes.h */
};
extern const struct graph_kernels graph_kernels_avx512, graph_kernels_avx2, graph_kernels_portable;
const struct graph_kernels *graph_kernels_find(const char *name);

/* Rows of one node, the last `rows` instructions. Those of W and C are as many as are asked for, so that they stay
 * in the host's cache, and one more of zeros, for what has no source; all others are a power of two, and found by
 * the instruction's number. */
struct graph_ring {
	char *base;
	size_t stride; /* bytes from row to row, a power of two */
	unsigned shift;
	uint32_t rows;
	uint32_t at; /* W and C: row of instruction number `done`; the newest finished one is 1 back */
};

/* Widths and sizes with nothing unlimited, as far back as they reach. */
struct graph_reach {
	uint64_t line;	      /* addresses that differ by this or more are in different lines of fetches */
	uint64_t fetch_width; /* instructions */
	uint64_t near, far;   /* the ROB, as it is and idealised */
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

enum graph_recent_kind {
	RECENT_LQ,
	RECENT_SQ,
	RECENT_LSQ,
	RECENT_INT,
	RECENT_FP,
	RECENT_TAKEN,
	RECENT_STORE,
	RECENT_BRANCH,
	RECENT_KINDS
};
enum { RECENT_WINDOW = 1 << RECENT_LQ | 1 << RECENT_SQ | 1 << RECENT_LSQ | 1 << RECENT_INT | 1 << RECENT_FP };

enum graph_scratch {
	SCRATCH_F_FLOOR,
	SCRATCH_F_ADD,
	SCRATCH_D_FLOOR,
	SCRATCH_E_FLOOR,
	SCRATCH_P_ADD,
	SCRATCH_P_FLOOR,
	SCRATCH_WINDOW,
	SCRATCH_MASK,
	SCRATCH_DELTA,
	SCRATCH_STORES,
	SCRATCH_LAST_P,
	SCRATCH_LATENCY,
	SCRATCH_WRITE,
	SCRATCH_DONE,
	SCRATCH_RELEASED,
	SCRATCH_HOLD,
	SCRATCH_BUS,
	SCRATCH_ZERO,
	SCRATCH_ROWS
};

/* Stores' writes: when each store-queue entry is free again. */
struct graph_writes {
	struct graph_pool entries;  /* count = 0: not asked for */
	struct graph_ring released; /* with the window idealised: the upper half of a row for each store, by number */
	uint64_t planned, count;    /* stores; those of them that have gone through the kernel */
	uint64_t recorded;	    /* when the youngest store's entry was free, by the records */
};

/* As recorded: a unit was taken until `end` by an operation of this number that had begun before some older one was
 * ready. */
struct graph_hold {
	uint64_t end, holder; /* UINT64_MAX: far away, or on a wrong path */
};
/* The last of one unit: more than one can be between the first that waited for it and the last, since what waits at
 * the same time lies up to a window apart. */
enum { GRAPH_HOLDS = 16 };
struct graph_holds {
	struct graph_hold last[GRAPH_HOLDS];
	uint64_t count;
};

struct culprit_graph {
	struct culprit_graph_params params; /* 0 replaced where it means unlimited */
	struct culprit_graph_class classes[CULPRIT_GRAPH_CLASSES];
	uint32_t internal_bit[CULPRIT_GRAPH_CLASSES];
	uint8_t owners[CULPRIT_EVENT_COUNT]; /* internal bits of the classes with this event */
	uint8_t everywhere;		     /* internal bits of the classes without ranges */
	bool split;			     /* bw idealised in exactly the upper quarters */
	bool window_own;  /* `win` is not, or not everywhere, of the class that idealises the upper half */
	bool window_held; /* ... and no class has it */

	const struct graph_kernels *kernels;
	const struct graph_kernel *kernel; /* of the current lane width */
	uint32_t lane_bytes;
	bool widened;	 /* ... it has been 4 */
	uint64_t limit;	 /* largest value of a lane */
	uint64_t top;	 /* no live lane is above this */
	uint64_t origin; /* every lane's time at the start */

	struct graph_ring f, d, e; /* whole rows */
	struct graph_ring wc[2];   /* W and C, half a row each, interleaved */
	/* D, half a row, of every AHEAD_STEP-th instruction, by number / AHEAD_STEP: room in an unlimited front end */
	struct graph_ring ahead[2];
	uint32_t reach[2];    /* how far back wc goes */
	uint32_t furthest;    /* ... at most */
	uint32_t capacity[2]; /* of an unlimited front end, by half */
	uint64_t ahead_due;   /* the next instruction that a row of `ahead` becomes due for */
	char *scratch[SCRATCH_ROWS];
	void *masks[256];				       /* by set of owners: lanes that none of them idealises */
	const void *event_mask[CULPRIT_EVENT_COUNT];	       /* masks[owners[event]], when no class has ranges */
	void *latencies[CULPRIT_EVENT_COUNT][GRAPH_LATENCIES]; /* rows: that many cycles where not idealised */
	bool ranged;					       /* some class has ranges */
	char *memory;					       /* rings and scratch, one block */
	size_t memory_bytes;				       /* at the current lane width */
	uint64_t base[GRAPH_LANES];

	struct graph_recent recent[RECENT_KINDS];
	uint32_t kinds_asked;			    /* bits of graph_recent_kind with a size */
	uint64_t stray_lines[2][GRAPH_STRAY_LINES]; /* of data, of fetches: number + 1 of lines a wrong path brought */
	struct record_lines lines;
	struct graph_writes writes;
	struct graph_misses misses;	 /* with MSHRs */
	struct graph_misses bus;	 /* with lines from memory: one server */
	struct graph_accessed *accessed; /* lines, by instruction, as facts */
	uint32_t bus_after;		 /* cycles from an L1's miss to the bus */
	struct graph_pool queues[CULPRIT_GRAPH_QUEUES];
	bool queues_kept;  /* some queue is limited, and each lane keeps account of it */
	bool queues_named; /* ... or the records name who made room */
	bool rooms_mixed;  /* queues and store queue: not exactly the upper half has the window idealised */
	struct record_facts facts;
	/* Steps wait here for a few instructions before the kernel takes them, so that the host works on the scalar
	 * plan of the next ones meanwhile, and what the kernel reads at once has left the store buffer. Whoever
	 * looks at rows settles them first: graph_catch_up. */
	struct graph_step steps[GRAPH_STEPS];
	struct graph_slots slots;

	uint64_t count;			   /* instructions planned, the current one left out */
	uint64_t done;			   /* ... and gone through the kernel: count - GRAPH_LAG <= done <= count */
	uint64_t start;			   /* cycle at which the first fetch began */
	const struct culprit_record *last; /* the record in front: of the same push, or kept from the one before */
	struct culprit_record kept;
	struct graph_reach most;
	struct graph_holds holds[CULPRIT_GRAPH_UNITS];
	uint32_t largest_wake, longest_miss;
	uint32_t longest_interval; /* of an operation that holds its unit */
	uint64_t least_growth;	   /* of every instruction */
	bool failed;
	char error[200];
};

/* graph.c: the kernel takes all steps that wait, after which rows are those of the instructions before the current
 * one. */
void graph_catch_up(struct culprit_graph *g);

/* graph/rows.c */
bool graph_rows_create(struct culprit_graph *g);
void graph_rows_destroy(struct culprit_graph *g);
const void *graph_mask_create(struct culprit_graph *g, uint8_t owners);
static inline const void *graph_mask(struct culprit_graph *g, uint8_t owners)
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
/* Back to 16 bits, if all live times fit well. Called every GRAPH_SETTLE_STEP instructions. */
bool graph_rows_settle(struct culprit_graph *g);
enum { GRAPH_SETTLE_STEP = 4096 };
/* Two bits of a lane's number within a quarter change places. */
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
enum { GRAPH_SLOT_STEP = 64 };
/* Lanes with this bit are others now: their slots are all free. */
void graph_slots_restart(struct culprit_graph *g, unsigned bit);

/* queues.c and writes.c: room in the issue queues and in the store queue. */
void graph_queues_size(struct culprit_graph *g);
void graph_writes_size(struct culprit_graph *g);
/* Into D, and what the step holds from then on. */
void graph_queues_plan(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s);
void graph_writes_plan(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s);
/* After the step of instruction number `done`. */
void graph_queues_hold(struct culprit_graph *g, const struct graph_step *s);
void graph_writes_hold(struct culprit_graph *g, const struct graph_step *s);

/* sharing.c: who has issue slots. False: out of memory. */
bool graph_sharing_choose(struct culprit_graph *g);
enum { GRAPH_SHARING_FIRST = 1024 }; /* first called after as many instructions */

/* misses.c: MSHRs and the memory bus. */
bool graph_misses_create(struct culprit_graph *g);
void graph_misses_destroy(struct culprit_graph *g);
size_t graph_misses_place(const struct culprit_graph *g, struct graph_misses *m, char *rows);
void graph_misses_rebase(struct culprit_graph *g, const struct graph_misses *m);
uint64_t graph_misses_largest(const struct culprit_graph *g, const struct graph_misses *m);
/* Does this load take an MSHR or a line from the bus, and how; `shared`: it also waits for a line that an older
 * instruction brings; `stray`: what it takes besides without wrong paths. */
bool graph_misses_load(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s, bool shared,
		       uint32_t stray);
void graph_misses_write(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s);
/* Cycles of a fetch miss that each lane finds out itself. */
uint32_t graph_misses_fetch(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s);
void graph_misses_remember(struct culprit_graph *g, const struct culprit_record *r);
/* After the step of instruction number `done`. */
void graph_misses_hold(struct culprit_graph *g, const struct graph_step *s);
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
/* The classes of two bits inside change places; so do lanes, in all rows. */
void graph_classes_swap(struct culprit_graph *g, unsigned a, unsigned b);

/* graph/plan*.c: check a record, lay out its edges in the step of its number. */
bool graph_plan(struct culprit_graph *g, const struct culprit_record *r);

bool graph_fail(struct culprit_graph *g, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
