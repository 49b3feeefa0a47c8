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

/* Values go in blocks of as many as a screen of 80 columns has. */
struct block {
	uint32_t first, end;
	int width; /* of names */
};

enum { VALUE = 13 };

static bool next_block(const struct truth_report *r, struct block *b)
{
	b->width = name_width(r);
	uint32_t most = b->width < 80 - 2 - VALUE ? (uint32_t)(80 - 2 - b->width) / VALUE : 1;
	b->first = b->end;
	b->end = r->x_count - b->first < most ? r->x_count : b->first + most;
	return b->first < b->end;
}

static void print_axis(const struct truth_report *r, const struct block *b, FILE *out)
{
	fprintf(out, "  %-*s", b->width, "");
	for (uint32_t x = b->first; x < b->end; x++)
		fprintf(out, " %12s", r->x_values[x]);
	fputc('\n', out);
}

static void print_speedup(const struct truth_curve *c, uint32_t x, FILE *out)
{
	if (known(c, x) && c->cycles[x])
		fprintf(out, " %+12.2f", 100 * ((double)c->cycles[0] / (double)c->cycles[x] - 1));
	else
		fprintf(out, " %12s", "-");
}

static void print_gain(const struct truth_curve *c, uint32_t x, FILE *out)
{
	if (known(c, x))
		fprintf(out, " %12" PRId64, gain(c, x));
	else
		fprintf(out, " %12s", "-");
}

static void print_table(const struct truth_report *r, void (*print)(const struct truth_curve *c, uint32_t x, FILE *out),
			FILE *out)
{
	for (struct block b = {0}; next_block(r, &b);) {
		print_axis(r, &b, out);
		for (size_t i = 0; i < r->curve_count; i++) {
			fprintf(out, "  %-*s", b.width, r->curves[i].name);
			for (uint32_t x = b.first; x < b.end; x++)
				print(&r->curves[i], x, out);
			fputc('\n', out);
		}
	}
}

static void print_icosts(const struct truth_report *r, FILE *out)
{
	size_t sets = r->icost_count / r->curve_count;
	int width = name_width(r);
	for (size_t k = 0; k < sets; k++) {
		fprintf(out, "\nInteraction cost of %s at the first value, cycles\n", icost_of(r, 0, k)->name);
		for (size_t i = 0; i < r->curve_count; i++)
			if (icost_of(r, i, k)->known)
				fprintf(out, "  %-*s %12" PRId64 "\n", width, r->curves[i].name,
					icost_of(r, i, k)->cycles);
			else
				fprintf(out, "  %-*s %12s\n", width, r->curves[i].name, "-");
	}
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
	if (!pairs) {
		if (v.ties)
			fprintf(out, "  No two curves differ both in %s and in what they gain.\n",
				icost_of(r, 0, set)->name);
		return;
	}
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
	fprintf(out, "\nSpeed-up in percent from changing %s, against its first value\n", r->x_key);
	print_table(r, print_speedup, out);
	fprintf(out, "\nCycles gained by it\n");
	print_table(r, print_gain, out);
	print_icosts(r, out);
	for (size_t k = 0; k < r->icost_count / r->curve_count; k++)
		print_verdict(r, k, out);
}
