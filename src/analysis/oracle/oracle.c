#include "analysis/oracle/oracle.h"

#include "analysis/commit_stack.h"

#include <stdlib.h>
#include <string.h>

/* --- names --- */

struct name {
	const char *name, *tea, *meaning;
};
static const struct name cases[] = {
#define ORACLE_CASE(name, meaning) {#name, NULL, meaning},
#include "analysis/oracle/case.def"
};
static const struct name events[] = {
#define ORACLE_EVENT(name, tea, meaning) {#name, tea, meaning},
#include "analysis/oracle/event.def"
};

const char *oracle_case_name(enum oracle_case which)
{
	return cases[which].name;
}

const char *oracle_case_meaning(enum oracle_case which)
{
	return cases[which].meaning;
}

const char *oracle_event_name(enum oracle_event event)
{
	return events[event].name;
}

const char *oracle_event_tea(enum oracle_event event)
{
	return events[event].tea;
}

const char *oracle_event_meaning(enum oracle_event event)
{
	return events[event].meaning;
}

/* --- rows --- */

void oracle_destroy(struct oracle *o)
{
	free(o->rows);
	free(o->group);
	map_destroy(&o->places);
	memset(o, 0, sizeof *o);
}

/* A hit that waited for the L1I's port is no miss; writes of stores begin when they have committed. */
uint16_t oracle_events(const struct culprit_record *r)
{
	bool load = r->flags & CULPRIT_LOAD, memory = r->flags & (CULPRIT_LOAD | CULPRIT_STORE);
	const bool met[ORACLE_EVENTS] = {
		[ORACLE_EVENT_l1i] = r->imiss && r->ilevel > CULPRIT_LEVEL_L1,
		[ORACLE_EVENT_itlb] = r->itlb != 0,
		[ORACLE_EVENT_stores] = r->window == CULPRIT_WINDOW_SQ ||
					(r->window == CULPRIT_WINDOW_LSQ && (r->flags & CULPRIT_STORE)),
		[ORACLE_EVENT_mispredict] = r->flags & CULPRIT_MISPREDICTED,
		[ORACLE_EVENT_serialise] = r->flags & CULPRIT_SERIALISING,
		[ORACLE_EVENT_violation] = r->flags & CULPRIT_VIOLATED,
		[ORACLE_EVENT_l1d] = load && r->dlevel > CULPRIT_LEVEL_L1,
		[ORACLE_EVENT_memory] = load && r->dlevel == CULPRIT_LEVEL_MEMORY,
		[ORACLE_EVENT_dtlb] = memory && r->dtlb,
	};
	unsigned set = 0;
	for (unsigned i = 0; i < ORACLE_EVENTS; i++)
		set |= (unsigned)met[i] << i;
	return (uint16_t)set;
}

/* NULL: no memory, and nothing is lost. */
static void *grown(void *array, size_t used, size_t *room, size_t size)
{
	if (used < *room)
		return array;
	size_t larger = *room ? 2 * *room : 1024;
	void *moved = realloc(array, larger * size);
	*room = moved ? larger : *room;
	return moved;
}

static uint32_t new_row(struct oracle *o, uint64_t key, const struct oracle_row *row)
{
	void *rows = o->count < UINT32_MAX - 1 ? grown(o->rows, o->count, &o->room, sizeof *o->rows) : NULL;
	if (rows)
		o->rows = rows;
	if (!rows || !map_put(&o->places, key, (uint32_t)o->count + 1)) {
		o->out_of_memory = true;
		return UINT32_MAX;
	}
	o->rows[o->count] = *row;
	return (uint32_t)o->count++;
}

uint32_t oracle_row_of(struct oracle *o, const struct culprit_record *r)
{
	uint16_t met = oracle_events(r);
	uint64_t key = r->pc << ORACLE_EVENTS | met; /* addresses of programs have far less than 55 bits */
	uint32_t known = map_get(&o->places, key);
	if (known)
		return known - 1;
	return o->out_of_memory ? UINT32_MAX : new_row(o, key, &(struct oracle_row){.pc = r->pc, .events = met});
}

/* --- cycles --- */

static void close_group(struct oracle *o)
{
	if (!o->group_count)
		return;
	for (size_t i = 0; i < o->group_count; i++)
		o->rows[o->group[i]].parts[ORACLE_computing] += oracle_share(i, o->group_count);
	if (o->listener)
		o->listener->committed(o->listener->context, o->next_cycle - 1, o->group, o->group_count);
	o->group_count = 0;
}

static void charge(struct oracle *o, enum oracle_case which, uint32_t row, uint32_t next, uint64_t to)
{
	if (to <= o->next_cycle)
		return;
	o->rows[row].parts[which] += (to - o->next_cycle) * ORACLE_PARTS;
	if (o->listener)
		o->listener->waited(o->listener->context, row, next, o->next_cycle, to);
	o->next_cycle = to;
}

/* The window was empty until r was dispatched. Who flushed it has all of that, also where fetch then missed a
 * cache: the refill would have passed all the same, and TIP's register holds the flush until something is
 * dispatched. */
static void charge_empty(struct oracle *o, const struct culprit_record *r, uint32_t row)
{
	enum commit_row why = commit_stack_emptied(o->previous_flags, r);
	if (why == COMMIT_bmisp || (why == COMMIT_serial && (o->previous_flags & CULPRIT_SERIALISING)))
		charge(o, ORACLE_flushed, o->previous, row, r->dispatch);
	else
		charge(o, why == COMMIT_violation ? ORACLE_flushed : ORACLE_drained, row, row, r->dispatch);
}

static void new_cycle(struct oracle *o, const struct culprit_record *r, uint32_t row)
{
	close_group(o);
	if (r->dispatch > o->next_cycle)
		charge_empty(o, r, row);
	charge(o, ORACLE_stalled, row, row, r->commit);
	o->next_cycle = r->commit + 1;
}

/* It commits with those of the group. False: no memory. */
static bool join_group(struct oracle *o, uint32_t row, uint32_t slots)
{
	if (!slots && o->group_count && !o->group_without_slots)
		return true;
	if (slots && o->group_without_slots)
		o->group_count = 0;
	o->group_without_slots = !slots;
	for (uint32_t parts = slots ? slots : 1; parts; parts--) {
		void *group = grown(o->group, o->group_count, &o->group_room, sizeof *o->group);
		if (!group)
			return false;
		o->group = group;
		o->group[o->group_count++] = row;
	}
	return true;
}

static void take(struct oracle *o, const struct culprit_record *r)
{
	uint32_t row = oracle_row_of(o, r);
	if (row != UINT32_MAX && r->commit >= o->next_cycle)
		new_cycle(o, r, row);
	if (row == UINT32_MAX || !join_group(o, row, culprit_weight(r->commit_slots))) {
		o->out_of_memory = true;
		return;
	}
	struct oracle_row *w = &o->rows[row];
	w->executions++;
	w->leader |= o->previous_branch != CULPRIT_BRANCH_NONE;
	w->entry |= o->previous_branch == CULPRIT_BRANCH_CALL || o->previous_branch == CULPRIT_BRANCH_INDIRECT_CALL;
	o->previous = row;
	o->previous_flags = r->flags;
	o->previous_branch = r->branch;
}

void oracle_push(struct oracle *o, const struct culprit_record *records, size_t count)
{
	for (size_t i = 0; i < count && !o->out_of_memory; i++)
		take(o, &records[i]);
}

static int by_place(const void *a, const void *b)
{
	const struct oracle_row *x = a, *y = b;
	if (x->pc != y->pc)
		return x->pc < y->pc ? -1 : 1;
	return (x->events > y->events) - (x->events < y->events);
}

bool oracle_finish(struct oracle *o, struct error *err)
{
	if (o->out_of_memory)
		return error_set(err, ERROR_SYSTEM, "out of memory for the cycles of %zu instructions", o->count);
	close_group(o);
	if (!o->listener && o->count)
		qsort(o->rows, o->count, sizeof *o->rows, by_place);
	return true;
}

uint64_t oracle_end(const struct oracle *o, uint64_t cycles)
{
	return cycles > o->next_cycle ? cycles - o->next_cycle : 0;
}
