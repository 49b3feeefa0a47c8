#include "cli/recorded.h"

#include "run/killed.h"
#include "run/programs.h"

#include <stdlib.h>
#include <string.h>

static bool out_of_memory(struct error *err)
{
	return error_set(err, ERROR_SYSTEM, "out of memory for how the run ended");
}

static bool put_death(struct record_death *to, const struct report_killed *from, struct error *err)
{
	*to = (struct record_death){.signal = (uint32_t)from->signal,
				    .has_address = from->has_address,
				    .pc = from->at.pc + from->at.space,
				    .address = from->address,
				    .caller = from->caller.pc + from->caller.space,
				    .instruction = strdup(from->instruction),
				    .reason = strdup(from->reason),
				    .program = *from->program ? strdup(from->program) : NULL};
	return (to->instruction && to->reason && !to->program == !*from->program) || out_of_memory(err);
}

static bool put_programs(struct record_about *a, const struct report_program *from, size_t count, struct error *err)
{
	a->programs = calloc(count, sizeof *a->programs);
	for (size_t i = 0; i < count; i++) {
		const struct report_program *p = &from[i];
		char *path = a->programs ? strdup(p->path) : NULL;
		if (!path)
			return out_of_memory(err);
		a->programs[a->program_count++] = (struct record_program){
			.path = path, .processes = p->processes, .cycles = p->cycles, .instructions = p->instructions};
	}
	return true;
}

bool recorded_ending(struct record_about *a, const struct guest *guest, struct core *core, struct error *err)
{
	struct report_killed killed;
	struct report_program *programs = NULL;
	size_t count = 0;
	TRY(killed_find(&killed, guest, err));
	killed_say(&killed, a->program);
	bool good = programs_fill(&programs, &count, guest, core, err) && put_programs(a, programs, count, err);
	free(programs);
	return good && put_death(&a->death, &killed, err);
}

static void report_death(struct report_killed *k, const struct record_death *from, const struct symbols *symbols,
			 const struct lines *lines)
{
	struct guest_death death = {.signal = (int)from->signal,
				    .has_address = from->has_address,
				    .pc = from->pc,
				    .address = from->address,
				    .caller = from->caller,
				    .program = from->program};
	if (!death.signal)
		return;
	snprintf(death.instruction, sizeof death.instruction, "%s", from->instruction);
	snprintf(death.reason, sizeof death.reason, "%s", from->reason);
	killed_fill(k, &death, symbols, lines);
}

bool recorded_report(struct run_report *r, const struct record_about *a, const struct symbols *symbols,
		     const struct lines *lines, struct error *err)
{
	report_death(&r->killed, &a->death, symbols, lines);
	r->programs = calloc((size_t)a->program_count + 1, sizeof *r->programs);
	if (!r->programs)
		return out_of_memory(err);
	for (; r->program_count < a->program_count; r->program_count++) {
		const struct record_program *from = &a->programs[r->program_count];
		struct report_program *p = &r->programs[r->program_count];
		snprintf(p->path, sizeof p->path, "%s", from->path);
		p->processes = from->processes;
		p->cycles = from->cycles;
		p->instructions = from->instructions;
	}
	return true;
}

static int by_address(const void *key, const void *row)
{
	uint64_t pc = *(const uint64_t *)key, at = ((const struct record_code *)row)->pc;
	return pc < at ? -1 : pc > at;
}

bool recorded_code(void *context, uint64_t pc, uint16_t *parcel)
{
	const struct record_about *a = context;
	uint64_t before = pc - 2;
	const struct record_code *c = bsearch(&pc, a->code, a->code_count, sizeof *c, by_address);
	if (c) {
		*parcel = (uint16_t)c->bits;
		return true;
	}
	c = bsearch(&before, a->code, a->code_count, sizeof *c, by_address);
	*parcel = c ? (uint16_t)(c->bits >> 16) : 0;
	return c && (c->bits & 3) == 3;
}
