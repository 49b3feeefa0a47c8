/* culprit profilers: one simulation, sampled by profilers as practised; how wrong each is. `culprit run --with
 * profilers` has the same tables among others. */
#include "base/output.h"
#include "base/plain.h"
#include "cli/commands.h"
#include "run/killed.h"
#include "run/progress.h"
#include "provenance/provenance.h"
#include "run/session.h"
#include "with/places.h"
#include "report/format.h"
#include "report/terminal.h"

#include <stdlib.h>

struct profilers_command {
	struct options options; /* first */
	struct session session;
	struct symbols *symbols;
	struct provenance provenance;
	struct report_killed killed;
};

static bool look(void *context, uint64_t committed)
{
	progress_update(context, committed);
	return !interrupt_seen();
}

static bool reach_region(struct profilers_command *c, struct error *err)
{
	struct session *s = &c->session;
	const struct options *o = &c->options;
	const struct analysis_context context = {.options = o, .machine = &s->machine};
	TRY(options_check_outputs(o, err));
	TRY(session_machine(&s->machine, o, err));
	TRY(analyses_create(&s->analyses, "profilers", &context, err));
	TRY(session_guest(s, o, err));
	TRY(session_skip(s, o, err));
	TRY(session_core(s, o, err));
	TRY(analyses_start(&s->analyses, s->guest, err));
	return session_listen(s, pipe_processors() > 1, err);
}

static bool simulate(struct profilers_command *c, struct error *err)
{
	struct progress progress;
	progress_begin(&progress, "", c->options.max_insns, c->options.quiet);
	bool good = session_run(&c->session, PROGRESS_STEP, look, &progress, err);
	progress_end(&progress);
	session_note_stop(&c->session, &c->options);
	return good;
}

static bool finish(struct profilers_command *c, struct error *err)
{
	const struct core_statistics *s = core_statistics(c->session.core);
	TRY(killed_find(&c->killed, c->session.guest, err));
	killed_say(&c->killed, c->options.arguments[0]);
	TRY(c->symbols = places_symbols(c->session.guest, &c->options, err));
	const struct analysis_totals totals = {
		s->cycles, s->committed, c->symbols, NULL, places_code(c->session.guest), c->session.guest};
	return analyses_finish(&c->session.analyses, &totals, err);
}

static void print_text(const struct profilers_command *c, FILE *out)
{
	const struct core_statistics *s = core_statistics(c->session.core);
	const struct report_view all = {.verbose = true};
	char n[64], program[4096];
	fprintf(out, "culprit %s: %s on %s\n", CULPRIT_VERSION,
		plain_copy(c->options.arguments[0], program, sizeof program), c->session.machine.name);
	if (interrupt_seen())
		fprintf(out, "  *** interrupted: the figures are of the part that was simulated\n");
	fprintf(out, "  %s", format_counted(s->committed, "instruction", n));
	fprintf(out, ", %s\n", format_counted(s->cycles, "cycle", n));
	analyses_text(&c->session.analyses, &all, out);
}

/* The guest's own; none: the region ended before the program. */
static json_t *guest_status(const struct profilers_command *c)
{
	bool ended = core_guest_state(c->session.core) != GUEST_RUNNING;
	return ended ? json_integer(guest_exit_status(c->session.guest)) : json_null();
}

static bool write_json(struct profilers_command *c, struct error *err)
{
	if (!c->options.json)
		return true;
	const struct core_statistics *s = core_statistics(c->session.core);
	json_t *root = json_pack("{s:s, s:s, s:s, s:o, s:b, s:I, s:I, s:I}", "culprit", CULPRIT_VERSION, "machine",
				 c->session.machine.name, "program", c->options.arguments[0], "exit_status",
				 guest_status(c), "complete", !interrupt_seen(), "skipped",
				 (json_int_t)c->session.skipped, "warmed", (json_int_t)c->session.warmed,
				 "instructions", (json_int_t)s->committed);
	if (root)
		analyses_json(&c->session.analyses, root);
	if (!provenance_add_guest(&c->provenance, c->session.guest, err)) {
		json_decref(root);
		return false;
	}
	return provenance_write(&c->provenance, &c->session.machine, root, c->options.json, err);
}

static bool profilers(void *state, int *status, struct error *err)
{
	struct profilers_command *c = state;
	provenance_begin(&c->provenance, &c->options, FOR_PROFILERS);
	TRY(provenance_check(&c->provenance, err));
	TRY(reach_region(c, err));
	TRY(simulate(c, err));
	TRY(finish(c, err));
	TRY(write_json(c, err));
	TRY(REPORT_WRITE(c->options.output, stderr, print_text, c, err));
	if (interrupt_seen())
		*status = interrupt_status();
	else if (core_guest_state(c->session.core) != GUEST_RUNNING)
		*status = guest_exit_status(c->session.guest);
	return true;
}

static void destroy(void *state)
{
	struct profilers_command *c = state;
	session_destroy(&c->session);
	symbols_destroy(c->symbols);
	provenance_destroy(&c->provenance);
}

const struct command command_profilers = {
	.user = FOR_PROFILERS,
	.interruptible = true,
	.size = sizeof(struct profilers_command),
	.run = profilers,
	.destroy = destroy,
};
