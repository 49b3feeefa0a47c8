/* See the header. Pools are small (a miss is answered after a scan of 4 to 64 words), so there is no heap: it could not
 * give the best fit either. */
#include "machine/cache_mshr.h"

#include <stdlib.h>
#include <string.h>

bool mshrs_init(struct mshrs *m, uint32_t count, struct error *err)
{
	*m = (struct mshrs){ .count = count };
	if (!count)
		return true;
	m->until = calloc(count, sizeof *m->until);
	return m->until || error_set(err, ERROR_SYSTEM, "no memory for %u MSHRs", count);
}

void mshrs_free(struct mshrs *m)
{
	free(m->until);
	*m = (struct mshrs){ 0 };
}

void mshrs_settle(struct mshrs *m)
{
	if (m->count)
		memset(m->until, 0, m->count * sizeof *m->until);
}

uint64_t mshrs_take(const struct mshrs *m, uint64_t cycle, uint32_t *which)
{
	uint32_t best = 0;
	if (!m->count)
		return cycle;
	for (uint32_t i = 1; i < m->count; i++) {
		uint64_t until = m->until[i], have = m->until[best];
		bool better = have > cycle ? until < have : until <= cycle && until > have;
		best = better ? i : best;
	}
	*which = best;
	return m->until[best] > cycle ? m->until[best] : cycle;
}

void mshrs_hold(struct mshrs *m, uint32_t which, uint64_t until)
{
	if (m->count)
		m->until[which] = until;
}

uint32_t mshrs_busy(const struct mshrs *m, uint64_t cycle)
{
	uint32_t busy = 0;
	for (uint32_t i = 0; i < m->count; i++)
		busy += m->until[i] > cycle;
	return busy;
}
