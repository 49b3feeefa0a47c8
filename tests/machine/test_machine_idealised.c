/* The machine as idealised, beside arithmetic from a machine file: eyerman2009-4w, with limits of every kind. */
#include "machine/machine_idealised.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const char *const limits[] = {
	"window.rob=100",      "window.lq=30",		 "window.sq=20",	  "window.lsq=0",
	"window.int_regs=96",  "window.fp_regs=0",	 "fetch.width=6",	  "fetch.buffer=10",
	"fetch.taken_limit=2", "fetch.within_line=true", "frontend.stages=7",	  "dispatch.width=3",
	"issue.width=5",       "commit.width=4",	 "commit.stores=1",	  "commit.branches=0",
	"latency.int_mul=3",   "interval.int_mul=2",	 "lsq.forward_latency=4", "l1d.latency=5",
};

static struct machine_idealised derive(culprit_event_set ideal)
{
	struct error err = {0};
	struct machine m;
	struct machine_idealised d;
	if (!machine_load(&m, "eyerman2009-4w", &err))
		fail_msg("%s", err.text);
	for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
		if (!machine_set(&m, limits[i], &err))
			fail_msg("%s", err.text);
	m.queues[0].entries = 40;
	m.queues[0].width = 0;
	m.ideal = ideal;
	machine_idealise(&d, &m);
	for (unsigned op = 0; op < CULPRIT_OP_COUNT; op++) {
		assert_true(m.units[d.place[op].unit].ops >> op & 1);
		assert_int_equal(d.place[op].queue, m.units[d.place[op].unit].queue);
	}
	return d;
}

static void as_it_is(void **state)
{
	struct machine_idealised d = derive(0);
	(void)state;
	assert_false(d.no_bandwidth || d.larger_parts || d.oracle);
	assert_int_equal(d.fetch_width, 6);
	assert_int_equal(d.taken_limit, 2);
	assert_int_equal(d.fetch_block, 32);
	assert_int_equal(d.dispatch_width, 3);
	assert_int_equal(d.issue_width, 5);
	assert_int_equal(d.commit_width, 4);
	assert_int_equal(d.commit_stores, 1);
	assert_int_equal(d.commit_branches, UINT32_MAX);
	assert_int_equal(d.front_capacity, 31); /* 10 + 7 x 3 */
	assert_int_equal(d.wrong_path_limit, UINT32_MAX);
	assert_int_equal(d.rob, 100);
	assert_int_equal(d.lq, 30);
	assert_int_equal(d.sq, 20);
	assert_int_equal(d.lsq, UINT32_MAX);
	assert_int_equal(d.int_regs, 64);
	assert_int_equal(d.fp_regs, UINT32_MAX);
	assert_int_equal(d.queue_entries[0], 40);
	assert_int_equal(d.queue_width[0], 5);
	assert_int_equal(d.latency[CULPRIT_OP_int_mul], 3);
	assert_int_equal(d.interval[CULPRIT_OP_int_mul], 2);
	assert_int_equal(d.forward_latency, 4);
	assert_int_equal(d.l1d_latency, 5);
}

static void larger_window(void **state)
{
	struct machine_idealised d = derive(CULPRIT_EVENT_BIT(win));
	(void)state;
	assert_int_equal(d.larger_parts, MACHINE_WINDOW_PARTS);
	assert_int_equal(d.rob, 2000);
	assert_int_equal(d.lq, 600);
	assert_int_equal(d.sq, 400);
	assert_int_equal(d.lsq, UINT32_MAX);
	assert_int_equal(d.int_regs, 1280);
	assert_int_equal(d.fp_regs, UINT32_MAX);
	assert_int_equal(d.queue_entries[0], 800);
	assert_int_equal(d.front_capacity, 31);
	assert_int_equal(d.wrong_path_limit, 131); /* what the machine itself could have in flight */
	assert_int_equal(d.dispatch_width, 3);
}

/* Each part of the window by itself, and all of them, which is the window. */
static void window_in_parts(void **state)
{
	struct machine_idealised whole = derive(CULPRIT_EVENT_BIT(win)), d = derive(CULPRIT_EVENT_BIT(rob));
	(void)state;
	assert_int_equal(d.rob, 2000);
	assert_true(d.lq == 30 && d.sq == 20 && d.int_regs == 64 && d.queue_entries[0] == 40);
	assert_int_equal(d.wrong_path_limit, 131);
	d = derive(CULPRIT_EVENT_BIT(iq));
	assert_true(d.rob == 100 && d.lq == 30 && d.int_regs == 64 && d.queue_entries[0] == 800);
	d = derive(CULPRIT_EVENT_BIT(lsq));
	assert_true(d.rob == 100 && d.lq == 600 && d.sq == 400 && d.int_regs == 64 && d.queue_entries[0] == 40);
	d = derive(CULPRIT_EVENT_BIT(regs));
	assert_true(d.rob == 100 && d.lq == 30 && d.int_regs == 1280 && d.queue_entries[0] == 40);
	d = derive(MACHINE_WINDOW_PARTS);
	assert_memory_equal(&d, &whole, sizeof d);
}

static void no_bandwidth(void **state)
{
	struct machine_idealised d = derive(CULPRIT_EVENT_BIT(bw) | CULPRIT_EVENT_BIT(win));
	(void)state;
	const uint32_t widths[] = {d.fetch_width,  d.taken_limit,   d.dispatch_width, d.issue_width,
				   d.commit_width, d.commit_stores, d.commit_branches};
	for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
		assert_int_equal(widths[i], UINT32_MAX);
	assert_true(d.no_bandwidth);
	assert_int_equal(d.fetch_block, 0);
	assert_int_equal(d.front_capacity, 16000); /* a window of 2000 in each of 7 stages and before them */
	assert_int_equal(derive(CULPRIT_EVENT_BIT(bw)).front_capacity, 800);
	assert_int_equal(d.wrong_path_limit, 131);
	assert_int_equal(d.queue_entries[0], 800);
}

static void latencies(void **state)
{
	struct machine_idealised d = derive(CULPRIT_EVENT_BIT(lgalu) | CULPRIT_EVENT_BIT(bmisp));
	(void)state;
	assert_true(d.oracle);
	assert_int_equal(d.latency[CULPRIT_OP_int_mul], 0);
	assert_int_equal(d.interval[CULPRIT_OP_int_mul], 1);
	assert_int_equal(d.latency[CULPRIT_OP_int_alu], 1);
	assert_int_equal(d.forward_latency, 4);
	d = derive(CULPRIT_EVENT_BIT(fpmul) | CULPRIT_EVENT_BIT(div));
	assert_true(!d.latency[CULPRIT_OP_fp_mul] && !d.latency[CULPRIT_OP_fp_fma] && !d.latency[CULPRIT_OP_int_div]);
	assert_true(d.latency[CULPRIT_OP_int_mul] == 3 && d.latency[CULPRIT_OP_fp_add] && d.latency[CULPRIT_OP_fp_div]);
	d = derive(CULPRIT_EVENT_BIT(dl1));
	assert_int_equal(d.forward_latency, 0);
	assert_int_equal(d.l1d_latency, 0);
	assert_int_equal(d.latency[CULPRIT_OP_int_mul], 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(as_it_is), cmocka_unit_test(larger_window),
					   cmocka_unit_test(window_in_parts), cmocka_unit_test(no_bandwidth),
					   cmocka_unit_test(latencies)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
