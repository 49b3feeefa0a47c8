/* Contested cycles against a count of our own: a random course of mispredictions, instruction misses and waits of the oldest,
 * in which this test knows at every cycle who could claim it. The ROB has 8 entries, stages are 4 wide. */
#include "analysis/stacks_rig.h"

struct course {
	struct rig r;
	uint64_t random;
	bool branch; /* a misprediction is between its dispatch and that of its right path */
	uint64_t claims[CLAIM_SETS], contested, overlap;
};

static unsigned below(struct course *c, unsigned n)
{
	c->random = c->random * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(c->random >> 33) % n;
}

/* The claims of a cycle, from the definitions in docs/explanation/stacks.md. */
static void claim(struct course *c, const struct does *d, uint64_t length)
{
	bool full = c->r.dispatched - c->r.head == c->r.rob;
	bool fetch = !d->wrong && (d->fetch == CULPRIT_FETCH_SERVED_BY_CACHE ||
				   d->fetch == CULPRIT_FETCH_SERVED_BY_MEMORY || d->fetch == CULPRIT_FETCH_ITLB_MISS);
	bool is_long = d->head == CULPRIT_HEAD_SERVED_BY_MEMORY || d->head == CULPRIT_HEAD_DTLB;
	bool is_short = full && (d->head == CULPRIT_HEAD_SERVED_BY_CACHE || d->head == CULPRIT_HEAD_LGALU);
	unsigned set = (fetch ? CLAIM_FETCH : 0) | (c->branch ? CLAIM_BRANCH : 0) | (is_long ? CLAIM_LONG : 0) |
		       (is_short ? CLAIM_SHORT : 0);
	c->claims[set] += length;
	if (fetch + c->branch + is_long + is_short > 1)
		c->contested += length;
	if (full && is_long && (fetch || c->branch))
		c->overlap += length;
}

static void cycle(struct course *c, struct does d)
{
	static const uint8_t fetch[] = {CULPRIT_FETCH_DELIVERED, CULPRIT_FETCH_BUFFER_FULL,
					CULPRIT_FETCH_SERVED_BY_CACHE, CULPRIT_FETCH_SERVED_BY_MEMORY,
					CULPRIT_FETCH_ITLB_MISS};
	static const uint8_t heads[] = {
		CULPRIT_HEAD_SHALU, CULPRIT_HEAD_LGALU,	  CULPRIT_HEAD_SERVED_BY_CACHE, CULPRIT_HEAD_SERVED_BY_MEMORY,
		CULPRIT_HEAD_DTLB,  CULPRIT_HEAD_DISPATCH};
	d.fetch = fetch[below(c, 5)];
	d.head = c->r.head == c->r.dispatched ? CULPRIT_HEAD_EMPTY
		 : d.commit		      ? CULPRIT_HEAD_COMMITTING
					      : heads[below(c, 6)];
	d.stage = d.dispatch == 4 ? CULPRIT_DISPATCH_WIDTH : CULPRIT_DISPATCH_EMPTY;
	d.length = d.commit || d.dispatch ? 1 : 1 + below(c, 3);
	rig_cycle(&c->r, d);
	claim(c, &d, d.length);
}

/* Instructions of the path being followed enter the window, as many as have room. */
static void fill(struct course *c, bool wrong)
{
	unsigned room = c->r.rob - (unsigned)(c->r.dispatched - c->r.head), count = below(c, 5);
	count = count < room ? count : room;
	rig_plain(&c->r, count);
	cycle(c, (struct does){.dispatch = count, .wrong = wrong});
}

static void misprediction(struct course *c)
{
	unsigned before = below(c, 4);
	rig_plain(&c->r, before);
	rig_branch(&c->r, true, false);
	uint64_t right = c->r.fetched;
	c->branch = true;
	cycle(c, (struct does){.dispatch = before + 1, .wrong = true});
	for (unsigned n = below(c, 6); n; n--)
		fill(c, true);
	rig_squash(&c->r, right, CULPRIT_SQUASH_MISPREDICT);
	for (unsigned n = 1 + below(c, 5); n; n--)
		cycle(c, (struct does){.wrong = false});
	c->branch = false;
	rig_plain(&c->r, 2);
	cycle(c, (struct does){.dispatch = 2});
}

static void test_random_course(void **state)
{
	struct course c = {.random = 1};
	struct stacks_params p = rig_params();
	rig_start(&c.r, &p);
	for (unsigned round = 0; round < 500; round++) {
		misprediction(&c);
		for (unsigned n = below(&c, 4); n; n--)
			fill(&c, false);
		while (c.r.head != c.r.dispatched) {
			unsigned left = (unsigned)(c.r.dispatched - c.r.head);
			cycle(&c, (struct does){.commit = left < 4 ? left : 4});
		}
	}
	rig_end(&c.r);
	uint64_t contested = 0;
	for (unsigned set = 0; set < CLAIM_SETS; set++) {
		assert_int_equal(stacks_claims(c.r.s)[set], c.claims[set]);
		contested += set & (set - 1) ? stacks_claims(c.r.s)[set] : 0;
	}
	assert_int_equal(contested, c.contested);
	assert_int_equal(stacks_penalties(c.r.s)->overlap, c.overlap);
	/* the course had them all */
	assert_true(c.overlap > 0 && c.contested > c.overlap && c.contested < c.r.cycle);
	assert_true(c.claims[CLAIM_FETCH | CLAIM_SHORT] && c.claims[CLAIM_FETCH | CLAIM_BRANCH | CLAIM_LONG]);
	stacks_destroy(c.r.s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_course)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
