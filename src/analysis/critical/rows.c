/* Static instructions by address, and the steps that the path takes between them: an open-addressing table that doubles
 * when three quarters full. */
#include "analysis/critical/state.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROWS = 4096 };
static const uint32_t EMPTY = UINT32_MAX;

static size_t hash(uint64_t key)
{
	return (size_t)((key * 0x9e3779b97f4a7c15u) >> 32);
}

static struct critical_transition *new_transitions(size_t entries)
{
	struct critical_transition *t = malloc(entries * sizeof *t);
	for (size_t i = 0; t && i < entries; i++)
		t[i].from = EMPTY;
	return t;
}

bool critical_rows_create(struct culprit_critical *c)
{
	c->transitions = new_transitions(2 * FIRST_ROWS);
	c->transition_mask = 2 * FIRST_ROWS - 1;
	c->rows = malloc(FIRST_ROWS * sizeof *c->rows);
	c->row_room = FIRST_ROWS;
	return c->transitions && c->rows;
}

void critical_rows_destroy(struct culprit_critical *c)
{
	map_destroy(&c->index);
	free(c->transitions);
	free(c->rows);
}

uint32_t critical_row_of(struct culprit_critical *c, uint64_t pc)
{
	uint32_t known = map_get(&c->index, pc);
	if (known)
		return known - 1;
	if (c->row_count == c->row_room) {
		struct critical_row *rows = realloc(c->rows, 2 * c->row_room * sizeof *rows);
		if (!rows)
			return EMPTY;
		c->rows = rows;
		c->row_room *= 2;
	}
	if (!map_put(&c->index, pc, (uint32_t)c->row_count + 1))
		return EMPTY;
	c->rows[c->row_count] = (struct critical_row){.public = {.pc = pc, .slack_min = UINT32_MAX}};
	return (uint32_t)c->row_count++;
}

/* --- steps --- */

static struct critical_transition *find_step(struct critical_transition *t, size_t mask, uint32_t from, uint32_t to,
					     uint32_t kind)
{
	size_t i = hash(((uint64_t)from << 32 | to) + kind * 0x100000001b3u) & mask;
	while (t[i].from != EMPTY && (t[i].from != from || t[i].to != to || t[i].kind != kind))
		i = (i + 1) & mask;
	return &t[i];
}

static bool grow_steps(struct culprit_critical *c)
{
	size_t entries = 2 * (c->transition_mask + 1);
	struct critical_transition *t = new_transitions(entries);
	if (!t)
		return critical_fail(c, "out of memory for the path's steps");
	for (size_t i = 0; i <= c->transition_mask; i++) {
		const struct critical_transition *old = &c->transitions[i];
		if (old->from != EMPTY)
			*find_step(t, entries - 1, old->from, old->to, old->kind) = *old;
	}
	free(c->transitions);
	c->transitions = t;
	c->transition_mask = entries - 1;
	return true;
}

void critical_rows_step(struct culprit_critical *c, uint32_t from, uint32_t to, enum culprit_critical_kind kind)
{
	struct critical_transition *t = find_step(c->transitions, c->transition_mask, from, to, kind);
	if (t->from == EMPTY) {
		if (4 * c->transition_count > 3 * c->transition_mask) {
			if (!grow_steps(c))
				return;
			t = find_step(c->transitions, c->transition_mask, from, to, kind);
		}
		*t = (struct critical_transition){from, to, kind, 0};
		c->transition_count++;
	}
	t->count++;
}
