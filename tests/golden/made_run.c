/* The report of `culprit run`, timed and functional. */
#include "made.h"
#include "report/run/report.h"

#include <string.h>

static void add_stack(struct run_report *r, struct figures *f)
{
	static const char *const names[] = {"commit", "bmisp", "il2", "dl1"};
	static const char *const meanings[] = {"first meaning", "second", "third", "fourth"};
	r->has_stack = true;
	r->stack_count = 5;
	for (uint32_t i = 0; i < 4; i++) {
		r->stack[i] = (struct report_stack_row){names[i], meanings[i], figure(f)};
		r->cycles += r->stack[i].cycles;
	}
	r->stack[4] = (struct report_stack_row){"empty", "never printed as text", 0};
}

static struct report_rate_row rate(const char *name, struct figures *f)
{
	struct report_rate_row row = {.name = name, .has_accesses = true};
	row.accesses = figure(f);
	row.misses = figure(f);
	row.wrong_path_misses = figure(f);
	return row;
}

static void add_rates(struct run_report *r, struct figures *f)
{
	static const char *const caches[] = {"l1i", "l1d", "l2", "tlb2"};
	static const char *const branches[] = {"conditional", "call", "return"};
	r->cache_count = 4;
	for (uint32_t i = 0; i < 4; i++)
		r->caches[i] = rate(caches[i], f);
	r->branch_count = 4;
	for (uint32_t i = 0; i < 3; i++)
		r->branches[i] = rate(branches[i], f);
	r->branches[3] = (struct report_rate_row){"indirect_call", 0, 0, 0, true};
}

static void add_counts(struct run_report *r, struct figures *f)
{
	uint64_t *const counts[] = {
		&r->fetched,	&r->fetched_wrong_path, &r->decode_redirects, &r->violations,	&r->loads,
		&r->stores,	&r->forwarded,		&r->serialising,      &r->memory_reads, &r->memory_writes,
		&r->prefetches, &r->prefetches_used,	&r->prefetches_late};
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
		*counts[i] = figure(f);
}

static void add_functions(struct run_report *r, struct figures *f)
{
	static const char *const names[] = {"first", "second", "+0x123"};
	r->function_count = 3;
	for (uint32_t i = 0; i < 3; i++) {
		struct report_function_row *row = &r->functions[i];
		snprintf(row->name, sizeof row->name, "%s", names[i]);
		snprintf(row->object, sizeof row->object, "object%u", i);
		row->cycles = figure(f);
		row->instructions = figure(f);
	}
}

static void add_spot(struct report_spot *s, const char *place, struct figures *f)
{
	snprintf(s->function, sizeof s->function, "in_%s", place);
	snprintf(s->place, sizeof s->place, "%s.c:%u", place, (unsigned)figure(f));
	s->instances = figure(f);
	s->bad = figure(f);
}

/* The causes of the stack's rows, each with a place. */
static void add_causes(struct run_report *r, struct figures *f)
{
	static const char *const names[] = {"commit", "second", "third", "fourth"};
	r->width = 3;
	r->cause_count = 4;
	for (uint32_t i = 0; i < 4; i++) {
		struct report_cause *c = &r->causes[i];
		*c = (struct report_cause){.name = names[i], .label = names[i], .words = names[i]};
		c->nobodys = i == 0;
		c->cycles = r->stack[i].cycles;
		c->spot.weight = c->cycles / 2;
		add_spot(&c->spot, names[i], f);
		for (uint32_t j = 0; j < r->function_count; j++)
			r->functions[j].causes[i] = figure(f);
	}
	r->branch_spots = r->load_spots = 1;
	add_spot(&r->worst_branches[0], "branch", f);
	add_spot(&r->worst_loads[0], "load", f);
	r->worst_branches[0].weight = r->cycles / 3;
	r->worst_loads[0].weight = r->cycles / 4;
}

static void add_sites(struct run_report *r, struct report_site *s, struct figures *f)
{
	r->sites = s;
	r->site_count = 1;
	r->all_sites = figure(f);
	r->before_main = figure(f);
	s->pc = figure(f);
	snprintf(s->function, sizeof s->function, "function");
	snprintf(s->object, sizeof s->object, "object");
	snprintf(s->line, sizeof s->line, "file.c:9");
	uint64_t *const values[] = {&s->executions, &s->cycles,		&s->stack[0],	&s->stack[3], &s->causes[1],
				    &s->refill,	    &s->mispredictions, &s->l1d_misses, &s->memory};
	for (size_t i = 0; i < sizeof values / sizeof *values; i++)
		*values[i] = figure(f);
}

static void write(const struct run_report *r, const char *text, const char *json)
{
	const struct report_view view = {.width = 80, .verbose = true};
	FILE *out = made_open(text);
	run_report_text(r, &view, out);
	made_close(out);
	made_json(run_report_json(r), json);
}

void made_run(void)
{
	struct figures f = {0};
	struct run_report r = {.version = "9.8.7", .machine = "machine", .program = "program"};
	r.skipped = figure(&f);
	r.warmed = figure(&f);
	r.instructions = figure(&f);
	r.host_seconds = 1.25;
	r.exit_status = 3;
	add_stack(&r, &f);
	add_rates(&r, &f);
	add_counts(&r, &f);
	add_functions(&r, &f);
	add_causes(&r, &f);
	struct report_site site = {0};
	add_sites(&r, &site, &f);
	write(&r, "out.timed.report", "out.timed.json");
	r.cut = "interrupted";
	r.exit_status = -1;
	r.functional = true;
	r.skipped = r.warmed = 0;
	write(&r, "out.functional.report", "out.functional.json");
	r = (struct run_report){
		.version = "9.8.7", .machine = "machine", .program = "program", .instructions = 78, .cycles = 90};
	for (r.parts = 1; r.parts <= 2; r.parts++, r.more++) /* one is none */
		write(&r, r.parts == 1 ? "out.part.report" : "out.parts.report",
		      r.parts == 1 ? "out.part.json" : "out.parts.json");
}
