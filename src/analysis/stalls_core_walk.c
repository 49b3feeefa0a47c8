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

/* A frame for the instruction at `place`, of which `wanted` cycles are popped. */
static struct stalls_frame *enter(struct stalls_core *s, uint32_t depth, uint64_t place, uint32_t wanted)
{
	struct stalls_insn *i = stalls_insn_history(s, place);
	struct stalls_frame *f = &s->frames[depth];
	*f = (struct stalls_frame){.insn = i, .place = place, .wanted = wanted, .item = i->count};
	return f;
}

/* The chain of a leaf that the top frame reached, with the waits that led there. */
static culprit_stall_chain path(struct stalls_core *s, uint32_t depth, culprit_stall_chain chain)
{
	while (depth > 0)
		chain = stalls_effect(s->engine, s->frames[--depth].type, chain);
	return chain;
}

/* The next item of the top frame; NULL: it is done. Moves over those that are spent. */
static const struct stalls_item *next_item(struct stalls_frame *f, uint32_t bottom, uint32_t *cycles)
{
	while (f->item > bottom && f->passed < f->wanted) {
		const struct stalls_item *t = &f->insn->items[--f->item];
		uint32_t left = f->wanted - f->passed;
		*cycles = t->length < left ? t->length : left;
		if (f->passed + *cycles > f->insn->spent)
			return t;
		f->passed += *cycles;
	}
	return NULL;
}

static void leave(struct stalls_frame *f)
{
	if (f->passed > f->insn->spent)
		f->insn->spent = f->passed;
}

uint32_t stalls_insn_take(struct stalls_core *s, const struct stalls_charge *c, uint32_t cycles)
{
	uint32_t taken = 0, depth = 0, n;
	enter(s, 0, s->next, UINT32_MAX);
	for (;;) {
		struct stalls_frame *f = &s->frames[depth];
		const struct stalls_item *t = taken < cycles ? next_item(f, depth ? 0 : STALLS_OWN_ITEMS, &n) : NULL;
		if (!t) {
			leave(f);
			if (!depth)
				return taken;
			uint32_t passed = f->wanted;
			f = &s->frames[--depth];
			f->passed += taken < cycles ? passed : 0;
		} else if (t->chain) {
			run r = {t->chain, n, t->first + (t->length - n)};
			uint32_t marked = stalls_mark(s->engine, s->accumulator, r, cycles - taken);
			if (marked) {
				r.chain = stalls_effect(s->engine, c->type, path(s, depth, r.chain));
				stalls_charge(s->engine, s->accumulator, c->cycle + taken, r, marked, c->weight);
			}
			taken += marked;
			f->passed += taken < cycles ? n : 0;
		} else if (stalls_kept(s, f->place - t->wait.distance)) {
			f->type = t->wait.type;
			uint64_t source = f->place - t->wait.distance;
			enter(s, ++depth, source, n);
		} else {
			f->passed += n; /* too long ago */
		}
	}
}

/* The newest of the items below `count` that lasted. */
static const struct stalls_item *newest(const struct stalls_insn *i, uint32_t count)
{
	while (count > 0 && !i->items[count - 1].length)
		count--;
	return count ? &i->items[count - 1] : NULL;
}

struct culprit_stall_run stalls_insn_held(struct stalls_core *s, uint64_t place)
{
	const run nothing = {0, 0, 0};
	uint32_t depth = 0;
	struct stalls_frame *f = enter(s, 0, place, 1);
	const struct stalls_item *t = f->insn->before_issue > STALLS_OWN_ITEMS ? newest(f->insn, f->insn->before_issue)
									       : NULL;
	while (t && !t->chain) {
		uint64_t source = f->place - t->wait.distance;
		if (!stalls_kept(s, source))
			return nothing;
		f->type = t->wait.type;
		f = enter(s, ++depth, source, 1);
		t = newest(f->insn, f->insn->count);
	}
	return t ? (run){path(s, depth, t->chain), 1, t->first + t->length - 1} : nothing;
}
