/* See the header. Two runs: the bare simulator's, and one with log and records, which all analyses take at once. */
#include "machine_checks.h"

#include "analysis/check/check.h"

#include "analysis/commit_stack.h"
#include "analysis/graph/machine.h"
#include "analysis/pipe.h"
#include "analysis/insn_cycles.h"
#include "analysis/replay/replay.h"
#include "analysis/stacks/stacks.h"
#include "analysis/stalls/core.h"
#include "bare_guest.h"
#include "core/core.h"
#include "culprit/critical.h"
#include "machine_figures.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* The records of a run, and who had the log meanwhile. */
struct heard {
	struct culprit_record *records;
	size_t count;
	struct replay *replay;
};

const char *machine_check_what(enum machine_check_name check)
{
	static const char *const what[CHECK_COUNT] = {
		[CHECK_RUN] = "the run",
		[CHECK_COMMIT] = "commit stack and instructions",
		[CHECK_STACKS] = "counter stacks",
		[CHECK_STALLS] = "stall tree",
		[CHECK_POWERSET] = "sum of interaction costs",
		[CHECK_PATH] = "sum of the critical path",
		[CHECK_GRAPH] = "graph",
		[CHECK_GRAPH_RECORDED] = "graph, waits as recorded",
		[CHECK_CRITICAL] = "critical path",
	};
	return what[check];
}

__attribute__((format(printf, 3, 4))) static void broken(struct machine_checks *x, enum machine_check_name check,
							 const char *format, ...)
{
	va_list list;
	va_start(list, format);
	vsnprintf(x->texts[check], sizeof x->texts[check], format, list);
	va_end(list);
	x->broken[check] = x->texts[check];
}

static void expect_sum(struct machine_checks *x, enum machine_check_name check, int64_t sum, uint64_t whole)
{
	if (sum != (int64_t)whole)
		broken(x, check, "%lld of %llu", (long long)sum, (unsigned long long)whole);
}

/* --- running --- */

static void take_log(void *context, const struct culprit_log_part *part)
{
	struct heard *h = context;
	replay_log(h->replay, part);
}

static void take_records(void *context, const struct culprit_record *records, size_t count)
{
	struct heard *h = context;
	replay_records(h->replay, records, count);
	memcpy(h->records + h->count, records, count * sizeof *records);
	h->count += count;
}

/* The cycles; 0 when it failed. */
static uint64_t simulate(struct machine_checks *x, const struct machine *m, const uint8_t *code, struct pipe *pipe)
{
	struct error err = {0};
	uint64_t cycles = 0;
	struct guest *g = bare_guest_create(code, CHECKS_CODE_BYTES);
	struct core *c = core_create(m, g, &err);
	if (c) {
		core_limit(c, CHECKS_INSNS);
		core_record(c, pipe ? pipe_sink(pipe) : NULL, pipe ? pipe_log(pipe) : NULL);
		if (core_run(c, UINT64_MAX, &err) == CORE_STOP_ENDED)
			cycles = core_statistics(c)->cycles;
		core_flush_records(c);
		x->instructions = core_statistics(c)->committed;
	}
	if (!cycles)
		broken(x, CHECK_RUN, "%s", err.text);
	if (pipe && cycles && x->figures)
		figures_run(x->figures, c);
	core_destroy(c);
	guest_destroy(g);
	return cycles;
}

static void hear(struct machine_checks *x, const struct machine *m, const uint8_t *code, struct heard *h)
{
	struct error err = {0};
	struct replay_params params;
	struct stacks_params stacks_params;
	replay_params_from_machine(&params, m);
	stacks_params_from_machine(&stacks_params, m);
	struct stacks *stacks = stacks_create(&stacks_params, &err);
	h->replay = stacks ? replay_create(&params, stacks_observer(stacks), &err) : NULL;
	struct pipe_reader reader = {h, take_records, take_log, false};
	struct pipe *pipe = h->replay ? pipe_create(&reader, 1, false, &err) : NULL;
	uint64_t cycles = pipe ? simulate(x, m, code, pipe) : 0;
	if (pipe)
		pipe_finish(pipe);
	if (cycles != x->cycles)
		broken(x, CHECK_RUN, "%llu cycles with listeners, %llu without", (unsigned long long)cycles,
		       (unsigned long long)x->cycles);
	if (!pipe || !replay_finish(h->replay, &err) || !stacks_finish(stacks, cycles, h->count, &err))
		broken(x, CHECK_STACKS, "%s", err.text);
	else if (x->figures)
		figures_stacks(x->figures, stacks);
	pipe_destroy(pipe);
	replay_destroy(h->replay);
	stacks_destroy(stacks);
}

/* --- sums --- */

static void check_commit(struct machine_checks *x, const struct machine *m, const struct heard *h)
{
	struct error err = {0};
	struct commit_stack stack;
	const struct commit_stack_params params = commit_stack_of(m);
	commit_stack_init(&stack, &params);
	commit_stack_push(&stack, h->records, h->count);
	commit_stack_finish(&stack, x->cycles);
	if (x->figures)
		figures_commit(x->figures, &stack);
	uint64_t sum = 0, in_insns = 0;
	for (unsigned i = 0; i < COMMIT_ROWS; i++)
		sum += stack.cycles[i];
	expect_sum(x, CHECK_COMMIT, (int64_t)sum, x->cycles);
	struct insn_cycles insns = {.used = 0};
	size_t entries = 0;
	if (insn_cycles_create(&insns, &params, 0, &err)) {
		uint64_t rows[COMMIT_ROWS];
		insn_cycles_push(&insns, h->records, h->count);
		insn_cycles_stack(&insns, x->cycles, rows);
		for (unsigned i = 0; i < COMMIT_ROWS; i++)
			expect_sum(x, CHECK_COMMIT, (int64_t)rows[i], stack.cycles[i]);
		if (!insn_cycles_finish(&insns, &entries, &err))
			broken(x, CHECK_COMMIT, "%s", err.text);
	}
	for (size_t i = 0; i < entries; i++)
		in_insns += insns.entries[i].cycles;
	expect_sum(x, CHECK_COMMIT, (int64_t)in_insns, h->records[h->count - 1].commit + 1);
	insn_cycles_destroy(&insns);
}

static void check_stalls(struct machine_checks *x, const struct machine *m, const struct heard *h)
{
	struct error err = {0};
	struct stalls_core_params params;
	struct culprit_stall_results results = {.lost = 0};
	stalls_core_params_from_machine(&params, m);
	struct stalls_core *s = stalls_core_create(&params, &err);
	if (s)
		stalls_core_push(s, h->records, h->count);
	if (!s || !stalls_core_finish(s, x->cycles, h->count, &err) || !stalls_core_results(s, &results)) {
		broken(x, CHECK_STALLS, "%s", err.text);
	} else {
		uint64_t leaves = 0;
		for (uint32_t i = 0; i < results.type_count; i++)
			leaves += results.leaf_totals[i];
		expect_sum(x, CHECK_STALLS, (int64_t)leaves, stalls_core_lost(s));
		if (x->figures)
			figures_stalls(x->figures, &results);
		culprit_stalls_results_free(&results);
	}
	stalls_core_destroy(s);
}

/* --- graphs --- */

static double percent_off(uint64_t time, uint64_t cycles)
{
	return 100 * ((double)time / (double)cycles - 1);
}

static void check_graph(struct machine_checks *x, const struct machine *m, const struct heard *h, bool slots)
{
	enum machine_check_name check = slots ? CHECK_GRAPH : CHECK_GRAPH_RECORDED;
	struct culprit_graph_params params;
	struct culprit_graph_results results;
	const char *why = NULL;
	graph_params_from_machine(&params, m);
	params.issue_slots = slots;
	struct culprit_graph *g = culprit_graph_create(&params, &why);
	if (!g || !culprit_graph_push(g, h->records, h->count) || !culprit_graph_finish(g, &results)) {
		broken(x, check, "%s", g ? culprit_graph_error(g) : why);
		culprit_graph_destroy(g);
		return;
	}
	x->error[check] = percent_off(results.time[0], x->cycles);
	int64_t sum = (int64_t)results.time[CULPRIT_GRAPH_SETS - 1];
	for (unsigned set = 1; set < CULPRIT_GRAPH_SETS; set++)
		sum += results.icost[set];
	expect_sum(x, CHECK_POWERSET, sum, results.time[0]);
	if (x->figures)
		figures_graph(x->figures, machine_check_what(check), &results);
	culprit_graph_destroy(g);
}

static void sum_path(struct machine_checks *x, const struct culprit_critical *c,
		     const struct culprit_critical_totals *t)
{
	struct culprit_critical_row row;
	uint64_t kinds = 0, rows = 0;
	for (unsigned k = 0; k < CULPRIT_CRITICAL_KINDS; k++)
		kinds += t->by_kind[k];
	for (size_t i = 0; culprit_critical_row(c, i, &row); i++)
		rows += row.path;
	expect_sum(x, CHECK_PATH, (int64_t)kinds + t->seam_cycles, t->cycles);
	expect_sum(x, CHECK_PATH, (int64_t)rows, kinds);
}

static void check_critical(struct machine_checks *x, const struct machine *m, const struct heard *h)
{
	struct culprit_critical_params params = {.watch = 4};
	struct culprit_critical_totals totals;
	const char *why = NULL;
	graph_params_from_machine(&params.graph, m);
	struct culprit_critical *c = culprit_critical_create(&params, &why);
	if (c && culprit_critical_push(c, h->records, h->count) && culprit_critical_finish(c, &totals)) {
		x->error[CHECK_CRITICAL] = percent_off(totals.cycles, x->cycles);
		sum_path(x, c, &totals);
		if (x->figures)
			figures_critical(x->figures, c, &totals);
	} else {
		broken(x, CHECK_CRITICAL, "%s", c ? culprit_critical_error(c) : why);
	}
	culprit_critical_destroy(c);
}

/* --- why --- */

static void print_rows(FILE *f, struct check *c, bool (*rows)(struct check *, size_t, struct check_row *),
		       const char *what)
{
	struct check_row row;
	for (size_t i = 0; i < EXPLAIN_ROWS && rows(c, i, &row); i++)
		fprintf(f, "  %s: %s, %llu instructions, %llu cycles: %s\n", what, check_node_name(row.node),
			(unsigned long long)row.count, (unsigned long long)row.cycles, row.first);
}

void machine_checks_explain(const struct machine *m, const uint8_t *code, FILE *f)
{
	struct machine_checks x = {0};
	struct heard h = {.records = malloc((CHECKS_INSNS + 1) * sizeof *h.records)};
	struct culprit_graph_params params;
	struct error err;
	if (!h.records)
		abort();
	x.cycles = simulate(&x, m, code, NULL);
	hear(&x, m, code, &h);
	graph_params_from_machine(&params, m);
	struct check *c = check_create(&params, &err);
	if (c && check_push(c, h.records, h.count)) {
		print_rows(f, c, check_contradicted, "contradicted");
		print_rows(f, c, check_early, "ahead");
	}
	check_destroy(c);
	free(h.records);
}

/* --- all --- */

void machine_checks_run(struct machine_checks *x, const struct machine *m, const uint8_t *code, FILE *figures)
{
	*x = (struct machine_checks){.figures = figures};
	x->cycles = simulate(x, m, code, NULL);
	if (!x->cycles || x->instructions < CHECKS_INSNS_LEAST)
		return;
	struct heard h = {.records = malloc((CHECKS_INSNS + 1) * sizeof *h.records)};
	if (!h.records)
		abort();
	hear(x, m, code, &h);
	if (!x->broken[CHECK_RUN]) {
		if (figures)
			figures_records(figures, h.records, h.count);
		check_commit(x, m, &h);
		check_stalls(x, m, &h);
		check_graph(x, m, &h, true);
		check_graph(x, m, &h, false);
		check_critical(x, m, &h);
	}
	free(h.records);
}
