#include "truth/pool.h"

#include "run/progress.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { POLL_MILLISECONDS = 200, PATIENCE = 10 /* seconds from asking a child to stop to making it */ };

enum message_kind { MESSAGE_PROGRESS, MESSAGE_DONE, MESSAGE_FAILED, MESSAGE_STOPPED };

/* One write, so that it arrives whole. */
struct message {
	uint64_t kind, progress;
	union {
		struct error why;
		unsigned char result[POOL_RESULT_MAX];
	};
};
_Static_assert(sizeof(struct message) <= 4096, "PIPE_BUF: written in one piece");

bool pool_create(struct pool *p, size_t count, struct error *err)
{
	p->jobs = calloc(count, sizeof *p->jobs);
	p->polls = calloc(count, sizeof *p->polls);
	p->count = count;
	if (!p->jobs || !p->polls)
		return error_set(err, ERROR_SYSTEM, "out of memory for %zu simulations", count);
	for (size_t i = 0; i < count; i++)
		p->jobs[i].pipe = -1;
	return true;
}

void pool_destroy(struct pool *p)
{
	free(p->jobs);
	free(p->polls);
	p->jobs = NULL;
	p->polls = NULL;
	p->count = 0;
}

size_t pool_count(const struct pool *p, enum pool_state state)
{
	size_t n = 0;
	for (size_t i = 0; i < p->count; i++)
		n += p->jobs[i].state == state;
	return n;
}

/* --- in the child --- */

static bool send(const struct pool *p, const struct message *m)
{
	ssize_t put;
	do
		put = write(p->answer, m, sizeof *m);
	while (put < 0 && errno == EINTR);
	return put == (ssize_t)sizeof *m;
}

bool pool_report(struct pool *p, uint64_t progress)
{
	struct message m = {.kind = MESSAGE_PROGRESS, .progress = progress};
	p->stopped = interrupt_seen() || !send(p, &m);
	return !p->stopped;
}

/* A terminal's Ctrl-C, and its end, go to every process of the group: the parent decides, and asks by SIGTERM. */
static void leave_signals_to_parent(pid_t parent)
{
	signal(SIGINT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(1);
}

static _Noreturn void be_child(struct pool *p, size_t job, pid_t parent)
{
	leave_signals_to_parent(parent);
	struct message m = {.kind = MESSAGE_DONE};
	struct error why = {0};
	if (!p->work(p, job, m.result, &why))
		m = (struct message){.kind = p->stopped ? MESSAGE_STOPPED : MESSAGE_FAILED, .why = why};
	_exit(send(p, &m) ? 0 : 1);
}

/* --- in the parent --- */

static bool start(struct pool *p, size_t job, struct error *err)
{
	int ends[2];
	if (pipe2(ends, O_CLOEXEC))
		return error_set(err, ERROR_SYSTEM, "cannot make a pipe: %s", strerror(errno));
	pid_t parent = getpid(), pid = fork();
	if (pid == 0) {
		close(ends[0]);
		p->answer = ends[1];
		be_child(p, job, parent);
	}
	close(ends[1]);
	if (pid < 0) {
		error_set(err, ERROR_SYSTEM, "cannot start a process: %s", strerror(errno));
		close(ends[0]);
		return false;
	}
	p->jobs[job].pid = pid;
	p->jobs[job].pipe = ends[0];
	p->jobs[job].state = POOL_RUNNING;
	return true;
}

static void fail(struct pool_job *job, const struct error *why)
{
	job->state = POOL_FAILED;
	job->why = *why;
}

/* The child has closed its pipe. Without a last word, how it ended is all that can be told. */
static void bury(struct pool_job *job)
{
	int status = 0;
	close(job->pipe);
	job->pipe = -1;
	while (waitpid(job->pid, &status, 0) < 0 && errno == EINTR)
		;
	job->pid = 0;
	if (job->state != POOL_RUNNING)
		return;
	job->state = POOL_FAILED;
	if (WIFSIGNALED(status))
		error_set(&job->why, ERROR_SYSTEM, "its process was ended by signal %d (%s)%s", WTERMSIG(status),
			  strsignal(WTERMSIG(status)), WTERMSIG(status) == SIGKILL ? ": out of memory, perhaps" : "");
	else
		error_set(&job->why, ERROR_SYSTEM, "its process ended with status %d and no result",
			  WEXITSTATUS(status));
}

static void hear(struct pool_job *job)
{
	struct message m;
	size_t have = 0;
	while (have < sizeof m) {
		ssize_t got = read(job->pipe, (char *)&m + have, sizeof m - have);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0) {
			bury(job);
			return;
		}
		have += (size_t)got;
	}
	switch ((enum message_kind)m.kind) {
	case MESSAGE_PROGRESS:
		job->progress = m.progress;
		break;
	case MESSAGE_DONE:
		job->state = POOL_DONE;
		memcpy(job->result, m.result, sizeof job->result);
		break;
	case MESSAGE_FAILED:
		fail(job, &m.why);
		break;
	case MESSAGE_STOPPED:
		job->state = POOL_STOPPED;
		break;
	}
}

/* Wait for a word from any child, a signal, or a fifth of a second. */
static void listen_once(struct pool *p)
{
	for (size_t i = 0; i < p->count; i++) /* poll passes over those without a pipe: -1 */
		p->polls[i] = (struct pollfd){.fd = p->jobs[i].pipe, .events = POLLIN};
	if (poll(p->polls, p->count, POLL_MILLISECONDS) > 0)
		for (size_t i = 0; i < p->count; i++)
			if (p->polls[i].revents)
				hear(&p->jobs[i]);
}

static size_t alive(const struct pool *p)
{
	size_t n = 0;
	for (size_t i = 0; i < p->count; i++)
		n += p->jobs[i].pipe >= 0;
	return n;
}

/* Without one of two things a job that cannot start fails alone: another is running (memory may come free), or some
 * have finished. */
static bool start_some(struct pool *p, struct error *err)
{
	for (size_t i = 0; i < p->count && alive(p) < p->at_once; i++) {
		if (p->jobs[i].state != POOL_WAITING || start(p, i, err))
			continue;
		if (alive(p))
			return true;
		if (!pool_count(p, POOL_DONE))
			return false;
		fail(&p->jobs[i], err);
	}
	return true;
}

static void send_all(struct pool *p, int number)
{
	for (size_t i = 0; i < p->count; i++)
		if (p->jobs[i].pipe >= 0)
			kill(p->jobs[i].pid, number);
}

static void stop(struct pool *p)
{
	double asked = progress_clock();
	bool killed = false;
	send_all(p, SIGTERM);
	while (alive(p)) {
		listen_once(p);
		if (!killed && progress_clock() - asked > PATIENCE) {
			send_all(p, SIGKILL);
			killed = true;
		}
	}
	for (size_t i = 0; i < p->count; i++)
		if (p->jobs[i].state == POOL_WAITING || (killed && p->jobs[i].state == POOL_FAILED))
			p->jobs[i].state = POOL_STOPPED;
}

bool pool_run(struct pool *p, struct error *err)
{
	while (!interrupt_seen()) {
		TRY(start_some(p, err));
		if (!alive(p))
			return true;
		listen_once(p);
		if (p->watch)
			p->watch(p);
	}
	stop(p);
	return true;
}
