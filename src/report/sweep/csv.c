#include "report/sweep/report.h"

#include <inttypes.h>
#include <string.h>

static void print_field(const char *text, FILE *out)
{
	if (!strpbrk(text, ",\"\n")) {
		fputs(text, out);
		return;
	}
	fputc('"', out);
	for (; *text; text++)
		fputs(*text == '"' ? "\"\"" : (char[]){*text, 0}, out);
	fputc('"', out);
}

static const struct sweep_report_point *with_causes(const struct sweep_report *r)
{
	for (uint32_t i = 0; i < r->count; i++)
		if (r->points[i].cause_count)
			return &r->points[i];
	return NULL;
}

static void print_head(const struct sweep_report *r, const struct sweep_report_point *model, FILE *out)
{
	fputs("number,program,region,machine", out);
	for (uint32_t a = 0; a < r->axis_count; a++) {
		fputc(',', out);
		print_field(r->axes[a].name, out);
	}
	fputs(",instructions,cycles,ipc,cpi,speedup", out);
	for (uint32_t i = 0; model && i < model->cause_count; i++)
		fprintf(out, ",%s", model->causes[i].name);
	fputc('\n', out);
}

static void print_point(const struct sweep_report *r, uint32_t i, FILE *out)
{
	const struct sweep_report_point *p = &r->points[i];
	const char *const names[] = {p->program, p->region, p->machine};
	fprintf(out, "%u", i + 1);
	for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
		fputc(',', out);
		print_field(names[n], out);
	}
	for (uint32_t a = 0; a < r->axis_count; a++) {
		fputc(',', out);
		print_field(p->values[a], out);
	}
	if (p->known) {
		fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%.6f,%.6f,%.6f", p->instructions, p->cycles,
			(double)p->instructions / (double)p->cycles, (double)p->cycles / (double)p->instructions,
			sweep_speedup(r, i));
		for (uint32_t k = 0; k < p->cause_count; k++)
			fprintf(out, ",%" PRIu64, p->causes[k].cycles);
	}
	fputc('\n', out);
}

void sweep_report_csv(const struct sweep_report *r, FILE *out)
{
	print_head(r, with_causes(r), out);
	for (uint32_t i = 0; i < r->count; i++)
		print_point(r, i, out);
}
