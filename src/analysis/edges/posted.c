/* See the header. */
#include "analysis/edges/posted.h"

#include <stdlib.h>
#include <string.h>

bool posted_writes_create(struct posted_writes *w, const struct culprit_graph_params *p)
{
	*w = (struct posted_writes){.buffer = p->write_buffer};
	w->served = calloc((size_t)w->buffer + 1, sizeof *w->served);
	return w->served != NULL;
}

void posted_writes_destroy(struct posted_writes *w)
{
	free(w->served);
}

void posted_writes_reset(struct posted_writes *w)
{
	memset(w->served, 0, ((size_t)w->buffer + 1) * sizeof *w->served);
	w->count = w->last = 0;
}

static uint64_t latest(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

struct posted_write posted_writes_next(struct posted_writes *w, const struct culprit_graph_params *p,
				       const struct culprit_record *r)
{
	uint64_t none = 0, *left = w->buffer ? &w->served[w->count++ % w->buffer] : &none;
	const uint64_t hit = (uint64_t)p->write_hit + r->write_dtlb;
	const uint64_t asked = latest(latest(r->commit, *left) + hit, w->last);
	/* of one that loads, too, mshr_wait is the load's */
	uint64_t waited = r->flags & CULPRIT_LOAD ? 0 : r->mshr_wait;
	waited = waited < r->write_miss ? waited : r->write_miss;
	*left = w->last = latest(asked, r->commit + hit + waited);
	return (struct posted_write){asked, (uint32_t)(w->last - asked)};
}
