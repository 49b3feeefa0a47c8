/* The shotgun profiler's report as text. */
#include "report/format.h"
#include "report/shotgun/report.h"

#include <inttypes.h>
#include <math.h>

double shotgun_report_bits(const struct shotgun_report *r)
{
	return (double)r->signatures * r->signature_bits + (double)r->details * r->detail_bits;
}

double shotgun_report_interrupts(const struct shotgun_report *r)
{
	return format_ratio(shotgun_report_bits(r), 8 * (double)r->buffer_bytes);
}

static double percent(uint64_t part, uint64_t whole)
{
	return 100 * format_ratio((double)part, (double)whole);
}

static void print_samples(const struct shotgun_report *r, FILE *out)
{
	char a[32], b[32];
	fprintf(out, "  %s signature samples of %" PRIu32 " instructions, %s detailed ones",
		format_grouped((int64_t)r->signatures, a), r->length, format_grouped((int64_t)r->details, b));
	fprintf(out, " (about one in %s and one in %s instructions)\n",
		format_grouped((int64_t)r->signature_interval, a), format_grouped((int64_t)r->detail_interval, b));
	if (r->cut)
		fprintf(out, "  %" PRIu64 " samples cut off by signals and thread switches\n", r->cut);
	fprintf(out, "  hardware: %" PRIu32 " + %" PRIu32 " bits for a sample of each kind, %.2f bits an instruction",
		r->signature_bits, r->detail_bits, format_ratio(shotgun_report_bits(r), (double)r->instructions));
	if (r->buffer_bytes)
		fprintf(out, "; the buffer of %" PRIu64 " bytes filled %.0f times", r->buffer_bytes,
			shotgun_report_interrupts(r));
	fputc('\n', out);
}

static void print_fragments(const struct shotgun_report *r, FILE *out)
{
	const struct culprit_shotgun_results *x = r->results;
	fprintf(out,
		"  %" PRIu64 " fragments of %s%" PRIu32 " instructions built, each run after its own last %" PRIu32
		";\n  %" PRIu64 " aborted, %" PRIu64 " used up to where they would have been\n",
		x->built, r->perf ? "up to " : "", r->fragment_length, r->warmup, x->aborted, x->shortened);
	for (unsigned i = 0; i < CULPRIT_ABORT_COUNT; i++)
		if (x->aborts[i])
			fprintf(out, "    %6" PRIu64 "  %s\n", x->aborts[i], culprit_abort_meaning(i));
	if (x->aborted + x->shortened)
		fprintf(out,
			"    of these %" PRIu64 " after a guessed indirect jump, %" PRIu64 " call, %" PRIu64
			" return, %" PRIu64 " without a guess\n",
			x->guessed[CULPRIT_BRANCH_INDIRECT_JUMP], x->guessed[CULPRIT_BRANCH_INDIRECT_CALL],
			x->guessed[CULPRIT_BRANCH_RETURN], x->guessed[CULPRIT_BRANCH_NONE]);
	fprintf(out, "  signature bits of the chosen samples that agree: %.1f%%\n", percent(x->agreed, x->compared));
	fprintf(out, "  instructions without a detailed sample: %.2f%% (%" PRIu64 " of %" PRIu64 " addresses)",
		percent(x->missing, x->instructions), r->places_missing, r->places);
	fprintf(out, "; with one of another: %.2f%%\n", percent(x->borrowed, x->instructions));
}

static void print_objects(const struct shotgun_report *r, FILE *out)
{
	if (r->object_count < 2)
		return;
	fprintf(out, "  %-24s %12s %9s %9s\n", "object", "instructions", "missing", "aborts");
	for (size_t i = 0; i < r->object_count; i++) {
		const struct shotgun_object_row *o = &r->objects[i];
		fprintf(out, "  %-24.24s %12" PRIu64 " %8.2f%% %9" PRIu64 "\n", o->name, o->visits,
			percent(o->missing, o->visits), o->aborts);
	}
}

static void print_rows(const struct shotgun_report *r, FILE *out)
{
	fprintf(out, "\n  %-14s %8s %7s\n", "", "% time", "+-");
	double total = 0;
	for (size_t i = 0; i < r->row_count; i++) {
		const struct graph_row *row = &r->rows[i];
		if (isnan(row->percent)) {
			fprintf(out, "  %-14s %9s: such samples do not tell\n", row->label, "not known");
			continue;
		}
		const char *word = shotgun_row_least(r, row) ? "or more: branches that were not taken are not recorded"
							     : graph_row_advice(row);
		fprintf(out, "  %-14s %8.1f %7.1f%s%s\n", row->label, graph_row_printed(row), r->row_interval[i].all,
			*word ? "  " : "", word);
		total += row->percent;
	}
	fprintf(out, "  %-14s %8.1f\n", "total", total);
	graph_other_text(&r->graph, out);
}

void shotgun_text(const struct shotgun_report *r, FILE *out)
{
	const struct culprit_shotgun_results *x = r->results;
	fprintf(out, "\nInteraction costs (shotgun profiler)\n");
	if (x->built && r->perf)
		shotgun_perf_base(r, out);
	else if (x->built)
		shotgun_base_text(r, out);
	if (r->perf)
		shotgun_perf_samples(r, out);
	else
		print_samples(r, out);
	print_fragments(r, out);
	print_objects(r, out);
	if (!x->built) {
		fprintf(out, "  nothing to analyse: no fragment could be built\n");
		return;
	}
	fprintf(out, "  %.3f +- %.3f cycles an instruction in the fragments; %s: %.3f\n", x->cpi, x->cpi_error,
		r->perf ? "recorded" : "counted", format_ratio((double)r->cycles, (double)r->instructions));
	print_rows(r, out);
	fprintf(out,
		"  +-: 95%% interval: fragments and detailed samples drawn by chance, latencies of the run that the\n"
		"  fragments lack, and what reconstruction got wrong in other programs\n");
}

/* For scripts. */
void shotgun_csv(const struct shotgun_report *r, FILE *out)
{
	const struct culprit_shotgun_results *x = r->results;
	fprintf(out, "term,percent,interval,fragments,details,bias,unseen\n");
	for (unsigned set = 1; set < 1u << x->graph.class_count; set++) {
		unsigned rest = set & (set - 1);
		if (rest & (rest - 1))
			continue;
		fprintf(out, "%s", x->graph.names[__builtin_ctz(set)]);
		if (rest)
			fprintf(out, "+%s", x->graph.names[__builtin_ctz(rest)]);
		const struct culprit_shotgun_interval *i = &x->icost_interval[set];
		if (graph_withholds(&r->graph, set)) {
			fprintf(out, ",,,,,,\n"); /* not known */
			continue;
		}
		fprintf(out, ",%.4f,%.4f,%.4f,%.4f,%.4f,%.4f\n",
			100 * format_ratio((double)x->graph.icost[set], (double)x->graph.time[0]), i->all, i->fragments,
			i->details, i->bias, i->unseen);
	}
	for (unsigned c = 0; c < x->graph.class_count; c++)
		if (x->has_single[c])
			fprintf(out, "single %s,%.4f,%.4f\n", x->graph.names[c], x->single[c], x->single_used[c]);
	fprintf(out, "cpi,%.6f,%.6f,%.6f,%.6f,%.6f\ncounted cpi,%.6f,\n", x->cpi, x->cpi_error, x->cpi_fragments,
		x->cpi_details, x->cpi_unlike, format_ratio((double)r->cycles, (double)r->instructions));
	fprintf(out, "built,%" PRIu64 ",\naborted,%" PRIu64 ",\nmissing,%.4f,\nagreed,%.4f,\nbits,%.4f,\n", x->built,
		x->aborted, percent(x->missing, x->instructions), percent(x->agreed, x->compared),
		format_ratio(shotgun_report_bits(r), (double)r->instructions));
}
