/* What later records ask of an earlier one. */
#include "analysis/critical/state.h"

static void recent_push(struct culprit_critical *c, enum critical_recent_kind kind)
{
	struct critical_recent *r = &c->recent[kind];
	if (r->size)
		r->seq[r->count++ & r->mask] = c->count;
}

static void remember_memory(struct culprit_critical *c, const struct culprit_record *r)
{
	uint16_t flags = r->flags;
	if (flags & CULPRIT_LOAD) {
		recent_push(c, RECENT_LQ);
		if (critical_brings_line(c, r))
			record_lines_note(&c->lines, c->count, r, 0);
	}
	if (flags & CULPRIT_STORE) {
		recent_push(c, RECENT_SQ);
		recent_push(c, RECENT_STORE);
		uint64_t complete = c->time[(size_t)(c->end - 1) * CRITICAL_NODES + NODE_P];
		if (complete >= c->store_complete) {
			c->store_complete = complete;
			c->store_latest = c->count;
		}
	}
	recent_push(c, RECENT_LSQ);
}

/* A call to r->pc: r begins a function. A taken branch backwards to it: r begins a loop, the branch ends it. */
static void remember_branch(struct culprit_critical *c, const struct culprit_record *r)
{
	if (c->last.branch == CULPRIT_BRANCH_CALL || c->last.branch == CULPRIT_BRANCH_INDIRECT_CALL)
		c->rows[c->slots[c->end - 1].row].public.calls++;
	bool direct = c->last.branch == CULPRIT_BRANCH_CONDITIONAL || c->last.branch == CULPRIT_BRANCH_JUMP;
	if (!direct || !(c->last.flags & CULPRIT_TAKEN) || r->pc > c->last.pc)
		return;
	struct critical_row *row = &c->rows[c->slots[c->end - 1].row];
	uint64_t end = c->last.pc + c->last.length;
	row->iterations++;
	row->loop_end = end > row->loop_end ? end : row->loop_end;
}

void critical_remember(struct culprit_critical *c, const struct culprit_record *r)
{
	c->rows[c->slots[c->end - 1].row].public.executions++;
	if (c->count)
		remember_branch(c, r);
	record_facts_note(&c->facts, c->count, r);
	const uint64_t *times = c->time + (size_t)(c->end - 1) * CRITICAL_NODES;
	critical_room_remember(&c->room, &c->params, r, c->count, times[NODE_E], times[NODE_C]);
	if (r->flags & CULPRIT_TAKEN)
		recent_push(c, RECENT_TAKEN);
	if (r->branch)
		recent_push(c, RECENT_BRANCH);
	if (r->flags & (CULPRIT_LOAD | CULPRIT_STORE))
		remember_memory(c, r);
	if (r->dest >= 1 && r->dest < 32)
		recent_push(c, RECENT_INT);
	else if (r->dest >= 32 && r->dest < 64)
		recent_push(c, RECENT_FP);
	c->last.seq = r->seq;
	c->last.pc = r->pc;
	c->last.fetch = r->fetch;
	c->last.commit = r->commit;
	c->last.flags = r->flags;
	c->last.length = r->length;
	c->last.branch = r->branch;
	c->count++;
}
