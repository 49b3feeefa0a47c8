/* What a detailed sample tells of the instruction that it stands for in a fragment: latencies as they are, distances
 * as far as something fitting is there.
 *
 * Registers' producers come from the code, and so do stores where it tells that they are to the same bytes. */
#include "analysis/shotgun/state.h"

enum { NEAR = 4, PRIMARY_MISS_MOST = 1023 /* primary_miss of shotgun_field.def */ };

struct culprit_detail shotgun_default_detail(const struct culprit_shotgun_machine *m,
					     const struct culprit_static_insn *insn, unsigned bits)
{
	struct culprit_detail d = {.exec_latency = m->latency[insn->op_class]};
	if (!(bits & 2))
		return d;
	uint8_t level = bits & 1 ? CULPRIT_LEVEL_L2 : CULPRIT_LEVEL_MEMORY;
	if (insn->flags & (CULPRIT_LOAD | CULPRIT_STORE)) {
		d.dlevel = level;
		d.dmiss = m->graph.miss_cycles[level];
	} else {
		d.ilevel = CULPRIT_LEVEL_L2;
		d.imiss = m->graph.miss_cycles[CULPRIT_LEVEL_L2];
	}
	return d;
}

static void copy_detail(struct shotgun_time *t, const struct culprit_detail *d, struct culprit_record *r)
{
	r->imiss = d->imiss;
	r->itlb = d->itlb;
	r->ilevel = d->ilevel;
	r->itlb_level = d->itlb_level;
	r->exec_latency = d->exec_latency;
	bool load = r->flags & CULPRIT_LOAD;
	uint16_t takes = CULPRIT_DETAIL_FLAGS;
	if (!r->branch)
		takes &= (uint16_t) ~(CULPRIT_MISPREDICTED | CULPRIT_BTB_MISS);
	if (!load)
		takes &= (uint16_t) ~(CULPRIT_FORWARDED | CULPRIT_MERGED | CULPRIT_VIOLATED);
	r->flags |= d->flags & takes;
	if (load) {
		r->dmiss = d->dmiss;
		r->dtlb = d->dtlb;
		r->dlevel = d->dlevel;
		r->dtlb_level = d->dtlb_level;
	} else if (r->flags & CULPRIT_STORE) {
		const bool early = d->dtlb_level > CULPRIT_LEVEL_L1;
		r->dtlb = early ? d->dtlb : 0;
		r->dtlb_level = early ? d->dtlb_level : 0;
		r->write_dtlb = early ? 0 : d->dtlb;
		r->write_miss = d->dmiss;
		r->write_level = d->dlevel;
		r->write_merged = (d->flags & CULPRIT_MERGED) != 0;
	}
	if ((r->flags & CULPRIT_STORE) && !r->write_level)
		r->write_level = CULPRIT_LEVEL_L1;
	if (t->params->no_strays)
		return;
	r->istray = d->istray;
	r->dstray = load ? d->dstray : 0;
}

/* The store that a sampled distance means: at that distance, or else (the path may be a little longer here) near it. */
static uint32_t fitting_store(struct shotgun_time *t, uint32_t distance)
{
	uint64_t reach = t->seq - t->begin;
	for (uint32_t off = 0; distance && off <= (t->params->no_inference ? 0 : NEAR); off++) {
		if (distance + off <= reach && (shotgun_fact(t, distance + off)->flags & CULPRIT_STORE))
			return distance + off;
		if (off < distance && distance - off <= reach &&
		    (shotgun_fact(t, distance - off)->flags & CULPRIT_STORE))
			return distance - off;
	}
	t->counts.stores_missed += distance != 0;
	return 0;
}

/* The last access that missed as far (level 0: at all) and did not wait for another's line, if it can still be on its
 * way: a load while it is in the window, a store as far back as samples name one. 0: there is none. */
static uint32_t last_primary_miss(const struct shotgun_time *t, uint8_t level)
{
	uint64_t reach = t->seq - t->begin, window = t->machine->graph.rob;
	for (uint32_t back = 1; back <= reach && back <= PRIMARY_MISS_MOST; back++) {
		const struct shotgun_fact *f = shotgun_fact(t, back);
		bool near = back <= window || !(f->flags & CULPRIT_LOAD), same = !level || f->level == level;
		if (near && f->miss && !f->merged && same)
			return back;
	}
	return 0;
}

/* The miss that brings the line of an access that waits for one. With a prefetcher any access may have made it ask
 * for the line. Otherwise a sample of other surroundings may name an instruction that did not bring a line here. */
static uint32_t fitting_primary_miss(struct shotgun_time *t, const struct culprit_detail *d)
{
	const struct shotgun_fact *primary_miss = shotgun_fact(t, d->primary_miss);
	bool asks = t->machine->prefetches && (primary_miss->flags & (CULPRIT_LOAD | CULPRIT_STORE));
	if ((primary_miss->miss && !primary_miss->merged) || asks)
		return d->primary_miss;
	t->counts.primary_misses_missed++;
	uint32_t last = t->params->no_inference ? 0 : last_primary_miss(t, d->dlevel);
	return last || !primary_miss->miss ? last : d->primary_miss;
}

/* Its own bits say that the access missed the L1; where nothing here brings a line from further away, it came from
 * the next level. */
static void miss_near(const struct shotgun_time *t, uint32_t miss, struct culprit_record *r)
{
	uint32_t near = t->machine->graph.miss_cycles[CULPRIT_LEVEL_L2];
	miss = miss < near ? miss : near;
	r->flags &= (uint16_t)~CULPRIT_MERGED;
	r->write_merged = 0;
	if (r->flags & CULPRIT_LOAD) {
		r->dlevel = CULPRIT_LEVEL_L2;
		r->dmiss = miss;
	} else {
		r->write_level = CULPRIT_LEVEL_L2;
		r->write_miss = miss;
	}
}

/* An access that found its line on its way. Asked for before the fragment, it comes when the sample says. */
static void sampled_line(struct shotgun_time *t, const struct culprit_detail *d, struct culprit_record *r)
{
	bool waits = (r->flags & (CULPRIT_LOAD | CULPRIT_STORE)) && (d->flags & CULPRIT_MERGED);
	if (waits && t->index->samples->paths) { /* samples of real machines do not say for which */
		r->primary_miss = last_primary_miss(t, 0);
		if (!r->primary_miss)
			miss_near(t, d->dmiss, r);
	}
	if (!waits || !d->primary_miss || d->primary_miss > t->seq - t->begin)
		return;
	r->primary_miss = fitting_primary_miss(t, d);
	if (!r->primary_miss && !t->params->no_inference)
		miss_near(t, d->dmiss, r);
}

static void dependences(struct shotgun_time *t, const struct culprit_static_insn *insn, const struct culprit_detail *d,
			struct culprit_record *r)
{
	for (unsigned i = 0; i < 3; i++)
		if (insn->source[i] && t->writer[insn->source[i]])
			r->producer[i] = (uint32_t)(t->seq + 1 - t->writer[insn->source[i]]);
	if (r->flags & CULPRIT_LOAD) {
		r->mem_producer = fitting_store(t, d->mem_producer);
		r->order_waited = fitting_store(t, d->order_waited);
	}
	sampled_line(t, d, r);
	shotgun_memory_address(t, insn, d->pc == r->pc ? d->address : 0, r);
	if (t->params->no_inference)
		return;
	uint32_t inferred = r->flags & CULPRIT_LOAD ? shotgun_memory_producer(t, r) : 0;
	if (!inferred)
		return;
	/* in the graph, the address will do; here it also corrects what was sampled in other surroundings */
	t->counts.stores_inferred++;
	if (d->mem_producer || t->index->samples->paths)
		r->mem_producer = inferred;
}

void shotgun_sample_copy(struct shotgun_time *t, const struct culprit_static_insn *insn, const struct culprit_detail *d,
			 struct culprit_record *r)
{
	copy_detail(t, d, r);
	dependences(t, insn, d, r);
	if (!r->mem_producer) /* order is violated with a store */
		r->flags &= (uint16_t)~CULPRIT_VIOLATED;
}
