/* Any text as a plan of a sweep: an error of one line that names the place, or a plan in which everything has its
 * name. */
#include "sweep/plan.h"

#include <stdlib.h>
#include <string.h>

static void must(bool truth)
{
	if (!truth)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sweep_plan p;
	struct error err = {ERROR_NONE, ""};
	if (!sweep_plan_parse(&p, (const char *)data, size, "fuzz", &err)) {
		must(err.code != ERROR_NONE && strncmp(err.text, "fuzz:", 5) == 0);
		must(strcspn(err.text, "\n") == strlen(err.text));
		sweep_plan_destroy(&p);
		return 0;
	}
	must(p.machines.count && p.program_count && p.region_count);
	for (uint32_t i = 0; i < p.program_count; i++)
		must(p.programs[i].name && p.programs[i].command.count);
	for (uint32_t i = 0; i < p.region_count; i++)
		must(p.regions[i].name != NULL);
	for (uint32_t i = 0; i < p.axis_count; i++) {
		must(p.axes[i].name && p.axes[i].count);
		for (uint32_t v = 0; v < p.axes[i].count; v++)
			must(p.axes[i].values[v].name != NULL);
	}
	sweep_plan_destroy(&p);
	return 0;
}
