/* Detailed samples by pc, and which of them fits best.
 *
 * Samples of one pc with equal bits make a run; a program repeats itself, so there are far fewer runs than samples,
 * and a search looks at each run once. Figure 5a, step 2b: closeness is the number of identical bits. The paper does
 * not say what to do with equals: the first of them would always be the same one, with its latencies; one at random
 * keeps the shares that the samples have. */
#include "analysis/shotgun/state.h"

#include <stdlib.h>
#include <string.h>

enum { DRAWN = 8 }; /* candidates for borrowing */

/* --- sorting --- */

struct key {
	uint64_t pc, bits[2], target;
	uint32_t number;
};

static int by_key(const void *a, const void *b)
{
	const struct key *x = a, *y = b;
	if (x->pc != y->pc)
		return x->pc < y->pc ? -1 : 1;
	for (unsigned i = 0; i < 2; i++)
		if (x->bits[i] != y->bits[i])
			return x->bits[i] < y->bits[i] ? -1 : 1;
	if (x->target != y->target)
		return x->target < y->target ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

/* Is sample number i in the half that `half` names? 0 names them all. */
static bool in_half(uint64_t half, uint64_t i)
{
	uint64_t state = half + (i << 8);
	return !half || (shotgun_random(&state) & 1);
}

static struct key *sorted_keys(const struct shotgun_index *x, const struct culprit_shotgun_params *p, size_t *count)
{
	const struct culprit_samples *s = x->samples;
	uint32_t thin = p->thin ? p->thin : 1;
	struct key *keys = malloc((s->detail_count / thin + 1) * sizeof *keys);
	*count = 0;
	for (size_t i = 0; keys && i < s->detail_count; i += thin) {
		if (!in_half(p->half, i))
			continue;
		struct key *k = &keys[(*count)++];
		*k = (struct key){.pc = s->details[i].pc, .target = s->details[i].target, .number = (uint32_t)i};
		for (unsigned b = 0; b < 2; b++)
			k->bits[b] = x->compared[b] ? s->details[i].bits[b] & x->mask : 0;
	}
	if (keys)
		qsort(keys, *count, sizeof *keys, by_key);
	return keys;
}

/* --- places --- */

static uint32_t slot_of(const struct shotgun_index *x, uint64_t pc)
{
	uint32_t slot = (uint32_t)((pc >> 1) * 0x9e3779b97f4a7c15ull >> 32) & x->slot_mask;
	while (x->slots[slot] && x->places[x->slots[slot] - 1].pc != pc)
		slot = (slot + 1) & x->slot_mask;
	return slot;
}

static bool grow(struct shotgun_index *x)
{
	uint32_t room = x->place_room ? 2 * x->place_room : 1024;
	struct shotgun_place *places = realloc(x->places, room * sizeof *places);
	x->places = places ? places : x->places;
	uint32_t *slots = calloc(2 * (size_t)room, sizeof *slots);
	if (!places || !slots) {
		free(slots);
		return false;
	}
	free(x->slots);
	x->slots = slots;
	x->slot_mask = 2 * room - 1;
	x->place_room = room;
	for (uint32_t i = 0; i < x->place_count; i++)
		x->slots[slot_of(x, x->places[i].pc)] = i + 1;
	return true;
}

static struct shotgun_place *find_or_add(struct shotgun_index *x, uint64_t pc)
{
	if (x->place_count == x->place_room && !grow(x))
		return NULL;
	uint32_t *slot = &x->slots[slot_of(x, pc)];
	if (!*slot) {
		x->places[x->place_count] = (struct shotgun_place){.pc = pc};
		*slot = ++x->place_count;
	}
	return &x->places[*slot - 1];
}

struct shotgun_place *shotgun_index_place(struct shotgun_index *x, uint64_t pc)
{
	struct shotgun_place *p = find_or_add(x, pc);
	if (p && !p->decoded) {
		p->decoded = true;
		p->is_code = x->code->decode(x->code->context, pc, &p->insn);
	}
	return p;
}

/* --- creation --- */

static bool add_runs(struct shotgun_index *x, const struct key *keys, size_t count)
{
	uint32_t runs = 0;
	struct shotgun_place *place = NULL;
	for (size_t i = 0; i < count; i++) {
		const struct key *k = &keys[i];
		x->sorted[i] = k->number;
		bool fresh = !i || k->pc != keys[i - 1].pc;
		if (fresh) {
			place = find_or_add(x, k->pc);
			if (!place)
				return false;
			place->first_run = runs;
		}
		place->samples++;
		if (fresh || memcmp(k->bits, keys[i - 1].bits, sizeof k->bits) != 0 ||
		    k->target != keys[i - 1].target) {
			x->runs[runs++] = (struct shotgun_run){{k->bits[0], k->bits[1]}, k->target, (uint32_t)i, 0};
			place->runs++;
		}
		x->runs[runs - 1].count++;
	}
	return true;
}

/* --- pools --- */

static unsigned kind_of(const struct culprit_static_insn *insn, unsigned own)
{
	return (insn->op_class * CULPRIT_BRANCH_COUNT + insn->branch) * 4u + own;
}

static unsigned own_bits(const struct shotgun_index *x, const uint64_t bits[2])
{
	unsigned own = x->samples->context;
	return (unsigned)((bits[0] >> own & 1) | (bits[1] >> own & 1) << 1);
}

/* The pool of a detailed sample; NULL: its pc is no code. */
static struct shotgun_pool *pool_of(struct shotgun_index *x, const struct culprit_detail *d)
{
	const struct shotgun_place *p = shotgun_index_place(x, d->pc);
	return p && p->is_code ? &x->pools[kind_of(&p->insn, own_bits(x, d->bits))] : NULL;
}

/* The samples that are the only ones of their pc, or all others. */
static void fill_pool_part(struct shotgun_index *x, size_t count, bool only)
{
	for (size_t i = 0; i < count; i++) {
		const struct culprit_detail *d = &x->samples->details[x->sorted[i]];
		struct shotgun_pool *pool = pool_of(x, d);
		if (!pool || (shotgun_index_place(x, d->pc)->samples == 1) != only)
			continue;
		x->pooled[pool->first + pool->count++] = x->sorted[i];
		pool->only += only;
	}
}

static void fill_pools(struct shotgun_index *x, size_t count)
{
	uint32_t first = 0;
	for (size_t i = 0; i < count; i++) {
		struct shotgun_pool *pool = pool_of(x, &x->samples->details[x->sorted[i]]);
		if (pool)
			pool->count++;
	}
	for (unsigned kind = 0; kind < SHOTGUN_KINDS; kind++) {
		x->pools[kind].first = first;
		first += x->pools[kind].count;
		x->pools[kind].count = 0;
	}
	fill_pool_part(x, count, true);
	fill_pool_part(x, count, false);
}

bool shotgun_index_create(struct shotgun_index *x, const struct culprit_samples *samples,
			  const struct culprit_code *code, const struct culprit_shotgun_params *params)
{
	unsigned before = samples->context - params->context;
	*x = (struct shotgun_index){
		.samples = samples, .code = code, .own_weight = params->own_weight, .rare = !params->no_rare};
	x->mask = ((2ull << 2 * params->context) - 1) << before;
	for (unsigned b = 0; b < 2; b++)
		x->compared[b] = params->signature_bits > b;
	size_t count;
	struct key *keys = sorted_keys(x, params, &count);
	x->sorted = malloc((count + 1) * sizeof *x->sorted);
	x->runs = malloc((count + 1) * sizeof *x->runs);
	x->pooled = malloc((count + 1) * sizeof *x->pooled);
	bool good = keys && x->sorted && x->runs && x->pooled && grow(x) && add_runs(x, keys, count);
	if (good && !params->no_borrowing)
		fill_pools(x, count);
	free(keys);
	return good;
}

void shotgun_index_destroy(struct shotgun_index *x)
{
	free(x->sorted);
	free(x->runs);
	free(x->pooled);
	free(x->places);
	free(x->slots);
}

/* --- matching --- */

static uint32_t differing(const struct shotgun_index *x, const struct shotgun_run *r, const uint64_t bits[2],
			  uint32_t *all)
{
	uint64_t a = r->bits[0] ^ bits[0], b = r->bits[1] ^ bits[1];
	*all = (uint32_t)(__builtin_popcountll(a) + __builtin_popcountll(b));
	unsigned own = x->samples->context;
	return *all + x->own_weight * (uint32_t)((a >> own & 1) + (b >> own & 1));
}

static void as_compared(const struct shotgun_index *x, const uint64_t bits[2], uint64_t wanted[2])
{
	for (unsigned b = 0; b < 2; b++)
		wanted[b] = x->compared[b] ? bits[b] & x->mask : 0;
}

/* Of the samples of the place, or only of those (`rare`) whose surroundings no other has. */
static struct shotgun_match best_in(const struct shotgun_index *x, const struct shotgun_place *place,
				    const uint64_t bits[2], const uint64_t *target, bool rare, uint64_t *random)
{
	const struct shotgun_run *runs = x->runs + place->first_run, *best = NULL;
	uint64_t wanted[2], equals = 0;
	uint32_t least = UINT32_MAX, best_all = 0, all;
	as_compared(x, bits, wanted);
	for (uint32_t i = 0; i < place->runs; i++) {
		uint32_t d = differing(x, &runs[i], wanted, &all);
		if (d > least || (target && runs[i].target != *target) || (rare && runs[i].count > 1))
			continue;
		equals = d < least ? runs[i].count : equals + runs[i].count;
		/* each of the equals is the chosen one with the same probability */
		if (d < least || shotgun_random_below(random, equals) < runs[i].count) {
			best = &runs[i];
			best_all = all;
		}
		least = d;
	}
	if (!best)
		return (struct shotgun_match){.detail = NULL};
	uint32_t pick = best->first + (uint32_t)shotgun_random_below(random, best->count);
	uint32_t compared = (uint32_t)__builtin_popcountll(x->mask) * (x->compared[0] + x->compared[1]);
	return (struct shotgun_match){.detail = &x->samples->details[x->sorted[pick]],
				      .first = best->first,
				      .equals = best->count,
				      .compared = compared,
				      .agreed = compared - best_all};
}

/* Surroundings that no sample has are like those that just one has: they are as rare. Without this the rare ones, in
 * which branches are mispredicted more often, would be taken for the usual ones next to them. */
static struct shotgun_match best_of(const struct shotgun_index *x, const struct shotgun_place *place,
				    const uint64_t bits[2], const uint64_t *target, uint64_t *random)
{
	struct shotgun_match m = best_in(x, place, bits, target, false, random);
	if (!x->rare || !m.detail || m.agreed == m.compared)
		return m;
	struct shotgun_match rare = best_in(x, place, bits, target, true, random);
	return rare.detail && own_bits(x, rare.detail->bits) == own_bits(x, m.detail->bits) ? rare : m;
}

const struct culprit_detail *shotgun_index_waiting(const struct shotgun_index *x, const struct shotgun_match *match,
						   uint32_t primary_miss)
{
	const struct culprit_detail *least = NULL;
	for (uint32_t i = 0; i < match->equals; i++) {
		const struct culprit_detail *d = &x->samples->details[x->sorted[match->first + i]];
		if (!(d->flags & CULPRIT_MERGED) || d->dlevel != match->detail->dlevel || !d->primary_miss)
			continue;
		if (d->primary_miss == primary_miss)
			return d;
		least = !least || d->primary_miss < least->primary_miss ? d : least;
	}
	return least;
}

struct shotgun_match shotgun_index_match(const struct shotgun_index *x, const struct shotgun_place *place,
					 const uint64_t bits[2], uint64_t *random)
{
	return best_of(x, place, bits, NULL, random);
}

struct shotgun_match shotgun_index_match_target(const struct shotgun_index *x, const struct shotgun_place *place,
						const uint64_t bits[2], uint64_t target, uint64_t *random)
{
	return best_of(x, place, bits, &target, random);
}

struct shotgun_match shotgun_index_borrow(const struct shotgun_index *x, const struct culprit_static_insn *insn,
					  const uint64_t bits[2], bool unseen, uint64_t *random)
{
	const struct shotgun_pool *pool = &x->pools[kind_of(insn, own_bits(x, bits))];
	struct shotgun_match best = {.detail = NULL, .borrowed = true};
	uint32_t least = UINT32_MAX, from = unseen && pool->only >= DRAWN ? pool->only : pool->count;
	for (unsigned i = 0; i < DRAWN && from; i++) {
		uint64_t drawn = shotgun_random_below(random, from);
		const struct culprit_detail *d = &x->samples->details[x->pooled[pool->first + drawn]];
		uint32_t off = 0;
		for (unsigned b = 0; b < 2; b++)
			off += (uint32_t)__builtin_popcountll((d->bits[b] ^ bits[b]) & x->mask);
		if (off >= least)
			continue;
		least = off;
		best.detail = d;
	}
	return best;
}

/* Put the target where its difference belongs, unless it is there with a smaller one. */
static uint32_t rank(uint64_t targets[], uint32_t differences[], uint32_t count, uint64_t target, uint32_t difference)
{
	uint32_t at = 0, end = count;
	while (at < count && differences[at] <= difference && targets[at] != target)
		at++;
	if (at < count && targets[at] == target && differences[at] <= difference)
		return count;
	for (uint32_t i = at; i < count; i++)
		if (targets[i] == target)
			end = i;
	if (end == count && count == SHOTGUN_TARGETS)
		end--;
	else if (end == count)
		count++;
	if (at > end)
		return count;
	for (uint32_t i = end; i > at; i--) {
		targets[i] = targets[i - 1];
		differences[i] = differences[i - 1];
	}
	targets[at] = target;
	differences[at] = difference;
	return count;
}

uint32_t shotgun_index_targets(const struct shotgun_index *x, const struct shotgun_place *place, const uint64_t bits[2],
			       uint64_t targets[SHOTGUN_TARGETS])
{
	const struct shotgun_run *runs = x->runs + place->first_run;
	uint32_t differences[SHOTGUN_TARGETS], count = 0, all;
	uint64_t wanted[2];
	as_compared(x, bits, wanted);
	for (uint32_t i = 0; i < place->runs; i++)
		if (runs[i].target)
			count = rank(targets, differences, count, runs[i].target, differing(x, &runs[i], wanted, &all));
	return count;
}
