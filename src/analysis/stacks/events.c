/* Events as the naive counters see them, and the tags that tell which of them belong to committed instructions.
 *
 * All events, wrong paths included: a miss of fetch counts when its wait begins, a load's when it issues, a
 * misprediction when it squashes. For the others an event is kept with its instruction's number until that commits or
 * is squashed, which is what a tag in the ROB entry does. An access that finds its line on the way is no miss of its
 * own. Stores access the cache as they commit: theirs are events of committed instructions. A store that is translated
 * as it issues misses the DTLB like a load. */
#include "analysis/stacks/state.h"
#include "base/bits.h"

#include <stdlib.h>
#include <string.h>

bool events_create(struct stacks *s, struct error *err)
{
	uint32_t size = 2;
	while (size < s->params.in_flight)
		size *= 2;
	s->imisses = calloc(size, sizeof *s->imisses);
	s->imiss_mask = size - 1;
	s->dmisses = calloc(size, sizeof *s->dmisses);
	s->dmiss_capacity = size;
	s->dmiss_oldest = STACKS_NEVER;
	uint64_t stores = power_of_two_from(s->params.stores);
	s->writes = calloc(stores, sizeof *s->writes);
	s->write_mask = (uint32_t)(stores - 1);
	if (!s->imisses || !s->dmisses || !s->writes)
		return error_set(err, ERROR_SYSTEM, "out of memory for %u tags", size);
	return true;
}

static void count_fetch(struct stacks_events *e, uint8_t state)
{
	e->l1i += state != CULPRIT_FETCH_ITLB_MISS;
	e->l2i += state == CULPRIT_FETCH_SERVED_BY_MEMORY;
	e->itlb += state == CULPRIT_FETCH_ITLB_MISS;
}

/* Fetch waits for a miss in this cycle. A wait for translation is a walk once it outlasts the second-level TLB. */
void events_fetch_waits(struct stacks *s, const struct culprit_cycle *e)
{
	if (e->fetch != s->wait || e->cycle != s->wait_next) {
		s->wait = e->fetch;
		s->wait_age = 0;
	}
	s->wait_next = e->cycle + e->length;
	uint64_t begins = e->fetch == CULPRIT_FETCH_ITLB_MISS ? s->params.itlb_hit_latency : 0;
	if (s->wait_age <= begins && s->wait_age + e->length > begins)
		count_fetch(&s->penalties.all, e->fetch);
	s->wait_age += e->length;
}

void events_imiss_fetched(struct stacks *s, uint64_t seq, uint8_t ilevel, uint8_t itlb_level)
{
	if (s->imiss_tail - s->imiss_head > s->imiss_mask)
		return; /* more in flight than the machine has */
	s->imisses[s->imiss_tail++ & s->imiss_mask] = (struct imiss){seq, ilevel, itlb_level};
	stacks_tag(s, seq);
}

/* The oldest tagged instruction commits. */
void events_imiss_committed(struct stacks *s)
{
	const struct imiss *m = &s->imisses[s->imiss_head++ & s->imiss_mask];
	struct stacks_events *e = &s->penalties.committed;
	e->l1i += m->ilevel > CULPRIT_LEVEL_L1;
	e->l2i += m->ilevel == CULPRIT_LEVEL_MEMORY;
	e->itlb += m->itlb_level == CULPRIT_LEVEL_MEMORY;
	struct sfmt *f = &s->sfmt;
	if (m->seq < f->cleared)
		return;
	for (unsigned i = 0; i < FRONT_MISSES; i++)
		f->global[i] += f->shared[i];
	memset(f->shared, 0, sizeof f->shared);
	f->cleared = s->dispatched;
}

void events_load_missed(struct stacks *s, uint64_t cycle, uint64_t seq, uint64_t completes, uint8_t level,
			uint8_t tlb_level, bool merged)
{
	bool to_memory = level == CULPRIT_LEVEL_MEMORY && !merged, isolated = false;
	s->penalties.all.l2d += to_memory;
	s->penalties.all.dtlb += tlb_level == CULPRIT_LEVEL_MEMORY;
	if (to_memory && seq < s->wrong_from) {
		isolated = cycle >= s->long_until;
		if (completes > s->long_until)
			s->long_until = completes;
	}
	if (s->dmiss_count == s->dmiss_capacity)
		return;
	s->dmisses[s->dmiss_count++] = (struct dmiss){seq, level, tlb_level, merged, isolated};
	s->dmiss_oldest = stacks_older(s->dmiss_oldest, seq);
	s->next_commit = stacks_older(s->next_commit, seq);
}

/* The naive counters look, as commit does not wait for a store; the hybrid, when it keeps the store queue full. */
void events_store_missed(struct stacks *s, uint64_t written, uint8_t level, uint8_t tlb_level, bool merged)
{
	uint8_t component = level == CULPRIT_LEVEL_MEMORY ? STACK_l2d
			    : level > CULPRIT_LEVEL_L1	  ? STACK_l1d
							  : STACK_dtlb;
	if (s->params.stores)
		s->writes[s->write_tail++ & s->write_mask] = (struct write){written, component};
	uint64_t to_memory = level == CULPRIT_LEVEL_MEMORY && !merged, walks = tlb_level == CULPRIT_LEVEL_MEMORY;
	s->penalties.all.l2d += to_memory;
	s->penalties.all.dtlb += walks;
	s->penalties.stores.l2d += to_memory;
	s->penalties.stores.dtlb += walks;
}

/* The window is empty, and dispatch waits for an entry of the store queue. Entries leave in order: what is waited for
 * is the oldest store that is not written. */
void events_waits_for_write(struct stacks *s, const struct culprit_cycle *e)
{
	if (s->write_tail - s->write_head > s->write_mask + 1)
		s->write_head = s->write_tail - s->write_mask - 1;
	while (s->write_head != s->write_tail && s->writes[s->write_head & s->write_mask].until <= e->cycle)
		s->write_head++;
	if (s->write_head != s->write_tail)
		s->drained[s->writes[s->write_head & s->write_mask].component] += e->length;
}

static void count_load(struct stacks_events *e, const struct dmiss *m)
{
	bool to_memory = m->level == CULPRIT_LEVEL_MEMORY;
	e->l1d += m->level > CULPRIT_LEVEL_L1 && !to_memory && !m->merged;
	e->l2d += to_memory && !m->merged;
	e->l2d_isolated += to_memory && m->isolated;
	e->dtlb += m->tlb_level == CULPRIT_LEVEL_MEMORY;
}

void events_loads_committed(struct stacks *s, uint64_t head)
{
	uint32_t kept = 0;
	s->dmiss_oldest = STACKS_NEVER;
	for (uint32_t i = 0; i < s->dmiss_count; i++) {
		const struct dmiss *m = &s->dmisses[i];
		if (m->seq < head) {
			count_load(&s->penalties.committed, m);
			continue;
		}
		if (m->seq < s->dmiss_oldest)
			s->dmiss_oldest = m->seq;
		s->dmisses[kept++] = *m;
	}
	s->dmiss_count = kept;
}

void events_squashed(struct stacks *s, uint64_t first)
{
	while (s->imiss_tail != s->imiss_head && s->imisses[(s->imiss_tail - 1) & s->imiss_mask].seq >= first)
		s->imiss_tail--;
	if (s->sfmt.cleared > first)
		s->sfmt.cleared = first;
	s->wait = CULPRIT_FETCH_DELIVERED;
	uint32_t kept = 0;
	for (uint32_t i = 0; i < s->dmiss_count; i++)
		if (s->dmisses[i].seq < first)
			s->dmisses[kept++] = s->dmisses[i];
	s->dmiss_count = kept;
}
