/* Criticality on random streams against the plain graph, which knows neither slack nor paths, only the time of a stream:
 * its length; slack as the longest delay that leaves the time alone; Tune's cost as the time gone when the instruction's
 * latency is taken out of the records. And what must add up, whatever the size of the windows. */
#include "culprit/critical.h"
#include "graph_reference.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "graph_stream.h"

static struct culprit_critical *analyse(const struct culprit_critical_params *p, const struct culprit_record *r,
					size_t n, struct culprit_critical_totals *totals)
{
	const char *why = NULL;
	struct culprit_critical *c = culprit_critical_create(p, &why);
	if (!c)
		fail_msg("%s", why);
	for (size_t i = 0; i < n; i += 41)
		if (!culprit_critical_push(c, r + i, n - i < 41 ? n - i : 41))
			fail_msg("%s", culprit_critical_error(c));
	assert_true(culprit_critical_finish(c, totals));
	return c;
}

/* Rows and kinds each add up to the path's length, which is the plain graph's time. */
static void check_sums(struct culprit_critical *c, const struct culprit_critical_totals *t, uint64_t time)
{
	if (t->cycles != time)
		fail_msg("path of %llu, plain graph %llu", (unsigned long long)t->cycles, (unsigned long long)time);
	int64_t kinds = t->seam_cycles;
	for (unsigned k = 0; k < CULPRIT_CRITICAL_KINDS; k++)
		kinds += (int64_t)t->by_kind[k];
	assert_int_equal(kinds, time);
	struct culprit_critical_row row;
	uint64_t path = 0, tied = 0, executions = 0, by_kind[CULPRIT_CRITICAL_KINDS] = {0};
	for (size_t i = 0; culprit_critical_row(c, i, &row); i++) {
		uint64_t own = 0;
		for (unsigned k = 0; k < CULPRIT_CRITICAL_KINDS; k++) {
			own += row.cycles[k];
			by_kind[k] += row.cycles[k];
		}
		assert_int_equal(own, row.path);
		assert_true(row.tied <= row.path);
		path += row.path;
		tied += row.tied;
		executions += row.executions;
	}
	assert_int_equal((int64_t)path + t->seam_cycles, time);
	assert_int_equal(tied, t->tied);
	assert_int_equal(executions, t->instructions);
	assert_memory_equal(by_kind, t->by_kind, sizeof by_kind);
}

/* Windows of any size: whether they met or not, every cycle belongs to somebody. */
static void sums(void **state)
{
	for (uint64_t round = 1; round <= 60; round++) {
		uint64_t s = round * 77;
		struct culprit_critical_params p = {
			.graph = random_sizes(&s),
			.chunk = 1 + below(&s, 200),
			.lookahead = 1 + below(&s, chance(&s, 50) ? 3 : 300),
		};
		if (round % 2)
			limit_rooms(&p.graph, &s);
		struct mix m = {1 + below(&s, 300), 1 + below(&s, 60), below(&s, 4), true};
		struct culprit_record *r = random_stream(s, 1500, &p.graph, &m);
		if (round % 3 == 0) {
			p.chunk += 300;
			weigh_stream(&s, &p.graph, r, 1500, 10 * below(&s, 6));
		}
		struct culprit_critical_totals totals;
		struct culprit_critical *c = analyse(&p, r, 1500, &totals);
		check_sums(c, &totals, reference_time(&p.graph, r, 1500, 0));
		culprit_critical_destroy(c);
		free(r);
	}
}

/* --- against the plain graph --- */

enum { SHORT = 160 };

/* When its dependents may issue; 0 = nobody. */
static uint64_t woken(const struct culprit_record *r, uint32_t distance)
{
	const struct culprit_record *p = r - distance;
	uint64_t loop = p->issue + p->wakeup;
	return !distance ? 0 : loop > p->complete ? loop : p->complete;
}

/* Whether a load waits for its store follows from when that had its data: here the store is an operand like others, in the place
 * of one that comes no later. */
static void plain_store(struct culprit_record *r)
{
	if (!(r->flags & CULPRIT_FORWARDED) && woken(r, r->mem_producer) > woken(r, r->producer[2]))
		r->producer[2] = r->mem_producer;
	r->mem_producer = 0;
	r->flags &= (uint16_t)~CULPRIT_FORWARDED;
}

/* Each instruction at its own address, without what makes a record's latency matter to others' edges. */
static struct culprit_record *plain_stream(uint64_t seed, const struct culprit_graph_params *p)
{
	struct mix m = {40, 30, 1, false};
	struct culprit_record *r = random_stream(seed, SHORT, p, &m);
	for (size_t i = 0; i < SHORT; i++) {
		r[i].flags &= (uint16_t)~CULPRIT_MERGED;
		r[i].primary_miss = 0;
		plain_store(&r[i]);
		r[i].pc = 0x10000 + 64 * i;
	}
	return r;
}

static uint64_t time_with(const struct culprit_graph_params *p, struct culprit_record *r, size_t i,
			  struct culprit_record changed)
{
	struct culprit_record kept = r[i];
	r[i] = changed;
	uint64_t time = reference_time(p, r, SHORT, 0);
	r[i] = kept;
	return time;
}

/* Completion `by` cycles later. */
static struct culprit_record later(const struct culprit_record *r, uint32_t by)
{
	struct culprit_record x = *r;
	x.exec_latency = (uint16_t)(x.exec_latency + by);
	x.complete += by;
	return x;
}

static struct culprit_record shorter(const struct culprit_record *r, uint32_t by)
{
	struct culprit_record x = *r;
	uint32_t latency = (uint32_t)(x.complete - x.issue);
	x.exec_latency = (uint16_t)(latency - by);
	x.dmiss = x.dtlb = 0;
	x.complete -= by;
	x.wakeup = (uint16_t)(x.wakeup > by ? x.wakeup - by : 0);
	return x;
}

static void check_instruction(const struct culprit_graph_params *p, struct culprit_record *r, size_t i, uint64_t time,
			      const struct culprit_critical_row *row)
{
	assert_int_equal(row->pc, r[i].pc);
	uint32_t slack = row->slack_min;
	assert_int_equal(row->slack_sum, slack);
	assert_int_equal(row->zero_slack, slack == 0);
	if (slack < 30000) {
		assert_int_equal(time_with(p, r, i, later(&r[i], slack)), time);
		assert_int_equal(time_with(p, r, i, later(&r[i], slack + 1)), time + 1);
	}
	uint32_t latency = (uint32_t)(r[i].complete - r[i].issue);
	struct culprit_record none = shorter(&r[i], latency);
	none.wakeup = 0;
	uint64_t gone = time - time_with(p, r, i, none);
	if (row->cost != gone)
		fail_msg("instruction %zu: cost %llu, plain graph %llu", i, (unsigned long long)row->cost,
			 (unsigned long long)gone);
	if (latency && r[i].wakeup)
		assert_int_equal(row->saved, time - time_with(p, r, i, shorter(&r[i], 1)));
}

static void slack_and_cost(void **state)
{
	struct culprit_critical_params p = {.graph = usual_params()};
	uint64_t critical = 0, costly = 0;
	for (uint64_t seed = 1; seed <= 12; seed++) {
		p.graph.rob = seed % 3 ? 16 : 200;
		struct culprit_record *r = plain_stream(seed, &p.graph);
		struct culprit_critical_totals totals;
		struct culprit_critical *c = analyse(&p, r, SHORT, &totals);
		uint64_t time = reference_time(&p.graph, r, SHORT, 0);
		check_sums(c, &totals, time);
		for (size_t i = 0; i < SHORT; i++) {
			struct culprit_critical_row row;
			assert_true(culprit_critical_row(c, i, &row));
			check_instruction(&p.graph, r, i, time, &row);
			critical += row.path > 0;
			costly += row.cost > 1;
		}
		culprit_critical_destroy(c);
		free(r);
	}
	assert_in_range(critical, 200, 12 * SHORT); /* the streams are worth testing with */
	assert_in_range(costly, 100, 12 * SHORT);
}

/* --- windows --- */

/* With enough lookahead the path in pieces is the path in one piece, to the last cycle of every row. */
static void pieces(void **state)
{
	struct culprit_critical_params p = {.graph = usual_params(), .chunk = 100, .lookahead = 400};
	struct mix m = {60, 40, 1, false};
	enum { N = 6000 };
	struct culprit_record *r = random_stream(11, N, &p.graph, &m);
	struct culprit_critical_totals a, b;
	struct culprit_critical *small = analyse(&p, r, N, &a);
	p.chunk = 2 * N;
	struct culprit_critical *whole = analyse(&p, r, N, &b);
	assert_int_equal(b.seams, 0);
	assert_in_range(a.seams, 50, 60);
	assert_int_equal(a.seams_off, 0);
	assert_int_equal(a.rows, b.rows);
	for (size_t i = 0; i < a.rows; i++) {
		struct culprit_critical_row x, y;
		assert_true(culprit_critical_row(small, i, &x) && culprit_critical_row(whole, i, &y));
		assert_memory_equal(x.cycles, y.cycles, sizeof x.cycles);
		assert_int_equal(x.visits, y.visits);
		assert_int_equal(x.tied, y.tied);
		assert_int_equal(x.cost, y.cost);
	}
	culprit_critical_destroy(small);
	culprit_critical_destroy(whole);
	free(r);
}

/* ... where only some are watched, and a piece's lookahead goes through several of which it is not known yet whether they are: the
 * path is the same, and what is told of the watched ones is a part of what is told where all are. */
static void watched_far(void **state)
{
	struct culprit_critical_params p = {.graph = usual_params(), .chunk = 100, .lookahead = 400};
	struct mix m = {60, 40, 1, false};
	enum { N = 6000 };
	struct culprit_record *r = random_stream(11, N, &p.graph, &m);
	struct culprit_critical_totals a, b;
	struct culprit_critical *all = analyse(&p, r, N, &b);
	p.watch = 3;
	struct culprit_critical *some = analyse(&p, r, N, &a);
	assert_memory_equal(a.by_kind, b.by_kind, sizeof a.by_kind);
	assert_int_equal(a.seams_off, 0);
	assert_in_range(a.watched, N / 10, N / 2);
	for (size_t i = 0; i < a.rows; i++) {
		struct culprit_critical_row x, y;
		assert_true(culprit_critical_row(some, i, &x) && culprit_critical_row(all, i, &y));
		assert_in_range(x.watched_path, 0, y.watched_path);
		assert_in_range(x.tied, 0, y.tied);
		assert_in_range(x.cost, 0, y.cost);
		assert_in_range(x.zero_slack, 0, y.zero_slack);
		assert_in_range(x.slack_sum, 0, y.slack_sum);
	}
	culprit_critical_destroy(some);
	culprit_critical_destroy(all);
	free(r);
}

static void refusals(void **state)
{
	struct culprit_critical_params p = {.graph = usual_params()};
	struct mix m = {50, 30, 1, false};
	struct culprit_record *r = random_stream(3, 100, &p.graph, &m);
	struct culprit_critical *c = culprit_critical_create(&p, NULL);
	struct culprit_critical_totals totals;
	assert_true(culprit_critical_push(c, r, 50));
	assert_false(culprit_critical_push(c, r + 51, 49));
	assert_non_null(strstr(culprit_critical_error(c), "record 50: does not follow"));
	assert_false(culprit_critical_finish(c, &totals));
	culprit_critical_destroy(c);
	c = culprit_critical_create(&p, NULL);
	r[20].producer[1] = 21;
	assert_false(culprit_critical_push(c, r, 50));
	assert_non_null(strstr(culprit_critical_error(c), "record 20: a distance of 21"));
	culprit_critical_destroy(c);
	/* from dispatch to completion: 2^32 - 1 cycles, and one more */
	for (uint64_t cycles = UINT32_MAX; cycles <= (uint64_t)UINT32_MAX + 1; cycles++) {
		struct culprit_record one = {.dest = 64, .complete = cycles, .commit = cycles};
		c = culprit_critical_create(&p, NULL);
		assert_int_equal(culprit_critical_push(c, &one, 1), cycles <= UINT32_MAX);
		if (cycles > UINT32_MAX)
			assert_string_equal(culprit_critical_error(c),
					    "record 0: longer than 32 bits of cycles in the window");
		culprit_critical_destroy(c);
	}
	c = culprit_critical_create(&p, NULL);
	assert_true(culprit_critical_push(c, r, 10));
	assert_true(culprit_critical_finish(c, &totals));
	assert_false(culprit_critical_push(c, r + 10, 1));
	assert_string_equal(culprit_critical_error(c), "record 10: comes after the end");
	culprit_critical_destroy(c);
	const char *why = NULL;
	p.graph.rob = 0;
	assert_null(culprit_critical_create(&p, &why));
	assert_non_null(strstr(why, "rob"));
	free(r);
}

static void empty_stream(void **state)
{
	struct culprit_critical_params p = {.graph = usual_params()};
	struct culprit_critical_totals totals;
	struct culprit_critical *c = culprit_critical_create(&p, NULL);
	struct culprit_critical_loop loop;
	assert_true(culprit_critical_finish(c, &totals));
	assert_int_equal(totals.cycles, 0);
	assert_false(culprit_critical_hottest(c, &loop));
	culprit_critical_destroy(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums),	       cmocka_unit_test(slack_and_cost), cmocka_unit_test(pieces),
		cmocka_unit_test(watched_far), cmocka_unit_test(refusals),	 cmocka_unit_test(empty_stream),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
