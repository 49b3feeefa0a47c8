/* Page walks that wait for a walker.
 *
 * A record's translation holds the wait for a walker, and a lane keeps it as a latency. With a larger window walks
 * wait longer, for one another, as there are only so many walkers: that is not in the records. So for every stretch of
 * instructions each lane with the window idealised takes no less time than its walkers need for the stretch's walks.
 * A stretch is about as long as an idealised window: no more than that is hidden behind walks that wait. Writes wait
 * behind the window, so their walks have a queue: it empties while the lane goes on. */
#ifndef CULPRIT_ANALYSIS_GRAPH_WALKS_H
#define CULPRIT_ANALYSIS_GRAPH_WALKS_H

#include <stdbool.h>
#include <stdint.h>

struct culprit_graph;
struct culprit_record;
struct graph_walks;

bool graph_walks_create(struct culprit_graph *g);
void graph_walks_destroy(struct culprit_graph *g);
void graph_walks_note(struct culprit_graph *g, const struct culprit_record *r);
/* At the end of a stretch, and once in the end; lanes have caught up. */
void graph_walks_settle(struct culprit_graph *g);
/* Classes change places. */
void graph_walks_swap(struct culprit_graph *g, unsigned a, unsigned b);
/* Add what is left to each lane's time. */
void graph_walks_finish(const struct culprit_graph *g, uint64_t *time);

#endif
