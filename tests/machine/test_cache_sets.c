/* Replacement policies against brute force written from their definitions (ordered lists, a recursive tree, counters
 * aged one by one), ports against a map of busy cycles, MSHRs against sorting. */
#include "hierarchy_rig.h"

enum { SETS = 4, WAYS_MAX = 16, TRACE = 20000 };

/* One set of the reference: way[] holds lines; order[] is LRU or FIFO order of ways, oldest first. */
struct reference_set {
	uint64_t way[WAYS_MAX];
	uint32_t order[WAYS_MAX];
	uint32_t used;
	bool points_right[WAYS_MAX]; /* PLRU: node by the middle of its range of ways */
	uint32_t age[WAYS_MAX];	     /* SRRIP */
};

struct reference {
	enum replacement policy;
	uint32_t ways;
	uint64_t random;
	struct reference_set sets[SETS];
};

static void move_to_youngest(struct reference_set *s, uint32_t way, uint32_t count)
{
	uint32_t at = 0;
	while (at < count && s->order[at] != way)
		at++;
	for (; at + 1 < count; at++)
		s->order[at] = s->order[at + 1];
	s->order[count - 1] = way;
}

static void point_away(struct reference_set *s, uint32_t low, uint32_t high, uint32_t way)
{
	if (high - low < 2)
		return;
	uint32_t middle = (low + high) / 2;
	s->points_right[middle] = way < middle;
	if (way < middle)
		point_away(s, low, middle, way);
	else
		point_away(s, middle, high, way);
}

static uint32_t pointed_at(const struct reference_set *s, uint32_t low, uint32_t high)
{
	if (high - low < 2)
		return low;
	uint32_t middle = (low + high) / 2;
	return s->points_right[middle] ? pointed_at(s, middle, high) : pointed_at(s, low, middle);
}

static uint32_t aged_out(struct reference_set *s, uint32_t ways)
{
	for (;;) {
		for (uint32_t way = 0; way < ways; way++)
			if (s->age[way] == 3)
				return way;
		for (uint32_t way = 0; way < ways; way++)
			s->age[way]++;
	}
}

static uint32_t drawn(struct reference *r)
{
	r->random ^= r->random << 13;
	r->random ^= r->random >> 7;
	r->random ^= r->random << 17;
	return (uint32_t)(((r->random >> 32) * r->ways) >> 32);
}

static uint32_t reference_victim(struct reference *r, struct reference_set *s)
{
	switch (r->policy) {
	case replacement_plru:
		return pointed_at(s, 0, r->ways);
	case replacement_srrip:
		return aged_out(s, r->ways);
	case replacement_random:
		return drawn(r);
	default:
		return s->order[0];
	}
}

/* True on a hit. */
static bool reference_access(struct reference *r, uint64_t line)
{
	struct reference_set *s = &r->sets[line % SETS];
	for (uint32_t way = 0; way < s->used; way++) {
		if (s->way[way] != line)
			continue;
		if (r->policy == replacement_lru)
			move_to_youngest(s, way, s->used);
		point_away(s, 0, r->ways, way);
		s->age[way] = 0;
		return true;
	}
	uint32_t way;
	if (s->used < r->ways) {
		way = s->used++;
		s->order[way] = way;
	} else {
		way = reference_victim(r, s);
	}
	s->way[way] = line;
	move_to_youngest(s, way, s->used);
	point_away(s, 0, r->ways, way);
	s->age[way] = 2;
	return false;
}

/* Reuse at several distances: a hot part, a wider part and a scan. */
static uint64_t next_line(uint64_t *seed, uint64_t i, uint32_t ways)
{
	switch (rig_random(seed, 4)) {
	case 0:
		return rig_random(seed, SETS * ways / 2 + 1);
	case 1:
		return i / 3 % (SETS * (ways + 1));
	default:
		return rig_random(seed, SETS * ways * 2);
	}
}

static void compare_policy(enum replacement policy, uint32_t ways)
{
	struct machine m = rig_machine();
	m.l1d_ways = ways;
	m.l1d_size = SETS * ways * m.l1d_line;
	m.l1d_replacement = policy;
	struct hierarchy *h = rig_create(&m);
	struct reference r = {.policy = policy, .ways = ways, .random = 0x9e3779b97f4a7c15u};
	uint64_t seed = 1, hits = 0;
	for (uint64_t i = 0; i < TRACE; i++) {
		uint64_t line = next_line(&seed, i, ways);
		bool expected = reference_access(&r, line);
		bool hit = rig_load(h, 1000 * i, i, line * m.l1d_line).level == CULPRIT_LEVEL_L1;
		if (hit != expected)
			fail_msg("policy %d, %u ways, access %u: hit %d, reference %d", policy, ways, (unsigned)i, hit,
				 expected);
		hits += hit;
	}
	assert_true(hits > TRACE / 10 && hits < TRACE - TRACE / 10);
	for (uint64_t line = 0; line < SETS * ways * 2; line++) {
		struct reference_set *s = &r.sets[line % SETS];
		bool there = false;
		for (uint32_t way = 0; way < s->used; way++)
			there |= s->way[way] == line;
		assert_int_equal(hierarchy_l1d_has(h, line * m.l1d_line), there);
	}
	hierarchy_destroy(h);
}

static void policies_equal_brute_force(void **state)
{
	static const uint32_t ways[] = {2, 4, 8, 16};
	for (int i = 0; i < 4; i++)
		for (enum replacement p = replacement_lru; p <= replacement_srrip; p++)
			compare_policy(p, ways[i]);
}

static void odd_associativities_equal_brute_force(void **state)
{
	static const uint32_t ways[] = {3, 5, 6, 12};
	static const enum replacement policies[] = {replacement_lru, replacement_fifo, replacement_random,
						    replacement_srrip};
	for (int i = 0; i < 4; i++)
		for (int p = 0; p < 4; p++)
			compare_policy(policies[p], ways[i]);
}

/* The oldest line is where the guess table of a fully associative array must not matter. */
static void a_fully_associative_cache_holds_its_last_lines(void **state)
{
	struct machine m = rig_machine();
	m.l1d_ways = 0; /* 32 lines */
	struct hierarchy *h = rig_create(&m);
	for (uint64_t i = 0; i < 100; i++)
		rig_load(h, 1000 * i, i, i * 0x10000);
	for (uint64_t i = 0; i < 100; i++)
		assert_int_equal(hierarchy_l1d_has(h, i * 0x10000), i >= 100 - 32);
	hierarchy_destroy(h);
}

static void random_draws_every_way_equally(void **state)
{
	struct cache_sets s;
	struct error err;
	uint32_t count[7] = {0};
	assert_true(cache_sets_init(&s, "test", 7, 7, replacement_random, &err));
	for (uint64_t i = 0; i < 70007; i++) {
		uint32_t way = cache_sets_victim(&s, i);
		cache_sets_fill(&s, way, i);
		count[way] += i >= 7;
	}
	/* 10000 expected of each, standard deviation 93. */
	for (int way = 0; way < 7; way++)
		assert_in_range(count[way], 10000 - 465, 10000 + 465);
	cache_sets_free(&s);
}

static void a_port_takes_the_first_gap(void **state)
{
	enum { CYCLES = 200000 };
	for (uint32_t interval = 1; interval <= 7; interval++) {
		static bool busy[CYCLES + 2000];
		struct port p;
		uint64_t seed = interval, now = 0;
		memset(busy, 0, sizeof busy);
		port_init(&p, interval);
		while (now < CYCLES) {
			uint64_t want = now + rig_random(&seed, 20), free = want;
			for (uint32_t n = 0; n < interval; n++)
				if (busy[free + n])
					free += n + 1, n = UINT32_MAX;
			assert_int_equal(port_take(&p, want), free);
			memset(busy + free, true, interval);
			now += rig_random(&seed, 2 * interval + 2);
		}
	}
}

/* Spans beyond the last 32 are forgotten, and with them all time before. */
static void a_port_forgets_towards_the_past_only(void **state)
{
	struct port p;
	port_init(&p, 4);
	for (uint64_t i = 0; i < 100; i++)
		assert_int_equal(port_take(&p, 10 * i), 10 * i); /* i to i + 4, a gap of 6 */
	uint64_t early = port_take(&p, 0);
	assert_in_range(early, 10 * (100 - PORT_SPANS), 10 * (102 - PORT_SPANS));
	assert_in_range(early % 10, 4, 6); /* in a gap */
	assert_int_equal(port_take(&p, 984), 984);
	assert_int_equal(port_take(&p, 984), 994);
}

static void an_unlimited_port_never_waits(void **state)
{
	struct port p;
	port_init(&p, 0);
	for (int i = 0; i < 10; i++)
		assert_int_equal(port_take(&p, 5), 5);
}

/* k servers, requests in time order: the start is the request's cycle or the k-th latest end so far. */
static void mshrs_serve_in_order(void **state)
{
	enum { REQUESTS = 300 };
	for (uint32_t k = 1; k <= 8; k++) {
		static uint64_t ends[REQUESTS];
		struct mshrs m;
		struct error err;
		uint64_t seed = k, now = 0;
		assert_true(mshrs_init(&m, k, &err));
		for (uint32_t n = 0; n < REQUESTS; n++) {
			now += rig_random(&seed, 40);
			uint64_t start = now;
			for (;; start++) { /* fewer than k of the earlier ones still running */
				uint32_t running = 0;
				for (uint32_t i = 0; i < n; i++)
					running += ends[i] > start;
				if (running < k)
					break;
			}
			uint32_t which = 0;
			assert_int_equal(mshrs_take(&m, now, &which), start);
			ends[n] = start + 1 + rig_random(&seed, 40 * k);
			mshrs_hold(&m, which, ends[n]);
		}
		mshrs_free(&m);
	}
}

static void an_mshr_is_free_in_the_cycle_its_data_arrive(void **state)
{
	struct mshrs m;
	struct error err;
	uint32_t which = 0;
	assert_true(mshrs_init(&m, 2, &err));
	assert_int_equal(mshrs_take(&m, 0, &which), 0);
	mshrs_hold(&m, which, 10);
	assert_int_equal(mshrs_busy(&m, 9), 1);
	assert_int_equal(mshrs_busy(&m, 10), 0);
	assert_int_equal(mshrs_take(&m, 10, &which), 10); /* the one busy last, which leaves the other for the past */
	mshrs_hold(&m, which, 30);
	assert_int_equal(mshrs_take(&m, 5, &which), 5);
	mshrs_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(policies_equal_brute_force),
		cmocka_unit_test(odd_associativities_equal_brute_force),
		cmocka_unit_test(a_fully_associative_cache_holds_its_last_lines),
		cmocka_unit_test(random_draws_every_way_equally),
		cmocka_unit_test(a_port_takes_the_first_gap),
		cmocka_unit_test(a_port_forgets_towards_the_past_only),
		cmocka_unit_test(an_unlimited_port_never_waits),
		cmocka_unit_test(mshrs_serve_in_order),
		cmocka_unit_test(an_mshr_is_free_in_the_cycle_its_data_arrive),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
