/* Drives the counter architectures with hand-made events. A test says what each stage does in a cycle; the rig keeps
 * the numbers of the instructions and hands the events over in the core's order. */
#ifndef CULPRIT_TESTS_ANALYSIS_STACKS_RIG_H
#define CULPRIT_TESTS_ANALYSIS_STACKS_RIG_H

#include "analysis/stacks/stacks.h"
#include "analysis/stacks/state.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

struct rig {
	struct stacks *s;
	const struct culprit_observer *o;
	uint64_t cycle, head, dispatched, fetched;
	uint64_t issued; /* on the right path */
	uint32_t rob;
};

/* An instruction as fetch delivers it. */
struct fetched {
	uint8_t branch, ilevel, itlb_level; /* enum culprit_branch, enum culprit_level */
	bool mispredicted, wrong_path;
};

/* What a cycle's stages do; 0 = nothing, and nothing to wait for. */
struct does {
	uint64_t length; /* 0 = 1 */
	uint32_t commit, dispatch, issue, issued_wrong;
	uint8_t fetch, why, head, next_head, stage; /* stage: enum culprit_dispatch_state */
	uint8_t issue_waits;
	uint64_t issue_seq; /* 0 = all have issued */
	bool wrong;	    /* fetch is on a wrong path */
};

static struct stacks_params rig_params(void)
{
	return (struct stacks_params){
		.rob = 8,
		.dispatch_width = 4,
		.issue_width = 4,
		.commit_width = 4,
		.in_flight = 32,
		.front_pipeline = 20,
		.fmt_rows = 8,
		.counter_bits = 16,
		.l2_latency = 9,
		.memory_latency = 250,
		.walk_latency = 30,
		.frontend_latency = 5,
	};
}

static void rig_start(struct rig *r, const struct stacks_params *p)
{
	struct error err = {0};
	memset(r, 0, sizeof *r);
	r->s = stacks_create(p, &err);
	if (!r->s)
		fail_msg("%s", err.text);
	r->o = stacks_observer(r->s);
	r->rob = p->rob;
}

/* Fetch of the next instruction; only what architectures see is told. */
static void rig_fetch(struct rig *r, struct fetched f)
{
	uint64_t seq = r->fetched++;
	if (f.ilevel || f.itlb_level)
		r->o->fetch_missed(r->o->context, seq, f.ilevel, f.itlb_level);
	if (f.branch)
		r->o->branch_fetched(r->o->context, seq, f.mispredicted, f.wrong_path);
}

static inline void rig_plain(struct rig *r, unsigned count)
{
	while (count--)
		rig_fetch(r, (struct fetched){.branch = 0});
}

static inline void rig_branch(struct rig *r, bool mispredicted, bool wrong)
{
	rig_fetch(r, (struct fetched){
			     .branch = CULPRIT_BRANCH_CONDITIONAL, .mispredicted = mispredicted, .wrong_path = wrong});
}

static inline void rig_squash(struct rig *r, uint64_t first, enum culprit_squash why)
{
	r->o->squashed(r->o->context, r->cycle, first, why);
	r->fetched = first;
	if (r->dispatched > first)
		r->dispatched = first;
}

/* The cycle ends: everything else of it was told before. */
static void rig_cycle(struct rig *r, struct does d)
{
	struct culprit_cycle e = {
		.cycle = r->cycle,
		.length = d.length ? d.length : 1,
		.committed = (uint16_t)d.commit,
		.dispatched = (uint16_t)d.dispatch,
		.issued = (uint16_t)d.issue,
		.issued_wrong_path = (uint16_t)d.issued_wrong,
		.fetch = d.fetch,
		.why_empty = d.why,
		.head = d.head,
		.next_head = d.next_head ? d.next_head : d.head,
		.dispatch = d.stage,
		.issue_seq = d.issue_seq ? d.issue_seq : UINT64_MAX,
		.fetch_wrong_path = d.wrong,
	};
	r->head += d.commit;
	r->dispatched += d.dispatch;
	assert_true(r->dispatched <= r->fetched);
	e.front = (uint32_t)(r->fetched - r->dispatched);
	assert_true(r->head <= r->dispatched);
	e.head_seq = r->head;
	e.next_seq = r->dispatched;
	e.issue = e.issue_seq < r->dispatched - d.dispatch ? d.issue_waits : CULPRIT_HEAD_EMPTY;
	e.rob = (uint32_t)(r->dispatched - r->head);
	/* tests that are not about issue leave it out: what commits has issued */
	r->issued += d.issue - d.issued_wrong;
	if (r->issued < r->head) {
		e.issued = (uint16_t)(e.issued + r->head - r->issued);
		r->issued = r->head;
	}
	assert_true(e.rob <= r->rob);
	e.rob_full = e.rob == r->rob;
	r->o->cycles(r->o->context, &e);
	r->cycle += e.length;
}

static inline int64_t rig_component(const struct rig *r, enum stack_method m, enum stack_component c)
{
	int64_t cycles[STACK_COMPONENTS], sum = 0;
	stacks_components(r->s, m, cycles);
	for (unsigned i = 0; i < STACK_COMPONENTS; i++)
		sum += cycles[i];
	assert_int_equal(sum, r->cycle); /* at any time */
	return cycles[c];
}

#define EXPECT(rig, method, component, value) \
	assert_int_equal(rig_component(rig, STACK_METHOD_##method, STACK_##component), value)

/* The run ends, and every check of a run holds. Then stacks, slots and claims can be read. */
static inline void rig_end(struct rig *r)
{
	struct error err = {0};
	if (!stacks_finish(r->s, r->cycle, r->head, &err))
		fail_msg("%s", err.text);
}

static inline void rig_finish(struct rig *r)
{
	rig_end(r);
	stacks_destroy(r->s);
}

#endif
