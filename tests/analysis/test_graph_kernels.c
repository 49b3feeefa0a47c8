/* Issue slots are kept in two ways (graph/slots.h), and lanes are computed in one thread or in several (graph/team.h). Kernels
 * that keep planes, and all with two and three processors, against the portable one in one thread, which keeps a word for each
 * cycle: random machines and streams, every subset. Long misses and windows idealised spread the lanes' times far beyond the
 * cycles that planes have at hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/graph/state.h"
#include "graph_stream.h"

static struct culprit_graph_results pass(const struct culprit_graph_params *p, const char *kernel, uint32_t processors,
					 const struct culprit_record *r, size_t n)
{
	struct culprit_graph_params with = *p;
	struct culprit_graph_results results = {0};
	const char *why;
	with.kernel = kernel;
	with.processors = processors;
	struct culprit_graph *g = culprit_graph_create(&with, &why);
	if (!g) {
		assert_string_equal(why, "kernel: not on this host");
		return results;
	}
	const size_t step = processors == 3 ? 300 : n; /* batches that a team has to cut, and those that it need not */
	for (size_t i = 0; i < n; i += step)
		if (!culprit_graph_push(g, r + i, n - i < step ? n - i : step))
			fail_msg("%s", culprit_graph_error(g));
	assert_true(culprit_graph_finish(g, &results));
	culprit_graph_destroy(g);
	return results;
}

static void compare(const struct culprit_graph_params *p, const struct culprit_record *r, size_t n)
{
	static const char *const kernels[] = {"portable", "avx2", "avx512"};
	const struct culprit_graph_results want = pass(p, "portable", 1, r, n);
	for (unsigned way = 1; way < 9; way++) {
		const char *kernel = kernels[way % 3];
		const uint32_t processors = 1 + way / 3;
		const struct culprit_graph_results have = pass(p, kernel, processors, r, n);
		for (unsigned set = 0; have.instructions && set < 1u << p->class_count; set++)
			if (have.time[set] != want.time[set])
				fail_msg("%s, %u processors: set %#x of %zu: %llu instead of %llu", kernel, processors,
					 set, n, (unsigned long long)have.time[set],
					 (unsigned long long)want.time[set]);
	}
}

/* Queues, units and which of them a record takes, not always as the machine has it; some units are not pipelined. */
static void random_units(struct culprit_graph_params *p, uint64_t *s)
{
	p->issue_slots = true;
	p->issue_width = below(s, 9);
	p->queue_count = below(s, 4);
	for (uint32_t q = 0; q < p->queue_count; q++)
		p->queue_width[q] = below(s, 5);
	p->unit_count = 1 + below(s, 6);
	for (uint32_t u = 0; u < p->unit_count; u++)
		p->units[u] = (struct culprit_graph_unit){below(s, 4), below(s, p->queue_count + 1)};
	for (unsigned op = 0; op < CULPRIT_OP_COUNT; op++)
		p->interval[op] = chance(s, 20) ? (uint16_t)(1 + below(s, 90)) : 0;
}

static void place_in_units(struct culprit_record *r, size_t n, const struct culprit_graph_params *p, uint64_t *s)
{
	for (size_t i = 0; i < n; i++) {
		r[i].unit = (uint8_t)below(s, p->unit_count + (chance(s, 5) ? 1 : 0));
		if (r[i].unit < p->unit_count && chance(s, 95))
			r[i].queue = (uint8_t)p->units[r[i].unit].queue;
	}
}

static void machines_and_streams(size_t n, uint64_t rounds, uint32_t longest_miss, bool places)
{
	static const struct culprit_graph_range some[] = {{0x1000, 0x1800}};
	for (uint64_t round = 1; round <= rounds; round++) {
		uint64_t s = round * 1237 + n;
		struct culprit_graph_params p = usual_params();
		p.rob = 1 + below(&s, 100);
		p.lq = p.lsq = p.int_regs = p.fp_regs = 0;
		p.dispatch_width = below(&s, 7);
		if (chance(&s, 50))
			limit_rooms(&p, &s);
		post_writes(&p, round);
		random_units(&p, &s);
		if (places)
			p.classes[CULPRIT_EVENT_bw].ranges = some, p.classes[CULPRIT_EVENT_bw].range_count = 1;
		struct mix m = {1 + below(&s, longest_miss), 1 + below(&s, 60), below(&s, 2), true};
		struct culprit_record *r = random_stream(s, n, &p, &m);
		place_in_units(r, n, &p, &s);
		compare(&p, r, n);
		free(r);
	}
}

static void short_streams(void **state)
{
	machines_and_streams(2000, 60, 300, false);
}

/* Bandwidth of some places only: slots in all quarters of the lanes. */
static void places(void **state)
{
	machines_and_streams(2000, 20, 300, true);
}

/* Over the cycles kept and over 16 bits, many times. */
static void long_streams(void **state)
{
	machines_and_streams(30000, 4, 300, false);
}

/* Windows of more than the cycles kept: lanes in 32 bits, instructions that meet no contention. */
static void long_misses(void **state)
{
	machines_and_streams(4000, 8, 6000, false);
}

enum { SWAPPED_ROWS = 3, SWAPPED = SWAPPED_ROWS * GRAPH_QUARTER };

/* A lane's number with bits a and b exchanged. */
static unsigned exchanged(unsigned lane, unsigned a, unsigned b)
{
	const unsigned differ = (lane >> a ^ lane >> b) & 1;
	return lane ^ (differ << a | differ << b);
}

static void swap_narrow(const struct graph_kernel *k, unsigned a, unsigned b)
{
	uint16_t rows[SWAPPED] __attribute__((aligned(64)));
	for (unsigned i = 0; i < SWAPPED; i++)
		rows[i] = (uint16_t)(1000 + i);
	k->swap(rows, SWAPPED_ROWS, a, b);
	for (unsigned i = 0; i < SWAPPED; i++)
		assert_int_equal(rows[i], 1000 + exchanged(i, a, b));
}

static void swap_wide(const struct graph_kernel *k, unsigned a, unsigned b)
{
	uint32_t rows[SWAPPED] __attribute__((aligned(64)));
	for (unsigned i = 0; i < SWAPPED; i++)
		rows[i] = 100000 + i;
	k->swap(rows, SWAPPED_ROWS, a, b);
	for (unsigned i = 0; i < SWAPPED; i++)
		assert_int_equal(rows[i], 100000 + exchanged(i, a, b));
}

/* Lanes that change places, whichever bits these are: the streams above exchange few pairs of bits. */
static void places_of_lanes(void **state)
{
	static const char *const names[] = {"portable", "avx2", "avx512"};
	for (unsigned n = 0; n < 3; n++) {
		const struct graph_kernels *k = graph_kernels_find(names[n]);
		for (unsigned a = 0; k && a < 4; a++)
			for (unsigned b = 4; b < 6; b++) {
				swap_narrow(k->narrow, a, b);
				swap_wide(k->wide, a, b);
			}
	}
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(short_streams), cmocka_unit_test(places),
					   cmocka_unit_test(long_streams), cmocka_unit_test(long_misses),
					   cmocka_unit_test(places_of_lanes)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
