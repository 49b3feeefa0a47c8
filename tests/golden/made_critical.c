/* The critical path. Every kind of edge has its cycles. */
#include "made.h"
#include "report/critical/report.h"

#include <string.h>

enum { ENTRIES = 3, STEPS = 4 };

static void fill_row(struct culprit_critical_row *row, struct figures *f)
{
	uint64_t *const counts[] = {&row->executions, &row->visits, &row->calls, &row->watched,	   &row->watched_path,
				    &row->tied,	      &row->cost,   &row->saved, &row->zero_slack, &row->slack_sum};
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
		*counts[i] = figure(f);
	row->pc = 0x10000 + figure(f);
	row->slack_min = (uint32_t)figure(f);
	row->path = 0;
	for (unsigned k = 0; k < CULPRIT_CRITICAL_KINDS; k++)
		row->path += row->cycles[k] = figure(f);
}

static void fill_entry(struct critical_entry *e, const char *name, struct figures *f)
{
	snprintf(e->name, sizeof e->name, "%s", name);
	snprintf(e->where, sizeof e->where, "where of %s", name);
	snprintf(e->line, sizeof e->line, "%s.c:7", name);
	fill_row(&e->sum, f);
	e->tied = fraction(f) * 1000;
	e->cost = fraction(f) * 1000;
	e->saved = fraction(f) * 1000;
}

static struct critical_table table(struct critical_entry entries[ENTRIES], const char *const names[ENTRIES],
				   struct figures *f)
{
	memset(entries, 0, ENTRIES * sizeof *entries);
	for (size_t i = 0; i < ENTRIES; i++)
		fill_entry(&entries[i], names[i], f);
	entries[ENTRIES - 1].sum.watched = 0; /* not seen in any window */
	entries[ENTRIES - 1].line[0] = '\0';
	return (struct critical_table){entries, ENTRIES, 2 * ENTRIES};
}

static void fill_totals(struct critical_report *r, struct figures *f)
{
	struct culprit_critical_totals *t = &r->totals;
	for (unsigned k = 0; k < CULPRIT_CRITICAL_KINDS; k++) {
		t->cycles += t->by_kind[k] = figure(f);
		t->hops[k] = k % 3 ? figure(f) : 0;
	}
	t->seam_cycles = (int64_t)figure(f);
	t->cycles += (uint64_t)t->seam_cycles;
	uint64_t *const counts[] = {&t->instructions, &t->visits,     &t->watched,   &t->watched_path, &t->tied,
				    &t->cost,	      &t->zero_slack, &t->slack_sum, &t->seams,	       &t->seams_off};
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
		*counts[i] = figure(f);
	r->base = (struct graph_base){.method = (double)t->cycles,
				      .simulated = (double)(figure(f) * 17),
				      .gaps = {"a.key: not modelled", "b.key: nor this"},
				      .gap_count = 2};
	r->tied = fraction(f) * 1000;
}

static void fill_loop(struct critical_report *r, struct critical_entry chain[STEPS], struct figures *f)
{
	static const char *const names[STEPS] = {"ld a0,0(a1)", "add a0,a0,a2", "mv a3,a0", "bnez a4,-8"};
	struct culprit_critical_loop *l = &r->loop;
	r->has_loop = true;
	r->chain = chain;
	l->first = 0x10100;
	l->end = 0x10200;
	l->iterations = figure(f);
	l->cycles = figure(f);
	l->chain_cycles = figure(f);
	l->steps = STEPS;
	for (size_t i = 0; i < STEPS; i++) {
		fill_entry(&chain[i], names[i], f);
		l->chain[i] = (struct culprit_critical_step){i, (enum culprit_critical_kind)(3 * i + 2), figure(f)};
	}
	chain[1].sum.path = 3; /* too little to be printed: the path only passes */
	memset(&r->loop_place, 0, sizeof r->loop_place);
	fill_entry(&r->loop_place, "first of the loop", f);
}

void made_critical(void)
{
	static const char *const functions[ENTRIES] = {"chase", "sweep", "+0x40"};
	static const char *const lines[ENTRIES] = {"a.c:1", "b.c:2", "c.c:3"};
	static const char *const texts[ENTRIES] = {"ld a0,0(a1)", "fadd.d fa0,fa0,fa1", "ret"};
	struct figures f = {0};
	struct critical_entry entries[3][ENTRIES], chain[STEPS];
	struct critical_report r = {.has_loop = false};
	memset(chain, 0, sizeof chain);
	fill_totals(&r, &f);
	r.functions = table(entries[0], functions, &f);
	r.lines = table(entries[1], lines, &f);
	r.instructions = table(entries[2], texts, &f);
	fill_loop(&r, chain, &f);
	FILE *out = made_open("out.report");
	critical_text(&r, out);
	made_close(out);
	made_json(critical_json(&r), "out.json");
}
