/* culprit record: a simulation whose records and log go to a file, for `culprit analyse`. */
#include "base/output.h"
#include "cli/commands.h"
#include "cli/recorded.h"
#include "record/record_file.h"
#include "run/progress.h"
#include "run/session.h"

#include <stdlib.h>
#include <string.h>

struct record_command {
	struct options options; /* first */
	struct session session;
	struct record_about about;
	struct record_writer *writer;
};

/* --- the simulation --- */

static void on_records(void *context, const struct culprit_record *records, size_t count)
{
	record_writer_records(context, records, count);
}

static void on_log(void *context, const struct culprit_log_part *part)
{
	record_writer_log(context, part);
}

static bool look(void *context, uint64_t committed)
{
	progress_update(context, committed);
	return !interrupt_seen();
}

static bool simulate(struct record_command *c, struct error *err)
{
	struct progress progress;
	const struct pipe_reader reader = {c->writer, on_records, on_log, true};
	TRY(c->session.pipe = pipe_create(&reader, 1, pipe_processors() > 1, err));
	core_record(c->session.core, pipe_sink(c->session.pipe), pipe_log(c->session.pipe));
	progress_begin(&progress, "", c->options.max_insns, c->options.quiet);
	bool good = session_run(&c->session, PROGRESS_STEP, look, &progress, err);
	progress_end(&progress);
	session_note_stop(&c->session, &c->options);
	return good;
}

/* --- what is said of it --- */

static bool fill_begin(struct record_command *c, struct error *err)
{
	struct record_about *a = &c->about;
	a->machine = machine_text(&c->session.machine);
	a->program = strdup(c->options.arguments[0]);
	a->machine_name = strdup(c->session.machine.name);
	a->skipped = c->session.skipped;
	a->warmed = c->session.warmed;
	a->has_log = true;
	a->own = true;
	return (a->machine && a->program && a->machine_name) ||
	       error_set(err, ERROR_SYSTEM, "out of memory for the record file");
}

static bool fill_mappings(struct record_command *c, struct error *err)
{
	struct record_about *a = &c->about;
	struct guest_object o;
	a->mappings = calloc(SAMPLE_MAPPINGS_MAX, sizeof *a->mappings);
	if (!a->mappings)
		return error_set(err, ERROR_SYSTEM, "out of memory for mappings");
	for (size_t i = 0; i < SAMPLE_MAPPINGS_MAX && guest_object(c->session.guest, i, &o); i++) {
		struct sample_mapping *m = &a->mappings[a->mapping_count];
		*m = (struct sample_mapping){.path = strdup(o.path), .start = o.start, .end = o.end, .bias = o.bias};
		if (!m->path)
			return error_set(err, ERROR_SYSTEM, "out of memory for mappings");
		a->mapping_count++;
	}
	return true;
}

static int by_address(const void *a, const void *b)
{
	const struct record_code *x = a, *y = b;
	return x->pc < y->pc ? -1 : x->pc > y->pc;
}

/* Code that is gone by now (unmapped, or replaced) is left out. */
static bool fill_code(struct record_command *c, struct error *err)
{
	struct record_about *a = &c->about;
	const uint64_t *addresses;
	size_t count = record_writer_addresses(c->writer, &addresses);
	struct guest *guest = c->session.guest;
	a->code = calloc(count + 1, sizeof *a->code);
	if (!a->code)
		return error_set(err, ERROR_SYSTEM, "out of memory for code");
	for (size_t i = 0; i < count; i++) {
		uint16_t parcels[2] = {0, 0};
		bool there = guest_read_code(guest, addresses[i], &parcels[0]);
		if (there && (parcels[0] & 3) == 3)
			there = guest_read_code(guest, addresses[i] + 2, &parcels[1]);
		if (there)
			a->code[a->code_count++] =
				(struct record_code){addresses[i], parcels[0] | (uint32_t)parcels[1] << 16};
	}
	qsort(a->code, a->code_count, sizeof *a->code, by_address);
	return true;
}

static bool fill_end(struct record_command *c, struct error *err)
{
	const struct core_statistics *s = core_statistics(c->session.core);
	c->about.instructions = s->committed;
	c->about.cycles = s->cycles;
	c->about.cut = interrupt_seen();
	return recorded_ending(&c->about, c->session.guest, c->session.core, err) && fill_mappings(c, err) &&
	       fill_code(c, err);
}

/* --- the command --- */

static bool reach_region(struct record_command *c, struct error *err)
{
	struct options *o = &c->options;
	if (!o->output)
		return error_set(err, ERROR_USAGE, "record needs -o FILE");
	if (!strcmp(o->output, "-"))
		return error_set(err, ERROR_USAGE, "-o -: standard output is the program's");
	TRY(options_check_outputs(o, err));
	TRY(session_machine(&c->session.machine, o, err));
	TRY(session_checkpoint(&c->session, o, err));
	TRY(session_guest(&c->session, o, err));
	TRY(session_skip(&c->session, o, err));
	return session_core(&c->session, o, err) && fill_begin(c, err);
}

static bool write_file(struct record_command *c, FILE *out, struct error *err)
{
	TRY(c->writer = record_writer_create(&c->about, out, err));
	TRY(simulate(c, err));
	TRY(fill_end(c, err));
	return record_writer_finish(c->writer, err);
}

static bool record(void *state, int *status, struct error *err)
{
	struct record_command *c = state;
	struct output o;
	TRY(reach_region(c, err));
	TRY(output_open(&o, c->options.output, err));
	TRY(output_finish(&o, write_file(c, o.file, err), err));
	if (interrupt_seen())
		*status = interrupt_status();
	else if (core_guest_state(c->session.core) != GUEST_RUNNING)
		*status = guest_exit_status(c->session.guest);
	return true;
}

static void destroy(void *state)
{
	struct record_command *c = state;
	session_destroy(&c->session); /* first: its pipe ends */
	record_writer_destroy(c->writer);
	record_about_destroy(&c->about);
}

const struct command command_record = {
	.user = FOR_RECORD,
	.interruptible = true,
	.size = sizeof(struct record_command),
	.run = record,
	.destroy = destroy,
};
