/* Return address stack: creation; the model and its moves are in ras.h. */
#include "machine/ras.h"

#include <stdlib.h>

enum { ADDRESS_BITS = 39 };

bool ras_create(struct ras *r, const struct machine *m, struct error *err)
{
	*r = (struct ras){.entries = m->branch_ras};
	if (r->entries == 0)
		return true;
	r->stack = calloc(r->entries, sizeof *r->stack);
	if (!r->stack)
		return error_set(err, ERROR_SYSTEM, "branch.ras: out of memory for %u entries", r->entries);
	return true;
}

void ras_destroy(struct ras *r)
{
	free(r->stack);
}

uint64_t ras_storage_bits(const struct ras *r)
{
	return (uint64_t)r->entries * ADDRESS_BITS;
}
