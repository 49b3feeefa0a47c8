/* Shotgun profiling (Fields, Bodik, Hill, Newburn, MICRO 2003, sections 5 and 6): interaction costs from two kinds of
 * samples that hardware could take.
 *
 *     monitor = culprit_monitor_create(&params);              the hardware
 *     culprit_monitor_push(monitor, records, count);
 *     shotgun = culprit_shotgun_create(&machine, &params, culprit_monitor_samples(monitor), &code, &why);
 *     culprit_shotgun_run(shotgun, &results);                 the software
 *
 * A signature sample is long and narrow: a start pc and two bits for each of the instructions that follow. A detailed
 * sample is short and wide: the latencies and dependences of one instruction, and the bits around it. The
 * reconstruction walks a signature sample through the program's code, gives each instruction the detailed sample of its
 * pc whose surroundings agree best, and hands the fragment to the dependence graph as if it had been recorded.
 * docs/explanation/shotgun.md has the rules.
 *
 * Samples may come from elsewhere: the reconstruction sees nothing but struct culprit_samples, the code and the
 * machine. */
#ifndef CULPRIT_SHOTGUN_H
#define CULPRIT_SHOTGUN_H

#include "culprit/graph.h"

CULPRIT_C_BEGIN

enum { CULPRIT_CONTEXT_MAX = 31, CULPRIT_SIGNATURE_MAX = 1 << 16, CULPRIT_RETURNS_MAX = 64, CULPRIT_TARGETS_MAX = 256 };

/* --- samples --- */

/* One instruction in detail. Latencies in cycles; distances count back in the committed stream, 0 = none. What each
 * field costs in hardware: shotgun_field.def. */
struct culprit_detail {
	uint64_t pc;
	uint64_t target;  /* of an indirect branch, else 0 */
	uint64_t address; /* of a load or store, else 0 */
	uint64_t bits[2]; /* signature bits 1 and 2 around it, the oldest in bit 0, itself in bit `context` */
	uint32_t imiss, dmiss, contention;
	uint32_t mem_producer, primary_miss, order_waited;
	uint16_t itlb, dtlb, exec_latency;
	uint16_t flags;					/* CULPRIT_DETAIL_FLAGS of enum culprit_record_flag */
	uint8_t ilevel, dlevel, dtlb_level, itlb_level; /* enum culprit_level */
	uint8_t istray, dstray;				/* the same: the line came by a wrong path, from there */
};
#define CULPRIT_DETAIL_FLAGS \
	(CULPRIT_MISPREDICTED | CULPRIT_BTB_MISS | CULPRIT_FORWARDED | CULPRIT_MERGED | CULPRIT_VIOLATED)

/* Signature sample n: `length` instructions from pc[n] on, with the bits of `context` more on either side. Bit b of
 * position p (0 = the oldest): bit p % 64 of bits[(2 * n + b) * words + p / 64]. returns[n * stack ..]: the newest
 * entries of the return stack as the sample began, the newest first; 0 = no more. targets[n * target_slots ..]: where
 * the sample's first indirect jumps and calls went, in their order; 0 = no more. */
struct culprit_samples {
	uint32_t context, length;
	uint32_t words; /* of one bit of one signature sample: positions / 64, rounded up */
	size_t detail_count, signature_count;
	struct culprit_detail *details;
	uint32_t stack; /* return addresses in a signature sample */
	uint64_t *pc;
	uint64_t *bits;
	uint64_t *returns;
	uint32_t target_slots; /* targets in a signature sample */
	uint64_t *targets;
	uint64_t instructions, cycles; /* of the whole run, as performance counters count them */
	/* Of signature samples that branch records were made into, else NULL: then the path is known exactly, and
	 * misses are not (bit 2 is clear, bit 1 of every load and store set; detailed samples know no bits behind
	 * them). */
	const struct culprit_path *paths;
	const struct culprit_branch_record *branches; /* of all paths, in the order of execution */
};

/* A branch as the hardware's branch records have it. */
struct culprit_branch_record {
	uint64_t from, to;
	uint32_t cycles; /* since the branch record before */
	uint8_t flags;	 /* CULPRIT_BRANCH_... */
};
enum {
	CULPRIT_BRANCH_WAS_MISPREDICTED = 1,
	CULPRIT_BRANCH_WAS_PREDICTED = 2,
	CULPRIT_BRANCH_NOT_TAKEN = 4,
};

/* The branches that a signature sample's path consists of; it ends with the last of them. */
struct culprit_path {
	size_t first_branch;
	uint32_t branch_count;
	uint32_t length; /* instructions */
	uint64_t cycles; /* from the branch in front of the path to its last one; 0 = not recorded */
};

/* Instructions that a signature sample has bits for. */
static inline uint32_t culprit_signature_positions(const struct culprit_samples *s)
{
	return s->length + 2 * s->context;
}

/* Signature bits of an instruction. Bit 0 of the result is the paper's bit 1: taken branch, load or store; not an L2
 * data miss. Bit 1 is the paper's bit 2: any L1, L2 or TLB miss (table 5). A load that waits for a line already on
 * its way counts as an L1 miss. A store's bits tell of its write, whose tags are looked up as it commits. `wide`,
 * not in the paper: bit 2 also marks mispredicted branches and first uses of lines that a wrong path brought. This
 * takes no storage. */
static inline unsigned culprit_signature_bits(const struct culprit_record *r, bool wide)
{
	bool memory = r->flags & (CULPRIT_LOAD | CULPRIT_STORE | CULPRIT_TAKEN);
	bool merged = r->flags & CULPRIT_MERGED;
	bool far = (r->dlevel > CULPRIT_LEVEL_L2 && !merged) || (r->write_level > CULPRIT_LEVEL_L2 && !r->write_merged);
	bool miss = (r->imiss | r->itlb | r->dmiss | r->dtlb | r->write_miss | r->write_dtlb) != 0 ||
		    (wide && ((r->flags & CULPRIT_MISPREDICTED) || (r->istray | r->dstray)));
	return (unsigned)(memory && !far) | (unsigned)miss << 1;
}

/* --- the monitor --- */

struct culprit_monitor_params {
	uint32_t length;  /* instructions of a signature sample, 1..65536; 1000 in the paper */
	uint32_t context; /* positions on either side of a detailed sample, 0..31; 10 in the paper */
	uint32_t stack;	  /* entries of the return stack in a signature sample, 0..64; 0 in the paper */
	uint32_t targets; /* of indirect jumps and calls in a signature sample, 0..256; 0 in the paper */
	/* mean instructions from one signature sample's start to the next one's; 0 = none */
	uint64_t signature_interval;
	uint64_t detail_interval; /* the same of detailed samples */
	uint64_t seed;
	bool wide; /* bit 2 as culprit_signature_bits says */
	/* bytes: istray and dstray name a level beyond the L2 only at the first use of such a line; 0 = not known */
	uint32_t l2_line;
	/* samples of each kind kept at the most, 0 = no limit: with more every second is dropped, and the interval doubles */
	size_t most_signatures, most_details;
};

struct culprit_monitor;
struct culprit_monitor *culprit_monitor_create(const struct culprit_monitor_params *params, const char **why);
void culprit_monitor_destroy(struct culprit_monitor *monitor);
/* Records in commit order. */
void culprit_monitor_push(struct culprit_monitor *monitor, const struct culprit_record *records, size_t count);
/* What was sampled so far; valid until the next push. NULL: out of memory on the way. */
const struct culprit_samples *culprit_monitor_samples(const struct culprit_monitor *monitor);
/* Samples given up because the processor went to something else (a signal, another thread) in the middle. */
uint64_t culprit_monitor_cut(const struct culprit_monitor *monitor);
/* Mean instructions between the samples kept: the parameters', doubled each time that samples were dropped. */
void culprit_monitor_intervals(const struct culprit_monitor *monitor, uint64_t *signature, uint64_t *detail);
/* Bits of one sample in the hardware's buffer. */
uint32_t culprit_detail_bits(uint32_t context);
uint32_t culprit_signature_sample_bits(uint32_t length, uint32_t context, uint32_t stack, uint32_t targets);

/* --- the reconstruction --- */

/* An instruction as the binary shows it. */
struct culprit_static_insn {
	uint64_t target; /* of a direct branch */
	int64_t offset; /* loads and stores: added to source[0]; an addition of a constant to source[0]: the constant */
	uint16_t flags; /* of enum culprit_record_flag: LOAD, STORE, SERIALISING, AT_HEAD */
	uint16_t mem_size; /* bytes */
	uint8_t length;	   /* bytes */
	uint8_t op_class, branch;
	uint8_t dest;							/* 1..63, 64 = none */
	uint8_t source[3];						/* registers read, 0 = none */
	uint8_t rob_entries, dispatch_slots, issue_slots, commit_slots; /* weights, as in the record: 0 = one */
	bool adds_offset;						/* dest = source[0] + offset */
	bool is_constant;						/* dest = constant, whatever came before */
	uint64_t constant;
};

struct culprit_code {
	void *context;
	/* False: there is no code at this pc, or it is no instruction. */
	bool (*decode)(void *context, uint64_t pc, struct culprit_static_insn *insn);
};

/* The machine, as far as the reconstruction needs it. */
struct culprit_shotgun_machine {
	struct culprit_graph_params graph;
	uint8_t unit[CULPRIT_OP_COUNT], queue[CULPRIT_OP_COUNT];
	uint16_t latency[CULPRIT_OP_COUNT]; /* loads and atomics: up to the data of an L1 hit */
	uint16_t wakeup, redirect, decode_redirect;
	uint8_t late
		[CULPRIT_BRANCH_COUNT]; /* bubble that a slower predictor costs; 0: a late branch is the BTB's miss */
	uint32_t queue_entries[CULPRIT_GRAPH_QUEUES]; /* 0 = unlimited */
	bool prefetches;			      /* beside a cache for data */
};

struct culprit_shotgun_params {
	uint64_t seed;
	uint32_t fragments;	 /* at most so many; 0 = one of every signature sample */
	uint32_t length;	 /* instructions of a fragment; 0 = as sampled */
	uint32_t warmup;	 /* so many of its last instructions run before it, not measured */
	uint32_t context;	 /* positions compared on either side */
	uint32_t signature_bits; /* compared: 0, 1 or 2 */
	uint32_t thin;		 /* use every n-th detailed sample; 0, 1 = all */
	uint8_t half;		 /* not 0: of these a half, drawn by chance; each value another one */
	uint32_t parts, part;	 /* parts not 0: only fragments number part, part + parts, part + 2 parts ... */
	bool follow;		 /* run each fragment after the one sampled before it instead of after itself */
	uint32_t own_weight;	 /* an instruction's own two bits count as so many more; 0 = the paper */
	/* the paper: the first inconsistency aborts; else other targets of the branch before it are tried */
	bool no_return;
	bool whole; /* the paper: of an aborted fragment nothing is used; else what came before the doubtful branch */
	bool no_borrowing; /* the paper: without a sample, defaults; else a sample of another instruction of its kind */
	/* the paper, and where samples do not tell all bits: surroundings that no sample has are like the nearest; else like
	 * those that one has */
	bool no_rare;
	bool no_strays;	   /* the paper: ignore istray and dstray */
	bool no_inference; /* the paper: dependences through memory only as sampled, none from code */
};

enum culprit_abort {
#define SHOTGUN_ABORT(name, meaning) CULPRIT_ABORT_##name,
#include "culprit/shotgun_abort.def"
	CULPRIT_ABORT_COUNT
};
const char *culprit_abort_name(enum culprit_abort why);
const char *culprit_abort_meaning(enum culprit_abort why);

/* Half-widths of a 95% interval, percent of time, and what they are made of. */
struct culprit_shotgun_interval {
	double fragments; /* other fragments might have been drawn */
	double details;	  /* with half of the detailed samples, and after other fragments, figures differ */
	double bias;	  /* what reconstruction got wrong in other programs */
	double unseen;	  /* counted time that the fragments lack, as far as it may be of these classes */
	double all;	  /* together: the root of the sum of squares */
};

struct culprit_shotgun_results {
	struct culprit_graph_results graph; /* summed over all fragments */
	struct culprit_shotgun_interval cost_interval[CULPRIT_GRAPH_SETS];
	struct culprit_shotgun_interval icost_interval[CULPRIT_GRAPH_SETS]; /* of single classes and pairs */
	double single[CULPRIT_GRAPH_CLASSES]; /* percent: detailed samples alone, latencies added up */
	double single_used
		[CULPRIT_GRAPH_CLASSES]; /* the same of the samples that fragments are made of, an instruction each */
	bool has_single[CULPRIT_GRAPH_CLASSES]; /* false: a single sample says nothing of this class */
	double cpi, cpi_error;			/* of the fragments, and the half-width of its 95% interval; ... */
	double unlike[CULPRIT_GRAPH_CLASSES];	/* cycles an instruction that other latencies in the run may make */
	double cpi_fragments, cpi_details, cpi_unlike; /* ... its parts: interval.c */
	uint64_t built, aborted;		       /* fragments */
	uint64_t shortened; /* of the built ones: those of which only the part before an abort was used */
	uint64_t aborts[CULPRIT_ABORT_COUNT]; /* by reason */
	uint64_t guessed
		[CULPRIT_BRANCH_COUNT]; /* aborts by the kind of branch whose target was last taken from a sample;
						  * BRANCH_NONE = there was none before */
	uint64_t instructions;		/* of built fragments */
	uint64_t borrowed;		/* samples of other instructions used */
	uint64_t missing;		/* of these, without a detailed sample */
	uint64_t compared, agreed;	/* signature bits of the chosen samples */
	uint64_t targets_sampled, targets_stack,
		targets_signature;		       /* indirect branches: where their targets came from */
	uint64_t stores_missed, primary_misses_missed; /* sampled dependences that fit nothing in the fragment */
	uint64_t stores_inferred;		       /* dependences through memory found in the code */
	/* of samples made from branch records */
	uint64_t compared_fragments;  /* those whose cycles were recorded */
	double recorded_cpi, scatter; /* of these; mean difference of the graph's time, percent of the recorded one */
	uint64_t accesses, own_accesses; /* loads and stores; with a detailed sample of their own address */
};

/* One instruction of the program, as the walks met it. */
struct culprit_shotgun_place {
	uint64_t pc, visits;
	uint64_t samples; /* detailed ones */
	uint64_t aborts;  /* found here */
	bool lacks;	  /* it has no detailed sample, and needs one */
};

struct culprit_shotgun;

/* The samples must outlive it. NULL: *why (may be NULL) says what is wrong. */
struct culprit_shotgun *culprit_shotgun_create(const struct culprit_shotgun_machine *machine,
					       const struct culprit_shotgun_params *params,
					       const struct culprit_samples *samples, const struct culprit_code *code,
					       const char **why);
void culprit_shotgun_destroy(struct culprit_shotgun *shotgun);

/* Build and analyse fragments. False: culprit_shotgun_error says why. */
bool culprit_shotgun_run(struct culprit_shotgun *shotgun, struct culprit_shotgun_results *results);
const char *culprit_shotgun_error(const struct culprit_shotgun *shotgun);

/* The interval of sum(weight[S] * time[S]) / time[0]; after a run. */
struct culprit_shotgun_interval culprit_shotgun_interval_of(const struct culprit_shotgun *shotgun,
							    const double weight[CULPRIT_GRAPH_SETS]);
/* False past the end. In no order. */
bool culprit_shotgun_place(const struct culprit_shotgun *shotgun, size_t index, struct culprit_shotgun_place *place);

/* One fragment by itself: the records made of signature sample `index`, at most `capacity`; 0 and *why: aborted. */
size_t culprit_shotgun_fragment(struct culprit_shotgun *shotgun, size_t index, struct culprit_record *records,
				size_t capacity, enum culprit_abort *why);

CULPRIT_C_END

#endif
