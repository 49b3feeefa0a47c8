/* A line on the terminal while kernels are simulated: how far a trial is, and for which key. */
#include "fit/fit.h"
#include "report/terminal.h"
#include "run/progress.h"

#include <unistd.h>

void fit_progress_begin(struct fit *f)
{
	f->shown = !f->options.quiet && isatty(STDERR_FILENO);
	f->drawn_at = progress_clock() + 0.3; /* what is short shows nothing */
}

void fit_progress(const struct pool *p)
{
	struct fit *f = p->context;
	const double now = progress_clock();
	char line[240], key[128] = "";
	uint64_t running = 0;
	if (!f->shown || now - f->drawn_at < 0.2)
		return;
	f->drawn_at = now;
	f->drawn = true;
	for (size_t i = 0; i < p->count; i++)
		running += p->jobs[i].state == POOL_RUNNING ? p->jobs[i].progress : 0;
	if (f->key_number)
		snprintf(key, sizeof key, "%s (key %zu of %zu)", f->key, f->key_number, f->keys.count);
	snprintf(line, sizeof line, "culprit: %s%s: %zu of %zu simulations, %zu running (%.1f M instructions)",
		 f->doing, key, pool_count(p, POOL_DONE), p->count, pool_count(p, POOL_RUNNING), (double)running / 1e6);
	terminal_progress(line, stderr);
}

void fit_progress_end(struct fit *f)
{
	if (f->drawn)
		terminal_progress("", stderr);
	f->drawn = false;
}
