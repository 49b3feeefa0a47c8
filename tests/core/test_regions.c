/* A region of a random program on a random machine is the same whoever says where it ends and what runs in it: a number of
 * instructions, the place of the last one, by its address or its encoding, or a trace to follow. Classes idealised before the run are
 * those of the machine. A guest that the core leaves goes on as it would have. */
#include "kernel_rig.h"
#include "any_machine.h"
#include "random_program.h"
#include "riscv/follow.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { PROGRAMS = 20, CODE_BYTES = 60000, MOST = 30000 };

struct program {
	uint8_t code[CODE_BYTES];
	size_t size;
	struct riscv_follow_step step[MOST]; /* as executed, from the start on */
	size_t count;
	struct guest *end; /* where it has ended */
};

static struct guest *begin(const struct program *p)
{
	return bare_guest_create(p->code, p->size);
}

/* One instruction; false: the program is over. */
static bool step(struct guest *g)
{
	struct riscv_outcome out = {0};
	const enum riscv_stop stop = riscv_run(guest_hart(g), guest_code(g), guest_memory(g), 1, &out);
	return stop == RISCV_STOP_LIMIT || guest_handle(g, stop, &out) == GUEST_RUNNING;
}

/* False: too long for a trace. */
static bool make(struct program *p, uint64_t seed)
{
	p->size = random_program(seed, p->code, CODE_BYTES);
	p->end = begin(p);
	for (p->count = 0; p->count < MOST;) {
		struct riscv_follow_step *s = &p->step[p->count++];
		*s = (struct riscv_follow_step){.pc = guest_hart(p->end)->pc};
		assert_true(address_space_read(guest_memory(p->end), &s->bits, s->pc, sizeof s->bits));
		if ((s->bits & 3) != 3)
			s->bits &= 0xffff;
		if (!step(p->end))
			return true;
	}
	guest_destroy(p->end);
	return false;
}

static void expect_state(struct guest *g, struct guest *want)
{
	assert_memory_equal(guest_hart(g)->r, guest_hart(want)->r, RISCV_NO_DEST * sizeof(uint64_t));
	assert_int_equal(guest_hart(g)->pc, guest_hart(want)->pc);
	assert_int_equal(guest_hart(g)->instret, guest_hart(want)->instret);
	assert_memory_equal(address_space_host(guest_memory(g), BARE_DATA),
			    address_space_host(guest_memory(want), BARE_DATA), 1 << 16);
}

struct region {
	uint64_t limit;		    /* 0: none */
	struct guest_point point;   /* left 0: none */
	struct riscv_follow follow; /* count 0: none */
	culprit_event_set ideal;
};

static uint64_t cycles_of(const struct machine *m, const struct program *p, struct region r, uint64_t committed)
{
	struct error err;
	struct guest *g = begin(p);
	struct core *c = core_create(m, g, &err);
	assert_non_null(c);
	if (r.ideal)
		assert_true(core_idealise(c, r.ideal, &err));
	core_limit(c, r.limit);
	if (r.point.left)
		core_stop_at(c, &r.point);
	if (r.follow.count)
		core_follow(c, &r.follow);
	assert_int_equal(core_run(c, UINT64_MAX, &err), CORE_STOP_ENDED);
	const uint64_t cycles = core_statistics(c)->cycles;
	assert_int_equal(core_statistics(c)->committed, committed);
	if (committed < p->count)
		assert_int_equal(guest_hart(g)->pc, p->step[committed].pc);
	core_destroy(c);
	guest_destroy(g);
	return cycles;
}

/* How often the program has come to the place of step `last`, that one included. */
static uint64_t times(const struct program *p, size_t last, bool by_bits)
{
	uint64_t count = 0;
	for (size_t i = 0; i <= last; i++)
		count += by_bits ? p->step[i].bits == p->step[last].bits : p->step[i].pc == p->step[last].pc;
	return count;
}

static void check_ends(const struct machine *m, const struct program *p, size_t n)
{
	const struct riscv_follow_step *s = &p->step[n];
	const uint64_t cycles = cycles_of(m, p, (struct region){.limit = n}, n);
	const struct guest_point at_pc = {.at = {.pc = s->pc}, .left = times(p, n, false)};
	const struct guest_point at_bits = {.at = {RISCV_NOWHERE, s->bits, 0}, .left = times(p, n, true)};
	const struct riscv_follow all = {.steps = p->step, .count = p->count}, some = {.steps = p->step, .count = n};
	assert_int_equal(cycles_of(m, p, (struct region){.point = at_pc}, n), cycles);
	assert_int_equal(cycles_of(m, p, (struct region){.point = at_bits}, n), cycles);
	assert_int_equal(cycles_of(m, p, (struct region){.follow = some}, n), cycles);
	assert_int_equal(cycles_of(m, p, (struct region){.limit = n, .follow = all}, n), cycles);
	assert_int_equal(cycles_of(m, p, (struct region){.limit = p->count, .follow = some}, n), cycles);
}

static void check_ideal(const struct machine *m, const struct program *p, size_t n, culprit_event_set ideal)
{
	struct machine with = *m;
	with.ideal |= ideal;
	assert_int_equal(cycles_of(m, p, (struct region){.limit = n, .ideal = ideal}, n),
			 cycles_of(&with, p, (struct region){.limit = n}, n));
}

/* Mostly on a wrong path, and with turns in the middle of something. */
static void check_leaving(const struct machine *m, const struct program *p, uint64_t committed, bool turns)
{
	struct error err;
	struct guest *g = begin(p);
	if (turns)
		bare_guest_take_turns(g);
	struct core *c = core_create(m, g, &err);
	assert_non_null(c);
	const bool ended = core_run(c, committed, &err) == CORE_STOP_ENDED;
	core_leave_guest(c);
	core_destroy(c);
	while (!ended && step(g))
		;
	expect_state(g, p->end);
	guest_destroy(g);
}

static void for_each_program(void (*check)(const struct machine *m, const struct program *p, struct random_source *r))
{
	static struct program p;
	unsigned made = 0;
	for (uint64_t seed = 1; made < PROGRAMS; seed++) {
		struct random_source r = {seed * 7919};
		struct machine m;
		if (!make(&p, seed))
			continue;
		any_machine(&m, &r);
		for (unsigned i = 0; i < 3; i++)
			check(&m, &p, &r);
		guest_destroy(p.end);
		made++;
	}
}

static void some_end(const struct machine *m, const struct program *p, struct random_source *r)
{
	check_ends(m, p, 1 + random_below(r, (uint32_t)p->count - 2));
}

static void some_class(const struct machine *m, const struct program *p, struct random_source *r)
{
	check_ideal(m, p, p->count / 2, 1u << random_below(r, CULPRIT_EVENT_COUNT));
}

static void some_moment(const struct machine *m, const struct program *p, struct random_source *r)
{
	check_leaving(m, p, random_below(r, (uint32_t)p->count), random_below(r, 2));
}

static void ends(void **state)
{
	for_each_program(some_end);
	(void)state;
}

static void classes(void **state)
{
	for_each_program(some_class);
	(void)state;
}

static void leaving(void **state)
{
	for_each_program(some_moment);
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(ends), cmocka_unit_test(classes),
					   cmocka_unit_test(leaving)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
