/* One divider that is not pipelined, and loops that divide twice a round, against a scheduler that goes cycle by cycle: the oldest
 * that is ready goes first, and what has begun holds the divider. A younger division may begin before an older one is
 * ready. Each set of idealised classes is a run of its own, which the graph's lane is held against. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "culprit/graph.h"

enum { ROB = 64, WIDTH = 4, FACTOR = 20, DIVISION = 20, HOLD = 19, ROUNDS = 200, MOST = ROUNDS * 24 };
enum { ALU, DIVIDER };

static uint32_t below(uint64_t *s, uint32_t n)
{
	*s = *s * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((*s >> 33) % n);
}

static struct culprit_graph_params parameters(void)
{
	struct culprit_graph_params p = {.frontend_stages = 1,
					 .dispatch_to_issue = 1,
					 .dispatch_width = WIDTH,
					 .rob = ROB,
					 .commit_delay = 1,
					 .window_factor = FACTOR,
					 .issue_slots = true,
					 .issue_width = 64,
					 .unit_count = 2,
					 .units = {{64, 0}, {1, 0}},
					 .unit_ops = {1u << CULPRIT_OP_int_alu, 1u << CULPRIT_OP_int_div},
					 .interval = {[CULPRIT_OP_int_div] = HOLD}};
	culprit_graph_base_classes(&p);
	return p;
}

struct stream {
	struct culprit_record r[MOST];
	size_t n;
};

static size_t add(struct stream *s, unsigned unit, uint16_t latency, size_t after, size_t also)
{
	const size_t i = s->n++;
	s->r[i] = (struct culprit_record){
		.seq = i,
		.length = 4,
		.unit = (uint8_t)unit,
		.op_class = unit == ALU ? CULPRIT_OP_int_alu : CULPRIT_OP_int_div,
		.exec_latency = latency,
		.wakeup = latency,
		.producer = {after < i ? (uint32_t)(i - after) : 0, also < i ? (uint32_t)(i - also) : 0}};
	return i;
}

static size_t chain(struct stream *s, size_t after, uint32_t length)
{
	for (uint32_t k = 0; k < length; k++)
		after = add(s, ALU, 1, after, SIZE_MAX);
	return after;
}

/* Rounds: additions that go on from the round before; a division of the sum, which waits for them, too, where `joined`; a division of what
 * the additions make; both into the sum. */
static void fill(struct stream *s, const uint32_t lengths[3], bool joined)
{
	size_t counter = SIZE_MAX, sum = SIZE_MAX;
	s->n = 0;
	for (unsigned round = 0; round < ROUNDS; round++) {
		counter = chain(s, counter, lengths[0]);
		sum = chain(s, sum, lengths[1]);
		const size_t late = add(s, DIVIDER, DIVISION, sum, joined ? counter : SIZE_MAX);
		const size_t early = add(s, DIVIDER, DIVISION, counter, SIZE_MAX);
		sum = chain(s, add(s, ALU, 1, late, early), lengths[2]);
	}
}

struct when {
	uint64_t dispatch, ready, issue, complete, commit;
	size_t holder; /* who had the divider when it was refused last */
};

struct run {
	const struct stream *s;
	struct when *x;
	unsigned set;
	uint64_t now, free; /* of the divider */
	size_t head, dispatched, holder;
};

static bool idealised(const struct run *run, unsigned event)
{
	return run->set >> event & 1;
}

static uint64_t latency(const struct run *run, size_t i)
{
	const bool alu = run->s->r[i].unit == ALU;
	return idealised(run, alu ? CULPRIT_EVENT_shalu : CULPRIT_EVENT_lgalu) ? 0 : run->s->r[i].exec_latency;
}

static uint64_t operands(const struct run *run, size_t i)
{
	uint64_t there = run->x[i].dispatch + 1;
	for (unsigned k = 0; k < 2; k++) {
		const uint32_t back = run->s->r[i].producer[k];
		const uint64_t then = back ? run->x[i - back].complete : 0;
		there = then > there ? then : there;
	}
	return there;
}

static void issue(struct run *run, size_t i)
{
	struct when *x = &run->x[i];
	const uint64_t ready = x->complete == UINT64_MAX ? operands(run, i) : UINT64_MAX;
	if (ready > run->now)
		return;
	x->ready = ready;
	const bool holds = run->s->r[i].unit == DIVIDER && !idealised(run, CULPRIT_EVENT_bw);
	if (holds && run->free > run->now) {
		x->holder = run->holder;
		return;
	}
	x->issue = run->now;
	x->complete = run->now + latency(run, i);
	if (!holds)
		return;
	run->free = run->now + (idealised(run, CULPRIT_EVENT_lgalu) ? 1 : HOLD);
	run->holder = i;
}

static void cycle(struct run *run)
{
	const bool wide = idealised(run, CULPRIT_EVENT_bw);
	const size_t rob = ROB * (idealised(run, CULPRIT_EVENT_win) ? FACTOR : 1);
	for (size_t i = run->head; i < run->dispatched && run->x[i].complete < run->now; i = ++run->head)
		run->x[i].commit = run->now;
	for (size_t i = run->head; i < run->dispatched; i++)
		issue(run, i);
	for (unsigned k = 0; (wide || k < WIDTH) && run->dispatched < run->s->n && run->dispatched - run->head < rob;
	     k++)
		run->x[run->dispatched++].dispatch = run->now;
	run->now++;
}

static uint64_t simulate(const struct stream *s, unsigned set, struct when *x)
{
	struct run run = {.s = s, .x = x, .set = set, .now = 1};
	for (size_t i = 0; i < s->n; i++)
		x[i] = (struct when){.complete = UINT64_MAX};
	while (run.head < s->n)
		cycle(&run);
	return x[s->n - 1].commit;
}

static void note_run(struct stream *s, const struct when *x)
{
	for (size_t i = 0; i < s->n; i++) {
		struct culprit_record *r = &s->r[i];
		r->dispatch = x[i].dispatch;
		r->ready = x[i].ready;
		r->issue = x[i].issue;
		r->complete = x[i].complete;
		r->commit = x[i].commit;
		if (r->issue == r->ready)
			continue;
		r->contended = CULPRIT_CONTENTION_BUSY;
		r->contender = x[i].holder > i ? (uint8_t)(x[i].holder - i) : 0;
	}
}

static void graph_of(const struct stream *s, struct culprit_graph_results *x)
{
	const struct culprit_graph_params p = parameters();
	struct culprit_graph *g = culprit_graph_create(&p, NULL);
	assert_non_null(g);
	assert_true(culprit_graph_push(g, s->r, s->n));
	assert_true(culprit_graph_finish(g, x));
	culprit_graph_destroy(g);
}

static const unsigned sets[] = {
	0,
	CULPRIT_EVENT_BIT(shalu),
	CULPRIT_EVENT_BIT(win),
	CULPRIT_EVENT_BIT(lgalu),
	CULPRIT_EVENT_BIT(bw),
	CULPRIT_EVENT_BIT(shalu) | CULPRIT_EVENT_BIT(win),
	CULPRIT_EVENT_BIT(shalu) | CULPRIT_EVENT_BIT(lgalu),
};
enum { SETS = sizeof sets / sizeof *sets };

/* The graph's error in percent of the run, of each set. */
static void errors_of(struct stream *s, double error[SETS])
{
	struct when *x = calloc(s->n, sizeof *x);
	struct culprit_graph_results *graph = calloc(1, sizeof *graph);
	assert_non_null(x);
	assert_non_null(graph);
	const double base = (double)simulate(s, 0, x);
	note_run(s, x);
	graph_of(s, graph);
	for (unsigned k = 0; k < SETS; k++)
		error[k] = 100 * ((double)graph->time[sets[k]] - (double)simulate(s, sets[k], x)) / base;
	free(x);
	free(graph);
}

/* Random numbers by shifts, which are divided, and a sum of both divisions that the next round divides: the numbers are there long before
 * the sum. The divider is always busy, with and without additions. With waits behind younger divisions as recorded shalu was -42%. */
static void two_divisions_a_round(void **state)
{
	static struct stream s;
	double error[SETS];
	fill(&s, (const uint32_t[]){7, 1, 2}, true);
	errors_of(&s, error);
	for (unsigned k = 0; k < SETS; k++)
		assert_true(fabs(error[k]) < 0.3);
	(void)state;
}

/* Rounds of other lengths. With waits as recorded the mean was 9.5%, the worst 47%. */
static void random_rounds(void **state)
{
	static struct stream s;
	double sum = 0, worst = 0, error[SETS];
	uint64_t seed = 1;
	enum { LOOPS = 60 };
	for (unsigned n = 0; n < LOOPS; n++) {
		const uint32_t lengths[] = {1 + below(&seed, 8), below(&seed, 8), below(&seed, 5)};
		fill(&s, lengths, below(&seed, 2));
		errors_of(&s, error);
		assert_true(fabs(error[0]) < 0.3);
		for (unsigned k = 0; k < SETS; k++) {
			sum += fabs(error[k]);
			worst = fabs(error[k]) > worst ? fabs(error[k]) : worst;
		}
	}
	print_message("mean %.3f%%, worst %.2f%%\n", sum / (LOOPS * SETS), worst);
	assert_true(sum / (LOOPS * SETS) < 0.1);
	assert_true(worst < 3);
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_divisions_a_round),
		cmocka_unit_test(random_rounds),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
