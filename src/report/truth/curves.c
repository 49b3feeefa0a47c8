/* The text of a sweep: speed-up curves as figure 3 of the 2003 paper, the cycles behind them, and whether the
 * interaction costs had told: a serial pair promises that growing the one gains more where the other costs more. */
#include "report/truth/report.h"

#include <inttypes.h>
#include <string.h>

static bool known(const struct truth_curve *c, uint32_t x)
{
	return c->cycles[0] != UINT64_MAX && c->cycles[x] != UINT64_MAX;
}

static int64_t gain(const struct truth_curve *c, uint32_t x)
{
	return (int64_t)c->cycles[0] - (int64_t)c->cycles[x];
}

static const struct truth_value_row *icost_of(const struct truth_report *r, size_t curve, size_t set)
{
	return &r->icosts[curve * (r->icost_count / r->curve_count) + set];
}

static int name_width(const struct truth_report *r)
{
	size_t width = 8;
	for (size_t i = 0; i < r->curve_count; i++)
		if (strlen(r->curves[i].name) > width)
			width = strlen(r->curves[i].name);
	return (int)width;
}

static void print_axis(const struct truth_report *r, int width, FILE *out)
{
	fprintf(out, "  %-*s", width, "");
	for (uint32_t x = 0; x < r->x_count; x++)
		fprintf(out, " %12s", r->x_values[x]);
}

static void print_speedups(const struct truth_report *r, int width, FILE *out)
{
	fprintf(out, "\nSpeed-up in percent from changing %s, against its first value\n", r->x_key);
	print_axis(r, width, out);
	for (size_t i = 0; i < r->curve_count; i++) {
		const struct truth_curve *c = &r->curves[i];
		fprintf(out, "\n  %-*s", width, c->name);
		for (uint32_t x = 0; x < r->x_count; x++)
			if (known(c, x) && c->cycles[x])
				fprintf(out, " %+12.2f", 100 * ((double)c->cycles[0] / (double)c->cycles[x] - 1));
			else
				fprintf(out, " %12s", "-");
	}
	fputc('\n', out);
}

static void print_gains(const struct truth_report *r, int width, FILE *out)
{
	size_t sets = r->icost_count / r->curve_count;
	fprintf(out, "\nCycles gained by it%s\n", sets ? ", and the interaction costs at the first value" : "");
	print_axis(r, width, out);
	for (size_t k = 0; k < sets; k++)
		fprintf(out, " %14s", icost_of(r, 0, k)->name);
	for (size_t i = 0; i < r->curve_count; i++) {
		fprintf(out, "\n  %-*s", width, r->curves[i].name);
		for (uint32_t x = 0; x < r->x_count; x++)
			if (known(&r->curves[i], x))
				fprintf(out, " %12" PRId64, gain(&r->curves[i], x));
			else
				fprintf(out, " %12s", "-");
		for (size_t k = 0; k < sets; k++)
			if (icost_of(r, i, k)->known)
				fprintf(out, " %14" PRId64, icost_of(r, i, k)->cycles);
			else
				fprintf(out, " %14s", "-");
	}
	fputc('\n', out);
}

static void compare_curves(const struct truth_report *r, size_t set, size_t i, size_t j, struct truth_verdict *v)
{
	const struct truth_value_row *a = icost_of(r, i, set), *b = icost_of(r, j, set);
	uint32_t last = r->x_count - 1;
	if (!a->known || !b->known || !known(&r->curves[i], last) || !known(&r->curves[j], last))
		return;
	int64_t x = gain(&r->curves[i], last), y = gain(&r->curves[j], last);
	if (a->cycles == b->cycles || x == y)
		v->ties++;
	else if ((a->cycles < b->cycles) == (x > y))
		v->agree++;
	else
		v->disagree++;
}

struct truth_verdict truth_curves_verdict(const struct truth_report *r, size_t set)
{
	struct truth_verdict v = {0};
	for (size_t i = 0; i < r->curve_count; i++)
		for (size_t j = i + 1; j < r->curve_count; j++)
			compare_curves(r, set, i, j, &v);
	return v;
}

static void print_verdict(const struct truth_report *r, size_t set, FILE *out)
{
	struct truth_verdict v = truth_curves_verdict(r, set);
	uint32_t pairs = v.agree + v.disagree;
	if (!pairs && !v.ties)
		return;
	fprintf(out, "  Of two curves the one whose %s is lower (more serial) gains more: in %u of %u pairs.\n",
		icost_of(r, 0, set)->name, v.agree, pairs);
	if (v.ties)
		fprintf(out, "    %u more pair%s equal in the one or the other, and say%s nothing.\n", v.ties,
			v.ties == 1 ? " is" : "s are", v.ties == 1 ? "s" : "");
}

void truth_curves_text(const struct truth_report *r, FILE *out)
{
	if (!r->x_key)
		return;
	int width = name_width(r);
	print_speedups(r, width, out);
	print_gains(r, width, out);
	for (size_t k = 0; k < r->icost_count / r->curve_count; k++)
		print_verdict(r, k, out);
}
