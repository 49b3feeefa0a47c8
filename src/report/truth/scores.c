/* The scoreboard of `culprit truth`, as text and JSON: a table of every cost for a method that finds costs, one line
 * for each stack of a method that makes stacks. */
#include "report/format.h"
#include "report/truth/report.h"

#include <math.h>
#include <string.h>

static double points(const struct truth_score_row *row)
{
	return row->method_percent - row->truth_percent;
}

/* --- text --- */

static void print_costs(const struct truth_score *s, FILE *out)
{
	int width = 12;
	for (size_t i = 0; i < s->count; i++)
		if ((int)strlen(s->rows[i].name) > width)
			width = (int)strlen(s->rows[i].name);
	fprintf(out, "\nScore of %s: %% of the time by re-simulation and by %s, and the difference in points\n",
		s->label, s->label);
	graph_base_text(&s->base, out);
	for (size_t i = 0; i < s->count; i++)
		fprintf(out, "  %-*s %8.2f %8.2f %+8.2f\n", width, s->rows[i].name, s->rows[i].truth_percent,
			s->rows[i].method_percent, points(&s->rows[i]));
	fprintf(out, "  base time: %+.3f %%\n",
		100 * (format_ratio((double)s->method_base, (double)s->truth_base) - 1));
	if (!s->counted)
		return;
	const struct truth_score_row *worst = &s->rows[s->worst];
	fprintf(out, "  mean error %.2f points over %zu rows, %.2f over the %zu costs; worst %s: %+.2f\n", s->mean,
		s->counted, s->mean_singles, s->singles, worst->name, points(worst));
	if (s->relative_count)
		fprintf(out,
			"  costs of 5 %% of the time and more are off by %.1f %% of themselves on average (%zu "
			"costs)\n",
			s->relative, s->relative_count);
}

/* The first of several stacks against the same reference opens the table. */
static bool opens(const struct truth_report *r, size_t i)
{
	const struct truth_score *s = &r->scores[i], *before = s - 1;
	return !i || strcmp(s->method, before->method) || strcmp(s->against, before->against);
}

static void print_stack_head(const struct truth_score *s, FILE *out)
{
	fprintf(out, "\nScore of %s against %s: the largest error of a component, and by how many points each is off\n",
		s->method,
		strcmp(s->against, "reference") ? "the reference stack, inverse order" : "the reference stack");
	fprintf(out, "  %-10s %14s %6s", "", "worst", "mean");
	for (size_t i = 0; i < s->count; i++)
		fprintf(out, " %7s", s->rows[i].name);
	fprintf(out, "\n  %-10s %14s %6s", "reference", "", "");
	for (size_t i = 0; i < s->count; i++)
		fprintf(out, " %7.2f", s->rows[i].truth_percent);
	fputc('\n', out);
}

static void print_stack(const struct truth_score *s, FILE *out)
{
	const struct truth_score_row *worst = &s->rows[s->worst];
	fprintf(out, "  %-10s %6.2f %-7s %6.2f", s->label, fabs(points(worst)), worst->name, s->mean);
	for (size_t i = 0; i < s->count; i++)
		fprintf(out, " %+7.2f", points(&s->rows[i]));
	fputc('\n', out);
}

void truth_scores_text(const struct truth_report *r, FILE *out)
{
	for (size_t i = 0; i < r->score_count; i++) {
		const struct truth_score *s = &r->scores[i];
		if (!s->variant) {
			print_costs(s, out);
			continue;
		}
		if (opens(r, i))
			print_stack_head(s, out);
		if (s->counted)
			print_stack(s, out);
	}
}

/* --- JSON --- */

static json_t *rows_json(const struct truth_score *s)
{
	json_t *rows = json_array();
	for (size_t i = 0; i < s->count; i++) {
		const struct truth_score_row *row = &s->rows[i];
		json_array_append_new(rows,
				      json_pack("{s:s, s:I, s:I, s:f, s:f, s:f, s:b}", "name", row->name, "truth",
						(json_int_t)row->truth, "method", (json_int_t)row->method,
						"truth_percent", row->truth_percent, "method_percent",
						row->method_percent, "points", points(row), "counted", row->counted));
	}
	return rows;
}

static json_t *or_null(size_t count, double value)
{
	return count ? json_real(value) : json_null();
}

static json_t *score_json(const struct truth_score *s)
{
	json_t *o = json_object();
	json_object_set_new(o, "method", json_string(s->method));
	json_object_set_new(o, "variant", s->variant ? json_string(s->variant) : json_null());
	json_object_set_new(o, "against", json_string(s->against));
	json_object_set_new(o, "truth_base", format_integer(s->truth_base));
	json_object_set_new(o, "method_base", format_integer(s->method_base));
	json_object_set_new(o, "base", s->base.simulated > 0 ? graph_base_json(&s->base) : json_null());
	json_object_set_new(o, "rows", rows_json(s));
	json_object_set_new(o, "mean", or_null(s->counted, s->mean));
	json_object_set_new(o, "mean_singles", or_null(s->singles, s->mean_singles));
	json_object_set_new(o, "relative", or_null(s->relative_count, s->relative));
	json_object_set_new(o, "worst", s->counted ? json_string(s->rows[s->worst].name) : json_null());
	json_object_set_new(o, "worst_points", s->counted ? json_real(points(&s->rows[s->worst])) : json_null());
	return o;
}

json_t *truth_scores_json(const struct truth_report *r)
{
	json_t *scores = json_array();
	for (size_t i = 0; i < r->score_count; i++)
		json_array_append_new(scores, score_json(&r->scores[i]));
	return scores;
}
