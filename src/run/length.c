#include "run/length.h"

#include "run/progress.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FAILED = 1, LOOK_MILLISECONDS = 100 };

static uint64_t execute(struct guest *g, uint64_t most, bool quiet)
{
	struct progress progress;
	uint64_t done = 0;
	progress_begin(&progress, "counting: ", 0, quiet);
	for (enum guest_state state = GUEST_RUNNING; state == GUEST_RUNNING && done < most && !interrupt_seen();) {
		uint64_t executed, left = most - done;
		state = guest_run(g, left < PROGRESS_STEP ? left : PROGRESS_STEP, &executed);
		done += executed;
		progress_update(&progress, done);
	}
	progress_end(&progress);
	return done;
}

static _Noreturn void be_child(struct session *s, uint64_t most, bool quiet, int to, pid_t parent)
{
	struct error why;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent || !guest_isolate(s->guest, &why))
		_exit(FAILED);
	session_without_core(s);
	const uint64_t length = execute(s->guest, most, quiet);
	_exit(guest_check(s->guest, &why) && write(to, &length, sizeof length) == sizeof length ? 0 : FAILED);
}

/* It looks now and then, since a signal may have come to this process alone. */
static bool receive(int from, pid_t child, uint64_t *length)
{
	struct pollfd answer = {.fd = from, .events = POLLIN};
	*length = 0;
	while (poll(&answer, 1, LOOK_MILLISECONDS) <= 0)
		if (interrupt_seen())
			kill(child, SIGKILL);
	return read(from, length, sizeof *length) == sizeof *length || interrupt_seen();
}

bool length_measure(struct session *s, uint64_t most, bool quiet, uint64_t *length, struct error *err)
{
	int ends[2], status;
	const pid_t parent = getpid();
	if (pipe(ends))
		return error_set(err, ERROR_SYSTEM, "cannot make a pipe: %s", strerror(errno));
	const pid_t pid = fork();
	if (pid == 0)
		be_child(s, most, quiet, ends[1], parent);
	close(ends[1]);
	const bool got = pid > 0 && receive(ends[0], pid, length);
	close(ends[0]);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return got || error_set(err, ERROR_SYSTEM, "the region's length cannot be found out");
}
