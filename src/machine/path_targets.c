#include "machine/path_targets.h"

#include <stdlib.h>

enum { PATH_BITS = 8, PATH_TARGETS = 4, BLOCK_SHIFT = 4 };

bool path_targets_create(struct path_targets *t, uint32_t entries, struct error *err)
{
	*t = (struct path_targets){.target = calloc(entries, sizeof *t->target), .entries = entries};
	if (!t->target)
		return error_set(err, ERROR_SYSTEM, "branch.path_entries: out of memory");
	return true;
}

void path_targets_destroy(struct path_targets *t)
{
	free(t->target);
}

uint64_t path_targets_storage_bits(const struct path_targets *t)
{
	return t->target ? (uint64_t)t->entries * 64 + PATH_TARGETS * PATH_BITS : 0;
}

/* Bit i of the index comes from bit i of one of the targets: the low ones from the last target, the highest from the
 * oldest. */
static uint32_t path_index(const struct path_targets *t)
{
	uint32_t bits = (uint32_t)__builtin_ctz(t->entries), index = 0;
	for (uint32_t i = 0; i < bits; i++)
		index |= (t->path.targets >> (i * PATH_TARGETS / bits * PATH_BITS + i) & 1) << i;
	return (index ^ t->path.outcomes) & (t->entries - 1);
}

bool path_targets_predict(const struct path_targets *t, uint64_t *target, struct path_note *note)
{
	note->index = path_index(t);
	*target = t->target[note->index];
	return *target != 0;
}

void path_targets_speculate(struct path_targets *t, uint64_t target)
{
	t->path.targets = t->path.targets << PATH_BITS | (uint32_t)(target >> BLOCK_SHIFT & ((1u << PATH_BITS) - 1));
}

void path_targets_outcome(struct path_targets *t, bool taken)
{
	t->path.outcomes = t->path.outcomes << 1 | taken;
}

void path_targets_train(struct path_targets *t, const struct path_note *note, uint64_t target)
{
	t->target[note->index] = target;
}
