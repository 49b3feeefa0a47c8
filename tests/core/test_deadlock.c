/* A core that stands still for good says the state of every stage. No program gets it there, so the state is written here. */
#include "bare_guest.h"
#include "core/core.h"
#include "core/loop.h"
#include "machine/machine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void stand_still(struct core *c)
{
	c->now = 100;
	c->head = 7;
	c->dispatched = 9;
	c->fetched = 12;
	c->tail = 13;
	*slot_at(c, 7) = (struct slot){.pc = 0x1234, .state = SLOT_PARKED, .pending = 2, .linked = 1};
	c->hold = HOLD_DRAIN;
	c->fetch_resume = 90;
	c->checkpoint_count = 3;
	c->lq_used = 21;
	c->sq_used = 22;
	c->lsq_used = 23;
	c->int_used = 24;
	c->fp_used = 25;
	c->ready_count = 26;
	c->parked_count = 27;
}

static void every_stage_is_named(void **state)
{
	static const uint8_t code[64];
	struct error err;
	struct machine m;
	char expected[sizeof err.text];
	assert_true(machine_load(&m, "eyerman2009-4w", &err));
	struct guest *g = bare_guest_create(code, sizeof code);
	struct core *c = core_create(&m, g, &err);
	assert_non_null(c);
	stand_still(c);
	assert_int_equal(loop_deadlock(c, &err), CORE_STOP_ERROR);
	snprintf(expected, sizeof expected,
		 "deadlock at cycle 100: head 7 dispatched 9 fetched 12 tail 13; head pc 0x1234 state %u pending 2 "
		 "linked 1; fetch hold %u resumes 90; wrong paths 3; LQ 21 SQ 22 LSQ 23 registers 24+25; ready 26 "
		 "parked 27",
		 SLOT_PARKED, HOLD_DRAIN);
	assert_string_equal(err.text, expected);
	assert_int_equal(err.code, ERROR_INTERNAL);
	c->checkpoint_count = 0;
	core_destroy(c);
	guest_destroy(g);
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(every_stage_is_named)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
