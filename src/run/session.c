#include "run/session.h"

#include "analysis/pipe.h"
#include "machine/plugin.h"
#include "riscv/trace.h"
#include "riscv/vector.h"
#include "run/confine.h"
#include "run/ideal.h"
#include "run/killed.h"
#include "run/point.h"
#include "run/progress.h"
#include "run/trace.h"
#include "with/places.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool session_machine(struct machine *m, const struct options *o, struct error *err)
{
	TRY(machine_load(m, o->machine ? o->machine : OPTION_DEFAULT_MACHINE, err));
	for (size_t i = 0; i < o->sets.count; i++)
		TRY(machine_set(m, o->sets.items[i], err));
	TRY(ideal_classes(o->ideal, &m->ideal, err));
	if (o->predictor) {
		TRY(plugins_add_predictor(&m->plugins, o->predictor, err));
		m->branch_predictor = direction_predictor_static_; /* the machine's own takes no part */
	}
	for (size_t i = 0; i < o->prefetchers.count; i++)
		TRY(plugins_add_prefetcher(&m->plugins, o->prefetchers.items[i], err));
	return machine_check(m, m->name, err);
}

bool session_refuse_terminal(struct error *err)
{
	if (!isatty(STDIN_FILENO))
		return true;
	int null = open("/dev/null", O_RDONLY);
	if (null < 0 || dup2(null, STDIN_FILENO) < 0)
		return error_set(err, ERROR_SYSTEM, "cannot open /dev/null");
	close(null);
	fputs("culprit: standard input is a terminal: the program gets an empty one (give it a file or a pipe)\n",
	      stderr);
	return true;
}

static bool same_name(const char *a, const char *b)
{
	size_t length = strcspn(a, "=");
	return strcspn(b, "=") == length && !strncmp(a, b, length);
}

/* The last one with a name wins. */
static bool replaced(const char *variable, const struct text_list *env, size_t from)
{
	for (size_t i = from; i < env->count; i++)
		if (same_name(variable, env->items[i]))
			return true;
	return false;
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
	for (size_t i = 0; i < FIXED; i++)
		if (!replaced(fixed[i], &o->env, 0))
			s->environment[n++] = (char *)fixed[i];
	for (size_t j = 0; j < o->env.count; j++) {
		const char *item = o->env.items[j];
		if (!strchr(item, '=') || *item == '=')
			return error_set(err, ERROR_USAGE, "--env %s: expected NAME=VALUE", item);
		if (!replaced(item, &o->env, j + 1))
			s->environment[n++] = (char *)item;
	}
	return true;
}

enum { MEMORY_LEAST = 16 << 20 };

static bool parse_isa(const char *name, uint32_t vlen, struct riscv_isa *isa, struct error *err)
{
	*isa = (struct riscv_isa){.vlen = vlen ? vlen : RISCV_VLEN_LEAST};
	if (name && !riscv_isa_named(name, isa))
		return error_set(err, ERROR_USAGE, "--isa %s: none of %s", name, riscv_isa_names());
	if (vlen > RISCV_VLEN_LEAST && vlen != isa->vlen)
		return error_set(err, ERROR_USAGE,
				 "--isa %s: registers of %u bits, and the machine's vector.vlen is %u", name, isa->vlen,
				 vlen);
	return true;
}

bool session_guest(struct session *s, const struct options *o, struct error *err)
{
	if (!o->arguments[0])
		return error_set(err, ERROR_USAGE, "no program given: culprit ... -- PROG [ARG...]");
	TRY(trace_check(o, err));
	TRY(build_environment(s, o, err));
	struct riscv_isa isa;
	if (o->memory && o->memory < MEMORY_LEAST)
		return error_set(err, ERROR_USAGE, "--memory: at least 16M: the stack alone has 8M");
	const char *name = o->isa ? o->isa : riscv_isa_name(s->machine.core_isa);
	TRY(parse_isa(name, s->machine.vector_vlen, &isa, err));
	struct guest_options g = {
		.program = trace_program(o),
		.argv = o->arguments,
		.envp = s->environment,
		.sysroot = o->sysroot,
		.writable = o->writable.count ? o->writable.items : NULL,
		.readable = o->readable.count ? o->readable.items : NULL,
		.seed = o->guest_seed,
		.memory = o->memory,
		.isa = isa,
		.one_process = o->one_process,
		.strace = o->strace,
		.interrupted = interrupt_seen,
	};
	if (!o->checkpoint)
		s->warmup = o->warmup;
	if (s->checkpoints.count)
		TRY(session_restore(s, o, &g, err));
	else
		s->guest = guest_create(&g, err);
	if (!s->guest || (o->trace && !(s->trace = trace_open(s->guest, o, err))))
		return false;
	if (!o->unconfined)
		confine(); /* a host that has no such thing does without */
	return true;
}

static bool find_place(struct session *s, const char *option, const char *text, uint64_t *pc, struct error *err)
{
	char *end;
	errno = 0;
	*pc = strtoull(text, &end, 0);
	if (end != text && !*end && !errno)
		return true;
	if (guest_symbol_address(s->guest, text, pc))
		return true;
	struct nearest near;
	places_nearest(s->guest, text, &near);
	return error_set(err, ERROR_USAGE, "--%s %s: neither an address nor a symbol of the program or its libraries%s",
			 option, text, nearest_hint(&near));
}

/* The place, of the process that runs now. */
static bool here(struct session *s, const char *option, const struct point *p, struct guest_point *to,
		 struct error *err)
{
	*to = (struct guest_point){.at = {.pc = RISCV_NOWHERE, .raw = p->encoding}, .left = p->times};
	if (!p->encoding)
		TRY(find_place(s, option, p->place, &to->at.pc, err));
	if (!p->encoding || p->program)
		to->at.space = riscv_code_space_number(guest_code(s->guest));
	return true;
}

enum guest_state session_go_on(session_advance *forward, void *context, const struct options *o, const char *doing,
			       uint64_t most, uint64_t *done, bool *there)
{
	struct progress progress;
	enum guest_state state = GUEST_RUNNING;
	progress_begin(&progress, doing, most == UINT64_MAX ? 0 : most, o->quiet);
	*done = 0;
	while (state == GUEST_RUNNING && *done < most && !*there && !interrupt_seen()) {
		uint64_t executed, step = most - *done < PROGRESS_STEP ? most - *done : PROGRESS_STEP;
		state = forward(context, step, &executed, there);
		*done += executed;
		progress_update(&progress, *done);
	}
	progress_end(&progress);
	return state;
}

/* The program's input may end with Ctrl-C, and the program with its input: that is no error. */
static bool goes_on(enum guest_state state)
{
	return state == GUEST_RUNNING || interrupt_seen();
}

static enum guest_state skip(void *context, uint64_t step, uint64_t *executed, bool *there)
{
	struct session *s = context;
	(void)there;
	return guest_run(s->guest, step, executed);
}

static enum guest_state approach(void *context, uint64_t step, uint64_t *executed, bool *there)
{
	struct session *s = context;
	return guest_run_until(s->guest, &s->start, step, executed, there);
}

static enum guest_state warm(void *context, uint64_t step, uint64_t *executed, bool *there)
{
	struct session *s = context;
	(void)there;
	return core_warm(s->core, step, executed);
}

static bool too_short(const struct session *s, const char *option, const char *asked, const char *what,
		      struct error *err)
{
	struct report_killed killed;
	char how[400] = "";
	TRY(killed_find(&killed, s->guest, err));
	killed_line(&killed, how, sizeof how);
	return error_set(err, ERROR_USAGE, "--%s %s: the program ended after %llu instructions%s%s%s%s%s", option,
			 asked, (unsigned long long)(s->skipped + s->warmed), what, *how ? ": " : "", killed.program,
			 *killed.program ? ": " : "", how);
}

bool session_too_short(const struct session *s, const char *option, uint64_t asked, struct error *err)
{
	char number[24];
	snprintf(number, sizeof number, "%llu", (unsigned long long)asked);
	return too_short(s, option, number, ", before the region began", err);
}

/* To s->start; program: where that is the start of a program of this name. */
static bool go_to(struct session *s, const struct options *o, const char *program, struct error *err)
{
	bool reached = false;
	uint64_t executed;
	enum guest_state state = session_go_on(approach, s, o, "skipping: ", UINT64_MAX, &executed, &reached);
	s->skipped += executed;
	if (goes_on(state) || reached)
		return true;
	if (program) {
		char what[300];
		snprintf(what, sizeof what, ", before a program called %.200s was started%s", program,
			 s->start.left == 1 ? "" : " so often");
		return too_short(s, "start-at", o->start_at, what, err);
	}
	return too_short(s, "start-at", o->start_at, " without getting there", err);
}

/* A symbol of a library has no address before the dynamic linker has mapped it: to the program's own beginning. Not of
 * a checkpoint's process, which is somewhere behind that. */
static bool to_libraries(struct session *s, const struct options *o, const struct point *p, struct error *err)
{
	uint64_t pc, entry;
	if (p->encoding || (s->checkpoints.count && !p->program) || find_place(s, "start-at", p->place, &pc, err))
		return true;
	if (!guest_program_entry(s->guest, &entry))
		return false;
	*err = (struct error){0};
	s->start = (struct guest_point){.at = {.pc = entry, .space = riscv_code_space_number(guest_code(s->guest))},
					.left = 1};
	return go_to(s, o, NULL, err);
}

static bool start_at(struct session *s, const struct options *o, struct error *err)
{
	struct point p;
	TRY(point_parse(&p, "start-at", o->start_at, err));
	if (p.program) {
		s->start = (struct guest_point){.program = p.program, .left = p.begun};
		TRY(go_to(s, o, p.program, err));
	}
	if (!p.place || interrupt_seen())
		return true;
	TRY(to_libraries(s, o, &p, err));
	if (interrupt_seen())
		return true;
	TRY(here(s, "start-at", &p, &s->start, err));
	return go_to(s, o, NULL, err);
}

static bool is_there(struct guest *g, const struct guest_point *point)
{
	uint64_t pc = guest_hart(g)->pc;
	uint32_t raw = 0;
	if (pc == point->at.pc)
		return true;
	return point->at.raw && address_space_read(guest_memory(g), &raw, pc, (point->at.raw & 3) == 3 ? 4 : 2) &&
	       raw == point->at.raw;
}

bool session_stop(struct session *s, const struct options *o, struct guest_point *point, struct error *err)
{
	struct point p;
	*point = (struct guest_point){.left = 0};
	if (!o->stop_at)
		return true;
	TRY(point_parse(&p, "stop-at", o->stop_at, err));
	if (p.program)
		return error_set(
			err, ERROR_USAGE,
			"--stop-at %s: it takes no program: it is a place of the one that runs when the region begins",
			o->stop_at);
	TRY(here(s, "stop-at", &p, point, err));
	point->left += is_there(s->guest, point); /* a region that begins at the place does not end there at once */
	return true;
}

void session_note_stop(const struct session *s, const struct options *o)
{
	if (o->stop_at && guest_ended(s->guest))
		fprintf(stderr, "culprit: --stop-at %s: the program ended without getting there\n", o->stop_at);
}

bool session_skip(struct session *s, const struct options *o, struct error *err)
{
	if (o->start_at)
		TRY(start_at(s, o, err));
	uint64_t executed, most = s->lead + (s->checkpoints.count && !o->checkpoint ? 0 : o->skip);
	if (!most)
		return true;
	if (s->trace) {
		s->skipped = o->skip;
		return trace_skip(s->trace, s->guest, o->skip, err);
	}
	bool there = false;
	enum guest_state state = session_go_on(skip, s, o, "skipping: ", most, &executed, &there);
	s->skipped += executed;
	return goes_on(state) || session_too_short(s, "skip", o->skip, err);
}

bool session_core(struct session *s, const struct options *o, struct error *err)
{
	s->core = core_create(&s->machine, s->guest, err);
	if (!s->core)
		return false;
	bool there = false;
	if (s->warmup && !goes_on(session_go_on(warm, s, o, "warming up: ", s->warmup, &s->warmed, &there)))
		return session_too_short(s, "warmup", s->warmup, err);
	TRY(ideal_places(o->ideal, s->guest, s->core, err));
	const struct commit_stack_params params = commit_stack_of(&s->machine);
	if (o->json_code != OPTION_NOT_GIVEN && !o->parts) /* a part does not know what is open */
		calls_create(&s->calls, &params);
	core_limit(s->core, o->parts ? 0 : o->max_insns); /* of the region, not of a part */
	if (s->trace)
		core_follow(s->core, &s->trace->follow);
	struct guest_point stop;
	TRY(session_stop(s, o, &stop, err));
	if (stop.left)
		core_stop_at(s->core, &stop);
	return true;
}

void session_without_core(struct session *s)
{
	riscv_code_trace(guest_code(s->guest), false);
}

enum guest_state session_functional(struct session *s, const struct options *o, uint64_t *executed)
{
	bool there = false;
	return session_go_on(skip, s, o, "", o->max_insns ? o->max_insns : UINT64_MAX, executed, &there);
}

void session_destroy(struct session *s)
{
	pipe_destroy(s->pipe);
	calls_destroy(&s->calls);
	analyses_destroy(&s->analyses);
	core_destroy(s->core);
	trace_destroy(s->trace);
	if (s->guest)
		guest_destroy(s->guest);
	checkpoint_file_destroy(&s->checkpoints);
	plugins_destroy(s->machine.plugins);
	free(s->environment);
}
