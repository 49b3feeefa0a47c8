/* What records leave open: lines that were fetched again, waits for prefetched lines, and which lanes they move. */
#include "with/graph_open.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum {
	WIN = 1u << CULPRIT_EVENT_win,
	DMISS = 1u << CULPRIT_EVENT_dmiss,
	IMISS = 1u << CULPRIT_EVENT_imiss,
};

static struct graph_open *opened(bool prefetches)
{
	static struct graph_open o;
	struct culprit_graph_params p = {.miss_line = 64, .l1_prefetches = prefetches};
	p.miss_cycles[CULPRIT_LEVEL_L2] = 10;
	p.miss_cycles[CULPRIT_LEVEL_MEMORY] = 110;
	graph_open_init(&o, &p);
	return &o;
}

static void fetch(struct graph_open *o, uint64_t pc, uint8_t level, uint32_t imiss)
{
	const struct culprit_record r = {.pc = pc, .ilevel = level, .imiss = imiss};
	graph_open_records(o, &r, 1);
}

/* Of 300 cycles the second miss of the first line has 100 beyond the L2. */
static void lines_that_come_again(void **state)
{
	struct graph_open *o = opened(false);
	fetch(o, 0x1000, CULPRIT_LEVEL_MEMORY, 110);
	fetch(o, 0x1004, 0, 0);
	fetch(o, 0x2000, CULPRIT_LEVEL_L2, 10);
	fetch(o, 0x3000, 0, 0);
	fetch(o, 0x2000, CULPRIT_LEVEL_L2, 10);
	fetch(o, 0x103c, CULPRIT_LEVEL_MEMORY, 110);
	fetch(o, 0x1000, CULPRIT_LEVEL_L2, 60); /* still the same line */
	assert_int_equal(o->fetch_waits, 300);
	assert_int_equal(o->fetched_again, 100);
	static struct culprit_graph_results lanes;
	double more[CULPRIT_GRAPH_SETS];
	lanes.class_count = CULPRIT_BASE_EVENTS;
	for (unsigned set = 0; set < 1u << CULPRIT_BASE_EVENTS; set++)
		lanes.time[set] = set & IMISS ? 700 : 1000;
	assert_true(graph_open_cycles(o, &lanes, more));
	assert_int_equal(more[0], 0);
	assert_int_equal(more[IMISS], 0);
	assert_true(more[DMISS] == -100); /* a third of what fetch misses cost there */
	assert_true(more[WIN | DMISS] == -100);
	assert_int_equal(more[DMISS | IMISS], 0);
	assert_int_equal(more[WIN], 0);
}

static void access(struct graph_open *o, struct culprit_record r)
{
	graph_open_records(o, &r, 1);
}

/* A store waits 50 cycles for a prefetched line, which would have been 110; another for a line that a load brings. */
static void waits_for_prefetched_lines(void **state)
{
	for (unsigned prefetches = 0; prefetches < 2; prefetches++) {
		struct graph_open *o = opened(prefetches);
		access(o, (struct culprit_record){
				  .seq = 5, .flags = CULPRIT_LOAD, .dlevel = CULPRIT_LEVEL_MEMORY, .dmiss = 110});
		access(o, (struct culprit_record){.seq = 6,
						  .flags = CULPRIT_STORE,
						  .write_level = CULPRIT_LEVEL_MEMORY,
						  .write_miss = 80,
						  .write_merged = 1,
						  .primary_miss = 1});
		access(o, (struct culprit_record){.seq = 7,
						  .flags = CULPRIT_STORE,
						  .write_level = CULPRIT_LEVEL_MEMORY,
						  .write_miss = 50,
						  .write_merged = 1,
						  .primary_miss = 1});
		assert_int_equal(o->data_waits, 240);
		assert_int_equal(o->prefetch_saved, prefetches ? 60 : 0);
		static struct culprit_graph_results lanes;
		double more[CULPRIT_GRAPH_SETS];
		lanes.class_count = CULPRIT_BASE_EVENTS;
		for (unsigned set = 0; set < 1u << CULPRIT_BASE_EVENTS; set++)
			lanes.time[set] = set & DMISS ? 600 : set & WIN ? 700 : 1000;
		assert_int_equal(graph_open_cycles(o, &lanes, more), prefetches);
		assert_int_equal(more[0], 0);
		assert_int_equal(more[WIN], prefetches ? 100 : 0); /* a quarter of what data misses cost */
		assert_int_equal(more[WIN | DMISS], 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_that_come_again),
		cmocka_unit_test(waits_for_prefetched_lines),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
