#include "with/graph_open.h"

#include <math.h>
#include <string.h>

enum { DMISS = 1u << CULPRIT_EVENT_dmiss, IMISS = 1u << CULPRIT_EVENT_imiss };
enum { WIN = 1u << CULPRIT_EVENT_win, OTHER_ORDER = WIN | 1u << CULPRIT_EVENT_bw };

void graph_open_init(struct graph_open *o, const struct culprit_graph_params *params)
{
	memset(o, 0, sizeof *o);
	memcpy(o->miss_cycles, params->miss_cycles, sizeof o->miss_cycles);
	o->prefetches = params->l1_prefetches;
	o->mshrs = params->mshrs;
	o->memory_interval = params->memory_interval;
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

/* Brought by a miss, or by a prefetch that came too late for its first use. A miss that waits less than a whole one
 * finds the next level's line on its way, which takes no turn on the bus again. */
static inline void see_line(struct graph_open *o, uint8_t level, uint32_t held)
{
	const uint32_t whole = o->miss_cycles[level];
	o->held += held < whole ? held : whole;
	o->on_bus += level == CULPRIT_LEVEL_MEMORY && held >= whole ? o->memory_interval : 0;
}

static inline void see_prefetched(struct graph_open *o, uint64_t address, uint8_t level)
{
	const uint64_t line = address >> o->line_bits;
	/* spread: arrays lie a power of two apart */
	uint64_t *slot = &o->prefetched[line * 0x9e3779b97f4a7c15 >> 32 & (GRAPH_OPEN_MISSES - 1)];
	if (*slot != line)
		see_line(o, level, o->miss_cycles[level]);
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
	if (o->missed[r->seq % GRAPH_OPEN_MISSES])
		see_line(o, level, miss);
	if (!merged || !o->prefetches || r->primary_miss >= GRAPH_OPEN_MISSES)
		return;
	if (r->primary_miss && o->missed[(r->seq - r->primary_miss) % GRAPH_OPEN_MISSES])
		return;
	see_prefetched(o, r->mem_addr, level);
	if (miss < o->miss_cycles[level])
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

void graph_open_bound(const struct graph_open *o, struct culprit_graph_results *lanes)
{
	const double least = fmax(o->mshrs ? o->held / o->mshrs : 0, o->on_bus);
	bool longer = false;
	for (unsigned set = 0; o->prefetches && set < 1u << lanes->class_count; set++) {
		const uint64_t most = lanes->time[set & ~(unsigned)WIN];
		const uint64_t bound = least < (double)most ? (uint64_t)least : most;
		if (!(set & WIN) || (set & DMISS) || lanes->time[set] >= bound)
			continue;
		lanes->time[set] = bound;
		longer = true;
	}
	if (longer)
		culprit_graph_decompose(lanes);
}
