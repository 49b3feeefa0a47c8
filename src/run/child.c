#include "run/child.h"

#include "run/progress.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Ctrl-C and the like reach the command, too. */
bool child_wait(pid_t child, int *ended, struct error *err)
{
	const struct timespec a_moment = {.tv_nsec = 20000000};
	bool told = false;
	pid_t got;
	while ((got = waitpid(child, ended, WNOHANG)) == 0 || (got < 0 && errno == EINTR)) {
		if (interrupt_seen() && !told) {
			kill(child, SIGTERM);
			told = true;
		}
		nanosleep(&a_moment, NULL);
	}
	if (got < 0)
		return error_set(err, ERROR_SYSTEM, "lost the command: %s", strerror(errno));
	return !interrupt_seen() || error_set(err, ERROR_SYSTEM, "interrupted");
}

bool child_run(char *const *words, int *status, struct error *err)
{
	int ended;
	pid_t child = fork();
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		execv("/proc/self/exe", words);
		_exit(125);
	}
	if (child < 0)
		return error_set(err, ERROR_SYSTEM, "cannot start a process: %s", strerror(errno));
	TRY(child_wait(child, &ended, err));
	*status = WIFEXITED(ended) ? WEXITSTATUS(ended) : 128 + WTERMSIG(ended);
	return true;
}
