/* Profiles of real programs against a second, slow way: the program executed one instruction at a time, each told to the
 * machine's own caches and predictor as warm-up does. */
#include "run/profile_guest.h"
#include "machine/hierarchy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 450000, NOT_ENDED = -1 }; /* instructions of each program: some turns of its threads */

struct slow {
	const struct machine *m;
	struct hierarchy *hierarchy;
	struct predictor *predictor;
	struct interval_mix mix;
	uint64_t instructions, mispredicted, redirects, fetch_line;
	int status;
};

static struct guest *load(const char *program)
{
	char *argv[] = {(char *)program, NULL};
	struct guest_options options = {.program = program, .argv = argv};
	struct error err;
	struct guest *g = guest_create(&options, &err);
	if (!g)
		fail_msg("%s", err.text);
	return g;
}

static void slow_branch(struct slow *s, const struct riscv_insn *insn, uint64_t pc, const struct riscv_outcome *out)
{
	struct branch_query q = {.pc = pc,
				 .direct_target = pc + (uint64_t)(int64_t)insn->imm,
				 .actual_next = out->next_pc,
				 .actual_taken = out->taken || insn->branch != CULPRIT_BRANCH_CONDITIONAL,
				 .length = insn->length,
				 .kind = insn->branch,
				 .link_register = (insn->rs1 == 1 || insn->rs1 == 5) && insn->rd != insn->rs1};
	struct prediction p;
	predictor_predict(s->predictor, &q, &p);
	s->mispredicted += !p.target_known || p.next_pc != out->next_pc;
	s->redirects += p.taken && !p.btb_hit && p.target_known;
	s->mix.taken[insn->branch] += q.actual_taken;
	predictor_speculate(s->predictor, &q, q.actual_taken, out->next_pc);
	predictor_update(s->predictor, &q, &p, q.actual_taken, out->next_pc);
}

static void slow_event(struct slow *s, const struct riscv_insn *insn, uint64_t pc, const struct riscv_outcome *out)
{
	uint64_t line = (pc + insn->length - 1) / s->m->l1i_line;
	if (line != s->fetch_line) {
		if (pc / s->m->l1i_line != line)
			hierarchy_warm_fetch(s->hierarchy, pc);
		hierarchy_warm_fetch(s->hierarchy, line * s->m->l1i_line);
		s->fetch_line = line;
	}
	if (insn->flags & (RISCV_LOAD | RISCV_STORE))
		hierarchy_warm_data(s->hierarchy, pc, out->mem_addr, insn->mem_size, insn->flags & RISCV_STORE);
	if (insn->branch)
		slow_branch(s, insn, pc, out);
	s->mix.op[insn->op_class]++;
	s->mix.branch[insn->branch]++;
	s->mix.bytes += insn->length;
	s->instructions++;
}

static enum guest_state slow_stop(struct slow *s, struct guest *g, enum riscv_stop stop, const struct riscv_insn *insn,
				  const struct riscv_outcome *out)
{
	struct riscv_hart *hart = guest_hart(g);
	uint64_t before = hart->instret, pc = hart->pc;
	struct riscv_insn kept = *insn;
	enum guest_state state = GUEST_RUNNING;
	if (stop == RISCV_STOP_FENCE_I)
		riscv_code_flush(guest_code(g));
	else
		state = guest_handle(g, stop, out);
	if (stop == RISCV_STOP_FENCE_I || hart->instret != before)
		slow_event(s, &kept, pc, &(struct riscv_outcome){.next_pc = pc + kept.length});
	riscv_code_reclaim(guest_code(g));
	return state;
}

static void run_slowly(struct slow *s, const char *program)
{
	struct guest *g = load(program);
	struct riscv_hart *hart = guest_hart(g);
	enum guest_state state = GUEST_RUNNING;
	while (state == GUEST_RUNNING && s->instructions < MOST) {
		struct riscv_block *b = riscv_code_block(guest_code(g), hart->pc);
		struct riscv_outcome out;
		assert_non_null(b); /* these programs do not jump to nowhere */
		uint64_t pc = hart->pc;
		enum riscv_stop stop = riscv_step(hart, b->insns, guest_memory(g), &out);
		if (stop == RISCV_CONTINUE)
			slow_event(s, b->insns, pc, &out);
		else
			state = slow_stop(s, g, stop, b->insns, &out);
		if (state == GUEST_RUNNING && guest_has_other_threads(g) && hart->instret % GUEST_TURN == 0)
			guest_preempt(g);
	}
	s->status = state == GUEST_RUNNING ? NOT_ENDED : guest_exit_status(g);
	guest_destroy(g);
}

static struct interval_profile *run_profiled(const struct machine *m, const char *program, int *status)
{
	struct interval_profile *p = calloc(1, sizeof *p);
	struct profile_guest run;
	struct error err;
	struct guest *g = load(program);
	struct interval_pass *pass =
		interval_pass_create(m, &(struct interval_pass_options){.threads = 2, .every = 1}, &err);
	uint64_t executed, slice = 100, done = 0;
	enum guest_state state = GUEST_RUNNING;
	bool reached;
	if (!p || !pass || !profile_guest_create(&run, g, pass, &err))
		fail_msg("%s", err.text);
	interval_pass_begin(pass);
	while (state == GUEST_RUNNING && done < MOST) {
		slice = slice * 3 % 100003;
		slice = slice < MOST - done ? slice : MOST - done;
		state = profile_guest_run(&run, slice, &executed, &reached);
		assert_true(state != GUEST_RUNNING || executed == slice); /* limits are exact */
		done += executed;
	}
	*status = state == GUEST_RUNNING ? NOT_ENDED : guest_exit_status(g);
	interval_pass_finish(pass, p);
	interval_pass_destroy(pass);
	profile_guest_destroy(&run);
	guest_destroy(g);
	return p;
}

static void compare(const struct interval_profile *p, const struct slow *s)
{
	const struct hierarchy_statistics *h = hierarchy_statistics(s->hierarchy);
	const struct interval_level *l1 = &p->level[CULPRIT_LEVEL_L1], *l2 = &p->level[CULPRIT_LEVEL_L2];
	uint64_t i, d1, d2;
	assert_int_equal(p->instructions, s->instructions);
	assert_memory_equal(p->mix.op, s->mix.op, sizeof s->mix.op);
	assert_memory_equal(p->mix.branch, s->mix.branch, sizeof s->mix.branch);
	assert_memory_equal(p->mix.taken, s->mix.taken, sizeof s->mix.taken);
	assert_int_equal(p->mix.bytes, s->mix.bytes);
	assert_int_equal(l1->misses[INTERVAL_FETCH], h->l1i.misses[0]);
	assert_int_equal(l1->misses[INTERVAL_LOAD] + l1->misses[INTERVAL_STORE], h->l1d.misses[0]);
	assert_int_equal(l1->writebacks, h->l1d.writebacks);
	assert_int_equal(l2->misses[INTERVAL_FETCH], h->l2_instruction_misses[0]);
	assert_int_equal(l2->misses[INTERVAL_LOAD] + l2->misses[INTERVAL_STORE], h->l2_data_misses[0]);
	assert_int_equal(p->data_pages.misses, h->dtlb.misses[0]);
	assert_int_equal(p->instruction_pages.misses, h->itlb.misses[0]);
	assert_int_equal(interval_mispredictions(&p->predictor[0]), s->mispredicted);
	assert_int_equal(p->predictor[0].redirects, s->redirects);
	/* the sweeps at the machine's own sizes */
	assert_true(interval_misses(&p->l1i, INTERVAL_FETCH, s->m->l1i_size, s->m->l1i_ways, s->m->l1i_line, &i, NULL));
	assert_int_equal(i, h->l1i.misses[0]);
	assert_true(interval_misses(&p->l1d, INTERVAL_LOAD, s->m->l1d_size, s->m->l1d_ways, s->m->l1d_line, &d1, NULL));
	assert_true(
		interval_misses(&p->l1d, INTERVAL_STORE, s->m->l1d_size, s->m->l1d_ways, s->m->l1d_line, &d2, NULL));
	assert_int_equal(d1 + d2, h->l1d.misses[0]);
	assert_true(interval_misses(&p->l2, INTERVAL_LOAD, s->m->l2_size, s->m->l2_ways, s->m->l2_line, &d1, NULL));
	assert_true(interval_misses(&p->l2, INTERVAL_STORE, s->m->l2_size, s->m->l2_ways, s->m->l2_line, &d2, NULL));
	assert_int_equal(d1 + d2, h->l2_data_misses[0]);
}

static void check(const char *program)
{
	struct machine m;
	struct error err;
	int status;
	if (!machine_load(&m, "eyerman2009-4w", &err))
		fail_msg("%s", err.text);
	struct slow s = {.m = &m,
			 .hierarchy = hierarchy_create(&m, &err),
			 .predictor = predictor_create(&m, &err),
			 .fetch_line = UINT64_MAX};
	run_slowly(&s, program);
	struct interval_profile *p = run_profiled(&m, program, &status);
	assert_int_equal(status, s.status);
	compare(p, &s);
	hierarchy_destroy(s.hierarchy);
	predictor_destroy(s.predictor);
	interval_profile_clear(p);
	free(p);
}

static void test_mixture(void **state)
{
	check(CLI_PROGRAMS "/mixture");
}

static void test_threads(void **state)
{
	check(GUEST_PROGRAMS "/threads");
}

static void test_signals(void **state)
{
	check(GUEST_PROGRAMS "/signals");
}

static void test_stop(void **state)
{
	struct machine m;
	struct error err;
	struct guest *g = load(CLI_PROGRAMS "/mixture");
	struct profile_guest run;
	struct interval_profile *p = calloc(1, sizeof *p);
	struct guest_point until;
	uint64_t executed, plain, main;
	bool reached;
	assert_true(machine_load(&m, "eyerman2009-4w", &err));
	struct interval_pass *pass =
		interval_pass_create(&m, &(struct interval_pass_options){.threads = 1, .every = 1}, &err);
	assert_true(p && profile_guest_create(&run, g, pass, &err));
	interval_pass_begin(pass);
	assert_true(guest_symbol_address(g, "main", &main));
	run.stop = until = (struct guest_point){.at = {.pc = main}, .left = 1};
	assert_int_equal(profile_guest_run(&run, UINT64_MAX, &executed, &reached), GUEST_RUNNING);
	assert_true(reached);
	assert_true(guest_hart(g)->pc == main);
	interval_pass_finish(pass, p);
	assert_int_equal(p->instructions, executed);
	struct guest *other = load(CLI_PROGRAMS "/mixture");
	guest_run_until(other, &until, UINT64_MAX, &plain, &reached);
	assert_int_equal(executed, plain);
	guest_destroy(other);
	guest_destroy(g);
	profile_guest_destroy(&run);
	interval_pass_destroy(pass);
	interval_profile_clear(p);
	free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mixture),
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_signals),
		cmocka_unit_test(test_stop),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
