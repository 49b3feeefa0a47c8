/* Chains, interned: one number for each different (type, cause).
 *
 * Too long: a chain of `depth` types that gets one more in front loses one from its middle. It becomes
 *     [front: depth / 2 types] (snipped) [the last depth - depth / 2 - 1 types]
 * so that what a lost completion waited for and the root cause are both kept (paper, section 6.3). The last part is a
 * chain of its own, shared; the table remembers where (type, long cause) leads, so this happens once for each.
 *
 * Too many: when the table has `chains` entries, a new (type, cause) becomes type <- (other) <- the leaf of cause.
 * These are at most types x leaf types more. So sums by leaf and by immediate stall stay exact. */
#include "analysis/stalls/state.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_CHAINS = 1024 };

bool stalls_chains_create(struct culprit_stalls *s)
{
	s->chain_capacity = FIRST_CHAINS;
	s->nodes = calloc(FIRST_CHAINS, sizeof *s->nodes);
	return s->nodes != NULL;
}

/* Nodes and every accumulator's counts, together. */
static bool grow_nodes(struct culprit_stalls *s)
{
	uint32_t old = s->chain_capacity, capacity = 2 * old;
	struct chain_node *nodes = realloc(s->nodes, capacity * sizeof *nodes);
	if (!nodes)
		return false;
	s->nodes = nodes;
	for (uint32_t i = 0; i < s->accumulator_count; i++) {
		uint64_t *counts = realloc(s->accumulators[i].counts, capacity * sizeof *counts);
		if (!counts)
			return false;
		memset(counts + old, 0, (capacity - old) * sizeof *counts);
		s->accumulators[i].counts = counts;
	}
	s->chain_capacity = capacity;
	return true;
}

static void remember(struct culprit_stalls *s, uint64_t key, culprit_stall_chain chain)
{
	if (!map_put(&s->chains, key, chain))
		stalls_fail(s, "out of memory for stall chains");
}

static struct chain_node make_node(const struct culprit_stalls *s, uint32_t type, culprit_stall_chain cause)
{
	struct chain_node n = {.type = type, .cause = cause, .leaf = type, .depth = 1};
	if (cause) {
		const struct chain_node *c = &s->nodes[cause];
		n.leaf = c->leaf;
		n.depth = (uint16_t)(c->depth + 1);
		n.flags = c->flags;
	}
	n.flags |= (uint16_t)(s->types[type].type.flags & CULPRIT_STALL_FLUSH ? CHAIN_FLUSH : 0);
	n.flags |= (uint16_t)(type == CULPRIT_STALL_SNIPPED ? CHAIN_SNIPPED : 0);
	n.flags |= (uint16_t)(type == CULPRIT_STALL_OTHER ? CHAIN_FOLDED : 0);
	return n;
}

static uint64_t key_of(uint32_t type, culprit_stall_chain cause)
{
	return (uint64_t)type << 32 | cause;
}

/* A node for the pair itself, whatever its length. */
static culprit_stall_chain intern(struct culprit_stalls *s, uint32_t type, culprit_stall_chain cause)
{
	uint32_t known = map_get(&s->chains, key_of(type, cause));
	if (known)
		return known;
	if (s->chain_count + 1 >= s->chain_capacity && !grow_nodes(s)) {
		stalls_fail(s, "out of memory for stall chains");
		return cause;
	}
	culprit_stall_chain id = ++s->chain_count;
	s->nodes[id] = make_node(s, type, cause);
	remember(s, key_of(type, cause), id);
	return id;
}

static culprit_stall_chain snip(struct culprit_stalls *s, uint32_t type, culprit_stall_chain cause)
{
	uint32_t front = s->params.depth / 2, back = s->params.depth - front - 1, count = 0;
	uint32_t types[64];
	culprit_stall_chain tail = cause;
	while (s->nodes[tail].depth > back) {
		if (count < front - 1)
			types[count++] = s->nodes[tail].type;
		tail = s->nodes[tail].cause;
	}
	culprit_stall_chain chain = intern(s, CULPRIT_STALL_SNIPPED, tail);
	while (count)
		chain = intern(s, types[--count], chain);
	chain = intern(s, type, chain);
	remember(s, key_of(type, cause), chain);
	return chain;
}

static culprit_stall_chain fold(struct culprit_stalls *s, uint32_t type, culprit_stall_chain cause)
{
	culprit_stall_chain leaf = intern(s, s->nodes[cause].leaf, 0);
	return intern(s, type, intern(s, CULPRIT_STALL_OTHER, leaf));
}

culprit_stall_chain stalls_chain(struct culprit_stalls *s, uint32_t type, culprit_stall_chain cause)
{
	uint32_t known = map_get(&s->chains, key_of(type, cause));
	if (known)
		return known;
	if (cause && s->types[type].type.flags & (CULPRIT_STALL_LEAF | CULPRIT_STALL_FLUSH))
		stalls_fail(s, "a stall of a leaf type was given a cause");
	if (s->chains.used >= s->params.chains && cause)
		return fold(s, type, cause);
	if (cause && s->nodes[cause].depth >= s->params.depth)
		return snip(s, type, cause);
	return intern(s, type, cause);
}

culprit_stall_chain stalls_new_effect(struct culprit_stalls *s, uint32_t type, culprit_stall_chain cause)
{
	culprit_stall_chain effect = stalls_chain(s, type, cause);
	struct chain_node *n = &s->nodes[cause];
	n->effect_type[1] = n->effect_type[0];
	n->effect[1] = n->effect[0];
	n->effect_type[0] = type;
	n->effect[0] = effect;
	return effect;
}
