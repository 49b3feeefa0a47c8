/* The critical path in plain columns that can be diffed. */
#include "report/critical/report.h"
#include "report/format.h"

#include <inttypes.h>
#include <string.h>

static double percent(uint64_t part, uint64_t whole)
{
	return 100 * format_ratio((double)part, (double)whole);
}

/* --- by kind --- */

/* Of records that do not tell a field: cycles of other kinds are in this one (analysis/record_fill.c). */
static const char *meaning_of(const struct critical_report *r, unsigned kind)
{
	static const struct {
		unsigned kind;
		culprit_field_set field;
		const char *meaning;
	} untold[] = {{CULPRIT_CRITICAL_dl1, CULPRIT_FIELD_BIT(miss), "a load's latency, hit or miss not known"},
		      {CULPRIT_CRITICAL_dl2, CULPRIT_FIELD_BIT(level), "data from beyond the L1D, where is not known"},
		      {CULPRIT_CRITICAL_iport, CULPRIT_FIELD_BIT(imiss), "fetch was late, why is not known"}};
	for (size_t i = 0; i < sizeof untold / sizeof *untold; i++)
		if (untold[i].kind == kind && (untold[i].field & r->unknown))
			return untold[i].meaning;
	return culprit_critical_kind_meaning(kind);
}

static void print_kinds(const struct critical_report *r, FILE *out)
{
	const struct culprit_critical_totals *t = &r->totals;
	char text[32];
	fprintf(out, "  %-11s %13s %6s %13s\n", "", "cycles", "%", "edges");
	for (unsigned k = 0; k < CULPRIT_CRITICAL_KINDS; k++) {
		if (!t->by_kind[k] && !t->hops[k])
			continue;
		fprintf(out, "  %-11s %13s %6.2f", culprit_critical_kind_label(k),
			format_grouped((int64_t)t->by_kind[k], text), percent(t->by_kind[k], t->cycles));
		fprintf(out, " %13s  %s\n", t->hops[k] ? format_grouped((int64_t)t->hops[k], text) : "",
			meaning_of(r, k));
	}
	if (t->seams_off)
		fprintf(out,
			"  %-11s %13s %6.2f                %" PRIu64 " of %" PRIu64 " windows' paths did not meet\n",
			"seam", format_grouped(t->seam_cycles, text),
			100 * format_ratio((double)t->seam_cycles, (double)t->cycles), t->seams_off, t->seams);
	fprintf(out, "  %-11s %13s %6.2f\n", "total", format_grouped((int64_t)t->cycles, text), 100.0);
}

static void print_head(const struct critical_report *r, FILE *out)
{
	const struct culprit_critical_totals *t = &r->totals;
	fprintf(out, "\nCritical path (dependence graph)\n");
	graph_base_text(&r->base, out);
	fprintf(out, "  graph %" PRIu64 " cycles, simulated %.0f: %+.2f%%\n", t->cycles, r->base.simulated,
		graph_base_error(&r->base));
	print_kinds(r, out);
	fprintf(out,
		"  %.1f%% of it is tied: an equally long path goes elsewhere, so conclude nothing from these cycles\n",
		100 * format_ratio(r->tied, (double)t->cycles));
	fprintf(out, "  it goes through %.1f%% of the instructions; %.1f%% have no slack, mean slack %.1f cycles\n",
		percent(t->visits, t->instructions), percent(t->zero_slack, t->watched),
		format_ratio((double)t->slack_sum, (double)t->watched));
	if (t->watched != t->instructions)
		fprintf(out, "  ties, cost and slack from %.1f%% of the instructions, in windows all over the run\n",
			percent(t->watched, t->instructions));
}

/* --- tables --- */

enum { PLACE = 50 }; /* the column of places, and below them the path's kinds */

/* Up to three kinds with most of an entry's path: "dl2 61 dl1 20". */
static void print_split(const struct culprit_critical_row *row, FILE *out)
{
	uint64_t below = UINT64_MAX;
	unsigned last = CULPRIT_CRITICAL_KINDS, written = 0;
	char text[80] = "";
	while (written < 3) {
		unsigned best = CULPRIT_CRITICAL_KINDS;
		for (unsigned k = 0; k < CULPRIT_CRITICAL_KINDS; k++) {
			bool after = row->cycles[k] < below || (row->cycles[k] == below && k > last);
			if (after && (best == CULPRIT_CRITICAL_KINDS || row->cycles[k] > row->cycles[best]))
				best = k;
		}
		if (best == CULPRIT_CRITICAL_KINDS || percent(row->cycles[best], row->path) < 5)
			break;
		size_t used = strlen(text);
		snprintf(text + used, sizeof text - used, "%s%s %.0f", written ? ", " : "",
			 culprit_critical_kind_label(best), percent(row->cycles[best], row->path));
		below = row->cycles[best];
		last = best;
		written++;
	}
	if (*text)
		fprintf(out, "%*s%s\n", PLACE, "", text);
}

static void print_columns(const char *title, FILE *out)
{
	fprintf(out, "\n%s\n %6s %6s %6s %12s %6s %6s  %s\n", title, "% path", "% tied", "% cost", "executions",
		"% zero", "slack", "where; path by kind, %");
}

static void print_entry(const struct critical_report *r, const struct critical_entry *e, FILE *out)
{
	const struct culprit_critical_row *s = &e->sum;
	char text[32];
	const char *executions = format_grouped((int64_t)s->executions, text);
	double share = percent(s->path, r->totals.cycles), whole = (double)r->totals.cycles;
	if (s->watched)
		fprintf(out, " %6.2f %6.2f %6.2f %12s %6.1f %6.1f  ", share, 100 * format_ratio(e->tied, whole),
			100 * format_ratio(e->cost, whole), executions, percent(s->zero_slack, s->watched),
			format_ratio((double)s->slack_sum, (double)s->watched));
	else /* not known: no execution of it was in a watched window */
		fprintf(out, " %6.2f %6s %6s %12s %6s %6s  ", share, "", "", executions, "", "");
}

static void print_table(const struct critical_report *r, const struct critical_table *t, const char *title, FILE *out)
{
	if (!t->count)
		return;
	print_columns(title, out);
	for (size_t i = 0; i < t->count; i++) {
		print_entry(r, &t->entries[i], out);
		fprintf(out, "%s (%s)\n", t->entries[i].name, t->entries[i].where);
		print_split(&t->entries[i].sum, out);
	}
}

static void print_instructions(const struct critical_report *r, FILE *out)
{
	const struct critical_table *t = &r->instructions;
	if (!t->count)
		return;
	print_columns("Instructions with most of the critical path", out);
	for (size_t i = 0; i < t->count; i++) {
		const struct critical_entry *e = &t->entries[i];
		print_entry(r, e, out);
		const bool same = !strcmp(e->name, e->where); /* of no object */
		fprintf(out, "%s%s%s%s%s\n", e->name, same ? "" : ", ", same ? "" : e->where, *e->line ? ", " : "",
			e->line);
		print_split(&e->sum, out);
	}
}

/* --- the loop --- */

/* Too little to print at two decimals: the path only passes. */
static bool idle(const struct critical_report *r, size_t i)
{
	return format_ratio((double)r->chain[i].sum.path, (double)r->loop.iterations) < 0.005;
}

static void print_step(const struct critical_report *r, size_t i, FILE *out)
{
	const struct critical_entry *e = &r->chain[i];
	double iterations = (double)r->loop.iterations;
	char split[160] = "";
	for (unsigned k = 0; k < CULPRIT_CRITICAL_KINDS; k++) {
		double cycles = format_ratio((double)e->sum.cycles[k], iterations);
		size_t used = strlen(split);
		if (cycles >= 0.05)
			snprintf(split + used, sizeof split - used, "%s%s %.1f", used ? ", " : "",
				 culprit_critical_kind_label(k), cycles);
	}
	fprintf(out, "  %8.2f  %-24.40s  %s%s%s\n", format_ratio((double)e->sum.path, iterations), e->name, e->where,
		*e->line ? ", " : "", e->line);
	if (*split)
		fprintf(out, "  %8s  %s\n", "", split);
}

static void print_chain(const struct critical_report *r, FILE *out)
{
	for (size_t i = 0, passed = 0; i < r->loop.steps; i++) {
		bool back = i + 1 == r->loop.steps;
		if (idle(r, i) && !back) {
			passed++;
			continue;
		}
		if (passed)
			fprintf(out, "  %8s   through %zu without cycles of their own\n", "", passed);
		passed = 0;
		print_step(r, i, out);
		fprintf(out, "  %8s   -> (%s)%s\n", "", culprit_critical_kind_label(r->loop.chain[i].next),
			back ? " to the first" : "");
	}
}

static void print_loop(const struct critical_report *r, FILE *out)
{
	const struct culprit_critical_loop *l = &r->loop;
	char text[32];
	fprintf(out, "\nHottest loop: %s%s%s to %s\n", r->loop_place.where, *r->loop_place.line ? ", " : "",
		r->loop_place.line, r->loop_end);
	fprintf(out, "  %s iterations, %.1f%% of the critical path, %.2f cycles of it an iteration\n",
		format_grouped((int64_t)l->iterations, text), percent(l->cycles, r->totals.cycles),
		format_ratio((double)l->cycles, (double)l->iterations));
	if (!l->steps) {
		fprintf(out, "  the path makes no chain within it\n");
		return;
	}
	fprintf(out, "  its chain, %.0f%% of that, in cycles an iteration:\n", percent(l->chain_cycles, l->cycles));
	print_chain(r, out);
}

void critical_text(const struct critical_report *r, FILE *out)
{
	print_head(r, out);
	print_table(r, &r->functions, "Functions with most of the critical path", out);
	print_table(r, &r->lines, "Source lines with most of the critical path", out);
	print_instructions(r, out);
	if (r->has_loop)
		print_loop(r, out);
}
