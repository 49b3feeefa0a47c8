#include "analysis/calls.h"

#include <stdlib.h>
#include <string.h>

void calls_create(struct calls *c, const struct commit_stack_params *params)
{
	*c = (struct calls){.params = *params, .wanted = true};
}

void calls_destroy(struct calls *c)
{
	free(c->edges);
	free(c->frames);
	map_destroy(&c->sites);
	map_destroy(&c->running);
	memset(c, 0, sizeof *c);
}

/* --- costs --- */

static void add_record(struct calls *c, const struct culprit_record *r)
{
	const unsigned level = r->dlevel > r->write_level ? r->dlevel : r->write_level;
	c->sum.executions++;
	c->sum.mispredictions += (r->flags & CULPRIT_MISPREDICTED) != 0;
	c->sum.l1d_misses += level > CULPRIT_LEVEL_L1;
	c->sum.l2_misses += level > CULPRIT_LEVEL_L2;
	c->sum.memory += level == CULPRIT_LEVEL_MEMORY;
	if (r->commit < c->next_cycle)
		return;
	if (r->commit > c->next_cycle) {
		struct commit_wait wait;
		commit_stack_wait(&c->params, r, c->last.flags, c->next_cycle, &wait);
		commit_cause_add(r, &c->params, &wait, c->sum.causes);
	}
	c->sum.causes[CAUSE_commit]++;
	c->next_cycle = r->commit + 1;
}

static void add_difference(struct calls_costs *to, const struct calls_costs *now, const struct calls_costs *before)
{
	to->executions += now->executions - before->executions;
	to->mispredictions += now->mispredictions - before->mispredictions;
	to->l1d_misses += now->l1d_misses - before->l1d_misses;
	to->l2_misses += now->l2_misses - before->l2_misses;
	to->memory += now->memory - before->memory;
	for (unsigned i = 0; i < COMMIT_CAUSES; i++)
		to->causes[i] += now->causes[i] - before->causes[i];
}

/* --- edges and frames --- */

/* Room for one more; false: no memory, and nothing is counted any more. */
static bool make_room(struct calls *c, void *elements, size_t count, size_t *room, size_t size)
{
	if (count < *room)
		return true;
	const size_t larger = *room ? 2 * *room : 256;
	void *old, *grown;
	memcpy(&old, elements, sizeof old);
	grown = realloc(old, larger * size);
	if (!grown)
		return !(c->out_of_memory = true);
	memcpy(elements, &grown, sizeof grown);
	*room = larger;
	return true;
}

/* Its index; UINT32_MAX: no memory. */
static uint32_t find_edge(struct calls *c, uint64_t site, uint64_t target)
{
	const uint32_t first = map_get(&c->sites, site);
	for (uint32_t i = first; i; i = c->edges[i - 1].next)
		if (c->edges[i - 1].target == target)
			return i - 1;
	if (!make_room(c, &c->edges, c->edge_count, &c->edge_room, sizeof *c->edges))
		return UINT32_MAX;
	c->edges[c->edge_count] = (struct calls_edge){.site = site, .target = target, .next = first};
	if (!map_put(&c->sites, site, (uint32_t)++c->edge_count)) {
		c->out_of_memory = true;
		return UINT32_MAX;
	}
	return (uint32_t)c->edge_count - 1;
}

static void enter(struct calls *c, uint64_t target)
{
	const uint32_t edge = find_edge(c, c->last.pc, target);
	if (edge == UINT32_MAX)
		return;
	c->edges[edge].count++;
	if (c->depth == CALLS_DEEPEST) {
		c->deeper++;
		return;
	}
	const uint32_t running = map_get(&c->running, target);
	if (!make_room(c, &c->frames, c->depth, &c->frame_room, sizeof *c->frames))
		return;
	c->out_of_memory |= !map_put(&c->running, target, running > 1 ? running + 1 : 2);
	c->frames[c->depth++] = (struct calls_frame){
		.back = c->last.pc + c->last.length, .edge = edge, .recursive = running > 1, .before = c->sum};
}

static void leave(struct calls *c)
{
	const struct calls_frame *f = &c->frames[--c->depth];
	struct calls_edge *e = &c->edges[f->edge];
	if (!f->recursive)
		add_difference(&e->costs, &c->sum, &f->before);
	c->out_of_memory |= !map_put(&c->running, e->target, map_get(&c->running, e->target) - 1);
}

static void come_back(struct calls *c, uint64_t to)
{
	if (c->deeper) {
		c->deeper--;
		return;
	}
	const size_t least = c->depth > CALLS_SEARCHED ? c->depth - CALLS_SEARCHED : 0;
	size_t at = c->depth;
	while (at > least && c->frames[at - 1].back != to)
		at--;
	while (at > least && c->depth >= at)
		leave(c);
}

/* --- records --- */

static bool is_call(uint8_t branch)
{
	return branch == CULPRIT_BRANCH_CALL || branch == CULPRIT_BRANCH_INDIRECT_CALL;
}

void calls_push(struct calls *c, const struct culprit_record *records, size_t count)
{
	for (const struct culprit_record *r = records; r != records + count && c->wanted && !c->out_of_memory; r++) {
		if (is_call(c->last.branch))
			enter(c, r->pc);
		else if (c->last.branch == CULPRIT_BRANCH_RETURN)
			come_back(c, r->pc);
		add_record(c, r);
		c->last = *r;
	}
}

static int by_site(const void *a, const void *b)
{
	const struct calls_edge *x = a, *y = b;
	if (x->site != y->site)
		return x->site < y->site ? -1 : 1;
	return x->target < y->target ? -1 : x->target > y->target;
}

bool calls_finish(struct calls *c, struct error *err)
{
	while (c->depth && !c->out_of_memory)
		leave(c);
	if (c->out_of_memory)
		return error_set(err, ERROR_SYSTEM, "out of memory for %zu calls", c->edge_count);
	if (c->edge_count)
		qsort(c->edges, c->edge_count, sizeof *c->edges, by_site);
	return true;
}
