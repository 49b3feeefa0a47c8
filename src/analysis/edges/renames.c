/* See the header. */
#include "analysis/edges/renames.h"

bool renames_create(struct renames *x, const struct culprit_graph_params *params)
{
	struct culprit_graph_params p = *params;
	p.store_writes = false;
	return edge_rooms_create(&x->rooms, &p);
}

void renames_destroy(struct renames *x)
{
	edge_rooms_destroy(&x->rooms);
}

void renames_reset(struct renames *x)
{
	edge_rooms_reset(&x->rooms);
	x->room = 0;
}

void renames_note(struct renames *x, const struct culprit_graph_params *params, const struct culprit_record *r,
		  uint64_t number)
{
	const struct edge_stay stay = {.issue = r->issue};
	edge_rooms_note(&x->rooms, params, r, number, &stay);
}
