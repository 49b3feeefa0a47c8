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

/* --- stacks: all of a method against one reference, side by side --- */

static size_t stacks_end(const struct truth_report *r, size_t first)
{
	const struct truth_score *s = &r->scores[first];
	size_t end = first + 1;
	while (end < r->score_count && !strcmp(r->scores[end].method, s->method) &&
	       !strcmp(r->scores[end].against, s->against))
		end++;
	return end;
}

static void print_component(const struct truth_score *s, size_t count, size_t row, FILE *out)
{
	fprintf(out, "  %-9s %9.2f", s->rows[row].name, s->rows[row].truth_percent);
	for (size_t i = 0; i < count; i++)
		if (s[i].counted)
			fprintf(out, " %+8.2f", points(&s[i].rows[row]));
	fputc('\n', out);
}

static void print_stacks(const struct truth_score *s, size_t count, FILE *out)
{
	fprintf(out, "\nScore of %s against %s: points by which each component is off\n", s->method,
		strcmp(s->against, "reference") ? "the reference stack, inverse order" : "the reference stack");
	fprintf(out, "  %-9s %9s", "", "reference");
	for (size_t i = 0; i < count; i++)
		if (s[i].counted)
			fprintf(out, " %8s", s[i].label);
	fputc('\n', out);
	for (size_t row = 0; row < s->count; row++)
		print_component(s, count, row, out);
	fprintf(out, "  %-9s %9s", "mean", "");
	for (size_t i = 0; i < count; i++)
		if (s[i].counted)
			fprintf(out, " %8.2f", s[i].mean);
	fprintf(out, "\n  %-9s %9s", "worst", "");
	for (size_t i = 0; i < count; i++)
		if (s[i].counted)
			fprintf(out, " %8.2f", fabs(points(&s[i].rows[s[i].worst])));
	fprintf(out, "\n  %-9s %9s", "  of", "");
	for (size_t i = 0; i < count; i++)
		if (s[i].counted)
			fprintf(out, " %8s", s[i].rows[s[i].worst].name);
	fputc('\n', out);
}

void truth_scores_text(const struct truth_report *r, FILE *out)
{
	for (size_t i = 0, end; i < r->score_count; i = end) {
		const struct truth_score *s = &r->scores[i];
		end = s->variant ? stacks_end(r, i) : i + 1;
		if (s->variant)
			print_stacks(s, end - i, out);
		else
			print_costs(s, out);
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
