/* Stall summaries as text (Robinson, section 7): the top of the hierarchy, leaves, twigs, nodes. Lines below the
 * threshold are folded into one that says how many there were, so every list adds up. */
#include "report/format.h"
#include "report/stalls/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { BARS = 20, INDENT = 2 };

static const struct culprit_stall_type_info *type_of(const struct stalls_report *r, uint32_t type)
{
	return &r->results->types[type];
}

static void print_amount(const struct stalls_report *r, uint64_t amount, FILE *out)
{
	char text[32];
	fprintf(out, "  %16s %6.2f%%  ", format_grouped((int64_t)amount, text), stalls_percent(r, amount));
}

static void print_bar(double percent, FILE *out)
{
	for (int i = 0; i < (int)(percent * BARS / 100 + 0.5); i++)
		fputc('#', out);
}

/* --- trees --- */

static void print_node(const struct stalls_report *r, uint32_t depth, uint32_t type, uint64_t total, FILE *out)
{
	print_amount(r, total, out);
	fprintf(out, "%*s%s (%s)\n", (int)(INDENT * depth), "", type_of(r, type)->type.label, type_of(r, type)->set);
}

static void print_rest(const struct stalls_report *r, uint32_t depth, uint64_t amount, uint64_t count, FILE *out)
{
	if (!count)
		return;
	print_amount(r, amount, out);
	fprintf(out, "%*s... %" PRIu64 " more below the threshold\n", (int)(INDENT * depth), "", count);
}

/* The siblings first..end of a preorder forest, as deep as `levels` go. */
static void print_forest(const struct stalls_report *r, const struct culprit_stall_node *nodes, size_t first,
			 size_t end, uint32_t levels, FILE *out)
{
	uint64_t small = 0, small_count = 0;
	uint32_t depth = first < end ? nodes[first].depth : 0;
	for (size_t i = first; i < end; i = nodes[i].end) {
		if (stalls_percent(r, nodes[i].total) < r->threshold) {
			small += nodes[i].total;
			small_count++;
			continue;
		}
		print_node(r, depth, nodes[i].type, nodes[i].total, out);
		if (depth + 1 < levels)
			print_forest(r, nodes, i + 1, nodes[i].end, levels, out);
	}
	print_rest(r, depth, small, small_count, out);
}

/* --- lists by type --- */

struct by_type {
	uint32_t type;
	uint64_t amount;
};

static bool is_larger(const struct by_type *x, const struct by_type *y)
{
	return x->amount != y->amount ? x->amount > y->amount : x->type < y->type;
}

/* The largest below `last`; amount 0 = there is none. Looked for again each time: a sorted list would take memory. */
static struct by_type next_type(const struct stalls_report *r, const uint64_t *totals, struct by_type last)
{
	struct by_type best = {UINT32_MAX, 0};
	for (uint32_t i = 0; i < r->results->type_count; i++) {
		const struct by_type one = {i, totals[i]};
		if (is_larger(&last, &one) && is_larger(&one, &best))
			best = one;
	}
	return best;
}

static void print_gain(const struct stalls_report *r, uint32_t type, FILE *out)
{
	if (!r->gains)
		return;
	if (isnan(r->gains[type]))
		fprintf(out, "%7s  ", "-");
	else
		fprintf(out, "%6.2f%%  ", r->gains[type]);
}

/* `add_up`: with gains or, where there are none, a bar; and small ones folded into a sum, which only means something
 * when they add up. */
static void print_types(const struct stalls_report *r, const uint64_t *totals, bool add_up, FILE *out)
{
	uint64_t small = 0, small_count = 0;
	struct by_type one = {0, UINT64_MAX};
	while ((one = next_type(r, totals, one)).amount) {
		double percent = stalls_percent(r, one.amount);
		if (percent < r->threshold) {
			small += one.amount;
			small_count++;
			continue;
		}
		const struct culprit_stall_type_info *t = type_of(r, one.type);
		print_amount(r, one.amount, out);
		if (add_up)
			print_gain(r, one.type, out);
		fprintf(out, "%-10s %-30s ", t->set, t->type.label);
		if (add_up && !r->gains)
			print_bar(percent, out);
		fputc('\n', out);
	}
	if (add_up)
		print_rest(r, 0, small, small_count, out);
	else if (small_count)
		fprintf(out, "  %16s %7s  ... %" PRIu64 " more below the threshold\n", "", "", small_count);
}

/* --- the whole --- */

static void print_head(const struct stalls_report *r, FILE *out)
{
	const struct culprit_stall_results *x = r->results;
	fprintf(out, "\nStall trees: why %s lost opportunities", x->accumulator);
	if (r->place)
		fprintf(out, ", at %s", r->place);
	fprintf(out, "\n  %16s %7s\n", "slots", "");
	print_amount(r, stalls_opportunities(r), out);
	fprintf(out, "opportunities: %u a cycle\n", x->width);
	print_amount(r, stalls_opportunities(r) - x->counted, out);
	fprintf(out, "used: an instruction committed\n");
	print_amount(r, x->lost, out);
	fprintf(out, "lost%s\n", r->place ? " there" : "");
	if (r->place) {
		print_amount(r, x->elsewhere, out);
		fprintf(out, "lost elsewhere\n");
	}
}

/* The leaf that most is lost to, and the immediate stall that most of that shows up as. */
static void print_reading(const struct stalls_report *r, FILE *out)
{
	if (!r->twig_count)
		return;
	const struct culprit_stall_node *leaf = &r->twigs[0];
	fprintf(out, "\n  The largest root cause is \"%s\" (%s): %.1f%% of all opportunities",
		type_of(r, leaf->type)->type.label, type_of(r, leaf->type)->set, stalls_percent(r, leaf->total));
	fprintf(out, ", %.0f%% of the lost ones.\n", 100 * format_ratio((double)leaf->total, (double)r->results->lost));
	if (r->gains && !isnan(r->gains[leaf->type]))
		fprintf(out, "  Without it the run would be %.1f%% shorter (%s).\n", r->gains[leaf->type],
			r->gain_method);
	fprintf(out, "  It means: %s.\n", type_of(r, leaf->type)->type.meaning);
}

static void print_leaves(const struct stalls_report *r, FILE *out)
{
	fprintf(out, "\nRoot causes (leaves)\n");
	if (r->gains)
		fprintf(out, "  %16s %7s  %7s\n", "slots", "lost", "gain");
	print_types(r, r->results->leaf_totals, true, out);
	if (r->gains)
		fprintf(out,
			"  lost: slots charged to it. Other stalls waited beside it, so removing it gains\n"
			"  another amount. gain: how much shorter the run would be without it (%s).\n",
			r->gain_method);
}

static void print_notes(const struct stalls_report *r, FILE *out)
{
	const struct culprit_stall_results *x = r->results;
	char a[32];
	if (x->snipped)
		fprintf(out, "  %s lost slots are on paths too long to keep: their middle was cut out.\n",
			format_grouped((int64_t)x->snipped, a));
	if (x->folded)
		fprintf(out, "  %s lost slots are on paths beyond the table's size: only their ends are kept.\n",
			format_grouped((int64_t)x->folded, a));
	if (x->dropped_events)
		fprintf(out, "  %s stall events of very long histories were dropped.\n",
			format_grouped((int64_t)x->dropped_events, a));
}

void stalls_report_text(const struct stalls_report *r, FILE *out)
{
	uint32_t levels = r->levels ? r->levels : STALLS_LEVELS;
	const struct culprit_stall_results *x = r->results;
	print_head(r, out);
	print_reading(r, out);
	print_leaves(r, out);
	fprintf(out, "\nFrom the symptom to the cause: the hierarchy's first %u levels\n", levels);
	print_forest(r, x->nodes, 0, x->node_count, levels, out);
	fprintf(out, "\nFrom the cause to the symptom: twigs of %u levels\n", levels);
	print_forest(r, r->twigs, 0, r->twig_count, levels, out);
	fprintf(out, "\nStalls by how much is lost on a path through them (nodes; these overlap)\n");
	print_types(r, x->node_totals, false, out);
	print_notes(r, out);
}
