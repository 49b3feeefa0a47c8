#include "sweep/slurm_queue.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- its commands --- */

/* A Ctrl-C of the terminal is this process's alone; when it is killed, a command that is half done is no use. */
static _Noreturn void become(const char *const *words, int out)
{
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (dup2(out, STDOUT_FILENO) >= 0 && dup2(out, STDERR_FILENO) >= 0)
		execvp(words[0], (char *const *)words);
	dprintf(STDERR_FILENO, "%s\n", strerror(errno));
	_exit(127);
}

static char *read_all(int pipe)
{
	char *text = NULL, buffer[4096];
	size_t size;
	FILE *to = open_memstream(&text, &size);
	ssize_t n;

	while ((n = read(pipe, buffer, sizeof buffer)) > 0 || (n < 0 && errno == EINTR))
		if (n > 0 && to)
			fwrite(buffer, 1, (size_t)n, to);
	if (to && !fclose(to))
		return text;
	free(text);
	return NULL;
}

/* The last line of what a command said is what it complains about. */
static bool complain(const char *command, char *text, struct error *err)
{
	size_t length = strlen(text);
	while (length && text[length - 1] == '\n')
		text[--length] = 0;
	const char *line = strrchr(text, '\n'), *why;
	line = line ? line + 1 : text;
	why = strstr(line, "error: ");
	return error_set(err, ERROR_SYSTEM, "%s: %.400s", command, why ? why + 7 : line);
}

/* *text: what it printed, to be freed. False: it could not be run, or failed. */
static bool ask(const char *const *words, char **text, struct error *err)
{
	int ends[2], status = -1;
	*text = NULL;
	if (pipe2(ends, O_CLOEXEC))
		return error_set(err, ERROR_SYSTEM, "%s: %s", words[0], strerror(errno));
	pid_t pid = fork();
	if (pid == 0)
		become(words, ends[1]);
	close(ends[1]);
	if (pid > 0)
		*text = read_all(ends[0]);
	close(ends[0]);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (pid < 0 || !*text)
		return error_set(err, ERROR_SYSTEM, "%s: cannot be started", words[0]);
	return !status || complain(words[0], *text, err);
}

/* --parsable: the last line is the job's number, with ";CLUSTER" where there are several. Who says anything else took
 * no job. */
static bool is_job(char *text, struct error *err)
{
	size_t length = strlen(text);
	while (length && text[length - 1] == '\n')
		text[--length] = 0;
	const char *line = strrchr(text, '\n');
	line = line ? line + 1 : text;
	const size_t digits = strspn(line, "0123456789");
	if (digits && (!line[digits] || line[digits] == ';'))
		return true;
	return error_set(err, ERROR_SYSTEM, "sbatch: expected the number of a job, and it said '%.200s'", line);
}

bool slurm_submit(const char *folder, const char *name, uint32_t count, struct error *err)
{
	char job[80], array[40], *text, *script = NULL;
	snprintf(job, sizeof job, "--job-name=%.60s", name);
	snprintf(array, sizeof array, "--array=1-%u", count);
	if (asprintf(&script, "%s/%s.sh", folder, name) < 0)
		return error_set(err, ERROR_SYSTEM, "out of memory for sbatch");
	const char *const words[] = {"sbatch",	   "--parsable",	 "--requeue",	      job,    array,
				     "--ntasks=1", "--output=/dev/null", "--error=/dev/null", script, NULL};
	bool good = ask(words, &text, err) && is_job(text, err);
	free(text);
	free(script);
	return good;
}

/* --- what became of it --- */

bool slurm_is_alive(const char *state)
{
	static const char *const ended[] = {"BOOT_FAIL", "CANCELLED", "COMPLETED",     "DEADLINE", "FAILED",
					    "NODE_FAIL", "PREEMPTED", "OUT_OF_MEMORY", "REVOKED",  "TIMEOUT"};
	for (size_t i = 0; i < sizeof ended / sizeof *ended; i++)
		if (!strcmp(state, ended[i]))
			return false;
	return true;
}

bool slurm_visit(const char *names, slurm_visitor *visit, void *context, struct error *err)
{
	char *text, *all = NULL, name[64], task[16], state[32];
	if (asprintf(&all, "--name=%s", names) < 0)
		return error_set(err, ERROR_SYSTEM, "out of memory for squeue");
	const char *const words[] = {"squeue", "--me", "--noheader", "--array", "--states=all", "--format=%j %K %T",
				     all,      NULL};
	bool good = ask(words, &text, err);
	for (char *line = text, *next; good && line && *line; line = next) {
		next = line + strcspn(line, "\n");
		if (*next)
			*next++ = 0;
		if (sscanf(line, "%63s %15s %31s", name, task, state) == 3)
			visit(context, name, (uint32_t)strtoul(task, NULL, 10), state);
	}
	free(text);
	free(all);
	return good;
}
