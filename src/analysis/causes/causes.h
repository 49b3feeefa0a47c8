/* Costs, interactions and Shapley values of up to 16 causes: sets of event classes that idealisation takes away apart.
 *
 * A graph has lanes for the subsets of eight causes. More take several graphs over the same records, chunk by chunk: in
 * each graph eight causes vary, some are idealised in every lane (culprit_graph_params.always), and the others in none
 * (elsewhere).
 *
 * Exact: 2^(count - 8) graphs have every subset once; six more, beyond `passes`, have every pair within one graph.
 *
 * Sampled, where these are too many. A Shapley value is a cause's cost averaged over all orders of idealising the
 * causes. A sample is a random order cut in the middle, into A and the rest B: one graph has the subsets of A, another
 * those of B with A idealised in every lane, so that all orders within A and within B are averaged at once. The same
 * the other way round, B before A. Each sample is an unbiased estimate, and adds up to the cost of all causes. Besides,
 * six graphs have every pair of causes with nothing else idealised: costs and interactions of pairs are always exact.
 *
 * Graphs share issue slots between lanes (graph/sharing.c), each in its own way, so two may give the same set slightly
 * different times. The first graph's counts everywhere: one value for a set, and the identities hold exactly. */
#ifndef CULPRIT_ANALYSIS_CAUSES_CAUSES_H
#define CULPRIT_ANALYSIS_CAUSES_CAUSES_H

#include "culprit/graph.h"

enum {
	CAUSES_MOST = 16,
	CAUSES_PAIR_PASSES = 6,	  /* graphs for the pairs */
	CAUSES_SAMPLE_PASSES = 4, /* ... for a sample; there are at least two */
	CAUSES_LEAST_SAMPLED = CAUSES_PAIR_PASSES + 2 * CAUSES_SAMPLE_PASSES,
};

struct causes_params {
	struct culprit_graph_params graph; /* its classes and `always` are not looked at */
	uint32_t count;			   /* 1..CAUSES_MOST */
	struct culprit_graph_class causes[CAUSES_MOST];
	uint32_t passes;  /* graphs, at most */
	uint32_t threads; /* 0, 1: the caller's */
	uint64_t seed;	  /* of the orders */
	bool sample;	  /* also where all sets would do: to compare */
};

struct causes_results {
	uint32_t count, passes, samples; /* samples 0 = exact */
	char names[CAUSES_MOST][CULPRIT_GRAPH_NAME];
	uint64_t time, rest; /* cycles with nothing idealised, and with all causes */
	int64_t cost[CAUSES_MOST];
	int64_t icost[CAUSES_MOST][CAUSES_MOST]; /* of pairs; 0 on the diagonal */
	double shapley[CAUSES_MOST];		 /* cycles; they add up to time - rest */
	double error[CAUSES_MOST];		 /* its standard error; 0 = exact */
	/* Exact only: the interaction of a pair averaged over what else is idealised (Grabisch and Roubens, 1999). */
	double interaction[CAUSES_MOST][CAUSES_MOST];
	uint64_t apart;	       /* cycles: the most that two graphs differ in the time of a set */
	const uint64_t *times; /* by set, bit n = cause n: as long as the causes live; NULL where sampled */
};

struct causes;

/* NULL: *why names what is wrong. */
struct causes *causes_create(const struct causes_params *params, const char **why);
void causes_destroy(struct causes *c);
/* Records in commit order. An error is kept until causes_finish. */
void causes_push(struct causes *c, const struct culprit_record *records, size_t count);
/* NULL, or what is wrong with the records. */
const char *causes_finish(struct causes *c, struct causes_results *results);

/* Half the 95% interval of a mean of so many samples, from its standard error: Student's t. 0 samples = exact. */
double causes_half_interval(double error, uint32_t samples);

/* values.c. Times by set; the Shapley values of `members`, with `before` idealised throughout, are added to value[]. */
void causes_shapley(const uint64_t *times, unsigned before, unsigned members, double value[CAUSES_MOST]);
double causes_interaction(const uint64_t *times, uint32_t count, unsigned a, unsigned b);

#endif
