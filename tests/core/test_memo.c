/* The bare run replays what the pipeline did before in the same state (src/core/memo.h). With and without, all counts of
 * the core and of its caches, and the guest's end, are the same: random programs on random machines, those of their keys
 * changed that would turn memoization off. CULPRIT_RANDOM_PROGRAMS=n runs n programs, CULPRIT_RANDOM_SEED=s from seed s
 * on. */
#include "core/memo.h"
#include "any_machine.h"
#include "bare_guest.h"
#include "random_machine.h"
#include "random_program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { PROGRAMS = 40, MACHINES_EACH = 3, CODE_BYTES = 60000 };

struct result {
	struct core_statistics core;
	struct hierarchy_statistics caches;
	uint64_t registers[RISCV_NO_DEST];
	uint64_t replayed, states;
};

static enum core_stop run(struct core *c, uint64_t step, struct error *err)
{
	enum core_stop stop = CORE_STOP_COUNT;
	for (uint64_t until = step; stop == CORE_STOP_COUNT; until = core_statistics(c)->committed + step)
		stop = core_run(c, until, err);
	return stop;
}

static void simulate(const struct machine *m, const uint8_t *code, uint64_t from, uint64_t step, struct result *out)
{
	struct error err;
	struct guest *g = bare_guest_create(code, CODE_BYTES);
	struct core *c = core_create(m, g, &err);
	if (!c)
		fail_msg("%s", err.text);
	core_memoize(c, from);
	if (run(c, step, &err) != CORE_STOP_ENDED)
		fail_msg("%s", err.text);
	memset(out, 0, sizeof *out);
	out->core = *core_statistics(c);
	out->caches = *core_hierarchy_statistics(c);
	memcpy(out->registers, guest_hart(g)->r, sizeof out->registers);
	out->replayed = c->memo ? c->memo->replayed : 0;
	out->states = c->memo ? c->memo->node_count : 0;
	core_destroy(c);
	guest_destroy(g);
}

/* Of the kinds that are memoized. */
static void make_plain(struct machine *m, struct random_source *r)
{
	m->window_lq = m->window_sq = m->window_lsq = m->window_branches = m->window_int_regs = m->window_fp_regs = 0;
	m->window_released = m->window_fold = m->dispatch_rows = m->dispatch_whole_groups = 0;
	m->dispatch_move_elimination = false;
	m->dispatch_recovery = m->dispatch_squash_width = 0;
	m->issue_wakeup = 1;
	m->issue_late_addend = m->branch_train_queue = m->branch_sfb = m->fetch_loop_buffer = m->fetch_bank = 0;
	m->divide_bits = m->lsq_wait_block = m->lsq_stream_lines = m->lsq_split = m->lsq_check_bytes = 0;
	m->lsq_disambiguation = random_below(r, 4) ? disambiguation_conservative : disambiguation_perfect;
	m->ideal &= ~(CULPRIT_EVENT_BIT(bw) | CULPRIT_EVENT_BIT(shalu) | CULPRIT_EVENT_BIT(lgalu));
}

static uint64_t number(const char *variable, uint64_t otherwise)
{
	const char *text = getenv(variable);
	return text ? strtoull(text, NULL, 0) : otherwise;
}

static void compare(const struct result *with, const struct result *without)
{
	assert_int_equal(with->core.cycles, without->core.cycles);
	assert_memory_equal(&with->core, &without->core, sizeof with->core);
	assert_memory_equal(&with->caches, &without->caches, sizeof with->caches);
	assert_memory_equal(with->registers, without->registers, sizeof with->registers);
}

static void random_programs(void **state)
{
	uint8_t *code = malloc(CODE_BYTES);
	uint64_t replayed = 0, committed = 0, runs = 0;
	assert_non_null(code);
	uint64_t seed = number("CULPRIT_RANDOM_SEED", 1), end = seed + number("CULPRIT_RANDOM_PROGRAMS", PROGRAMS);
	for (; seed < end; seed++) {
		struct random_source r = {~seed};
		memset(code, 0, CODE_BYTES);
		random_program(seed, code, CODE_BYTES);
		for (unsigned i = 0; i < MACHINES_EACH; i++) {
			struct machine m;
			struct result with, without;
			random_machine(&m, &r);
			make_plain(&m, &r);
			print_message("seed %llu machine %u: %s, ideal %x\n", (unsigned long long)seed, i, m.name,
				      m.ideal);
			simulate(&m, code, UINT64_MAX, UINT64_MAX / 2, &without);
			assert_int_equal(without.states, 0);
			simulate(&m, code, 0, UINT64_MAX / 2, &with);
			compare(&with, &without);
			replayed += with.replayed;
			committed += with.core.committed;
			runs += with.replayed != 0;
			simulate(&m, code, 0, 1000 + random_below(&r, 3000), &with);
			compare(&with, &without);
		}
	}
	print_message("%llu of %llu instructions replayed, in %llu runs\n", (unsigned long long)replayed,
		      (unsigned long long)committed, (unsigned long long)runs);
	/* programs are short: most of what they do, they do for the first time */
	assert_true((runs >= PROGRAMS / 2 && replayed > 10000) || getenv("CULPRIT_RANDOM_SEED"));
	free(code);
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(random_programs)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
