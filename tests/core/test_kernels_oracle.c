/* Loops of which each case of the oracle is known by arithmetic, instruction by instruction; and random programs
 * on random machines: all parts are the run's cycles, the oracle's default-report cousin (insn_cycles.h) is PEBS
 * with every cycle sampled, and TIP with every cycle sampled is the oracle.
 *
 * As in kernel_rig.h, two runs are compared, so that start and end leave no trace. X is issue.dispatch_to_issue. */
#include "analysis/insn_cycles.h"
#include "analysis/pipe.h"
#include "analysis/profilers/profilers.h"
#include "kernel_rig.h"
#include "random_machine.h"
#include "random_program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { BEFORE = 40, AFTER = 280, ITERATIONS = AFTER - BEFORE, INSTRUCTIONS = 1200 };

/* By place from BARE_CODE on: parts an iteration, times ITERATIONS. */
struct figures {
	uint64_t of[INSTRUCTIONS][ORACLE_CASES];
};

static void receive(void *context, const struct culprit_record *records, size_t count)
{
	oracle_push(context, records, count);
}

static void run(const struct machine *m, const struct kernel *k, uint64_t iterations, struct figures *f)
{
	struct oracle o = {0};
	struct culprit_record_sink sink = {.context = &o, .records = receive};
	struct kernel with = *k;
	struct kernel_result result;
	struct error err;
	uint64_t sum = 0;
	with.sink = &sink;
	kernel_run(m, &with, iterations, &result);
	assert_true(oracle_finish(&o, &err));
	memset(f, 0, sizeof *f);
	for (size_t i = 0; i < o.count; i++) {
		size_t at = (o.rows[i].pc - BARE_CODE) / 4;
		assert_true(at < INSTRUCTIONS);
		sum += oracle_parts(&o.rows[i]);
		for (unsigned c = 0; c < ORACLE_CASES; c++)
			f->of[at][c] += o.rows[i].parts[c];
	}
	assert_int_equal(sum, result.cycles * ORACLE_PARTS);
	oracle_destroy(&o);
}

static void difference(const struct machine *m, const struct kernel *k, struct figures *f)
{
	struct figures *before = malloc(sizeof *before);
	assert_non_null(before);
	run(m, k, BEFORE, before);
	run(m, k, AFTER, f);
	for (size_t i = 0; i < INSTRUCTIONS; i++)
		for (unsigned c = 0; c < ORACLE_CASES; c++)
			f->of[i][c] -= before->of[i][c];
	free(before);
}

static void expect(const struct machine *m, const struct figures *f, size_t at, enum oracle_case which, uint64_t parts)
{
	if (f->of[at][which] != parts * ITERATIONS)
		fail_msg("%s, instruction %zu, %s: %.4f cycles an iteration, expected %.4f", m->name, at,
			 oracle_case_name(which), (double)f->of[at][which] / ITERATIONS / ORACLE_PARTS,
			 (double)parts / ORACLE_PARTS);
}

static void expect_all(const struct machine *m, const struct figures *f, size_t at, uint64_t computing,
		       uint64_t stalled, uint64_t flushed, uint64_t drained)
{
	expect(m, f, at, ORACLE_computing, computing);
	expect(m, f, at, ORACLE_stalled, stalled * ORACLE_PARTS);
	expect(m, f, at, ORACLE_flushed, flushed * ORACLE_PARTS);
	expect(m, f, at, ORACLE_drained, drained * ORACLE_PARTS);
}

/* Independent adds, 4 of which commit in each cycle: a quarter each, and no other cycles. */
static void computing(void **state)
{
	struct kernel k = {.name = "add_stream"};
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		struct figures f;
		kernel_wide_machine(&m, kernel_machines[i]);
		kernel_set(&m, "commit.width=4");
		difference(&m, &k, &f);
		for (size_t at = 0; at < STREAM_ADDS + 2; at++)
			expect_all(&m, &f, at, ORACLE_PARTS / 4, 0, 0, 0);
	}
	(void)state;
}

/* A chain: each link commits alone, W cycles after the one before, but for the last, with which the loop's own two
 * do. The links are adds (W: the wake-up) and loads from L2. */
static void stalled(void **state)
{
	for (unsigned i = 0; i < kernel_machine_count * 2; i++) {
		struct kernel k = {.name = "chain"};
		struct machine m;
		struct figures f;
		kernel_wide_machine(&m, kernel_machines[i / 2]);
		uint64_t w = kernel_wake(&m, CULPRIT_OP_int_alu);
		if (i % 2) {
			uint32_t ways = m.l1d_ways ? m.l1d_ways : 1;
			k = (struct kernel){.name = "chase", .ring_nodes = ways + 1, .ring_stride = m.l1d_size / ways};
			w = kernel_load(&m, CULPRIT_LEVEL_L2);
		}
		difference(&m, &k, &f);
		for (size_t at = 0; at < CHAIN_OPS - 1; at++)
			expect_all(&m, &f, at, ORACLE_PARTS, w - 1, 0, 0);
		expect_all(&m, &f, CHAIN_OPS - 1, ORACLE_PARTS / 3, w - 1, 0, 0);
		for (size_t at = CHAIN_OPS; at < CHAIN_OPS + 2; at++)
			expect_all(&m, &f, at, ORACLE_PARTS / 3, 0, 0, 0);
	}
	(void)state;
}

/* A branch that is always mispredicted completes in P. The right path enters the window in P + redirect + stages.
 * Right before the branch is the loop's own, which waits W for the count: both commit in P + W + delay. What lies
 * between is the mispredicted one's, and nothing else is flushed or drained. */
static void flushed(void **state)
{
	struct kernel k = {.name = "mispredict"};
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		struct figures f;
		kernel_wide_machine(&m, kernel_machines[i]);
		kernel_set(&m, "branch.predictor=static");
		kernel_set(&m, "branch.btb_entries=0");
		kernel_set(&m, "branch.ras=0");
		kernel_set(&m, "frontend.redirect=7");
		kernel_set(&m, "frontend.stages=19");
		difference(&m, &k, &f);
		uint64_t empty = 7 + 19 - kernel_wake(&m, CULPRIT_OP_int_alu) - m.commit_delay - 1;
		expect(&m, &f, 0, ORACLE_flushed, empty * ORACLE_PARTS);
		for (size_t at = 0; at < INSTRUCTIONS; at++) {
			expect(&m, &f, at, ORACLE_drained, 0);
			if (at)
				expect(&m, &f, at, ORACLE_flushed, 0);
		}
	}
	(void)state;
}

/* Code that misses the L1I in each line and is fetched a line a cycle: the L2's latency L and the cycle of the
 * fetch, L + 1, from line to line. A line commits as one, K = X + latency + delay cycles after it entered. So its
 * first instruction has K stalled cycles and the L - K before that, in which the window is empty. The loop's first
 * line is asked for in the cycle in which its branch is fetched, and the branch commits W late, waiting for the
 * count: L - K - 1 - W. */
static void drained(void **state)
{
	struct kernel k = {.name = "straight"};
	enum { LINE = 16, L2 = 60 };
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		struct figures f;
		kernel_wide_machine(&m, kernel_machines[i]);
		kernel_set(&m, "l1i.line=%u", 4 * LINE);
		kernel_set(&m, "l1i.ways=2");
		kernel_set(&m, "l1i.size=512");
		kernel_set(&m, "l2.latency=%u", L2);
		kernel_set(&m, "fetch.within_line=true");
		difference(&m, &k, &f);
		uint64_t in_window = m.issue_dispatch_to_issue + m.latency[CULPRIT_OP_int_alu] + m.commit_delay;
		for (size_t at = 0; at < STRAIGHT; at++) {
			bool first = at % LINE == 0;
			uint64_t empty = L2 - in_window - (at ? 0 : 1 + kernel_wake(&m, CULPRIT_OP_int_alu));
			expect_all(&m, &f, at, ORACLE_PARTS / LINE, first ? in_window : 0, 0, first ? empty : 0);
		}
	}
	(void)state;
}

/* Three instructions, fetched in 2, 5 and 9: an interrupt before finds the first, then the second, then the third;
 * with a skid of one it finds the second in place of the first, and nobody in place of the third. */
static void skid(void **state)
{
	for (unsigned by = 0; by <= 2; by++) {
		const struct culprit_record r[] = {{.pc = 2, .fetch = 2, .dispatch = 4, .commit = 6},
						   {.pc = 4, .fetch = 5, .dispatch = 7, .commit = 9},
						   {.pc = 6, .fetch = 9, .dispatch = 11, .commit = 13}};
		static const uint64_t cycles[] = {2, 3, 4};
		const struct profilers_params params = {.period = 1, .seed = 1, .skid = by};
		struct error err;
		struct profilers *p = profilers_create(&params, &err);
		assert_non_null(p);
		profilers_push(p, r, 3);
		assert_true(profilers_finish(p, &err));
		for (unsigned i = 0; i < 3; i++)
			assert_int_equal(profilers_weight(p, i, PROFILER_software, 0),
					 i < by ? 0 : cycles[i - by] * ORACLE_PARTS);
		profilers_destroy(p);
	}
	(void)state;
}

/* --- random programs --- */

struct heard {
	struct oracle oracle;
	struct insn_cycles cycles;
	struct profilers *profilers[2];
};

static void on_records(void *context, const struct culprit_record *records, size_t count)
{
	struct heard *h = context;
	oracle_push(&h->oracle, records, count);
	insn_cycles_push(&h->cycles, records, count);
	for (unsigned i = 0; i < 2; i++)
		profilers_push(h->profilers[i], records, count);
}

static void on_log(void *context, const struct culprit_log_part *part)
{
	struct heard *h = context;
	for (unsigned i = 0; i < 2; i++)
		profilers_log(h->profilers[i], part);
}

/* Of one pc: a profile's weight, every cycle sampled or the first series. */
static uint64_t weight(const struct profilers *p, uint64_t pc, enum profiler who, unsigned series)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < profilers_rows(p); i++)
		sum += profilers_row(p, i)->pc == pc ? profilers_weight(p, i, who, series) : 0;
	return sum;
}

static void check_profiles(struct heard *h, uint64_t cycles)
{
	size_t n;
	struct error err;
	uint64_t sums[PROFILERS] = {0};
	const struct profilers *every = h->profilers[0], *some = h->profilers[1];
	assert_true(insn_cycles_finish(&h->cycles, &n, &err));
	for (size_t i = 0; i < n; i++)
		assert_int_equal(weight(every, h->cycles.entries[i].pc, PROFILER_next, 0),
				 h->cycles.entries[i].cycles * ORACLE_PARTS);
	assert_int_equal(h->oracle.count, profilers_rows(every));
	for (size_t i = 0; i < h->oracle.count; i++) {
		assert_int_equal(profilers_weight(every, i, PROFILER_tip, 0), oracle_parts(&h->oracle.rows[i]));
		assert_int_equal(profilers_weight(some, i, PROFILER_tip, 0), oracle_parts(&h->oracle.rows[i]));
		for (unsigned who = 0; who < PROFILERS; who++) {
			/* a period of one cycle is every cycle */
			assert_int_equal(profilers_weight(every, i, who, 0), profilers_weight(every, i, who, 5));
			sums[who] += profilers_weight(every, i, who, 0);
		}
	}
	assert_int_equal(sums[PROFILER_tip], cycles * ORACLE_PARTS);
	assert_int_equal(sums[PROFILER_tip_plain], cycles * ORACLE_PARTS);
	assert_int_equal(sums[PROFILER_next], cycles * ORACLE_PARTS);
	assert_int_equal(sums[PROFILER_last], cycles * ORACLE_PARTS);
	assert_true(sums[PROFILER_software] < cycles * ORACLE_PARTS);
}

/* Every sample blames somebody or is lost; one in seven cycles is sampled, one in each seven. */
static void check_samples(const struct heard *h, uint64_t cycles)
{
	struct profilers_result result;
	struct error err;
	bool *starts = calloc(profilers_rows(h->profilers[1]) + 1, sizeof *starts);
	assert_non_null(starts);
	assert_true(profilers_judge(h->profilers[1], starts, &result, &err));
	for (unsigned s = 1; s < PROFILER_SERIES; s++) {
		assert_true(result.samples[PROFILER_tip][s] >= cycles / 7);
		assert_true(result.samples[PROFILER_tip][s] <= cycles / 7 + 1);
		assert_int_equal(result.samples[PROFILER_next][s], result.samples[PROFILER_tip][s]);
		assert_true(result.samples[PROFILER_dispatch][s] + result.lost[PROFILER_dispatch][s] <= cycles / 7 + 1);
	}
	assert_true(result.error[PROFILER_tip][PROFILER_EVENTS][0] < 1e-12);
	assert_true(result.error[PROFILER_tip][PROFILER_INSTRUCTIONS][3] > 0);
	assert_true(result.error[PROFILER_next][PROFILER_INSTRUCTIONS][0] <=
		    result.error[PROFILER_next][PROFILER_EVENTS][0] + 1e-12);
	assert_true(result.error[PROFILER_next][PROFILER_FUNCTIONS][0] < 1e-12); /* there is one */
	free(starts);
}

static void random_programs(void **state)
{
	enum { PROGRAMS = 12, CODE_BYTES = 60000 };
	uint8_t *code = malloc(CODE_BYTES);
	assert_non_null(code);
	for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
		struct heard h = {0};
		struct machine m;
		struct error err;
		struct random_source random = {seed * 77};
		random_machine(&m, &random);
		size_t size = random_program(seed, code, CODE_BYTES);
		const struct commit_stack_params params = commit_stack_of(&m);
		assert_true(insn_cycles_create(&h.cycles, &params, 0, &err));
		for (unsigned i = 0; i < 2; i++) {
			const struct profilers_params p = {.period = i ? 7 : 1, .seed = seed, .skid = 3 * i};
			assert_non_null(h.profilers[i] = profilers_create(&p, &err));
		}
		struct guest *guest = bare_guest_create(code, size);
		struct core *core = core_create(&m, guest, &err);
		assert_non_null(core);
		const struct pipe_reader reader = {&h, on_records, on_log, false};
		struct pipe *pipe = pipe_create(&reader, 1, false, &err);
		assert_non_null(pipe);
		core_record(core, pipe_sink(pipe), pipe_log(pipe));
		assert_true(core_run(core, UINT64_MAX, &err) == CORE_STOP_ENDED);
		core_flush_records(core);
		pipe_finish(pipe);
		assert_true(oracle_finish(&h.oracle, &err));
		for (unsigned i = 0; i < 2; i++)
			assert_true(profilers_finish(h.profilers[i], &err));
		check_profiles(&h, core_statistics(core)->cycles);
		check_samples(&h, core_statistics(core)->cycles);
		pipe_destroy(pipe);
		core_destroy(core);
		guest_destroy(guest);
		oracle_destroy(&h.oracle);
		insn_cycles_destroy(&h.cycles);
		for (unsigned i = 0; i < 2; i++)
			profilers_destroy(h.profilers[i]);
	}
	free(code);
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(computing), cmocka_unit_test(stalled),
					   cmocka_unit_test(flushed),	cmocka_unit_test(drained),
					   cmocka_unit_test(skid),	cmocka_unit_test(random_programs)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
