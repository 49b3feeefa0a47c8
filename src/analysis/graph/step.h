/* What the kernel does for one instruction: where its edges come from, and the operations on rows that are compiled for
 * each vector width (kernel_body.h). */
#ifndef CULPRIT_ANALYSIS_GRAPH_STEP_H
#define CULPRIT_ANALYSIS_GRAPH_STEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct culprit_graph;
struct graph_pool;
struct graph_slot_use;

enum {
	GRAPH_LANES = 256,
	GRAPH_HALF = 128,
	GRAPH_QUARTER = 64,
	GRAPH_QUARTERS = 4,
	GRAPH_ALL_QUARTERS = 15,
	GRAPH_PRODUCERS = 4
};

/* Rows that hold one instruction's business at a time. */
enum graph_scratch {
	SCRATCH_F_FLOOR,
	SCRATCH_F_ADD,
	SCRATCH_F_BEFORE,
	SCRATCH_ARRIVED,
	SCRATCH_D_FLOOR,
	SCRATCH_E_FLOOR,
	SCRATCH_P_ADD,
	SCRATCH_P_FLOOR,
	SCRATCH_BELOW,
	SCRATCH_WINDOW,
	SCRATCH_MASK,
	SCRATCH_DELTA,
	SCRATCH_STORES,
	SCRATCH_LAST_P,
	SCRATCH_LATENCY,
	SCRATCH_WRITE,
	SCRATCH_WRITE_WAIT, /* cycles that the account makes a write wait, by lane */
	SCRATCH_DONE,
	SCRATCH_LINE, /* write_interval: when the turn of the last line written is over; and from the commit on */
	SCRATCH_LINE_AFTER,
	SCRATCH_RELEASED,
	SCRATCH_ASKED, /* posted_writes: as if the write had been committed then, and nobody were in front */
	SCRATCH_HOLD,
	SCRATCH_BUS,
	SCRATCH_ORDER,
	SCRATCH_ROOM, /* late_rename: the latest room in queues and register files that there was to wait for */
	SCRATCH_TOLD,
	SCRATCH_TOLD_MASK,
	SCRATCH_SQUASHED,
	SCRATCH_CLEARED, /* squash_width: when the wrong path has left the window */
	SCRATCH_ADDEND,
	SCRATCH_EARLY,
	SCRATCH_ROW_PLACE,  /* dispatch_rows: the next instruction's place in its row of the front end ... */
	SCRATCH_ROW_FORMED, /* ... when the group was formed that the last one went with ... */
	SCRATCH_ROW_BEGIN,  /* ... lanes in which a violation begins a new row ... */
	SCRATCH_ROW_AGAIN,  /* ... and when renaming goes on behind what fetch was sent elsewhere for */
	SCRATCH_AGAIN,	    /* merged_stay: when a load issues again, and a latency before its completion */
	SCRATCH_AGAIN_BEFORE,
	SCRATCH_ZERO,
	SCRATCH_ROWS
};

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
	STEP_LEFT = 1 << 22,	   /* a store may forward to the load, or has left */
	STEP_D_WIDTH = 1 << 23,	   /* weights say which instruction fills the width of dispatch */
	STEP_MORE_SLOTS = 1 << 24, /* takes more than one of the issue width */
	STEP_PORT = 1 << 25,	   /* takes a completion port */
	STEP_ROWS = 1 << 26,	   /* dispatch goes by rows */
	STEP_ARRIVED = 1 << 27,	   /* F is when the line was asked for; f_add and the bus come behind it */
	STEP_PREFETCHED = 1 << 28, /* the first to wait for a line that a prefetch asked for */
	STEP_BELOW = 1 << 29,	   /* its line was brought into the next level by a prefetch */
	STEP_MISSES = STEP_PREFETCHED | STEP_MISS_LOAD | STEP_MISS_WRITE | STEP_F_BUS | STEP_MISS_BUS | STEP_WRITE_BUS |
		      STEP_BELOW,
	STEP_COMPLETE = STEP_MISS_LOAD | STEP_MISS_BUS | STEP_BELOW | STEP_WAKE | STEP_MISS | STEP_P_ADD |
			STEP_P_FLOOR | STEP_P_OUT | STEP_STORES | STEP_LEFT | STEP_PORT | STEP_PREFETCHED,
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
	const void *d_width; /* D of the instruction that fills dispatch's width */
	const void *ahead[2];
	const void *f_floor, *f_add, *d_floor, *e_floor;
	const void *arrived;		    /* with the line there: when it may leave fetch */
	const void *d_free;		    /* E of the instruction that freed the issue-queue entry; lower half only */
	const void *entry[2];		    /* when there is a store-queue entry, by half */
	const void *latency;		    /* of the unit, by lane */
	const void *exec_mask;		    /* lanes in which it is not idealised */
	const void *miss_mask, *p_add;	    /* the miss parts of a load's latency: the usual one, the others */
	const void *p_floor, *alone_mask;   /* PP: when the line that is on its way arrives */
	const void *bw_mask;		    /* unless `split` */
	const struct graph_slot_use *slots; /* NULL = nothing to take, or contention as recorded */
	const struct graph_slot_use *more_slots; /* ... and so many more, of the width alone */
	uint32_t more;
	const void *slot_mask; /* lanes that wait for slots, besides those limited by bandwidth; NULL = all of them */
	const void *left[2];   /* C of the store that may forward to the load, by half */
	uint32_t longer[2];    /* ... cycles that the load takes besides while it is in flight, and after */
	uint32_t leaves_exec;  /* params.released: a load that misses leaves this latency of its unit ... */
	uint32_t leaves;       /* ... and so much after its issue; 0 = as others, from its completion */
	uint32_t interval;     /* cycles until the unit takes the next one; 0, 1 = pipelined */
	uint32_t held;	       /* cycles that a younger operation keeps it from its unit, in the lanes of held_mask */
	uint32_t held_turns;   /* ... and so many of them, from held_free on; 0 = from when it is ready on */
	const void *held_mask, *held_free;
	char *frees; /* when its unit is free, by lane: so long after its issue; NULL = not followed */
	uint32_t frees_after;
	uint32_t write_miss, write_dtlb;
	const void *line_mask; /* write_interval: lanes in which its line has a turn; NULL = the same line's goes on */
	const void *hit_mask, *write_miss_mask, *write_dtlb_mask;
	struct graph_pool *queue;
	uint32_t again;	  /* it keeps the entry until it issues again, so long before it is complete; 0 = it does not */
	const void *hold; /* cycles that a load has an MSHR, by lane; from when it has one its miss takes as long */
	uint32_t unexplained;			  /* ... after which it has waited that much, besides */
	uint32_t mshr_over, bus_over, f_bus_over; /* cycles by which the account makes the waits too long */
	uint32_t whole;				  /* a prefetched line: cycles of its miss */
	uint32_t slack;				  /* ... and cycles for which it had been there */
	const void *prefetch_mask;		  /* ... and lanes in which it is not idealised */
	const void *line_floor;			  /* ... and when the prefetch brings it, by lane; NULL = not known */
	bool takes_bus;				  /* ... over the memory bus */
	uint8_t access;				  /* enum graph_access */
	const void *access_mask;		  /* lanes in which a hit takes its cycles */
	uint32_t write_whole;			  /* ... for a write; 0 = none */
	uint32_t write_over;			  /* cycles by which the account makes the write's wait too long */
	uint32_t write_bus_over; /* ... of a posted write, or one with write_ahead: the first is of its MSHR alone */
	/* STEP_WRITE_BUS: so long before it asks for its line the next level's prefetcher had asked, and for so long it
	 * had been there; 0, 0 = it asks itself */
	uint32_t write_ahead, write_slack;
	const void *buffer_left; /* ... and when there is room in the write buffer, by lane */
	uint32_t write_hold,
		write_waited; /* ... the cycles it waited for MSHRs that no lane gives out, which are not part of it */
	const void *f_bus, *bus; /* lanes in which the fetch, the load takes a line from the memory bus: not 0 */
	const void *rows_begin;	 /* lanes in which the front end begins a new row here ... */
	const void *rows_again;	 /* ... when renaming goes on, by lane: no group is formed before; NULL = at once ... */
	const void *rows_mask,
		*rob_mask;    /* ... in which there are rows, and in which it waits for one of the ROB ... */
	const void *rob_kept; /* ... and in which there are any of the ROB at all */
	const void *f_before; /* cycles until the fetch asks for that line, by lane */
};

/* Where lanes keep when accesses begin. */
enum graph_access { GRAPH_ACCESS_NONE, GRAPH_ACCESS_LOAD, GRAPH_ACCESS_STORE };

/* What is compiled once per vector width and lane width. */
struct graph_kernel {
	/* all nodes of instruction number g->done */
	void (*step)(const struct culprit_graph *g, const struct graph_step *step);
	/* dst = first ? (src + add) & mask : max(dst, ...), over half a row */
	void (*edge)(void *dst, const void *src, uint32_t add, const void *mask, bool first);
	/* dst = first ? add & mask : dst + (add & mask), over a whole row */
	void (*latency)(void *dst, uint32_t add, const void *mask, bool first);
	/* dst += src, over a whole row */
	void (*add)(void *dst, const void *src);
	/* row = max(row, delta) - delta over `lanes` lanes of `count` rows, `stride` bytes apart */
	void (*rebase)(void *rows, size_t count, size_t stride, const void *delta, size_t lanes);
	/* the largest of `lanes` lanes */
	uint32_t (*largest)(const void *row, size_t lanes);
	/* a > b in some lane of half a row? */
	bool (*any_later)(const void *a, const void *b);
	/* pool_body.h */
	void (*pool_take)(void *rows, uint32_t front, size_t stride, const void *until);
	void (*pool_merge)(void *rows, uint32_t count, size_t stride);
	/* writes_body.h */
	void (*write)(void *released, void *done, const void *commit, const void *write);
	/* misses_body.h */
	void (*miss_write)(const struct culprit_graph *g, const struct graph_step *s, const void *const commit[2]);
	/* posted_body.h */
	void (*posted)(const struct culprit_graph *g, const struct graph_step *s, const void *const commit[2]);
	/* swap_body.h */
	void (*swap)(void *rows, size_t count, unsigned a, unsigned b);
};
struct graph_kernels {
	const char *name;
	const struct graph_kernel *narrow, *wide; /* 16 and 32 bits */
	bool (*usable)(void);
	bool slot_planes; /* issue slots as in slots_planes.h */
	bool halves;	  /* steps go by halves of the lanes, not by quarters */
	uint8_t ahead; /* instructions by which rows that leave the idealised window are fetched early; 0: not at all */
};
extern const struct graph_kernels graph_kernels_avx512, graph_kernels_avx2, graph_kernels_portable;
const struct graph_kernels *graph_kernels_find(const char *name);

#endif
