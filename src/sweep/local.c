/* Tasks as processes of this host: each is this program once more. What it says on standard error comes through a
 * pipe, which tells its end as well. */
#include "sweep/backend.h"

#include "run/session.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { POLL_MILLISECONDS = 200 };

struct process {
	pid_t pid;
	int pipe; /* read end of its standard error; -1: no process */
	uint32_t number;
	char line[SWEEP_LAST_WORDS]; /* as far as it has come */
	size_t length;
	char said[SWEEP_LAST_WORDS];
};

struct local {
	size_t at_once;
	struct process *processes;
	struct pollfd *polls;
};

/* --- in the child --- */

static bool says(const struct sweep_task *task, const char *option)
{
	for (char *const *word = task->words; *word && strcmp(*word, "--"); word++)
		if (!strncmp(*word, option, strlen(option)))
			return true;
	return false;
}

const char **sweep_task_words(const struct sweep_task *task)
{
	size_t count = 1; /* the command, and what follows it */
	while (task->words[count])
		count++;
	const bool run = !strcmp(task->words[0], "run");
	const char **words = calloc(count + 8, sizeof *words);
	size_t n = 0;
	if (!words)
		return NULL;
	words[n++] = "culprit";
	words[n++] = task->words[0];
	words[n++] = "--quiet";
	if (run)
		words[n++] = "--output=/dev/null";
	if (run && !says(task, "--json-sites"))
		words[n++] = "--json-sites=20"; /* 100, the default, are most of a point's result */
	words[n++] = run ? "--json" : "--output";
	words[n++] = task->result;
	for (size_t i = 1; i < count; i++)
		words[n++] = task->words[i];
	return words;
}

static bool redirect(const char *path, int flags, int fd)
{
	int file = open(path, flags);
	return file >= 0 && dup2(file, fd) >= 0 && (file == fd || !close(file));
}

/* A group of its own: a terminal's Ctrl-C is for the parent, which ends it. */
static _Noreturn void become(const struct sweep_task *task, const char **words, int said, pid_t parent)
{
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(125);
	bool good = dup2(said, STDERR_FILENO) >= 0;
	if (good && !redirect(task->input ? task->input : "/dev/null", O_RDONLY, STDIN_FILENO)) {
		dprintf(STDERR_FILENO, "culprit: %s: cannot read: %s\n", task->input, strerror(errno));
		_exit(125);
	}
	if (task->ahead)
		setenv(SESSION_AHEAD, task->ahead, 1);
	if (good && (task->heard || redirect("/dev/null", O_WRONLY, STDOUT_FILENO)))
		execv("/proc/self/exe", (char *const *)words);
	dprintf(STDERR_FILENO, "culprit: cannot start: %s\n", strerror(errno));
	_exit(125);
}

/* --- in the parent --- */

static struct process *free_place(struct local *l)
{
	for (size_t i = 0; i < l->at_once; i++)
		if (l->processes[i].pipe < 0)
			return &l->processes[i];
	return NULL;
}

static bool start(void *state, const struct sweep_task *task, struct error *err)
{
	struct process *p = free_place(state);
	const char **words = sweep_task_words(task);
	int ends[2];
	if (!p || !words || pipe2(ends, O_CLOEXEC)) {
		free(words);
		return error_set(err, ERROR_SYSTEM, "cannot start a simulation: %s", strerror(errno));
	}
	pid_t parent = getpid(), pid = fork();
	if (pid == 0)
		become(task, words, ends[1], parent);
	free(words);
	close(ends[1]);
	if (pid < 0) {
		close(ends[0]);
		return error_set(err, ERROR_SYSTEM, "cannot start a process: %s", strerror(errno));
	}
	*p = (struct process){.pid = pid, .pipe = ends[0], .number = task->number};
	return true;
}

void sweep_hear(char said[SWEEP_LAST_WORDS], const char *line)
{
	static const char own[] = "culprit: ";
	if (!strncmp(line, own, sizeof own - 1))
		snprintf(said, SWEEP_LAST_WORDS, "%s", line + sizeof own - 1);
}

static void hear_letter(struct process *p, char c)
{
	if (c != '\n') {
		if (p->length + 1 < sizeof p->line)
			p->line[p->length++] = c;
		return;
	}
	p->line[p->length] = 0;
	p->length = 0;
	sweep_hear(p->said, p->line);
}

/* False: it has ended. */
static bool hear(struct process *p)
{
	char buffer[4096];
	ssize_t n = read(p->pipe, buffer, sizeof buffer);
	for (ssize_t i = 0; i < n; i++)
		hear_letter(p, buffer[i]);
	return n > 0 || (n < 0 && errno == EINTR);
}

static void bury(struct process *p, struct sweep_end *end)
{
	int status = 0;
	hear_letter(p, '\n');
	close(p->pipe);
	p->pipe = -1;
	while (waitpid(p->pid, &status, 0) < 0 && errno == EINTR)
		;
	*end = (struct sweep_end){.number = p->number};
	end->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	snprintf(end->said, sizeof end->said, "%s", p->said);
	if (WIFSIGNALED(status))
		snprintf(end->said, sizeof end->said, "its process was ended by signal %d (%s)%s", WTERMSIG(status),
			 strsignal(WTERMSIG(status)), WTERMSIG(status) == SIGKILL ? ": out of memory, perhaps" : "");
}

static bool wait_for_one(void *state, struct sweep_end *end, bool *ended, struct error *err)
{
	struct local *l = state;
	for (size_t i = 0; i < l->at_once; i++)
		l->polls[i] = (struct pollfd){.fd = l->processes[i].pipe, .events = POLLIN};
	if (poll(l->polls, l->at_once, POLL_MILLISECONDS) <= 0)
		return true;
	for (size_t i = 0; i < l->at_once; i++) {
		if (!l->polls[i].revents || hear(&l->processes[i]))
			continue;
		bury(&l->processes[i], end);
		*ended = true;
		break;
	}
	return true;
}

static void destroy(void *state)
{
	struct local *l = state;
	struct sweep_end end;
	for (size_t i = 0; l->processes && i < l->at_once; i++)
		if (l->processes[i].pipe >= 0) {
			kill(l->processes[i].pid, SIGKILL);
			bury(&l->processes[i], &end);
		}
	free(l->processes);
	free(l->polls);
	free(l);
}

bool sweep_local(struct sweep_backend *b, size_t at_once, struct error *err)
{
	struct local *l = calloc(1, sizeof *l);
	*b = (struct sweep_backend){at_once, l, start, wait_for_one, destroy};
	if (l) {
		l->at_once = at_once;
		l->processes = calloc(at_once, sizeof *l->processes);
		l->polls = calloc(at_once, sizeof *l->polls);
	}
	if (!l || !l->processes || !l->polls) {
		if (l)
			destroy(l);
		b->state = NULL;
		return error_set(err, ERROR_SYSTEM, "out of memory for %zu simulations", at_once);
	}
	for (size_t i = 0; i < at_once; i++)
		l->processes[i].pipe = -1;
	return true;
}
