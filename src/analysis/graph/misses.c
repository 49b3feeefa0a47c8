/* Who takes an MSHR, for how long, and what of the recorded waits that explains.
 *
 * The same account is kept of the times as recorded. What a load waited for beyond it (misses of wrong paths, MSHRs
 * of the levels below, a miss that was put before it later) stays with it in every lane. */
#include "analysis/graph/misses.h"

#include "analysis/graph/misses_account.h"

#include <stdlib.h>

struct recorded_miss {
	uint64_t hold, key, time;
	uint64_t servers[GRAPH_MOST_MSHRS];
};

/* A ring; the miss behind the last has only servers. */
struct graph_misses_recorded {
	struct recorded_miss misses[2 * GRAPH_MISSES_MOST];
	uint32_t first, count;
};

static struct recorded_miss *recorded_at(struct graph_misses_recorded *r, uint32_t number)
{
	return &r->misses[(r->first + number) % (2 * GRAPH_MISSES_MOST)];
}

static bool create(struct graph_misses *m)
{
	m->recorded = m->servers ? calloc(1, sizeof *m->recorded) : NULL;
	return m->recorded || !m->servers;
}

bool graph_misses_create(struct culprit_graph *g)
{
	if (g->misses.servers | g->bus.servers) {
		g->accessed = calloc(g->facts.mask + 1, sizeof *g->accessed);
		g->prefetched = calloc(GRAPH_PREFETCHED, sizeof *g->prefetched);
		if (!g->accessed || !g->prefetched)
			return false;
	}
	return create(&g->misses) && create(&g->bus);
}

void graph_misses_destroy(struct culprit_graph *g)
{
	free(g->misses.recorded);
	free(g->bus.recorded);
	free(g->accessed);
	free(g->prefetched);
}

/* So many misses more; when there are as many as are kept, the earliest go. */
static void count(struct graph_misses *m, uint32_t more)
{
	for (m->count += more; m->count >= m->kept; m->count--)
		m->first = m->first + 1 == m->kept + GRAPH_MISSES_MORE ? 0 : m->first + 1;
}

void graph_misses_hold(struct culprit_graph *g, const struct graph_step *s)
{
	const bool line = s->rare & STEP_PREFETCHED, bus = line && s->takes_bus;
	count(&g->misses, (s->rare & STEP_MISS_LOAD) || (line && g->misses.servers));
	count(&g->bus, ((s->rare & STEP_F_BUS) != 0) + ((s->rare & (STEP_MISS_BUS | STEP_BELOW)) || bus));
	if (!(s->rare & (STEP_MISS_WRITE | STEP_WRITE_BUS)) || g->writes.posted)
		return;
	const void *commit[2];
	for (unsigned half = 0; half < 2; half++)
		commit[half] = graph_ring_row(&g->wc[half], 0) + graph_half_bytes(g);
	g->kernel->miss_write(g, s, commit);
	graph_misses_written(g, s);
}

void graph_misses_written(struct culprit_graph *g, const struct graph_step *s)
{
	count(&g->misses, (s->rare & STEP_MISS_WRITE) != 0);
	count(&g->bus, (s->rare & STEP_WRITE_BUS) != 0);
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

uint64_t graph_recorded_wait(struct graph_misses *m, uint64_t key, uint64_t time, uint64_t hold)
{
	struct graph_misses_recorded *r = m->recorded;
	uint32_t at = r->count;
	if (r->count >= m->kept - 1 && recorded_at(r, 0)->key > key)
		return 0;
	for (; at && recorded_at(r, at - 1)->key > key; at--) {
		struct recorded_miss *to = recorded_at(r, at), *from = recorded_at(r, at - 1);
		to->hold = from->hold;
		to->key = from->key;
		to->time = from->time;
	}
	struct recorded_miss *miss = recorded_at(r, at);
	miss->hold = hold;
	miss->key = key;
	miss->time = time;
	const uint64_t first = miss->servers[0];
	for (; at <= r->count; at++)
		serve(recorded_at(r, at), recorded_at(r, at + 1), m->servers);
	if (++r->count == m->kept) {
		r->first++;
		r->count--;
	}
	return first > time ? first - time : 0;
}

bool graph_brings_its_part(const struct culprit_graph *g, const struct culprit_record *r)
{
	const struct culprit_graph_params *p = &g->params;
	if (r->mshr_wait)
		return true;
	if (!r->primary_miss || r->primary_miss > g->furthest || !p->l1_line || !p->miss_line)
		return false;
	const struct graph_accessed *brought = &g->accessed[(g->count - r->primary_miss) & g->facts.mask];
	uint64_t first = r->mem_addr, last = first + r->mem_size - (r->mem_size != 0);
	if (first / p->l1_line <= brought->last / p->l1_line && last / p->l1_line >= brought->first / p->l1_line)
		return false;
	if (first / p->miss_line <= brought->last / p->miss_line &&
	    last / p->miss_line >= brought->first / p->miss_line)
		return true;
	return !p->l1_prefetches;
}

bool graph_asks_for_part(struct culprit_graph *g, const struct culprit_record *r)
{
	if (!graph_brings_its_part(g, r))
		return false;
	return r->mshr_wait || !g->params.l1_line || graph_first_use(g, r->mem_addr / g->params.l1_line);
}

uint64_t graph_recorded_line(struct culprit_graph *g, uint64_t time)
{
	time += g->bus_after;
	return graph_recorded_wait(&g->bus, time, time, g->params.memory_interval);
}

/* The line comes from memory, asked for at `since`: what of its wait for the bus the lines known explain. */
static uint32_t bus_wait(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s, uint64_t since,
			 uint32_t stray)
{
	if (!g->bus.servers || (r->flags & CULPRIT_MERGED))
		return 0;
	bool memory = r->dlevel == CULPRIT_LEVEL_MEMORY && r->dmiss;
	if (memory || graph_misses_stray(g, r, stray))
		s->rare |= STEP_MISS_BUS;
	if (!memory)
		return 0;
	uint64_t wait = graph_recorded_line(g, since);
	s->bus_over = graph_over(wait, r->bandwidth_wait);
	return wait < r->bandwidth_wait ? (uint32_t)wait : r->bandwidth_wait;
}

bool graph_misses_load(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s, bool shared,
		       uint32_t stray)
{
	struct graph_misses *m = &g->misses;
	bool takes = m->servers && (!(r->flags & CULPRIT_MERGED) || graph_asks_for_part(g, r));
	uint32_t mshr_wait = r->mshr_wait < r->dmiss ? r->mshr_wait : r->dmiss, waited = takes ? mshr_wait : 0;
	uint64_t time = r->issue + r->exec_latency + r->dtlb;
	s->miss = r->dmiss - waited;
	s->unexplained = mshr_wait; /* of one that takes none: the bus is asked that much later */
	s->rare |= takes ? STEP_MISS_LOAD : 0;
	s->mshr_over = s->bus_over = 0;
	if (takes && s->miss) {
		uint64_t wait = graph_recorded_wait(m, r->issue, time, s->miss);
		s->unexplained = wait < waited ? waited - (uint32_t)wait : 0;
		s->mshr_over = graph_over(wait, waited);
	}
	uint32_t bus = bus_wait(g, r, s, time + mshr_wait, stray);
	s->miss -= bus < s->miss ? bus : s->miss;
	if (takes && shared) /* the line's arrival says the rest */
		s->miss = g->params.miss_cycles[CULPRIT_LEVEL_L2];
	graph_misses_below(g, r, s);
	return s->rare & (STEP_MISS_LOAD | STEP_MISS_BUS | STEP_BELOW);
}

/* Of a write with its MSHR at `start`, the cycles that the account makes the line wait for the bus. */
static uint32_t recorded_write_line(struct culprit_graph *g, const struct graph_step *s, uint64_t start)
{
	return (uint32_t)graph_recorded_line(g, start > s->write_ahead ? start - s->write_ahead : 0);
}

/* As recorded: what the account makes the write wait is a part of its miss, `waited` cycles of it for MSHRs. */
static void recorded_write(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s,
			   uint32_t waited)
{
	const uint64_t time = r->commit + g->params.write_hit + r->write_dtlb;
	const bool takes = (s->rare & STEP_MISS_WRITE) && s->write_hold;
	const uint64_t wait = takes ? graph_recorded_wait(&g->misses, r->commit, time, s->write_hold) : 0;
	s->write_waited = wait < waited ? waited - (uint32_t)wait : 0;
	s->write_over = (uint32_t)wait;
	if (!(s->rare & STEP_WRITE_BUS) || !s->write_hold)
		return;
	const uint32_t line = recorded_write_line(g, s, time + wait + s->write_waited);
	*(s->write_ahead ? &s->write_bus_over : &s->write_over) += line;
}

/* A posted write asks when those in front are served. Lanes find out what it waits for the bus, where that is more than
 * the miss of its level. */
static void recorded_posted(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s)
{
	const struct posted_write *w = &g->writes.write;
	const uint32_t level = g->params.miss_cycles[r->write_level];
	const bool takes = (s->rare & STEP_MISS_WRITE) && s->write_hold;
	const uint64_t lookup = (uint64_t)g->params.write_hit + r->write_dtlb;
	const uint64_t wait = takes ? graph_recorded_wait(&g->misses, w->asked - lookup, w->asked, s->write_hold) : 0;
	s->write_waited = w->waited > wait ? w->waited - (uint32_t)wait : 0;
	s->write_over = graph_over(wait, w->waited);
	if (!(s->rare & STEP_WRITE_BUS) || !s->write_hold)
		return;
	const uint32_t waited = !s->write_ahead && s->write_hold > level ? s->write_hold - level : 0;
	const uint32_t line = recorded_write_line(g, s, w->asked + w->waited);
	s->write_bus_over = graph_over(line, waited);
	s->write_hold -= line < waited ? line : waited;
}

void graph_misses_write(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s)
{
	if (!r->write_miss) {
		graph_write_in_time(g, r, s);
		return;
	}
	const bool load = r->flags & CULPRIT_LOAD,
		   prefetched = !load && r->write_merged && graph_first_to_wait(g, r, r->write_level);
	const bool brings = !r->write_merged || prefetched;
	bool takes = g->misses.servers && (brings || (!load && graph_asks_for_part(g, r)));
	const bool memory = g->bus.servers && r->write_level == CULPRIT_LEVEL_MEMORY;
	const bool ahead = !load && !r->write_merged && !memory && graph_from_below(g, r);
	bool bus = brings && (prefetched ? graph_prefetch_takes_bus(g, r, r->write_level) : ahead || memory);
	if (!takes && !bus)
		return;
	uint32_t waited = load ? 0 : r->mshr_wait;
	waited = waited < r->write_miss ? waited : r->write_miss;
	s->write_hold = r->write_miss - waited;
	if (!load) { /* the load's own line has them */
		s->line_floor = NULL;
		s->slack = 0;
	}
	s->write_whole = prefetched ? g->params.miss_cycles[r->write_level] : 0;
	s->write_dtlb = r->write_dtlb;
	s->hit_mask = graph_mask_at(g, CULPRIT_EVENT_dl1, r->pc);
	s->write_miss_mask = graph_mask_at(g, graph_data_miss(r->write_level), r->pc);
	s->write_dtlb_mask = graph_mask_at(g, CULPRIT_EVENT_dtlb, r->pc);
	s->rare |= (takes ? STEP_MISS_WRITE : 0) | (bus ? STEP_WRITE_BUS : 0);
	s->write_ahead = s->write_slack = s->write_bus_over = 0;
	if (ahead) {
		const uint32_t there = g->params.miss_cycles[CULPRIT_LEVEL_MEMORY] + r->prefetch_slack;
		s->write_ahead = graph_over(there, s->write_hold);
		s->write_slack = s->write_ahead ? r->prefetch_slack : 0;
	}
	if (prefetched)
		graph_recorded_write_prefetched(g, r, s);
	else if (g->writes.posted)
		recorded_posted(g, r, s);
	else
		recorded_write(g, r, s, waited);
}

/* A fetch asks for its line when it has the translation, and the MSHR that a wrong path's refill had: by lane. */
static const void *before_line(struct culprit_graph *g, const struct culprit_record *r)
{
	char *row = g->scratch[SCRATCH_F_BEFORE];
	g->kernel->latency(row, r->itlb, graph_mask_at(g, CULPRIT_EVENT_itlb, r->pc), true);
	if (r->stray_wait)
		g->kernel->latency(row, r->stray_wait, graph_mask_with_bmisp(g, CULPRIT_EVENT_imem, r->pc), false);
	return row;
}

/* A fetch that takes less time than from memory waits for a line on its way. */
uint32_t graph_misses_fetch(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s)
{
	uint32_t miss = g->params.miss_cycles[CULPRIT_LEVEL_MEMORY];
	uint32_t served = r->imiss - r->stray_wait;
	if (!g->bus.servers || r->ilevel != CULPRIT_LEVEL_MEMORY || served < miss)
		return 0;
	uint64_t wait = graph_recorded_line(g, r->fetch - served);
	s->f_bus = graph_mask_at(g, CULPRIT_EVENT_imem, r->pc);
	s->f_before = before_line(g, r);
	s->f_bus_over = graph_over(wait, served - miss);
	s->rare |= STEP_F_BUS;
	return wait < served - miss ? (uint32_t)wait : served - miss;
}

void graph_misses_remember(struct culprit_graph *g, const struct culprit_record *r)
{
	uint64_t last = r->mem_addr + r->mem_size - (r->mem_size != 0);
	g->accessed[g->count & g->facts.mask] = (struct graph_accessed){r->mem_addr, last};
}
