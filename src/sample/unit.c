/* One sample, in a child process. */
#include "sample/learn.h"
#include "sample/snapshot.h"

#include "analysis/pipe.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <errno.h>
#include <signal.h>

enum { FAILED = 1 };

/* --- in the child --- */

static bool write_all(int fd, const char *text, size_t size)
{
	while (size) {
		ssize_t put = write(fd, text, size);
		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return false;
		text += put;
		size -= (size_t)put;
	}
	return true;
}

/* JSON, a zero byte, lessons, and the snapshot of places.c. Nobody is told anything after this. */
static bool measure_into(struct sample *s, int fd, struct error *err)
{
	core_flush_records(s->session.core);
	pipe_finish(s->session.pipe);
	json_t *measured = sample_measure(s, err);
	char *text = measured ? json_dumps(measured, JSON_COMPACT) : NULL;
	struct bytes places = {0};
	learn_write(s, &places);
	snapshot_write(&s->insn_cycles, &places);
	bool good = text && !places.failed && write_all(fd, text, strlen(text) + 1) &&
		    write_all(fd, (const char *)places.at, places.size);
	free(places.at);
	if (measured && !good)
		error_set(err, ERROR_SYSTEM, "a sample cannot be handed over: %s", strerror(errno));
	free(text);
	json_decref(measured);
	return good;
}

/* With analyses, a child of its own takes the snapshot: measuring ends them. */
static bool snapshot(struct sample *s, int fd, struct error *err)
{
	int status;
	if (!s->session.analyses.count)
		return measure_into(s, fd, err);
	pid_t pid = fork();
	if (pid < 0)
		return error_set(err, ERROR_SYSTEM, "cannot start a process: %s", strerror(errno));
	if (pid == 0) {
		bool good = measure_into(s, fd, err);
		if (!good)
			write_all(fd, err->text, strlen(err->text));
		_exit(good ? 0 : FAILED);
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return status == 0 || error_set(err, ERROR_SYSTEM, "a sample's first snapshot failed");
}

static bool listen(struct sample *s, struct error *err)
{
	const struct machine *m = &s->session.machine;
	const struct commit_stack_params params = commit_stack_of(m);
	TRY(insn_cycles_create(&s->insn_cycles, &params, 0, err));
	s->session.insn_cycles = &s->insn_cycles;
	TRY(analyses_start(&s->session.analyses, s->session.guest, err));
	return session_listen(&s->session, false, err);
}

bool sample_unit_simulate(struct sample *s, const int files[2], uint64_t warmup, uint64_t length, struct error *err)
{
	TRY(listen(s, err));
	enum core_stop stop = warmup ? core_run(s->session.core, warmup, err) : CORE_STOP_COUNT;
	if (stop == CORE_STOP_ERROR)
		return false;
	if (stop == CORE_STOP_ENDED)
		return true;
	if (warmup)
		TRY(snapshot(s, files[0], err));
	if (core_run(s->session.core, warmup + length, err) == CORE_STOP_ERROR)
		return false;
	TRY(guest_check(s->session.guest, err));
	return measure_into(s, files[1], err);
}

static _Noreturn void be_child(struct sample *s, const int files[2], uint64_t warmup, uint64_t length, pid_t parent)
{
	struct error err = {0};
	/* both go to the whole group at times: the parent decides */
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(FAILED);
	if (guest_isolate(s->session.guest, &err) && sample_unit_simulate(s, files, warmup, length, &err))
		_exit(0);
	if (ftruncate(files[1], 0) || lseek(files[1], 0, SEEK_SET) || !write_all(files[1], err.text, strlen(err.text)))
		_exit(FAILED);
	_exit(FAILED);
}

/* --- in the parent --- */

bool sample_unit_start(struct sample *s, struct sample_unit *u, uint64_t warmup, uint64_t length, struct error *err)
{
	pid_t parent = getpid();
	*u = (struct sample_unit){.files = {memfd_create("before", MFD_CLOEXEC), memfd_create("after", MFD_CLOEXEC)}};
	u->pid = u->files[0] < 0 || u->files[1] < 0 ? -1 : fork();
	if (u->pid == 0)
		be_child(s, u->files, warmup, length, parent);
	u->due = u->pid > 0;
	if (u->due)
		return true;
	u->pid = 0;
	error_set(err, ERROR_SYSTEM, "cannot start a sample: %s", strerror(errno));
	sample_unit_destroy(u);
	return false;
}

/* With a zero byte behind it. */
static char *read_part(int fd, struct file_part part)
{
	const size_t size = part.end - part.begin;
	char *text = calloc(size + 1, 1);
	if (text && pread(fd, text, size, (off_t)part.begin) != (ssize_t)size) {
		free(text);
		return NULL;
	}
	return text;
}

static struct file_part all_of(int fd)
{
	const off_t size = lseek(fd, 0, SEEK_END);
	return (struct file_part){.end = size < 0 ? 0 : (uint64_t)size};
}

/* The lessons of the later snapshot are those of both. */
bool sample_unit_read(struct sample_unit *u, unsigned which, int file, struct file_part part, struct error *err)
{
	const size_t length = part.end - part.begin;
	char *text = read_part(file, part);
	json_t *measured = text && *text ? json_loads(text, 0, NULL) : NULL;
	const size_t json = text ? strlen(text) : 0;
	struct bytes *places = &u->places[which];
	if (json < length) {
		struct cursor from = {.at = (const uint8_t *)text + json + 1, .left = length - json - 1};
		places->failed = !learn_read(u, &from);
		bytes_put_raw(places, from.at, from.left);
	}
	free(text);
	*(which ? &u->after : &u->before) = measured;
	return !places->failed || error_set(err, ERROR_SYSTEM, "out of memory for the samples' instructions");
}

bool sample_child_lost(int status, struct error *err)
{
	const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	if (!signal)
		return error_set(err, ERROR_SYSTEM, "a sample failed: without a word");
	return error_set(err, ERROR_SYSTEM, "a sample's process was ended by signal %d (%s)%s", signal,
			 strsignal(signal), signal == SIGKILL ? ": out of memory, perhaps" : "");
}

bool sample_unit_finish(struct sample_unit *u, int status, struct error *err)
{
	bool good = WIFEXITED(status) && !WEXITSTATUS(status);
	u->pid = 0;
	u->due = false;
	if (good) {
		for (unsigned i = 0; i < 2 && good; i++)
			good = sample_unit_read(u, i, u->files[i], all_of(u->files[i]), err);
	} else {
		char *why = WIFEXITED(status) ? read_part(u->files[1], all_of(u->files[1])) : NULL;
		sample_child_lost(status, err);
		if (why && *why)
			error_set(err, ERROR_SYSTEM, "a sample failed: %s", why);
		free(why);
	}
	for (size_t i = 0; i < 2; i++)
		close(u->files[i]);
	u->files[0] = u->files[1] = -1;
	return good;
}

void sample_unit_destroy(struct sample_unit *u)
{
	if (u->pid) {
		kill(u->pid, SIGKILL);
		while (waitpid(u->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	for (size_t i = 0; i < 2; i++)
		if (u->files[i] >= 0)
			close(u->files[i]);
	json_decref(u->before);
	json_decref(u->after);
	free(u->lessons);
	free(u->places[0].at);
	free(u->places[1].at);
	*u = (struct sample_unit){.files = {-1, -1}};
}
