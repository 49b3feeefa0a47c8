/* K(W) against a direct computation: the producers of every operand looked for backwards, instruction by instruction. */
#include "interval/profile/paths.h"
#include "stream_rig.h"

enum { COUNT = 2 * INTERVAL_WINDOW + 300 };

static struct machine reference(void)
{
	struct machine m;
	struct error err;
	if (!machine_load(&m, "eyerman2009-4w", &err))
		fail_msg("%s", err.text);
	return m;
}

static bool overlaps(const struct interval_event *store, const struct interval_event *load)
{
	return store->address >> 3 <= (load->address + load->size - 1) >> 3 &&
	       load->address >> 3 <= (store->address + store->size - 1) >> 3;
}

/* latency of an event in one set, by the words of profile/latency.def; l2 = 10, no L3 (served by "L3": 10 + l3 latency) */
static int64_t latency(const struct machine *m, const struct interval_event *e, enum interval_latency set,
		       bool forwarded)
{
	bool load = e->flags & EVENT_LOAD;
	int64_t op = m->latency[e->op], hit = op + m->l1d_latency;
	int64_t beyond = e->dlevel == CULPRIT_LEVEL_L2	 ? m->l2_latency
			 : e->dlevel == CULPRIT_LEVEL_L3 ? m->l2_latency + m->l3_latency
							 : 0;
	if (forwarded) {
		hit = m->lsq_forward_latency;
		beyond = 0;
	}
	switch (set) {
	case INTERVAL_LATENCY_unit:
		return 1;
	case INTERVAL_LATENCY_hit:
		return load ? hit : op;
	case INTERVAL_LATENCY_hit_later:
		return load ? hit + !forwarded : op;
	case INTERVAL_LATENCY_shorts:
		return load ? hit + beyond : op;
	case INTERVAL_LATENCY_shorts_double:
		return load ? hit + 2 * beyond : op;
	case INTERVAL_LATENCY_alu_one:
		return load ? hit : 1;
	case INTERVAL_LATENCY_loads:
		return load;
	default:
		return load && beyond;
	}
}

/* Depths of one window, every chain followed back to the window's start. */
static void window_depths(const struct machine *m, const struct interval_event *e, size_t count,
			  enum interval_latency set, int64_t *depth, uint64_t *forwarded)
{
	for (size_t i = 0; i < count; i++) {
		int64_t ready = 0;
		bool from_store = false;
		for (size_t k = 0; k < 3; k++)
			for (size_t j = i; e[i].rs[k] && j-- > 0;)
				if (e[j].rd == e[i].rs[k]) {
					ready = depth[j] > ready ? depth[j] : ready;
					break;
				}
		/* the last store to each of the two words that the load may touch */
		for (uint64_t word = e[i].address >> 3;
		     e[i].flags & EVENT_LOAD && word <= (e[i].address + e[i].size - 1) >> 3; word++) {
			struct interval_event one = {.address = word << 3, .size = 8};
			for (size_t j = i; j-- > 0;)
				if (e[j].flags & EVENT_STORE && overlaps(&e[j], &one)) {
					ready = depth[j] > ready ? depth[j] : ready;
					from_store = true;
					break;
				}
		}
		*forwarded += from_store;
		depth[i] = ready + latency(m, &e[i], set, from_store);
	}
}

static void push(void *context, struct interval_batch *b)
{
	interval_paths_push(context, b);
}

static void compare(const struct interval_event *e, const struct interval_profile *got, const struct machine *m)
{
	static uint64_t sum[INTERVAL_WINDOW], windows[INTERVAL_WINDOW];
	static int64_t depth[INTERVAL_WINDOW];
	for (enum interval_latency s = 0; s < INTERVAL_LATENCIES; s++) {
		uint64_t forwarded = 0, ends = 0, at_end = 0;
		memset(sum, 0, sizeof sum);
		memset(windows, 0, sizeof windows);
		for (size_t start = 0; start < COUNT; start += INTERVAL_WINDOW) {
			size_t n = COUNT - start < INTERVAL_WINDOW ? COUNT - start : INTERVAL_WINDOW;
			int64_t longest = 0;
			window_depths(m, &e[start], n, s, depth, &forwarded);
			for (size_t w = 0; w < n; w++) {
				longest = depth[w] > longest ? depth[w] : longest;
				sum[w] += (uint64_t)longest;
				windows[w]++;
				ends += !!(e[start + w].flags & EVENT_MISPREDICTED);
				at_end += e[start + w].flags & EVENT_MISPREDICTED ? (uint64_t)depth[w] : 0;
			}
		}
		assert_memory_equal(sum, got->paths.sum[s], sizeof sum);
		assert_memory_equal(windows, got->paths.windows, sizeof windows);
		assert_int_equal(forwarded, got->mix.forwarded);
		for (size_t p = 0; p < INTERVAL_DEPTH_PLACES; p++) {
			ends -= got->depth.count[p];
			at_end -= got->depth.depth[s][p];
		}
		assert_int_equal(ends, 0);
		assert_int_equal(at_end, 0);
	}
}

static void test_random(void **state)
{
	static const struct rig_shape shapes[] = {
		{.loads = 250, .stores = 150, .mispredicted = 50, .registers = 8, .words = 40},
		{.loads = 300, .stores = 100, .mispredicted = 10, .registers = 60, .words = 5000},
		{.loads = 100, .stores = 400, .mispredicted = 5, .registers = 3, .words = 4},
		{.loads = 0, .stores = 0, .registers = 1, .words = 1},
	};
	static struct interval_profile got;
	struct machine m = reference();
	for (uint64_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
		struct interval_event *e = rig_stream(i + 1, &shapes[i], COUNT);
		struct interval_paths_pass *p = interval_paths_create(&m);
		assert_non_null(p);
		if (i % 2) /* both ways of computing it */
			interval_paths_use_portable(p);
		rig_push(e, 500, push, p); /* warm-up that must leave nothing */
		interval_paths_restart(p);
		rig_push(e, COUNT, push, p);
		interval_paths_finish(p, &got);
		compare(e, &got, &m);
		interval_paths_destroy(p);
		free(e);
	}
}

/* A chain of n adds: K(W) = W. n independent ones: K(W) = 1. */
static void test_by_hand(void **state)
{
	static struct interval_profile chain, apart;
	struct machine m = reference();
	struct interval_event e[INTERVAL_WINDOW + 1] = {{.pc = 0}};
	for (size_t i = 0; i < INTERVAL_WINDOW; i++)
		e[i] = (struct interval_event){.rd = 5, .rs = {5, 0, 0}, .length = 4};
	struct interval_paths_pass *p = interval_paths_create(&m);
	rig_push(e, INTERVAL_WINDOW, push, p);
	interval_paths_finish(p, &chain);
	for (size_t i = 0; i < INTERVAL_WINDOW; i++)
		e[i].rs[0] = 0;
	interval_paths_restart(p);
	rig_push(e, INTERVAL_WINDOW, push, p);
	interval_paths_finish(p, &apart);
	for (uint32_t w = 1; w <= INTERVAL_WINDOW; w++) {
		assert_true(interval_critical_path(&chain, INTERVAL_LATENCY_unit, w) == w);
		assert_true(interval_critical_path(&apart, INTERVAL_LATENCY_unit, w) == 1);
	}
	interval_paths_destroy(p);
}

/* The same window a thousand times: a thousand times its sums, those carried over and those not yet. */
static void test_many_windows(void **state)
{
	enum { TIMES = 1000 };
	static struct interval_profile once, many;
	static const struct rig_shape shape = {
		.loads = 250, .stores = 150, .mispredicted = 50, .registers = 8, .words = 40};
	struct machine m = reference();
	struct interval_event *e = rig_stream(7, &shape, INTERVAL_WINDOW);
	struct interval_paths_pass *p = interval_paths_create(&m);
	rig_push(e, INTERVAL_WINDOW, push, p);
	interval_paths_finish(p, &once);
	for (unsigned i = 1; i < TIMES; i++)
		rig_push(e, INTERVAL_WINDOW, push, p);
	interval_paths_finish(p, &many);
	for (size_t s = 0; s < INTERVAL_LATENCIES; s++)
		for (size_t w = 0; w < INTERVAL_WINDOW; w++)
			assert_int_equal(many.paths.sum[s][w], TIMES * once.paths.sum[s][w]);
	assert_int_equal(many.paths.windows[0], TIMES);
	assert_int_equal(many.mix.forwarded, TIMES * once.mix.forwarded);
	interval_paths_destroy(p);
	free(e);
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_by_hand),
		cmocka_unit_test(test_many_windows),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
