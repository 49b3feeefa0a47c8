/* CPI stacks: with penalties, and one with a negative base and without top-down slots. */
#include "made.h"
#include "report/stacks/report.h"

static void fill_table(struct stacks_table *t, const char *key, const char *const *rows, uint32_t row_count,
		       const char *const *columns, uint32_t column_count, struct figures *f)
{
	*t = (struct stacks_table){.key = key, .title = "What it is", .unit = 1};
	t->row_count = row_count;
	t->column_count = column_count;
	for (uint32_t i = 0; i < row_count; i++)
		t->rows[i] = (struct stacks_row){.name = rows[i], .meaning = "what the row means"};
	for (uint32_t j = 0; j < column_count; j++) {
		t->columns[j] = (struct stacks_column){.name = columns[j],
						       .label = columns[j],
						       .meaning = j ? NULL : "what the column means",
						       .has_storage = true,
						       .storage_bits = figure(f)};
		for (uint32_t i = 0; i < row_count; i++)
			t->columns[j].amounts[i] = (int64_t)figure(f);
	}
}

static void fill_tables(struct stacks_report *r, struct figures *f)
{
	static const char *const rows[] = {"base", "l1i", "l2d", "bmisp"};
	static const char *const methods[] = {"naive", "power5", "fmt"};
	static const char *const stages[] = {"dispatch", "commit"};
	static const char *const slots[] = {"retiring", "light", "heavy", "bound", "memory"};
	static const char *const topdown[] = {"slots"};
	fill_table(&r->methods, "methods", rows, 4, methods, 3, f);
	fill_table(&r->stages, "stages", rows, 4, stages, 2, f);
	fill_table(&r->slots, "topdown", slots, 5, topdown, 1, f);
	r->stages.unit = 3;
	r->slots.unit = 5;
	r->slots.rows[1].parent = r->slots.rows[2].parent = "retiring";
	r->slots.rows[4].parent = "bound";
	r->has_slots = true;
}

static void fill_facts(struct stacks_report *r, struct figures *f)
{
	static const char *const overlaps[] = {"table1", "front", "unit"};
	static const char *const events[] = {"l1i", "l2d", "bmisp"};
	static const char *const facts[] = {"l1i", "bmisp", "resolve"};
	r->overlap_count = r->event_count = r->fact_count = 3;
	for (uint32_t i = 0; i < 3; i++) {
		r->overlap_rows[i] = (struct stacks_row){.name = overlaps[i], .meaning = "what is contested"};
		r->overlaps[i] = figure(f);
		r->events[i].name = events[i];
		r->events[i].count = figure(f);
		r->facts[i] = (struct stacks_fact){.key = facts[i], .label = "a label", .count = i == 2 ? 1 : 3};
		for (uint32_t j = 0; j < r->facts[i].count; j++) {
			r->facts[i].values[j] = fraction(f);
			r->facts[i].known[j] = i != 1 || j != 1;
		}
	}
}

static void write(const struct stacks_report *r, const char *report, const char *csv, const char *svg, const char *json)
{
	FILE *out = made_open(report);
	stacks_report_text(r, out);
	made_close(out);
	out = made_open(csv);
	stacks_report_csv(r, out);
	made_close(out);
	out = made_open(svg);
	stacks_report_svg(&r, 1, out);
	made_close(out);
	made_json(stacks_report_json(r), json);
}

void made_stacks(void)
{
	struct figures f = {0};
	struct stacks_report r = {.program = "program <a>", .machine = "machine"};
	r.cycles = 3000017;
	r.instructions = 2000003;
	fill_tables(&r, &f);
	fill_facts(&r, &f);
	r.contested = figure(&f);
	r.fmt_rows = 31;
	r.fmt_rows_used = 29;
	r.counter_bits = 17;
	r.fmt_overflowed = figure(&f);
	r.fmt_untracked = figure(&f);
	r.fmt_filled = figure(&f);
	write(&r, "out.whole.report", "out.whole.csv", "out.whole.svg", "out.whole.json");
	r.methods.columns[0].amounts[0] *= -1;
	r.methods.columns[0].amounts[1] *= 40;
	r.has_slots = false;
	write(&r, "out.negative.report", "out.negative.csv", "out.negative.svg", "out.negative.json");
}
