/* The reference CPI stacks: what is idealised after each step, in both orders, and the stack from made-up times. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/truth/reference.h"

#define E(name) CULPRIT_EVENT_BIT(name)

enum { STEPS = TRUTH_REFERENCE_ROWS };

static const culprit_event_set everything = E(bmisp) | E(dl2) | E(dl3) | E(dmem) | E(dtlb) | E(il2) | E(il3) | E(imem) |
					    E(itlb);

/* The order of the 2006 paper's section 5.1: D-cache, predictor, then L1I, L2I, ITLB, L2D, DTLB. */
static void paper_order(void **state)
{
	const culprit_event_set made_real[STEPS] = {E(dl2),  E(bmisp),	       E(il2), E(il3) | E(imem),
						    E(itlb), E(dl3) | E(dmem), E(dtlb)};
	culprit_event_set left = everything;
	assert_int_equal(truth_reference_ideal(TRUTH_ORDER_PAPER, 0), left);
	for (uint32_t step = 1; step <= STEPS; step++) {
		left &= ~made_real[step - 1];
		assert_int_equal(truth_reference_ideal(TRUTH_ORDER_PAPER, step), left);
	}
	assert_int_equal(left, 0);
}

/* The inverse order has L2D and DTLB before the instruction side. */
static void inverse_order(void **state)
{
	const culprit_event_set made_real[STEPS] = {E(dl2), E(bmisp),	      E(dl3) | E(dmem), E(dtlb),
						    E(il2), E(il3) | E(imem), E(itlb)};
	culprit_event_set left = everything;
	for (uint32_t step = 1; step <= STEPS; step++) {
		left &= ~made_real[step - 1];
		assert_int_equal(truth_reference_ideal(TRUTH_ORDER_INVERSE, step), left);
	}
	assert_int_equal(left, 0);
}

static void stack_charges_what_is_added(void **state)
{
	const uint64_t time[STEPS + 1] = {1000, 1100, 1300, 1310, 1305, 1345, 2345, 2352};
	struct truth_stack s;
	truth_reference_stack(TRUTH_ORDER_INVERSE, time, &s);
	assert_int_equal(s.base, 1000);
	assert_int_equal(s.cycles[TRUTH_REFERENCE_l1d], 100);
	assert_int_equal(s.cycles[TRUTH_REFERENCE_bmisp], 200);
	assert_int_equal(s.cycles[TRUTH_REFERENCE_l2d], 10);
	assert_int_equal(s.cycles[TRUTH_REFERENCE_dtlb], -5);
	assert_int_equal(s.cycles[TRUTH_REFERENCE_l1i], 40);
	assert_int_equal(s.cycles[TRUTH_REFERENCE_l2i], 1000);
	assert_int_equal(s.cycles[TRUTH_REFERENCE_itlb], 7);
}

static void stack_sums_to_real_time(void **state)
{
	const uint64_t time[STEPS + 1] = {7, 90, 80, 85, 300, 301, 299, 500};
	for (unsigned order = 0; order < TRUTH_ORDERS; order++) {
		struct truth_stack s;
		truth_reference_stack(order, time, &s);
		int64_t sum = (int64_t)s.base;
		for (unsigned i = 0; i < TRUTH_REFERENCE_ROWS; i++)
			sum += s.cycles[i];
		assert_int_equal(sum, 500);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paper_order),
		cmocka_unit_test(inverse_order),
		cmocka_unit_test(stack_charges_what_is_added),
		cmocka_unit_test(stack_sums_to_real_time),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
