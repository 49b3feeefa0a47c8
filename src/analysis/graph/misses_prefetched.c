/* Lines that prefetches bring: the MSHR and the bus that they take. prefetched.c has when they come. */
#include "analysis/graph/misses_account.h"

/* Does a prefetcher of the L1D bring lines from there? */
static bool comes_from(const struct culprit_graph *g, uint8_t level)
{
	return g->params.l1_prefetches && g->params.l1_line && g->params.miss_cycles[level];
}

bool graph_first_use(struct culprit_graph *g, uint64_t line)
{
	struct graph_prefetched *p = &g->prefetched[graph_prefetched_place(line)];
	const bool known = p->line == line + 1 && g->count - p->number <= g->furthest;
	*p = known ? *p : (struct graph_prefetched){line + 1, g->count};
	return !known;
}

bool graph_first_to_wait(struct culprit_graph *g, const struct culprit_record *r, uint8_t level)
{
	if (!comes_from(g, level) || graph_brings_its_part(g, r))
		return false;
	const uint64_t at = r->mem_addr / g->params.l1_line;
	if (r->primary_miss && r->primary_miss <= g->furthest) {
		const struct graph_accessed *by = &g->accessed[(g->count - r->primary_miss) & g->facts.mask];
		if (at >= by->first / g->params.l1_line && at <= by->last / g->params.l1_line)
			return false;
	}
	return graph_first_use(g, at);
}

bool graph_prefetch_takes_bus(const struct culprit_graph *g, const struct culprit_record *r, uint8_t level)
{
	return g->bus.servers && (level == CULPRIT_LEVEL_MEMORY || r->prefetch_below == CULPRIT_LEVEL_MEMORY);
}

/* A line that a prefetch asked for is there at `done`, and came from `level`. It has an MSHR and the bus from when it
 * was asked for, a miss earlier; the cycles that the account makes it wait for them in the run. */
static uint32_t recorded_prefetch(struct culprit_graph *g, const struct culprit_record *r, uint8_t level, uint64_t done,
				  uint32_t *bus)
{
	const uint32_t whole = g->params.miss_cycles[level];
	const uint64_t asked = done > whole ? done - whole : 0;
	uint64_t wait = g->misses.servers ? graph_recorded_wait(&g->misses, asked, asked, whole) : 0;
	*bus = graph_prefetch_takes_bus(g, r, level) ? (uint32_t)graph_recorded_line(g, asked + wait) : 0;
	return (uint32_t)wait;
}

bool graph_misses_prefetched(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s)
{
	const bool waits = r->dmiss && (r->flags & CULPRIT_MERGED), in_time = !r->dmiss && r->prefetch_level;
	const uint8_t level = in_time ? r->prefetch_level : r->dlevel;
	if (!g->accessed || !(in_time ? comes_from(g, level) : waits && graph_first_to_wait(g, r, level)))
		return false;
	s->whole = g->params.miss_cycles[level];
	s->slack = in_time ? r->prefetch_slack : 0;
	s->takes_bus = graph_prefetch_takes_bus(g, r, level);
	s->prefetch_mask = graph_mask_at(g, graph_data_miss(level), r->pc);
	s->mshr_over = recorded_prefetch(g, r, level, in_time ? graph_prefetched_there(r, r->complete) : r->complete,
					 &s->bus_over);
	s->rare |= STEP_PREFETCHED;
	return true;
}

bool graph_from_below(const struct culprit_graph *g, const struct culprit_record *r)
{
	return g->bus.servers && r->prefetch_below == CULPRIT_LEVEL_MEMORY && !r->prefetch_level;
}

void graph_misses_below(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s)
{
	if (!graph_from_below(g, r) || r->dstray || (r->flags & CULPRIT_MERGED) || (s->rare & STEP_MISS_BUS))
		return;
	struct floor f = {g, SCRATCH_BELOW, {false, false}};
	const uint64_t there = graph_prefetched_there(r, r->complete);
	s->prefetch_mask = graph_mask_at(g, graph_data_miss(CULPRIT_LEVEL_MEMORY), r->pc);
	s->line_floor = graph_prefetched_floor(g, r, there, s->prefetch_mask, &f) ? floor_done(&f) : NULL;
	s->whole = g->params.miss_cycles[CULPRIT_LEVEL_MEMORY];
	s->slack = r->prefetch_slack;
	s->bus_over = (uint32_t)graph_recorded_line(g, there > s->whole ? there - s->whole : 0);
	s->rare |= STEP_BELOW;
}

void graph_recorded_write_prefetched(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s)
{
	const uint64_t done = r->commit + g->params.write_hit + r->write_dtlb + r->write_miss;
	uint32_t bus;
	if (g->writes.posted)
		s->write_hold = graph_over(done, g->writes.write.asked);
	else
		s->write_waited = 0;
	s->write_over = recorded_prefetch(g, r, r->write_level, done, &bus);
	s->write_over += bus;
}

void graph_write_in_time(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s)
{
	const uint8_t level = r->prefetch_level;
	if (!level || (r->flags & CULPRIT_LOAD) || !comes_from(g, level))
		return;
	const uint64_t hit = r->commit + g->params.write_hit + r->write_dtlb;
	const uint64_t there = graph_prefetched_there(r, g->writes.posted ? g->writes.write.asked : hit);
	const enum culprit_event_class miss = graph_data_miss(level);
	const void *mask = graph_mask_at(g, miss, r->pc);
	struct floor f = {g, SCRATCH_P_FLOOR, {false, false}};
	uint32_t bus;
	const void *told = r->dstray ? graph_stray_mask(g, miss, r->pc) : mask;
	s->line_floor = graph_prefetched_floor(g, r, there, told, &f) ? floor_done(&f) : NULL;
	s->write_hold = s->write_waited = s->write_ahead = s->write_slack = s->write_bus_over = 0;
	s->slack = r->prefetch_slack;
	s->write_whole = g->params.miss_cycles[level];
	s->write_dtlb = r->write_dtlb;
	s->hit_mask = graph_mask_at(g, CULPRIT_EVENT_dl1, r->pc);
	s->write_miss_mask = mask;
	s->write_dtlb_mask = graph_mask_at(g, CULPRIT_EVENT_dtlb, r->pc);
	s->write_over = recorded_prefetch(g, r, level, there, &bus);
	s->write_over += bus;
	s->rare |= g->misses.servers ? STEP_MISS_WRITE : 0;
	s->rare |= graph_prefetch_takes_bus(g, r, level) ? STEP_WRITE_BUS : 0;
}
