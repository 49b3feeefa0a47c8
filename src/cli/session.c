#include "cli/session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_MACHINE "eyerman2009-4w"

bool session_machine(struct machine *m, const struct options *o, struct error *err)
{
	TRY(machine_load(m, o->machine ? o->machine : DEFAULT_MACHINE, err));
	for (size_t i = 0; i < o->sets.count; i++)
		TRY(machine_set(m, o->sets.items[i], err));
	if (o->ideal) {
		culprit_event_set set;
		TRY(culprit_event_set_parse(o->ideal, &set, err));
		m->ideal |= set;
	}
	return machine_check(m, m->name, err);
}

/* A small fixed environment, so that a run does not depend on the user's, and --env. */
static bool build_environment(struct session *s, const struct options *o, struct error *err)
{
	static const char *const fixed[] = {"PATH=/usr/local/bin:/usr/bin:/bin:/usr/games",
					    "HOME=/",
					    "LANG=C.UTF-8",
					    "LC_ALL=C.UTF-8",
					    "TERM=dumb",
					    "USER=guest"};
	enum { FIXED = sizeof fixed / sizeof fixed[0] };
	s->environment = calloc(FIXED + o->env.count + 1, sizeof *s->environment);
	if (!s->environment)
		return error_set(err, ERROR_SYSTEM, "out of memory for the environment");
	size_t n = 0;
	for (size_t i = 0; i < FIXED; i++) {
		size_t name = (size_t)(strchr(fixed[i], '=') - fixed[i]) + 1;
		bool replaced = false;
		for (size_t j = 0; j < o->env.count; j++)
			replaced |= !strncmp(fixed[i], o->env.items[j], name);
		if (!replaced)
			s->environment[n++] = (char *)fixed[i];
	}
	for (size_t j = 0; j < o->env.count; j++) {
		if (!strchr(o->env.items[j], '='))
			return error_set(err, ERROR_USAGE, "--env %s: expected NAME=VALUE", o->env.items[j]);
		s->environment[n++] = (char *)o->env.items[j];
	}
	return true;
}

bool session_guest(struct session *s, const struct options *o, struct error *err)
{
	if (!o->arguments[0])
		return error_set(err, ERROR_USAGE, "no program given: culprit ... -- PROG [ARG...]");
	TRY(build_environment(s, o, err));
	struct guest_options g = {
		.program = o->arguments[0],
		.argv = o->arguments,
		.envp = s->environment,
		.sysroot = o->sysroot,
		.writable = o->writable.count ? o->writable.items : NULL,
		.readable = o->readable.count ? o->readable.items : NULL,
		.seed = o->seed,
		.strace = o->strace,
	};
	s->guest = guest_create(&g, err);
	return s->guest != NULL;
}

static bool parse_place(struct session *s, const char *option, const char *text, uint64_t *pc, struct error *err)
{
	char *end;
	errno = 0;
	*pc = strtoull(text, &end, 0);
	if (end != text && !*end && !errno)
		return true;
	if (guest_symbol_address(s->guest, text, pc))
		return true;
	return error_set(err, ERROR_USAGE, "--%s %s: neither an address nor a symbol of the program or its libraries",
			 option, text);
}

bool session_skip(struct session *s, const struct options *o, struct error *err)
{
	uint64_t executed = 0;
	enum guest_state state = GUEST_RUNNING;
	if (o->start_at) {
		uint64_t pc;
		bool reached;
		TRY(parse_place(s, "start-at", o->start_at, &pc, err));
		state = guest_run_until(s->guest, pc, UINT64_MAX, &executed, &reached);
		s->skipped += executed;
		if (!reached)
			return error_set(
				err, ERROR_USAGE,
				"--start-at %s: the program ended after %llu instructions without getting there",
				o->start_at, (unsigned long long)executed);
	}
	if (o->skip && state == GUEST_RUNNING) {
		state = guest_run(s->guest, o->skip, &executed);
		s->skipped += executed;
	}
	s->ended = state != GUEST_RUNNING;
	return true;
}

bool session_core(struct session *s, const struct options *o, struct error *err)
{
	s->core = core_create(&s->machine, s->guest, err);
	if (!s->core)
		return false;
	if (o->warmup && !s->ended)
		s->ended = core_warm(s->core, o->warmup, &s->warmed) != GUEST_RUNNING;
	core_limit(s->core, o->max_insns);
	if (o->stop_at) {
		uint64_t pc;
		TRY(parse_place(s, "stop-at", o->stop_at, &pc, err));
		core_stop_at(s->core, pc);
	}
	return true;
}

void session_destroy(struct session *s)
{
	core_destroy(s->core);
	if (s->guest)
		guest_destroy(s->guest);
	free(s->environment);
}
