/* Equations (9), (11) and (12): the formula's depth is where the time of equation (9) is least, as long as the counts and the drain do not
 * depend on the depth; here they are held by a program without long misses and with a drain of next to nothing. */
#include "model_rig.h"

#include "interval/model/scaling.h"

#include <math.h>

/* K(W) = 1 + W / 1e6: the window drains at once, whatever its size; no long misses: nothing depends on the window. */
static struct interval_profile *flat_profile(void)
{
	struct interval_profile *p = rig_profile(20000, 3);
	for (unsigned w = 0; w < INTERVAL_WINDOW; w++)
		p->paths.sum[INTERVAL_LATENCY_unit][w] = p->paths.windows[w] + w / 100;
	memset(&p->overlap, 0, sizeof p->overlap);
	memset(&p->l2, 0, sizeof p->l2);
	p->l2.first_sets = 6;
	p->l2.sets = INTERVAL_SETS;
	return p;
}

static void the_formula_finds_the_least_time(void **state)
{
	struct interval_profile *p = flat_profile();
	struct model model;
	struct error err;
	assert_true(model_open(&model, p, &err));
	struct scaling s = {&model, p->machine, 140, 2.5, 5};
	for (unsigned width = 2; width <= 8; width *= 2)
		for (unsigned f = 0; f <= 1; f++) {
			struct scaling_point best;
			double formula;
			assert_true(scaling_search(&s, width, f, &best, &err));
			assert_true(scaling_formula(&s, width, f, &formula, &err));
			/* the drain is l cycles, and l grows with depth: in time that is l (t_o p/p_b + t_p/p_b), as in (9) */
			assert_true(fabs(best.depth / formula - 1) < 0.05);
		}
	model_close(&model);
	rig_profile_free(p);
}

/* At p = p_b nothing is stretched: with t_o = 0 and t_p = p_b a cycle is 1, and the time is the plain model's CPI. */
static void the_base_depth_is_the_plain_model(void **state)
{
	struct interval_profile *p = rig_profile(20000, 3);
	struct model model;
	struct model_result r;
	struct scaling_point point;
	struct error err;
	assert_true(model_open(&model, p, &err));
	struct scaling s = {&model, p->machine, 5, 0, 5};
	assert_true(model_plain(&model, &p->machine, &r, &err));
	assert_true(scaling_point(&s, p->machine.dispatch_width, 5, 1, &point, &err));
	assert_float_equal(point.tpi, r.cpi, 1e-9);
	assert_float_equal(point.window, p->machine.window_rob, 1e-9);
	/* twice as wide and half as deep: the same window */
	assert_true(scaling_point(&s, 2 * p->machine.dispatch_width, 2.5, 1, &point, &err));
	assert_float_equal(point.window, p->machine.window_rob, 1e-9);
	model_close(&model);
	rig_profile_free(p);
}

/* Non-pipelined miss paths take the same time at every depth (figure 18, bottom). */
static void misses_that_are_not_pipelined_stay(void **state)
{
	struct interval_profile *p = rig_profile(20000, 3);
	struct model model;
	struct scaling_point shallow, deep;
	struct error err;
	assert_true(model_open(&model, p, &err));
	struct scaling s = {&model, p->machine, 140, 2.5, 5};
	assert_true(scaling_point(&s, 4, 5, 0, &shallow, &err));
	assert_true(scaling_point(&s, 4, 20, 0, &deep, &err));
	assert_float_equal(shallow.icache, deep.icache, 1e-9);
	assert_true(scaling_point(&s, 4, 20, 1, &deep, &err));
	/* pipelined: 20 / 5 x (2.5 + 140 / 20) = 38 against 5 / 5 x (140 / 5) = 28 */
	assert_float_equal(deep.icache / shallow.icache, 38.0 / 28, 1e-9);
	assert_true(deep.dispatch < shallow.dispatch);
	model_close(&model);
	rig_profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_formula_finds_the_least_time),
		cmocka_unit_test(the_base_depth_is_the_plain_model),
		cmocka_unit_test(misses_that_are_not_pipelined_stay),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
