/* Interaction costs from one pass over instruction records: Fields' dependence graph with one lane of node times for
 * every subset of up to eight event classes. docs/explanation/graph.md has the edges and what each one is worth.
 *
 *     graph = culprit_graph_create(&params, &why);
 *     culprit_graph_push(graph, records, count);       as often as there are records
 *     culprit_graph_finish(graph, &results);
 *
 * cost(S) = time with nothing idealised - time with S idealised; icost(S) = cost(S) - sum of the icosts of S's proper
 * subsets. Positive: parallel, the cycles go only when all of S is fixed. Negative: serial, fixing any is enough.
 * The icosts of all subsets add up to time[0] minus what remains with everything idealised.
 *
 * Memory does not depend on the number of records. Nothing here needs the simulator. */
#ifndef CULPRIT_GRAPH_H
#define CULPRIT_GRAPH_H

#include "culprit/record.h"

CULPRIT_C_BEGIN

enum {
	CULPRIT_GRAPH_CLASSES = 8,
	CULPRIT_GRAPH_SETS = 256,
	CULPRIT_GRAPH_UNITS = 16,
	CULPRIT_GRAPH_QUEUES = 8,
	CULPRIT_GRAPH_NAME = 32,
};

/* Addresses first <= pc < end. */
struct culprit_graph_range {
	uint64_t first, end;
};

/* One idealisable class: these events, of instructions in these ranges (none = everywhere). A base event
 * means all its finer ones too (dmiss = dl2, dl3, dmem and dtlb; win = rob, iq, lsq, regs and tags). */
struct culprit_graph_class {
	char name[CULPRIT_GRAPH_NAME];
	culprit_event_set events;
	const struct culprit_graph_range *ranges; /* copied */
	size_t range_count;
};

/* Who of those that are ready gets a slot. Numbers never change. */
enum culprit_graph_select {
	CULPRIT_SELECT_OLDEST = 0,
	/* Any. What an instruction waited for younger ones stays as recorded where there is contention; what it waited for
	 * older ones every lane finds out for itself, oldest first. */
	CULPRIT_SELECT_RECORDED = 1,
};

struct culprit_graph_unit {
	uint32_t count; /* 0 = unlimited */
	uint32_t queue; /* index into queue_width */
};

/* The most of `cracked`, of the two parameters of decode, and of `regs`; of rename_to_issue; of completion_ports; of
 * fetch_asked; of check_bytes; of write_buffer. */
enum {
	CULPRIT_ASKED_MOST = 4096,
	CULPRIT_BLOCK_MOST = 4096,
	CULPRIT_BUFFER_MOST = 1024,
	CULPRIT_CRACKED_MOST = 16,
	CULPRIT_DECODE_MOST = 4096,
	CULPRIT_REGS_MOST = 4096,
	CULPRIT_RENAME_MOST = 4096,
	CULPRIT_PORTS_MOST = 255
};

/* The machine, as far as the graph needs it. 0 means unlimited wherever a width or a size is meant. */
struct culprit_graph_params {
	uint32_t fetch_width; /* instructions a cycle */
	uint32_t taken_limit; /* a fetch group ends at this many taken branches */
	uint32_t fetch_line;  /* bytes: a group does not run on into the next line; 0 = it does */
	/* 1: lines begin where groups do, so that only the record's FETCH_BREAK_LINE knows where one ended a group; it is
	 * so in each lane, and fetch_line does not count. */
	uint32_t fetch_banked;
	/* 1: a group ends behind a conditional branch if its block has another one, which only FETCH_BREAK_LINE knows; it is
	 * so in each lane. */
	uint32_t fetch_one_conditional;
	/* Instructions that may wait for their lines at once: fetch asks for each one's line as it comes in, and goes on.
	 * Then widths, groups and redirects are of the asking, imiss and itlb count from the asking in whole, and
	 * instructions leave fetch in order, fetch_width a cycle, when they have their lines. No more come in in a cycle than
	 * may wait. 0 = fetch asks for a line when it has the one in front: imiss and itlb are what the instruction waited. */
	uint32_t fetch_asked;
	uint32_t frontend_stages;   /* cycles from fetch to dispatch */
	uint32_t frontend_capacity; /* instructions between fetch and dispatch */
	uint32_t dispatch_width;
	/* 1: a cycle's dispatch is of one row of dispatch_width instructions, counted from the last redirect on, of which it
	 * takes those that the front end has; it takes a row of as many ROB entries, full or not. Each lane fills rows of
	 * its own, and rob_entries and dispatch_slots of the records do not count. With bw idealised there are no rows. */
	uint32_t dispatch_rows;
	/* 1: records of one cycle of dispatch, up to dispatch_width, went as a whole: the first of them waited until there
	 * was room for all, in issue queues only with queue_entries. It is so in each lane, but where bw is idealised. Results
	 * in the middle end the group that is under way. Not with late_rename. */
	uint32_t whole_groups;
	/* With whole_groups: ROB entries that have to be free before a group goes, also one that needs fewer. 0 = as many as
	 * it needs. */
	uint32_t rob_room;
	/* Records are micro-operations, at most so many to an instruction: the later ones have length 0. fetch_width and
	 * frontend_capacity count instructions, all else counts records. 0, 1 = each record is an instruction. */
	uint32_t cracked;
	/* Fetch is redirected by a decoder that may be held up: decode comes decode_stages after fetch, and when the
	 * decode_insns-th instruction before has been dispatched. `redirect` behind a BTB_MISS counts from the branch's
	 * decode, in whole; with bw idealised decode is not held up. decode_insns 0 = decode is never held up, and that
	 * redirect counts from fetch. */
	uint32_t decode_stages, decode_insns;
	/* From a mispredicted branch's commit to the dispatch of the instruction behind it, where records show that it
	 * waited for the commit; 0 = it does not. */
	uint32_t recovery;
	/* How many instructions may have left the window and wait for a line before they commit. They count in rob, lq,
	 * lsq, branches and registers: the entries themselves are so many fewer. A load that misses leaves commit_delay
	 * after it would have hit, and what is complete behind it, too, in order. 0 = all leave as they commit. */
	uint32_t released;
	/* 1: a load whose line was on its way already (MERGED) leaves as others do. 2: and it issues again when that is
	 * there, exec_latency before it is complete; until then it keeps its entry of the issue queue. */
	uint32_t merged_stay;
	/* 1: `recovery` counts from the cycle after the data of all that had left are there, too */
	uint32_t recovery_data;
	/* Dispatch waits until a squash has taken all out of the window, so many instructions a cycle. How long that was after
	 * the mispredicted branch's completion, or the store's of a violation, is as recorded; with the window idealised it is
	 * estimated. 0 = all at once. */
	uint32_t squash_width;
	/* Bytes, a power of two: a load that goes ahead of an older store is taken back when both touch the same block of so
	 * many; 0 = when they overlap. Only with store_set_entries: who is taken back is learnt in each lane. */
	uint32_t check_bytes;
	uint32_t late_addend; /* cycles by which an operation may issue before its third register operand is there */
	/* Bytes, a power of two: an access across such a boundary has its unit for one cycle more; 0 = none has. */
	uint32_t split;
	uint32_t dispatch_to_issue; /* cycles */
	uint32_t rob;		    /* entries, at least 1 */
	uint32_t lq, sq, lsq;	    /* entries for loads, stores, both together */
	uint32_t branches;	    /* entries for branches and jumps */
	uint32_t int_regs, fp_regs; /* registers beyond the 32 that hold architectural state */
	uint32_t regs; /* the same of one file for both kinds, beyond its 64; then the two above are 0 as a rule */
	/* 1: instructions are renamed in the ROB, in program order. One that has been dispatched may still wait for a register
	 * and for an entry of its issue queue (queue_entries), and dispatch waits for neither; dispatch_to_issue counts
	 * from then on. 0: dispatch waits for them. */
	uint32_t late_rename;
	/* late_rename: cycles from when the register and the entry are there to the earliest issue, where these are fewer than
	 * dispatch_to_issue, which then counts from dispatch alone. 0 = as many. */
	uint32_t rename_to_issue;
	uint32_t commit_delay; /* cycles from complete to the earliest commit */
	uint32_t commit_width;
	uint32_t commit_stores;	  /* stores a cycle */
	uint32_t commit_branches; /* branches and jumps a cycle */
	uint32_t window_factor;	  /* idealised window: every structure this many times larger; 20 in the papers */
	uint32_t ideal_capacity;  /* frontend_capacity when bw is idealised: this many times the ROB, so that fetch does
				     * not run ahead without end */
	uint32_t miss_cycles[CULPRIT_LEVEL_COUNT]; /* what a miss served by that level costs beyond a hit */
	uint32_t miss_line;			   /* bytes of a line of the level below L1 */
	bool store_writes;  /* records tell of stores' writes (write_level is not 0): they hold store-queue entries */
	uint32_t write_hit; /* cycles from a store's commit until a write that hits the L1D is done */
	/* Cycles between writes to different lines (l1_line): a store keeps its entry until its turn is over. 0 = none. With
	 * store_writes, and without posted_writes. */
	uint32_t write_interval;
	/* 1: writes are posted, which leaves a store-queue entry free before its line has come. They go to the L1D in order,
	 * through a buffer of write_buffer entries: a committed store's entry of the store queue is free when there is one,
	 * and that one when the write has hit, has its MSHR, or has found its line on its way. write_buffer 0 = no buffer: a
	 * write waits for that in the store queue. `mshr_wait` of a store that brings its line is then all that it waited
	 * before it had its MSHR, behind others and for the buffer, too. With store_writes. */
	uint32_t posted_writes;
	uint32_t write_buffer;
	/* L1D misses in flight, at most 64: every lane keeps account of them, and mshr_wait of the records is no longer
	 * part of dmiss. 0 = unlimited, or the waits stay as recorded. */
	uint32_t mshrs;
	uint32_t l1_line; /* bytes of an L1D line: which accesses to lines on their way take an MSHR; 0 = none does */
	/* The L1D has a prefetcher: lines that accesses wait for (MERGED, write_merged) and that no record's miss brings
	 * take an MSHR and the bus in every lane, too. */
	bool l1_prefetches;
	uint32_t memory_interval; /* cycles from one line on the memory bus to the next: as mshrs, in place of
				   * bandwidth_wait; 0 = unlimited, or the waits stay as recorded */
	uint32_t memory_latency;  /* the last part of miss_cycles, from the bus on */
	/* Page walks at once, cycles of one, and bytes of a page: a lane with the window idealised takes no less time than its
	 * walkers do. 0 walkers = unlimited, or the waits stay as recorded. */
	uint32_t walkers, walk_latency;
	uint64_t page;
	/* A load that finds all its bytes in the L1D, and one that takes them from an older store which has not committed:
	 * every lane finds out which it is. Equal = as recorded. */
	uint32_t load_hit, forward_latency;
	bool ordered_loads; /* a load waits until every older store has its address (issued) */
	/* Store sets: entries of the table by address, sets, cycles after which both are cleared (0 = never), and cycles
	 * from the store's completion until the load that went ahead of it is fetched again. Every lane learns for itself
	 * what loads wait for. 0 entries = they wait as recorded. */
	uint32_t store_set_entries, store_sets, store_set_clear, order_redirect;
	/* 1: with store sets a load has gone ahead of a store only where it was ready before the store's first operand was
	 * there: from then on the address is known, and a load that is ready later waits for the data (order_waited names
	 * its own store). 0: where it was ready before the store issued. */
	uint32_t store_data_apart;
	bool issue_queues; /* issue queues are limited: records name previous_holder, unless queue_entries says more */

	/* Issue contention. false: each instruction waits as long as the record says (issue - ready), the papers'
	 * model. true: slots are given out oldest first in every lane, so that contention follows idealisation. */
	bool issue_slots;
	uint32_t select; /* enum culprit_graph_select; with issue_slots */
	/* 1: loads lose turns of their unit to lines that come and to loads that issue again, which no record tells. Where a
	 * load waited though no older one left it without a slot, it waits as long in every lane that has misses. With
	 * issue_slots. */
	uint32_t load_turns;
	/* Results written back in a cycle, the oldest of those done first; with issue_slots. Records say in port_wait what
	 * they waited for a port; with bw idealised none waits. 0 = unlimited, or the wait is part of the latency. */
	uint32_t completion_ports;
	uint32_t issue_width;
	uint32_t unit_count; /* rows of units; record.unit indexes them */
	struct culprit_graph_unit units[CULPRIT_GRAPH_UNITS];
	uint32_t unit_ops[CULPRIT_GRAPH_UNITS]; /* bit n = operation class n goes there; 0 = any may */
	uint32_t queue_count;
	uint32_t queue_width[CULPRIT_GRAPH_QUEUES];
	uint32_t queue_entries[CULPRIT_GRAPH_QUEUES]; /* if any is not 0: every lane keeps account of who holds them */
	uint16_t longest
		[CULPRIT_OP_COUNT]; /* latency: one that is shorter holds its unit as much shorter; 0 = none does */
	uint16_t interval[CULPRIT_OP_COUNT]; /* cycles until the unit takes the next one; 0, 1 = pipelined */

	uint32_t class_count; /* 1..8; 0 = the eight base classes */
	struct culprit_graph_class classes[CULPRIT_GRAPH_CLASSES];
	culprit_event_set always; /* idealised in every set, the empty one included */
	/* Idealised in no set here, but by other graphs over the same records: all of them then give a set the same
	 * time, where each lane has issue slots of its own. */
	culprit_event_set elsewhere;
	culprit_event_set large; /* rob, iq, lsq, regs, tags: as large as they get, idealised or not */
	const char *kernel;	 /* "avx512", "avx2", "portable"; NULL = the best that this host has */
	/* Those that the caller and the graph have together. From two on lanes are computed in several threads, of which the
	 * caller's is one. Results are the same. 0, 1 = in the caller's. */
	uint32_t processors;
};

/* Sets are bit masks of classes: bit n = class n. Only the first 2^class_count entries of the arrays are used. */
struct culprit_graph_results {
	uint64_t instructions;
	uint64_t recorded_cycles; /* first fetch began .. last commit, by the records */
	uint32_t class_count;
	char names[CULPRIT_GRAPH_CLASSES][CULPRIT_GRAPH_NAME];
	uint64_t time[CULPRIT_GRAPH_SETS]; /* cycles with the set idealised; time[0] = the base graph */
	int64_t cost[CULPRIT_GRAPH_SETS];
	int64_t icost[CULPRIT_GRAPH_SETS];
	double shapley[CULPRIT_GRAPH_CLASSES]; /* order-free split of cost(all), cycles */
	const char *kernel;
	bool wide; /* times outgrew 16 bits somewhere and went on in 32 */
};

struct culprit_graph;

/* The eight base classes in the order of event_class.def. */
void culprit_graph_base_classes(struct culprit_graph_params *params);

/* NULL: *why (may be NULL) names the parameter that is wrong. */
struct culprit_graph *culprit_graph_create(const struct culprit_graph_params *params, const char **why);
void culprit_graph_destroy(struct culprit_graph *graph);

/* Records in commit order, `seq` rising by one. False: a record contradicts itself or the stream; nothing more is
 * taken, and culprit_graph_error says which record and why. */
bool culprit_graph_push(struct culprit_graph *graph, const struct culprit_record *records, size_t count);
const char *culprit_graph_error(const struct culprit_graph *graph);

/* Results so far; pushing may go on. False after an error. */
bool culprit_graph_finish(struct culprit_graph *graph, struct culprit_graph_results *results);

/* icost and Shapley values from times alone: fills cost, icost, shapley from time and class_count. For other
 * sources of times (idealised re-simulation). */
void culprit_graph_decompose(struct culprit_graph_results *results);

CULPRIT_C_END

#endif
