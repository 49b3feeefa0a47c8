/* What an instruction lost, read from stall histories that are never copied.
 *
 * A wait for a producer pops the producer's stalls, most recent first, and so does whoever waits for the consumer: popping
 * a wait of n cycles is popping n cycles of the producer with one more type in front. Therefore a wait stays what it
 * is, a distance and a number of cycles, and a walk goes down into the producers, with a stack of its own, only when the
 * oldest instruction stalls. It ends when all cycles to be charged have been.
 *
 * What a walk has passed is accumulated, now or before, and remains so. Each history notes how many of its most recent cycles
 * that is true of, and the next walk jumps over them: nothing is walked twice. */
#include "analysis/stalls_core_state.h"
#include "analysis/stalls_state.h"

typedef struct culprit_stall_run run;

/* Up to `cycles` are wanted, `taken` of them have been found. */
struct walk {
	struct stalls_core *s;
	const struct stalls_charge *charge;
	uint32_t cycles, taken;
	uint32_t depth; /* the top frame */
};

/* A frame for the instruction at `place`, of which `wanted` cycles are popped. */
static struct stalls_frame *enter(struct stalls_core *s, uint32_t depth, uint64_t place, uint32_t wanted)
{
	struct stalls_history *h = stalls_insn_at(s, place)->built ? stalls_history_at(s, place)
								   : stalls_insn_history(s, place);
	struct stalls_frame *f = &s->frames[depth];
	*f = (struct stalls_frame){.history = h, .place = place, .wanted = wanted, .item = h->count};
	return f;
}

/* The chain of a leaf that the top frame reached, with the waits that led there. */
static culprit_stall_chain path(struct stalls_core *s, uint32_t depth, culprit_stall_chain chain)
{
	while (depth > 0)
		chain = stalls_effect(s->engine, s->frames[--depth].type, chain);
	return chain;
}

/* The next item of the frame, and how much of it; NULL: the frame is done. Moves over those that are spent. */
static const struct stalls_item *next_item(struct stalls_frame *f, uint32_t bottom, uint32_t *cycles)
{
	while (f->item > bottom && f->passed < f->wanted) {
		const struct stalls_item *t = &f->history->items[--f->item];
		uint32_t left = f->wanted - f->passed;
		*cycles = t->length < left ? t->length : left;
		if (*cycles && f->passed + *cycles > f->history->spent)
			return t;
		f->passed += *cycles;
	}
	return NULL;
}

/* What of the leaf's `n` latest events nobody has accumulated. */
static void take_leaf(struct walk *w, const struct stalls_item *t, uint32_t n)
{
	struct stalls_core *s = w->s;
	run r = {t->chain, n, t->first + (t->length - n)};
	uint32_t marked = stalls_mark(s->engine, s->accumulator, r, w->cycles - w->taken);
	if (!marked)
		return;
	r.chain = stalls_effect(s->engine, w->charge->type, path(s, w->depth, r.chain));
	stalls_charge(s->engine, s->accumulator, w->charge->cycle + w->taken, r, marked, w->charge->weight);
	w->taken += marked;
}

/* Goes down into the producer, where there is something to find. */
static bool descend(struct walk *w, struct stalls_frame *f, const struct stalls_item *t, uint32_t n)
{
	struct stalls_core *s = w->s;
	uint64_t source = f->place - t->wait.distance;
	if (!stalls_kept(s, source)) /* too long ago */
		return false;
	if (stalls_insn_at(s, source)->built && stalls_history_at(s, source)->spent >= n)
		return false;
	f->type = t->wait.type;
	enter(s, ++w->depth, source, n);
	return true;
}

/* The top frame's most recent cycles that it has passed are spent. */
static void leave(const struct stalls_frame *f)
{
	if (f->passed > f->history->spent)
		f->history->spent = f->passed;
}

uint32_t stalls_insn_take(struct stalls_core *s, const struct stalls_charge *c, uint32_t cycles)
{
	struct walk w = {s, c, cycles, 0, 0};
	struct stalls_frame *f = enter(s, 0, s->next, UINT32_MAX);
	uint32_t n;
	while (w.taken < cycles) {
		const struct stalls_item *t = next_item(f, w.depth ? 0 : STALLS_OWN_ITEMS, &n);
		if (!t && !w.depth)
			break;
		if (!t) {
			leave(f);
			n = f->wanted;
			s->frames[--w.depth].passed += n;
		} else if (t->chain) {
			take_leaf(&w, t, n);
			f->passed += w.taken < cycles ? n : 0;
		} else if (!descend(&w, f, t, n)) {
			f->passed += n;
		}
		f = &s->frames[w.depth];
	}
	for (uint32_t d = 0; d <= w.depth; d++)
		leave(&s->frames[d]);
	return w.taken;
}

/* The newest of the items below `count` that lasted. */
static const struct stalls_item *newest(const struct stalls_history *h, uint32_t count)
{
	while (count > 0 && !h->items[count - 1].length)
		count--;
	return count ? &h->items[count - 1] : NULL;
}

struct culprit_stall_run stalls_insn_held(struct stalls_core *s, uint64_t place)
{
	const run nothing = {0, 0, 0};
	uint32_t depth = 0;
	struct stalls_frame *f = enter(s, 0, place, 1);
	const struct stalls_item *t =
		f->history->before_issue > STALLS_OWN_ITEMS ? newest(f->history, f->history->before_issue) : NULL;
	while (t && !t->chain) {
		uint64_t source = f->place - t->wait.distance;
		if (!stalls_kept(s, source))
			return nothing;
		f->type = t->wait.type;
		f = enter(s, ++depth, source, 1);
		t = newest(f->history, f->history->count);
	}
	return t ? (run){path(s, depth, t->chain), 1, t->first + t->length - 1} : nothing;
}
