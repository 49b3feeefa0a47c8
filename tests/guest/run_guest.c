/* A tiny driver for the guest tests: run a program functionally; its exit status is the guest's.
 * run_guest [--sysroot D] [--writable D] [--readable D] [--strace] [--seed N] [--count] [--until SYMBOL]
 *           [--fork-at N] [--slice N] PROG ARGS
 * --fork-at: after N instructions, two isolated children go on beside the parent; all must end alike.
 * --slice: run so many instructions at a time, which must make no difference. */
#include "guest/guest.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct settings {
	struct guest_options options;
	const char *writable[16], *readable[16];
	const char *until;
	bool count;
	uint64_t fork_at, slice;
};

static int parse(struct settings *s, int argc, char **argv)
{
	size_t writable = 0, readable = 0;
	int i = 1;

	for (; i < argc && !strncmp(argv[i], "--", 2); i++) {
		const char *value = i + 1 < argc ? argv[i + 1] : "";

		if (!strcmp(argv[i], "--strace")) {
			s->options.strace = true;
			continue;
		}
		if (!strcmp(argv[i], "--count")) {
			s->count = true;
			continue;
		}
		if (!strcmp(argv[i], "--"))
			return i + 1;
		if (!strcmp(argv[i], "--sysroot"))
			s->options.sysroot = value;
		else if (!strcmp(argv[i], "--writable") && writable < 15)
			s->writable[writable++] = value;
		else if (!strcmp(argv[i], "--readable") && readable < 15)
			s->readable[readable++] = value;
		else if (!strcmp(argv[i], "--seed"))
			s->options.seed = strtoull(value, NULL, 0);
		else if (!strcmp(argv[i], "--fork-at"))
			s->fork_at = strtoull(value, NULL, 0);
		else if (!strcmp(argv[i], "--slice"))
			s->slice = strtoull(value, NULL, 0);
		else if (!strcmp(argv[i], "--until"))
			s->until = value;
		else
			return argc;
		i++;
	}
	return i;
}

static void run_until(struct guest *guest, const char *symbol)
{
	struct guest_point point = {.left = 1};
	uint64_t executed;
	bool reached;

	if (!guest_symbol_address(guest, symbol, &point.at.pc)) {
		fprintf(stderr, "run_guest: no symbol %s\n", symbol);
		return;
	}
	guest_run_until(guest, &point, UINT64_MAX, &executed, &reached);
	fprintf(stderr, "%s %s after %" PRIu64 " instructions\n", symbol, reached ? "reached" : "not reached",
		executed);
}

/* How it ended, in one number. */
static uint64_t finish(struct guest *guest)
{
	const struct riscv_hart *hart = guest_hart(guest);
	uint64_t executed, sum;

	while (guest_run(guest, UINT64_MAX, &executed) == GUEST_RUNNING)
		;
	sum = hart->instret ^ (uint64_t)guest_exit_status(guest) << 56;
	for (int i = 1; i < 64; i++)
		sum = sum * 31 + hart->r[i];
	return sum;
}

static pid_t start_child(struct guest *guest, int *result)
{
	struct error err;
	int ends[2];
	pid_t child;

	if (pipe(ends))
		return -1;
	child = fork();
	if (!child) {
		uint64_t sum = guest_isolate(guest, &err) ? finish(guest) : 0;
		bool told = write(ends[1], &sum, sizeof(sum)) == sizeof(sum);

		guest_destroy(guest);
		_exit(!told);
	}
	close(ends[1]);
	*result = ends[0];
	return child;
}

/* The children run at the same time as the parent, which must make no difference to any. */
static bool run_forked(struct guest *guest, uint64_t at)
{
	struct error err;
	int results[2];
	uint64_t sums[2] = {0, 0}, own, executed;
	bool same;

	if (guest_run(guest, at, &executed) != GUEST_RUNNING)
		return true;
	if (!guest_prepare_fork(guest, &err)) {
		fprintf(stderr, "run_guest: %s\n", err.text);
		return false;
	}
	for (int i = 0; i < 2; i++)
		if (start_child(guest, &results[i]) < 0)
			return false;
	own = finish(guest);
	for (int i = 0; i < 2; i++)
		if (read(results[i], &sums[i], sizeof(sums[i])) != sizeof(sums[i]))
			sums[i] = 0;
	while (wait(NULL) > 0)
		;
	same = sums[0] == own && sums[1] == own;
	if (!same)
		fprintf(stderr, "run_guest: a forked simulation ended differently\n");
	return same;
}

int main(int argc, char **argv)
{
	struct settings s = {0};
	int program = parse(&s, argc, argv), status;
	struct error err = {0};
	uint64_t executed;
	struct guest *guest;

	if (program >= argc) {
		fprintf(stderr,
			"usage: run_guest [--sysroot D] [--writable D] [--readable D] [--strace] [--seed N] [--count] "
			"[--until SYMBOL] [--fork-at N] [--slice N] PROG ARGS\n");
		return 125;
	}
	s.options.program = argv[program];
	s.options.argv = argv + program;
	if (s.writable[0])
		s.options.writable = s.writable;
	if (s.readable[0])
		s.options.readable = s.readable;
	guest = guest_create(&s.options, &err);
	if (!guest) {
		fprintf(stderr, "run_guest: %s\n", err.text);
		return error_exit_status(&err);
	}
	if (s.until)
		run_until(guest, s.until);
	if (s.fork_at && !run_forked(guest, s.fork_at))
		return 125;
	while (guest_run(guest, s.slice ? s.slice : UINT64_MAX, &executed) == GUEST_RUNNING)
		;
	status = guest_exit_status(guest);
	if (s.count)
		fprintf(stderr, "%" PRIu64 " instructions\n", guest_hart(guest)->instret);
	guest_destroy(guest);
	return status;
}
