/* Warm-up: a branch is predicted, and its outcome learnt, at once. */
#include "machine/predictor.h"

#include "machine/predictor_state.h"

/* A conditional branch where nothing but the direction predictor and the BTB learns; the others the long way. False:
 * nothing learnt. */
static bool train_simple(struct predictor *p, const struct branch_query *q, bool taken, uint64_t next_pc,
			 struct predictor_met *met, bool right_alone)
{
	const bool predicted = direction_train(&p->direction, q, taken, right_alone);
	if (right_alone && predicted != taken)
		return false;
	p->restored = false;
	met->mispredictions += next_pc != (predicted ? q->direct_target : q->pc + q->length);
	if (p->btb.perfect || !(predicted | taken))
		return true;
	const size_t entry = btb_find(&p->btb, q->pc);
	met->redirects += predicted && entry == BTB_NO_ENTRY;
	if (taken && entry != BTB_NO_ENTRY)
		btb_renew(&p->btb, entry, next_pc);
	else if (taken)
		btb_train(&p->btb, q->pc, next_pc);
	return true;
}

bool predictor_train(struct predictor *p, const struct branch_query *q, bool taken, uint64_t next_pc,
		     struct predictor_met *met, struct prediction *wrong)
{
	struct prediction own, *pred = wrong ? wrong : &own;
	if (p->simple && p->prompt && q->kind == CULPRIT_BRANCH_CONDITIONAL && !p->oracle &&
	    train_simple(p, q, taken, next_pc, met, wrong != NULL))
		return true;
	predictor_predict(p, q, pred);
	const bool missed = !pred->target_known || pred->next_pc != next_pc;
	met->mispredictions += missed;
	met->redirects += pred->taken && !pred->btb_hit && pred->target_known;
	if (missed && wrong)
		return false;
	predictor_speculate(p, q, taken, next_pc);
	predictor_update(p, q, pred, taken, next_pc);
	return true;
}
