/* Where the pipeline runs empty and fetch begins anew: a fault, the end of a turn, and no room for more decoded code.
 *
 * All are in a chain of dependent additions: W from one to the next, L their latency. The last before a drain commits L and
 * commit.delay after its issue, fetch goes on frontend.redirect later, and what it brings issues after the front end: so many
 * cycles instead of W. */
#include "kernel_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { LOOP = CHAIN_OPS + 2 };

/* From the issue of the last addition before to that of the first behind. */
static uint64_t drain(const struct machine *m)
{
	return m->latency[CULPRIT_OP_int_alu] + m->commit_delay + m->frontend_redirect + kernel_fetch_to_issue(m);
}

static uint64_t wake(const struct machine *m)
{
	return kernel_wake(m, CULPRIT_OP_int_alu);
}

static struct core *core_of(const struct machine *m, struct guest *g)
{
	struct error err;
	struct core *c = core_create(m, g, &err);
	assert_non_null(c);
	return c;
}

static uint64_t cycles_of(struct core *c)
{
	struct error err;
	assert_int_equal(core_run(c, UINT64_MAX, &err), CORE_STOP_ENDED);
	return core_statistics(c)->cycles;
}

static void end(struct core *c, struct guest *g)
{
	core_destroy(c);
	guest_destroy(g);
}

/* One at the end of each chain. */
static void faults(void **state)
{
	const struct kernel k = {.name = "breaks"};
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		kernel_wide_machine(&m, kernel_machines[i]);
		kernel_expect(&m, &k, (CHAIN_OPS - 1) * wake(&m) + drain(&m), 1, "a breakpoint");
		kernel_set(&m, "frontend.redirect=0");
		kernel_expect(&m, &k, (CHAIN_OPS - 1) * wake(&m) + drain(&m), 1, "a breakpoint, fetch at once");
	}
	(void)state;
}

/* Additions among the instructions of a turn. */
static uint64_t additions(uint64_t turn)
{
	uint64_t count = 0;
	for (uint64_t i = turn * GUEST_TURN; i < (turn + 1) * GUEST_TURN; i++)
		count += i % LOOP < CHAIN_OPS;
	return count;
}

/* Two programs take turns: each drain costs the same, and the second's cycles are those from drain to drain. */
static void turns(void **state)
{
	enum { TURNS = 4 };
	const struct kernel k = {.name = "chain"};
	const uint64_t iterations = (TURNS * GUEST_TURN + GUEST_TURN / 2) / LOOP;
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		kernel_wide_machine(&m, kernel_machines[i]);
		struct guest *alone = kernel_guest(&k, iterations), *both = kernel_guest(&k, iterations);
		struct core *a = core_of(&m, alone), *b = core_of(&m, both);
		bare_guest_take_turns(both);
		const uint64_t plain = cycles_of(a), drained = cycles_of(b);
		assert_int_equal(drained - plain, TURNS * (drain(&m) - wake(&m)));

		size_t count;
		const struct core_program *of = core_programs(a, &count);
		assert_true(!of && !count);
		of = core_programs(b, &count);
		assert_int_equal(count, 2);
		assert_int_equal(of[1].instructions, TURNS / 2 * GUEST_TURN);
		assert_int_equal(of[1].cycles, (additions(1) + additions(3) - 2) * wake(&m) + 2 * drain(&m));
		assert_int_equal(of[0].instructions + of[1].instructions, core_statistics(b)->committed);
		assert_int_equal(of[0].cycles + of[1].cycles, drained);
		end(a, alone);
		end(b, both);
	}
	(void)state;
}

/* As many blocks of decoded code as are kept, one from each of many instructions on. */
static struct guest *full_guest(uint64_t iterations)
{
	const struct kernel k = {.name = "filled"};
	struct guest *g = kernel_guest(&k, iterations);
	uint64_t pc = BARE_CODE + 4 * 1024;
	for (unsigned i = 0; i < FILLING - 2 * 1024 && !riscv_code_full(guest_code(g)); i++, pc += 4)
		assert_non_null(riscv_code_block(guest_code(g), pc));
	assert_true(riscv_code_full(guest_code(g)));
	return g;
}

/* At the end of the first turn it is thrown away, for which the pipeline runs empty; in warm-up at once. */
static void decoded_code(void **state)
{
	enum { TURNS = 3, WARM = 1000 };
	const struct kernel k = {.name = "filled"};
	const uint64_t iterations = (TURNS * GUEST_TURN + GUEST_TURN / 2) / LOOP;
	struct machine m;
	kernel_wide_machine(&m, "eyerman2009-4w");
	for (unsigned warm = 0; warm <= 1; warm++) {
		struct guest *empty = kernel_guest(&k, iterations), *full = full_guest(iterations);
		struct core *a = core_of(&m, empty), *b = core_of(&m, full);
		uint64_t executed;
		if (warm) {
			core_warm(a, WARM, &executed);
			core_warm(b, WARM, &executed);
			assert_int_equal(executed, WARM);
		}
		const uint64_t plain = cycles_of(a);
		assert_int_equal(cycles_of(b) - plain, warm ? 0 : drain(&m) - wake(&m));
		assert_false(riscv_code_full(guest_code(full)));
		end(a, empty);
		end(b, full);
	}
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(faults), cmocka_unit_test(turns),
					   cmocka_unit_test(decoded_code)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
