#include "sample/again.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* What the first pass found. */
struct order {
	uint64_t interval;
	size_t samples;
	double error;
};

/* More samples than their spread asks for, since the spread is an estimate. */
static const double MARGIN = 1.1;

/* The parent's end closes when the first pass will do. */
static bool obey(struct sample *s, int orders, struct error *err)
{
	struct order o;
	ssize_t got;
	while ((got = read(orders, &o, sizeof o)) < 0 && errno == EINTR)
		;
	if (got != sizeof o)
		_exit(0);
	close(orders);
	s->second = true;
	s->report.first_samples = o.samples;
	s->report.first_error = o.error;
	schedule_begin(&s->schedule, s->start, o.interval, s->length + s->warmup, s->options.seed);
	return guest_isolate(s->session.guest, err);
}

bool again_prepare(struct sample *s, struct error *err)
{
	int ends[2];
	const pid_t parent = getpid();
	if (pipe(ends))
		return error_set(err, ERROR_SYSTEM, "cannot make a pipe: %s", strerror(errno));
	s->spare = fork();
	if (s->spare == 0) {
		close(ends[1]);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(1);
		return obey(s, ends[0], err);
	}
	close(ends[0]);
	s->orders = ends[1];
	return s->spare > 0 ||
	       error_set(err, ERROR_SYSTEM, "cannot start a process for a second pass: %s", strerror(errno));
}

static double relative_error(const struct sample *s)
{
	return s->report.cpi.half / s->report.cpi.value;
}

static uint64_t nearest(const struct sample *s)
{
	return (s->asked ? 1 : AGAIN_NEAREST) * (s->length + s->warmup);
}

bool again_possible(const struct sample *s)
{
	return s->asked || (s->error > 0 && nearest(s) < schedule_distance(&s->schedule));
}

/* The distance at which samples should give CPI to within the error. */
static uint64_t closer(const struct sample *s)
{
	return (uint64_t)fmax((double)nearest(s), (double)schedule_distance(&s->schedule) / (MARGIN * sample_lack(s)));
}

bool again_needed(const struct sample *s)
{
	return s->spare > 0 && !s->report.cut && s->report.samples >= 2 && sample_lack(s) > 1 &&
	       closer(s) < schedule_distance(&s->schedule);
}

bool again_take(struct sample *s, int *status, struct error *err)
{
	const struct order o = {closer(s), s->report.samples, relative_error(s)};
	int how = 0;
	const bool told = write(s->orders, &o, sizeof o) == sizeof o;
	close(s->orders);
	while (waitpid(s->spare, &how, 0) < 0 && errno == EINTR)
		;
	s->spare = 0;
	*status = WIFEXITED(how) ? WEXITSTATUS(how) : 0;
	return (told && WIFEXITED(how)) || error_set(err, ERROR_SYSTEM, "the process of the second pass is lost");
}

void again_destroy(struct sample *s)
{
	if (s->spare <= 0)
		return;
	kill(s->spare, SIGKILL); /* children of this process may hold the pipe open */
	while (waitpid(s->spare, NULL, 0) < 0 && errno == EINTR)
		;
	close(s->orders);
	s->spare = 0;
}
