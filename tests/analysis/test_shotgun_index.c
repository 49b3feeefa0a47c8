/* Which targets of an indirect branch the reconstruction tries first, when its samples have more than it keeps: those
 * whose surroundings differ the least.
 *
 * Target k of 1 to TARGETS was taken with k bits set, the lowest k. Where j are set, its surroundings differ by the
 * distance of k from j, and of two that differ by as much the smaller one was met first: j, j - 1, j + 1 and so on. */
#include "analysis/shotgun/state.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

enum { CONTEXT = 16, TARGETS = 24, FEW = 3, FAR = 0x1f, PC = 0x100, TARGET = 0x1000, GUARD = 0x5a5a };

static bool no_code(void *context, uint64_t pc, struct culprit_static_insn *insn)
{
	(void)context;
	(void)pc;
	(void)insn;
	return false;
}

static uint64_t lowest(unsigned count)
{
	return (1ull << count) - 1;
}

/* Each target with nothing set in the other bits, and with five of them. */
static void make_samples(struct culprit_detail *details, unsigned targets)
{
	for (unsigned k = 1; k <= targets; k++)
		for (unsigned far = 0; far < 2; far++)
			*details++ = (struct culprit_detail){
				.pc = PC, .target = TARGET + k, .bits = {lowest(k), far ? FAR : 0}};
}

static unsigned expected_targets(unsigned targets, unsigned j, uint64_t *expected)
{
	unsigned count = 0;
	for (unsigned distance = 0; distance <= TARGETS; distance++)
		for (unsigned k = 1; k <= targets; k++)
			if ((k > j ? k - j : j - k) == distance && count < SHOTGUN_TARGETS)
				expected[count++] = TARGET + k;
	return count;
}

static void try(unsigned targets)
{
	struct culprit_detail details[2 * TARGETS];
	struct shotgun_index x;
	const struct culprit_samples samples = {.context = CONTEXT, .details = details, .detail_count = 2 * targets};
	const struct culprit_code code = {NULL, no_code};
	const struct culprit_shotgun_params params = {.context = CONTEXT, .signature_bits = 2, .no_borrowing = true};
	make_samples(details, targets);
	assert_true(shotgun_index_create(&x, &samples, &code, &params));
	const struct shotgun_place *place = shotgun_index_place(&x, PC);
	for (unsigned j = 0; j <= TARGETS; j++)
		for (unsigned far = 0; far < 2; far++) {
			const uint64_t bits[2] = {lowest(j), far ? FAR : 0};
			uint64_t expected[SHOTGUN_TARGETS], got[SHOTGUN_TARGETS + 1];
			const unsigned count = expected_targets(targets, j, expected);
			got[SHOTGUN_TARGETS] = GUARD;
			assert_int_equal(shotgun_index_targets(&x, place, bits, got), count);
			for (unsigned i = 0; i < count; i++)
				assert_int_equal(got[i], expected[i]);
			assert_int_equal(got[SHOTGUN_TARGETS], GUARD);
		}
	shotgun_index_destroy(&x);
}

static void the_closest_come_first(void **state)
{
	(void)state;
	try(TARGETS);
}

static void all_of_a_few(void **state)
{
	(void)state;
	try(FEW);
	try(SHOTGUN_TARGETS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(the_closest_come_first), cmocka_unit_test(all_of_a_few)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
