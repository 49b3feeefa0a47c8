/* Accumulators: counts by chain, the rule of unique leaves, snapshots.
 *
 * One counter for each chain; the tree is made of them only when somebody asks. A leaf event's bit says that it has
 * been accumulated here (paper, section 6.2). Bits of a run are looked at a word at a time. */
#include "analysis/stalls/state.h"

#include <stdlib.h>
#include <string.h>

uint32_t culprit_stalls_add_accumulator(struct culprit_stalls *s, const char *name, uint32_t width)
{
	if (s->accumulator_count == STALL_ACCUMULATORS) {
		stalls_fail(s, "too many accumulators");
		return UINT32_MAX;
	}
	struct stall_accumulator *a = &s->accumulators[s->accumulator_count];
	*a = (struct stall_accumulator){.name = name, .width = width, .interval = s->params.interval};
	a->counts = calloc(s->chain_capacity, sizeof *a->counts);
	a->taken = calloc((s->leaf_mask + 1) / 64, sizeof *a->taken);
	if (!a->counts || !a->taken) {
		free(a->counts);
		free(a->taken);
		stalls_fail(s, "out of memory for a stall accumulator");
		return UINT32_MAX;
	}
	return s->accumulator_count++;
}

void culprit_stalls_select(struct culprit_stalls *s, uint32_t accumulator, bool selected)
{
	s->accumulators[accumulator].elsewhere_now = !selected;
}

/* --- snapshots --- */

/* Too many: neighbours are joined, and an interval is twice as long. */
static void join_rows(const struct culprit_stalls *s, struct stall_accumulator *a)
{
	size_t width = 2 * (size_t)s->type_count;
	a->row_count = (a->row_count + 1) / 2;
	for (size_t i = 0; i < a->row_count; i++)
		for (size_t j = 0; j < width; j++)
			a->rows[i * width + j] = a->rows[2 * i * width + j] + a->rows[(2 * i + 1) * width + j];
	if (a->rows)
		memset(a->rows + a->row_count * width, 0, (a->row_capacity - a->row_count) * width * sizeof *a->rows);
	a->interval *= 2;
}

/* NULL: out of memory. Capacity is even and below the limit a power of two, so that pairs can be joined. */
static uint64_t *row_of(struct culprit_stalls *s, struct stall_accumulator *a, uint64_t cycle)
{
	size_t width = 2 * (size_t)s->type_count;
	while (cycle / a->interval >= CULPRIT_STALL_INTERVALS)
		join_rows(s, a);
	size_t row = cycle / a->interval;
	while (row >= a->row_capacity) {
		size_t capacity = a->row_capacity ? 2 * a->row_capacity : 16;
		uint64_t *rows = realloc(a->rows, capacity * width * sizeof *rows);
		if (!rows) {
			stalls_fail(s, "out of memory for snapshots");
			return NULL;
		}
		memset(rows + a->row_capacity * width, 0, (capacity - a->row_capacity) * width * sizeof *rows);
		a->rows = rows;
		a->row_capacity = capacity;
	}
	if (row >= a->row_count)
		a->row_count = row + 1;
	return a->rows + row * width;
}

static void add_to_rows(struct culprit_stalls *s, struct stall_accumulator *a, const struct chain_node *n,
			uint64_t cycle, uint64_t cycles, uint64_t weight)
{
	while (cycles) {
		uint64_t *row = row_of(s, a, cycle);
		if (!row)
			return;
		uint64_t part = a->interval - cycle % a->interval;
		part = part < cycles ? part : cycles;
		row[n->leaf] += part * weight;
		row[s->type_count + n->type] += part * weight;
		cycle += part;
		cycles -= part;
	}
}

/* --- counting --- */

static culprit_stall_chain effect(struct culprit_stalls *s, uint32_t type, culprit_stall_chain chain)
{
	chain &= ~CULPRIT_STALL_SPENT;
	return type ? stalls_effect(s, type, chain) : chain;
}

/* The highest `most` numbers of first .. first + length - 1 that are not yet accumulated become so. How many. */
static uint32_t mark(const struct culprit_stalls *s, uint64_t *taken, uint64_t first, uint32_t length, uint32_t most)
{
	uint64_t end = first + length, count = 0;
	uint64_t oldest = s->next_leaf > s->leaf_mask ? s->next_leaf - s->leaf_mask : 0;
	first = first > oldest ? first : oldest;
	while (end > first && count < most) {
		uint64_t at = (end - 1) & s->leaf_mask, n = at % 64 + 1;
		n = n < end - first ? n : end - first;
		uint64_t mask = (n == 64 ? ~0ull : (1ull << n) - 1) << (at % 64 + 1 - n);
		uint64_t free = ~taken[at / 64] & mask;
		uint64_t rest = free;
		uint32_t all = (uint32_t)__builtin_popcountll(free);
		for (uint64_t left = most - count; all > left; all--) /* the lowest ones remain */
			rest &= rest - 1;
		taken[at / 64] |= rest;
		count += all;
		end -= n;
	}
	return (uint32_t)count;
}

uint32_t stalls_mark(struct culprit_stalls *s, uint32_t accumulator, struct culprit_stall_run run, uint32_t most)
{
	return mark(s, s->accumulators[accumulator].taken, run.first, run.length, most);
}

void stalls_add_to_rows(struct culprit_stalls *s, struct stall_accumulator *a, culprit_stall_chain chain,
			uint64_t cycle, uint32_t cycles, uint64_t first, uint64_t weight)
{
	add_to_rows(s, a, &s->nodes[chain], cycle, 1, first);
	add_to_rows(s, a, &s->nodes[chain], cycle + 1, cycles - 1, weight);
}

bool stalls_all_taken(const struct culprit_stalls *s, struct culprit_stall_run run)
{
	uint64_t end = run.first + run.length;
	if (s->accumulator_count != 1 || chain_is_flush(s, run.chain))
		return false;
	uint64_t oldest = s->next_leaf > s->leaf_mask ? s->next_leaf - s->leaf_mask : 0;
	uint64_t first = run.first > oldest ? run.first : oldest;
	const uint64_t *taken = s->accumulators[0].taken;
	while (end > first) {
		uint64_t at = (end - 1) & s->leaf_mask, n = at % 64 + 1;
		n = n < end - first ? n : end - first;
		uint64_t mask = (n == 64 ? ~0ull : (1ull << n) - 1) << (at % 64 + 1 - n);
		if (~taken[at / 64] & mask)
			return false;
		end -= n;
	}
	return true;
}

void culprit_stalls_count(struct culprit_stalls *s, uint32_t accumulator, uint64_t cycle, uint32_t type,
			  struct culprit_stall_run run, uint64_t weight)
{
	struct stall_accumulator *a = &s->accumulators[accumulator];
	if (!run.length)
		return;
	if (!chain_is_flush(s, run.chain))
		mark(s, a->taken, run.first, run.length, run.length);
	run.chain = effect(s, type, run.chain);
	stalls_charge(s, accumulator, run.chain, cycle, run.length, weight, weight);
}

uint32_t culprit_stalls_take_run(struct culprit_stalls *s, uint32_t accumulator, uint64_t cycle, uint32_t type,
				 struct culprit_stall_run run, uint32_t cycles, uint64_t weight)
{
	struct stall_accumulator *a = &s->accumulators[accumulator];
	if (!run.length || !cycles)
		return 0;
	uint32_t n = cycles; /* a flush goes on for as long as it is felt */
	if (!chain_is_flush(s, run.chain))
		n = mark(s, a->taken, run.first, run.length, cycles);
	if (n) {
		run.chain = effect(s, type, run.chain);
		stalls_charge(s, accumulator, run.chain, cycle, n, weight, weight);
	}
	return n;
}

uint32_t culprit_stalls_take(struct culprit_stalls *s, uint32_t accumulator, uint64_t cycle, uint32_t type,
			     struct culprit_stall_history *h, uint32_t cycles, uint64_t weight)
{
	culprit_stalls_settle(s, h);
	uint32_t taken = 0;
	for (uint32_t i = h->count; i > 0 && taken < cycles; i--)
		if (!(h->runs[i - 1].chain & CULPRIT_STALL_SPENT))
			taken += culprit_stalls_take_run(s, accumulator, cycle + taken, type, h->runs[i - 1],
							 cycles - taken, weight);
	return taken;
}
