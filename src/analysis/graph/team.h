/* A graph whose lanes are computed in several threads: the leader's, which is the caller's, and helpers'.
 *
 * A lane needs no lane of another quarter. So each member is a graph of its own that makes the whole plan and computes
 * some quarters only, and they need not wait for one another. (The plan is a tenth of a pass. Made once for all, it
 * would have everybody wait at each instruction with a rarer edge, since the plan looks at rows there.) One thing only
 * goes from member to member: which classes have issue slots (sharing.c). The leader has quarter 0, which decides that.
 *
 * Helpers read batches of records from a ring, which the leader fills before it takes a batch itself. So whatever a
 * helper waits for, the leader has done or will do without it. */
#ifndef CULPRIT_ANALYSIS_GRAPH_TEAM_H
#define CULPRIT_ANALYSIS_GRAPH_TEAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct culprit_graph;
struct culprit_graph_params;
struct culprit_record;
struct graph_team;

enum { GRAPH_CHOICE_MOST = 2 };

/* Classes that change places at some instruction, in this order. */
struct graph_choice {
	uint8_t count, least[GRAPH_CHOICE_MOST], most[GRAPH_CHOICE_MOST];
};

/* g->leads, if the parameters, those that it has been made of, ask for it. False: out of memory. */
bool graph_team_create(struct culprit_graph *g, const struct culprit_graph_params *params);
void graph_team_destroy(struct graph_team *t);
bool graph_team_push(struct culprit_graph *g, const struct culprit_record *records, size_t count);
/* All helpers have all records. False: one has failed, and its error is the leader's. */
bool graph_team_settle(struct culprit_graph *g);
/* Of the lanes that are not the leader's own. */
void graph_team_times(const struct culprit_graph *g, uint64_t *time);
bool graph_team_widened(const struct culprit_graph *g);

/* The leader's choice before instruction number `number`, a multiple of GRAPH_SHARING_FIRST; a helper waits for it.
 * False: there is none, since the leader has failed. */
void graph_team_tell(struct graph_team *t, uint64_t number, const struct graph_choice *c);
bool graph_team_learn(struct graph_team *t, uint64_t number, struct graph_choice *c);

#endif
