/* What the forms of a sweep's report compute alike. */
#include "report/sweep/report.h"

#include <math.h>
#include <string.h>

double sweep_speedup(const struct sweep_report *r, uint32_t point)
{
	const struct sweep_report_point *p = &r->points[point], *to = &r->points[p->reference];
	return p->known && to->known && p->cycles ? (double)to->cycles / (double)p->cycles : 0;
}

static double cpi_of(const struct sweep_report_point *p, uint32_t cause)
{
	return (double)p->causes[cause].cycles / (double)p->instructions;
}

/* Every run has the same causes in the same order; but results of another version might not. */
static double cpi_named(const struct sweep_report_point *p, const char *name)
{
	for (uint32_t i = 0; i < p->cause_count; i++)
		if (!strcmp(p->causes[i].name, name))
			return cpi_of(p, i);
	return 0;
}

const char *sweep_moved(const struct sweep_report *r, uint32_t point, double *cpi)
{
	const struct sweep_report_point *p = &r->points[point], *to = &r->points[p->reference];
	const char *most = NULL;
	*cpi = 0;
	if (!p->known || !to->known || p->reference == point)
		return NULL;
	for (uint32_t i = 0; i < p->cause_count; i++) {
		double change = cpi_of(p, i) - cpi_named(to, p->causes[i].name);
		if (fabs(change) > fabs(*cpi)) {
			*cpi = change;
			most = p->causes[i].label;
		}
	}
	return most;
}

uint32_t sweep_group_end(const struct sweep_report *r, uint32_t first)
{
	uint32_t end = first + 1;
	while (end < r->count && r->points[end].program == r->points[first].program &&
	       r->points[end].region == r->points[first].region)
		end++;
	return end;
}

void sweep_point_name(const struct sweep_report *r, uint32_t point, char *text, size_t size)
{
	const struct sweep_report_point *p = &r->points[point];
	size_t used = (size_t)snprintf(text, size, "%s", r->axis_count ? "" : p->machine);
	for (uint32_t a = 0; a < r->axis_count && used < size; a++)
		used += (size_t)snprintf(text + used, size - used, "%s%s %s%s", used ? ", " : "", r->axes[a].name,
					 p->values[a], p->own[a] ? "*" : "");
}
