/* Members, their ring of records, and what each thread waits for. All counters are under one lock: a batch takes tens
 * of microseconds. */
#include "analysis/graph/team.h"

#include "analysis/graph/state.h"
#include "analysis/graph/walks.h"
#include "base/worker.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { BATCHES = 16, HELPERS_MOST = 2 };

/* A helper is behind by the ring at the most, and by the batch that the leader has taken itself. */
enum { CHOICES = BATCHES * GRAPH_BATCH / (int)GRAPH_SHARING_FIRST + 2 };

struct member {
	struct graph_team *team;
	struct culprit_graph *graph;
	pthread_t thread;
	uint64_t taken; /* batches */
};

struct graph_team {
	struct member helpers[HELPERS_MOST];
	size_t count, running;
	bool started;
	struct culprit_record (*records)[GRAPH_BATCH];
	size_t sizes[BATCHES];

	pthread_mutex_t lock;
	pthread_cond_t has_filled, has_taken, has_chosen;
	uint64_t filled; /* batches */
	bool hurry;	 /* do not wait for more */
	bool stop;
	struct graph_choice choices[CHOICES]; /* by the number over GRAPH_SHARING_FIRST */
	uint64_t chosen;		      /* the last number with a choice */
};

/* --- helpers --- */

/* A helper waits for half a ring, so that it seldom has to be woken. */
static bool worth_waking(const struct member *m)
{
	uint64_t waiting = m->team->filled - m->taken;
	return waiting >= BATCHES / 2 || (m->team->hurry && waiting);
}

static void wait_for_records(struct member *m)
{
	while (!worth_waking(m) && !m->team->stop)
		pthread_cond_wait(&m->team->has_filled, &m->team->lock);
}

static void *work(void *context)
{
	struct member *m = context;
	struct graph_team *t = m->team;
	pthread_mutex_lock(&t->lock);
	for (;;) {
		if (m->taken == t->filled)
			wait_for_records(m);
		if (t->stop)
			break;
		const size_t at = m->taken % BATCHES;
		pthread_mutex_unlock(&t->lock);
		graph_push_own(m->graph, t->records[at], t->sizes[at]); /* keeps its error until it is asked */
		pthread_mutex_lock(&t->lock);
		m->taken++;
		pthread_cond_signal(&t->has_taken);
	}
	pthread_mutex_unlock(&t->lock);
	return NULL;
}

/* With the first record: until then the process may fork. Lanes of a thread that the host does not give are the
 * leader's. */
static void start(struct culprit_graph *g)
{
	struct graph_team *t = g->leads;
	t->started = true;
	while (t->running < t->count && worker_start(&t->helpers[t->running].thread, work, &t->helpers[t->running]))
		t->running++;
	for (size_t i = t->running; i < t->count; i++)
		g->quarters |= t->helpers[i].graph->quarters;
}

/* --- the leader --- */

static void wait_for_helpers(struct graph_team *t, uint64_t most)
{
	for (size_t i = 0; i < t->running; i++)
		while (t->filled - t->helpers[i].taken > most)
			pthread_cond_wait(&t->has_taken, &t->lock);
}

static void hand_over(struct graph_team *t, const struct culprit_record *records, size_t count)
{
	bool wake = false;
	pthread_mutex_lock(&t->lock);
	wait_for_helpers(t, BATCHES - 1);
	pthread_mutex_unlock(&t->lock);
	const size_t at = t->filled % BATCHES; /* nobody else writes `filled` */
	memcpy(t->records[at], records, count * sizeof *records);
	t->sizes[at] = count;
	pthread_mutex_lock(&t->lock);
	t->filled++;
	for (size_t i = 0; i < t->running; i++)
		wake |= worth_waking(&t->helpers[i]);
	if (wake)
		pthread_cond_broadcast(&t->has_filled);
	pthread_mutex_unlock(&t->lock);
}

bool graph_team_push(struct culprit_graph *g, const struct culprit_record *records, size_t count)
{
	struct graph_team *t = g->leads;
	if (!t->started && count)
		start(g);
	for (size_t done = 0, n; done < count && !g->failed; done += n) {
		n = count - done < GRAPH_BATCH ? count - done : GRAPH_BATCH;
		if (t->running)
			hand_over(t, records + done, n);
		graph_push_own(g, records + done, n);
	}
	return !g->failed;
}

bool graph_team_settle(struct culprit_graph *g)
{
	struct graph_team *t = g->leads;
	pthread_mutex_lock(&t->lock);
	t->hurry = true;
	pthread_cond_broadcast(&t->has_filled);
	wait_for_helpers(t, 0);
	t->hurry = false;
	pthread_mutex_unlock(&t->lock);
	for (size_t i = 0; i < t->running && !g->failed; i++) {
		struct culprit_graph *helper = t->helpers[i].graph;
		g->failed = helper->failed;
		if (g->failed)
			memcpy(g->error, helper->error, sizeof g->error);
		else {
			graph_catch_up(helper);
			graph_walks_settle(helper);
		}
	}
	return !g->failed;
}

void graph_team_times(const struct culprit_graph *g, uint64_t *time)
{
	uint64_t theirs[GRAPH_LANES];
	for (size_t i = 0; i < g->leads->running; i++) {
		const struct culprit_graph *helper = g->leads->helpers[i].graph;
		graph_rows_times(helper, theirs);
		graph_walks_finish(helper, theirs);
		for (size_t lane = 0; lane < GRAPH_LANES; lane++)
			if (helper->quarters >> lane / GRAPH_QUARTER & 1)
				time[lane] = theirs[lane];
	}
}

bool graph_team_widened(const struct culprit_graph *g)
{
	bool widened = false;
	for (size_t i = 0; i < g->leads->running; i++)
		widened |= g->leads->helpers[i].graph->widened;
	return widened;
}

/* --- choices --- */

void graph_team_tell(struct graph_team *t, uint64_t number, const struct graph_choice *c)
{
	pthread_mutex_lock(&t->lock);
	t->choices[number / GRAPH_SHARING_FIRST % CHOICES] = *c;
	t->chosen = number;
	pthread_cond_broadcast(&t->has_chosen);
	pthread_mutex_unlock(&t->lock);
}

bool graph_team_learn(struct graph_team *t, uint64_t number, struct graph_choice *c)
{
	pthread_mutex_lock(&t->lock);
	while (t->chosen < number && !t->stop)
		pthread_cond_wait(&t->has_chosen, &t->lock);
	const bool known = t->chosen >= number;
	*c = t->choices[number / GRAPH_SHARING_FIRST % CHOICES];
	pthread_mutex_unlock(&t->lock);
	return known;
}

/* --- creation --- */

/* Quarters by member, the leader first. Those with slots are 0 and 2 where bandwidth is idealised in exactly the
 * others, which then take less together than one of them. */
static size_t share_out(const struct culprit_graph *g, uint8_t *quarters)
{
	static const uint8_t halves[] = {3, 12}, three[] = {1, 4, 10};
	const struct culprit_graph_params *p = &g->params;
	if (p->processors < 2)
		return 1;
	const bool by_slots = p->processors > 2 && g->split && p->issue_slots && !g->kernels->halves;
	memcpy(quarters, by_slots ? three : halves, by_slots ? sizeof three : sizeof halves);
	return by_slots ? 3 : 2;
}

static bool create_helper(struct graph_team *t, const struct culprit_graph_params *params, uint8_t quarters)
{
	struct culprit_graph_params own = *params;
	own.processors = 0;
	struct culprit_graph *helper = culprit_graph_create(&own, NULL);
	if (!helper)
		return false;
	helper->quarters = quarters;
	helper->follows = t;
	t->helpers[t->count++] = (struct member){.team = t, .graph = helper};
	return true;
}

bool graph_team_create(struct culprit_graph *g, const struct culprit_graph_params *params)
{
	uint8_t quarters[1 + HELPERS_MOST];
	const size_t members = share_out(g, quarters);
	if (members < 2)
		return true;
	struct graph_team *t = g->leads = calloc(1, sizeof *t);
	if (!t)
		return false;
	pthread_mutex_init(&t->lock, NULL);
	pthread_cond_init(&t->has_filled, NULL);
	pthread_cond_init(&t->has_taken, NULL);
	pthread_cond_init(&t->has_chosen, NULL);
	t->records = aligned_alloc(GRAPH_ALIGN, BATCHES * sizeof *t->records);
	g->quarters = quarters[0];
	for (size_t i = 1; i < members; i++)
		if (!t->records || !create_helper(t, params, quarters[i]))
			return false;
	return true;
}

void graph_team_destroy(struct graph_team *t)
{
	if (!t)
		return;
	pthread_mutex_lock(&t->lock);
	t->stop = true;
	pthread_cond_broadcast(&t->has_filled);
	pthread_cond_broadcast(&t->has_chosen);
	pthread_mutex_unlock(&t->lock);
	for (size_t i = 0; i < t->running; i++)
		pthread_join(t->helpers[i].thread, NULL);
	for (size_t i = 0; i < t->count; i++)
		culprit_graph_destroy(t->helpers[i].graph);
	pthread_cond_destroy(&t->has_filled);
	pthread_cond_destroy(&t->has_taken);
	pthread_cond_destroy(&t->has_chosen);
	pthread_mutex_destroy(&t->lock);
	free(t->records);
	free(t);
}
