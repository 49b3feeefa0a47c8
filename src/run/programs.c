#include "run/programs.h"

#include <stdlib.h>

static int by_cycles(const void *a, const void *b)
{
	const struct report_program *x = a, *y = b;
	if (x->cycles != y->cycles)
		return x->cycles < y->cycles ? 1 : -1;
	return (x->instructions < y->instructions) - (x->instructions > y->instructions);
}

bool programs_fill(struct report_program **list, size_t *count, const struct guest *guest, struct core *core,
		   struct error *err)
{
	size_t most;
	const struct core_program *had = core_programs(core, &most);
	const uint64_t cycles = core_statistics(core)->cycles;
	uint64_t total = 0;
	if (!most)
		return true;
	*list = calloc(most, sizeof **list);
	if (!*list)
		return error_set(err, ERROR_SYSTEM, "out of memory for the report's programs");
	for (size_t i = 0; i < most; i++) {
		struct guest_program program;
		struct report_program *p = &(*list)[*count];
		total += had[i].cycles;
		if (!had[i].instructions && !had[i].cycles)
			continue;
		if (guest_program_at(guest, i, &program)) {
			snprintf(p->path, sizeof p->path, "%s", program.path);
			p->processes = program.processes;
		}
		p->cycles = had[i].cycles;
		p->instructions = had[i].instructions;
		(*count)++;
	}
	qsort(*list, *count, sizeof **list, by_cycles);
	return total == cycles || error_set(err, ERROR_INTERNAL, "the programs' cycles sum to %llu of %llu",
					    (unsigned long long)total, (unsigned long long)cycles);
}
