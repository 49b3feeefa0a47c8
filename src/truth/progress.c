/* "culprit: [######      ] 5 of 16 simulations, 2 running, 3.10 M/s, 71 s left", drawn over itself on a terminal. */
#include "run/progress.h"
#include "truth/truth.h"

#include <unistd.h>

enum { BAR = 20 };

/* Every simulation commits as many instructions; how many is known from --max-insns or once one has finished. */
static uint64_t each(const struct pool *p, uint64_t limit)
{
	for (size_t i = 0; i < p->count; i++)
		if (p->jobs[i].state == POOL_DONE)
			return ((const struct truth_outcome *)(const void *)p->jobs[i].result)->instructions;
	return limit;
}

/* What failed or was stopped is behind us too. */
static uint64_t sum(const struct pool *p, uint64_t each_of_them)
{
	uint64_t done = 0;
	for (size_t i = 0; i < p->count; i++)
		if (p->jobs[i].state == POOL_RUNNING)
			done += p->jobs[i].progress;
		else if (p->jobs[i].state != POOL_WAITING)
			done += each_of_them;
	return done;
}

static void draw(const struct truth *t, const struct pool *p, double seconds)
{
	uint64_t one = each(p, t->options.max_insns), goal = one * p->count, done = sum(p, one);
	double share = goal ? (double)done / (double)goal : 0, speed = (double)done / seconds;
	int full = (int)(share * BAR);
	fprintf(stderr, "\r\033[Kculprit: [%-*.*s] %zu of %zu simulations, %zu running, %.2f M/s", BAR, full,
		"####################", pool_count(p, POOL_DONE), p->count, pool_count(p, POOL_RUNNING), speed / 1e6);
	if (goal && speed > 0 && done <= goal)
		fprintf(stderr, ", %.0f s left", (double)(goal - done) / speed);
	fflush(stderr);
}

void truth_progress(const struct pool *p)
{
	struct truth *t = p->context;
	double now = progress_clock();
	if (!t->show || now - t->drawn_at < 0.2)
		return;
	t->drawn_at = now;
	t->drawn = true;
	draw(t, p, now - t->started);
}

void truth_progress_end(struct truth *t)
{
	if (t->drawn)
		fputs("\r\033[K", stderr);
	t->drawn = false;
}
