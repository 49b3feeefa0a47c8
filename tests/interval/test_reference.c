/* The reference machine's caches over a warm-up and a region: what is counted is the region's. */
#include "interval/profile/profile.h"
#include "interval/profile/reference.h"
#include "interval/profile/scaled.h"
#include "memory_rig.h"
#include "stream_rig.h"

enum { WARM = 60000, REGION = 90000 };

/* Small caches at all three levels, so that each writes lines back. */
static struct machine small(void)
{
	struct machine m;
	struct error err;
	if (!machine_load(&m, "zen4", &err))
		fail_msg("%s", err.text);
	m.l1d_size = 4096, m.l1d_ways = 4;
	m.l2_size = 16384, m.l2_ways = 4;
	m.l3_size = 65536, m.l3_ways = 4;
	return m;
}

static void judge(void *run, struct interval_batch *b)
{
	interval_reference_judge(run, b);
}

/* `warm` instructions in front of the region; 0: all are the region's. */
static void run(const struct interval_event *events, size_t warm, size_t region, struct interval_profile *to)
{
	struct machine m = small();
	struct error err;
	struct interval_reference_run *r = interval_reference_create(&m, &err);
	assert_non_null(r);
	if (warm) {
		rig_push(events, warm, judge, r);
		interval_reference_restart(r);
	}
	rig_push(events + warm, region, judge, r);
	interval_reference_finish(r, to);
	interval_reference_destroy(r);
}

static void counts_are_those_of_the_region(void **state)
{
	static const struct rig_shape shape = {.loads = 200, .stores = 200, .registers = 30, .words = 40000};
	static struct interval_profile warm, all, region;
	struct interval_event *events = rig_stream(11, &shape, WARM + REGION);
	run(events, 0, WARM, &warm);
	run(events, 0, WARM + REGION, &all);
	run(events, WARM, REGION, &region);
	for (unsigned l = CULPRIT_LEVEL_L1; l <= CULPRIT_LEVEL_L3; l++) {
		assert_in_range(warm.level[l].writebacks, 1000, WARM);
		assert_int_equal(region.level[l].writebacks, all.level[l].writebacks - warm.level[l].writebacks);
	}
	for (unsigned l = CULPRIT_LEVEL_L1; l < CULPRIT_LEVEL_COUNT; l++)
		for (unsigned store = 0; store < 2; store++) {
			const uint64_t whole = all.data_level[l][store], before = warm.data_level[l][store];
			assert_int_equal(region.data_level[l][store], whole - before);
		}
	free(events);
	(void)state;
}

static bool make(void *made, const struct machine *m, struct error *err)
{
	return interval_scaled_init(made, m, err);
}

/* Last levels of other sizes: the message says what there is no memory for. */
static void without_memory(void **state)
{
	struct machine m = small();
	struct interval_scaled s;
	m.l3_size = 1u << 30;
	m.l3_ways = 16;
	assert_int_equal(m.l3_line, 64);
	rig_lacks_memory(make, &s, &m, "a last level of another size: out of memory for 4194304 entries");
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(counts_are_those_of_the_region),
					   cmocka_unit_test(without_memory)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
