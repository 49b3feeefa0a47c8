#include "machine/first_btb.h"

#include <stdlib.h>

bool first_btb_create(struct first_btb *f, const struct machine *m, struct error *err)
{
	*f = (struct first_btb){
		.entries = m->branch_l0_entries, .random = 1, .fifo = m->branch_l0_fifo, .blocks = m->branch_l0_blocks};
	if (!f->entries)
		return true;
	f->entry = calloc(f->entries, sizeof *f->entry);
	if (!f->entry)
		return error_set(err, ERROR_SYSTEM, "branch.l0_entries: out of memory");
	return true;
}

bool first_btb_has(const struct first_btb *f, uint64_t pc)
{
	for (uint32_t i = 0; i < f->used; i++)
		if (f->entry[i].pc == pc)
			return true;
	return false;
}

static void make(struct first_btb *f, struct first_btb_entry e)
{
	if (f->used < f->entries) {
		f->entry[f->used++] = e;
		return;
	}
	if (f->fifo) {
		f->entry[f->oldest] = e;
		f->oldest = (f->oldest + 1) % f->entries;
		return;
	}
	f->random = f->random * 1664525 + 1013904223;
	f->entry[(uint64_t)f->random * f->entries >> 32] = e;
}

static struct first_btb_entry *find_entered(struct first_btb *f, uint64_t enter)
{
	for (uint32_t i = 0; i < f->used; i++)
		if (f->entry[i].enter == enter && f->entry[i].pc != UINT64_MAX)
			return &f->entry[i];
	return NULL;
}

bool first_btb_predict(struct first_btb *f, const struct branch_query *q, bool taken, bool strong)
{
	struct first_btb_entry *e = find_entered(f, q->enter);
	if (!e)
		return !taken;
	if (e->pc != q->pc && !taken)
		return true; /* it tells of a later one */
	const bool answers = e->answers, right = e->pc == q->pc && taken;
	e->answers = true;
	if (!right || !strong)
		e->pc = UINT64_MAX;
	return right ? answers : !answers && !taken;
}

void first_btb_train(struct first_btb *f, const struct branch_query *q)
{
	if (f->entries && !(f->blocks ? find_entered(f, q->enter) != NULL : first_btb_has(f, q->pc)))
		make(f, (struct first_btb_entry){q->pc, q->enter, q->kind != CULPRIT_BRANCH_CONDITIONAL});
}

void first_btb_destroy(struct first_btb *f)
{
	free(f->entry);
}
