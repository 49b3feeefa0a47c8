/* What follows from records alone: where commit waited, by row, cause, slice, instruction and call; and arithmetic on times. */
#include "net.h"

#include "analysis/calls.h"
#include "analysis/insn_cycles.h"
#include "analysis/phases.h"
#include "analysis/truth/reference.h"
#include "analysis/truth/score.h"
#include "analysis/truth/truth.h"

#include <stdlib.h>

static struct commit_stack_params params_of(const struct net_stream *s)
{
	return (struct commit_stack_params){s->graph.frontend_stages, s->graph.dispatch_to_issue,
					    s->graph.commit_delay};
}

static void add_list(struct net_sum *sum, const uint64_t *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		net_add(sum, list[i]);
}

/* One stream in eight goes on for longer than slices of the first length do. */
static size_t times_of(const struct net_stream *s)
{
	return s->number % 8 == 3 ? 1 + 300000 / s->cycles : 1;
}

/* --- rows, causes, slices --- */

static void add_slices(struct net_sum *sum, const struct net_stream *s, const struct commit_stack_params *params)
{
	static struct phases p;
	const size_t times = times_of(s);
	struct culprit_record *all = net_repeated(s, times);
	phases_init(&p, params);
	for (size_t i = 0; i < times; i++)
		phases_push(&p, all + i * s->count, s->count);
	phases_finish(&p, times * s->cycles + 5);
	net_add(sum, p.length);
	for (size_t i = 0; i < PHASES_MOST; i++) {
		net_add(sum, p.slices[i].cycles);
		net_add(sum, p.slices[i].instructions);
		add_list(sum, p.slices[i].causes, COMMIT_CAUSES);
	}
	free(all);
}

static void add_names(struct net_sum *sum, culprit_field_set unknown)
{
	for (unsigned i = 0; i < COMMIT_CAUSES; i++) {
		const struct commit_cause_row told = commit_cause_told((enum commit_cause)i, unknown);
		net_add_text(sum, told.name);
		net_add_text(sum, told.label);
		net_add_text(sum, told.words);
		net_add(sum, told.event);
	}
	for (unsigned i = 0; i < COMMIT_ROWS; i++) {
		net_add_text(sum, commit_row_name((enum commit_row)i));
		net_add(sum, commit_row_cause((enum commit_row)i));
	}
	net_add(sum, culprit_fields_lose(unknown));
	net_add(sum, culprit_fields_guess(unknown));
}

void net_commit(const struct net_stream *s, FILE *out)
{
	const struct commit_stack_params params = params_of(s);
	struct commit_stack stack;
	struct net_sum sum = {0};
	commit_stack_init(&stack, &params);
	commit_stack_push(&stack, s->records, s->count / 3);
	commit_stack_push(&stack, s->records + s->count / 3, s->count - s->count / 3);
	commit_stack_finish(&stack, s->cycles);
	add_list(&sum, stack.cycles, COMMIT_ROWS);
	for (size_t i = 1; i < s->count; i++) {
		net_add(&sum, commit_stack_emptied(s->records[i - 1].flags, &s->records[i]));
		net_add(&sum, commit_stack_executed(&s->records[i]));
	}
	add_slices(&sum, s, &params);
	add_names(&sum, s->unknown);
	net_print(out, &sum);
}

/* --- instructions --- */

static void add_insns(struct net_sum *sum, struct insn_cycles *p, uint64_t cycles)
{
	struct error err;
	size_t count = 0;
	uint64_t rows[COMMIT_ROWS];
	insn_cycles_stack(p, cycles, rows);
	add_list(sum, rows, COMMIT_ROWS);
	net_add(sum, insn_cycles_finish(p, &count, &err));
	for (size_t i = 0; i < count; i++) {
		const struct insn_cycles_entry *e = &p->entries[i];
		const uint64_t words[] = {e->pc, e->cycles, e->commit_cycles, e->count, e->entry};
		add_list(sum, words, sizeof words / sizeof *words);
		add_list(sum, e->site->rows, COMMIT_ROWS);
		add_list(sum, e->site->causes, COMMIT_CAUSES);
		const uint64_t more[] = {e->site->refill, e->site->mispredictions, e->site->l1d_misses,
					 e->site->l2_misses, e->site->memory};
		add_list(sum, more, sizeof more / sizeof *more);
	}
	net_add(sum, p->watched_from);
}

/* The first half and the second as parts that come together, and what is behind a restart. */
static void add_parts(struct net_sum *sum, const struct net_stream *s, const struct commit_stack_params *params)
{
	struct insn_cycles p, whole;
	struct error err;
	struct bytes bytes = {0};
	const size_t half = s->count / 2;
	if (!insn_cycles_create(&p, params, 0, &err) || !insn_cycles_create(&whole, params, 0, &err))
		abort();
	insn_cycles_push(&p, s->records, half);
	insn_cycles_write(&p, &bytes);
	insn_cycles_restart(&p);
	insn_cycles_push(&p, s->records + half, s->count - half);
	add_insns(sum, &p, s->cycles);
	insn_cycles_push(&whole, s->records + half, s->count - half);
	struct cursor from = {.at = bytes.at, .left = bytes.size};
	net_add(sum, insn_cycles_add(&whole, &from, &err));
	add_insns(sum, &whole, s->cycles);
	from = (struct cursor){.at = bytes.at, .left = bytes.size / 2};
	net_add(sum, insn_cycles_add(&whole, &from, &err));
	insn_cycles_destroy(&p);
	insn_cycles_destroy(&whole);
	free(bytes.at);
}

void net_insns(const struct net_stream *s, FILE *out)
{
	const struct commit_stack_params params = params_of(s);
	struct random_source r = net_random(s, 6);
	struct insn_cycles p;
	struct error err;
	struct net_sum sum = {0};
	uint64_t watched = s->records[random_below(&r, (uint32_t)s->count)].pc;
	for (size_t i = 1; i < s->count && net_chance(&r, 99); i++)
		if (s->records[i - 1].branch == CULPRIT_BRANCH_CALL)
			watched = s->records[i].pc;
	if (!insn_cycles_create(&p, &params, watched, &err))
		abort();
	insn_cycles_push(&p, s->records, s->count);
	add_insns(&sum, &p, s->cycles);
	insn_cycles_destroy(&p);
	add_parts(&sum, s, &params);
	net_print(out, &sum);
}

/* --- calls --- */

static void add_costs(struct net_sum *sum, const struct calls_costs *c)
{
	const uint64_t words[] = {c->executions, c->mispredictions, c->l1d_misses, c->l2_misses, c->memory};
	add_list(sum, words, sizeof words / sizeof *words);
	add_list(sum, c->causes, COMMIT_CAUSES);
}

void net_calls(const struct net_stream *s, FILE *out)
{
	const struct commit_stack_params params = params_of(s);
	struct calls calls;
	struct error err;
	struct net_sum sum = {0};
	calls_create(&calls, &params);
	calls.wanted = true;
	calls_push(&calls, s->records, s->count / 2);
	calls_push(&calls, s->records + s->count / 2, s->count - s->count / 2);
	net_add(&sum, calls_finish(&calls, &err));
	add_costs(&sum, &calls.sum);
	for (size_t i = 0; i < calls.edge_count; i++) {
		const struct calls_edge *e = &calls.edges[i];
		const uint64_t words[] = {e->site, e->target, e->count};
		add_list(&sum, words, sizeof words / sizeof *words);
		add_costs(&sum, &e->costs);
	}
	net_add(&sum, calls.deeper);
	calls_destroy(&calls);
	net_print(out, &sum);
}

/* --- idealised re-simulation --- */

static void add_times(struct net_sum *sum, struct random_source *r)
{
	enum { CLASSES = 5 };
	uint64_t time[1 << CLASSES];
	const struct truth_times t = {CLASSES, time};
	const uint32_t unknown = net_chance(r, 50) ? 0 : 10;
	for (unsigned i = 0; i < 1 << CLASSES; i++)
		time[i] = net_chance(r, unknown) ? TRUTH_UNKNOWN : 1000 + random_below(r, 1000);
	for (uint32_t set = 0; set < 1 << CLASSES; set++) {
		int64_t cost = 0, icost = 0;
		net_add(sum, truth_cost(&t, set, &cost));
		net_add(sum, truth_icost(&t, set, &icost));
		net_add(sum, (uint64_t)cost);
		net_add(sum, (uint64_t)icost);
	}
	const struct truth_identity x = truth_identity(&t);
	net_add(sum, x.known);
	if (x.known) {
		const uint64_t words[] = {(uint64_t)x.sum, x.remainder, x.base, x.holds};
		add_list(sum, words, sizeof words / sizeof *words);
	}
}

static void add_score(struct net_sum *sum, struct random_source *r)
{
	struct truth_score_point points[30];
	const size_t count = random_below(r, 30);
	for (size_t i = 0; i < count; i++)
		points[i] = (struct truth_score_point){random_below(r, 40) - 10.0, random_below(r, 40) - 10.0,
						       net_chance(r, 80), net_chance(r, 60)};
	const struct truth_score_summary s = truth_score_summarise(points, count);
	net_add(sum, s.count);
	net_add(sum, s.singles);
	net_add_real(sum, s.mean);
	net_add_real(sum, s.mean_singles);
	net_add(sum, s.worst);
	net_add_real(sum, s.relative);
	net_add(sum, s.relative_count);
	const uint32_t part = random_below(r, 100);
	net_add_real(sum, truth_score_percent(part, random_below(r, 3)));
}

static void add_reference(struct net_sum *sum, struct random_source *r)
{
	uint64_t time[TRUTH_REFERENCE_ROWS + 1];
	struct truth_stack stack;
	for (unsigned i = 0; i <= TRUTH_REFERENCE_ROWS; i++)
		time[i] = random_below(r, 100000);
	for (unsigned order = 0; order < TRUTH_ORDERS; order++) {
		truth_reference_stack((enum truth_order)order, time, &stack);
		net_add(sum, stack.base);
		for (unsigned i = 0; i < TRUTH_REFERENCE_ROWS; i++)
			net_add(sum, (uint64_t)stack.cycles[i]);
		for (uint32_t steps = 0; steps <= TRUTH_REFERENCE_ROWS; steps++)
			net_add(sum, truth_reference_ideal((enum truth_order)order, steps));
	}
}

void net_truth(const struct net_stream *s, FILE *out)
{
	struct random_source r = net_random(s, 7);
	struct net_sum sum = {0};
	add_times(&sum, &r);
	add_score(&sum, &r);
	add_reference(&sum, &r);
	net_print(out, &sum);
}
