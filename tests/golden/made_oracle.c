/* The oracle's profile, and profilers against it. */
#include "made.h"
#include "report/oracle/report.h"
#include "report/profilers/report.h"

#include <string.h>

enum { ENTRIES = 3, SETS = 4 };

/* --- the oracle --- */

static void fill_entry(struct oracle_entry *e, struct oracle_set *sets, size_t number, struct figures *f)
{
	static const uint16_t events[ENTRIES][SETS] = {{0xc0, 0x1c0, 0, 1}, {8, 0, 3, 0x10}, {0, 4, 0x20, 0x1ff}};
	e->pc = 0x10000 + figure(f);
	e->executions = figure(f);
	e->sets = sets;
	e->set_count = SETS - number;
	e->parts = 0;
	for (size_t i = 0; i < e->set_count; i++) {
		sets[i] = (struct oracle_set){figure(f) * 100003, events[number][i]};
		e->parts += sets[i].parts;
	}
	uint64_t left = e->parts;
	for (unsigned i = 0; i + 1 < ORACLE_REPORT_CASES; i++)
		left -= e->by_case[i] = e->parts / (3 + 2 * i + number);
	e->by_case[ORACLE_REPORT_CASES - 1] = left;
}

static struct oracle_table table(struct oracle_entry entries[ENTRIES], struct oracle_set sets[ENTRIES][SETS],
				 const char *const names[ENTRIES], struct figures *f)
{
	memset(entries, 0, ENTRIES * sizeof *entries);
	for (size_t i = 0; i < ENTRIES; i++) {
		fill_entry(&entries[i], sets[i], i, f);
		snprintf(entries[i].name, sizeof entries[i].name, "%s", names[i]);
		snprintf(entries[i].where, sizeof entries[i].where, "where of %zu+0x%zx", i, i + 16);
		snprintf(entries[i].line, sizeof entries[i].line, "%s", i ? "a_long_file_name.c:4711" : "");
	}
	return (struct oracle_table){entries, ENTRIES, 2 * ENTRIES, NULL};
}

static void name_all(struct oracle_report *r)
{
	static const char *const cases[] = {"computing", "stalled", "flushed", "drained"};
	static const char *const events[] = {"l1i",	  "itlb", "stores", "mispredict", "serialise",
					     "violation", "l1d",  "memory", "dtlb"};
	for (unsigned i = 0; i < ORACLE_REPORT_CASES; i++) {
		r->cases[i].name = r->cases[i].meaning = cases[i];
		r->cases[i].parts = r->whole.entries->by_case[i];
	}
	for (unsigned i = 0; i < ORACLE_REPORT_EVENTS; i++)
		r->events[i].name = r->events[i].meaning = events[i];
}

void made_oracle(void)
{
	static const char *const functions[ENTRIES] = {"chase", "a_function_of_a_long_name", "+0x40"};
	static const char *const lines[ENTRIES] = {"a.c:1", "b.c:2", "c.c:3"};
	static const char *const texts[ENTRIES] = {"ld a0,0(a1)", "fadd.d fa0,fa0,fa1", "ret"};
	struct figures f = {0};
	struct oracle_entry entries[4][ENTRIES];
	struct oracle_set sets[4][ENTRIES][SETS];
	struct oracle_report r = {.cycles = figure(&f) * 3, .end = figure(&f), .rows = ENTRIES - 1};
	r.functions = table(entries[0], sets[0], functions, &f);
	r.lines = table(entries[1], sets[1], lines, &f);
	r.instructions = table(entries[2], sets[2], texts, &f);
	r.whole = table(entries[3], sets[3], texts, &f);
	r.whole.count = 1;
	name_all(&r);
	FILE *out = made_open("out.report");
	oracle_text(&r, out);
	made_close(out);
	made_json(oracle_json(&r), "out.json");
}

/* --- profilers --- */

static void fill_row(struct profilers_report_row *row, const char *name, struct figures *f)
{
	row->name = row->label = row->whom = name;
	row->published = fraction(f) / 10;
	row->samples = fraction(f) * 31;
	row->lost = fraction(f);
	for (unsigned i = 0; i < PROFILERS_REPORT_LEVELS; i++) {
		row->all[i] = fraction(f) / 11;
		row->mean[i] = fraction(f) / 12;
		row->half[i] = fraction(f) / 100;
	}
}

void made_profilers(void)
{
	static const char *const names[ENTRIES] = {"first", "second", "third"};
	static const char *const levels[PROFILERS_REPORT_LEVELS] = {"events", "instruction", "block", "function"};
	struct figures f = {0};
	struct profilers_report r = {.cycles = figure(&f),
				     .period = figure(&f),
				     .skid = figure(&f),
				     .seed = figure(&f),
				     .series = 5,
				     .count = ENTRIES};
	for (unsigned i = 0; i < PROFILERS_REPORT_LEVELS; i++) {
		r.levels[i].name = levels[i];
		r.levels[i].symbols = figure(&f);
	}
	for (unsigned i = 0; i < ENTRIES; i++)
		fill_row(&r.rows[i], names[i], &f);
	r.rows[1].lost = r.rows[1].published = 0;
	r.rows[2].all[0] = r.rows[2].mean[0] = r.rows[2].half[0] = -1; /* says nothing of that level */
	FILE *out = made_open("out.report");
	profilers_text(&r, out);
	made_close(out);
	made_json(profilers_json(&r), "out.json");
}
