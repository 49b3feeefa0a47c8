/* What an instruction lost, read from records that are never copied into histories.
 *
 * A wait for a producer pops the producer's stalls, most recent first, and so does whoever waits for the consumer:
 * popping a wait of n cycles is popping n cycles of the producer with one more type in front. Therefore a wait stays
 * what it is, a distance and a number of cycles, and a walk goes down into the producers, with a stack of its own, only
 * when the oldest instruction stalls. It ends when all cycles to be charged have been.
 *
 * What a walk has passed is accumulated, now or before, and remains so. Each instruction notes how many of its most
 * recent cycles that is true of, and the next walk jumps over them: nothing is walked twice. */
#include "analysis/stalls/core_state.h"
#include "analysis/stalls/state.h"

typedef struct culprit_stall_run run;

/* Up to `cycles` are wanted, `taken` of them have been found. */
struct walk {
	struct stalls_core *s;
	struct stalls_frame *top;
	uint64_t cycle;
	uint32_t reach; /* instructions of a greater age are not in the ring */
	uint32_t type;	/* of the stall at commit */
	uint32_t cycles, taken;
};

static inline struct stalls_history *history_of(const struct walk *w, const struct stalls_frame *f)
{
	return stalls_history_at(w->s, w->s->arrived - f->age);
}

/* Of the instruction of this age `wanted` cycles are popped: a frame for it, and as long as one wait is all there is,
 * for its producer. `type`: of the top frame's wait for it. Where there is nothing to find the frame passes them. */
static inline void descend(struct walk *w, uint32_t age, uint32_t wanted, uint32_t type)
{
	struct stalls_core *s = w->s;
	struct stalls_frame *f = w->top;
	for (; age <= w->reach; age += f->insn->source) {
		struct stalls_insn *i = stalls_insn_at(s, s->arrived - age);
		if (i->spent >= wanted)
			break;
		if (!i->shape)
			stalls_insn_shape(s, s->arrived - age);
		f->type = type ? type : (uint32_t)STALL_issue_wait + i->op_class;
		*++f = (struct stalls_frame){.insn = i, .age = age, .wanted = wanted};
		w->top = f;
		if (i->shape != STALLS_ONE_WAIT) {
			f->item = i->shape == STALLS_LIST ? history_of(w, f)->count : 0;
			return;
		}
		wanted = i->wait < wanted ? i->wait : wanted;
		if (i->spent >= wanted)
			break;
		type = 0;
	}
	f->passed += wanted;
}

static void lose_to(struct walk *w, culprit_stall_chain chain, uint32_t cycles)
{
	stalls_lose(w->s, w->cycle + w->taken, stalls_effect(w->s->engine, w->type, chain), cycles);
	w->taken += cycles;
}

/* The chain of a leaf that the top frame reached, with the waits that led there, is lost. */
static void lose(struct walk *w, culprit_stall_chain chain, uint32_t cycles)
{
	for (const struct stalls_frame *f = w->top; --f != w->s->frames;)
		chain = stalls_effect(w->s->engine, f->type, chain);
	lose_to(w, chain, cycles);
}

/* The same, and these are the last: so much of the top frame's most recent cycles is spent, and with it of the
 * others'. */
static void lose_last(struct walk *w, culprit_stall_chain chain, uint32_t cycles, uint32_t spent)
{
	const struct stalls_frame *f = w->top, *before = w->s->frames;
	struct culprit_stalls *e = w->s->engine;
	f->insn->spent = spent > f->insn->spent ? spent : f->insn->spent;
	while (--f != before) {
		chain = stalls_effect(e, f->type, chain);
		spent += f->passed;
		f->insn->spent = spent > f->insn->spent ? spent : f->insn->spent;
	}
	lose_to(w, chain, cycles);
}

/* Leaf events with numbers: those of the `n` latest that nobody has accumulated. False: all have been found. */
static bool take_numbered(struct walk *w, struct stalls_frame *f, const struct stalls_item *t, uint32_t n)
{
	run latest = {t->chain, n, t->first + (t->length - n)};
	uint32_t left = w->cycles - w->taken, marked = stalls_mark(w->s->engine, w->s->accumulator, latest, left);
	if (marked == left) {
		lose_last(w, t->chain, marked, f->passed);
		return false;
	}
	if (marked)
		lose(w, t->chain, marked);
	f->passed += n;
	return true;
}

/* The next `n` cycles of the frame are leaf events that only it offers. False: all have been found. */
static bool take(struct walk *w, struct stalls_frame *f, culprit_stall_chain chain, uint32_t n)
{
	uint32_t spent = f->insn->spent > f->passed ? f->insn->spent - f->passed : 0, left = w->cycles - w->taken;
	if (spent < n && n - spent >= left) {
		lose_last(w, chain, left, f->passed + spent + left);
		return false;
	}
	if (spent < n)
		lose(w, chain, n - spent);
	f->passed += n;
	return true;
}

/* The next item of the frame's list. False: all have been found. */
static inline bool pop_item(struct walk *w, struct stalls_frame *f)
{
	uint32_t left = f->wanted - f->passed;
	const struct stalls_item *t = &history_of(w, f)->items[--f->item];
	uint32_t n = t->length < left ? t->length : left;
	if (t->chain)
		return t->first ? take_numbered(w, f, t, n) : take(w, f, t->chain, n);
	if (f->passed + n <= f->insn->spent)
		f->passed += n;
	else
		descend(w, f->age + t->wait.distance, n, t->wait.type);
	return true;
}

/* Of a part of its execution. False: all have been found. */
static inline bool pop_part(struct walk *w, struct stalls_frame *f, uint32_t type, unsigned part, uint32_t length)
{
	uint32_t left = f->wanted - f->passed, n = length < left ? length : left;
	if (!n)
		return true;
	struct stalls_item t = {.chain = stalls_leaf_chain(w->s->engine, type + f->insn->op_class), .length = length};
	if (f->insn->shape == STALLS_LIST && (t.first = history_of(w, f)->execution[part]))
		return take_numbered(w, f, &t, n);
	return take(w, f, t.chain, n);
}

static inline bool pop_execution(struct walk *w, struct stalls_frame *f)
{
	const struct stalls_core *s = w->s;
	return pop_part(w, f, STALL_execute_long, 1, stalls_longer(s, f->insn)) &&
	       pop_part(w, f, STALL_execute_close, 0, stalls_minimum(s, f->insn));
}

/* Of the oldest instruction's own execution nothing is taken here. */
uint32_t stalls_insn_take(struct stalls_core *s, uint64_t cycle, uint32_t type, uint32_t cycles)
{
	struct walk w = {.s = s, .top = s->frames, .cycle = cycle, .type = type, .cycles = cycles};
	w.reach = (uint32_t)(s->arrived < s->reach ? s->arrived : s->reach);
	*w.top = (struct stalls_frame){.insn = NULL}; /* before the oldest instruction's */
	descend(&w, (uint32_t)(s->arrived - s->next), UINT32_MAX, 0);
	for (;;) {
		struct stalls_frame *f = w.top;
		if (f->item && f->passed < f->wanted) {
			if (!pop_item(&w, f))
				break;
			continue;
		}
		if (f != s->frames + 1 && f->passed < f->wanted && !pop_execution(&w, f))
			break;
		if (f->passed > f->insn->spent)
			f->insn->spent = f->passed;
		if (f == s->frames + 1)
			break;
		(--w.top)->passed += f->wanted;
	}
	return w.taken;
}

/* All its stalls are spent, and nobody else has asked for its execution so far. */
uint32_t stalls_insn_take_execution(struct stalls_core *s, uint64_t cycle, uint32_t type, uint32_t cycles)
{
	struct stalls_insn *i = stalls_insn_at(s, s->next);
	const uint32_t length[] = {stalls_longer(s, i), stalls_minimum(s, i)};
	const uint32_t leaf[] = {STALL_execute_long, STALL_execute_close};
	uint32_t taken = 0;
	for (unsigned n = 0; n < 2 && taken < cycles; n++) {
		uint32_t part = length[n] < cycles - taken ? length[n] : cycles - taken;
		if (!part)
			continue;
		culprit_stall_chain chain = stalls_leaf_chain(s->engine, leaf[n] + i->op_class);
		stalls_lose(s, cycle + taken, stalls_effect(s->engine, type, chain), part);
		taken += part;
	}
	i->spent += taken;
	return taken;
}

/* --- what held an issue-queue entry --- */

/* The last event of the item at `item`, numbered; `before`: cycles of the instruction's stalls after it. */
static run last_event(struct stalls_core *s, struct stalls_insn *i, culprit_stall_chain chain, uint64_t *first,
		      uint32_t before, uint32_t length)
{
	if (!*first)
		*first = stalls_insn_number(s, i, before, length);
	return (run){chain, 1, *first + length - 1};
}

/* The most recent event of the execution of the instruction at `place`, which has no stalls. */
static run last_of_execution(struct stalls_core *s, uint64_t place)
{
	struct stalls_insn *i = stalls_insn_at(s, place);
	uint32_t longer = stalls_longer(s, i), least = stalls_minimum(s, i);
	struct stalls_history *h = stalls_insn_list(s, place);
	if (longer)
		return last_event(s, i, stalls_leaf_chain(s->engine, STALL_execute_long + i->op_class),
				  &h->execution[1], 0, longer);
	if (!least)
		return (run){0, 0, 0};
	return last_event(s, i, stalls_leaf_chain(s->engine, STALL_execute_close + i->op_class), &h->execution[0], 0,
			  least);
}

/* Goes from the instruction at `place` to the one whose stall or execution it waited for last, and back through the
 * waits. */
struct culprit_stall_run stalls_insn_held(struct stalls_core *s, uint64_t place)
{
	struct stalls_history *h = stalls_insn_list(s, place);
	struct stalls_item *t;
	uint32_t depth = 0, count = h->before_issue, before = 0;
	if (!count)
		return (run){0, 0, 0};
	for (uint32_t n = count; n < h->count; n++)
		before += h->items[n].length;
	while (count && !(t = &h->items[count - 1])->chain) {
		s->frames[depth++].type = t->wait.type;
		place -= t->wait.distance;
		if (!stalls_kept(s, place))
			return (run){0, 0, 0};
		h = stalls_insn_list(s, place);
		count = h->count;
		before = 0;
	}
	run r = count ? last_event(s, stalls_insn_at(s, place), t->chain, &t->first, before, t->length)
		      : last_of_execution(s, place);
	while (depth && r.length)
		r.chain = stalls_effect(s->engine, s->frames[--depth].type, r.chain);
	return r;
}
