/* Who takes an MSHR, for how long, and what of the recorded waits that explains.
 *
 * The same account is kept of the times as recorded. What a load waited for beyond it (misses of wrong paths, MSHRs of the levels
 * below, a miss that was put before it later) stays with it in every lane. */
#include "analysis/graph/misses.h"

#include "analysis/graph/plan.h"

#include <stdlib.h>

/* The lines that an instruction accesses, as bytes. */
struct graph_miss_line {
	uint64_t first, last;
};

struct recorded_miss {
	uint64_t hold, key, time;
	uint64_t servers[GRAPH_MOST_MSHRS];
};

struct graph_misses_recorded {
	struct recorded_miss misses[GRAPH_MISSES + 1];
	uint32_t count;
};

bool graph_misses_create(struct culprit_graph *g)
{
	struct graph_misses *m = &g->misses;
	if (!m->servers)
		return true;
	m->recorded = calloc(1, sizeof *m->recorded);
	m->lines = calloc((size_t)g->fact_mask + 1, sizeof *m->lines);
	return m->recorded && m->lines;
}

void graph_misses_destroy(struct culprit_graph *g)
{
	free(g->misses.recorded);
	free(g->misses.lines);
}

size_t graph_misses_place(const struct culprit_graph *g, struct graph_misses *m, char *rows)
{
	m->rows = rows;
	m->stride = (size_t)(MISS_SERVERS + m->servers) * GRAPH_LANES * g->lane_bytes;
	return m->servers ? (GRAPH_MISSES + 1) * m->stride : 0;
}

void graph_misses_rebase(struct culprit_graph *g)
{
	struct graph_misses *m = &g->misses;
	size_t half = graph_half_bytes(g);
	for (uint32_t n = 0; m->servers && n <= GRAPH_MISSES; n++)
		for (unsigned h = 0; h < 2; h++)
			g->kernel->rebase(m->rows + n * m->stride + MISS_KEY * 2 * half + h * half,
					  MISS_SERVERS - MISS_KEY + m->servers, 2 * half,
					  g->scratch[SCRATCH_DELTA] + h * half);
}

uint64_t graph_misses_largest(const struct culprit_graph *g)
{
	const struct graph_misses *m = &g->misses;
	if (!m->servers)
		return 0;
	size_t half = graph_half_bytes(g);
	const char *last = graph_miss_at(m, m->count) + (size_t)(MISS_SERVERS + m->servers - 1) * 2 * half;
	uint64_t a = g->kernel->largest(last), b = g->kernel->largest(last + half);
	return a > b ? a : b;
}

/* One miss more; when there are as many as are kept, the earliest goes. */
static void count(struct graph_misses *m)
{
	if (++m->count < GRAPH_MISSES)
		return;
	m->first = m->first == GRAPH_MISSES ? 0 : m->first + 1;
	m->count--;
}

void graph_misses_hold(struct culprit_graph *g, const struct graph_step *s)
{
	if (s->rare & STEP_MISS_LOAD)
		count(&g->misses);
	if (!(s->rare & STEP_MISS_WRITE))
		return;
	const void *commit[2];
	for (unsigned half = 0; half < 2; half++)
		commit[half] = graph_ring_row(&g->wc[half], 0) + graph_half_bytes(g);
	g->kernel->miss_write(g, s, commit);
	count(&g->misses);
}

/* --- as recorded --- */

/* As the kernel's miss_serve. */
static void serve(const struct recorded_miss *miss, struct recorded_miss *next, uint32_t servers)
{
	uint32_t taken = 0;
	for (uint32_t n = 1; n < servers && miss->servers[n] <= miss->time; n++)
		taken = n;
	uint64_t done = (miss->time > miss->servers[0] ? miss->time : miss->servers[0]) + miss->hold;
	for (uint32_t n = 0; n < taken; n++)
		next->servers[n] = miss->servers[n];
	for (; taken + 1 < servers && miss->servers[taken + 1] < done; taken++)
		next->servers[taken] = miss->servers[taken + 1];
	next->servers[taken] = done;
	for (uint32_t n = taken + 1; n < servers; n++)
		next->servers[n] = miss->servers[n];
}

/* Puts a miss where it belongs; the cycles that it waits. */
static uint64_t recorded_wait(struct graph_misses_recorded *r, uint32_t servers, uint64_t key, uint64_t time,
			      uint64_t hold)
{
	struct recorded_miss *misses = r->misses;
	uint32_t at = r->count;
	for (; at && misses[at - 1].key > key; at--) {
		misses[at].hold = misses[at - 1].hold;
		misses[at].key = misses[at - 1].key;
		misses[at].time = misses[at - 1].time;
	}
	misses[at].hold = hold;
	misses[at].key = key;
	misses[at].time = time;
	uint64_t first = misses[at].servers[0];
	for (; at <= r->count; at++)
		serve(&misses[at], &misses[at + 1], servers);
	if (++r->count == GRAPH_MISSES)
		memmove(misses, misses + 1, r->count-- * sizeof *misses);
	return first > time ? first - time : 0;
}

/* Does an access whose line is on its way need an MSHR of its own? It does when the line is on its way to the next level only: as
 * another part of the line that an older instruction brings, or brought by that level's prefetcher. */
static bool brings_its_part(const struct culprit_graph *g, const struct culprit_record *r)
{
	const struct culprit_graph_params *p = &g->params;
	if (r->mshr_wait)
		return true;
	if (!r->line_misser || r->line_misser > g->furthest || !p->l1_line || !p->miss_line)
		return false;
	const struct graph_miss_line *brought = &g->misses.lines[(g->count - r->line_misser) & g->fact_mask];
	uint64_t first = r->mem_addr, last = first + r->mem_size - (r->mem_size != 0);
	if (first / p->l1_line <= brought->last / p->l1_line && last / p->l1_line >= brought->first / p->l1_line)
		return false;
	if (first / p->miss_line <= brought->last / p->miss_line &&
	    last / p->miss_line >= brought->first / p->miss_line)
		return true;
	return !p->l1_prefetches;
}

bool graph_misses_load(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s, bool shared)
{
	struct graph_misses *m = &g->misses;
	if (!m->servers || ((r->flags & CULPRIT_MERGED) && !brings_its_part(g, r)))
		return false;
	uint32_t waited = r->mshr_wait < r->dmiss ? r->mshr_wait : r->dmiss;
	s->miss = r->dmiss - waited;
	s->unexplained = waited;
	if (s->miss) {
		uint64_t time = r->issue + r->exec_latency + r->dtlb;
		uint64_t wait = recorded_wait(m->recorded, m->servers, r->issue, time, s->miss);
		s->unexplained = wait < waited ? waited - (uint32_t)wait : 0;
	}
	if (shared) /* the line's arrival says the rest */
		s->miss = g->params.miss_cycles[CULPRIT_LEVEL_L2];
	return true;
}

void graph_misses_write(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s)
{
	struct graph_misses *m = &g->misses;
	if (!r->write_miss || (r->write_merged && ((r->flags & CULPRIT_LOAD) || !brings_its_part(g, r))))
		return;
	uint32_t waited = r->flags & CULPRIT_LOAD ? 0 : r->mshr_wait;
	s->write_hold = r->write_miss - (waited < r->write_miss ? waited : r->write_miss);
	s->write_dtlb = r->write_dtlb;
	s->hit_mask = graph_mask_at(g, CULPRIT_EVENT_dl1, r->pc);
	s->write_miss_mask = graph_mask_at(g, graph_data_miss(r->write_level), r->pc);
	s->write_dtlb_mask = graph_mask_at(g, CULPRIT_EVENT_dtlb, r->pc);
	s->rare |= STEP_MISS_WRITE;
	uint64_t time = r->commit + g->params.write_hit + r->write_dtlb;
	if (s->write_hold)
		recorded_wait(m->recorded, m->servers, r->commit, time, s->write_hold);
}

void graph_misses_remember(struct culprit_graph *g, const struct culprit_record *r)
{
	uint64_t last = r->mem_addr + r->mem_size - (r->mem_size != 0);
	g->misses.lines[g->count & g->fact_mask] = (struct graph_miss_line){r->mem_addr, last};
}
