/* Of the account of the recorded times (misses.c): what lines that prefetches bring share with it
 * (misses_prefetched.c). */
#ifndef CULPRIT_ANALYSIS_GRAPH_MISSES_ACCOUNT_H
#define CULPRIT_ANALYSIS_GRAPH_MISSES_ACCOUNT_H

#include "analysis/graph/plan.h"

/* The lines that an instruction accesses, as bytes. */
struct graph_accessed {
	uint64_t first, last;
};

/* Puts a miss where it belongs; the cycles that it waits. One before all that are kept: neither. */
uint64_t graph_recorded_wait(struct graph_misses *m, uint64_t key, uint64_t time, uint64_t hold);
/* A line from memory that an L1 asks for at `time`: the cycles that it waits for the bus. */
uint64_t graph_recorded_line(struct culprit_graph *g, uint64_t time);
/* Does an access whose line is on its way need an MSHR of its own? It does when the line is on its way to the next
 * level only: as another part of the line that an older instruction brings, or brought by that level's prefetcher. */
bool graph_brings_its_part(const struct culprit_graph *g, const struct culprit_record *r);
/* Does this one? Once its line of the L1D has been asked for, others that wait for it need none; one that waited for an
 * MSHR did. */
bool graph_asks_for_part(struct culprit_graph *g, const struct culprit_record *r);
/* Is it the first use of a line of the L1D within a window? */
bool graph_first_use(struct culprit_graph *g, uint64_t line);

/* Did no miss of the program bring the line from `level` that the access is the first to wait for? A prefetch asked
 * for it. */
bool graph_first_to_wait(struct culprit_graph *g, const struct culprit_record *r, uint8_t level);
/* Does the line that a prefetch asked for, from `level`, take the memory bus? */
bool graph_prefetch_takes_bus(const struct culprit_graph *g, const struct culprit_record *r, uint8_t level);
/* Had the next level's prefetcher brought the line, which the access asks for itself? */
bool graph_from_below(const struct culprit_graph *g, const struct culprit_record *r);
/* A load of such a line: it took the bus before, and may come late. */
void graph_misses_below(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s);
/* The account of a write that waits for a line that a prefetch asked for. */
void graph_recorded_write_prefetched(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s);
/* The line of a write that does not wait, as a prefetch brought it in time. */
void graph_write_in_time(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s);

/* What the account makes a wait longer than it was. */
static inline uint32_t graph_over(uint64_t wait, uint64_t recorded)
{
	return wait > recorded ? (uint32_t)(wait - recorded) : 0;
}

#endif
