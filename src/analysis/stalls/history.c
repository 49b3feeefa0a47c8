/* An instruction's stall history: a stack of runs, and a wait in progress that is pushed when it ends.
 *
 * Runs are stacked oldest first; the events of one run are popped from its last number down. A wait's pops come most
 * recent first, so its runs are pushed in the opposite order of popping: that is what the consecutive-stall queue of
 * the paper (section 6.1) is for. Counting the wait and popping once, when it ends, gives the same queue. */
#include "analysis/stalls/state.h"

#include <stdlib.h>
#include <string.h>

void culprit_stalls_begin(struct culprit_stall_history *h)
{
	h->count = 0;
	h->executing.length = h->minimum.length = 0;
	h->source = NULL;
	h->waited = 0;
}

void culprit_stalls_release(struct culprit_stall_history *h)
{
	free(h->runs);
	*h = (struct culprit_stall_history){.runs = NULL};
}

/* Room for one more run. When there are too many the oldest goes, which is below `keep`; false: none may go. */
static bool make_room(struct culprit_stalls *s, struct culprit_stall_history *h, uint32_t *keep)
{
	if (h->count < h->capacity)
		return true;
	if (h->count == CULPRIT_STALL_HISTORY_RUNS) {
		if (!*keep)
			return false;
		uint32_t gone = (*keep + 1) / 2;
		for (uint32_t i = 0; i < gone; i++)
			s->dropped_events += h->runs[i].length;
		memmove(h->runs, h->runs + gone, (h->count - gone) * sizeof *h->runs);
		h->count -= gone;
		*keep -= gone;
		return true;
	}
	uint32_t capacity = h->capacity ? 2 * h->capacity : 8;
	struct culprit_stall_run *runs = realloc(h->runs, capacity * sizeof *runs);
	if (!runs) {
		stalls_fail(s, "out of memory for stall histories");
		return false;
	}
	h->runs = runs;
	h->capacity = capacity;
	return true;
}

static void append(struct culprit_stalls *s, struct culprit_stall_history *h, struct culprit_stall_run run)
{
	if (!run.length)
		return;
	struct culprit_stall_run *top = h->count ? &h->runs[h->count - 1] : NULL;
	uint32_t keep = h->count;
	if (top && top->chain == run.chain && (chain_is_flush(s, run.chain) || top->first + top->length == run.first))
		top->length += run.length;
	else if (make_room(s, h, &keep))
		h->runs[h->count++] = run;
}

/* The last `cycles` events of a run. */
static struct culprit_stall_run latest(const struct culprit_stalls *s, struct culprit_stall_run run, uint32_t cycles)
{
	return run.length <= cycles ? run : culprit_stalls_part(s, run, run.length - cycles, cycles);
}

/* What a wait pops, most recent first: the source's stalls, its long execution, its minimum latency; if that is not
 * enough the rest is as if the minimum had been longer. */
struct popper {
	struct culprit_stall_history *source;
	uint32_t left; /* runs of the history, and two */
	uint32_t cycles;
};

/* Nothing comes of events that are accumulated everywhere, but they are there to be popped. */
static struct culprit_stall_run spend(const struct culprit_stalls *s, struct culprit_stall_run *run)
{
	if (!(run->chain & CULPRIT_STALL_SPENT) && stalls_all_taken(s, *run))
		run->chain |= CULPRIT_STALL_SPENT;
	return *run;
}

static struct culprit_stall_run pop(struct culprit_stalls *s, struct popper *p)
{
	struct culprit_stall_history *h = p->source;
	struct culprit_stall_run run = {0, 0, 0};
	while (p->cycles && p->left && !run.length) {
		p->left--;
		run = p->left >= 2 ? spend(s, &h->runs[p->left - 2]) : p->left ? h->executing : h->minimum;
	}
	if (!run.length && p->cycles && h->minimum.chain)
		run = culprit_stalls_leaf(s, s->nodes[h->minimum.chain].leaf, p->cycles);
	run = latest(s, run, p->cycles);
	p->cycles -= run.length;
	return run;
}

static void turn(struct culprit_stall_run *runs, uint32_t count)
{
	for (uint32_t i = 0, j = count; i + 1 < j; i++) {
		struct culprit_stall_run r = runs[i];
		runs[i] = runs[--j];
		runs[j] = r;
	}
}

/* Popped most recent first, so what is popped is gathered on top of the stack and then turned round. */
static void end_wait(struct culprit_stalls *s, struct culprit_stall_history *h)
{
	struct popper p = {h->source, h->source->count + 2, h->waited};
	h->waited = 0;
	h->source = NULL;
	uint32_t bottom = h->count;
	for (struct culprit_stall_run run; (run = pop(s, &p)).length;) {
		struct culprit_stall_run *top = h->count > bottom ? &h->runs[h->count - 1] : NULL;
		if (run.chain & CULPRIT_STALL_SPENT && top && top->chain & CULPRIT_STALL_SPENT)
			top->length += run.length;
		else if (make_room(s, h, &bottom))
			h->runs[h->count++] = culprit_stalls_because(s, h->wait_type, run);
		else
			s->dropped_events += run.length;
	}
	if (h->count > bottom) /* else there may be no runs at all */
		turn(h->runs + bottom, h->count - bottom);
}

/* A source that still has a wait of its own open goes first. */
void culprit_stalls_settle(struct culprit_stalls *s, struct culprit_stall_history *h)
{
	while (h->waited) {
		struct culprit_stall_history *deepest = h;
		while (deepest->source->waited)
			deepest = deepest->source;
		end_wait(s, deepest);
	}
}

void culprit_stalls_push(struct culprit_stalls *s, struct culprit_stall_history *h, struct culprit_stall_run run)
{
	culprit_stalls_settle(s, h);
	append(s, h, run);
}

void culprit_stalls_wait(struct culprit_stalls *s, struct culprit_stall_history *h, uint32_t type,
			 struct culprit_stall_history *source, uint32_t cycles)
{
	if (h->waited && (h->source != source || h->wait_type != type))
		culprit_stalls_settle(s, h);
	h->source = source;
	h->wait_type = type;
	h->waited += cycles;
}

void culprit_stalls_executes(struct culprit_stall_history *h, struct culprit_stall_run executing,
			     struct culprit_stall_run minimum)
{
	h->executing = executing;
	h->minimum = minimum;
}
