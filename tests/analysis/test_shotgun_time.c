/* Records that are made of samples: the graph finds every time that the time line gave them, on random machines, node by
 * node. A wait that is an edge for one and none for the other would show. */
#include "shotgun_program.h"
#include "blame.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "graph_stream.h"

static struct culprit_shotgun_machine random_machine(uint64_t *s)
{
	struct culprit_shotgun_machine m = program_machine();
	static const uint32_t misses[CULPRIT_LEVEL_COUNT] = {0, 0, 12, 42, 142};
	m.graph = random_sizes(s);
	memcpy(m.graph.miss_cycles, misses, sizeof misses);
	m.graph.miss_line = 64;
	m.graph.rob += 4;
	m.graph.ordered_loads = chance(s, 40);
	limit_rooms(&m.graph, s);
	memcpy(m.queue_entries, m.graph.queue_entries, sizeof m.queue_entries);
	if (chance(s, 30)) { /* then records name who left the entry */
		memset(m.graph.queue_entries, 0, sizeof m.graph.queue_entries);
		m.graph.issue_queues = true;
	}
	for (unsigned op = 0; op < CULPRIT_OP_COUNT; op++)
		m.queue[op] = (uint8_t)below(s, m.graph.queue_count);
	return m;
}

/* Of stores that loads wait for some samples tell, and the code does. */
static void change(uint64_t *s, struct culprit_detail *d)
{
	d->contention = chance(s, 30) ? below(s, 9) : 0;
	d->imiss = chance(s, 5) ? below(s, 40) : 0;
	d->exec_latency = (uint16_t)(1 + (chance(s, 20) ? below(s, 6) : 0));
	d->flags = chance(s, 10) ? CULPRIT_MISPREDICTED : chance(s, 10) ? CULPRIT_BTB_MISS : 0;
	if (d->dmiss && chance(s, 40)) {
		d->flags |= CULPRIT_MERGED;
		d->primary_miss = 1 + below(s, 30);
	}
	d->dstray = chance(s, 10) ? (uint8_t)(CULPRIT_LEVEL_L2 + below(s, 3)) : 0;
	d->address = chance(s, 70) ? 0x4000 + 8 * below(s, 6) : 0;
	d->mem_producer = chance(s, 20) ? 1 + below(s, 12) : 0;
	d->order_waited = chance(s, 20) ? 1 + below(s, 12) : 0;
}

static uint64_t woken(const struct culprit_record *r)
{
	return latest(r->complete, r->issue + r->wakeup);
}

static void compare(const struct culprit_graph_params *p, const struct culprit_record *r, size_t n)
{
	struct culprit_graph *g = culprit_graph_create(p, NULL);
	assert_non_null(g);
	uint64_t start = r->fetch - r->imiss - r->itlb, time[BLAME_NODES];
	for (size_t i = 0; i < n; i++) {
		if (!culprit_graph_push(g, r + i, 1))
			fail_msg("%s", culprit_graph_error(g));
		blame_graph_times(g, 0, time);
		const uint64_t made[BLAME_NODES] = {r[i].fetch, r[i].dispatch, woken(&r[i]), r[i].commit};
		if (r[i].mem_producer)
			assert_true(r[i].ready >= woken(&r[i] - r[i].mem_producer));
		for (unsigned k = 0; k < BLAME_NODES; k++)
			if (time[k] + start != made[k])
				fail_msg("instruction %zu, node %u: made %llu, graph %llu", i, k,
					 (unsigned long long)(made[k] - start), (unsigned long long)time[k]);
	}
	culprit_graph_destroy(g);
}

/* As program_decode; on every other round a third of the code takes none or two of something, if the machine has two. */
struct weighing {
	const struct culprit_graph_params *graph;
	bool weighs;
};

static uint8_t weight_of(uint64_t hash, uint32_t room)
{
	return hash % 3 ? CULPRIT_WEIGHT_ONE : hash % 2 || room == 1 ? CULPRIT_WEIGHT_NONE : 2;
}

static bool decode(void *context, uint64_t pc, struct culprit_static_insn *insn)
{
	const struct weighing *w = context;
	uint64_t hash = pc * 0x9e3779b97f4a7c15u;
	if (!program_decode(NULL, pc, insn))
		return false;
	if (!w->weighs)
		return true;
	/* who left a queue's entry may be named up to a ROB of records back: none may share its entries then */
	insn->rob_entries = w->graph->issue_queues ? 0 : weight_of(hash >> 32 & 0xff, w->graph->rob);
	insn->dispatch_slots = weight_of(hash >> 40 & 0xff, w->graph->dispatch_width);
	insn->issue_slots = weight_of(hash >> 48 & 0xff, w->graph->issue_width);
	insn->commit_slots = weight_of(hash >> 56 & 0xff, w->graph->commit_width);
	return true;
}

static void every_wait_is_an_edge(void **state)
{
	(void)state;
	size_t weighed = 0, strays = 0;
	static struct path p;
	static struct culprit_record r[LENGTH];
	const struct culprit_shotgun_params params = {.seed = 1, .context = CONTEXT, .signature_bits = 2};
	for (uint32_t round = 1; round <= 120; round++) {
		uint64_t s = round * 67;
		path_make(&p, round);
		struct culprit_samples samples = path_samples(&p);
		for (size_t i = 0; i < samples.detail_count; i++)
			change(&s, &samples.details[i]);
		const struct culprit_shotgun_machine m = random_machine(&s);
		struct culprit_graph_params counted = m.graph; /* who holds a queue's entries */
		memcpy(counted.queue_entries, m.queue_entries, sizeof counted.queue_entries);
		struct weighing weighing = {&m.graph, round % 2};
		const struct culprit_code code = {.context = &weighing, .decode = decode};
		struct culprit_shotgun *x = culprit_shotgun_create(&m, &params, &samples, &code, NULL);
		assert_non_null(x);
		for (size_t n = 0; n < SIGNATURES; n++) {
			enum culprit_abort why;
			size_t length = culprit_shotgun_fragment(x, n, r, LENGTH, &why);
			assert_int_equal(length, LENGTH);
			for (size_t i = 0; i < length; i++) {
				weighed += r[i].dispatch_slots == 2;
				strays += r[i].dstray != 0;
				assert_true(!r[i].dstray || (r[i].flags & CULPRIT_LOAD)); /* whatever the samples say */
			}
			if (!m.graph.late_rename) /* which asks for an account of who holds the entries */
				compare(&m.graph, r, length);
			compare(&counted, r, length);
		}
		culprit_shotgun_destroy(x);
		samples_free(&samples);
	}
	assert_true(weighed > 1000 && strays > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(every_wait_is_an_edge)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
