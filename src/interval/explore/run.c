/* Evaluate the whole grid: each thread takes a stretch of indices and keeps its own front; the fronts are merged. What
 * is kept does not depend on how the stretches are cut. */
#include "interval/explore/explore.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BUFFER = 1 << 15, CLOUD = 4000, THREADS_MOST = 64 };

struct sweep {
	const struct explore_space *space;
	const struct explore_tables *tables;
	uint64_t first, last; /* indices, last exclusive */
	uint64_t cloud_every;
	uint64_t evaluated, rejected;
	struct explore_point points[2 * BUFFER];
	size_t front, count; /* points[0 .. front) is a front; the rest is new */
	struct explore_point cloud[CLOUD];
	size_t cloud_count;
};

/* Is there a machine on the front that is no dearer and no slower? Its costs ascend while its CPI falls. */
static bool dominated(const struct sweep *s, double cost, double cpi)
{
	size_t low = 0, high = s->front;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (s->points[middle].cost <= cost)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return false;
	const struct explore_point *p = &s->points[low - 1];
	/* an equal is kept until the merge, which knows whose index is lower */
	return p->cpi < cpi || (p->cpi == cpi && p->cost < cost);
}

static void settle(struct sweep *s)
{
	s->front = s->count = explore_front(s->points, s->count);
}

static void next(const struct explore_space *space, uint32_t digits[EXPLORE_AXES])
{
	for (uint32_t i = space->axis_count; i-- > 0;) {
		if (++digits[i] < space->axes[i].value_count)
			return;
		digits[i] = 0;
	}
}

static void *sweep_stretch(void *context)
{
	struct sweep *s = context;
	uint32_t digits[EXPLORE_AXES];
	explore_digits(s->space, s->first, digits);
	for (uint64_t i = s->first; i < s->last; i++, next(s->space, digits)) {
		double cost = explore_cost_of(s->tables, digits);
		if (!explore_allowed(s->tables, digits, cost)) {
			s->rejected++;
			continue;
		}
		struct explore_point p = {.index = i, .cpi = explore_cpi(s->tables, digits), .cost = cost};
		s->evaluated++;
		if (i % s->cloud_every == 0 && s->cloud_count < CLOUD)
			s->cloud[s->cloud_count++] = p;
		if (dominated(s, p.cost, p.cpi))
			continue;
		if (s->count == 2 * BUFFER)
			settle(s);
		if (s->count < 2 * BUFFER) /* a front that fills the buffer keeps what it has */
			s->points[s->count++] = p;
	}
	settle(s);
	return NULL;
}

static bool merge(struct sweep *sweeps, uint32_t threads, struct explore_result *r, struct error *err)
{
	size_t points = 0, cloud = 0;
	for (uint32_t i = 0; i < threads; i++) {
		points += sweeps[i].count;
		cloud += sweeps[i].cloud_count;
	}
	r->front = malloc((points + 1) * sizeof *r->front);
	r->cloud = malloc((cloud + 1) * sizeof *r->cloud);
	if (!r->front || !r->cloud)
		return error_set(err, ERROR_SYSTEM, "out of memory for the front");
	for (uint32_t i = 0; i < threads; i++) {
		memcpy(&r->front[r->front_count], sweeps[i].points, sweeps[i].count * sizeof *r->front);
		memcpy(&r->cloud[r->cloud_count], sweeps[i].cloud, sweeps[i].cloud_count * sizeof *r->cloud);
		r->front_count += sweeps[i].count;
		r->cloud_count += sweeps[i].cloud_count;
		r->evaluated += sweeps[i].evaluated;
		r->rejected += sweeps[i].rejected;
	}
	r->front_count = explore_front(r->front, r->front_count);
	explore_knees(r->front, r->front_count, 3);
	return true;
}

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void sweep_all(struct sweep *sweeps, uint32_t threads)
{
	pthread_t handles[THREADS_MOST];
	uint32_t started = 0;
	for (; started + 1 < threads; started++)
		if (pthread_create(&handles[started], NULL, sweep_stretch, &sweeps[started + 1]))
			break;
	sweep_stretch(&sweeps[0]);
	for (uint32_t i = started + 1; i < threads; i++)
		sweep_stretch(&sweeps[i]);
	for (uint32_t i = 0; i < started; i++)
		pthread_join(handles[i], NULL);
}

bool explore_run(const struct explore_space *s, const struct model *model, uint32_t threads, struct explore_result *r,
		 struct error *err)
{
	*r = (struct explore_result){.evaluated = 0};
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	threads = threads ? threads : (uint32_t)(processors > 0 ? processors : 1);
	threads = threads < THREADS_MOST ? threads : THREADS_MOST;
	double began = now();
	struct explore_tables *tables = explore_tables_create(s, model, threads, err);
	if (!tables)
		return false;
	r->table_seconds = now() - began;
	struct sweep *sweeps = calloc(threads, sizeof *sweeps);
	bool good = sweeps || error_set(err, ERROR_SYSTEM, "out of memory for the explorer");
	uint64_t size = explore_size(s);
	for (uint32_t i = 0; good && i < threads; i++) {
		sweeps[i].space = s;
		sweeps[i].tables = tables;
		sweeps[i].first = size / threads * i;
		sweeps[i].last = i + 1 == threads ? size : size / threads * (i + 1);
		sweeps[i].cloud_every = size / CLOUD + 1;
	}
	began = now();
	if (good) {
		sweep_all(sweeps, threads);
		good = merge(sweeps, threads, r, err);
	}
	r->seconds = now() - began;
	free(sweeps);
	explore_tables_destroy(tables);
	return good;
}

void explore_result_destroy(struct explore_result *r)
{
	free(r->front);
	free(r->cloud);
	*r = (struct explore_result){.evaluated = 0};
}
