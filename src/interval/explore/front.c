/* Pareto fronts and their knees. */
#include "interval/explore/explore.h"

#include <math.h>
#include <stdlib.h>

static int by_cost(const void *a, const void *b)
{
	const struct explore_point *p = a, *q = b;
	if (p->cost != q->cost)
		return p->cost < q->cost ? -1 : 1;
	if (p->cpi != q->cpi)
		return p->cpi < q->cpi ? -1 : 1;
	return p->index < q->index ? -1 : p->index > q->index;
}

size_t explore_front(struct explore_point *points, size_t count)
{
	size_t kept = 0;
	qsort(points, count, sizeof *points, by_cost);
	for (size_t i = 0; i < count; i++)
		if (!kept || points[i].cpi < points[kept - 1].cpi)
			points[kept++] = points[i];
	return kept;
}

/* How far point i lies below the line from `from` to `to`, both axes scaled to the whole front. */
static double depth(const struct explore_point *f, size_t count, size_t from, size_t to, size_t i)
{
	double width = log(f[count - 1].cost / f[0].cost), height = f[0].cpi - f[count - 1].cpi;
	double x0 = log(f[from].cost), x1 = log(f[to].cost), x = log(f[i].cost);
	double line = f[from].cpi + (f[to].cpi - f[from].cpi) * (x - x0) / (x1 - x0);
	return width > 0 && height > 0 ? (line - f[i].cpi) / height : 0;
}

static size_t deepest(const struct explore_point *f, size_t count, size_t from, size_t to, double *most)
{
	size_t best = from;
	*most = 0;
	for (size_t i = from + 1; i < to; i++) {
		double d = depth(f, count, from, to, i);
		if (d > *most) {
			*most = d;
			best = i;
		}
	}
	return best;
}

/* The deepest point of the segment with the deepest one, again and again; a bend of less than 2 % is none. */
void explore_knees(struct explore_point *f, size_t count, size_t most)
{
	for (size_t i = 0; i < count; i++)
		f[i].knee = false;
	for (size_t found = 0; count >= 3 && found < most; found++) {
		size_t knee = 0, from = 0;
		double best = 0.02;
		for (size_t to = 1; to < count; to++) {
			if (!f[to].knee && to != count - 1)
				continue;
			double d;
			size_t at = deepest(f, count, from, to, &d);
			if (d > best) {
				best = d;
				knee = at;
			}
			from = to;
		}
		if (!knee)
			return;
		f[knee].knee = true;
	}
}
