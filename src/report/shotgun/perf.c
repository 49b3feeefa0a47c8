/* Of a real machine's samples: what they cannot tell, how much of the recorded time the graph explains, and what
 * became of them. */
#include "report/format.h"
#include "report/shotgun/report.h"

#include <inttypes.h>
#include <math.h>

enum {
	FULL_HIT = 5,	/* cycles: a threshold of load latency up to here leaves no hit out */
	FEW_PATHS = 20, /* fragments: fewer do not show how much fragments differ */
};
static const double MUCH = 2;

static double percent(double part, double whole)
{
	return 100 * format_ratio(part, whole);
}

/* Of a wrong binary, or of code that is not in a file, little is left, and what is left fits itself. */
static void print_unfit(const struct shotgun_report *r, FILE *out)
{
	const struct culprit_precise_made *m = &r->perf->made;
	if (2 * m->used < m->stacks)
		fprintf(out,
			"  *** %.1f%% of the branch stacks do not fit the code. Is --binary the program\n"
			"  *** that was sampled? Do not trust the figures below. ***\n",
			percent((double)(m->stacks - m->used), (double)m->stacks));
	if (r->results->built < FEW_PATHS)
		fprintf(out, "  *** Only %" PRIu64 " fragment%s built: the intervals below are too narrow. ***\n",
			r->results->built, r->results->built == 1 ? " was" : "s were");
}

static void print_identity(const struct shotgun_report *r, FILE *out)
{
	const struct culprit_shotgun_results *x = r->results;
	const struct graph_base *b = &r->graph.base;
	if (!x->compared_fragments) {
		fprintf(out, "  *** The branch records have no cycles: nothing says whether the figures below are of "
			     "this machine. "
			     "***\n");
		return;
	}
	double error = graph_base_error(b);
	fprintf(out,
		"  cycles explained: %.1f%% (%.3f an instruction in the graph, %.3f in the\n"
		"  branch records; fragment by fragment they differ by %.0f%% on average)\n",
		percent(b->method, b->simulated), b->method, b->simulated, x->scatter);
	if (graph_base_off(b) && fabs(error) > b->interval)
		fprintf(out,
			"  *** The graph's time is %.1f%% %s than the recorded one. Chance\n"
			"  *** explains %.1f%%. %s ***\n",
			fabs(error), error > 0 ? "longer" : "shorter", b->interval,
			error > 0 ? "Is -m the machine that was sampled? Do not trust the figures below."
				  : "Either -m is not the machine that was sampled, or costs are missing "
				    "that these samples cannot tell.");
}

void shotgun_perf_base(const struct shotgun_report *r, FILE *out)
{
	const struct culprit_shotgun_results *x = r->results;
	fprintf(out, "  These samples cannot tell when instructions were fetched, dispatched and\n"
		     "  committed; misses of the instruction cache and its TLB; mispredictions of\n"
		     "  branches that were not taken, unless they are recorded; lines that wrong\n"
		     "  paths brought; waits for units; which store a load waits for, unless the\n"
		     "  code shows it; how long a store's write took.\n");
	double own = percent((double)x->own_accesses, (double)x->accesses);
	fprintf(out, "  loads and stores with a sample of their own address: %.1f%%\n", own);
	print_unfit(r, out);
	print_identity(r, out);
	if (r->perf->slowest > FULL_HIT)
		fprintf(out,
			"  *** %s leaves out accesses of fewer than %" PRIu32
			" cycles: costs of data misses are too high. "
			"***\n",
			r->perf->slowest_event, r->perf->slowest);
	if (r->perf->all_paths)
		fprintf(out, "  *** No event with branch stacks counts instructions: the fragments are unlike the run "
			     "as far as "
			     "the\n  *** sampled events are. perf record -b -e instructions:ppp is better. ***\n");
	if (100 - own > MUCH)
		fprintf(out, "  *** More samples of loads and stores help (a smaller period). ***\n");
}

void shotgun_perf_samples(const struct shotgun_report *r, FILE *out)
{
	const struct shotgun_perf_report *p = r->perf;
	const struct culprit_precise_made *m = &p->made;
	char a[32], b[32], c[32];
	fprintf(out, "  %s samples: %s paths of %.0f instructions on average, %s accesses\n",
		format_grouped((int64_t)p->samples, a), format_grouped((int64_t)m->used, b),
		format_ratio((double)m->instructions, (double)m->used), format_grouped((int64_t)m->details, c));
	const struct {
		uint64_t count;
		const char *what;
	} rows[] = {
		{m->stacks - m->used, "branch stacks of which nothing fits the code"},
		{m->cut, "paths without their older branches, which do not fit the code or the cycles"},
		{m->no_code, "of these: outside the objects that were found"},
		{m->no_path, "of these: the branch is not where the code has one, or goes elsewhere"},
		{m->interrupted, "of these: more cycles than their instructions can take, as with an interrupt"},
		{m->strange, "accesses at instructions that access no memory, or outside those objects"},
		{p->lost_objects, "mapped objects that were not found (--sysroot says where their root is)"},
		{p->unused, "samples of events that count misses: unlike the rest, so not used"},
		{p->merged, "samples printed more than once"},
		{p->others, "lines that are no sample"},
		{p->unread, "words of samples that have no use here"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (rows[i].count)
			fprintf(out, "    %8" PRIu64 "  %s\n", rows[i].count, rows[i].what);
}

bool shotgun_row_least(const struct shotgun_report *r, const struct graph_row *row)
{
	return r->perf && !r->perf->made.not_taken && row->set == CULPRIT_EVENT_BIT(bmisp);
}

json_t *shotgun_perf_json(const struct shotgun_report *r)
{
	const struct shotgun_perf_report *p = r->perf;
	const struct culprit_precise_made *m = &p->made;
	const struct culprit_shotgun_results *x = r->results;
	const struct {
		const char *key;
		uint64_t value;
	} counts[] = {
		{"samples", p->samples},
		{"stacks", m->stacks},
		{"paths", m->used},
		{"paths_cut", m->cut},
		{"no_code", m->no_code},
		{"no_path", m->no_path},
		{"interrupted", m->interrupted},
		{"instructions", m->instructions},
		{"accesses", m->details},
		{"accesses_strange", m->strange},
		{"objects_lost", p->lost_objects},
		{"unused", p->unused},
		{"merged", p->merged},
		{"other_lines", p->others},
		{"unread_words", p->unread},
		{"fragments_compared", x->compared_fragments},
		{"memory_instructions", x->accesses},
		{"memory_instructions_own", x->own_accesses},
		{"least_latency", p->slowest},
	};
	json_t *all = json_object();
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
		json_object_set_new(all, counts[i].key, format_integer(counts[i].value));
	json_object_set_new(all, "recorded_cpi", json_real(x->recorded_cpi));
	json_object_set_new(all, "difference", json_real(x->scatter));
	json_object_set_new(all, "even", json_boolean(!p->all_paths));
	json_object_set_new(all, "not_taken", json_boolean(m->not_taken));
	return all;
}
