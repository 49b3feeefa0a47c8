/* Who was held up by younger instructions, by hand: three slots of the width in a cycle, and one unit. What room there was is what the
 * records before left: they take a slot in their cycle, the unit for as long as they hold it, and of the width what they take besides. */
#include "analysis/graph/selection.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* Three bits count the width from 1 on, so that 4 is full; one bit is the unit. */
enum { WIDTH = 1, WIDTH_FULL = 4, UNIT = 8, SPAN = GRAPH_SLOT_SPAN };

static const struct graph_slot_use unit = {
	.bias = WIDTH, .full = WIDTH_FULL | UNIT, .take = WIDTH | UNIT, .unit_full = UNIT, .unit_take = UNIT};
static const struct graph_slot_use width = {.bias = WIDTH, .full = WIDTH_FULL, .take = WIDTH};

static uint32_t waited(struct graph_selection *x, const struct graph_slot_use *use, uint64_t dispatch, uint64_t ready,
		       uint64_t issue, uint32_t interval)
{
	const struct culprit_record r = {.dispatch = dispatch, .issue = issue};
	return graph_selection_waited(x, &r, ready, use, interval);
}

static struct graph_selection create(void)
{
	struct graph_selection x = {.dispatch = 0};
	assert_true(graph_selection_create(&x));
	return x;
}

/* From its issue on for `interval` cycles, and no longer: of the unit, not of the width. */
static void unit_stays_taken(void **state)
{
	for (uint32_t interval = 1; interval < 9; interval++) {
		struct graph_selection x = create();
		const uint64_t free = 10 + interval;
		assert_int_equal(waited(&x, &unit, 0, 10, 10, interval), 0);
		assert_int_equal(waited(&x, &width, 0, free - 1, free, 1), 1); /* takes one of three there */
		assert_int_equal(waited(&x, &unit, 0, 10, free, 1), 0); /* the first cycle that the unit is free */
		assert_int_equal(waited(&x, &unit, 0, 10, free + 2, 1), free + 2 - 10); /* one late */
		graph_selection_destroy(&x);
	}
	(void)state;
}

/* Of two units the other one is free. */
static void other_unit(void **state)
{
	enum { BOTH = 2 * UNIT };
	const struct graph_slot_use two = {
		.bias = WIDTH, .full = WIDTH_FULL | BOTH, .take = WIDTH | UNIT, .unit_full = BOTH, .unit_take = UNIT};
	struct graph_selection x = create();
	assert_int_equal(waited(&x, &two, 0, 10, 10, 4), 0);
	assert_int_equal(waited(&x, &two, 0, 11, 12, 1), 1); /* one was free in 11 */
	assert_int_equal(waited(&x, &two, 0, 11, 11, 3), 0);
	assert_int_equal(waited(&x, &two, 0, 11, 14, 1), 0); /* both are held in 11, 12 and 13 */
	graph_selection_destroy(&x);
	(void)state;
}

static void three_in_a_cycle(void **state)
{
	struct graph_selection x = create();
	for (unsigned i = 0; i < 4; i++) /* the fourth is one more than there can be, and takes nothing */
		assert_int_equal(waited(&x, &width, 0, 7, 7, 1), 0);
	assert_int_equal(waited(&x, &width, 0, 7, 8, 1), 0);
	assert_int_equal(waited(&x, &unit, 0, 7, 8, 1), 0);
	assert_int_equal(waited(&x, &width, 0, 8, 9, 1), 1); /* two have issued in 8 */
	graph_selection_destroy(&x);
	(void)state;
}

/* A cracked instruction's further slots: two that its cycle has left, two of the next. */
static void further_slots(void **state)
{
	struct graph_selection x = create();
	const struct culprit_record r = {.issue = 20};
	assert_int_equal(waited(&x, &width, 0, 20, 20, 1), 0);
	graph_selection_more(&x, &r, &width, 4);
	assert_int_equal(waited(&x, &width, 0, 20, 21, 1), 0); /* the last slot of 21 */
	assert_int_equal(waited(&x, &width, 0, 20, 22, 1), 0);
	assert_int_equal(waited(&x, &width, 0, 20, 23, 1), 3);
	graph_selection_destroy(&x);
	(void)state;
}

/* Cycles [dispatch, dispatch + SPAN) are kept; others share their words. */
static void cycles_kept(void **state)
{
	struct graph_selection x = create();
	assert_int_equal(waited(&x, &unit, 0, SPAN - 2, SPAN - 2, 5), 0); /* holds the two last ones */
	assert_int_equal(waited(&x, &unit, 0, SPAN - 2, SPAN - 1, 1), 0);
	assert_int_equal(waited(&x, &unit, 0, 0, SPAN, 1), 0); /* not kept */
	assert_int_equal(waited(&x, &unit, 0, 0, 1, 1), 1);    /* neither took anything in 0 */
	graph_selection_destroy(&x);
	x = create();
	assert_int_equal(waited(&x, &unit, 0, 10, 10, 3), 0);
	assert_int_equal(waited(&x, &unit, 12, 11, 13, 1), 0); /* ready before the youngest dispatch: not known */
	assert_int_equal(waited(&x, &unit, 12, 12, 13, 1), 0); /* held until then */
	assert_int_equal(waited(&x, &unit, 11, SPAN + 10, SPAN + 11, 1), 1); /* forgotten; the dispatch stays 12 */
	assert_int_equal(waited(&x, &unit, 12 + SPAN, SPAN + 12, SPAN + 13, 1), 1);
	graph_selection_destroy(&x);
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unit_stays_taken), cmocka_unit_test(other_unit),  cmocka_unit_test(three_in_a_cycle),
		cmocka_unit_test(further_slots),    cmocka_unit_test(cycles_kept),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
