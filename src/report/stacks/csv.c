/* CPI stacks as CSV, one figure a line: section,column,row,amount,percent. `amount` is in cycles, in slots for the
 * sections `stages` and `topdown`, and in events for `events`; of `penalties` it is cycles for each event. */
#include "report/format.h"
#include "report/stacks/report.h"

#include <inttypes.h>

static void table(const struct stacks_report *r, const struct stacks_table *t, FILE *out)
{
	for (uint32_t i = 0; i < t->column_count; i++)
		for (uint32_t j = 0; j < t->row_count; j++) {
			int64_t amount = t->columns[i].amounts[j];
			double all = (double)r->cycles * (double)t->unit;
			fprintf(out, "%s,%s,%s,%" PRId64 ",%.4f\n", t->key, t->columns[i].name, t->rows[j].name, amount,
				100 * format_ratio((double)amount, all));
		}
}

static void overlap(const struct stacks_report *r, const char *name, uint64_t cycles, FILE *out)
{
	fprintf(out, "overlaps,,%s,%" PRIu64 ",%.4f\n", name, cycles,
		100 * format_ratio((double)cycles, (double)r->cycles));
}

/* Of one value: not by architecture. Unknown ones (no event) are left out. */
static void fact(const struct stacks_report *r, const struct stacks_fact *f, FILE *out)
{
	for (uint32_t i = 0; i < f->count; i++)
		if (f->known[i])
			fprintf(out, "penalties,%s,%s,%.4f,\n", f->count == 1 ? "" : r->methods.columns[i].name, f->key,
				f->values[i]);
}

void stacks_report_csv(const struct stacks_report *r, FILE *out)
{
	fprintf(out, "# machine %s; program %s; instructions %" PRIu64 "; cycles %" PRIu64 "\n", r->machine, r->program,
		r->instructions, r->cycles);
	fprintf(out, "section,column,row,amount,percent\n");
	table(r, &r->methods, out);
	table(r, &r->stages, out);
	if (r->has_slots)
		table(r, &r->slots, out);
	overlap(r, "contested", r->contested, out);
	for (uint32_t i = 0; i < r->overlap_count; i++)
		overlap(r, r->overlap_rows[i].name, r->overlaps[i], out);
	for (uint32_t i = 0; i < r->event_count; i++)
		fprintf(out, "events,,%s,%" PRIu64 ",\n", r->events[i].name, r->events[i].count);
	for (uint32_t i = 0; i < r->fact_count; i++)
		fact(r, &r->facts[i], out);
}
