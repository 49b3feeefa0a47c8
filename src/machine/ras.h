/* Return address stack: a circular buffer that wraps over its oldest entries.
 *
 * It moves at fetch (speculate), down wrong paths too. A squash repairs the top pointer, the count and the top entry
 * (Skadron et al., MICRO 1998): a wrong path that pops two or more and then pushes has overwritten what lies below
 * for good, as in real hardware. The count says how many entries are valid: an empty stack predicts nothing.
 * With 0 entries the stack is perfect: predictor.c takes the actual target instead. */
#ifndef CULPRIT_MACHINE_RAS_H
#define CULPRIT_MACHINE_RAS_H

#include "machine/machine.h"

struct ras_save {
	uint64_t entry; /* the one at the top */
	uint32_t top, count;
};

struct ras {
	uint64_t *stack;
	uint32_t entries; /* 0 = perfect */
	uint32_t top;	  /* index of the newest entry */
	uint32_t count;	  /* valid entries, at most `entries` */
};

bool ras_create(struct ras *r, const struct machine *m, struct error *err);
void ras_destroy(struct ras *r);
uint64_t ras_storage_bits(const struct ras *r);

static inline bool ras_top(const struct ras *r, uint64_t *address)
{
	if (r->count == 0)
		return false;
	*address = r->stack[r->top];
	return true;
}

static inline void ras_push(struct ras *r, uint64_t address)
{
	if (r->entries == 0)
		return;
	r->top = r->top + 1 == r->entries ? 0 : r->top + 1;
	r->stack[r->top] = address;
	if (r->count < r->entries)
		r->count++;
}

static inline void ras_pop(struct ras *r)
{
	if (r->count == 0)
		return;
	r->top = r->top == 0 ? r->entries - 1 : r->top - 1;
	r->count--;
}

static inline struct ras_save ras_save(const struct ras *r)
{
	return (struct ras_save){.entry = r->entries ? r->stack[r->top] : 0, .top = r->top, .count = r->count};
}

static inline void ras_restore(struct ras *r, const struct ras_save *save)
{
	if (r->entries == 0)
		return;
	r->top = save->top;
	r->count = save->count;
	r->stack[r->top] = save->entry;
}

#endif
