#include "analysis/profilers/profilers.h"
#include "analysis/profilers/state.h"

#include <stdlib.h>
#include <string.h>

void *profilers_grown(void *array, size_t used, size_t *room, size_t size)
{
	if (used < *room)
		return array;
	size_t larger = *room ? 2 * *room : 1024;
	void *moved = realloc(array, larger * size);
	*room = moved ? larger : *room;
	return moved;
}

/* --- blame --- */

/* The cycles up to `to` that the cursor has not passed. */
static void blame(struct profilers *p, struct cursor *c, enum profiler who, uint32_t row, uint64_t to)
{
	series_counts samples = {0};
	if (to <= c->at)
		return;
	cursor_take(c, &p->params, to, samples);
	for (unsigned s = 0; s < PROFILER_SERIES; s++)
		p->rows[row].weights[who][s] += samples[s] * ORACLE_PARTS;
}

/* The oracle tells cycles in order, and so do the profilers that look at commit. */
static void waited(void *context, uint32_t row, uint32_t next, uint64_t from, uint64_t to)
{
	struct profilers *p = context;
	series_counts samples = {0};
	(void)from;
	blame(p, &p->next, PROFILER_next, next, to);
	cursor_take(&p->tip, &p->params, to, samples);
	for (unsigned s = 0; s < PROFILER_SERIES; s++) {
		p->rows[row].weights[PROFILER_tip][s] += samples[s] * ORACLE_PARTS;
		p->rows[row].weights[PROFILER_tip_plain][s] += samples[s] * ORACLE_PARTS;
	}
}

static void committed(void *context, uint64_t cycle, const uint32_t *rows, size_t count)
{
	struct profilers *p = context;
	series_counts samples = {0};
	blame(p, &p->next, PROFILER_next, rows[0], cycle + 1);
	blame(p, &p->last, PROFILER_last, p->committed == UINT32_MAX ? rows[0] : p->committed, cycle);
	p->committed = rows[count - 1];
	cursor_take(&p->tip, &p->params, cycle + 1, samples);
	for (unsigned s = 0; s < PROFILER_SERIES; s++) {
		p->rows[rows[0]].weights[PROFILER_tip_plain][s] += samples[s] * ORACLE_PARTS;
		for (size_t i = 0; samples[s] && i < count; i++)
			p->rows[rows[i]].weights[PROFILER_tip][s] += samples[s] * oracle_share(i, count);
	}
}

void profilers_close(struct profilers *p)
{
	if (p->committed != UINT32_MAX)
		blame(p, &p->last, PROFILER_last, p->committed, p->oracle.next_cycle);
}

/* The right path is fetched in order; what the interrupt finds fetched is drained. With skid the address is that of an
 * instruction so many later. */
static void blame_software(struct profilers *p, const struct culprit_record *r, uint32_t row)
{
	uint64_t skid = p->params.skid, at = p->pushed++;
	uint64_t fetched = r->fetch;
	if (skid) {
		fetched = at < skid ? 0 : p->fetched[at % skid];
		p->fetched[at % skid] = r->fetch;
	}
	blame(p, &p->software, PROFILER_software, row, fetched);
}

static void blame_tagged(struct profilers *p, const struct culprit_record *r, uint32_t row)
{
	const uint64_t *samples = tagging_commit(&p->tagging, r->seq);
	for (unsigned s = 0; samples && s < PROFILER_SERIES; s++)
		p->rows[row].weights[PROFILER_dispatch][s] += samples[s] * ORACLE_PARTS;
}

/* --- what comes in --- */

struct profilers *profilers_create(const struct profilers_params *params, struct error *err)
{
	struct profilers *p = calloc(1, sizeof *p);
	if (p)
		p->fetched = calloc(params->skid + 1, sizeof *p->fetched);
	if (!p || !p->fetched) {
		error_set(err, ERROR_SYSTEM, "out of memory for profilers");
		free(p);
		return NULL;
	}
	p->params = *params;
	p->listener = (struct oracle_listener){p, waited, committed};
	p->oracle.listener = &p->listener;
	p->committed = UINT32_MAX;
	struct cursor *const all[] = {&p->software, &p->last, &p->next, &p->tip};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		cursor_begin(all[i], params);
	tagging_begin(&p->tagging, params);
	lbr_begin(&p->lbr, params);
	return p;
}

void profilers_destroy(struct profilers *p)
{
	if (!p)
		return;
	oracle_destroy(&p->oracle);
	tagging_destroy(&p->tagging);
	lbr_destroy(&p->lbr);
	free(p->fetched);
	free(p->rows);
	free(p->order);
	free(p);
}

void profilers_log(struct profilers *p, const struct culprit_log_part *part)
{
	p->out_of_memory = p->out_of_memory || !tagging_log(&p->tagging, &p->params, part);
}

/* False: no memory. */
static bool take(struct profilers *p, const struct culprit_record *r)
{
	uint32_t row = oracle_row_of(&p->oracle, r);
	if (row == UINT32_MAX)
		return false;
	size_t room = p->room;
	struct profile_row *rows = profilers_grown(p->rows, row, &p->room, sizeof *rows);
	if (!rows)
		return false;
	p->rows = rows;
	memset(rows + room, 0, (p->room - room) * sizeof *rows);
	blame_software(p, r, row);
	blame_tagged(p, r, row);
	oracle_push(&p->oracle, r, 1);
	return lbr_push(&p->lbr, &p->params, r) && !p->oracle.out_of_memory;
}

void profilers_push(struct profilers *p, const struct culprit_record *records, size_t count)
{
	for (size_t i = 0; i < count && !p->out_of_memory; i++)
		p->out_of_memory = !take(p, &records[i]);
}
