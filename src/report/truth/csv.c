/* The report of `culprit truth` as CSV, one figure a line: section,at,name,cycles,percent,word,points. */
#include "report/truth/report.h"

#include <inttypes.h>

static double percent(int64_t cycles, uint64_t base)
{
	return base ? 100 * (double)cycles / (double)base : 0;
}

static void line(FILE *out, const char *section, const char *at, const char *name, int64_t cycles, uint64_t base,
		 const char *word)
{
	fprintf(out, "%s,\"%s\",%s,%" PRId64 ",%.4f,%s,\n", section, at, name, cycles, percent(cycles, base), word);
}

static void values(const struct truth_value_row *rows, size_t count, const char *section, FILE *out)
{
	for (size_t i = 0; i < count; i++)
		if (rows[i].known)
			line(out, section, rows[i].point, rows[i].name, rows[i].cycles, rows[i].base,
			     rows[i].word ? rows[i].word : "");
}

static void curves(const struct truth_report *r, FILE *out)
{
	for (size_t i = 0; i < r->curve_count; i++)
		for (uint32_t x = 0; x < r->x_count; x++) {
			const struct truth_curve *c = &r->curves[i];
			if (c->cycles[x] != UINT64_MAX)
				line(out, "sweep", c->name, r->x_values[x], (int64_t)c->cycles[x], c->cycles[0], "");
		}
}

/* `at`: the method, its variant and what it is compared with; cycles and percent are the method's, points are what it
 * says more than the truth. */
static void score(const struct truth_score *s, FILE *out)
{
	char at[100];
	snprintf(at, sizeof at, "%s%s%s %s", s->method, s->variant ? " " : "", s->variant ? s->variant : "",
		 s->against);
	line(out, "score", at, "base", (int64_t)s->method_base, s->method_base, "");
	for (size_t i = 0; i < s->count; i++) {
		const struct truth_score_row *row = &s->rows[i];
		fprintf(out, "score,\"%s\",%s,%" PRId64 ",%.4f,,%+.4f\n", at, row->name, row->method,
			percent(row->method, s->method_base), row->method_percent - row->truth_percent);
	}
}

static void varied(const struct truth_report *r, FILE *out)
{
	for (size_t i = 0; i < r->varied_count; i++) {
		fprintf(out, "# varied: %s =", r->varied[i].key);
		for (uint32_t k = 0; k < r->varied[i].count; k++)
			fprintf(out, "%s %s", k ? "," : "", r->varied[i].values[k]);
		fputc('\n', out);
	}
}

void truth_report_csv(const struct truth_report *r, FILE *out)
{
	fprintf(out,
		"# culprit %s; machine %s; program %s; region: %" PRIu64 " skipped, %" PRIu64 " warmed up, %" PRIu64
		" instructions\n",
		r->version, r->machine, r->program, r->skipped, r->warmed, r->instructions);
	varied(r, out);
	fprintf(out, "section,at,name,cycles,percent,word,points\n");
	if (!r->cycles)
		return;
	if (!r->x_key)
		line(out, "base", "", "base", (int64_t)r->cycles, r->cycles, "");
	values(r->costs, r->cost_count, "cost", out);
	values(r->icosts, r->icost_count, "icost", out);
	if (r->has_other)
		line(out, "other", "", "other", r->other, r->cycles, "");
	for (uint32_t i = 0; i < r->stack_count; i++)
		for (uint32_t k = 0; r->stacks[i].known && k < r->stacks[i].count; k++)
			line(out, r->stacks[i].key, "", r->stacks[i].rows[k].name, r->stacks[i].rows[k].cycles,
			     r->cycles, "");
	for (size_t i = 0; i < r->score_count; i++)
		score(&r->scores[i], out);
	curves(r, out);
}
