/* Weights by arithmetic: instructions without operands, all fetched in cycle 0, of which one figure says how many move in
 * a cycle or are in the window together. The critical path's length is the same, and the check contradicts nothing. What
 * no machine could do is refused. Random weights: test_graph_random.c, test_edges.c and, of issue, test_graph_slots.c. */
#include "analysis/check/check.h"
#include "culprit/critical.h"
#include "culprit/graph.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { N = 40, NONE = CULPRIT_WEIGHT_NONE, BW = CULPRIT_EVENT_BIT(bw), WIN = CULPRIT_EVENT_BIT(win) };
/* from fetch to dispatch, to issue; from complete to commit */
enum { TO_DISPATCH = 1, TO_ISSUE = 1, TO_COMMIT = 1 };

static struct culprit_graph_params machine(void)
{
	struct culprit_graph_params p = {
		.frontend_stages = TO_DISPATCH,
		.dispatch_to_issue = TO_ISSUE,
		.commit_delay = TO_COMMIT,
		.rob = 1000,
		.window_factor = 20,
	};
	culprit_graph_base_classes(&p);
	return p;
}

/* Number i takes what weights[i % count] says. `latency` cycles each; times as if nothing had been limited. */
static void fill(struct culprit_record *r, size_t n, size_t member, const uint8_t *weights, size_t count,
		 uint16_t latency)
{
	const uint64_t issue = TO_DISPATCH + TO_ISSUE;
	for (size_t i = 0; i < n; i++) {
		r[i] = (struct culprit_record){.seq = i,
					       .pc = 4 * i,
					       .length = 4,
					       .dispatch = TO_DISPATCH,
					       .ready = issue,
					       .issue = issue,
					       .complete = issue + latency,
					       .commit = issue + latency + TO_COMMIT,
					       .exec_latency = latency,
					       .wakeup = latency,
					       .op_class = CULPRIT_OP_int_alu,
					       .dest = 64};
		((uint8_t *)&r[i])[member] = weights[i % count];
	}
}

static uint64_t critical_length(const struct culprit_graph_params *p, const struct culprit_record *r)
{
	struct culprit_critical_params params = {.graph = *p};
	struct culprit_critical_totals totals;
	struct culprit_critical *c = culprit_critical_create(&params, NULL);
	assert_non_null(c);
	assert_true(culprit_critical_push(c, r, N));
	assert_true(culprit_critical_finish(c, &totals));
	culprit_critical_destroy(c);
	return totals.cycles;
}

/* The time of N records with nothing idealised, and with `gone`. */
#define TIMES(p, gone, want, want_gone, latency, member, ...)                                               \
	do {                                                                                                \
		const uint8_t weights_[] = {__VA_ARGS__};                                                   \
		times(p, gone, want, want_gone, latency, offsetof(struct culprit_record, member), weights_, \
		      sizeof weights_);                                                                     \
	} while (0)

static void times(struct culprit_graph_params *p, unsigned gone, uint64_t want, uint64_t want_gone, uint16_t latency,
		  size_t member, const uint8_t *weights, size_t count)
{
	struct culprit_record r[N];
	struct culprit_graph_results results;
	fill(r, N, member, weights, count, latency);
	struct culprit_graph *g = culprit_graph_create(p, NULL);
	assert_non_null(g);
	if (!culprit_graph_push(g, r, N))
		fail_msg("%s", culprit_graph_error(g));
	assert_true(culprit_graph_finish(g, &results));
	assert_int_equal(results.time[0], want);
	assert_int_equal(results.time[gone], want_gone);
	assert_int_equal(critical_length(p, r), want);
	culprit_graph_destroy(g);
}

/* The first leaves in cycle 4. */
static void commit_slots(void **state)
{
	struct culprit_graph_params p = machine();
	p.commit_width = 4;
	TIMES(&p, BW, 4 + N / 4 - 1, 4, 1, commit_slots, 0);
	TIMES(&p, BW, 4 + N / 4 - 1, 4, 1, commit_slots, 1);
	TIMES(&p, BW, 4 + N / 2 - 1, 4, 1, commit_slots, 2);
	TIMES(&p, BW, 4 + N - 1, 4, 1, commit_slots, 3); /* a slot is left over */
	TIMES(&p, BW, 4 + N - 1, 4, 1, commit_slots, 4);
	TIMES(&p, BW, 4, 4, 1, commit_slots, NONE);
	TIMES(&p, BW, 4 + N / 8 - 1, 4, 1, commit_slots, 0, NONE); /* four that take one, and as many that take none */
	TIMES(&p, BW, 4 + N / 2 - 1, 4, 1, commit_slots, 3, 1);	   /* pairs */
	TIMES(&p, BW, 4 + 2 * N / 4 - 1, 4, 1, commit_slots, 4, NONE, 2, 2);
}

static void dispatch_slots(void **state)
{
	struct culprit_graph_params p = machine();
	p.dispatch_width = 2;
	TIMES(&p, BW, 4 + N / 2 - 1, 4, 1, dispatch_slots, 0);
	TIMES(&p, BW, 4 + N - 1, 4, 1, dispatch_slots, 2);
	TIMES(&p, BW, 4, 4, 1, dispatch_slots, NONE);
	TIMES(&p, BW, 4 + N / 4 - 1, 4, 1, dispatch_slots, NONE, 0);
	TIMES(&p, BW, 4 + N - 1, 4, 1, dispatch_slots, 2, 1); /* a slot is left over each time */
}

/* Twelve cycles from dispatch to commit; the first are dispatched in cycle 1. */
static void rob_entries(void **state)
{
	enum { STAY = TO_ISSUE + 10 + TO_COMMIT };
	struct culprit_graph_params p = machine();
	p.rob = 8;
	TIMES(&p, WIN, 1 + N / 8 * STAY, 1 + STAY, 10, rob_entries, 0);
	TIMES(&p, WIN, 1 + N / 4 * STAY, 1 + STAY, 10, rob_entries, 2);
	TIMES(&p, WIN, 1 + N / 2 * STAY, 1 + STAY, 10, rob_entries, 4);
	TIMES(&p, WIN, 1 + N / 2 * STAY, 1 + STAY, 10, rob_entries, 3); /* two entries are left over */
	TIMES(&p, WIN, 1 + N * STAY, 1 + 2 * STAY, 10, rob_entries, 8); /* of 160 entries: twenty */
	TIMES(&p, WIN, 1 + STAY, 1 + STAY, 10, rob_entries, NONE);
	/* four in an entry: 32 in the window, then the other eight */
	TIMES(&p, WIN, 1 + 2 * STAY, 1 + STAY, 10, rob_entries, 1, NONE, NONE, NONE);
}

/* One entry, which two instructions share: the third has it when the second has left, 50 cycles later than the first. */
static void shared_entries(void **state)
{
	struct culprit_record r[N];
	struct culprit_graph_params p = machine();
	const uint8_t weights[] = {1, NONE};
	p.rob = 1;
	fill(r, N, offsetof(struct culprit_record, rob_entries), weights, 2, 51);
	for (size_t i = 0; i < N; i += 2) {
		r[i].wakeup = r[i].exec_latency = 1;
		r[i].complete = r[i].issue + 1;
	}
	struct culprit_graph_results results;
	struct culprit_graph *g = culprit_graph_create(&p, NULL);
	assert_non_null(g);
	if (!culprit_graph_push(g, r, N))
		fail_msg("%s", culprit_graph_error(g));
	assert_true(culprit_graph_finish(g, &results));
	assert_int_equal(results.time[0], TO_DISPATCH + N / 2 * (TO_ISSUE + 51 + TO_COMMIT));
	assert_int_equal(critical_length(&p, r), results.time[0]);
	culprit_graph_destroy(g);
	(void)state;
}

static void refused(const struct culprit_graph_params *p, const struct culprit_record *r, size_t n, const char *text)
{
	struct culprit_graph *g = culprit_graph_create(p, NULL);
	struct culprit_critical_params params = {.graph = *p};
	struct culprit_critical *c = culprit_critical_create(&params, NULL);
	struct error err;
	struct check *check = check_create(p, &err);
	assert_true(g && c && check);
	assert_false(culprit_graph_push(g, r, n));
	assert_string_equal(culprit_graph_error(g), text);
	assert_false(culprit_critical_push(c, r, n));
	assert_string_equal(culprit_critical_error(c), text);
	assert_false(check_push(check, r, n));
	assert_string_equal(check_error(check), text);
	check_destroy(check);
	culprit_critical_destroy(c);
	culprit_graph_destroy(g);
}

static void refusals(void **state)
{
	enum { MANY = 200 };
	struct culprit_graph_params p = machine();
	struct culprit_record r[MANY];
	const uint8_t one[] = {0}, none[] = {NONE};
	p.rob = 8;
	p.dispatch_width = 2;
	p.commit_width = 4;
	fill(r, MANY, offsetof(struct culprit_record, rob_entries), one, 1, 1);
	r[3].rob_entries = 9;
	refused(&p, r, 10, "record 3: takes more ROB entries than the machine has");
	r[3].rob_entries = 0;
	r[4].dispatch_slots = 3;
	refused(&p, r, 10, "record 4: takes more dispatch slots than a cycle has");
	r[4].dispatch_slots = 0;
	r[5].commit_slots = 5;
	refused(&p, r, 10, "record 5: takes more commit slots than a cycle has");
	r[5].commit_slots = 65;
	refused(&p, r, 10, "record 5: a weight of 65: at most 64, or 255 for none");
	/* 4 * 8 + 64 records may be in the window */
	fill(r, MANY, offsetof(struct culprit_record, rob_entries), none, 1, 1);
	refused(&p, r, MANY, "record 96: too many records in a row that take no ROB entry, dispatch or commit slot");
}

/* With the window idealised there are twenty times the entries, 40, which 4 * 40 + 64 records may share. Here eight share
 * one, so that not all entries are needed. In the window as it is 4 * 2 + 64 may, and there are 16. */
static void refused_where_idealised(void **state)
{
	enum { MOST = 224 };
	struct culprit_graph_params p = machine();
	struct culprit_record r[MOST + 1];
	const uint8_t weights[] = {1, NONE, NONE, NONE, NONE, NONE, NONE, NONE};
	p.rob = 2;
	fill(r, MOST + 1, offsetof(struct culprit_record, rob_entries), weights, sizeof weights, 1);
	struct culprit_graph *g = culprit_graph_create(&p, NULL);
	assert_non_null(g);
	assert_true(culprit_graph_push(g, r, MOST));
	assert_false(culprit_graph_push(g, r + MOST, 1));
	assert_string_equal(culprit_graph_error(g), "record 224: too many records in a row that take no ROB entry, "
						    "dispatch or commit slot");
	culprit_graph_destroy(g);
	(void)state;
}

/* A record of two commit slots that left with three others in the same cycle. */
static void contradicted(void **state)
{
	struct culprit_graph_params p = machine();
	const uint8_t weights[] = {1, 1, 1, 2};
	struct culprit_record r[4];
	struct error err;
	struct check_row row;
	p.commit_width = 4;
	fill(r, 4, offsetof(struct culprit_record, commit_slots), weights, 4, 1);
	struct check *c = check_create(&p, &err);
	assert_non_null(c);
	assert_true(check_push(c, r, 4));
	assert_true(check_contradicted(c, 0, &row));
	assert_int_equal(row.node, 5); /* commit */
	assert_int_equal(row.kind, CULPRIT_CRITICAL_commit);
	assert_int_equal(row.count, 1);
	assert_int_equal(row.first_seq, 3);
	assert_int_equal(row.cycles, 1);
	assert_false(check_contradicted(c, 1, &row));
	check_destroy(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(commit_slots),
		cmocka_unit_test(dispatch_slots),
		cmocka_unit_test(rob_entries),
		cmocka_unit_test(shared_entries),
		cmocka_unit_test(refusals),
		cmocka_unit_test(contradicted),
		cmocka_unit_test(refused_where_idealised),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
