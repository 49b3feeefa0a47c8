/* The report of `culprit truth`: whole, with scores; a sweep; and one in which simulations failed. */
#include "made.h"
#include "report/truth/report.h"

#include <string.h>

enum { CURVES = 3, POINTS = 4, COMPONENTS = 3 };

/* What the reports point to. */
struct tables {
	struct truth_run_row runs[4];
	struct truth_value_row costs[2], icosts[2 * CURVES];
	struct truth_score_row rows[4][COMPONENTS];
	struct truth_score scores[4];
	struct truth_curve curves[CURVES];
	uint64_t cycles[CURVES][POINTS];
};

static struct truth_value_row value(const char *point, const char *name, int64_t cycles, const char *word)
{
	struct truth_value_row v = {.known = true, .cycles = cycles, .word = word, .meaning = "what it means"};
	snprintf(v.point, sizeof v.point, "%s", point);
	snprintf(v.name, sizeof v.name, "%s", name);
	return v;
}

static void head(struct truth_report *r, struct figures *f)
{
	*r = (struct truth_report){.version = "9.8.7", .machine = "machine", .program = "program"};
	r->skipped = figure(f);
	r->warmed = figure(f);
	r->instructions = figure(f);
	r->cycles = figure(f);
	r->exit_status = 4;
	r->host_seconds = 2.5;
	r->at_once = 6;
}

static void add_runs(struct truth_report *r, struct tables *t, struct figures *f)
{
	static const char *const names[] = {"base", "dl1", "win", "dl1+win"};
	r->run_count = 4;
	r->runs = t->runs;
	for (size_t i = 0; i < 4; i++) {
		t->runs[i] = (struct truth_run_row){.cycles = figure(f)};
		snprintf(t->runs[i].name, sizeof t->runs[i].name, "%s", names[i]);
	}
}

static void add_values(struct truth_report *r, struct tables *t, struct figures *f)
{
	r->costs = t->costs;
	r->cost_count = 2;
	t->costs[0] = value("", "dl1", (int64_t)figure(f), NULL);
	t->costs[1] = value("", "win", (int64_t)figure(f), NULL);
	r->icosts = t->icosts;
	r->icost_count = 2;
	t->icosts[0] = value("", "dl1+win", -(int64_t)figure(f), "serial");
	t->icosts[1] = value("", "dl1+bmisp", (int64_t)figure(f), "parallel");
	for (size_t i = 0; i < 2; i++) /* a base of its own each: it is what percent is of */
		t->costs[i].base = t->icosts[i].base = 10 * figure(f);
	r->has_other = true;
	r->other = -(int64_t)figure(f);
	r->full = r->identity_known = true;
	r->identity_sum = (int64_t)figure(f);
	r->identity_remainder = figure(f);
}

static void add_stacks(struct truth_report *r, struct figures *f)
{
	static const char *const names[] = {"base", "l1d", "bmisp"};
	static const char *const keys[] = {"reference", "reference_inverse"};
	r->stack_count = 2;
	for (uint32_t s = 0; s < 2; s++) {
		struct truth_stack_table *t = &r->stacks[s];
		*t = (struct truth_stack_table){keys[s], s ? "Second title" : "First title", true, 3, {{0}}};
		for (uint32_t i = 0; i < 3; i++)
			t->rows[i] = (struct truth_stack_row){names[i], "of a component", (int64_t)figure(f)};
	}
	r->stacks[2] = r->stacks[0]; /* beyond the count: never printed */
	r->stacks[2].key = "beyond";
}

static void add_score(struct tables *t, size_t i, struct figures *f)
{
	static const char *const names[] = {"base", "l1d", "bmisp"};
	struct truth_score *s = &t->scores[i];
	s->truth_base = figure(f);
	s->method_base = figure(f);
	if (!s->variant)
		s->base = (struct graph_base){.method = (double)s->method_base, .simulated = (double)s->truth_base};
	s->count = COMPONENTS;
	s->counted = 2;
	s->singles = 1;
	s->rows = t->rows[i];
	for (size_t k = 0; k < COMPONENTS; k++) {
		struct truth_score_row *row = &s->rows[k];
		*row = (struct truth_score_row){.size = 1, .counted = k > 0};
		snprintf(row->name, sizeof row->name, "%s", names[k]);
		row->truth = (int64_t)figure(f);
		row->method = (int64_t)figure(f);
		row->truth_percent = fraction(f) / 10;
		row->method_percent = fraction(f) / 10;
	}
	s->mean = fraction(f) / 100;
	s->mean_singles = fraction(f) / 100;
	s->worst = 1 + i % 2;
	s->relative = fraction(f) / 100;
	s->relative_count = 5 + i;
}

static void add_scores(struct truth_report *r, struct tables *t, struct figures *f)
{
	static const struct truth_score heads[] = {
		{.method = "graph", .label = "the graph", .against = "costs"},
		{.method = "stacks", .variant = "naive", .label = "naive", .against = "reference"},
		{.method = "stacks", .variant = "fmt", .label = "FMT", .against = "reference"},
		{.method = "stacks", .variant = "naive", .label = "naive", .against = "reference_inverse"},
	};
	r->scores = t->scores;
	r->score_count = 4;
	for (size_t i = 0; i < 4; i++) {
		t->scores[i] = heads[i];
		add_score(t, i, f);
	}
}

static void add_sweep(struct truth_report *r, struct tables *t, char *const *axis, struct figures *f)
{
	static const char *const names[] = {"window.rob=32", "window.rob=64", "window.rob=96"};
	static char *sizes[] = {"32", "64", "96"};
	r->varied_count = 2;
	r->varied[0] = (struct truth_varied){"window.rob", 3, sizes};
	r->varied[1] = (struct truth_varied){"l1d.latency", POINTS, axis};
	r->x_key = "l1d.latency";
	r->x_count = POINTS;
	r->x_values = axis;
	r->curve_count = CURVES;
	r->curves = t->curves;
	r->icosts = t->icosts;
	r->icost_count = 2 * CURVES;
	for (size_t i = 0; i < CURVES; i++) {
		snprintf(t->curves[i].name, sizeof t->curves[i].name, "%s", names[i]);
		t->curves[i].cycles = t->cycles[i];
		for (size_t x = 0; x < POINTS; x++)
			t->cycles[i][x] = figure(f);
		t->icosts[2 * i] = value(names[i], "dl1+win", -(int64_t)figure(f), "serial");
		t->icosts[2 * i + 1] = value(names[i], "dl1+bw", (int64_t)figure(f), "parallel");
		t->icosts[2 * i].base = t->icosts[2 * i + 1].base = 10 * figure(f);
	}
	t->cycles[1][1] = UINT64_MAX;
}

/* Two curves as serial as one another, two that gain as much, and a cost that nobody knows. */
static void make_ties(struct tables *t)
{
	t->icosts[2].cycles = t->icosts[0].cycles;
	for (size_t x = 0; x < POINTS; x++)
		t->cycles[2][x] = t->cycles[0][x];
	t->icosts[3].known = false;
}

static void fail_some(struct truth_report *r)
{
	r->cut = "interrupted";
	r->failed = 1;
	r->runs[2].failure = "killed by signal 9";
	snprintf(r->runs[2].point, sizeof r->runs[2].point, "at a point");
	r->costs[1].known = false;
	r->identity_known = false;
	r->stacks[1].known = false;
	r->exit_status = -1;
	r->scores++; /* stacks alone */
	r->score_count--;
}

static void write(const struct truth_report *r, const char *name)
{
	char path[64];
	snprintf(path, sizeof path, "out.%s.report", name);
	FILE *out = made_open(path);
	truth_report_text(r, out);
	made_close(out);
	snprintf(path, sizeof path, "out.%s.csv", name);
	out = made_open(path);
	truth_report_csv(r, out);
	made_close(out);
	snprintf(path, sizeof path, "out.%s.json", name);
	made_json(truth_report_json(r), path);
}

void made_truth(void)
{
	struct figures f = {0};
	struct tables t = {0};
	struct truth_report r;
	char one[] = "1", two[] = "2", three[] = "3", four[] = "4";
	char *const axis[POINTS] = {one, two, three, four};
	head(&r, &f);
	add_runs(&r, &t, &f);
	add_values(&r, &t, &f);
	add_stacks(&r, &f);
	add_scores(&r, &t, &f);
	write(&r, "whole");
	fail_some(&r);
	write(&r, "failed");
	head(&r, &f);
	add_sweep(&r, &t, axis, &f);
	write(&r, "sweep");
	FILE *out = made_open("out.svg");
	truth_curves_svg(&r, out);
	made_close(out);
	make_ties(&t);
	write(&r, "ties");
}
