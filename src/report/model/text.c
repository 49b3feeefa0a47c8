/* A prediction as text: the stack term by term, then the program's inherent parallelism. */
#include "report/format.h"
#include "report/model/report.h"

#include <inttypes.h>
#include <math.h>

static void print_term(const struct model_report *r, const struct model_report_row *t, FILE *out)
{
	char count[32];
	if (t->cycles == 0 && t->count == 0)
		return;
	fprintf(out, "  %-9s %-5s %6.2f %8.4f", t->name, t->group, 100 * format_ratio(t->cycles, r->cycles),
		format_ratio(t->cycles, (double)r->instructions));
	if (t->count > 0)
		fprintf(out, " %14s x %.3f", format_grouped((int64_t)llround(t->count), count), t->penalty);
	fputc('\n', out);
}

static void print_meaning(const struct model_report_row *t, FILE *out)
{
	if (t->cycles != 0 || t->count != 0)
		fprintf(out, "  %-9s  %s\n", t->name, t->meaning);
}

static void print_stack(const struct model_report *r, FILE *out)
{
	fprintf(out, "\n  %-9s %-5s %6s %8s %14s x %s\n", "term", "part", "%", "CPI", "events", "penalty");
	for (uint32_t i = 0; i < r->term_count; i++)
		print_term(r, &r->terms[i], out);
	fputc('\n', out);
	for (uint32_t i = 0; i < r->term_count; i++)
		print_meaning(&r->terms[i], out);
	fprintf(out, "\n ");
	for (uint32_t i = 0; i < r->group_count; i++)
		fprintf(out, " %s %.4f", r->groups[i].name, format_ratio(r->groups[i].cycles, (double)r->instructions));
	fputc('\n', out);
}

/* A window for more than the program's parallelism is a number without meaning. */
static const char *rob_text(double entries, char text[32])
{
	if (entries > 1e6)
		return "over 1,000,000";
	snprintf(text, 32, "%.0f", entries);
	return text;
}

static void print_parallelism(const struct model_report *r, FILE *out)
{
	char balanced[32], latent[32];
	fprintf(out,
		"\nInherent parallelism: K(W) = W^(1/beta) / alpha, alpha %.3f, beta %.3f, off by %.1f%% (rms) over W "
		"= %u to %u\n"
		"  average latency l %.3f cycles; ROB for a sustained width: %s at unit latency, %s at l\n",
		r->alpha, r->beta, 100 * r->residual, r->fit_low, r->fit_high, r->latency,
		rob_text(r->balanced, balanced), rob_text(r->balanced_latent, latent));
	fprintf(out, "  window drain c_dr %.2f cycles", r->drain);
	if (r->resolution > 0)
		fprintf(out, "; branches resolve in %.2f (flow of %llu instructions)", r->resolution,
			(unsigned long long)r->sampled);
	fprintf(out, "\n\n  %6s %9s %9s %9s %9s\n", "W", "K(W)", "fit", "W/K(W)", "W/lK(W)");
	for (uint32_t i = 0; i < r->window_count; i++) {
		const struct model_report_window *w = &r->windows[i];
		fprintf(out, "  %6u %9.3f %9.3f %9.3f %9.3f\n", w->window, w->path, w->fit, w->rate, w->latent);
	}
}

static void print_nearest(const struct model_report *r, FILE *out)
{
	char count[32], off[32];
	if (!r->nearest_count)
		return;
	fprintf(out,
		"\nNot in the profile: the nearest structure that is, and how far that may be off, about +/- %.1f%% of "
		"the "
		"time in all\n",
		100 * format_ratio(r->nearest_cycles, r->cycles));
	for (uint32_t i = 0; i < r->nearest_count; i++) {
		const struct model_report_nearest *n = &r->nearest[i];
		fprintf(out, "  %s %s: %s events, +/- %s, %.1f%% of the time (%s)\n", n->structure, n->text,
			format_grouped((int64_t)llround(n->count), count),
			format_grouped((int64_t)llround(n->off), off), 100 * format_ratio(n->cycles, r->cycles),
			n->component);
	}
}

/* The name alone would be that of the machine that it was. */
static const char *changed(const struct model_report *r)
{
	return r->changed ? " with --set" : "";
}

static void print_foreign(const struct model_report *r, FILE *out)
{
	const struct model_report_foreign *f = r->foreign;
	if (!f)
		return;
	fprintf(out,
		"\nA profile of %s tells how many accesses miss on %s%s, but not which. Predictions from profiles of "
		"other "
		"machines were off simulation's IPC by %.1f%% in the mean and by up to %.1f%% in nine cases of ten "
		"(%" PRIu32 " predictions).\n",
		r->reference, r->machine, changed(r), f->mean, f->most, f->predictions);
}

void model_report_text(const struct model_report *r, FILE *out)
{
	char instructions[64], cycles[64];
	fprintf(out, "Interval model (%s): %s on %s%s, profiled for %s\n", r->kind, r->program, r->machine, changed(r),
		r->reference);
	fputs(r->cut ? MODEL_REPORT_CUT : "", out);
	fprintf(out, "  IPC %.4f   CPI %.4f   (%s, %s)\n", format_ratio(1, r->cpi), r->cpi,
		format_counted(r->instructions, "instruction", instructions),
		format_counted((uint64_t)llround(r->cycles), "cycle", cycles));
	print_foreign(r, out);
	print_nearest(r, out);
	print_stack(r, out);
	print_parallelism(r, out);
}
