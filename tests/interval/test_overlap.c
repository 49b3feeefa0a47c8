/* m*(W) and its kin against the definition itself (profile/profile.h): for each window, every instruction's entry, start
 * and commit time, with producers found by looking back over the whole stream. */
#include "interval/profile/overlap.h"
#include "stream_rig.h"

enum { COUNT = 6000, LINE = 128, MSHRS_MOST = 16 };

/* Who each instruction waits for, by number + 1; 0 = nobody. Registers, two words, two lines. */
struct waits {
	size_t on[7];
};

static size_t last_writer(const struct interval_event *e, size_t i, uint8_t reg)
{
	while (reg && i-- > 0)
		if (e[i].rd == reg)
			return i + 1;
	return 0;
}

static bool touches(const struct interval_event *e, uint64_t block, unsigned shift)
{
	return e->address >> shift <= block && block <= (e->address + e->size - 1) >> shift;
}

static size_t last_to(const struct interval_event *e, size_t i, uint64_t block, unsigned shift, bool store)
{
	while (i-- > 0)
		if ((store ? e[i].flags & EVENT_STORE : e[i].chains) && touches(&e[i], block, shift))
			return i + 1;
	return 0;
}

static void find_waits(const struct interval_event *e, size_t i, struct waits *w)
{
	*w = (struct waits){{0}};
	for (size_t k = 0; k < 3; k++)
		w->on[k] = last_writer(e, i, e[i].rs[k]);
	if (!(e[i].flags & EVENT_LOAD))
		return;
	uint64_t last = e[i].address + e[i].size - 1;
	w->on[3] = last_to(e, i, e[i].address >> 3, 3, true);
	w->on[4] = last_to(e, i, last >> 3, 3, true);
	w->on[5] = last_to(e, i, e[i].address >> 7, 7, false);
	w->on[6] = last_to(e, i, last >> 7, 7, false);
}

struct slow {
	uint64_t units, hidden_branches, dependent_branches, hidden_l1i, hidden_l2i, hidden_itlb;
};

/* One machine: ROB of `window`, `mshrs` (0 = unlimited), mispredictions that hold back what follows or not. */
static struct slow simulate(const struct interval_event *e, const struct waits *waits, uint64_t window, size_t mshrs,
			    bool broken)
{
	static uint64_t done[COUNT], commit[COUNT];
	uint64_t busy[MSHRS_MOST] = {0}, barrier = 0;
	struct slow s = {0};
	for (size_t i = 0; i < COUNT; i++) {
		uint64_t before = i ? commit[i - 1] : 0;
		uint64_t enter = i >= window ? commit[i - window] : 0, ready = 0;
		enter = enter > barrier ? enter : barrier;
		for (size_t k = 0; k < 7; k++)
			if (waits[i].on[k] && done[waits[i].on[k] - 1] > ready)
				ready = done[waits[i].on[k] - 1];
		bool late = ready > enter, mispredicted = e[i].flags & EVENT_MISPREDICTED;
		s.dependent_branches += mispredicted && late;
		s.hidden_branches += mispredicted && !late && before > enter;
		s.hidden_l1i += (e[i].ilevel == CULPRIT_LEVEL_L2 || e[i].ilevel == CULPRIT_LEVEL_L3) && before > enter;
		s.hidden_l2i += e[i].ilevel == CULPRIT_LEVEL_MEMORY && before > enter;
		s.hidden_itlb += e[i].itlb == CULPRIT_LEVEL_MEMORY && before > enter;
		done[i] = ready > enter ? ready : enter;
		if (broken && mispredicted && late)
			barrier = ready;
		if (e[i].chains) {
			size_t first = 0;
			for (size_t k = 1; k < mshrs; k++)
				first = busy[k] < busy[first] ? k : first;
			if (mshrs && busy[first] > done[i])
				done[i] = busy[first];
			done[i]++;
			busy[first] = done[i];
		}
		commit[i] = done[i] > before ? done[i] : before;
	}
	s.units = commit[COUNT - 1];
	return s;
}

static void push(void *context, struct interval_batch *b)
{
	interval_overlap_push(context, b);
}

static void compare(const struct interval_event *e, const struct interval_overlap *got)
{
	static struct waits waits[COUNT];
	uint64_t misses = 0;
	for (size_t i = 0; i < COUNT; i++) {
		find_waits(e, i, &waits[i]);
		misses += e[i].chains != 0;
	}
	assert_int_equal(got->misses, misses);
	for (size_t w = 0; w < INTERVAL_WINDOWS; w++) {
		struct slow s = simulate(e, waits, interval_windows[w], 0, true);
		assert_int_equal(got->units[w], simulate(e, waits, interval_windows[w], 0, false).units);
		assert_int_equal(got->broken[w], s.units);
		assert_int_equal(got->dependent_branches[w], s.dependent_branches);
		assert_int_equal(got->hidden_branches[w], s.hidden_branches);
		assert_int_equal(got->hidden_l1i[w], s.hidden_l1i);
		assert_int_equal(got->hidden_l2i[w], s.hidden_l2i);
		assert_int_equal(got->hidden_itlb[w], s.hidden_itlb);
	}
	for (size_t w = 0; w < INTERVAL_MSHR_WINDOWS; w++)
		for (size_t k = 0; k < INTERVAL_MSHRS; k++)
			assert_int_equal(got->mshr[w][k],
					 simulate(e, waits, interval_mshr_windows[w], interval_mshrs[k], false).units);
}

static void test_random(void **state)
{
	static const struct rig_shape shapes[] = {
		{.loads = 300,
		 .stores = 100,
		 .missing = 300,
		 .mispredicted = 100,
		 .fetch = 20,
		 .registers = 20,
		 .words = 3000},
		{.loads = 300,
		 .stores = 100,
		 .missing = 5,
		 .mispredicted = 60,
		 .fetch = 20,
		 .registers = 30,
		 .words = 300},
		{.loads = 500,
		 .stores = 200,
		 .missing = 900,
		 .mispredicted = 30,
		 .fetch = 5,
		 .registers = 6,
		 .words = 90000},
		{.loads = 200,
		 .stores = 300,
		 .missing = 100,
		 .mispredicted = 200,
		 .fetch = 90,
		 .registers = 60,
		 .words = 60},
	};
	for (uint64_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
		struct interval_event *e = rig_stream(i + 77, &shapes[i], COUNT);
		struct interval_overlap_pass *o = interval_overlap_create(INTERVAL_CHAIN_memory, LINE);
		struct interval_overlap got;
		assert_non_null(o);
		rig_push(e, 900, push, o); /* warm-up that must leave nothing */
		interval_overlap_restart(o);
		rig_push(e, COUNT, push, o);
		interval_overlap_finish(o, &got);
		compare(e, &got);
		interval_overlap_destroy(o);
		free(e);
	}
}

/* Eight misses 100 instructions apart, independent: a window of 1024 holds all of them (one unit), 128 two at a time (the
 * first with the second, and so on), 64 one (eight units). A chain of eight is eight units in any window. */
static void test_by_hand(void **state)
{
	static struct interval_event e[1000];
	struct interval_overlap apart, chain;
	for (size_t i = 0; i < 999; i++)
		e[i] = (struct interval_event){.rd = 6, .length = 4};
	for (size_t i = 0; i < 800; i += 100)
		e[i] = (struct interval_event){.rd = 5,
					       .length = 4,
					       .size = 8,
					       .address = 4096 * i,
					       .flags = EVENT_LOAD,
					       .chains = 1u << INTERVAL_CHAIN_memory};
	struct interval_overlap_pass *o = interval_overlap_create(INTERVAL_CHAIN_memory, LINE);
	rig_push(e, 999, push, o);
	interval_overlap_finish(o, &apart);
	assert_int_equal(apart.misses, 8);
	assert_true(interval_overlapped(&apart, false, 1024) == 1);
	assert_true(interval_overlapped(&apart, false, 128) == 4);
	assert_true(interval_overlapped(&apart, false, 64) == 8);
	for (size_t i = 0; i < 800; i += 100)
		e[i].rs[0] = 5;
	interval_overlap_restart(o);
	rig_push(e, 999, push, o);
	interval_overlap_finish(o, &chain);
	for (size_t w = 0; w < INTERVAL_WINDOWS; w++)
		assert_int_equal(chain.units[w], 8);
	interval_overlap_destroy(o);
}

/* Of a stream with a gap: the miss of the lead is not counted, but the first of the stretch overlaps with it where the window
 * holds both; behind the gap nothing is in flight. */
static void test_stretches(void **state)
{
	static struct interval_batch lead, first, second;
	struct interval_batch *parts[] = {&lead, &first, &second};
	struct interval_overlap got;
	struct interval_overlap_pass *o = interval_overlap_create(INTERVAL_CHAIN_memory, LINE);
	for (size_t n = 0; n < 3; n++) {
		struct interval_batch *b = parts[n];
		b->first = n < 2 ? 100 * n : 5000;
		b->count = 100;
		b->detail = n ? DETAIL_SAMPLED : DETAIL_LEAD;
		for (size_t i = 0; i < b->count; i++)
			b->events[i] = (struct interval_event){.rd = 6, .length = 4};
		b->events[n ? 0 : 99] = (struct interval_event){.rd = 5,
								.length = 4,
								.size = 8,
								.address = 4096 * n,
								.flags = EVENT_LOAD,
								.chains = 1u << INTERVAL_CHAIN_memory};
		rig_describe(b);
		interval_overlap_push(o, b);
	}
	interval_overlap_finish(o, &got);
	assert_int_equal(got.misses, 2);
	assert_true(interval_overlapped(&got, false, 1) == 2);
	assert_true(interval_overlapped(&got, false, 2) == 1);
	assert_true(interval_overlapped(&got, false, 1024) == 1);
	interval_overlap_destroy(o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_by_hand),
		cmocka_unit_test(test_stretches),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
