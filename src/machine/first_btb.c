#include "machine/first_btb.h"

#include <stdlib.h>

bool first_btb_create(struct first_btb *f, const struct machine *m, struct error *err)
{
	*f = (struct first_btb){.entries = m->branch_l0_entries, .random = 1, .fifo = m->branch_l0_fifo};
	if (!f->entries)
		return true;
	f->pc = malloc(f->entries * sizeof *f->pc);
	if (!f->pc)
		return error_set(err, ERROR_SYSTEM, "branch.l0_entries: out of memory");
	return true;
}

bool first_btb_has(const struct first_btb *f, uint64_t pc)
{
	for (uint32_t i = 0; i < f->used; i++)
		if (f->pc[i] == pc)
			return true;
	return false;
}

void first_btb_train(struct first_btb *f, uint64_t pc)
{
	if (!f->entries || first_btb_has(f, pc))
		return;
	if (f->used < f->entries) {
		f->pc[f->used++] = pc;
		return;
	}
	if (f->fifo) {
		f->pc[f->oldest] = pc;
		f->oldest = (f->oldest + 1) % f->entries;
		return;
	}
	f->random = f->random * 1664525 + 1013904223;
	f->pc[(uint64_t)f->random * f->entries >> 32] = pc;
}

void first_btb_destroy(struct first_btb *f)
{
	free(f->pc);
}
