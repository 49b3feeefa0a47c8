/* The interval model (Eyerman et al. 2009): cycles of a program on a machine, from a profile of the program.
 *
 * Plain: equation (7) as printed, with TLB terms like the cache terms, the window drain of equation (8), and the
 * counts read out of the profile for the machine's geometries. Refined (default): the same terms, but with penalties
 * measured by flows (flow.h) of the profile's sample through the machine: term = count on the whole region x the
 * sample's cycles for each such event. */
#ifndef CULPRIT_INTERVAL_MODEL_MODEL_H
#define CULPRIT_INTERVAL_MODEL_MODEL_H

#include "base/error.h"
#include "interval/flow/flow.h"
#include "interval/model/ilp.h"
#include "interval/profile/profile.h"
#include "machine/machine.h"

enum model_term {
#define MODEL_TERM(name, group, meaning) MODEL_##name,
#include "interval/model/term.def"
	MODEL_TERMS
};

enum model_group {
#define MODEL_GROUP(name, meaning) MODEL_GROUP_##name,
#include "interval/model/term.def"
	MODEL_GROUPS
};

enum model_refinement {
#define MODEL_REFINEMENT(name, meaning) MODEL_REFINE_##name,
#include "interval/model/refinement.def"
	MODEL_REFINEMENTS
};
#define MODEL_REFINED ((1u << MODEL_REFINEMENTS) - 1)

/* A structure of the machine that the profile does not hold, and what was taken instead (profile/nearest.h). */
struct model_nearest {
	const char *structure;
	char text[160];	      /* what the machine has, and what it was taken as */
	enum model_term term; /* events of this one */
	double count, off;    /* how many there are; how many more or fewer it may be */
	double penalty;	      /* of each of `off`; 0: the term's */
};
enum { MODEL_NEAREST = 24 };

/* How often each kind of miss event happens in the region on one machine: the m of equation (7). */
struct model_counts {
	double instructions;
	double l1i, l2i, itlb;	       /* fetches that miss L1I; that miss L2 as well; that miss the ITLB */
	double l1d, l2d, dtlb;	       /* loads that miss L1D; that miss L2 as well; accesses that miss the DTLB */
	double l1d_stores, l2d_stores; /* stores likewise */
	double l3_share;	       /* of the L2 misses, those that the L3 does not have either; 1 without an L3 */
	double l3_store_share;	       /* of the stores', which are not among those */
	double itlb_walk, dtlb_walk;   /* of the TLB misses, those that walk */
	double mispredictions, redirects;
	double long_units, walk_units; /* m*(W): long data misses and page walks that do not overlap, for this ROB */
	uint32_t nearest_count;
	struct model_nearest nearest[MODEL_NEAREST];
};

/* One line of the stack: count x penalty = cycles (count 0: cycles are not the product of anything). */
struct model_line {
	double count, penalty, cycles;
};

enum { MODEL_FIT_LOW = 16, MODEL_FIT_HIGH = 1024 };

struct model_result {
	struct model_line lines[MODEL_TERMS];
	double cycles, cpi;
	double drain;	   /* c_dr of equation (8) */
	double resolution; /* refined: mean cycles from dispatch to completion of a mispredicted branch; plain: 0 */
	double latency;	   /* l: average latency of an instruction, with short misses */
	/* refined: the sample is of another machine's caches, TLBs, targets or prefetcher, and was changed by guess */
	bool foreign;
	struct model_counts counts;
	struct ilp ilp; /* unit latency */
};

/* A profile made ready for any number of predictions. Keeps pointers into the profile. */
struct model {
	const struct interval_profile *profile;
	struct machine reference;
	struct flow_stream stream;
	struct interval_sample *strays;		  /* the wrong paths' instructions, judged for the reference */
	struct interval_sample *own, *own_strays; /* of an adapted model: its own stream */
	struct ilp ilp;
	struct model_counts reference_counts;
	bool partial;		    /* stream is only a part of the profile's sample */
	double sampled[FLOW_PARTS]; /* events of each part in the sample, for each of its instructions */
};

/* To be closed, also after a failure. */
bool model_open(struct model *model, const struct interval_profile *profile, struct error *err);
void model_close(struct model *model);
/* The model with its sample as it would be on a machine, whose counts are these; to be given to model_adapt_free(),
 * not model_close(), also after a failure. */
bool model_adapt(const struct model *model, const struct machine *m, const struct model_counts *here,
		 struct model *adapted, struct error *err);
void model_adapt_free(struct model *adapted);
/* *strays: the profile's wrong paths, judged by this stream, which then has them; malloc'd. */
bool model_judge_strays(struct flow_stream *stream, const struct interval_profile *p, struct interval_sample **strays,
			struct error *err);
/* From now on time this part of the sample instead. */
void model_restrict(struct model *model, const struct flow_stream *stream);
void model_count(const struct model *model, const struct machine *m, struct model_counts *counts);
/* Cycles by which the time may be off for it; r->counts has it. */
double model_nearest_cycles(const struct model_result *r, const struct model_nearest *n);
/* The sum. */
double model_all_nearest_cycles(const struct model_result *r);
bool model_plain(const struct model *model, const struct machine *m, struct model_result *result, struct error *err);
/* refinements: bits of enum model_refinement. */
bool model_refined(const struct model *model, const struct machine *m, uint32_t refinements,
		   struct model_result *result, struct error *err);

/* Cycles of the sample: without any part, what each part added when switched on in order, and with all of them (but
 * violations of memory order, which do not come evenly: `added` has the sample's part of those of the region). */
struct model_flow {
	double start, added[FLOW_PARTS], cycles, resolution;
};
/* The parts of the flow that a machine has and the refinements ask for. */
uint32_t model_parts(const struct machine *m, uint32_t refinements);
bool model_flow(const struct model *model, const struct machine *m, const struct model_counts *counts, uint32_t parts,
		struct model_flow *out, struct error *err);
/* How many of the region's cycles one of the sample's stands for, for one part. */
double model_scale(const struct model *model, const struct model_counts *counts, enum flow_part part);
/* Put the flow's terms over the plain ones in *r, whose counts are set. */
void model_refined_terms(const struct model *model, const struct machine *m, const struct model_flow *flow,
			 uint32_t parts, struct model_result *r);

/* False, with a reason, for machines that the model does not describe (idealised ones). */
bool model_takes(const struct machine *m, struct error *err);

/* The cycles of the plain model out of counts alone, and its window drain: what scaling studies vary. */
void model_plain_terms(const struct model_counts *counts, const struct machine *m, double drain,
		       struct model_result *result);
double model_drain(const struct model *model, const struct model_counts *counts, const struct machine *m,
		   double latency);
/* l of equation (3): the reference program's mix with this machine's latencies, short data misses included. */
double model_latency(const struct model *model, const struct machine *m, const struct model_counts *counts);

double model_group_cycles(const struct model_result *r, enum model_group group);
const char *model_term_name(enum model_term term);
const char *model_term_meaning(enum model_term term);
enum model_group model_term_group(enum model_term term);
const char *model_group_name(enum model_group group);
const char *model_group_meaning(enum model_group group);
/* "chain,units" -> bits. */
bool model_refinements_parse(const char *text, uint32_t *bits, struct error *err);

#endif
