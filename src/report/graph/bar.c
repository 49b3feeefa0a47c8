/* Figure 1b of the 2003 paper in a terminal: one column; a line of text is a fixed step of percent. A term is drawn on
 * the lines whose middle it covers and named where it begins; terms that cover none are in the table only. */
#include "report/graph/report.h"

#include <math.h>
#include <string.h>

enum { STEP = 5, BAR_LEAST = 8, BAR_MOST = 24 };

static void repeat(FILE *out, const char *text, unsigned times)
{
	while (times--)
		fputs(text, out);
}

/* Terms on one side of the axis, from the axis outward. */
struct pile {
	const struct graph_row *term[GRAPH_ROWS_MAX];
	size_t count;
	double height;
};

static struct pile pile_up(const struct graph_row *rows, size_t n, double sign)
{
	struct pile p = {.count = 0};
	for (size_t i = 0; i < n; i++) {
		if (!(rows[i].percent * sign > 0)) /* nor what is not known */
			continue;
		p.term[p.count++] = &rows[i];
		p.height += rows[i].percent * sign;
	}
	return p;
}

/* The number of the term that is `height` percent from the axis; p->count beyond the last. */
static size_t term_at(const struct pile *p, double height)
{
	double top = 0;
	for (size_t i = 0; i < p->count; i++) {
		top += fabs(p->term[i]->percent);
		if (height < top)
			return i;
	}
	return p->count;
}

static void print_line(const struct pile *p, double height, double before, unsigned width, FILE *out)
{
	static const char *const fills[] = {"█", "▒", "▓", "░"};
	size_t i = term_at(p, height);
	bool named = i < p->count && (before < 0 || i != term_at(p, before));
	repeat(out, i < p->count ? fills[i % 4] : " ", width);
	if (named)
		fprintf(out, " %s %.1f", p->term[i]->label, p->term[i]->percent);
	fputc('\n', out);
}

void graph_bar(const struct graph_report *r, FILE *out)
{
	struct graph_row rows[GRAPH_ROWS_MAX];
	size_t n = graph_rows(r, rows);
	struct pile above = pile_up(rows, n, 1), below = pile_up(rows, n, -1);
	unsigned width = r->width / 4 < BAR_LEAST ? BAR_LEAST : r->width / 4 > BAR_MOST ? BAR_MOST : r->width / 4;
	int top = (int)ceil((above.height > 100 ? above.height : 100) / STEP);
	for (int line = top; line > 0; line--) {
		double height = (line - 0.5) * STEP;
		if (line * STEP == 100)
			fprintf(out, "  100%% ┤");
		else
			fprintf(out, "       │");
		print_line(&above, height, height - STEP, width, out);
	}
	fputs("    0% ┼", out);
	repeat(out, "─", width);
	fputc('\n', out);
	for (int line = 1; line <= (int)ceil(below.height / STEP); line++) {
		double height = (line - 0.5) * STEP;
		fputs("       │", out);
		print_line(&below, height, height - STEP, width, out);
	}
}
