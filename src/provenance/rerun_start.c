/* Starting a command again with the standard streams that it had. Programs see what their streams lead to (the C
 * library buffers by it, for one), so that a file must be a file again and a pipe a pipe. What goes through them is the
 * user's business: input is read from where it was, output goes nowhere. */
#include "provenance/rerun.h"
#include "run/child.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const json_t *stream_of(const struct rerun *r, int fd)
{
	static const char *const names[] = {"input", "output", "error"};
	return json_object_get(json_object_get(r->provenance, "streams"), names[fd]);
}

static bool is_kind(const json_t *stream, const char *kind)
{
	const char *text = json_string_value(json_object_get(stream, "kind"));
	return text && !strcmp(text, kind);
}

static int64_t offset_of(const json_t *stream)
{
	return json_integer_value(json_object_get(stream, "offset"));
}

/* A process that copies everything from one end to the other, and ends with it. */
static int copy_through(int from, int to)
{
	char buffer[65536];
	ssize_t n;
	while ((n = read(from, buffer, sizeof buffer)) > 0 || (n < 0 && errno == EINTR))
		for (ssize_t done = 0, w; done < n; done += w) {
			w = write(to, buffer + done, (size_t)(n - done));
			if (w < 0 && errno != EINTR)
				return 1;
			w = w < 0 ? 0 : w;
		}
	return 0;
}

/* One end of a pipe; a process of its own serves the other. */
static int serve_pipe(int fd)
{
	int ends[2];
	if (pipe2(ends, O_CLOEXEC))
		return -1;
	bool reads = fd == STDIN_FILENO;
	int mine = ends[reads ? 0 : 1], theirs = ends[reads ? 1 : 0];
	pid_t helper = fork();
	if (helper == 0) {
		close(mine);
		int sink = fd == STDERR_FILENO ? STDERR_FILENO : open("/dev/null", O_WRONLY | O_CLOEXEC);
		_exit(reads ? copy_through(STDIN_FILENO, theirs) : copy_through(theirs, sink));
	}
	close(theirs);
	if (helper > 0)
		return mine;
	close(mine);
	return -1;
}

static int open_file(struct rerun *r, const json_t *stream, int fd)
{
	const char *path = json_string_value(json_object_get(stream, "path"));
	struct stat st;
	if (fd == STDIN_FILENO) {
		errno = EINVAL; /* no path, or no file */
		bool is_file = path && !stat(path, &st) && S_ISREG(st.st_mode);
		return is_file ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	}
	snprintf(r->stream[fd], sizeof r->stream[fd], "%s/stream-%d", r->folder, fd);
	return open(r->stream[fd], O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
}

/* *to: what becomes standard stream `fd`; -1 = closed. */
static bool open_stream(struct rerun *r, int fd, int *to, struct error *err)
{
	const json_t *stream = stream_of(r, fd);
	if (is_kind(stream, "closed")) {
		*to = -1;
		return true;
	}
	if (is_kind(stream, "file")) {
		*to = open_file(r, stream, fd);
		if (*to >= 0 && lseek(*to, offset_of(stream), SEEK_SET) >= 0)
			return true;
		const char *path = json_string_value(json_object_get(stream, "path"));
		return error_set(err, ERROR_INPUT, "%s: cannot be opened as it was: %s", path ? path : "?",
				 strerror(errno));
	}
	if (fd == STDIN_FILENO && is_kind(stream, "pipe") && isatty(STDIN_FILENO))
		return error_set(err, ERROR_USAGE,
				 "its input came through a pipe: give it again: culprit rerun %s <INPUT",
				 r->options.arguments[0]);
	if (is_kind(stream, "pipe"))
		*to = serve_pipe(fd);
	else if (is_kind(stream, "terminal") && isatty(fd))
		*to = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	else
		*to = open("/dev/null", (fd == STDIN_FILENO ? O_RDONLY : O_WRONLY) | O_CLOEXEC);
	return *to >= 0 || error_set(err, ERROR_SYSTEM, "cannot open the command's streams: %s", strerror(errno));
}

static void become(const struct rerun *r, const int streams[3])
{
	const char *directory = json_string_value(json_object_get(r->provenance, "directory"));
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (streams[fd] < 0 ? close(fd) : dup2(streams[fd], fd) < 0)
			_exit(125);
	if (directory && chdir(directory)) {
		dprintf(STDERR_FILENO, "culprit: %s: %s\n", directory, strerror(errno));
		_exit(125);
	}
	execv("/proc/self/exe", r->words);
	_exit(125);
}

bool rerun_start(struct rerun *r, int *status, struct error *err)
{
	int streams[3], ended;
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		TRY(open_stream(r, fd, &streams[fd], err));
	pid_t child = fork();
	if (child == 0)
		become(r, streams);
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (streams[fd] >= 0)
			close(streams[fd]);
	if (child < 0)
		return error_set(err, ERROR_SYSTEM, "cannot start a process: %s", strerror(errno));
	TRY(child_wait(child, &ended, err));
	*status = WIFEXITED(ended) ? WEXITSTATUS(ended) : 128 + WTERMSIG(ended);
	return true;
}
