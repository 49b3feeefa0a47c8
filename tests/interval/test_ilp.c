/* Equations (1) to (5) and (8) of Eyerman et al. 2009 on numbers worked out by hand. */
#include "interval/model/ilp.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

/* An exact power law, measured up to 1024. */
static void law(struct ilp *ilp, double alpha, double beta)
{
	*ilp = (struct ilp){.measured = ILP_WINDOW};
	for (unsigned w = 1; w <= ILP_WINDOW; w++)
		ilp->k[w] = pow(w, 1 / beta) / alpha;
	assert_true(ilp_fit(ilp, 4, 1024));
}

static void an_exact_law_is_found_again(void **state)
{
	struct ilp ilp;
	law(&ilp, 1.26, 1.47); /* twolf in table II */
	assert_float_equal(ilp.fit.alpha, 1.26, 1e-9);
	assert_float_equal(ilp.fit.beta, 1.47, 1e-9);
	assert_true(ilp.fit.residual < 1e-6);
	assert_int_equal(ilp.fit.low, 4);
	assert_int_equal(ilp.fit.high, 1024);
}

/* W = 4, 16, 64 alone would do; here every second point is off by a factor e^0.1 up, e^-0.1 down: the residual is 0.1 but for what
 * the line gives in. */
static void the_residual_is_the_distance(void **state)
{
	struct ilp ilp;
	law(&ilp, 1, 2);
	bool up = false;
	for (unsigned i = 4; i <= 20; i++) {
		ilp.k[lround(exp2(i / 2.0))] *= exp(up ? 0.1 : -0.1);
		up = !up;
	}
	assert_true(ilp_fit(&ilp, 4, 1024));
	assert_float_equal(ilp.fit.residual, 0.1, 0.002);
}

static void too_little_is_no_fit(void **state)
{
	struct ilp ilp;
	law(&ilp, 1, 2);
	ilp.measured = 6; /* W = 4 and 6 */
	assert_false(ilp_fit(&ilp, 4, 1024));
	law(&ilp, 1, 2);
	for (unsigned w = 1; w <= ILP_WINDOW; w++)
		ilp.k[w] = 3; /* a curve that does not rise has no beta */
	assert_false(ilp_fit(&ilp, 4, 1024));
}

/* alpha = 1, beta = 2: K(64) = 8, rate = 64 / 8 = 8 = sqrt(64); at l = 2 it is 4, equation (4). For a rate of 4 at l = 2:
 * W = (2 * 4)^2 = 64. Twice the width: four times the window. */
static void rates_and_windows(void **state)
{
	struct ilp ilp;
	law(&ilp, 1, 2);
	assert_float_equal(ilp_path(&ilp, 64), 8, 1e-9);
	assert_float_equal(ilp_rate(&ilp.fit, 64, 1), 8, 1e-9);
	assert_float_equal(ilp_rate(&ilp.fit, 64, 2), 4, 1e-9);
	assert_float_equal(ilp_window(&ilp.fit, 4, 2), 64, 1e-6);
	assert_float_equal(ilp_window_scale(&ilp.fit, 2), 4, 1e-9);
	/* between 1 (K = 1) and 4 (K = 2) it is linear from point to point: K(2.5) is half way from sqrt 2 to sqrt 3 */
	assert_float_equal(ilp_path(&ilp, 2.5), (sqrt(2) + sqrt(3)) / 2, 1e-9);
	assert_float_equal(ilp_path(&ilp, 0.5), 0.5, 1e-9);
	/* beyond what was measured the law goes on: K(4096) = 64 */
	assert_float_equal(ilp_path(&ilp, 4096), 64, 1e-6);
}

/* K(w) = w (a single chain: alpha = beta = 1), width 2, l = 1. Each cycle one instruction leaves a window that is not empty:
 * w: 0 -> 2 -> 3 -> 4 -> 5; after 4 cycles all 8 have entered, 5 are left, and take K(5) = 5 cycles. */
static void a_chain_drains_one_a_cycle(void **state)
{
	struct ilp ilp;
	law(&ilp, 1, 1);
	assert_float_equal(ilp_drain(&ilp, 8, 2, 2, 128, 1), 5, 1e-9);
	/* ROB of 4: 2, 3, 4, then only one a cycle can enter: 6 entered after 3 cycles, 4 in the window; two more cycles, one each:
	 * still 4 */
	assert_float_equal(ilp_drain(&ilp, 7, 2, 2, 4, 1), 4, 1e-9);
	/* l = 2: half an instruction a cycle: 2, 3.5, 5, 6.5: 2 * 6.5 = 13 cycles */
	assert_float_equal(ilp_drain(&ilp, 8, 2, 2, 128, 2), 13, 1e-9);
}

/* K(w) = 1 (no dependences) is no law that can be fitted; 1 + w / 1000000 is as good. Issue limits the drain: width 4, issue 2:
 * 4, 6, 8: 8 left after 3 cycles, and 4 cycles to issue them. */
static void issue_width_limits_the_drain(void **state)
{
	struct ilp ilp = {.measured = ILP_WINDOW};
	for (unsigned w = 1; w <= ILP_WINDOW; w++)
		ilp.k[w] = 1 + w / 1e6;
	ilp_fit(&ilp, 4, 1024);
	assert_float_equal(ilp_drain(&ilp, 12, 4, 2, 128, 1), 4, 1e-4);
}

/* The recurrence again, written out as a loop over cycles with arrays in place of the shortcuts. */
static double slow_drain(const struct ilp *ilp, double n, double width, double rob, double l)
{
	double w = 0, entered = 0;
	while (n - entered > 1e-12) {
		double k = 0;
		unsigned whole = (unsigned)w;
		if (w > 0)
			k = ilp->k[whole] +
			    (w - whole) * (ilp->k[whole < ILP_WINDOW ? whole + 1 : whole] - ilp->k[whole]);
		double out = w > 0 ? w / (l * k) : 0;
		out = out > width ? width : out;
		out = out > w ? w : out;
		double in = width;
		if (in > n - entered)
			in = n - entered;
		if (in > rob - w + out)
			in = rob - w + out;
		entered += in;
		w = w + in - out;
	}
	unsigned whole = (unsigned)w;
	double k = ilp->k[whole] + (w - whole) * (ilp->k[whole + 1] - ilp->k[whole]);
	return l * k > w / width ? l * k : w / width;
}

static void the_drain_agrees_with_a_slow_one(void **state)
{
	struct ilp ilp;
	srand(7);
	for (int i = 0; i < 300; i++) {
		law(&ilp, 0.8 + rand() % 100 / 100.0, 1.1 + rand() % 90 / 100.0);
		double n = 1 + rand() % 800, width = 1 + rand() % 8, rob = 16 << rand() % 5, l = 1 + rand() % 30 / 10.0;
		assert_float_equal(ilp_drain(&ilp, n, width, width, rob, l), slow_drain(&ilp, n, width, rob, l), 1e-5);
	}
}

static void the_window_never_exceeds_the_rob(void **state)
{
	struct ilp ilp;
	law(&ilp, 1, 1.2);
	assert_true(ilp_drain(&ilp, 1e6, 8, 8, 64, 3) <= 3 * ilp_path(&ilp, 64) + 1e-9);
}

/* What is issued in all cycles together is what was dispatched. */
static void a_ramp_issues_everything(void **state)
{
	struct ilp ilp;
	double rates[1000], sum = 0;
	law(&ilp, 1.3, 1.6);
	size_t cycles = ilp_ramp(&ilp, 96, 4, 4, 128, 1, rates, 1000);
	for (size_t i = 0; i < cycles; i++) {
		assert_true(rates[i] <= 4);
		sum += rates[i];
	}
	assert_true(sum > 95.49 && sum < 96.01);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_exact_law_is_found_again),
		cmocka_unit_test(the_residual_is_the_distance),
		cmocka_unit_test(too_little_is_no_fit),
		cmocka_unit_test(rates_and_windows),
		cmocka_unit_test(a_chain_drains_one_a_cycle),
		cmocka_unit_test(issue_width_limits_the_drain),
		cmocka_unit_test(the_drain_agrees_with_a_slow_one),
		cmocka_unit_test(the_window_never_exceeds_the_rob),
		cmocka_unit_test(a_ramp_issues_everything),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
