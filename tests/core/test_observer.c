/* What an observer hears of every instruction is what its record says: random programs on random machines, each listened to in
 * fetch, dispatch, issue and commit. What left the pipeline without a record is told again under the same number. */
#include "random_machine.h"
#include "random_program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { PROGRAMS = 12, CODE_BYTES = 60000, INSNS_MAX = 1 << 18 };

/* What was told of an instruction last. */
struct heard {
	struct culprit_fetched fetched;
	uint64_t fetch, dispatch, issue, complete;
	uint8_t level, tlb_level;
};

struct listener {
	struct heard *heard;
	struct culprit_record *committed;
	uint64_t commits, records;
};

static struct heard *heard_of(struct listener *l, uint64_t seq)
{
	assert_true(seq < INSNS_MAX);
	return &l->heard[seq];
}

static void on_fetched(void *context, uint64_t cycle, const struct culprit_fetched *f)
{
	*heard_of(context, f->seq) = (struct heard){.fetched = *f, .fetch = cycle};
}

static void on_dispatched(void *context, uint64_t cycle, uint64_t seq)
{
	heard_of(context, seq)->dispatch = cycle;
}

static void on_issued(void *context, uint64_t cycle, uint64_t seq, uint64_t completes, uint8_t level, uint8_t tlb_level)
{
	struct heard *h = heard_of(context, seq);
	h->issue = cycle;
	h->complete = completes;
	h->level = level;
	h->tlb_level = tlb_level;
}

static void check_fetched(const struct culprit_fetched *f, const struct culprit_record *r)
{
	assert_int_equal(f->pc, r->pc);
	assert_int_equal(f->op_class, r->op_class);
	assert_int_equal(f->branch, r->branch);
	assert_int_equal(f->ilevel, r->ilevel);
	assert_int_equal(f->itlb_level, r->itlb_level);
	assert_false(f->wrong_path);
	assert_int_equal(f->mispredicted, !!(r->flags & CULPRIT_MISPREDICTED));
}

static void on_committed(void *context, uint64_t cycle, const struct culprit_record *r)
{
	struct listener *l = context;
	const struct heard *h = heard_of(l, r->seq);
	assert_int_equal(r->seq, l->commits);
	assert_int_equal(cycle, r->commit);
	check_fetched(&h->fetched, r);
	assert_int_equal(h->fetch, r->fetch);
	assert_int_equal(h->dispatch, r->dispatch);
	assert_int_equal(h->issue, r->issue);
	assert_int_equal(h->complete, r->complete);
	if (r->flags & CULPRIT_LOAD) {
		assert_int_equal(h->level, r->dlevel);
		assert_int_equal(h->tlb_level, r->dtlb_level);
	}
	l->committed[l->commits++] = *r;
}

static void on_records(void *context, const struct culprit_record *records, size_t count)
{
	struct listener *l = context;
	assert_true(l->records + count <= l->commits);
	assert_memory_equal(records, l->committed + l->records, count * sizeof *records);
	l->records += count;
}

static void listen(const struct machine *m, const uint8_t *code, struct listener *l)
{
	struct error err;
	struct guest *g = bare_guest_create(code, CODE_BYTES);
	struct core *c = core_create(m, g, &err);
	assert_non_null(c);
	struct culprit_observer observer = {.context = l,
					    .fetched = on_fetched,
					    .dispatched = on_dispatched,
					    .issued = on_issued,
					    .committed = on_committed};
	struct culprit_record_sink sink = {.context = l, .records = on_records};
	l->commits = l->records = 0;
	core_observe(c, &observer, &sink);
	if (core_run(c, UINT64_MAX, &err) != CORE_STOP_ENDED)
		fail_msg("%s", err.text);
	core_flush_records(c);
	assert_true(l->commits > 0);
	assert_int_equal(l->commits, core_statistics(c)->committed);
	assert_int_equal(l->records, l->commits);
	core_destroy(c);
	guest_destroy(g);
}

static void events_agree_with_records(void **state)
{
	struct listener l = {.heard = calloc(INSNS_MAX, sizeof *l.heard),
			     .committed = calloc(INSNS_MAX, sizeof *l.committed)};
	uint8_t *code = malloc(CODE_BYTES);
	assert_true(l.heard && l.committed && code);
	for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
		struct random_source r = {~seed};
		struct machine m;
		memset(code, 0, CODE_BYTES);
		random_program(seed, code, CODE_BYTES);
		random_machine(&m, &r);
		listen(&m, code, &l);
	}
	free(code);
	free(l.committed);
	free(l.heard);
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(events_agree_with_records)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
