/* The stall engine's state, private to src/analysis/stalls/.
 *
 * Chains: nodes[id] = (type, cause id); the table maps (type, cause) to an id. An id's node never changes, and a
 * cause's id is smaller than its effect's. Two kinds of entries lead elsewhere than to their own node: of chains that
 * would be too long (to the snipped one), and none at all is made when the table is full (see chain.c).
 *
 * Leaves: numbers 1, 2, 3 ... in the order they were made. Each accumulator has one bit for each of the last
 * leaf_window numbers: accumulated already. Older ones count as accumulated. */
#ifndef CULPRIT_ANALYSIS_STALLS_STATE_H
#define CULPRIT_ANALYSIS_STALLS_STATE_H

#include "base/map.h"
#include "culprit/stalls.h"

enum chain_flag { CHAIN_FLUSH = 1, CHAIN_SNIPPED = 2, CHAIN_FOLDED = 4 };

struct chain_node {
	uint32_t type;
	culprit_stall_chain cause; /* 0 = none: a leaf */
	uint32_t leaf;		   /* type at the end */
	uint16_t depth;		   /* types on it */
	uint16_t flags;		   /* enum chain_flag */

	/* the last two types that this caused, and the chains: nearly always what is asked for next */
	uint32_t effect_type[2];
	culprit_stall_chain effect[2];
};

struct stall_accumulator {
	const char *name;
	uint32_t width;
	bool elsewhere_now; /* not selected */
	uint64_t counted, elsewhere;
	uint64_t *counts; /* [chain_capacity] */
	uint64_t *taken;  /* bit per leaf number mod leaf_window */

	/* snapshots; row = interval number, 2 x type_count counts: by leaf, then by top */
	uint64_t interval;
	uint64_t *rows;
	size_t row_count, row_capacity;
	uint64_t end; /* last cycle counted + 1 */
};

enum { STALL_ACCUMULATORS = 8 };

struct culprit_stalls {
	struct culprit_stall_params params;
	const char *error;

	struct culprit_stall_type_info *types;
	culprit_stall_chain *leaf_chains; /* [type_count]: of the leaf types, made when first asked for */
	uint32_t type_count;

	struct chain_node *nodes; /* [1 .. chain_count] */
	uint32_t chain_count, chain_capacity;
	struct map chains; /* type << 32 | cause -> chain */

	uint64_t next_leaf;
	uint64_t leaf_mask; /* window - 1 */
	uint64_t dropped_events;

	struct stall_accumulator accumulators[STALL_ACCUMULATORS];
	uint32_t accumulator_count;
};

/* Remembers the first. */
void stalls_fail(struct culprit_stalls *s, const char *why);

bool stalls_chains_create(struct culprit_stalls *s);
culprit_stall_chain stalls_chain(struct culprit_stalls *s, uint32_t type, culprit_stall_chain cause);

/* All of the run's leaves are accumulated, wherever anybody accumulates: nothing will ever come of it. */
bool stalls_all_taken(const struct culprit_stalls *s, struct culprit_stall_run run);

/* `count` new leaf events: the first one's number. */
uint64_t stalls_number_leaves(struct culprit_stalls *s, uint32_t count);
/* Up to `most` of the run's latest events, which are no flush's, become accumulated: how many. */
uint32_t stalls_mark(struct culprit_stalls *s, uint32_t accumulator, struct culprit_stall_run run, uint32_t most);
/* Snapshots: see stalls_charge. */
void stalls_add_to_rows(struct culprit_stalls *s, struct stall_accumulator *a, culprit_stall_chain chain,
			uint64_t cycle, uint32_t cycles, uint64_t first, uint64_t weight);
/* `cycles` events of a chain count; the first of them lost `first` opportunities, the others `weight` each. Marks
 * nothing. */
static inline void stalls_charge(struct culprit_stalls *s, uint32_t accumulator, culprit_stall_chain chain,
				 uint64_t cycle, uint32_t cycles, uint64_t first, uint64_t weight)
{
	struct stall_accumulator *a = &s->accumulators[accumulator];
	uint64_t all = first + (cycles - 1) * weight;
	a->counted += all;
	a->end = cycle + cycles > a->end ? cycle + cycles : a->end;
	if (a->elsewhere_now) {
		a->elsewhere += all;
		return;
	}
	a->counts[chain] += all;
	if (a->interval)
		stalls_add_to_rows(s, a, chain, cycle, cycles, first, weight);
}

static inline culprit_stall_chain stalls_leaf_chain(struct culprit_stalls *s, uint32_t type)
{
	culprit_stall_chain chain = s->leaf_chains[type];
	return chain ? chain : culprit_stalls_leaf(s, type, 0).chain;
}

/* As stalls_chain, and it is remembered. */
culprit_stall_chain stalls_new_effect(struct culprit_stalls *s, uint32_t type, culprit_stall_chain cause);

static inline culprit_stall_chain stalls_effect(struct culprit_stalls *s, uint32_t type, culprit_stall_chain cause)
{
	const struct chain_node *n = &s->nodes[cause];
	if (n->effect_type[0] == type)
		return n->effect[0];
	if (n->effect_type[1] == type)
		return n->effect[1];
	return stalls_new_effect(s, type, cause);
}

/* Of a chain that may be marked spent, and stays so. */
static inline culprit_stall_chain stalls_effect_of_any(struct culprit_stalls *s, uint32_t type,
						       culprit_stall_chain cause)
{
	culprit_stall_chain spent = cause & CULPRIT_STALL_SPENT;
	return stalls_effect(s, type, cause ^ spent) | spent;
}

static inline bool chain_is_flush(const struct culprit_stalls *s, culprit_stall_chain chain)
{
	return s->nodes[chain & ~CULPRIT_STALL_SPENT].flags & CHAIN_FLUSH;
}

#endif
