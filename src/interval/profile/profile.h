/* The profile of a program: what the interval model (Eyerman et al. 2009, section 3.3.3) has to know about it, from one
 * functional pass (pass.h) without a core. docs/explanation/profile.md explains the quantities and the file.
 *
 * Everything is a count in a uint64_t (names apart), so that a profile is the same to the last bit on every host and
 * file.c can write it as one array of words. All counts are of the region, after warm-up.
 *
 * The reference machine is the one given with -m: it says which L1s feed the L2 sweep, which predictor is number 0, and
 * whose latencies and hierarchy K(W), m*(W) and the counts "of the reference" are measured with; it is run
 * functionally, in program order, without prefetchers. Everything swept (cache_sweep, btb_sweep, ...) does not depend
 * on it unless the field says so. */
#ifndef CULPRIT_INTERVAL_PROFILE_PROFILE_H
#define CULPRIT_INTERVAL_PROFILE_PROFILE_H

#include "culprit/types.h"
#include "interval/profile/sample.h"
#include "machine/machine.h"

enum interval_latency {
#define INTERVAL_LATENCY(name, meaning) INTERVAL_LATENCY_##name,
#include "interval/profile/latency.def"
	INTERVAL_LATENCIES
};

enum interval_chain {
#define INTERVAL_CHAIN(name, meaning) INTERVAL_CHAIN_##name,
#include "interval/profile/chain.def"
	INTERVAL_CHAINS
};

enum {
	INTERVAL_NAME = 64,
	INTERVAL_WINDOW = 1024,	 /* K(W): W up to this; also the stride between windows */
	INTERVAL_PREDICTORS = 9, /* the reference machine's and the rows of predictor.def */
	INTERVAL_EXACT = 1024,	 /* histograms of distances: exact below, 8 buckets for each power of two above */
	INTERVAL_BUCKETS = 1024 + 8 * 30,
	INTERVAL_DEPTH_PLACES = 64, /* mispredicted branches by place in their K window, 16 instructions each */
	INTERVAL_LINES = 3,	    /* line sizes swept: 32, 64, 128 bytes */
	INTERVAL_WAYS = 16,	    /* LRU depths told apart */
	INTERVAL_SETS = 12,	    /* numbers of sets swept, each twice the one before */
	INTERVAL_PAGES_FULL = 256,  /* entries of fully associative TLBs */
	INTERVAL_RAS = 8,	    /* return stacks of 1, 2, 4 .. 128 entries */
	INTERVAL_WINDOWS = 16,	    /* window sizes of m*(W): interval_windows[] */
	INTERVAL_MSHR_WINDOWS = 6,  /* of those, the ones with limited MSHRs: interval_mshr_windows[] */
	INTERVAL_MSHRS = 4,	    /* interval_mshrs[] */
	INTERVAL_CLUSTERS = 4,	    /* blocks of 32, 64, 128, 256 instructions */
	INTERVAL_CLUSTER_MOST = 32,
	INTERVAL_FETCH_WIDTHS = 8, /* interval_fetch_widths[] */
	INTERVAL_FETCH_TAKEN = 3,  /* taken limits 1, 2, 3 */
	INTERVAL_DISTANCES = 24,   /* dependence distances by power of two */
};

extern const uint64_t interval_windows[INTERVAL_WINDOWS]; /* 1 2 4 8 16 24 32 48 64 96 128 192 256 384 512 1024 */
extern const uint64_t interval_mshr_windows[INTERVAL_MSHR_WINDOWS]; /* 32 64 128 256 512 1024 */
extern const uint64_t interval_mshrs[INTERVAL_MSHRS];		    /* 2 4 8 16 misses at once (1: all serialise) */
extern const uint64_t interval_fetch_widths[INTERVAL_FETCH_WIDTHS]; /* 1 2 3 4 6 8 12 16 */

/* Which accesses reach a cache. An atomic or store-conditional is a store. */
enum interval_kind { INTERVAL_FETCH, INTERVAL_LOAD, INTERVAL_STORE, INTERVAL_KINDS };

/* --- the machine the profile was made with --- */

struct interval_cache {
	uint64_t size, ways, line; /* bytes, ways (0 = fully associative), bytes; size 0 = there is none */
};
struct interval_reference {
	char machine[INTERVAL_NAME];
	struct interval_cache l1i, l1d, l2, l3;
	uint64_t page, i_entries, i_ways, d_entries, d_ways, l2_entries, l2_ways; /* TLBs; entries 0 = perfect, none */
	uint64_t latency[CULPRIT_OP_COUNT];			       /* cycles; without the L1D's for loads */
	uint64_t l1d_latency, l2_latency, l3_latency, forward_latency; /* cycles, each level's own */
};

#define INTERVAL_NOT_RUN UINT64_MAX

/* Parameters of a branch predictor, as machine.def's section branch; those that its kind does not use are 0. */
struct interval_branch {
	uint64_t kind;	   /* enum direction_predictor; INTERVAL_NOT_RUN = was not */
	uint64_t indirect; /* enum indirect_predictor */
	uint64_t bimodal, gshare, history, meta, tage_kib, ittage_kib;
	uint64_t btb_entries, btb_ways, ras;
};

/* --- instructions --- */

struct interval_mix {
	uint64_t op[CULPRIT_OP_COUNT];
	uint64_t branch[CULPRIT_BRANCH_COUNT]; /* [0] = no branch */
	uint64_t taken[CULPRIT_BRANCH_COUNT];
	uint64_t bytes;	      /* of all instructions: mean length = bytes / instructions */
	uint64_t serialising; /* ecall, fence.i, CSR accesses: fetch waits for them */
	uint64_t at_head;    /* part of the instructions that issue only as the oldest (atomics, fences, serialising) */
	uint64_t sources[4]; /* instructions with 0, 1, 2, 3 register sources other than x0 */
	/* Distance, in instructions, from a consumer to the producer of each register source, within one K window in
	 * INTERVAL_SAMPLE (spread over the sampled stretches): bucket b counts 2^b <= distance < 2^(b+1). `outside`:
	 * produced before the window. */
	uint64_t distance[INTERVAL_DISTANCES], outside;
	uint64_t forwarded;    /* loads that read an 8-byte word that a store of the same K window wrote */
	uint64_t window_loads; /* loads in K windows: what `forwarded` is a part of */
};
enum { INTERVAL_SAMPLE = 16 };

/* Fetch groups needed without misses and mispredictions, in one K window in INTERVAL_SAMPLE: a group ends at its width,
 * at the n-th taken branch and, in [1], at the end of a line of the reference L1I. instructions / groups = the
 * effective fetch width. */
struct interval_fetch {
	uint64_t instructions; /* in those windows */
	uint64_t groups[2][INTERVAL_FETCH_TAKEN][INTERVAL_FETCH_WIDTHS];
};

/* --- inherent ILP: section 3.2, equation (1) --- */

struct interval_paths {
	/* Windows of 1024 consecutive instructions, each instruction in exactly one; the first starts with the region.
	 * A last window that the region's end cuts short counts for the W it reaches: windows[W - 1] says how many. */
	uint64_t windows[INTERVAL_WINDOW];
	/* sum[s][W - 1]: over all windows, the longest dependence chain (registers; memory by 8-byte word) of the first
	 * W instructions, in cycles of latency set s. K_s(W) = sum / windows. */
	uint64_t sum[INTERVAL_LATENCIES][INTERVAL_WINDOW];
};

/* --- branch prediction --- */

struct interval_predictor {
	char name[INTERVAL_NAME]; /* "reference" or a row of predictor.def; "" = was not run */
	struct interval_branch branch;
	uint64_t direction, target, return_; /* mispredictions: taken/not taken; indirect target; return address */
	uint64_t redirects;	  /* predicted taken, right or wrong, with a known target that the BTB did not hold */
	uint64_t right_redirects; /* part of them: predicted right, so that the redirect is the only cost */
	/* P_br[N = n]: instructions from one misprediction (exclusive) to the next (inclusive), by interval_bucket(n);
	 * the first counts from the region's start. Sums to the mispredictions. */
	uint64_t interval[INTERVAL_BUCKETS];
	uint64_t instructions[INTERVAL_BUCKETS]; /* sum of the n in each bucket */
};

/* Chains that end in a mispredicted branch of the reference predictor: the branch's own completion, from the start of
 * its K window, by its place p in the window (bucket (p - 1) / 16, p from 1). depth / count against K_s(p) tells how
 * much sooner than the whole window the branch resolves. */
struct interval_depth {
	uint64_t count[INTERVAL_DEPTH_PLACES];
	uint64_t depth[INTERVAL_LATENCIES][INTERVAL_DEPTH_PLACES]; /* cycles, summed */
};

/* Branch target buffers of every size: look-ups by pc, trained by taken branches, LRU. Entry [s][d]: 2^s sets, the
 * branch is the d-th (from 0) most recently trained of its set: w ways hit when d < w. */
struct interval_btb {
	uint64_t direct_taken; /* taken conditional branches, jumps, calls, returns: what misses here is a redirect */
	uint64_t indirect;     /* indirect jumps and calls: what misses here has no target */
	uint64_t direct_hits[INTERVAL_SETS][INTERVAL_WAYS];
	uint64_t indirect_hits[INTERVAL_SETS][INTERVAL_WAYS];  /* found, and the last target is right */
	uint64_t indirect_wrong[INTERVAL_SETS][INTERVAL_WAYS]; /* found, another target */
};

struct interval_returns {
	uint64_t returns;
	uint64_t wrong[INTERVAL_RAS]; /* mispredicted by a stack of 2^n entries */
};

/* --- caches and TLBs of every size: LRU stack depths (Mattson et al. 1970) --- */

/* One stream of accesses. hits[line][kind][s][d]: accesses that found their line as the d-th (from 0) most recently
 * used of its set, with 2^(first_sets + s) sets of lines of 32 << line bytes: a cache with w <= 16 ways hits when d <
 * w. What is in no bucket missed at every size. An access across lines is one for each line; an access to the very line
 * accessed before (same line size) is at depth 0 everywhere. */
struct interval_sweep {
	uint64_t first_sets; /* log2 */
	uint64_t sets;	     /* numbers of sets swept, at most INTERVAL_SETS */
	uint64_t accesses[INTERVAL_LINES][INTERVAL_KINDS];
	uint64_t hits[INTERVAL_LINES][INTERVAL_KINDS][INTERVAL_SETS][INTERVAL_WAYS];
};

/* Pages of the reference machine's size; no kinds. sets: 2^(1 + s) sets; full: one set of up to 256 ways. */
struct interval_pages {
	uint64_t accesses;
	uint64_t hits[INTERVAL_SETS][INTERVAL_WAYS];
	uint64_t full[INTERVAL_PAGES_FULL];
};

/* --- the reference hierarchy, access by access --- */

struct interval_level {
	uint64_t accesses[INTERVAL_KINDS], misses[INTERVAL_KINDS];
	uint64_t writebacks; /* dirty lines that left this level (traffic to the next: misses + writebacks lines) */
	/* Of the misses of loads and stores, those a simple prefetcher could have had: */
	uint64_t next_line; /* the line before it was among the last 32 lines missed here */
	uint64_t stride;    /* the instruction's last two misses here were one same stride apart, and this one is too */
	uint64_t either;
	/* Misses of loads and stores in aligned blocks of 32 << c instructions: how many blocks had n misses (n from 0;
	 * the last bucket: 31 and more). Tells bursts, for bandwidth and MSHRs. */
	uint64_t blocks[INTERVAL_CLUSTERS][INTERVAL_CLUSTER_MOST];
};
struct interval_translations {
	uint64_t accesses, misses; /* first level */
	uint64_t walks;		   /* part of the misses that the second level did not have either */
};

/* --- long misses and what overlaps them: sections 3.1.4 and 3.1.5 ---
 *
 * m*(W), exactly: a machine in which only long misses take time, one unit each, everything else none, with a ROB of W
 * entries, commit in order and nothing else limiting. An instruction enters when the one W before it has committed; a
 * long miss starts when it has entered and its operands (registers; memory by 8-byte word; the line, when an earlier
 * miss in flight brings it) are there. m*(W) is the unit time at which the last instruction commits: independent misses
 * within W overlap, dependent ones add up. */
struct interval_overlap {
	uint64_t misses;		  /* long events of loads; m*(1) */
	uint64_t units[INTERVAL_WINDOWS]; /* m*(W) for W = interval_windows[] */
	/* The same with k MSHRs, given to misses in program order, the one that is free first: [window][k] */
	uint64_t mshr[INTERVAL_MSHR_WINDOWS][INTERVAL_MSHRS];
	/* The same as `units`, but what follows a misprediction of the reference predictor enters only when the branch
	 * has its operands: what the misses cost when dependent mispredictions keep them from overlapping (section
	 * 3.5). */
	uint64_t broken[INTERVAL_WINDOWS];
	/* Front-end events that enter while an older long miss of the machine of `broken` has not committed, by
	 * window: */
	uint64_t hidden_branches[INTERVAL_WINDOWS];    /* mispredictions that do not wait for a long miss */
	uint64_t dependent_branches[INTERVAL_WINDOWS]; /* mispredictions that do */
	uint64_t hidden_l1i[INTERVAL_WINDOWS];	       /* L1I misses served by L2 or L3 */
	uint64_t hidden_l2i[INTERVAL_WINDOWS];	       /* instruction fetches served by memory */
	uint64_t hidden_itlb[INTERVAL_WINDOWS];
};

/* The stream itself, in stretches spread evenly over the region: what the refined model times (flow.h). */
struct interval_samples {
	struct interval_sample *list; /* malloc'd; interval_profile_clear() frees it */
	uint64_t count;
	uint64_t stretch; /* consecutive instructions in each stretch; stretches follow each other in `list` */
	/* one stretch in so many was kept; 1 = all of the region, and dependences reach across stretches */
	uint64_t every;
	struct interval_wrong_path *wrong; /* by place, each once; malloc'd, as strays */
	uint64_t wrong_count;
	struct interval_sample *strays; /* their instructions, one path after the other */
	uint64_t stray_count;
};

/* Averages are taken from a part of the region (docs/decisions/profile-sampling.md): paths, depth, mix.distance,
 * mix.outside, mix.forwarded, mix.window_loads and fetch count what was seen in it. overlap is carried over to the
 * region: each chain's counts times its misses in the region over those seen. Everything else is counted over all of
 * the region. */
struct interval_sampling {
	uint64_t every;	       /* one stretch in so many, from the region's first; 1 = all of the region */
	uint64_t stretch;      /* instructions in a stretch */
	uint64_t instructions; /* of the region, in those stretches */
};

/* What ended the region. */
enum interval_end { INTERVAL_END_ASKED, INTERVAL_END_PROGRAM, INTERVAL_END_INTERRUPTED };

struct interval_profile {
	struct machine machine; /* the reference, whole */
	struct interval_samples samples;
	char program[INTERVAL_NAME]; /* argv[0]'s last part, cut */
	uint64_t instructions;	     /* N, in the region */
	uint64_t skipped, warmed;    /* before it */
	uint64_t ended;		     /* enum interval_end */
	struct interval_reference reference;
	struct interval_mix mix;
	struct interval_fetch fetch;
	struct interval_paths paths;
	struct interval_predictor predictor[INTERVAL_PREDICTORS]; /* [0]: the reference machine's */
	struct interval_depth depth;
	struct interval_btb btb;
	struct interval_returns returns;
	struct interval_sweep l1i, l1d; /* 16 .. 2048 sets */
	struct interval_sweep l2;	/* what the reference L1s miss; 64 .. 32768 sets */
	struct interval_sweep l3;	/* what the reference L2 misses, with or without an L3; likewise */
	struct interval_pages itlb, dtlb;
	struct interval_pages tlb2;			  /* what the reference first-level TLBs miss */
	struct interval_level level[CULPRIT_LEVEL_COUNT]; /* [L1]: the L1D (and L1I as kind FETCH), [L2], [L3] */
	struct interval_translations instruction_pages, data_pages;
	struct interval_overlap overlap[INTERVAL_CHAINS];
	/* Of the reference machine, loads and stores by where they were served, in accesses (one for each line
	 * touched). */
	uint64_t data_level[CULPRIT_LEVEL_COUNT][2]; /* [level][store?] */
	uint64_t data_translation[CULPRIT_LEVEL_COUNT][2];
	uint64_t fetch_level[CULPRIT_LEVEL_COUNT];
	uint64_t fetch_translation[CULPRIT_LEVEL_COUNT];
	struct interval_sampling sampling;
};

/* --- reading it --- */

/* Free what it points to; it may have been zeroed, read, or failed to be read. */
void interval_profile_clear(struct interval_profile *p);

const char *interval_latency_name(enum interval_latency set);

/* The bucket of a distance n >= 1, and the smallest n of a bucket. */
uint32_t interval_bucket(uint64_t n);
uint64_t interval_bucket_first(uint32_t bucket);

/* K_s(W) in cycles, 1 <= W <= 1024; 0 when the region is shorter than W. */
double interval_critical_path(const struct interval_profile *p, enum interval_latency set, uint32_t window);
/* Mispredictions of all kinds. */
uint64_t interval_mispredictions(const struct interval_predictor *p);
/* The first predictor that predicts directions as the machine does (targets: read interval_btb and interval_returns
 * for other structures than its own). NULL: none; an oracle is none either. */
const struct interval_predictor *interval_predictor_of(const struct interval_profile *p, const struct machine *m);
/* The parameters of a machine's predictor. */
struct interval_branch interval_branch_of(const struct machine *m);

/* Misses of a cache of size bytes, `ways` (0 = fully associative) and `line` bytes, for one kind. False: the geometry
 * is outside of the sweep (*err says what it holds; err may be NULL). */
bool interval_misses(const struct interval_sweep *s, enum interval_kind kind, uint64_t size, uint64_t ways,
		     uint64_t line, uint64_t *misses, struct error *err);
bool interval_page_misses(const struct interval_pages *s, uint64_t entries, uint64_t ways, uint64_t *misses,
			  struct error *err);
/* Redirects of taken direct branches, and indirect branches without the right target, for a BTB (entries 0 =
 * perfect). */
bool interval_btb_misses(const struct interval_btb *b, uint64_t entries, uint64_t ways, uint64_t *direct,
			 uint64_t *indirect, struct error *err);
/* m*(W) for any W >= 1: exact at interval_windows[], in between linear in log W; beyond 1024 as 1024. `broken` picks
 * the machine with mispredictions. */
double interval_overlapped(const struct interval_overlap *o, bool broken, double window);

/* The profile as a file; docs/explanation/profile.md has the format. Errors name the file. */
bool interval_write(const struct interval_profile *p, const char *path, struct error *err);
/* Into *p; false for a truncated, damaged, foreign or newer file. */
bool interval_read(struct interval_profile *p, const char *path, struct error *err);
/* From memory, for tests and fuzzing; `place` names it in errors. */
bool interval_parse(struct interval_profile *p, const void *bytes, size_t size, const char *place, struct error *err);

#endif
