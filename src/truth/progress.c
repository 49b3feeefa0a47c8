/* "culprit: [######      ] 5 of 16 simulations, 2 running, 3.10 M/s, 71 s left", drawn over itself on a terminal. */
#include "report/terminal.h"
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
	char line[200], left[40] = "";
	if (goal && speed > 0 && done <= goal)
		snprintf(left, sizeof left, ", %.0f s left", (double)(goal - done) / speed);
	snprintf(line, sizeof line, "culprit: [%-*.*s] %zu of %zu simulations, %zu running, %.2f M/s%s", BAR, full,
		 "####################", pool_count(p, POOL_DONE), p->count, pool_count(p, POOL_RUNNING), speed / 1e6,
		 left);
	terminal_progress(line, stderr);
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
		terminal_progress("", stderr);
	t->drawn = false;
}
