#include "simpoint/points.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS_MOST = 1000000 };
static const double ROUNDED = 0.01;

void simpoints_destroy(struct simpoints *p)
{
	free(p->points);
	*p = (struct simpoints){0};
}

bool simpoints_add(struct simpoints *p, const struct simpoint *point, struct error *err)
{
	struct simpoint *grown = realloc(p->points, (p->count + 1) * sizeof *grown);
	if (!grown)
		return error_set(err, ERROR_SYSTEM, "out of memory for simulation points");
	p->points = grown;
	p->points[p->count++] = *point;
	return true;
}

void simpoints_write(const struct simpoints *p, FILE *out)
{
	for (size_t i = 0; i < p->count; i++)
		fprintf(out, "%" PRIu64 " %" PRIu64 "\n", p->points[i].interval, p->points[i].cluster);
}

void simpoints_write_weights(const struct simpoints *p, FILE *out)
{
	for (size_t i = 0; i < p->count; i++)
		fprintf(out, "%.10g %" PRIu64 "\n", p->points[i].weight, p->points[i].cluster);
}

/* --- reading --- */

static bool rest_is_cluster(const char *at, uint64_t *cluster)
{
	char *end;
	while (*at == ' ' || *at == '\t')
		at++;
	if (!isdigit((unsigned char)*at))
		return false;
	errno = 0;
	*cluster = strtoull(at, &end, 10);
	while (isspace((unsigned char)*end))
		end++;
	return !*end && !errno;
}

static bool parse_point(const char *text, struct simpoint *p)
{
	char *end;
	if (!isdigit((unsigned char)*text))
		return false;
	errno = 0;
	p->interval = strtoull(text, &end, 10);
	return !errno && isspace((unsigned char)*end) && rest_is_cluster(end, &p->cluster);
}

static bool parse_weight(const char *text, struct simpoint *p)
{
	char *end;
	p->weight = strtod(text, &end);
	return end != text && isspace((unsigned char)*end) && isfinite(p->weight) && p->weight >= 0 &&
	       rest_is_cluster(end, &p->cluster);
}

/* A line of either file is a number and a cluster. */
static bool read_lines(struct simpoints *to, FILE *in, const char *place, bool weights, struct error *err)
{
	char *text = NULL;
	size_t room = 0, line = 0;
	int first = getc(in); /* a device may have no end, and no lines */
	bool good = first || error_set(err, ERROR_INPUT, "%s: a zero byte: no lines of numbers", place);
	if (first != EOF)
		ungetc(first, in);
	while (good && getline(&text, &room, in) >= 0) {
		struct simpoint p = {.weight = -1};
		line++;
		if (!text[strspn(text, " \t\r\n")])
			continue;
		if (!(weights ? parse_weight(text, &p) : parse_point(text, &p)))
			good = error_set(err, ERROR_INPUT, "%s:%zu: expected %s and a cluster", place, line,
					 weights ? "a weight" : "an interval");
		else if (to->count == POINTS_MOST)
			good = error_set(err, ERROR_INPUT, "%s: more than %d lines", place, POINTS_MOST);
		else
			good = simpoints_add(to, &p, err);
	}
	free(text);
	if (good && ferror(in))
		return error_set(err, ERROR_SYSTEM, "%s: %s", place, strerror(errno));
	return !good || to->count || error_set(err, ERROR_INPUT, "%s: empty", place) ? good : false;
}

static int by_cluster(const void *a, const void *b)
{
	const struct simpoint *x = a, *y = b;
	return x->cluster < y->cluster ? -1 : x->cluster > y->cluster;
}

static int by_interval(const void *a, const void *b)
{
	const struct simpoint *x = a, *y = b;
	return x->interval < y->interval ? -1 : x->interval > y->interval;
}

/* Both in order of clusters. */
static bool join(struct simpoints *p, const struct simpoints *weights, const char *points_place,
		 const char *weights_place, struct error *err)
{
	for (size_t i = 0; i < p->count || i < weights->count; i++) {
		const struct simpoint *a = i < p->count ? &p->points[i] : NULL;
		const struct simpoint *b = i < weights->count ? &weights->points[i] : NULL;
		if (!a || !b || a->cluster != b->cluster)
			return error_set(err, ERROR_INPUT,
					 "%s and %s do not belong together: one has cluster %" PRIu64
					 ", the other has not",
					 points_place, weights_place,
					 !a || (b && b->cluster < a->cluster) ? b->cluster : a->cluster);
		if (i && a->cluster == a[-1].cluster)
			return error_set(err, ERROR_INPUT, "%s: cluster %" PRIu64 " stands twice", points_place,
					 a->cluster);
		p->points[i].weight = b->weight;
	}
	return true;
}

/* Points without weight go, the others sum to 1. Those that were read may sum to less: SimPoint can be asked to leave
 * out the smallest clusters. Weights are printed with few digits, so that many may sum to a little more. */
static bool scale(struct simpoints *p, const char *place, struct error *err)
{
	double sum = 0;
	size_t kept = 0;
	for (size_t i = 0; i < p->count; i++)
		sum += p->points[i].weight;
	if (!(sum > 0))
		return error_set(err, ERROR_INPUT, "%s: no weight is above 0", place);
	if (sum > 1 + ROUNDED)
		return error_set(err, ERROR_INPUT, "%s: the weights sum to %g, more than 1", place, sum);
	p->covered = sum < 1 ? sum : 1;
	for (size_t i = 0; i < p->count; i++) {
		if (!(p->points[i].weight > 0))
			continue;
		p->points[kept] = p->points[i];
		p->points[kept++].weight /= sum;
	}
	p->count = kept;
	return true;
}

static bool no_interval_twice(const struct simpoints *p, const char *place, struct error *err)
{
	for (size_t i = 1; i < p->count; i++)
		if (p->points[i].interval == p->points[i - 1].interval)
			return error_set(err, ERROR_INPUT, "%s: interval %" PRIu64 " stands twice", place,
					 p->points[i].interval);
	return true;
}

bool simpoints_read(struct simpoints *p, FILE *points, const char *points_place, FILE *weights,
		    const char *weights_place, struct error *err)
{
	struct simpoints w = {0};
	bool good = read_lines(p, points, points_place, false, err) &&
		    read_lines(&w, weights, weights_place, true, err);
	if (good) {
		qsort(p->points, p->count, sizeof *p->points, by_cluster);
		qsort(w.points, w.count, sizeof *w.points, by_cluster);
		good = join(p, &w, points_place, weights_place, err) && scale(p, weights_place, err);
	}
	simpoints_destroy(&w);
	if (!good)
		return false;
	qsort(p->points, p->count, sizeof *p->points, by_interval);
	return no_interval_twice(p, points_place, err);
}

bool simpoints_load(struct simpoints *p, const char *points, const char *weights, struct error *err)
{
	FILE *a = fopen(points, "r");
	if (!a)
		return error_set(err, ERROR_INPUT, "%s: %s", points, strerror(errno));
	FILE *b = fopen(weights, "r");
	bool good = b ? simpoints_read(p, a, points, b, weights, err)
		      : error_set(err, ERROR_INPUT, "%s: %s", weights, strerror(errno));
	if (b)
		fclose(b);
	fclose(a);
	return good;
}
