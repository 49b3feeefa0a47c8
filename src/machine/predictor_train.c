/* Warm-up: a branch is predicted, and its outcome learnt, at once. */
#include "machine/predictor.h"

#include "machine/predictor_state.h"

/* A conditional branch where nothing but the direction predictor and the BTB learns; the others the long way. */
static void train_simple(struct predictor *p, const struct branch_query *q, bool taken, uint64_t next_pc,
			 struct predictor_met *met)
{
	const bool predicted = direction_train(&p->direction, q, taken);
	p->restored = false;
	met->mispredictions += next_pc != (predicted ? q->direct_target : q->pc + q->length);
	if (p->btb.perfect || !(predicted | taken))
		return;
	const size_t entry = btb_find(&p->btb, q->pc);
	met->redirects += predicted && entry == BTB_NO_ENTRY;
	if (taken && entry != BTB_NO_ENTRY)
		btb_renew(&p->btb, entry, next_pc);
	else if (taken)
		btb_train(&p->btb, q->pc, next_pc);
}

void predictor_train(struct predictor *p, const struct branch_query *q, bool taken, uint64_t next_pc,
		     struct predictor_met *met)
{
	if (p->simple && p->prompt && q->kind == CULPRIT_BRANCH_CONDITIONAL && !p->oracle) {
		train_simple(p, q, taken, next_pc, met);
		return;
	}
	struct prediction pred;
	predictor_predict(p, q, &pred);
	met->mispredictions += !pred.target_known || pred.next_pc != next_pc;
	met->redirects += pred.taken && !pred.btb_hit && pred.target_known;
	predictor_speculate(p, q, taken, next_pc);
	predictor_update(p, q, &pred, taken, next_pc);
}
