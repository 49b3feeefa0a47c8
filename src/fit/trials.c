/* Simulating trials: one child process for each kernel of each. The guest hears nothing and says nothing. */
#include "fit/fit.h"

#include "report/killed.h"
#include "run/killed.h"
#include "run/progress.h"
#include "run/session.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

enum { STEP = 200000, AT_ONCE_MOST = 2048 /* jobs of one pool */ };

struct fit_job {
	size_t trial, kernel;
};

static bool look(void *context, uint64_t committed)
{
	return pool_report(context, committed);
}

/* The cycles until a signal killed the kernel are none of its own. */
static bool ended_well(const struct session *s, const char *program, struct error *why)
{
	struct report_killed killed;
	char line[512];
	TRY(killed_find(&killed, s->guest, why));
	if (!killed.signal)
		return true;
	killed_line(&killed, line, sizeof line);
	return error_set(why, ERROR_INPUT, "%s: %s", program, line);
}

static bool run_program(const struct fit *f, struct pool *pool, const struct machine *m, char *program,
			uint64_t *cycles, struct error *why)
{
	char *words[] = {program, NULL};
	struct options o = f->options;
	struct session s = {.machine = *m};
	o.arguments = words;
	o.quiet = true;
	bool good = session_guest(&s, &o, why) && guest_isolate(s.guest, why) && session_core(&s, &o, why) &&
		    session_run(&s, STEP, look, pool, why) && !pool->stopped && ended_well(&s, program, why);
	if (good)
		*cycles = core_statistics(s.core)->cycles;
	session_destroy(&s);
	return good;
}

static void be_silent(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	for (int fd = 0; null >= 0 && fd < 3; fd++)
		dup2(null, fd);
}

static bool work(struct pool *pool, size_t job, void *result, struct error *why)
{
	const struct fit *f = pool->context;
	const struct fit_job *j = &f->jobs[job];
	const struct fit_kernel *k = &f->table.kernels[j->kernel];
	const struct machine *m = &f->trials[j->trial].machine;
	uint64_t whole, less = 0;
	be_silent();
	TRY(run_program(f, pool, m, k->program, &whole, why));
	if (k->less)
		TRY(run_program(f, pool, m, k->less, &less, why));
	if (less >= whole)
		return error_set(why, ERROR_INPUT, "%s: takes no more cycles than what is taken off", k->name);
	*(uint64_t *)result = whole - less;
	return true;
}

/* The jobs of trials from `from` on, whole trials, as many as a pool takes; returns where it ended. */
static size_t plan(struct fit *f, const struct fit_trial *trials, size_t from, size_t count)
{
	f->job_count = 0;
	for (size_t t = from; t < count; t++) {
		if (f->job_count && f->job_count + f->table.count > AT_ONCE_MOST)
			return t;
		for (size_t k = 0; k < f->table.count; k++)
			if (!trials[t].kernels || trials[t].kernels[k])
				f->jobs[f->job_count++] = (struct fit_job){t, k};
	}
	return count;
}

static bool run_jobs(struct fit *f, struct fit_trial *trials, struct error *err)
{
	struct pool *p = &f->pool;
	*p = (struct pool){.at_once = f->options.jobs ? f->options.jobs : (size_t)sysconf(_SC_NPROCESSORS_ONLN),
			   .context = f,
			   .work = work,
			   .watch = fit_progress};
	TRY(pool_create(p, f->job_count, err));
	TRY(pool_run(p, err));
	for (size_t i = 0; i < f->job_count; i++) {
		const struct pool_job *job = &p->jobs[i];
		uint64_t *to = &trials[f->jobs[i].trial].cycles[f->jobs[i].kernel];
		*to = job->state == POOL_DONE ? *(const uint64_t *)job->result : 0;
		if (job->state == POOL_FAILED && f->all_must)
			return error_set(err, job->why.code, "%s", job->why.text);
	}
	f->simulations += f->job_count;
	return !interrupt_seen() || error_set(err, ERROR_SYSTEM, "interrupted");
}

bool fit_simulate(struct fit *f, struct fit_trial *trials, size_t count, struct error *err)
{
	f->trials = trials;
	f->jobs = calloc(AT_ONCE_MOST + f->table.count, sizeof *f->jobs);
	if (!f->jobs)
		return error_set(err, ERROR_SYSTEM, "out of memory for the simulations");
	bool good = true;
	for (size_t from = 0; good && from < count;) {
		from = plan(f, trials, from, count);
		good = !f->job_count || run_jobs(f, trials, err);
		pool_destroy(&f->pool);
	}
	free(f->jobs);
	f->jobs = NULL;
	return good;
}
