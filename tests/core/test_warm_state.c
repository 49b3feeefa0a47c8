/* What warm-up has taught, handed from one core to another: the other runs as the first would have, to the cycle, on any machine
 * (any_machine.h). A guest that a core has left goes on as if there had been none. And whole blocks teach what their
 * instructions do one at a time. */
#include "any_machine.h"
#include "sanitized.h"
#include "base/archive.h"
#include "riscv/trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#ifdef SANITIZED
enum { MACHINES = 10 };
#else
enum { MACHINES = 60 };
#endif
enum { CODE_BYTES = 60000, WARM = 6000, RUN = 4000, FURTHER = 20000 };

struct figures {
	struct core_statistics core;
	struct hierarchy_statistics hierarchy;
	uint64_t pc, instret, r[32]; /* of the guest, left and then executed a little further without a core */
};

/* Without a core. */
static void go_on(struct guest *g, uint64_t to)
{
	struct riscv_hart *hart = guest_hart(g);
	riscv_code_trace(guest_code(g), false); /* warm-up has decoded for itself */
	for (bool running = true; running && hart->instret < to;) {
		struct riscv_outcome out;
		enum riscv_stop stop = riscv_run(hart, guest_code(g), guest_memory(g), to - hart->instret, &out);
		if (stop == RISCV_STOP_FENCE_I)
			riscv_code_flush(guest_code(g));
		else if (stop != RISCV_STOP_LIMIT)
			running = guest_handle(g, stop, &out) == GUEST_RUNNING;
	}
}

static void simulate(struct core *c, struct guest *g, struct figures *f)
{
	struct error err;
	const uint64_t from = guest_hart(g)->instret;
	if (core_run(c, RUN, &err) == CORE_STOP_ERROR)
		fail_msg("%s", err.text);
	f->core = *core_statistics(c);
	f->hierarchy = *core_hierarchy_statistics(c);
	core_leave_guest(c);
	if (core_guest_state(c) == GUEST_RUNNING)
		go_on(g, from + RUN + FURTHER);
	f->pc = guest_hart(g)->pc;
	f->instret = guest_hart(g)->instret;
	memcpy(f->r, guest_hart(g)->r, sizeof f->r);
}

/* On the core itself, or on another one that has its state. */
static void be_child(const struct machine *m, struct core *warm, struct guest *g, bool other, int to)
{
	struct figures f = {0};
	struct bytes bytes = {0};
	struct archive save = {.to = &bytes};
	struct core *c = warm;
	struct error err;
	if (other) {
		core_archive_warm(warm, &save);
		struct archive load = {.loading = true, .from = {.at = bytes.at, .left = bytes.size}};
		assert_non_null(c = core_create(m, g, &err));
		core_archive_warm(c, &load);
		assert_true(archive_good(&load, &err) && !load.from.left);
	}
	simulate(c, g, &f);
	_exit(write(to, &f, sizeof f) == sizeof f ? 0 : 1);
}

static void in_child(const struct machine *m, struct core *warm, struct guest *g, bool other, struct figures *f)
{
	int ends[2], status;
	assert_int_equal(pipe(ends), 0);
	const pid_t pid = fork();
	assert_true(pid >= 0);
	if (!pid)
		be_child(m, warm, g, other, ends[1]);
	close(ends[1]);
	assert_int_equal(read(ends[0], f, sizeof *f), sizeof *f);
	close(ends[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* Without a core, from where the guest is. */
static void expect_left_right(struct guest *g, const struct figures *f)
{
	go_on(g, f->instret);
	assert_int_equal(guest_hart(g)->instret, f->instret);
	assert_int_equal(guest_hart(g)->pc, f->pc);
	assert_memory_equal(guest_hart(g)->r, f->r, sizeof f->r);
}

/* A machine, a program, and a core at its beginning. */
static struct core *begin(uint64_t seed, struct random_source *r, struct machine *m, struct guest **g)
{
	static uint8_t code[CODE_BYTES];
	struct error err;
	if (seed % 4)
		any_machine(m, r);
	else
		kernel_machine(m, "xuantie-c910"); /* parts that few machines have */
	random_program(seed, code, sizeof code);
	*g = bare_guest_create(code, sizeof code);
	struct core *c = core_create(m, *g, &err);
	assert_non_null(c);
	return c;
}

static bool try_one(uint64_t seed)
{
	struct random_source r = {seed};
	struct machine m;
	struct guest *g;
	struct figures own, other;
	uint64_t executed;
	struct core *c = begin(seed, &r, &m, &g);
	const bool goes_on = core_warm(c, random_below(&r, WARM), &executed) == GUEST_RUNNING;
	if (goes_on) {
		in_child(&m, c, g, false, &own);
		in_child(&m, c, g, true, &other);
		if (memcmp(&own, &other, sizeof own))
			print_error("seed %llu: %llu and %llu cycles\n", (unsigned long long)seed,
				    (unsigned long long)own.core.cycles, (unsigned long long)other.core.cycles);
		assert_memory_equal(&own, &other, sizeof own);
		expect_left_right(g, &own);
	}
	core_destroy(c);
	guest_destroy(g);
	return goes_on;
}

static void test_any_machine(void **state)
{
	unsigned tried = 0;
	(void)state;
	for (uint64_t seed = 1; seed <= MACHINES; seed++)
		tried += try_one(seed);
	assert_true(tried > MACHINES / 2); /* programs that go on behind the warm-up */
}

static bool warm_and_run(uint64_t seed, bool one_at_a_time, struct figures *f)
{
	struct random_source r = {seed};
	struct machine m;
	struct guest *g;
	struct core *c = begin(seed, &r, &m, &g);
	const uint64_t most = random_below(&r, WARM), each = one_at_a_time ? 1 : most;
	enum guest_state guest = GUEST_RUNNING;
	for (uint64_t done = 0, executed; guest == GUEST_RUNNING && done < most; done += executed)
		guest = core_warm(c, each < most - done ? each : most - done, &executed);
	/* Each call fetches its first line anew, which is a use; a prefetcher hears of it, and so does SRRIP. */
	const bool same_fetch = m.l1i_prefetcher == prefetcher_none &&
				(enum replacement)m.l1i_replacement != replacement_srrip;
	if (guest == GUEST_RUNNING)
		in_child(&m, c, g, false, f);
	core_destroy(c);
	guest_destroy(g);
	return guest == GUEST_RUNNING && same_fetch;
}

static void test_one_at_a_time(void **state)
{
	unsigned tried = 0;
	(void)state;
	for (uint64_t seed = 1; seed <= MACHINES; seed++) {
		struct figures whole, pieces;
		if (!warm_and_run(seed, false, &whole) || !warm_and_run(seed, true, &pieces))
			continue;
		if (memcmp(&whole, &pieces, sizeof whole))
			fail_msg("seed %llu: %llu cycles, %llu one at a time", (unsigned long long)seed,
				 (unsigned long long)whole.core.cycles, (unsigned long long)pieces.core.cycles);
		tried++;
	}
	assert_true(tried > MACHINES / 5);
}

/* Jumps, each to an instruction that lies across the end of a line, in lines that nothing else is in: both its lines are
 * fetched, and each of them once. */
static void test_across_lines(void **state)
{
	enum { ACROSS = 40, APART = 512, AT = 510 };
	static uint8_t code[ACROSS * APART + APART];
	static const unsigned lines[] = {32, 64, 128};
	const uint32_t li = 0x05d00893, ecall = 0x73; /* li a7, 93 */
	for (unsigned i = 0; i <= ACROSS; i++) {
		const size_t from = i ? (i - 1) * APART + AT + 4 : 0, to = i * APART + AT;
		const uint32_t by = (uint32_t)(to - from), jump = 0x6f | (by >> 1 & 0x3ff) << 21 | (by >> 11 & 1) << 20;
		memcpy(code + from, i < ACROSS ? &jump : &ecall, sizeof jump);
		memcpy(code + to, &li, i < ACROSS ? sizeof li : 0);
	}
	for (unsigned n = 0; n < 2 * sizeof lines / sizeof *lines; n++) {
		struct machine m;
		struct core_warmed w;
		struct error err;
		struct guest *g = bare_guest_create(code, sizeof code);
		kernel_machine(&m, "eyerman2009-4w");
		kernel_isolate(&m);
		kernel_set(&m, "l1i.line=%u", lines[n / 2]);
		kernel_set(&m, "l1i.replacement=%s", n % 2 ? "srrip" : "lru"); /* then instruction by instruction */
		struct core *c = core_create(&m, g, &err);
		uint64_t executed, fetched = 0;
		assert_non_null(c);
		assert_int_equal(core_warm(c, 10 * ACROSS, &executed), GUEST_EXITED);
		assert_int_equal(executed, 1 + 2 * ACROSS);
		core_warmed(c, &w);
		for (unsigned level = CULPRIT_LEVEL_L2; level < CULPRIT_LEVEL_COUNT; level++)
			fetched += w.accesses.line[HIERARCHY_WARM_FETCH][level];
		assert_int_equal(fetched, 1 + 2 * ACROSS);
		core_destroy(c);
		guest_destroy(g);
	}
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_any_machine), cmocka_unit_test(test_one_at_a_time),
					   cmocka_unit_test(test_across_lines)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
