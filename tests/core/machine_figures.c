/* See the header. One line for each list of numbers: its name, and the numbers. */
#include "machine_figures.h"

#include <string.h>

static void words(FILE *out, const char *name, const void *list, size_t bytes)
{
	const char *from = list;
	fprintf(out, "%s:", name);
	for (size_t at = 0; at + sizeof(int64_t) <= bytes; at += sizeof(int64_t)) {
		int64_t word;
		memcpy(&word, from + at, sizeof word);
		fprintf(out, " %lld", (long long)word);
	}
	fprintf(out, "\n");
}

/* Two lists of the same values in another order differ. */
struct digest {
	uint64_t sum, count, mixed;
};

static void add(struct digest *d, uint64_t value)
{
	d->sum += value;
	d->mixed = (d->mixed ^ value) * 0x100000001b3;
	d->count++;
}

static void print_digest(FILE *out, const char *name, const struct digest *d)
{
	fprintf(out, "%s: %llu in %llu, %016llx\n", name, (unsigned long long)d->sum, (unsigned long long)d->count,
		(unsigned long long)d->mixed);
}

void figures_run(FILE *out, const struct core *core)
{
	words(out, "core", core_statistics(core), sizeof(struct core_statistics));
	words(out, "memory", core_hierarchy_statistics(core), sizeof(struct hierarchy_statistics));
}

/* Every field that says something for every instruction. */
/* clang-format off */
#define FIELDS(X) \
	X(seq) X(mem_addr) X(pc) X(fetch) X(dispatch) X(ready) X(issue) X(complete) X(commit) X(write_miss) X(write_dtlb) \
	X(write_level) X(write_merged) X(mem_producer) X(order_waited) X(primary_miss) X(dmiss) X(dtlb) X(mshr_wait) \
	X(bandwidth_wait) X(dlevel) X(dtlb_level) X(producer[0]) X(producer[1]) X(producer[2]) X(previous_holder) X(imiss) X(itlb) \
	X(redirect) X(ilevel) X(itlb_level) X(istray) X(window) X(exec_latency) X(wakeup) X(commit_wait) X(flags) X(unit) \
	X(queue) X(dest) X(predictor) X(dstray) X(branch) X(mem_size) X(length) X(op_class) \
	X(stray_wait)
/* clang-format on */

void figures_records(FILE *out, const struct culprit_record *records, size_t count)
{
	struct digest d;
#define FIELD(name)                        \
	d = (struct digest){.sum = 0};     \
	for (size_t i = 0; i < count; i++) \
		add(&d, records[i].name);  \
	print_digest(out, "record " #name, &d);
	FIELDS(FIELD)
#undef FIELD
	struct digest contended = {.sum = 0}, contender = {.sum = 0}, stop = {.sum = 0};
	for (const struct culprit_record *r = records; r < records + count; r++) {
		if (r->issue > r->ready)
			add(&contended, r->contended);
		if (r->issue > r->ready && r->contended == CULPRIT_CONTENTION_BUSY)
			add(&contender, r->contender);
		if (r->commit_wait)
			add(&stop, r->commit_stop);
	}
	print_digest(out, "record contended", &contended);
	print_digest(out, "record contender", &contender);
	print_digest(out, "record commit_stop", &stop);
}

void figures_commit(FILE *out, const struct commit_stack *s)
{
	words(out, "commit stack", s->cycles, sizeof s->cycles);
}

void figures_stacks(FILE *out, const struct stacks *s)
{
	uint64_t slots[SLOTS_ROWS] = {0};
	for (unsigned m = 0; m < STACK_METHODS; m++) {
		int64_t cycles[STACK_COMPONENTS];
		stacks_components(s, (enum stack_method)m, cycles);
		words(out, stack_method_name((enum stack_method)m), cycles, sizeof cycles);
	}
	for (unsigned stage = 0; stage < STACK_STAGES; stage++)
		words(out, stack_stage_name((enum stack_stage)stage), stacks_stage(s, (enum stack_stage)stage),
		      STAGE_ROWS * sizeof(uint64_t));
	if (stacks_slots(s, slots))
		words(out, "slots", slots, sizeof slots);
	words(out, "claims", stacks_claims(s), CLAIM_SETS * sizeof(uint64_t));
	const struct stacks_penalties *p = stacks_penalties(s);
	words(out, "penalties", p, offsetof(struct stacks_penalties, rows_used));
	fprintf(out, "rows %u, overlap %llu, filled %llu\n", p->rows_used, (unsigned long long)p->overlap,
		(unsigned long long)p->filled);
}

void figures_stalls(FILE *out, const struct culprit_stall_results *r)
{
	struct digest nodes = {.sum = 0};
	for (uint32_t i = 0; i < r->type_count; i++)
		if (r->leaf_totals[i] || r->node_totals[i])
			fprintf(out, "stall %s: %llu %llu\n", r->types[i].type.name,
				(unsigned long long)r->leaf_totals[i], (unsigned long long)r->node_totals[i]);
	for (const struct culprit_stall_node *n = r->nodes; n < r->nodes + r->node_count; n++) {
		add(&nodes, n->parent);
		add(&nodes, n->type);
		add(&nodes, n->depth);
		add(&nodes, n->end);
		add(&nodes, n->own);
		add(&nodes, n->total);
	}
	print_digest(out, "stall nodes", &nodes);
	fprintf(out, "stalls: %llu counted, %llu chains, %llu snipped, %llu folded, %llu dropped\n",
		(unsigned long long)r->counted, (unsigned long long)r->chains, (unsigned long long)r->snipped,
		(unsigned long long)r->folded, (unsigned long long)r->dropped_events);
}

void figures_graph(FILE *out, const char *name, const struct culprit_graph_results *r)
{
	struct digest sets = {.sum = 0};
	int64_t alone[CULPRIT_GRAPH_CLASSES];
	for (uint32_t i = 0; i < 1u << r->class_count; i++)
		add(&sets, r->time[i]);
	for (uint32_t i = 0; i < CULPRIT_GRAPH_CLASSES; i++)
		alone[i] = i < r->class_count ? r->cost[1u << i] : 0;
	fprintf(out, "%s: %llu of %llu\n", name, (unsigned long long)r->time[0],
		(unsigned long long)r->recorded_cycles);
	words(out, "costs", alone, sizeof alone);
	print_digest(out, "sets", &sets);
}

void figures_critical(FILE *out, const struct culprit_critical *c, const struct culprit_critical_totals *t)
{
	struct digest rows = {.sum = 0};
	struct culprit_critical_row row;
	words(out, "critical", t, sizeof *t);
	for (size_t i = 0; culprit_critical_row(c, i, &row); i++)
		for (size_t at = 0; at < offsetof(struct culprit_critical_row, slack_min); at += sizeof(uint64_t)) {
			uint64_t word;
			memcpy(&word, (const char *)&row + at, sizeof word);
			add(&rows, word);
		}
	print_digest(out, "rows", &rows);
	struct culprit_critical_loop loop;
	if (culprit_critical_hottest(c, &loop))
		fprintf(out, "loop at %llx to %llx: %llu times, %llu cycles, chain of %zu: %llu\n",
			(unsigned long long)loop.first, (unsigned long long)loop.end,
			(unsigned long long)loop.iterations, (unsigned long long)loop.cycles, loop.steps,
			(unsigned long long)loop.chain_cycles);
}
