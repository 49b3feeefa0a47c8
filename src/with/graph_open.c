#include "with/graph_open.h"

#include <string.h>

enum { DMISS = 1u << CULPRIT_EVENT_dmiss, IMISS = 1u << CULPRIT_EVENT_imiss };
enum { OTHER_ORDER = 1u << CULPRIT_EVENT_win | 1u << CULPRIT_EVENT_bw };

void graph_open_init(struct graph_open *o, const struct culprit_graph_params *params)
{
	memset(o, 0, sizeof *o);
	memcpy(o->miss_cycles, params->miss_cycles, sizeof o->miss_cycles);
	o->prefetches = params->l1_prefetches;
	while (2u << o->line_bits <= params->miss_line)
		o->line_bits++;
}

/* A line that was fetched before and comes from memory now: something else took its place. */
static inline void see_fetch(struct graph_open *o, const struct culprit_record *r)
{
	uint64_t line = (r->pc >> o->line_bits) + 1, *slot = &o->lines[line % GRAPH_OPEN_LINES];
	uint32_t near = o->miss_cycles[CULPRIT_LEVEL_L2];
	o->fetch_waits += r->imiss;
	if (line == o->last_line)
		return;
	o->last_line = line;
	if (r->ilevel == CULPRIT_LEVEL_MEMORY && *slot == line && r->imiss > near)
		o->fetched_again += r->imiss - near;
	*slot = line;
}

/* An access that waits for a line which no miss of the program brings waits for a prefetcher's. */
static inline void see_access(struct graph_open *o, const struct culprit_record *r)
{
	bool store = !(r->flags & CULPRIT_LOAD) && (r->flags & CULPRIT_STORE);
	uint32_t miss = store ? r->write_miss : r->dmiss;
	bool merged = store ? r->write_merged : (r->flags & CULPRIT_MERGED) != 0;
	uint8_t level = store ? r->write_level : r->dlevel;
	o->missed[r->seq % GRAPH_OPEN_MISSES] = miss && !merged;
	o->data_waits += miss;
	if (!merged || !o->prefetches || miss >= o->miss_cycles[level] || r->primary_miss >= GRAPH_OPEN_MISSES)
		return;
	if (!r->primary_miss || !o->missed[(r->seq - r->primary_miss) % GRAPH_OPEN_MISSES])
		o->prefetch_saved += o->miss_cycles[level] - miss;
}

void graph_open_records(struct graph_open *o, const struct culprit_record *r, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		see_fetch(o, &r[i]);
		see_access(o, &r[i]);
	}
}

static double part(double some, double all)
{
	return all > 0 ? some / all : 0;
}

/* Without data in the L2 those fetches may have found their lines there. With another window or other widths accesses
 * come in another order, so that a prefetcher may have asked for nothing: then waits are longer, and cost what data
 * misses cost in the run. */
bool graph_open_cycles(const struct graph_open *o, const struct culprit_graph_results *lanes,
		       double cycles[CULPRIT_GRAPH_SETS])
{
	const double again = part(o->fetched_again, o->fetch_waits), saved = part(o->prefetch_saved, o->data_waits);
	bool moved = false;
	for (unsigned set = 0; set < 1u << lanes->class_count; set++) {
		double more = 0, time = (double)lanes->time[set];
		if ((set & DMISS) && !(set & IMISS))
			more -= again * (time - (double)lanes->time[set | IMISS]);
		if ((set & OTHER_ORDER) && !(set & DMISS))
			more += saved * ((double)lanes->time[0] - (double)lanes->time[DMISS]);
		cycles[set] = more;
		moved |= more > 0.01 * (double)lanes->time[0] || more < -0.01 * (double)lanes->time[0];
	}
	return moved;
}
