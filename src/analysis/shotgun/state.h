/* The reconstruction's state, private to src/analysis/shotgun/: the program's instructions as far as anything met
 * them (places), detailed samples sorted for matching, the walk of one fragment, and the time line on which fragments
 * become records. */
#ifndef CULPRIT_ANALYSIS_SHOTGUN_STATE_H
#define CULPRIT_ANALYSIS_SHOTGUN_STATE_H

#include "analysis/edges/nodes.h"
#include "analysis/shotgun/random.h"
#include "culprit/shotgun.h"

/* Detailed samples of one pc whose bits and target are all alike. */
struct shotgun_run {
	uint64_t bits[2]; /* as compared */
	uint64_t target;  /* of an indirect branch, else 0 */
	uint32_t first, count;
};

struct shotgun_place {
	uint64_t pc;
	struct culprit_static_insn insn;
	bool decoded, is_code;
	uint32_t first_run, runs;
	uint64_t samples, visits, aborts;
};

/* Detailed samples of one kind of instruction with the same bits of their own. */
enum { SHOTGUN_KINDS = CULPRIT_OP_COUNT * CULPRIT_BRANCH_COUNT * 4 };
struct shotgun_pool {
	uint32_t first, count; /* in `pooled` */
	uint32_t only;	       /* the first so many are the only samples of their pc */
};

/* Everything by pc. Places stay where their number says; pointers to them do not outlive the next search. */
struct shotgun_index {
	const struct culprit_samples *samples;
	const struct culprit_code *code;
	uint64_t mask;	  /* positions compared */
	bool compared[2]; /* bits compared */
	uint32_t own_weight;
	bool rare;	  /* surroundings that no sample has are like those that one has */
	uint32_t *sorted; /* numbers of detailed samples, by pc and bits */
	struct shotgun_run *runs;
	uint32_t *pooled; /* numbers of detailed samples, by kind */
	struct shotgun_pool pools[SHOTGUN_KINDS];
	struct shotgun_place *places;
	uint32_t place_count, place_room;
	uint32_t *slots; /* hash table of place numbers + 1 */
	uint32_t slot_mask;
};

struct shotgun_match {
	const struct culprit_detail *detail; /* NULL = the pc has none */
	uint32_t compared, agreed;
	uint32_t first, equals; /* in `sorted`: the samples that it was drawn from */
	bool borrowed;		/* of another pc */
};

bool shotgun_index_create(struct shotgun_index *x, const struct culprit_samples *samples,
			  const struct culprit_code *code, const struct culprit_shotgun_params *params);
void shotgun_index_destroy(struct shotgun_index *x);
/* The place of this pc, decoded; NULL: out of memory. */
struct shotgun_place *shotgun_index_place(struct shotgun_index *x, uint64_t pc);
/* The sample of the place whose bits agree best with `bits`; among equals one at random. */
struct shotgun_match shotgun_index_match(const struct shotgun_index *x, const struct shotgun_place *place,
					 const uint64_t bits[2], uint64_t *random);
/* The same among samples of an indirect branch that went to `target`. */
struct shotgun_match shotgun_index_match_target(const struct shotgun_index *x, const struct shotgun_place *place,
						const uint64_t bits[2], uint64_t target, uint64_t *random);

/* A sample of some instruction of the same kind, whose own bits are these: the best of a few drawn at random. For one
 * that has no sample at all (`unseen`) they are drawn from those that have just one, since both are cold. */
struct shotgun_match shotgun_index_borrow(const struct shotgun_index *x, const struct culprit_static_insn *insn,
					  const uint64_t bits[2], bool unseen, uint64_t *random);

/* Of the samples that a store's match was drawn from, one that waits for the line which the access `primary_miss`
 * instructions back brings; or else, as of a line's first store, the one whose line was asked for last. NULL: none
 * waits. Drawn at random, stores to one line would wait for many, and as writes end in order the longest wait would
 * decide (bzip2-small on zen4: base 1.4% off, now 0.3). */
const struct culprit_detail *shotgun_index_waiting(const struct shotgun_index *x, const struct shotgun_match *match,
						   uint32_t primary_miss);

/* Targets of an indirect branch as sampled, best agreement first; returns how many. */
enum { SHOTGUN_TARGETS = 16 };
uint32_t shotgun_index_targets(const struct shotgun_index *x, const struct shotgun_place *place, const uint64_t bits[2],
			       uint64_t targets[SHOTGUN_TARGETS]);

/* One instruction of a fragment. */
struct shotgun_step {
	uint32_t place;
	uint8_t bits;	     /* its own: bit 0 = the paper's bit 1 */
	uint8_t target_from; /* enum shotgun_target */
	uint8_t predicted;   /* flags of its branch record; 0 = nobody knows */
	struct shotgun_match match;
};
enum shotgun_target { SHOTGUN_TARGET_CODE = 0, SHOTGUN_TARGET_STACK, SHOTGUN_TARGET_SAMPLE, SHOTGUN_TARGET_SIGNATURE };

enum { SHOTGUN_CALLS = 64, SHOTGUN_CHOICES = 64 };

/* Return addresses; older ones are forgotten. */
struct shotgun_calls {
	uint64_t pc[SHOTGUN_CALLS];
	uint32_t next, depth;
};

/* An indirect branch whose target was taken from a sample, and the targets that have not been tried. */
struct shotgun_choice {
	uint32_t step;
	uint32_t count, tried;
	uint64_t targets[SHOTGUN_TARGETS];
	struct shotgun_calls calls; /* after the branch */
	uint32_t target;	    /* the walk's `target` after it */
};

struct shotgun_walk {
	struct shotgun_index *index;
	struct shotgun_step *steps;
	struct shotgun_step *kept; /* of the walk that got furthest */
	uint32_t length;	   /* wanted */
	bool no_return;		   /* the first inconsistency aborts */
	bool no_borrowing;
	uint64_t random;
	uint64_t budget;	 /* instructions that may still be walked */
	const uint64_t *targets; /* in the signature sample, `target_slots`, of which `target` are behind the walk */
	uint32_t target_slots, target;
	struct shotgun_calls calls;
	struct shotgun_constant {
		bool known;
		uint64_t value;
	} constants[65];		/* of registers, as far as the code says */
	struct shotgun_choice *choices; /* the last SHOTGUN_CHOICES */
	uint32_t choice_count;		/* ever made less those given up */
	uint32_t choices_kept;
	/* the inconsistency that was furthest on */
	uint32_t furthest, furthest_place;
	uint32_t certain; /* steps before the branch whose target is doubtful, when that happened */
	enum culprit_abort why;
	uint8_t guessed; /* enum culprit_branch whose target was last taken from a sample before it */
	bool failed;	 /* out of memory */
};

bool shotgun_walk_create(struct shotgun_walk *w, struct shotgun_index *index,
			 const struct culprit_shotgun_params *params);
void shotgun_walk_destroy(struct shotgun_walk *w);
/* Walk signature sample `number`: fills `length` steps. False: aborted (why; `certain` steps are filled), or failed. */
bool shotgun_walk(struct shotgun_walk *w, size_t number, uint64_t seed);

/* single.c: latencies of detailed samples added up. */
struct shotgun_singles {
	double sum[CULPRIT_BASE_EVENTS], squares[CULPRIT_BASE_EVENTS]; /* cycles */
	uint64_t count;
};
void shotgun_single_add(struct shotgun_singles *x, const struct culprit_shotgun_machine *m,
			const struct culprit_static_insn *insn, const struct culprit_detail *d);
/* Every detailed sample. */
void shotgun_single_all(struct shotgun_singles *x, struct shotgun_index *index,
			const struct culprit_shotgun_machine *m);
/* Cycles of one, on average; and the standard error of that. */
double shotgun_single_mean(const struct shotgun_singles *x, unsigned class);
double shotgun_single_error(const struct shotgun_singles *x, unsigned class);

/* --- time line --- */

struct shotgun_fact {
	uint64_t time[EDGE_NODES];
	uint64_t line; /* there: a load is complete, a store written */
	uint32_t miss;
	uint16_t flags;
	uint8_t level; /* of the miss */
	bool merged;   /* it waits for a line that another brings */
};

enum { SHOTGUN_STORES = 1024, SHOTGUN_BASES = 1024 };

struct shotgun_time {
	const struct culprit_shotgun_machine *machine;
	const struct culprit_shotgun_params *params;
	uint64_t seq;	/* of the next record */
	uint64_t begin; /* seq of the fragment's first */
	struct shotgun_fact *facts;
	uint64_t fact_mask;
	struct edge_history history; /* what edges into the next record lead back to */
	uint64_t writer[65];	     /* seq + 1 of the last to write the register */
	struct shotgun_symbol {
		uint64_t version;
		int64_t offset;
	} symbol[65];
	uint64_t versions;
	struct shotgun_base {
		uint64_t version, value;
	} bases[SHOTGUN_BASES]; /* of unknowns, as samples tell them */
	struct shotgun_written {
		uint64_t granule, first, end, seq;
	} stores[SHOTGUN_STORES];
	const struct shotgun_index *index;
	uint64_t line_by; /* seq of the access that brings the line which the last store waited for */
	struct shotgun_counts {
		uint64_t stores_missed, primary_misses_missed, stores_inferred;
	} counts;
};

/* What is known of the instruction `distance` back; zeros when there is none. */
static inline const struct shotgun_fact *shotgun_fact(const struct shotgun_time *t, uint64_t distance)
{
	static const struct shotgun_fact nothing = {.flags = 0};
	return distance && distance <= t->seq && distance <= t->fact_mask
		       ? &t->facts[(t->seq - distance) & t->fact_mask]
		       : &nothing;
}

/* sample.c: without a sample, hits, and the misses that the signature's own bits tell of. */
struct culprit_detail shotgun_default_detail(const struct culprit_shotgun_machine *m,
					     const struct culprit_static_insn *insn, unsigned bits);
void shotgun_sample_copy(struct shotgun_time *t, const struct culprit_static_insn *insn, const struct culprit_detail *d,
			 struct culprit_record *r);

bool shotgun_time_create(struct shotgun_time *t, const struct culprit_shotgun_machine *machine,
			 const struct culprit_shotgun_params *params);
void shotgun_time_destroy(struct shotgun_time *t);
/* Nothing came before. */
void shotgun_time_reset(struct shotgun_time *t);
/* A fragment begins after this record, an instruction that fetch waits for. */
void shotgun_time_fence(struct shotgun_time *t, struct culprit_record *r);
void shotgun_time_record(struct shotgun_time *t, const struct shotgun_place *place, const struct shotgun_step *step,
			 struct culprit_record *r);
/* memory.c: addresses that the code alone tells, and the stores that loads depend on. */
void shotgun_memory_clear(struct shotgun_time *t);
void shotgun_memory_address(struct shotgun_time *t, const struct culprit_static_insn *insn, uint64_t sampled,
			    struct culprit_record *r);
uint32_t shotgun_memory_producer(const struct shotgun_time *t, const struct culprit_record *r);
void shotgun_memory_store(struct shotgun_time *t, const struct culprit_record *r);
void shotgun_memory_write(struct shotgun_time *t, const struct culprit_static_insn *insn);

/* --- the profiler --- */

/* Part n of the fragments is built again, from half of the detailed samples: interval.c. */
enum { SHOTGUN_PARTS = 4 };

struct shotgun_fragment {
	uint64_t time[CULPRIT_GRAPH_SETS];
	uint32_t length; /* instructions, or what it counts as */
	uint32_t part;
};

struct culprit_shotgun {
	struct culprit_shotgun_machine machine;
	struct culprit_shotgun_params params;
	const struct culprit_samples *samples;
	struct culprit_code code;
	struct shotgun_index index;
	struct shotgun_walk walk;
	struct shotgun_time time;
	struct culprit_graph *graph;
	struct culprit_graph_results before, after; /* of the fragment being measured */
	struct shotgun_step *context;		    /* what runs before the next fragment, `warmup` steps */
	bool has_context;			    /* ... already filled, from another fragment */
	uint32_t part;				    /* of the fragment being built */
	struct shotgun_fragment *fragments;
	size_t fragment_count;
	uint64_t measured;  /* instructions of all fragments, each as it counts */
	double differences; /* of each fragment's time from the recorded one, in parts of that */
	uint64_t again[SHOTGUN_PARTS][CULPRIT_GRAPH_SETS]; /* times of each part, built again ... */
	uint64_t again_instructions[SHOTGUN_PARTS];	   /* ... and what ran in them */
	struct shotgun_singles all, used;		   /* every detailed sample; those of the fragments */
	double unlike[CULPRIT_BASE_EVENTS];		   /* interval.c: cycles an instruction, ... */
	double missing, most_unseen;			   /* ... as these */
	struct culprit_shotgun_results *results;
	char error[160];
};

/* keep.c: fragment `number`, of so many instructions, has gone through the graph. */
void shotgun_keep(struct culprit_shotgun *s, size_t number, uint32_t length);
/* Of real machines' samples only what accesses memory takes anything. */
bool shotgun_needs_sample(const struct culprit_shotgun *s, const struct culprit_static_insn *insn);

/* interval.c: build the parts again; intervals of all figures, from fragments, their parts and the counted cycles. */
bool shotgun_rebuild(struct culprit_shotgun *s);
void shotgun_fill_intervals(struct culprit_shotgun *s, struct culprit_shotgun_results *results);

#endif
