#include "plain_loop.h"

#include "core/state.h"

/* A store's record does not tell the level of its translation, so its write is looked at as it is made. */
static inline void see_store(struct core *c, uint64_t index, const struct memory_access *write);
#define hierarchy_store(hierarchy, now, index, pc, addr, size, write)            \
	do {                                                                     \
		(hierarchy_store)(hierarchy, now, index, pc, addr, size, write); \
		see_store(c, index, write);                                      \
	} while (0)
#define hierarchy_write(hierarchy, now, index, pc, addr, size, write)            \
	do {                                                                     \
		(hierarchy_write)(hierarchy, now, index, pc, addr, size, write); \
		see_store(c, index, write);                                      \
	} while (0)
#include "core/commit.h"
#undef hierarchy_store
#undef hierarchy_write
#include "core/event.h"
#include "core/fetch.h"
#include "core/issue.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define TELL(p, event, ...)                                                        \
	do {                                                                       \
		if ((p)->observer->event)                                          \
			(p)->observer->event((p)->observer->context, __VA_ARGS__); \
	} while (0)

struct plain_seen {
	uint64_t fetch, dispatch, issue, complete;
	uint8_t ilevel, itlb_level, dlevel, dtlb_level;
	bool mispredicted;
};

static struct plain_seen *seen_at(const struct plain_loop *p, uint64_t index)
{
	return &p->seen[index & p->core->mask];
}

/* --- commit --- */

static inline void see_store(struct core *c, uint64_t index, const struct memory_access *write)
{
	const struct plain_loop *p = c->sink->context;
	if (write->level > CULPRIT_LEVEL_L1 || write->tlb_level > CULPRIT_LEVEL_L1)
		TELL(p, store_missed, c->now, index, write->done > c->now ? write->done : c->now, write->level,
		     write->tlb_level, write->merged);
}

static void take_record(void *context, const struct culprit_record *records, size_t count)
{
	struct plain_loop *p = context;
	assert_int_equal(count, 1);
	const struct culprit_record *r = records;
	const struct plain_seen *s = seen_at(p, r->seq);
	assert_int_equal(r->commit, p->core->now);
	assert_int_equal(r->fetch, s->fetch);
	assert_int_equal(r->ilevel, s->ilevel);
	assert_int_equal(r->itlb_level, s->itlb_level);
	assert_int_equal(!!(r->flags & CULPRIT_MISPREDICTED), s->mispredicted);
	assert_int_equal(r->dispatch, s->dispatch);
	assert_int_equal(r->issue, s->issue);
	assert_int_equal(r->complete, s->complete);
	assert_int_equal(r->dtlb_level, s->dtlb_level);
	if (r->flags & CULPRIT_LOAD)
		assert_int_equal(r->dlevel, s->dlevel);
	if (p->records)
		p->records->records(p->records->context, r, 1);
}

/* One at a time: each is handed over as it commits. */
static struct culprit_record *record_room(void *context, size_t *count)
{
	struct plain_loop *p = context;
	*count = 1;
	return &p->record;
}

static uint8_t executing_state(const struct core *c, const struct slot *s)
{
	if ((s->flags & (SLOT_LOAD | SLOT_STORE)) && c->now < s->issue + s->dtlb)
		return CULPRIT_HEAD_DTLB;
	if (!(s->flags & SLOT_LOAD))
		return culprit_operation_state(s->insn->op_class, s->exec_latency);
	if (c->now < s->issue + s->dtlb + s->exec_latency)
		return CULPRIT_HEAD_DL1;
	return culprit_miss_state(s->dlevel);
}

static uint8_t unissued_state(const struct core *c, const struct slot *s)
{
	if (s->state == SLOT_PARKED)
		return CULPRIT_HEAD_ORDER;
	if (s->state == SLOT_READY && s->ready < c->now)
		return CULPRIT_HEAD_CONTENTION;
	if (c->now <= s->dispatch + c->m.issue_dispatch_to_issue)
		return CULPRIT_HEAD_DISPATCH;
	/* it has just become the oldest, or the store that has a part of its data has just left */
	bool held = (s->flags & SLOT_AT_HEAD) || ((s->flags & SLOT_LOAD) && s->partial);
	return held && s->ready == c->now ? CULPRIT_HEAD_ORDER : CULPRIT_HEAD_OPERAND;
}

/* What the oldest in the window waits for, after commit moved less than its width. */
static uint8_t head_state(struct core *c)
{
	const struct slot *s = slot_at(c, c->head);
	if (c->head == c->dispatched)
		return CULPRIT_HEAD_EMPTY;
	if (s->state == SLOT_ISSUED && c->now >= s->complete + c->m.commit_delay)
		return s->flags & SLOT_STORE ? CULPRIT_HEAD_STORES : CULPRIT_HEAD_BRANCHES;
	if (s->flags & SLOT_WRONG_PATH)
		return CULPRIT_HEAD_WRONG_PATH;
	if (s->state != SLOT_ISSUED)
		return unissued_state(c, s);
	return c->now < s->complete ? executing_state(c, s) : CULPRIT_HEAD_COMMIT_DELAY;
}

static void plain_commit(struct plain_loop *p)
{
	struct core *c = p->core;
	uint64_t head = c->head;
	commit_stage(c, TELL_RECORDS);
	uint64_t count = c->head - head;
	p->cycle.committed = (uint16_t)count;
	p->cycle.next_head = count == c->d.commit_width ? CULPRIT_HEAD_COMMITTING : head_state(c);
	p->cycle.head = count ? CULPRIT_HEAD_COMMITTING : p->cycle.next_head;
}

/* --- events --- */

static void plain_events(struct plain_loop *p)
{
	struct core *c = p->core;
	uint64_t squashes = c->stats.squashes, violations = c->stats.violations;
	event_stage(c);
	assert_true(c->stats.squashes + c->stats.violations <= squashes + violations + 1);
	if (c->stats.squashes + c->stats.violations == squashes + violations)
		return;
	/* it left in `fetched` where fetch goes on */
	TELL(p, squashed, c->now, c->fetched,
	     c->stats.squashes > squashes ? CULPRIT_SQUASH_MISPREDICT : CULPRIT_SQUASH_VIOLATION);
	if (p->looked_at > c->fetched)
		p->looked_at = 0;
}

/* --- issue --- */

static void see_issued(struct plain_loop *p, const struct slot *s, uint64_t index)
{
	struct plain_seen *seen = seen_at(p, index);
	seen->issue = p->core->now;
	seen->complete = s->complete;
	p->cycle.issued++;
	p->cycle.issued_wrong_path = (uint16_t)(p->cycle.issued_wrong_path + !!(s->flags & SLOT_WRONG_PATH));
	seen->dtlb_level = s->flags & (SLOT_LOAD | SLOT_STORE) ? s->dtlb_level : CULPRIT_LEVEL_NONE;
	if ((s->flags & (SLOT_LOAD | SLOT_STORE)) == SLOT_STORE && s->dtlb)
		TELL(p, load_missed, p->core->now, index, s->complete, CULPRIT_LEVEL_L1, s->dtlb_level, false);
	if (!(s->flags & SLOT_LOAD))
		return;
	seen->dlevel = s->dlevel;
	if (s->dmiss | s->dtlb)
		TELL(p, load_missed, p->core->now, index, s->complete, s->dlevel, s->dtlb_level,
		     s->record_flags & CULPRIT_MERGED);
}

static void plain_issue(struct plain_loop *p)
{
	struct core *c = p->core;
	issue_stage(c, TELL_RECORDS);
	for (uint64_t i = c->head; i < c->dispatched; i++) {
		const struct slot *s = slot_at(c, i);
		if (s->state == SLOT_ISSUED && s->issue == c->now)
			see_issued(p, s, i);
	}
}

/* --- dispatch and fetch --- */

static void plain_dispatch(struct plain_loop *p)
{
	struct core *c = p->core;
	uint64_t first = c->dispatched;
	dispatch_stage(c, TELL_RECORDS);
	p->cycle.dispatched = (uint16_t)(c->dispatched - first);
	p->cycle.dispatch = c->dispatch_state;
	for (uint64_t i = first; i < c->dispatched; i++)
		seen_at(p, i)->dispatch = c->now;
}

static void see_fetched(struct plain_loop *p, const struct slot *s, uint64_t index)
{
	*seen_at(p, index) = (struct plain_seen){.fetch = p->core->now,
						 .ilevel = s->note.ilevel,
						 .itlb_level = s->note.itlb_level,
						 .mispredicted = s->flags & SLOT_MISPREDICTED};
	if (s->note.ilevel | s->note.itlb_level)
		TELL(p, fetch_missed, index, s->note.ilevel, s->note.itlb_level);
	if (s->flags & SLOT_BRANCH)
		TELL(p, branch_fetched, index, s->flags & SLOT_MISPREDICTED, s->flags & SLOT_WRONG_PATH);
}

static void plain_fetch(struct plain_loop *p)
{
	struct core *c = p->core;
	uint64_t first = c->fetched;
	fetch_stage(c, TELL_RECORDS);
	p->fetched = (uint32_t)(c->fetched - first);
	p->cycle.fetch = c->fetch_state;
	for (uint64_t i = first; i < c->fetched; i++)
		see_fetched(p, slot_at(c, i), i);
}

/* --- the cycle --- */

/* The operation that an instruction waits for, by what made it take as long as it did. */
static uint8_t producer_state(const struct slot *s)
{
	if ((s->flags & (SLOT_LOAD | SLOT_STORE)) == SLOT_STORE && s->dtlb)
		return CULPRIT_HEAD_DTLB;
	if (!(s->flags & SLOT_LOAD))
		return culprit_operation_state(s->insn->op_class, s->exec_latency);
	if (s->dmiss)
		return culprit_miss_state(s->dlevel);
	return s->dtlb ? CULPRIT_HEAD_DTLB : CULPRIT_HEAD_DL1;
}

/* The operand that comes last decides, of those whose producers are still in the window. */
static uint8_t operand_state(struct core *c, const struct slot *s)
{
	uint64_t latest = s->dispatch + c->m.issue_dispatch_to_issue;
	uint8_t state = CULPRIT_HEAD_DISPATCH;
	unsigned operands = s->flags & (SLOT_LOAD | SLOT_STORE) ? OPERANDS : MEMORY_OPERAND;
	for (unsigned i = 0; i < operands; i++) {
		if (s->source[i] <= c->head)
			continue;
		const struct slot *producer = slot_at(c, s->source[i] - 1);
		if (producer->wake <= latest)
			continue;
		latest = producer->wake;
		state = producer_state(producer);
	}
	return state;
}

/* The oldest on the right path that has not issued, and what it waits for. What it waits for is looked at once, when
 * it becomes that, be it in the cycle of its dispatch: in the next its producers may have committed. */
static uint8_t issue_state(struct plain_loop *p)
{
	struct core *c = p->core;
	uint64_t i = c->head, end = c->dispatched - p->cycle.dispatched;
	const struct slot *s;
	for (s = slot_at(c, i); i < c->dispatched && s->state == SLOT_ISSUED && !(s->flags & SLOT_WRONG_PATH);)
		s = slot_at(c, ++i);
	p->cycle.issue_seq = i;
	if (i < end && (s->flags & SLOT_WRONG_PATH))
		return CULPRIT_HEAD_WRONG_PATH;
	if (i < end && s->state == SLOT_PARKED)
		return CULPRIT_HEAD_ORDER;
	if (i < end && s->waits_head)
		return p->cycle.next_head;
	if (i < end && s->state == SLOT_READY && s->ready <= c->now)
		return CULPRIT_HEAD_CONTENTION;
	if (i < c->dispatched && p->looked_at != i + 1 && !(s->flags & SLOT_WRONG_PATH)) {
		p->waits_for = operand_state(c, s);
		p->looked_at = i + 1;
	}
	return i < end ? p->waits_for : CULPRIT_HEAD_EMPTY;
}

/* window.fold: entries counted one by one. */
static bool rob_is_full(const struct core *c)
{
	if (!c->d.fold)
		return c->dispatched - c->left_window >= c->d.rob;
	uint64_t entries = 0;
	for (uint64_t i = c->left_window; i < c->dispatched; i++)
		entries += i == c->left_window || c->slots[i & c->mask].row != c->slots[(i - 1) & c->mask].row;
	return entries >= c->d.rob_rows;
}

static void tell_cycle(struct plain_loop *p)
{
	const struct core *c = p->core;
	struct culprit_cycle *e = &p->cycle;
	e->cycle = c->now;
	e->length = 1;
	e->head_seq = c->head;
	e->next_seq = c->dispatched;
	e->rob = (uint32_t)(c->dispatched - c->head);
	e->rob_full = rob_is_full(c);
	e->front = (uint32_t)(c->fetched - c->dispatched);
	e->why_empty = e->front ? c->slots[c->dispatched & c->mask].note.why : c->pending.why;
	e->fetch_wrong_path = c->checkpoint_count != 0;
	e->issue = issue_state(p);
	TELL(p, cycles, e);
}

enum core_stop plain_loop_run(struct plain_loop *p, uint64_t committed)
{
	struct core *c = p->core;
	bool ended = false;
	while (!ended && c->stats.committed < committed) {
		p->cycle = (struct culprit_cycle){.cycle = c->now};
		plain_commit(p);
		plain_events(p);
		plain_issue(p);
		plain_dispatch(p);
		plain_fetch(p);
		tell_cycle(p);
		ended = c->hold == HOLD_END && c->head == c->tail;
		c->stats.cycles = ++c->now;
	}
	return ended ? CORE_STOP_ENDED : CORE_STOP_COUNT;
}

void plain_loop_begin(struct plain_loop *p)
{
	p->sink = (struct culprit_record_sink){.context = p, .records = take_record, .room = record_room};
	p->seen = calloc(p->core->mask + 1, sizeof *p->seen);
	assert_non_null(p->seen);
	core_record(p->core, &p->sink, NULL);
}

void plain_loop_end(struct plain_loop *p)
{
	free(p->seen);
}
