/* What a guest may use of the host. Its mappings and what the kernel would keep for it are counted together, when they
 * are made and not when they are touched: so the limit is the same on every host and in every run. */
#include "guest/process.h"

bool guest_charge(struct guest *g, uint64_t bytes)
{
	if (bytes > g->memory_limit - g->memory_used)
		return false;
	g->memory_used += bytes;
	return true;
}

void guest_uncharge(struct guest *g, uint64_t bytes)
{
	g->memory_used -= bytes;
}

bool guest_stopping(const struct guest *g)
{
	return g->interrupted && g->interrupted();
}
