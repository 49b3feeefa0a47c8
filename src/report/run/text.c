/* The report of `culprit run` as text: plain columns, widths fixed, no colour, so that it can be diffed. */
#include "report/format.h"
#include "report/run/report.h"

#include <string.h>

enum { BAR_WIDTH = 30 };

static void print_head(const struct run_report *r, FILE *out)
{
	char a[32], b[32];
	fprintf(out, "culprit %s: %s", r->version, r->program);
	if (r->functional)
		fprintf(out, ", functional\n");
	else
		fprintf(out, " on %s\n", r->machine);
	if (r->cut)
		fprintf(out, "  *** %s: the figures are of the part simulated so far ***\n", r->cut);
	killed_head(&r->killed, out);
	if (r->warnings)
		fputs(r->warnings, out);
	if (r->skipped || r->warmed)
		fprintf(out, "  region starts after %s skipped, %s warmed up\n", format_grouped((int64_t)r->skipped, a),
			format_grouped((int64_t)r->warmed, b));
	fprintf(out, "  instructions %18s\n", format_grouped((int64_t)r->instructions, a));
	if (!r->functional) {
		fprintf(out, "  cycles       %18s\n", format_grouped((int64_t)r->cycles, a));
		fprintf(out, "  IPC          %18.4f   CPI %.4f\n",
			format_ratio((double)r->instructions, (double)r->cycles),
			format_ratio((double)r->cycles, (double)r->instructions));
	}
	fprintf(out, "  simulated at %15.2f M instructions/s (%.2f s)\n",
		format_ratio((double)r->instructions, r->host_seconds) / 1e6, r->host_seconds);
}

static void print_stack(const struct run_report *r, FILE *out)
{
	char a[32];
	fprintf(out, "\nWhere the cycles went, by what commit waited for\n");
	fprintf(out, "  %-10s %16s %8s %7s\n", "", "cycles", "CPI", "%");
	uint64_t total = 0;
	for (uint32_t i = 0; i < r->stack_count; i++) {
		const struct report_stack_row *row = &r->stack[i];
		total += row->cycles;
		if (!row->cycles)
			continue;
		double share = format_ratio((double)row->cycles, (double)r->cycles);
		int bar = (int)(share * BAR_WIDTH + 0.5);
		fprintf(out, "  %-10s %16s %8.4f %7.2f %-*.*s %s\n", row->name, format_grouped((int64_t)row->cycles, a),
			format_ratio((double)row->cycles, (double)r->instructions), 100 * share, BAR_WIDTH, bar,
			"##############################", row->meaning);
	}
	fprintf(out, "  %-10s %16s %8.4f %7.2f\n", "total", format_grouped((int64_t)total, a),
		format_ratio((double)total, (double)r->instructions),
		100 * format_ratio((double)total, (double)r->cycles));
}

static void print_rates(const struct run_report *r, FILE *out)
{
	double kilo = (double)r->instructions / 1000;
	fprintf(out, "\nPer thousand instructions\n");
	fprintf(out, "  %-22s %10s %10s %9s %17s\n", "", "accesses", "misses", "miss %", "wrong-path misses");
	for (uint32_t i = 0; i < r->cache_count; i++) {
		const struct report_rate_row *c = &r->caches[i];
		fprintf(out, "  %-22s %10.3f %10.3f %9.3f %17.3f\n", c->name, format_ratio((double)c->accesses, kilo),
			format_ratio((double)c->misses, kilo),
			100 * format_ratio((double)c->misses, (double)c->accesses),
			format_ratio((double)c->wrong_path_misses, kilo));
	}
	fprintf(out, "  %-22s %10s %10s %9s\n", "", "branches", "mispred.", "mispred. %");
	for (uint32_t i = 0; i < r->branch_count; i++) {
		const struct report_rate_row *b = &r->branches[i];
		if (b->accesses)
			fprintf(out, "  %-22s %10.3f %10.3f %9.3f\n", b->name, format_ratio((double)b->accesses, kilo),
				format_ratio((double)b->misses, kilo),
				100 * format_ratio((double)b->misses, (double)b->accesses));
	}
	fprintf(out,
		"  loads %.1f  stores %.1f  forwarded %.1f  fetched on wrong paths %.1f  decode redirects %.2f  "
		"violations %.3f\n",
		format_ratio((double)r->loads, kilo), format_ratio((double)r->stores, kilo),
		format_ratio((double)r->forwarded, kilo), format_ratio((double)r->fetched_wrong_path, kilo),
		format_ratio((double)r->decode_redirects, kilo), format_ratio((double)r->violations, kilo));
	if (r->prefetches)
		fprintf(out, "  prefetches %.3f, used %.3f, of these late %.3f\n",
			format_ratio((double)r->prefetches, kilo), format_ratio((double)r->prefetches_used, kilo),
			format_ratio((double)r->prefetches_late, kilo));
}

static void print_functions(const struct run_report *r, FILE *out)
{
	char a[32];
	fprintf(out, "\nFunctions with most cycles\n  %16s %7s %8s  %s\n", "cycles", "%", "CPI", "function");
	for (uint32_t i = 0; i < r->function_count; i++) {
		const struct report_function_row *f = &r->functions[i];
		fprintf(out, "  %16s %7.2f %8.4f  %s (%s)\n", format_grouped((int64_t)f->cycles, a),
			100 * format_ratio((double)f->cycles, (double)r->cycles),
			format_ratio((double)f->cycles, (double)f->instructions), f->name, f->object);
	}
}

void run_report_text(const struct run_report *r, FILE *out)
{
	print_head(r, out);
	if (r->functional)
		return;
	if (r->has_stack)
		print_stack(r, out);
	print_rates(r, out);
	if (r->function_count)
		print_functions(r, out);
}
