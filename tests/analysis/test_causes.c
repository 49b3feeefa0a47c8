/* Causes of the user's choice: values beside every order written out, all sets beside a graph of their own, the base
 * classes beside the graph, and samples beside what is exact. */
#include "analysis/causes/causes.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "graph_stream.h"

enum { RECORDS = 9000, CAUSES = 11 };

static const culprit_event_set events[CAUSES] = {
	CULPRIT_EVENT_BIT(rob),	  CULPRIT_EVENT_BIT(iq) | CULPRIT_EVENT_BIT(lsq),
	CULPRIT_EVENT_BIT(regs),  CULPRIT_EVENT_BIT(dl1),
	CULPRIT_EVENT_BIT(dl2),	  CULPRIT_EVENT_BIT(dmem),
	CULPRIT_EVENT_BIT(bmisp), CULPRIT_EVENT_BIT(shalu),
	CULPRIT_EVENT_BIT(fpmul), CULPRIT_EVENT_BIT(imiss),
	CULPRIT_EVENT_BIT(bw),
};

/* --- values --- */

/* Every order of `count` causes: those in `before`, then the rest. Adds up each one's saving. */
static uint64_t orders(const uint64_t *times, unsigned count, unsigned before, double *sum)
{
	uint64_t n = 0;
	if (before == (1u << count) - 1)
		return 1;
	for (unsigned i = 0; i < count; i++) {
		if (before >> i & 1)
			continue;
		uint64_t below = orders(times, count, before | 1u << i, sum);
		sum[i] += (double)below * ((double)times[before] - (double)times[before | 1u << i]);
		n += below;
	}
	return n;
}

/* The number of orders in which exactly `before` stands first. */
static double ways(unsigned before)
{
	double product = 1;
	for (unsigned n = (unsigned)__builtin_popcount(before); n > 1; n--)
		product *= n;
	return product;
}

static void orders_weighted(const uint64_t *times, unsigned count, double *mean)
{
	double all = ways((1u << count) - 1);
	for (unsigned before = 0; before < 1u << count; before++)
		for (unsigned i = 0; i < count; i++)
			if (!(before >> i & 1))
				mean[i] += ways(before) * ways(((1u << count) - 1) & ~(before | 1u << i)) / all *
					   ((double)times[before] - (double)times[before | 1u << i]);
}

static void values(void **state)
{
	uint64_t s = 7, times[128];
	(void)state;
	for (unsigned set = 0; set < 128; set++)
		times[set] = 1000 + below(&s, 500);
	double want[CAUSES_MOST] = {0}, got[CAUSES_MOST] = {0}, sum = 0;
	orders_weighted(times, 7, want);
	causes_shapley(times, 0, 127, got);
	for (unsigned i = 0; i < 7; i++) {
		assert_true(fabs(got[i] - want[i]) < 1e-9);
		sum += got[i];
	}
	assert_true(fabs(sum - ((double)times[0] - (double)times[127])) < 1e-9);
	/* three causes, one order after another: abc acb bac bca cab cba */
	const uint64_t few[8] = {100, 90, 80, 75, 70, 66, 40, 30};
	double three[CAUSES_MOST] = {0}, walked[3] = {0};
	causes_shapley(few, 0, 7, three);
	assert_int_equal(orders(few, 3, 0, walked), 6);
	assert_true(fabs(three[0] - (10 + 10 + 5 + 10 + 4 + 10) / 6.0) < 1e-12);
	assert_true(fabs(three[1] - (15 + 36 + 20 + 20 + 36 + 30) / 6.0) < 1e-12);
	/* a and b: at first -5 ((100-75) - 10 - 20), after c 10 - 30 ... each half of the orders */
	assert_true(fabs(causes_interaction(few, 3, 0, 1) - (-5 + (70 - 30 - 4 - 30)) / 2.0) < 1e-12);
}

/* --- graphs --- */

static struct culprit_graph_params machine(void)
{
	struct culprit_graph_params p = usual_params();
	p.branches = 9;
	p.ideal_capacity = 0; /* which depends on how many classes share the ROB */
	return p;
}

static struct causes_params choice(uint32_t count, uint32_t passes)
{
	struct causes_params p = {.graph = machine(), .count = count, .passes = passes, .threads = 3, .seed = 5};
	for (uint32_t i = 0; i < count; i++) {
		p.causes[i].events = events[i];
		p.causes[i].name[0] = (char)('a' + i);
	}
	return p;
}

static struct culprit_record *stream(const struct culprit_graph_params *p)
{
	struct mix m = {120, 40, 1, false};
	return random_stream(11, RECORDS, p, &m);
}

static struct causes *run(const struct causes_params *p, struct causes_results *x)
{
	const char *why;
	struct causes *c = causes_create(p, &why);
	if (!c)
		fail_msg("%s", why);
	struct culprit_record *r = stream(&p->graph);
	for (size_t i = 0; i < RECORDS; i += 501)
		causes_push(c, r + i, RECORDS - i < 501 ? RECORDS - i : 501);
	assert_null(causes_finish(c, x));
	free(r);
	return c;
}

static void check_sum(const struct causes_results *x)
{
	double sum = 0;
	for (uint32_t i = 0; i < x->count; i++)
		sum += x->shapley[i];
	assert_true(fabs(sum - ((double)x->time - (double)x->rest)) < 1e-6 * (double)x->time);
}

/* Time of one set, by a graph with that set as its only class. */
static uint64_t alone(const struct culprit_record *r, unsigned set)
{
	struct culprit_graph_params p = machine();
	p.class_count = 1;
	p.classes[0] = (struct culprit_graph_class){.events = 0};
	p.elsewhere = CULPRIT_EVENT_BIT(win);
	for (unsigned i = 0; i < CAUSES; i++) {
		p.classes[0].events |= set >> i & 1 ? events[i] : 0;
		p.elsewhere |= events[i];
	}
	struct culprit_graph *g = culprit_graph_create(&p, NULL);
	struct culprit_graph_results x;
	assert_non_null(g);
	assert_true(culprit_graph_push(g, r, RECORDS) && culprit_graph_finish(g, &x));
	culprit_graph_destroy(g);
	return x.time[1];
}

static void exact(void **state)
{
	struct causes_params p = choice(CAUSES, 8);
	struct causes_results x;
	struct causes *c = run(&p, &x);
	struct culprit_record *r = stream(&p.graph);
	(void)state;
	assert_true(x.passes == 8 + 6 && x.samples == 0 && x.apart == 0);
	for (unsigned set = 1; set < 1u << CAUSES; set += 13)
		assert_int_equal(x.times[set], alone(r, set));
	for (unsigned a = 0; a < CAUSES; a++) {
		assert_int_equal(x.cost[a], x.time - x.times[1u << a]);
		assert_true(x.error[a] == 0);
		for (unsigned b = 0; b < a; b++)
			assert_int_equal(x.icost[a][b],
					 (int64_t)(x.time - x.times[1u << a | 1u << b]) - x.cost[a] - x.cost[b]);
	}
	check_sum(&x);
	free(r);
	causes_destroy(c);
}

/* The standard classes are the graph's, to the bit. */
static void standard(void **state)
{
	struct causes_params p = {.graph = machine(), .count = 8, .passes = 1};
	p.graph.issue_slots = true;
	p.graph.issue_width = 2;
	memcpy(p.causes, p.graph.classes, sizeof p.graph.classes);
	struct causes_results x;
	struct causes *c = run(&p, &x);
	struct culprit_record *r = stream(&p.graph);
	struct culprit_graph *g = culprit_graph_create(&p.graph, NULL);
	struct culprit_graph_results want = {.instructions = 0};
	(void)state;
	assert_true(culprit_graph_push(g, r, RECORDS) && culprit_graph_finish(g, &want));
	assert_memory_equal(x.times, want.time, sizeof want.time);
	assert_memory_equal(x.shapley, want.shapley, sizeof want.shapley);
	for (unsigned a = 0; a < 8; a++) {
		assert_int_equal(x.cost[a], want.cost[1u << a]);
		for (unsigned b = 0; b < a; b++)
			assert_int_equal(x.icost[a][b], want.icost[1u << a | 1u << b]);
	}
	culprit_graph_destroy(g);
	free(r);
	causes_destroy(c);
}

/* Samples add up exactly, have the costs of one and two exactly, and intervals that hold the exact values. */
static void sampled(void **state)
{
	struct causes_params p = choice(CAUSES, 8), few = choice(CAUSES, 6 + 4 * 12);
	struct causes_results want, x;
	few.sample = true;
	struct causes *c = run(&p, &want), *d = run(&few, &x);
	unsigned held = 0;
	(void)state;
	assert_true(x.samples == 12 && x.passes == 54 && x.apart == 0 && !x.times);
	check_sum(&x);
	for (unsigned a = 0; a < CAUSES; a++) {
		assert_int_equal(x.cost[a], want.cost[a]);
		for (unsigned b = 0; b < a; b++)
			assert_int_equal(x.icost[a][b], want.icost[a][b]);
		double half = causes_half_interval(x.error[a], x.samples);
		held += fabs(x.shapley[a] - want.shapley[a]) <= half;
		assert_true(fabs(x.shapley[a] - want.shapley[a]) <= 2 * half);
		assert_true(half < 0.02 * (double)x.time);
	}
	assert_true(held >= CAUSES - 2);
	causes_destroy(c);
	causes_destroy(d);
}

/* Who works when does not matter. */
static void threads(void **state)
{
	struct causes_params p = choice(10, 4);
	struct causes_results x, y;
	(void)state;
	struct causes *c = run(&p, &x);
	p.threads = 0;
	struct causes *d = run(&p, &y);
	assert_memory_equal(x.times, y.times, sizeof *x.times << 10);
	causes_destroy(c);
	causes_destroy(d);
}

static void refused(const struct causes_params *p, const char *text)
{
	const char *why;
	assert_null(causes_create(p, &why));
	assert_string_equal(why, text);
}

static void refusals(void **state)
{
	struct causes_params p = choice(3, 1);
	(void)state;
	p.count = 0;
	refused(&p, "1 to 16 causes");
	p.count = 17;
	refused(&p, "1 to 16 causes");
	p = choice(3, 1);
	p.causes[2].events |= p.causes[0].events;
	refused(&p, "no event class may be of two causes");
	p = choice(3, 1);
	p.causes[1].range_count = 1;
	refused(&p, "causes have no places");
	p = choice(3, 1);
	p.graph.rob = 0;
	refused(&p, "rob: at least 1");
	p = choice(CAUSES, 7); /* too few for all sets, and for samples */
	refused(&p, "sampling takes at least 14 passes");
	/* records that contradict themselves */
	p = choice(9, 2);
	const char *why;
	struct causes *c = causes_create(&p, &why);
	struct culprit_record *r = stream(&p.graph);
	struct causes_results x;
	r[20].issue = r[20].ready - 1;
	causes_push(c, r, 100);
	why = causes_finish(c, &x);
	assert_non_null(why);
	assert_non_null(strstr(why, "record 20: "));
	free(r);
	causes_destroy(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(values),   cmocka_unit_test(exact),
					   cmocka_unit_test(standard), cmocka_unit_test(sampled),
					   cmocka_unit_test(threads),  cmocka_unit_test(refusals)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
