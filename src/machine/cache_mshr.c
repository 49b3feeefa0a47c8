/* See the header. A heap would find the earliest but not the best fit; scanning an unsorted pool of 16 for it was a
 * fifth of the time of an L2 hit. */
#include "machine/cache_mshr.h"

#include <stdlib.h>
#include <string.h>

bool mshrs_init(struct mshrs *m, uint32_t count, struct error *err)
{
	*m = (struct mshrs){.count = count};
	if (!count)
		return true;
	m->until = calloc(count, sizeof *m->until);
	return m->until || error_set(err, ERROR_SYSTEM, "out of memory for %u MSHRs", count);
}

void mshrs_free(struct mshrs *m)
{
	free(m->until);
	*m = (struct mshrs){0};
}

void mshrs_settle(struct mshrs *m)
{
	if (m->count)
		memset(m->until, 0, m->count * sizeof *m->until);
}

/* How many are free at this cycle. From the end: most requests come late and find few that are busy. */
static uint32_t free_at(const struct mshrs *m, uint64_t cycle)
{
	uint32_t n = m->count;
	while (n && m->until[n - 1] > cycle)
		n--;
	return n;
}

uint64_t mshrs_take(const struct mshrs *m, uint64_t cycle, uint32_t *which)
{
	if (!m->count)
		return cycle;
	uint32_t n = free_at(m, cycle);
	*which = n ? n - 1 : 0;
	return n ? cycle : m->until[0];
}

void mshrs_hold(struct mshrs *m, uint32_t which, uint64_t until)
{
	if (!m->count)
		return;
	for (; which + 1 < m->count && m->until[which + 1] < until; which++)
		m->until[which] = m->until[which + 1];
	m->until[which] = until;
}

uint32_t mshrs_busy(const struct mshrs *m, uint64_t cycle)
{
	return m->count - free_at(m, cycle);
}
