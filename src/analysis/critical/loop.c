/* The hottest loop and its chain.
 *
 * Loops are the targets of backward direct branches; the body reaches to the last such branch. Every instruction
 * belongs to the smallest body around it, and the loop whose own instructions carry most of the path is the hottest.
 * Its chain: from each instruction go on to the one to which the path went most often; of the cycles that this makes
 * within the body (or, when there is none, through it), the one with most of the path. */
#include "analysis/critical/state.h"

#include <stdlib.h>

struct body {
	uint64_t first, end, iterations, cycles;
};

struct place {
	uint64_t pc;
	uint32_t row;
	uint32_t entries; /* functions that begin here or before */
	uint32_t next;	  /* the next place that no smaller body has claimed; itself = this one */
};

static int by_pc(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	return (x->pc > y->pc) - (x->pc < y->pc);
}

static int by_size(const void *a, const void *b)
{
	const struct body *x = a, *y = b;
	uint64_t p = x->end - x->first, q = y->end - y->first;
	return p != q ? (p > q) - (p < q) : (x->first > y->first) - (x->first < y->first);
}

/* --- loops --- */

static size_t list_bodies(const struct culprit_critical *c, struct body *bodies)
{
	size_t n = 0;
	for (size_t i = 0; i < c->row_count; i++)
		if (c->rows[i].loop_end)
			bodies[n++] =
				(struct body){c->rows[i].public.pc, c->rows[i].loop_end, c->rows[i].iterations, 0};
	qsort(bodies, n, sizeof *bodies, by_size);
	return n;
}

static struct place *list_places(const struct culprit_critical *c)
{
	struct place *places = malloc((c->row_count + 1) * sizeof *places);
	if (!places)
		return NULL;
	for (uint32_t i = 0; i < c->row_count; i++)
		places[i] = (struct place){.pc = c->rows[i].public.pc, .row = i};
	qsort(places, c->row_count, sizeof *places, by_pc);
	places[c->row_count] = (struct place){.pc = UINT64_MAX};
	uint32_t entries = 0;
	for (uint32_t i = 0; i <= c->row_count; i++) {
		places[i].next = i;
		entries += i < c->row_count && c->rows[places[i].row].public.calls;
		places[i].entries = entries;
	}
	return places;
}

/* The first unclaimed place from `i` on. */
static uint32_t unclaimed(struct place *places, uint32_t i)
{
	while (places[i].next != i) {
		places[i].next = places[places[i].next].next;
		i = places[i].next;
	}
	return i;
}

static uint32_t first_place(const struct place *places, size_t count, uint64_t pc)
{
	size_t low = 0, high = count;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (places[middle].pc < pc)
			low = middle + 1;
		else
			high = middle;
	}
	return (uint32_t)low;
}

/* With another function's beginning inside it is no loop: the branch was a call in tail position. */
static bool within_function(const struct place *places, size_t count, const struct body *b)
{
	uint32_t first = first_place(places, count, b->first), end = first_place(places, count, b->end);
	return places[first].entries == places[end - 1].entries;
}

/* Smallest bodies first, each takes what is left of its range. */
static const struct body *hottest_body(const struct culprit_critical *c, struct body *bodies, size_t n,
				       struct place *places)
{
	const struct body *best = NULL;
	for (size_t i = 0; i < n; i++) {
		struct body *b = &bodies[i];
		if (!within_function(places, c->row_count, b))
			continue;
		uint32_t at = unclaimed(places, first_place(places, c->row_count, b->first));
		for (; places[at].pc < b->end; at = unclaimed(places, at)) {
			b->cycles += c->rows[places[at].row].public.path;
			places[at].next = at + 1;
		}
		if (b->cycles && (!best || b->cycles > best->cycles))
			best = b;
	}
	return best;
}

/* --- the chain --- */

/* Where the path went most often from each row. */
struct successor {
	uint32_t to, kind, seen;
	uint64_t count;
};

static bool inside(const struct culprit_critical *c, uint32_t row, const struct culprit_critical_loop *loop)
{
	uint64_t pc = c->rows[row].public.pc;
	return pc >= loop->first && pc < loop->end;
}

/* `only_inside`: steps that leave the body do not count. */
static struct successor *list_successors(const struct culprit_critical *c, const struct culprit_critical_loop *loop,
					 bool only_inside)
{
	struct successor *s = calloc(c->row_count + 1, sizeof *s);
	for (size_t i = 0; s && i <= c->transition_mask; i++) {
		const struct critical_transition *t = &c->transitions[i];
		if (t->from == UINT32_MAX)
			continue;
		if (only_inside && (!inside(c, t->from, loop) || !inside(c, t->to, loop)))
			continue;
		struct successor *best = &s[t->from];
		bool more = t->count > best->count;
		bool same = t->count == best->count &&
			    (t->to < best->to || (t->to == best->to && t->kind < best->kind));
		if (more || same)
			*best = (struct successor){t->to, t->kind, 0, t->count};
	}
	return s;
}

/* Of the path, in the cycle's instructions that belong to the body. */
static uint64_t cycle_weight(const struct culprit_critical *c, const struct successor *s, uint32_t from,
			     const struct culprit_critical_loop *loop)
{
	uint64_t cycles = 0;
	uint32_t row = from;
	do {
		cycles += inside(c, row, loop) ? c->rows[row].public.path : 0;
		row = s[row].to;
	} while (row != from);
	return cycles;
}

/* The heaviest cycle of the successors: a row of it that comes first by address, UINT32_MAX = there is none. */
static uint32_t heaviest_cycle(const struct culprit_critical *c, struct successor *s,
			       const struct culprit_critical_loop *loop)
{
	uint32_t best = UINT32_MAX, mark = 0;
	uint64_t most = 0;
	for (uint32_t start = 0; start < c->row_count; start++) {
		uint32_t row = start;
		mark++;
		while (s[row].count && !s[row].seen) {
			s[row].seen = mark;
			row = s[row].to;
		}
		if (!s[row].count || s[row].seen != mark)
			continue;
		uint64_t cycles = cycle_weight(c, s, row, loop);
		if (cycles > most) {
			most = cycles;
			best = row;
		}
	}
	return best;
}

static void write_chain(const struct culprit_critical *c, const struct successor *s, uint32_t start,
			struct culprit_critical_loop *loop)
{
	uint32_t row = start, first = start;
	do {
		if (c->rows[row].public.pc < c->rows[first].public.pc)
			first = row;
		row = s[row].to;
	} while (row != start);
	row = first;
	do {
		loop->chain_cycles += c->rows[row].public.path;
		if (loop->steps < CULPRIT_CRITICAL_CHAIN)
			loop->chain[loop->steps++] = (struct culprit_critical_step){
				row, (enum culprit_critical_kind)s[row].kind, s[row].count};
		row = s[row].to;
	} while (row != first);
}

static bool find_chain(const struct culprit_critical *c, struct culprit_critical_loop *loop, bool only_inside)
{
	struct successor *s = list_successors(c, loop, only_inside);
	if (!s)
		return false;
	uint32_t start = heaviest_cycle(c, s, loop);
	if (start != UINT32_MAX)
		write_chain(c, s, start, loop);
	free(s);
	return true;
}

bool critical_find_hottest(struct culprit_critical *c)
{
	struct culprit_critical_loop *loop = &c->hottest;
	struct body *bodies = malloc((c->row_count + 1) * sizeof *bodies);
	struct place *places = list_places(c);
	const struct body *best = NULL;
	if (bodies && places)
		best = hottest_body(c, bodies, list_bodies(c, bodies), places);
	bool good = bodies && places;
	if (best)
		*loop = (struct culprit_critical_loop){
			.first = best->first, .end = best->end, .iterations = best->iterations, .cycles = best->cycles};
	free(bodies);
	free(places);
	/* the chain may lead through what the loop calls, but only where it does not close within the body */
	if (best)
		good = find_chain(c, loop, true) && (loop->steps || find_chain(c, loop, false));
	return good || critical_fail(c, "out of memory");
}

bool culprit_critical_hottest(const struct culprit_critical *c, struct culprit_critical_loop *loop)
{
	*loop = c->hottest;
	return loop->end != 0;
}
