/* Which classes' lanes have issue slots of their own: the four that cost most lately, besides win and bw.
 *
 * A lane without its own waits as long as the lane does in which its other classes are not idealised (slots.c), which
 * is wrong where these change much: with a program that waits for fetch misses half of its time, instructions come much
 * denser in the lanes without them. What a class costs says how much its lanes differ, and the lanes know it. Always
 * the same four (dl1, shalu, dmiss, bmisp): sqlite3's imiss on eyerman2009-4w 3.0 points too high; this way 0.1.
 *
 * Lately: in the last GRAPH_SHARING_STEP instructions. By the costs since the beginning, link-parser's lgalu on
 * eyerman2009-4w, which costs in bursts, was 3.2 points off; this way 1.4. Where bits change places lanes do, in
 * everything that has lanes, and the slots of lanes that had none before begin empty. */
#include "analysis/graph/state.h"
#include "analysis/graph/walks.h"

#include <stdlib.h>

enum { OWN = 4, PLACES = GRAPH_PLACES }; /* bits inside that decide slots: GRAPH_SLOT_LANES of each quarter */
_Static_assert(GRAPH_CHOICE_MOST == PLACES - OWN, "one for each class without slots");
_Static_assert(GRAPH_SLOT_LANES == 1 << OWN && GRAPH_QUARTER == 1 << PLACES, "places are bits of a lane's number");

/* By place: cycles by which the lane with only that class idealised became shorter, or longer, in the last step, or in
 * the first, which is not whole. g->saved is of its beginning. One-cycle operations and L1D hits count four times:
 * without these the readiness of most instructions changes, not of some. (Counted once, they gave way to lgalu in
 * glpsol, whose bw+shalu on eyerman2009-4w was then 3.1 points off instead of 0.3.) */
static void find_costs(struct culprit_graph *g, uint64_t cost[PLACES])
{
	uint64_t time[GRAPH_LANES];
	graph_rows_times(g, time);
	uint32_t common = g->owners[CULPRIT_EVENT_dl1] | g->owners[CULPRIT_EVENT_shalu];
	for (unsigned place = 0; place < PLACES; place++) {
		uint64_t weight = common >> place & 1 ? 4 : 1;
		const int64_t saved = (int64_t)(time[0] - time[1u << place]);
		cost[place] = weight * (uint64_t)llabs(saved - g->saved[place]);
		if (g->count % GRAPH_SHARING_STEP == 0)
			g->saved[place] = saved;
	}
}

/* The cheapest class with slots, of equals the last; the dearest without. */
static void find_places(const uint64_t cost[PLACES], unsigned *least, unsigned *most)
{
	*least = 0;
	*most = OWN;
	for (unsigned place = 1; place < OWN; place++)
		*least = cost[place] <= cost[*least] ? place : *least;
	for (unsigned place = OWN + 1; place < PLACES; place++)
		*most = cost[place] > cost[*most] ? place : *most;
}

/* What has been put out costs no more than what then still has slots, so as many changes as there are classes without
 * are the most. */
static void decide(struct culprit_graph *g, struct graph_choice *c)
{
	uint64_t cost[PLACES];
	unsigned least, most;
	find_costs(g, cost);
	for (c->count = 0; c->count < PLACES - OWN; c->count++) {
		find_places(cost, &least, &most);
		if (4 * cost[most] <= 5 * cost[least]) /* not worth slots that begin anew */
			return;
		c->least[c->count] = (uint8_t)least;
		c->most[c->count] = (uint8_t)most;
		uint64_t kept = cost[least];
		cost[least] = cost[most];
		cost[most] = kept;
	}
}

static bool change_places(struct culprit_graph *g, unsigned least, unsigned most)
{
	const int64_t saved = g->saved[least];
	g->saved[least] = g->saved[most];
	g->saved[most] = saved;
	graph_classes_swap(g, least, most);
	if (!graph_rows_swap(g, least, most))
		return false;
	graph_slots_restart(g, least);
	graph_rob_rows_swap(g, least, most);
	graph_order_swap(g, least, most);
	graph_walks_swap(g, least, most);
	return true;
}

bool graph_sharing_choose(struct culprit_graph *g)
{
	struct graph_choice c = {0};
	if (!g->follows)
		decide(g, &c);
	else if (!graph_team_learn(g->follows, g->count, &c))
		return false;
	if (g->leads)
		graph_team_tell(g->leads, g->count, &c);
	for (unsigned i = 0; i < c.count; i++)
		if (!change_places(g, c.least[i], c.most[i]))
			return false;
	return true;
}
