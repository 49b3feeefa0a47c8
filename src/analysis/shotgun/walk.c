/* The path of one fragment: figure 5a of Fields et al. 2003. A signature sample names one pc; every further one
 * follows from the code, the bits, a call stack, and the targets in detailed samples. Bits that are impossible for
 * the instruction found mean that the walk has left the path.
 *
 * The paper then gives the fragment up. But on a wrong path every other instruction is impossible, so it does not
 * get far: going back to the last indirect branch and trying its next best target finds the right one. Without that,
 * programs that jump through tables (interpreters) lose nearly all fragments: docs/explanation/shotgun.md has the
 * figures. */
#include "analysis/shotgun/state.h"

#include <stdlib.h>
#include <string.h>

enum {
	BUDGET = 20, /* a fragment may cost so many times its length */
	PROVEN = 30, /* on a wrong path every other instruction is impossible: so many are not walked by chance */
};

bool shotgun_walk_create(struct shotgun_walk *w, struct shotgun_index *index,
			 const struct culprit_shotgun_params *params)
{
	*w = (struct shotgun_walk){.index = index,
				   .length = params->length,
				   .no_return = params->no_return,
				   .no_borrowing = params->no_borrowing};
	w->steps = malloc(params->length * sizeof *w->steps);
	w->kept = malloc(params->length * sizeof *w->kept);
	w->choices = malloc(SHOTGUN_CHOICES * sizeof *w->choices);
	return w->steps && w->kept && w->choices;
}

void shotgun_walk_destroy(struct shotgun_walk *w)
{
	free(w->steps);
	free(w->kept);
	free(w->choices);
}

/* Positions `from` .. `from` + 2 * context of a signature sample, in both bits. */
static void window(const struct culprit_samples *s, size_t number, uint32_t from, uint64_t bits[2])
{
	for (unsigned b = 0; b < 2; b++) {
		const uint64_t *words = s->bits + (2 * number + b) * s->words;
		uint32_t word = from / 64, shift = from % 64;
		uint64_t v = words[word] >> shift;
		if (shift && word + 1 < s->words)
			v |= words[word + 1] << (64 - shift);
		bits[b] = v & ((2ull << 2 * s->context) - 1);
	}
}

/* --- the call stack --- */

static void push_call(struct shotgun_calls *c, uint64_t pc)
{
	c->pc[c->next++ % SHOTGUN_CALLS] = pc;
	c->depth += c->depth < SHOTGUN_CALLS;
}

static bool pop_call(struct shotgun_calls *c, uint64_t *pc)
{
	if (!c->depth)
		return false;
	c->depth--;
	*pc = c->pc[--c->next % SHOTGUN_CALLS];
	return true;
}

/* --- inconsistency --- */

static const struct shotgun_choice *choice_back(const struct shotgun_walk *w, uint32_t back)
{
	return &w->choices[(w->choice_count - 1 - back) % SHOTGUN_CHOICES];
}

/* Steps that are on the path, though the walk is lost at `step`: up to the last branch whose target was followed by
 * enough instructions without anything impossible. */
static uint32_t certain_steps(const struct shotgun_walk *w, uint32_t step, enum culprit_abort why)
{
	uint32_t certain = step;
	for (uint32_t back = 0; back < w->choices_kept; back++) {
		uint32_t branch = choice_back(w, back)->step;
		bool wrong = back == 0 && why != CULPRIT_ABORT_no_target;
		if (!wrong && certain - branch >= PROVEN)
			break;
		certain = branch + 1;
	}
	return certain;
}

/* Keeps what the walk knew where it got furthest; going back overwrites the steps. */
static bool inconsistent(struct shotgun_walk *w, uint32_t step, uint32_t place, enum culprit_abort why)
{
	if (w->furthest > step)
		return false;
	w->furthest = step;
	w->furthest_place = place;
	w->why = why;
	w->guessed = CULPRIT_BRANCH_NONE;
	if (w->choices_kept)
		w->guessed = w->index->places[w->steps[choice_back(w, 0)->step].place].insn.branch;
	w->certain = certain_steps(w, step, why);
	memcpy(w->kept, w->steps, w->certain * sizeof *w->kept);
	return false;
}

static bool is_consistent(struct shotgun_walk *w, uint32_t step, uint32_t place, unsigned bits)
{
	const struct shotgun_place *p = &w->index->places[place];
	if (!p->is_code)
		return inconsistent(w, step, place, CULPRIT_ABORT_no_code);
	const struct culprit_static_insn *i = &p->insn;
	bool memory = i->flags & (CULPRIT_LOAD | CULPRIT_STORE);
	if ((bits & 1) && !memory && !i->branch)
		return inconsistent(w, step, place, CULPRIT_ABORT_bit_without_cause);
	if (!(bits & 1) && i->branch > CULPRIT_BRANCH_CONDITIONAL)
		return inconsistent(w, step, place, CULPRIT_ABORT_jump_not_taken);
	if (!bits && memory)
		return inconsistent(w, step, place, CULPRIT_ABORT_hit_without_bit);
	return true;
}

/* --- targets from samples --- */

static void take_target(struct shotgun_walk *w, struct shotgun_choice *c, const uint64_t bits[2], uint64_t *pc)
{
	struct shotgun_step *s = &w->steps[c->step];
	*pc = c->targets[c->tried++];
	s->match = shotgun_index_match_target(w->index, &w->index->places[s->place], bits, *pc, &w->random);
	s->target_from = SHOTGUN_TARGET_SAMPLE;
	w->calls = c->calls;
	w->target = c->target;
	memset(w->constants, 0, sizeof w->constants);
}

static bool choose_target(struct shotgun_walk *w, uint32_t step, const uint64_t bits[2], uint64_t *pc)
{
	const struct shotgun_place *p = &w->index->places[w->steps[step].place];
	struct shotgun_choice *c = &w->choices[w->choice_count % SHOTGUN_CHOICES];
	c->step = step;
	c->tried = 0;
	c->calls = w->calls;
	c->target = w->target;
	c->count = shotgun_index_targets(w->index, p, bits, c->targets);
	if (!c->count)
		return inconsistent(w, step, w->steps[step].place, CULPRIT_ABORT_no_target);
	w->choice_count++;
	w->choices_kept += w->choices_kept < SHOTGUN_CHOICES;
	take_target(w, c, bits, pc);
	return true;
}

/* Back to the last branch that may have gone elsewhere. False: there is none. */
static bool go_back(struct shotgun_walk *w, size_t number, uint32_t *step, uint64_t *pc)
{
	for (; w->choices_kept && !w->no_return; w->choices_kept--, w->choice_count--) {
		struct shotgun_choice *c = &w->choices[(w->choice_count - 1) % SHOTGUN_CHOICES];
		if (c->tried == c->count)
			continue;
		uint64_t bits[2];
		window(w->index->samples, number, c->step, bits);
		*step = c->step;
		take_target(w, c, bits, pc);
		return true;
	}
	return false;
}

/* --- constants --- */

/* Far calls and jumps are two instructions, auipc and jalr: where they go stands in the code. */
static bool known_target(const struct shotgun_walk *w, const struct culprit_static_insn *insn, uint64_t *pc)
{
	const struct shotgun_constant *base = &w->constants[insn->source[0]];
	if (!base->known || !insn->source[0])
		return false;
	*pc = (base->value + (uint64_t)insn->offset) & ~1ull;
	return true;
}

static void follow_constant(struct shotgun_walk *w, const struct shotgun_place *p)
{
	const struct culprit_static_insn *insn = &p->insn;
	if (insn->dest > 63)
		return;
	struct shotgun_constant *dest = &w->constants[insn->dest];
	if (insn->is_constant)
		*dest = (struct shotgun_constant){true, insn->constant};
	else if (insn->adds_offset && w->constants[insn->source[0]].known)
		*dest = (struct shotgun_constant){true, w->constants[insn->source[0]].value + (uint64_t)insn->offset};
	else
		dest->known = false;
}

/* --- targets in the signature sample --- */

/* Where it went. False: the sample does not say. */
static bool sampled_target(struct shotgun_walk *w, struct shotgun_step *s, const uint64_t bits[2], uint64_t *pc)
{
	uint64_t target = w->target < w->target_slots ? w->targets[w->target] : 0;
	w->target++;
	if (!target)
		return false;
	struct shotgun_match like =
		shotgun_index_match_target(w->index, &w->index->places[s->place], bits, target, &w->random);
	s->match = like.detail ? like : s->match;
	s->target_from = SHOTGUN_TARGET_SIGNATURE;
	*pc = target;
	return true;
}

/* --- steps --- */

/* Step 2d. False: nobody knows where the branch goes. */
static bool next_pc(struct shotgun_walk *w, uint32_t step, const uint64_t bits[2], uint64_t *pc)
{
	struct shotgun_step *s = &w->steps[step];
	const struct shotgun_place *p = &w->index->places[s->place];
	uint64_t following = p->pc + p->insn.length;
	switch (p->insn.branch) {
	case CULPRIT_BRANCH_NONE:
		*pc = following;
		return true;
	case CULPRIT_BRANCH_CONDITIONAL:
		*pc = s->bits & 1 ? p->insn.target : following;
		return true;
	case CULPRIT_BRANCH_CALL:
		push_call(&w->calls, following);
		*pc = p->insn.target;
		return true;
	case CULPRIT_BRANCH_JUMP:
		*pc = p->insn.target;
		return true;
	case CULPRIT_BRANCH_INDIRECT_CALL:
		push_call(&w->calls, following);
		break;
	case CULPRIT_BRANCH_RETURN:
		if (!pop_call(&w->calls, pc))
			break;
		s->target_from = SHOTGUN_TARGET_STACK;
		return true;
	default:
		break;
	}
	if (p->insn.branch != CULPRIT_BRANCH_RETURN && sampled_target(w, s, bits, pc))
		return true;
	if (known_target(w, &p->insn, pc)) {
		s->target_from = SHOTGUN_TARGET_CODE;
		return true;
	}
	return choose_target(w, step, bits, pc);
}

static unsigned own_bits(const struct shotgun_walk *w, const struct culprit_detail *d)
{
	unsigned at = w->index->samples->context;
	return (unsigned)((d->bits[0] >> at & 1) | (d->bits[1] >> at & 1) << 1);
}

/* A pc may have no sample, or none in which happened what happened here: then one of a like instruction is better
 * than latencies of a hit. Where none of any such instruction missed, or not as far, and this one did, or the other
 * way round, the bits tell more than samples. */
static struct shotgun_match find_sample(struct shotgun_walk *w, const struct shotgun_place *p, const uint64_t bits[2],
					unsigned own)
{
	struct shotgun_match m = shotgun_index_match(w->index, p, bits, &w->random);
	if (w->no_borrowing || (m.detail && own == own_bits(w, m.detail)))
		return m;
	struct shotgun_match borrowed = shotgun_index_borrow(w->index, &p->insn, bits, !p->samples, &w->random);
	if (borrowed.detail)
		return borrowed;
	unsigned misses = p->insn.flags & (CULPRIT_LOAD | CULPRIT_STORE) ? 3 : 2; /* bit 1 of a branch: taken */
	if (m.detail && ((own ^ own_bits(w, m.detail)) & misses))
		m.detail = NULL;
	return m;
}

static bool walk_step(struct shotgun_walk *w, size_t number, uint32_t step, uint64_t *pc)
{
	struct shotgun_place *p = shotgun_index_place(w->index, *pc);
	if (!p) {
		w->failed = true;
		return false;
	}
	uint64_t bits[2];
	uint32_t context = w->index->samples->context;
	window(w->index->samples, number, step, bits);
	struct shotgun_step *s = &w->steps[step];
	*s = (struct shotgun_step){.place = (uint32_t)(p - w->index->places)};
	s->bits = (uint8_t)((bits[0] >> context & 1) | (bits[1] >> context & 1) << 1);
	if (!is_consistent(w, step, s->place, s->bits))
		return false;
	s->match = find_sample(w, p, bits, s->bits);
	if (step + 1 < w->length && !next_pc(w, step, bits, pc))
		return false;
	follow_constant(w, &w->index->places[s->place]);
	return true;
}

static void begin(struct shotgun_walk *w, size_t number, uint64_t seed)
{
	const struct culprit_samples *s = w->index->samples;
	w->random = seed;
	memset(w->constants, 0, sizeof w->constants);
	w->calls.next = w->calls.depth = 0;
	for (uint32_t i = s->stack; i-- > 0;)
		if (s->returns[number * s->stack + i])
			push_call(&w->calls, s->returns[number * s->stack + i]);
	w->target_slots = w->no_return ? 0 : s->target_slots;
	w->targets = s->target_slots ? s->targets + number * s->target_slots : NULL;
	w->target = 0;
	w->choice_count = w->choices_kept = 0;
	w->furthest = w->certain = 0;
	w->budget = (uint64_t)w->length * BUDGET;
}

static bool walk_all(struct shotgun_walk *w, size_t number)
{
	uint64_t pc = w->index->samples->pc[number];
	for (uint32_t step = 0; step < w->length; step++) {
		if (!w->budget--)
			return false;
		if (walk_step(w, number, step, &pc))
			continue;
		if (w->failed || !go_back(w, number, &step, &pc))
			return false;
	}
	return true;
}

/* --- paths that branch records tell --- */

/* The next instruction's address; *record moves on when this one is in the branch records. */
static uint64_t recorded_pc(struct shotgun_step *s, const struct shotgun_place *p,
			    const struct culprit_branch_record **record, const struct culprit_branch_record *end)
{
	uint64_t following = p->pc + p->insn.length;
	const struct culprit_branch_record *b = *record;
	if (b == end || b->from != p->pc)
		return following;
	++*record;
	s->predicted = b->flags;
	return b->flags & CULPRIT_BRANCH_NOT_TAKEN ? following : b->to;
}

/* Of loads and stores the best sample; what else a detailed sample tells, no hardware's sample does. Without bit 2
 * nothing says that an access missed, so what has no sample borrows from all: from those seen once, gnuchess
 * (fields2003-dl1-4) was 49.4 % off the graph, not 43.2. */
static struct shotgun_match path_sample(struct shotgun_walk *w, const struct shotgun_place *p, const uint64_t bits[2])
{
	if (!(p->insn.flags & (CULPRIT_LOAD | CULPRIT_STORE)))
		return (struct shotgun_match){.detail = NULL};
	struct shotgun_match m = shotgun_index_match(w->index, p, bits, &w->random);
	return m.detail || w->no_borrowing ? m : shotgun_index_borrow(w->index, &p->insn, bits, false, &w->random);
}

/* It was checked against the code when it was made (branches.c). */
static bool walk_path(struct shotgun_walk *w, size_t number)
{
	const struct culprit_samples *x = w->index->samples;
	const struct culprit_path *path = &x->paths[number];
	const struct culprit_branch_record *record = x->branches + path->first_branch,
					   *end = record + path->branch_count;
	uint64_t pc = x->pc[number];
	w->certain = path->length < w->length ? path->length : w->length;
	for (uint32_t step = 0; step < w->certain; step++) {
		struct shotgun_place *p = shotgun_index_place(w->index, pc);
		w->failed = !p;
		if (!p)
			return false;
		uint64_t bits[2];
		window(x, number, step, bits);
		struct shotgun_step *s = &w->steps[step];
		*s = (struct shotgun_step){.place = (uint32_t)(p - w->index->places)};
		s->bits = (uint8_t)(bits[0] >> x->context & 1);
		s->match = path_sample(w, p, bits);
		pc = recorded_pc(s, p, &record, end);
	}
	return true;
}

bool shotgun_walk(struct shotgun_walk *w, size_t number, uint64_t seed)
{
	begin(w, number, seed);
	if (w->index->samples->paths)
		return walk_path(w, number);
	if (walk_all(w, number))
		return true;
	memcpy(w->steps, w->kept, w->certain * sizeof *w->steps);
	return false;
}
