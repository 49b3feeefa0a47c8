#include "machine/early_counters.h"

#include <stdlib.h>
#include <string.h>

enum { WEAKLY_TAKEN = 2, MOST = 3 };

bool early_counters_create(struct early_counters *e, const struct machine *m, struct error *err)
{
	*e = (struct early_counters){.bubble = (uint8_t)m->branch_early_bubble};
	if (!m->branch_early_entries)
		return true;
	e->counter = malloc(m->branch_early_entries);
	if (!e->counter)
		return error_set(err, ERROR_SYSTEM, "branch.early_entries: out of memory");
	memset(e->counter, WEAKLY_TAKEN, m->branch_early_entries);
	e->mask = m->branch_early_entries - 1;
	return true;
}

void early_counters_destroy(struct early_counters *e)
{
	free(e->counter);
}

void early_counters_train(struct early_counters *e, uint64_t pc, bool taken)
{
	if (!e->counter)
		return;
	uint8_t *counter = &e->counter[pc >> 1 & e->mask];
	if (taken && *counter < MOST)
		++*counter;
	else if (!taken && *counter)
		--*counter;
}
