#include "simpoint/cluster.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* SplitMix64's finalizer. */
static uint64_t scramble(uint64_t z)
{
	z += 0x9e3779b97f4a7c15;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

/* --- projection --- */

/* An entry of the matrix, -1 to 1. It is not kept: blocks may be many, and their numbers larger still. */
static double matrix(uint64_t seed, uint32_t block, unsigned dimension)
{
	uint64_t bits = scramble(scramble(seed) ^ ((uint64_t)block << 8 | dimension));
	return (double)(bits >> 11) * 0x1p-52 - 1;
}

cluster_point *cluster_project(const struct bbv *v, uint64_t seed)
{
	cluster_point *points = calloc(v->count, sizeof *points);
	for (size_t i = 0; points && i < v->count; i++) {
		size_t count;
		const struct bbv_entry *entries = bbv_entries(v, i, &count);
		double sum = 0;
		for (size_t k = 0; k < count; k++)
			sum += (double)entries[k].instructions;
		for (size_t k = 0; k < count; k++)
			for (unsigned d = 0; d < CLUSTER_DIMENSIONS; d++)
				points[i][d] +=
					(double)entries[k].instructions / sum * matrix(seed, entries[k].block, d);
	}
	return points;
}

/* --- k-means --- */

void clustering_destroy(struct clustering *c)
{
	free(c->labels);
	free(c->centres);
	free(c->sizes);
	*c = (struct clustering){0};
}

static double distance(const double *a, const double *b)
{
	double sum = 0;
	for (unsigned d = 0; d < CLUSTER_DIMENSIONS; d++)
		sum += (a[d] - b[d]) * (a[d] - b[d]);
	return sum;
}

/* k different ones of the points, drawn without replacement (Floyd). labels[] of a point drawn is not 0 meanwhile. */
static void draw_centres(struct clustering *c, const cluster_point *points, size_t count, uint64_t seed)
{
	uint64_t state = scramble(seed);
	for (size_t i = count - c->k, n = 0; i < count; i++, n++) {
		state = scramble(state);
		size_t drawn = state % (i + 1);
		if (c->labels[drawn])
			drawn = i;
		c->labels[drawn] = 1;
		memcpy(c->centres[n], points[drawn], sizeof c->centres[n]);
	}
	memset(c->labels, 0, count * sizeof *c->labels);
}

/* Each point to the centre that is nearest, of equals the first. Has any changed? */
static bool assign(struct clustering *c, const cluster_point *points, size_t count)
{
	bool changed = false;
	c->distortion = 0;
	memset(c->sizes, 0, c->k * sizeof *c->sizes);
	for (size_t i = 0; i < count; i++) {
		double best = DBL_MAX;
		size_t label = 0;
		for (size_t k = 0; k < c->k; k++) {
			double d = distance(points[i], c->centres[k]);
			if (d < best) {
				best = d;
				label = k;
			}
		}
		changed |= c->labels[i] != label;
		c->labels[i] = label;
		c->sizes[label]++;
		c->distortion += best;
	}
	return changed;
}

static void move_centres(struct clustering *c, const cluster_point *points, size_t count)
{
	for (size_t k = 0; k < c->k; k++)
		if (c->sizes[k])
			memset(c->centres[k], 0, sizeof c->centres[k]);
	for (size_t i = 0; i < count; i++)
		for (unsigned d = 0; d < CLUSTER_DIMENSIONS; d++)
			c->centres[c->labels[i]][d] += points[i][d] / (double)c->sizes[c->labels[i]];
}

/* Pelleg and Moore, with the variance that SimPoint 3.2 prints: distortion / (points - k). Vectors that are all alike
 * have none; the floor keeps their logarithm finite, far below what rounding leaves. */
static double score(const struct clustering *c, size_t count)
{
	double r = (double)count, k = (double)c->k, likelihood = 0;
	double variance = count > c->k ? c->distortion / (r - k) : 0;
	if (variance < 1e-12)
		variance = 1e-12;
	for (size_t i = 0; i < c->k; i++) {
		double n = (double)c->sizes[i];
		if (n > 0)
			likelihood += n * log(n / r) - n / 2 * log(2 * M_PI) -
				      n * CLUSTER_DIMENSIONS / 2 * log(variance) - (n - k) / 2;
	}
	return likelihood - k * (CLUSTER_DIMENSIONS + 1) / 2 * log(r);
}

bool cluster_means(struct clustering *c, const cluster_point *points, size_t count, size_t k, uint64_t seed,
		   struct error *err)
{
	*c = (struct clustering){.k = k,
				 .labels = calloc(count, sizeof *c->labels),
				 .centres = calloc(k, sizeof *c->centres),
				 .sizes = calloc(k, sizeof *c->sizes)};
	if (!c->labels || !c->centres || !c->sizes) {
		clustering_destroy(c);
		return error_set(err, ERROR_SYSTEM, "out of memory for %zu clusters", k);
	}
	draw_centres(c, points, count, seed);
	assign(c, points, count);
	for (int round = 0; round < CLUSTER_ROUNDS; round++) {
		move_centres(c, points, count);
		if (!assign(c, points, count))
			break;
	}
	c->bic = score(c, count);
	return true;
}

/* --- how many --- */

struct search {
	const cluster_point *points;
	size_t count;
	uint64_t seed;		    /* of the next */
	struct clustering best[64]; /* of each k tried, in that order: two, and a bisection's */
	size_t tried;
};

static bool try_k(struct search *s, size_t k, struct error *err)
{
	struct clustering *best = &s->best[s->tried++];
	for (int i = 0; i < CLUSTER_SEEDS; i++) {
		struct clustering c;
		TRY(cluster_means(&c, s->points, s->count, k, s->seed++, err));
		if (best->k && c.bic <= best->bic) {
			clustering_destroy(&c);
			continue;
		}
		clustering_destroy(best);
		*best = c;
	}
	return true;
}

static bool good_enough(const struct search *s, const struct clustering *c)
{
	double least = DBL_MAX, most = -DBL_MAX;
	for (size_t i = 0; i < s->tried; i++) {
		least = fmin(least, s->best[i].bic);
		most = fmax(most, s->best[i].bic);
	}
	return c->bic - least >= CLUSTER_THRESHOLD * (most - least);
}

static bool bisect(struct search *s, size_t most, struct error *err)
{
	size_t low = 1, high = most;
	TRY(try_k(s, 1, err));
	if (most > 1)
		TRY(try_k(s, most, err));
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;
		TRY(try_k(s, middle, err));
		if (good_enough(s, &s->best[s->tried - 1]))
			high = middle;
		else
			low = middle;
	}
	return true;
}

bool cluster_search(struct clustering *c, const cluster_point *points, size_t count, size_t most, uint64_t seed,
		    struct error *err)
{
	struct search s = {.points = points, .count = count, .seed = seed};
	struct clustering *chosen = NULL;
	*c = (struct clustering){0};
	bool good = bisect(&s, most < count ? most : count, err);
	for (size_t i = 0; good && i < s.tried; i++)
		if (good_enough(&s, &s.best[i]) && (!chosen || s.best[i].k < chosen->k))
			chosen = &s.best[i];
	if (chosen) { /* the first one tried is good enough where no other is */
		*c = *chosen;
		*chosen = (struct clustering){0};
	}
	for (size_t i = 0; i < s.tried; i++)
		clustering_destroy(&s.best[i]);
	return good;
}

bool cluster_choose(const struct clustering *c, const cluster_point *points, size_t count, struct simpoints *to,
		    struct error *err)
{
	for (size_t k = 0; k < c->k; k++) {
		size_t nearest = count;
		for (size_t i = 0; i < count; i++)
			if (c->labels[i] == k && (nearest == count || distance(points[i], c->centres[k]) <
									      distance(points[nearest], c->centres[k])))
				nearest = i;
		struct simpoint p = {nearest, to->count, (double)c->sizes[k] / (double)count};
		if (nearest < count)
			TRY(simpoints_add(to, &p, err));
	}
	return true;
}
