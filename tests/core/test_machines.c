/* Random programs on random machines: every key of the machine tables is drawn from its range (any_machine.h), and whatever comes
 * out, every analysis holds what it promises (machine_checks.h). The graph's base time, and the critical path's, are within
 * GRAPH_BASE_MOST percent of the simulated cycles, or the machine has something that analysis/graph/gap.def says the graph
 * does not model. A machine with such gaps is also tried with their keys taken back.
 *
 *   test_core_machines [-n MACHINES] [-s SEED] [-q] [-f]
 *
 * What fails is printed with the fewest keys that make it fail; -q: as it was drawn. -f: all figures of each machine, for the
 * golden suite `machines`. */
#include "analysis/graph/machine.h"
#include "sanitized.h"
#include "any_machine.h"
#include "culprit/critical.h"
#include "machine_checks.h"
#include "report/graph/base.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* Sanitizers make each ten times as long, and look for other faults. */
#ifdef SANITIZED
enum { MACHINES = 6, ALL_KEYS = false }; /* too few to draw every key */
#else
enum { MACHINES = 60, ALL_KEYS = true };
#endif
enum { KEYS_MOST = 512, FIRST_SEED = 1, NAMED_PROGRAMS = 12 };

struct worst {
	double error;
	uint64_t seed;
	struct machine machine;
};

struct tally {
	uint64_t machines, with_gaps, failures;
	bool drawn[KEYS_MOST];		 /* keys that differed from the machine's they were drawn around */
	struct worst worst[CHECK_COUNT]; /* of base times, without gaps */
	bool quick;
	FILE *figures; /* NULL: nobody wants them */
};

static bool has_gaps(const struct machine *m)
{
	const char *gaps[GRAPH_GAPS_MOST];
	return graph_gaps(m, gaps, GRAPH_GAPS_MOST) != 0;
}

static bool fails(const struct machine_checks *x, const struct machine *m, unsigned check)
{
	return x->broken[check] || (!has_gaps(m) && fabs(x->error[check]) > GRAPH_BASE_MOST);
}

/* --- what is printed --- */

static void print_machine(const struct machine *m)
{
	struct machine base;
	kernel_machine(&base, m->name);
	printf("%s", m->name);
	for (unsigned k = 0; k < any_machine_keys(); k++)
		if (any_machine_differs(m, &base, k)) {
			printf(" ");
			any_machine_print(m, k, stdout);
		}
	printf("\n");
}

/* Takes key after key back, as long as the check still fails. */
static void minimise(struct machine *m, const uint8_t *code, unsigned check)
{
	struct machine base;
	struct machine_checks x;
	struct error err;
	kernel_machine(&base, m->name);
	for (bool again = true; again;) {
		again = false;
		for (unsigned k = 0; k < any_machine_keys(); k++) {
			struct machine tried = *m;
			any_machine_copy(&tried, &base, k);
			if (!any_machine_differs(m, &base, k) || !machine_check(&tried, "tried", &err))
				continue;
			machine_checks_run(&x, &tried, code, NULL);
			if (!fails(&x, &tried, check))
				continue;
			*m = tried;
			again = true;
		}
	}
}

static void report(const struct tally *t, uint64_t seed, const struct machine *m, const uint8_t *code, unsigned check)
{
	struct machine least = *m;
	struct machine_checks x;
	if (!t->quick)
		minimise(&least, code, check);
	machine_checks_run(&x, &least, code, NULL);
	printf("seed %llu: %s: ", (unsigned long long)seed, machine_check_what(check));
	if (x.broken[check])
		printf("%s", x.broken[check]);
	else
		printf("%+.2f%% of %llu cycles", x.error[check], (unsigned long long)x.cycles);
	printf(", on ");
	print_machine(&least);
	if (!x.broken[check] && check == CHECK_GRAPH)
		machine_checks_explain(&least, code, stdout);
	fflush(stdout);
}

/* --- trying --- */

static bool try(struct tally *t, uint64_t seed, const struct machine *m, const uint8_t *code)
{
	struct machine_checks x;
	if (t->figures) {
		printf("\nseed %llu: ", (unsigned long long)seed);
		print_machine(m);
	}
	machine_checks_run(&x, m, code, t->figures);
	if (!x.broken[CHECK_RUN] && x.instructions < CHECKS_INSNS_LEAST)
		return false;
	t->machines++;
	t->with_gaps += has_gaps(m);
	for (unsigned check = 0; check < CHECK_COUNT; check++) {
		struct worst *w = &t->worst[check];
		if (fails(&x, m, check)) {
			t->failures++;
			report(t, seed, m, code, check);
		}
		if (!has_gaps(m) && fabs(x.error[check]) > fabs(w->error))
			*w = (struct worst){x.error[check], seed, *m};
	}
	return true;
}

static void take_back(struct machine *m, const struct machine *base, unsigned key)
{
	struct machine tried = *m;
	struct error err;
	any_machine_copy(&tried, base, key);
	if (machine_check(&tried, "tried", &err))
		*m = tried;
}

/* Takes back the keys that by themselves make a gap, and if that is not enough one after the other. */
static void close_gaps(struct machine *m)
{
	struct machine base;
	kernel_machine(&base, m->name);
	m->window_rob_room = base.window_rob_room; /* it would keep dispatch.whole_groups */
	for (unsigned k = 0; k < any_machine_keys(); k++) {
		struct machine alone = base;
		any_machine_copy(&alone, m, k);
		if (has_gaps(&alone))
			take_back(m, &base, k);
	}
	for (unsigned k = 0; k < any_machine_keys() && has_gaps(m); k++)
		take_back(m, &base, k);
}

/* Programs until one is long enough. */
static void try_seed(struct tally *t, uint64_t seed, uint8_t *code)
{
	struct random_source r = {~seed};
	struct machine m, base;
	any_machine(&m, &r);
	kernel_machine(&base, m.name);
	for (unsigned k = 0; k < any_machine_keys(); k++)
		t->drawn[k] |= any_machine_differs(&m, &base, k);
	bool long_enough = false;
	while (!long_enough) {
		memset(code, 0, CHECKS_CODE_BYTES);
		random_program(random_next(&r), code, CHECKS_CODE_BYTES);
		long_enough = try(t, seed, &m, code);
	}
	if (!has_gaps(&m))
		return;
	close_gaps(&m);
	try(t, seed, &m, code);
}

static void print_tally(const struct tally *t)
{
	printf("%llu machines, %llu of them with what the graph does not model: %llu failures\n",
	       (unsigned long long)t->machines, (unsigned long long)t->with_gaps, (unsigned long long)t->failures);
	for (unsigned check = CHECK_GRAPH; check < CHECK_COUNT; check++) {
		const struct worst *w = &t->worst[check];
		printf("worst base time, %s: %+.2f%%, seed %llu, %s", machine_check_what(check), w->error,
		       (unsigned long long)w->seed, w->seed ? "" : "\n");
		if (w->seed)
			print_machine(&w->machine);
	}
}

static struct tally run(uint64_t machines, uint64_t seed, bool quick, FILE *figures)
{
	struct tally t = {.quick = quick, .figures = figures};
	uint8_t *code = malloc(CHECKS_CODE_BYTES);
	assert_non_null(code);
	for (uint64_t end = seed + machines; seed < end; seed++)
		try_seed(&t, seed, code);
	free(code);
	print_tally(&t);
	return t;
}

static void random_machines(void **state)
{
	struct tally t = run(MACHINES, FIRST_SEED, true, NULL);
	assert_int_equal(t.failures, 0);
	/* or the base time is hardly tested; each machine with a gap has a second one without, so half is all of them */
	assert_true(!ALL_KEYS || t.with_gaps * 2 < t.machines);
	for (unsigned k = 0; k < any_machine_keys(); k++)
		if (ALL_KEYS && t.drawn[k] != any_machine_draws(k))
			fail_msg("key number %u was %sdrawn", k, t.drawn[k] ? "" : "never ");
	(void)state;
}

/* Seeds whose base times were wrong, and why:
 *   525   a unit held by several younger operations in turn
 *   659   waits for a divider more than 4096 cycles after dispatch
 *   633, 757   waits for MSHRs, and 903 for the bus, of which the graph's account made more than there were
 *   1023  a load of what a store wrote that had left before its wake-up loop was over
 *   1734  writes that waited for MSHRs of the levels below, before they asked for the bus
 *   6294, 6301   a unit's younger holder, of which the last to be refused was asked, not the first
 *   6034  multiplications that wait for a divider longer than slots are kept
 *   43013 what a violation squashed, renamed again when what is before it has left
 *   300042   a unit held, beyond the cycles that are kept, by a class that the parameters do not have there: a crash
 *   360052   a fetch asked for the bus before it had the MSHR that a wrong path's refill kept
 *   360141, 360160   a squash that went on when the mispredicted branch had committed
 *   20261794   a line on its way, of a miss that was a ROB's entries ago and, folded, still in the window
 *   20262049   data from the store queue before the store's wake-up loop was over, which is not modelled now
 *   50000178   an idealised hit of the L2 that waited for an L1D MSHR, in the core */
static void failed_once(void **state)
{
	static const uint64_t seeds[] = {525,  633,   659,    757,    903,    1023,   1734,	6294,	  6301,
					 6034, 43013, 300042, 360052, 360141, 360160, 20261794, 20262049, 50000178};
	struct tally t = {.quick = true};
	uint8_t *code = malloc(CHECKS_CODE_BYTES);
	assert_non_null(code);
	for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++)
		try_seed(&t, seeds[i], code);
	free(code);
	assert_int_equal(t.failures, 0);
	(void)state;
}

/* Base times on a machine with these keys, of random programs. */
static void try_machine(const struct machine *m)
{
	struct tally t = {.quick = true};
	struct error err;
	uint8_t *code = malloc(CHECKS_CODE_BYTES);
	assert_non_null(code);
	if (!machine_check(m, "named", &err))
		fail_msg("%s", err.text);
	for (uint64_t seed = 0, tried = 0; tried < NAMED_PROGRAMS; seed++) {
		memset(code, 0, CHECKS_CODE_BYTES);
		random_program(seed, code, CHECKS_CODE_BYTES);
		tried += try(&t, seed, m, code);
	}
	free(code);
	assert_int_equal(t.failures, 0);
}

/* Rows of a wide front end: what has come until renaming goes on behind a mispredicted branch goes together. */
static void rows_recover(void **state)
{
	struct machine m;
	kernel_machine(&m, "boom-large");
	m.dispatch_width = 64;
	m.dispatch_recovery = 2;
	try_machine(&m);
	(void)state;
}

/* A multiply-add much longer than its addend may be late. */
static void addend_late(void **state)
{
	struct machine m;
	kernel_machine(&m, "eyerman2009-4w");
	m.issue_late_addend = 4;
	m.latency[CULPRIT_OP_fp_fma] = 195;
	try_machine(&m);
	(void)state;
}

/* The largest window that a machine file can have, idealised, is not too large for the critical path (seed 8315: it was). */
static void largest_window(void **state)
{
	struct machine m;
	struct error err;
	const char *why = "";
	kernel_machine(&m, "eyerman2009-4w");
	m.window_rob = m.window_released = 8192;
	m.ideal = CULPRIT_EVENT_BIT(win);
	if (!machine_check(&m, "largest", &err))
		fail_msg("%s", err.text);
	struct culprit_critical_params params = {.chunk = 8, .lookahead = 8};
	graph_params_from_machine(&params.graph, &m);
	assert_int_equal(params.graph.rob, 20 * (8192 + 8192));
	struct culprit_critical *c = culprit_critical_create(&params, &why);
	if (!c)
		fail_msg("%s", why);
	culprit_critical_destroy(c);
	(void)state;
}

/* The manual has the same list. */
static void gaps_in_manual(void **state)
{
	static const char *const rows[] = {
#define GRAPH_GAP(key, condition, why) "| `" key "` | " why " |\n",
#include "analysis/graph/gap.def"
	};
	FILE *f = fopen("docs/explanation/graph.md", "r");
	char *text = calloc(1, 1 << 20);
	assert_true(f && text);
	assert_true(fread(text, 1, (1 << 20) - 1, f) > 0);
	fclose(f);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (!strstr(text, rows[i]))
			fail_msg("docs/explanation/graph.md has no row %s", rows[i]);
	free(text);
	(void)state;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(random_machines), cmocka_unit_test(failed_once),
					   cmocka_unit_test(rows_recover),    cmocka_unit_test(addend_late),
					   cmocka_unit_test(largest_window),  cmocka_unit_test(gaps_in_manual)};
	uint64_t machines = 0, seed = FIRST_SEED;
	bool quick = false;
	FILE *figures = NULL;
	for (int option; (option = getopt(argc, argv, "n:s:qf")) >= 0;) {
		if (option == 'n')
			machines = strtoull(optarg, NULL, 0);
		else if (option == 's')
			seed = strtoull(optarg, NULL, 0);
		else if (option == 'q')
			quick = true;
		else if (option == 'f')
			figures = stdout;
		else
			return 2;
	}
	if (machines)
		return run(machines, seed, quick, figures).failures != 0;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
