/* The stall engine's frame: parameters, stall sets, leaves and runs. */
#include "analysis/stalls/state.h"

#include <stdlib.h>
#include <string.h>

static const struct culprit_stall_type own_types[] = {
	{"none", "nothing", "no stall", CULPRIT_STALL_LEAF},
	{"snipped", "(snipped)", "the middle of a long chain was taken out here", CULPRIT_STALL_INFORMATIONAL},
	{"other", "(other)", "paths that the full table of chains had no room for", CULPRIT_STALL_INFORMATIONAL},
};
static const struct culprit_stall_set own_set = {"stalls", own_types, CULPRIT_STALL_OWN_TYPES};

void stalls_fail(struct culprit_stalls *s, const char *why)
{
	if (!s->error)
		s->error = why;
}

const char *culprit_stalls_error(const struct culprit_stalls *s)
{
	return s->error;
}

static uint32_t defaulted(uint32_t given, uint32_t fallback)
{
	return given ? given : fallback;
}

static const char *check_params(struct culprit_stall_params *p)
{
	p->depth = defaulted(p->depth, 32);
	p->chains = defaulted(p->chains, 1u << 18);
	p->leaf_bits = defaulted(p->leaf_bits, 20);
	if (p->depth < 4 || p->depth > 64)
		return "depth must be 4 to 64";
	if (p->chains < 1024 || p->chains > 1u << 28)
		return "chains must be 2^10 to 2^28";
	if (p->leaf_bits < 10 || p->leaf_bits > 28)
		return "leaf_bits must be 10 to 28";
	return NULL;
}

static bool create(struct culprit_stalls *s)
{
	s->next_leaf = 1;
	s->leaf_mask = (1ull << s->params.leaf_bits) - 1;
	return stalls_chains_create(s) && culprit_stalls_add_set(s, &own_set) == CULPRIT_STALL_NONE && !s->error;
}

struct culprit_stalls *culprit_stalls_create(const struct culprit_stall_params *params, const char **why)
{
	const char *unused;
	why = why ? why : &unused;
	struct culprit_stall_params p = *params;
	*why = check_params(&p);
	if (*why)
		return NULL;
	struct culprit_stalls *s = calloc(1, sizeof *s);
	*why = "out of memory";
	if (!s)
		return NULL;
	s->params = p;
	if (create(s))
		return s;
	culprit_stalls_destroy(s);
	return NULL;
}

void culprit_stalls_destroy(struct culprit_stalls *s)
{
	if (!s)
		return;
	for (uint32_t i = 0; i < s->accumulator_count; i++) {
		free(s->accumulators[i].counts);
		free(s->accumulators[i].taken);
		free(s->accumulators[i].rows);
	}
	free(s->types);
	free(s->leaf_chains);
	free(s->nodes);
	map_destroy(&s->chains);
	free(s);
}

/* 0 is also the id of the engine's own set, which only create() adds. */
uint32_t culprit_stalls_add_set(struct culprit_stalls *s, const struct culprit_stall_set *set)
{
	uint32_t first = s->type_count, count = first + set->count;
	if (s->accumulator_count) {
		stalls_fail(s, "a stall set came after an accumulator");
		return 0;
	}
	struct culprit_stall_type_info *types = realloc(s->types, count * sizeof *types);
	s->types = types ? types : s->types;
	culprit_stall_chain *chains = realloc(s->leaf_chains, count * sizeof *chains);
	s->leaf_chains = chains ? chains : s->leaf_chains;
	if (!types || !chains) {
		stalls_fail(s, "out of memory for stall types");
		return 0;
	}
	s->type_count = count;
	for (uint32_t i = 0; i < set->count; i++) {
		types[first + i] = (struct culprit_stall_type_info){set->types[i], set->name};
		chains[first + i] = 0;
	}
	return first;
}

/* Numbers come into the window: their bits may still be those of numbers that have left it. */
static void clear_taken(const struct culprit_stalls *s, uint64_t *taken, uint64_t first, uint64_t count)
{
	if (count > s->leaf_mask) {
		memset(taken, 0, (s->leaf_mask + 1) / 8);
		return;
	}
	while (count) {
		uint64_t at = first & s->leaf_mask, bit = at % 64, n = 64 - bit;
		n = n < count ? n : count;
		uint64_t mask = n == 64 ? ~0ull : ((1ull << n) - 1) << bit;
		taken[at / 64] &= ~mask;
		first += n;
		count -= n;
	}
}

uint64_t stalls_number_leaves(struct culprit_stalls *s, uint32_t count)
{
	uint64_t first = s->next_leaf;
	s->next_leaf += count;
	if (count == 1 && s->accumulator_count == 1) {
		uint64_t at = first & s->leaf_mask;
		s->accumulators[0].taken[at / 64] &= ~(1ull << at % 64);
		return first;
	}
	for (uint32_t i = 0; i < s->accumulator_count; i++)
		clear_taken(s, s->accumulators[i].taken, first, count);
	return first;
}

/* A leaf type's chain, the first time. */
static culprit_stall_chain leaf_chain(struct culprit_stalls *s, uint32_t type)
{
	if (!(s->types[type].type.flags & (CULPRIT_STALL_LEAF | CULPRIT_STALL_FLUSH)))
		stalls_fail(s, "a stall without a cause has a type that is no leaf");
	return s->leaf_chains[type] = stalls_chain(s, type, 0);
}

struct culprit_stall_run culprit_stalls_leaf(struct culprit_stalls *s, uint32_t type, uint32_t cycles)
{
	struct culprit_stall_run run = {s->leaf_chains[type], cycles, 0};
	if (!run.chain)
		run.chain = leaf_chain(s, type);
	if (cycles && !chain_is_flush(s, run.chain))
		run.first = stalls_number_leaves(s, cycles);
	return run;
}

/* Each chain passes here once, when it is made. */
struct culprit_stall_run culprit_stalls_because(struct culprit_stalls *s, uint32_t type, struct culprit_stall_run cause)
{
	if (cause.length)
		cause.chain = stalls_effect_of_any(s, type, cause.chain);
	return cause;
}

struct culprit_stall_run culprit_stalls_part(const struct culprit_stalls *s, struct culprit_stall_run run,
					     uint32_t from, uint32_t cycles)
{
	if (!run.length || chain_is_flush(s, run.chain)) {
		run.length = run.length ? cycles : 0;
		return run;
	}
	from = from < run.length ? from : run.length;
	run.length -= from;
	run.first += run.chain & CULPRIT_STALL_SPENT ? 0
						     : from; /* spent ones were joined: any number of theirs will do */
	run.length = run.length < cycles ? run.length : cycles;
	return run;
}
