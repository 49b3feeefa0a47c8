/* A tiny driver for the guest tests: run a program functionally; its exit status is the guest's.
 * run_guest [--sysroot D] [--writable D] [--readable D] [--strace] [--seed N] [--count] [--until SYMBOL] PROG ARGS */
#include "guest/guest.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct settings {
	struct guest_options options;
	const char *writable[16], *readable[16];
	const char *until;
	bool count;
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
	uint64_t address, executed;
	bool reached;

	if (!guest_symbol_address(guest, symbol, &address)) {
		fprintf(stderr, "run_guest: no symbol %s\n", symbol);
		return;
	}
	guest_run_until(guest, address, UINT64_MAX, &executed, &reached);
	fprintf(stderr, "%s %s after %" PRIu64 " instructions\n", symbol, reached ? "reached" : "not reached", executed);
}

int main(int argc, char **argv)
{
	struct settings s = {0};
	int program = parse(&s, argc, argv), status;
	struct error err = {0};
	uint64_t executed;
	struct guest *guest;

	if (program >= argc) {
		fprintf(stderr, "usage: run_guest [--sysroot D] [--writable D] [--readable D] [--strace] [--seed N] [--count] "
				"[--until SYMBOL] PROG ARGS\n");
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
	while (guest_run(guest, UINT64_MAX, &executed) == GUEST_RUNNING)
		;
	status = guest_exit_status(guest);
	if (s.count)
		fprintf(stderr, "%" PRIu64 " instructions\n", guest_hart(guest)->instret);
	guest_destroy(guest);
	return status;
}
