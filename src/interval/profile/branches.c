/* See the header. Each branch is predicted, then trained at once.
 *
 * Predictors that differ in nothing but the direction share one BTB and return stack: those learn from what branches
 * do, not from what was predicted, so that they would be alike in all of them. The first walk over a batch's branches
 * asks those; the predictors of directions then go through the conditional branches one after the other (directions.h).
 * A predictor with a structure of its own for indirect targets, or TAGE, runs whole. */
#include "interval/profile/branches.h"

#include "interval/profile/directions.h"
#include "interval/profile/predictors.h"
#include "machine/btb.h"
#include "machine/ras.h"

#include <stdlib.h>
#include <string.h>

enum { HINTS = 1024 };

enum how {
	NOT_RUN,
	SHARES,
	WHOLE,
	AS_REFERENCE, /* has the same directions */
	AS_PART,      /* a table of another one, which is trained alike */
};

struct tally {
	enum how how;
	bool has_parts;		     /* there are tallies that are of this one */
	struct predictor *predictor; /* WHOLE */
	struct direction direction;  /* SHARES */
	size_t of;		     /* AS_PART: of this one */
	uint64_t last;		     /* number of the instruction after the last misprediction */
	struct interval_predictor counts;
};

struct interval_branches {
	struct tally tallies[INTERVAL_PREDICTORS];
	struct btb btb;
	struct ras ras;
	uint32_t hints[HINTS]; /* by pc: an entry of the BTB, maybe another branch's */
	size_t conditional_count, target_count;
	struct interval_conditional conditionals[EVENT_BATCH];
	transfer_note targets[EVENT_BATCH]; /* what there is to say of the other branches */
	transfer_note whole[EVENT_BATCH], bimodal[EVENT_BATCH], gshare[EVENT_BATCH]; /* of one predictor */
};

static bool same_directions(const struct interval_branch *a, const struct interval_branch *b)
{
	return !memcmp(a, b, sizeof *a);
}

static bool runs_whole(const struct machine *m)
{
	return m->branch_indirect != indirect_predictor_btb || m->branch_predictor == direction_predictor_tage_sc_l;
}

static bool create_tally(struct interval_branches *p, size_t i, const struct machine *reference, bool tage,
			 struct error *err)
{
	struct tally *t = &p->tallies[i];
	struct machine m;
	interval_predictor_machine(i, reference, &m, t->counts.name);
	t->counts.branch = interval_branch_of(&m);
	if (m.branch_predictor == direction_predictor_oracle)
		return true;
	if (i && p->tallies[0].how == SHARES && same_directions(&t->counts.branch, &p->tallies[0].counts.branch)) {
		t->how = AS_REFERENCE;
		return true;
	}
	t->how = !runs_whole(&m) ? SHARES : !i || tage ? WHOLE : NOT_RUN;
	if (t->how == WHOLE)
		return (t->predictor = predictor_create(&m, err)) != NULL;
	if (t->how == SHARES)
		return direction_create(&t->direction, &m, err);
	t->counts = (struct interval_predictor){.branch.kind = INTERVAL_NOT_RUN};
	return true;
}

/* Is it a table of the combined predictor? */
static bool is_part(const struct interval_branch *a, const struct interval_branch *combined)
{
	if (a->kind == direction_predictor_bimodal)
		return a->bimodal == combined->bimodal;
	return a->kind == direction_predictor_gshare && a->gshare == combined->gshare &&
	       a->history == combined->history;
}

static void find_parts(struct interval_branches *p)
{
	for (size_t i = 1; i < INTERVAL_PREDICTORS; i++)
		for (size_t of = 0; of < INTERVAL_PREDICTORS; of++) {
			const struct tally *whole = &p->tallies[of];
			bool combined = whole->how == SHARES && whole->direction.kind == direction_predictor_combined &&
					interval_directions_are_plain(&whole->direction);
			if (p->tallies[i].how != SHARES || !combined ||
			    !is_part(&p->tallies[i].counts.branch, &whole->counts.branch))
				continue;
			p->tallies[i].how = AS_PART;
			p->tallies[i].of = of;
			p->tallies[of].has_parts = true;
		}
}

static bool create(struct interval_branches *p, const struct machine *reference, bool tage, struct error *err)
{
	TRY(btb_create(&p->btb, reference, err));
	TRY(ras_create(&p->ras, reference, err));
	for (size_t i = 0; i < INTERVAL_PREDICTORS; i++)
		TRY(create_tally(p, i, reference, tage, err));
	find_parts(p);
	return true;
}

struct interval_branches *interval_branches_create(const struct machine *reference, bool tage, struct error *err)
{
	struct interval_branches *p = calloc(1, sizeof *p);
	if (!p) {
		error_set(err, ERROR_SYSTEM, "out of memory for the predictors");
		return NULL;
	}
	if (create(p, reference, tage, err))
		return p;
	interval_branches_destroy(p);
	return NULL;
}

void interval_branches_destroy(struct interval_branches *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < INTERVAL_PREDICTORS; i++) {
		predictor_destroy(p->tallies[i].predictor);
		direction_destroy(&p->tallies[i].direction);
	}
	btb_destroy(&p->btb);
	ras_destroy(&p->ras);
	free(p);
}

/* --- targets, for all that share --- */

static bool is_indirect(const struct interval_transfer *t)
{
	return t->branch == CULPRIT_BRANCH_INDIRECT_JUMP || t->branch == CULPRIT_BRANCH_INDIRECT_CALL;
}

static bool pops(const struct interval_transfer *t)
{
	return t->branch == CULPRIT_BRANCH_RETURN ||
	       (t->branch == CULPRIT_BRANCH_INDIRECT_CALL && t->flags & EVENT_POPS);
}

/* Is the branch in the BTB, and with which target? Then train it. */
static bool use_perfect_btb(struct interval_branches *p, const struct interval_transfer *t, uint64_t *target)
{
	bool found = !is_indirect(t) || btb_lookup(&p->btb, t->pc, target);
	if (is_indirect(t))
		btb_train(&p->btb, t->pc, t->next);
	return found;
}

static inline bool use_btb(struct interval_branches *p, const struct interval_transfer *t, uint64_t *target)
{
	if (p->btb.perfect)
		return use_perfect_btb(p, t, target);
	bool taken = t->flags & EVENT_TAKEN;
	uint32_t *hint = &p->hints[t->pc >> 1 & (HINTS - 1)];
	size_t entry = p->btb.pc[*hint] == t->pc ? *hint : btb_find(&p->btb, t->pc);
	if (entry == BTB_NO_ENTRY) {
		if (taken)
			btb_train(&p->btb, t->pc, t->next);
		return false;
	}
	*hint = (uint32_t)entry;
	*target = p->btb.target[entry];
	if (taken)
		btb_renew(&p->btb, entry, t->next);
	return true;
}

/* Where a branch that is not conditional goes: predictor.c has the rules. */
static transfer_note predict_target(const struct interval_branches *p, const struct interval_transfer *t, bool in_btb,
				    uint64_t last_target)
{
	bool known = true;
	uint64_t target = t->next;
	if (pops(t))
		known = p->ras.entries == 0 || ras_top(&p->ras, &target);
	else if (is_indirect(t))
		known = false;
	else
		target = t->pc + (uint64_t)(int64_t)t->imm;
	if (!known && t->branch != CULPRIT_BRANCH_RETURN) {
		known = in_btb;
		target = last_target;
	}
	return (known && target == t->next ? 0 : NOTE_WRONG) | (known && !in_btb ? NOTE_REDIRECT : 0);
}

static void use_stack(struct interval_branches *p, const struct interval_transfer *t)
{
	if (pops(t))
		ras_pop(&p->ras);
	if (t->branch == CULPRIT_BRANCH_CALL || t->branch == CULPRIT_BRANCH_INDIRECT_CALL)
		ras_push(&p->ras, t->pc + t->length);
}

static inline void list_conditional(struct interval_branches *p, const struct interval_transfer *t, size_t place,
				    bool in_btb)
{
	struct interval_conditional *c = &p->conditionals[p->conditional_count++];
	bool taken = t->flags & EVENT_TAKEN, alike = t->imm == t->length; /* it goes on at the same place either way */
	uint32_t if_not = taken && !alike ? NOTE_WRONG : 0;
	uint32_t if_taken = (!taken && !alike ? NOTE_WRONG : 0) | (in_btb ? 0 : NOTE_REDIRECT);
	c->pc = t->pc;
	c->target = t->pc + (uint64_t)(int64_t)t->imm;
	c->key = (uint32_t)(t->pc >> 1);
	c->place = (uint32_t)place << NOTE_PLACE_SHIFT;
	c->answers = (uint8_t)(if_not | if_taken << 2);
	c->taken = taken;
}

static void share(struct interval_branches *p, const struct interval_batch *b)
{
	p->conditional_count = p->target_count = 0;
	for (size_t i = 0; i < b->transfer_count; i++) {
		const struct interval_transfer *t = &b->transfers[i];
		uint64_t last_target = 0;
		bool in_btb = use_btb(p, t, &last_target);
		if (t->branch == CULPRIT_BRANCH_CONDITIONAL) {
			list_conditional(p, t, i, in_btb);
			continue;
		}
		transfer_note note = predict_target(p, t, in_btb, last_target);
		p->targets[p->target_count] = (uint32_t)i << NOTE_PLACE_SHIFT | note;
		p->target_count += note != 0;
		use_stack(p, t);
	}
}

/* --- counting --- */

static void mispredicted(struct tally *t, uint8_t branch, uint64_t at)
{
	uint64_t n = at + 1 - t->last;
	uint32_t bucket = interval_bucket(n);
	t->last = at + 1;
	t->counts.interval[bucket]++;
	t->counts.instructions[bucket] += n;
	if (branch == CULPRIT_BRANCH_CONDITIONAL)
		t->counts.direction++;
	else if (branch == CULPRIT_BRANCH_RETURN)
		t->counts.return_++;
	else
		t->counts.target++;
}

static void count(struct tally *t, const struct interval_batch *b, transfer_note note)
{
	const struct interval_transfer *x = &b->transfers[note >> NOTE_PLACE_SHIFT];
	bool wrong = note & NOTE_WRONG;
	if (note & NOTE_REDIRECT) {
		t->counts.redirects++;
		t->counts.right_redirects += !wrong;
	}
	if (wrong)
		mispredicted(t, x->branch, b->first + x->at);
}

/* Both lists are in order; what is counted is, too. */
static void count_all(const struct interval_branches *p, struct tally *t, const struct interval_batch *b,
		      const struct interval_notes *notes)
{
	size_t d = 0, i = 0;
	while (d < notes->count || i < p->target_count) {
		bool target = d == notes->count || (i < p->target_count && p->targets[i] < notes->list[d]);
		count(t, b, target ? p->targets[i++] : notes->list[d++]);
	}
}

static void count_parts(struct interval_branches *p, size_t of, const struct interval_batch *b,
			const struct interval_direction_notes *notes)
{
	for (size_t i = 1; i < INTERVAL_PREDICTORS; i++) {
		struct tally *t = &p->tallies[i];
		if (t->how == AS_PART && t->of == of)
			count_all(p, t, b,
				  t->counts.branch.kind == direction_predictor_bimodal ? &notes->bimodal
										       : &notes->gshare);
	}
}

/* --- the reference's answers --- */

static void flag(struct interval_batch *b, transfer_note note)
{
	struct interval_transfer *t = &b->transfers[note >> NOTE_PLACE_SHIFT];
	uint16_t flags = 0;
	flags |= note & NOTE_WRONG ? EVENT_MISPREDICTED : 0;
	flags |= note & NOTE_REDIRECT ? EVENT_REDIRECT : 0;
	t->flags |= flags;
	if (b->detail)
		b->events[t->at].flags |= flags;
}

static transfer_note predict(struct predictor *p, const struct interval_transfer *t)
{
	struct branch_query q = transfer_query(t);
	struct prediction answer;
	predictor_predict(p, &q, &answer);
	predictor_speculate(p, &q, q.actual_taken, q.actual_next);
	predictor_update(p, &q, &answer, q.actual_taken, q.actual_next);
	bool right = answer.target_known && answer.next_pc == q.actual_next;
	bool redirect = answer.taken && !answer.btb_hit && answer.target_known;
	return (right ? 0 : NOTE_WRONG) | (redirect ? NOTE_REDIRECT : 0);
}

static void judge_whole(struct tally *t, struct interval_batch *b)
{
	for (size_t i = 0; i < b->transfer_count; i++) {
		transfer_note note = (uint32_t)i << NOTE_PLACE_SHIFT | predict(t->predictor, &b->transfers[i]);
		flag(b, note);
		count(t, b, note);
	}
}

static void flag_all(const struct interval_branches *p, struct interval_batch *b, const struct interval_notes *notes)
{
	for (size_t i = 0; i < notes->count; i++)
		flag(b, notes->list[i]);
	for (size_t i = 0; i < p->target_count; i++)
		flag(b, p->targets[i]);
}

void interval_branches_judge(struct interval_branches *p, struct interval_batch *b)
{
	share(p, b);
	for (size_t i = 0; i < INTERVAL_PREDICTORS; i++) {
		struct tally *t = &p->tallies[i];
		if (t->how != SHARES)
			continue;
		struct interval_direction_notes notes = {.whole = {0, p->whole}};
		if (t->has_parts)
			notes = (struct interval_direction_notes){{0, p->whole}, {0, p->bimodal}, {0, p->gshare}};
		interval_directions_run(&t->direction, p->conditionals, p->conditional_count, &notes);
		count_all(p, t, b, &notes.whole);
		count_parts(p, i, b, &notes);
		if (!i)
			flag_all(p, b, &notes.whole);
	}
	if (p->tallies[0].how == WHOLE)
		judge_whole(&p->tallies[0], b);
}

void interval_branches_push_whole(struct interval_branches *p, const struct interval_batch *b)
{
	for (size_t t = 1; t < INTERVAL_PREDICTORS; t++)
		for (size_t i = 0; p->tallies[t].how == WHOLE && i < b->transfer_count; i++)
			count(&p->tallies[t], b,
			      (uint32_t)i << NOTE_PLACE_SHIFT | predict(p->tallies[t].predictor, &b->transfers[i]));
}

void interval_branches_restart(struct interval_branches *p, uint64_t at)
{
	for (size_t i = 0; i < INTERVAL_PREDICTORS; i++) {
		struct tally *t = &p->tallies[i];
		struct interval_predictor cleared = {.branch = t->counts.branch};
		memcpy(cleared.name, t->counts.name, sizeof cleared.name);
		t->counts = cleared;
		t->last = at;
	}
}

/* What only the numbers are the same of. */
static void finish_as(const struct interval_predictor *reference, struct interval_predictor *to)
{
	struct interval_predictor own = *to;
	*to = *reference;
	to->branch = own.branch;
	memcpy(to->name, own.name, sizeof to->name);
}

void interval_branches_finish(const struct interval_branches *p, struct interval_profile *to)
{
	for (size_t i = 0; i < INTERVAL_PREDICTORS; i++) {
		to->predictor[i] = p->tallies[i].counts;
		if (p->tallies[i].how == AS_REFERENCE)
			finish_as(&p->tallies[0].counts, &to->predictor[i]);
	}
}
