/* Several programs in one run: what each had of it. */
#include "report/format.h"
#include "report/run/report.h"
#include "report/terminal.h"

#include <string.h>

static const char *short_name(const struct report_program *p)
{
	const char *slash = strrchr(p->path, '/');
	return slash ? slash + 1 : p->path;
}

static double share(const struct run_report *r, const struct report_program *p)
{
	return 100 * format_ratio((double)p->cycles, (double)r->cycles);
}

unsigned run_report_programs(const struct run_report *r, const struct report_view *view, FILE *out)
{
	enum { MOST = 8 };
	char text[MOST * 60 + 60] = "programs:";
	if (r->program_count < 2)
		return 0;
	for (size_t i = 0; i < r->program_count && i < MOST; i++) {
		const size_t used = strlen(text);
		snprintf(text + used, sizeof text - used, "%s %.40s %.1f%%", i ? "," : "", short_name(&r->programs[i]),
			 share(r, &r->programs[i]));
	}
	if (r->program_count > MOST)
		snprintf(text + strlen(text), sizeof text - strlen(text), ", and %zu more", r->program_count - MOST);
	return terminal_wrap(text, 2, view->width, out);
}

void run_report_program_table(const struct run_report *r, FILE *out)
{
	char a[32], b[32];
	if (!r->program_count)
		return;
	fprintf(out, "\nPrograms\n  %16s %7s %16s %9s  %s\n", "cycles", "%", "instructions", "processes", "program");
	for (size_t i = 0; i < r->program_count; i++) {
		const struct report_program *p = &r->programs[i];
		fprintf(out, "  %16s %7.2f %16s %9llu  %s\n", format_grouped((int64_t)p->cycles, a), share(r, p),
			format_grouped((int64_t)p->instructions, b), (unsigned long long)p->processes, p->path);
	}
}

json_t *run_report_programs_json(const struct run_report *r)
{
	json_t *list = json_array();
	for (size_t i = 0; i < r->program_count; i++) {
		const struct report_program *p = &r->programs[i];
		json_t *o = json_object();
		json_object_set_new(o, "program", json_string(p->path));
		json_object_set_new(o, "processes", format_integer(p->processes));
		json_object_set_new(o, "instructions", format_integer(p->instructions));
		json_object_set_new(o, "cycles", format_integer(p->cycles));
		json_array_append_new(list, o);
	}
	return list;
}
