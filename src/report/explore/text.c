/* The Pareto front as a table and as CSV. */
#include "report/explore/report.h"
#include "report/format.h"

#include <math.h>
#include <string.h>

static int width_of(const struct explore_report *r, uint32_t axis)
{
	size_t width = strlen(r->axes[axis]);
	for (size_t i = 0; i < r->front_count; i++) {
		size_t length = strlen(r->front[i].values[axis]);
		width = length > width ? length : width;
	}
	return (int)width;
}

static void print_row(const struct explore_report *r, const struct explore_report_row *p, FILE *out)
{
	fprintf(out, "%c %10.1f %8.4f", p->knee ? '*' : ' ', p->cost, format_ratio(1, p->cpi));
	if (p->checked > 0)
		fprintf(out, " %8.4f", format_ratio(1, p->checked));
	else
		fprintf(out, " %8s", "");
	for (uint32_t i = 0; i < r->axis_count; i++)
		fprintf(out, "  %*s", width_of(r, i), p->values[i]);
	if (p->nearest)
		fprintf(out, "  not all in the profile: +/- %.1f%%", 100 * p->off);
	fputc('\n', out);
}

/* Long fronts are shown in about thirty rows: all that were checked, which are spread over the front. */
void explore_report_text(const struct explore_report *r, FILE *out)
{
	char evaluated[32], rejected[32];
	fprintf(out, "Design space %s for %s around %s: %s machines", r->file, r->program, r->base,
		format_grouped((int64_t)r->evaluated, evaluated));
	if (r->rejected)
		fprintf(out, ", %s more ruled out", format_grouped((int64_t)r->rejected, rejected));
	fprintf(out,
		"\nPareto front: %zu machines that none is both cheaper and faster than; * marks the knees, \"model\" "
		"is the "
		"whole model's IPC\n\n  %10s %8s %8s",
		r->front_count, "cost", "IPC", "model");
	for (uint32_t i = 0; i < r->axis_count; i++)
		fprintf(out, "  %*s", width_of(r, i), r->axes[i]);
	fputc('\n', out);
	for (size_t i = 0; i < r->front_count; i++)
		if (r->front[i].checked > 0)
			print_row(r, &r->front[i], out);
}

static void quoted(const char *text, FILE *out)
{
	if (!strpbrk(text, ",\"")) {
		fputs(text, out);
		return;
	}
	fputc('"', out);
	for (; *text; text++)
		fprintf(out, *text == '"' ? "\"\"" : "%c", *text);
	fputc('"', out);
}

void explore_report_csv(const struct explore_report *r, FILE *out)
{
	fprintf(out, "cost,cpi,ipc,model_cpi,knee");
	for (uint32_t i = 0; i < r->axis_count; i++) {
		fputc(',', out);
		quoted(r->axes[i], out);
	}
	fputc('\n', out);
	for (size_t i = 0; i < r->front_count; i++) {
		const struct explore_report_row *p = &r->front[i];
		fprintf(out, "%.3f,%.6f,%.6f,", p->cost, p->cpi, format_ratio(1, p->cpi));
		if (p->checked > 0)
			fprintf(out, "%.6f", p->checked);
		fprintf(out, ",%d", p->knee);
		for (uint32_t k = 0; k < r->axis_count; k++) {
			fputc(',', out);
			quoted(p->values[k], out);
		}
		fputc('\n', out);
	}
}
