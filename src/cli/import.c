/* culprit import: a pipeline trace of another simulator becomes a record file, for `culprit analyse` and `culprit
 * check`. */
#include "import/import.h"
#include "base/memory_stream.h"
#include "base/output.h"
#include "cli/commands.h"
#include "machine/machine_read.h"
#include "record/record_file.h"
#include "report/check/report.h"
#include "report/format.h"
#include "report/terminal.h"
#include "run/session.h"

#include <stdlib.h>
#include <string.h>

struct import_command {
	struct options options; /* first */
	enum import_format format;
	struct import_trace trace;
	struct import_stages stages;
	struct import_code code;
	struct import_result result;
	struct machine machine;
	struct record_about about;
	struct record_writer *writer;
	char *said;
};

static const char *const format_names[] = {
	[IMPORT_O3PIPEVIEW] = "O3PipeView", [IMPORT_KANATA] = "Kanata", [IMPORT_PERFCCT] = "PerfCCT"};

/* --- what is read --- */

static bool check_options(const struct import_command *c, struct error *err)
{
	const struct options *o = &c->options;
	if (!o->arguments[0] || o->arguments[1])
		return error_set(err, ERROR_USAGE, "one trace is needed: culprit import -o FILE TRACE");
	if (!o->output)
		return error_set(err, ERROR_USAGE, "import needs -o FILE");
	if (!strcmp(o->output, "-"))
		return error_set(err, ERROR_USAGE, "-o -: standard output has what is said of the trace");
	return options_check_outputs(o, err);
}

static bool read_stages(struct import_command *c, struct error *err)
{
	enum { MOST = 1 << 16 };
	char text[MOST];
	const char *path = c->options.map;
	if (!path)
		return true;
	if (c->format != IMPORT_KANATA)
		return error_set(err, ERROR_USAGE, "--map is for Kanata files: this is one of %s",
				 format_names[c->format]);
	FILE *in = import_open(path, err);
	TRY(in);
	size_t size = fread(text, 1, sizeof text, in);
	fclose(in);
	return import_stages_read(&c->stages, text, size, path, err);
}

static bool read_trace(struct import_command *c, struct error *err)
{
	const char *path = c->options.arguments[0];
	if (c->format == IMPORT_PERFCCT)
		return import_perfcct(&c->trace, path, err);
	FILE *in = import_open(path, err);
	TRY(in);
	bool good = c->format == IMPORT_KANATA ? import_kanata(&c->trace, in, &c->stages, err)
					       : import_o3pipeview(&c->trace, in, err);
	fclose(in);
	return good;
}

/* Without -m the trace shows it, and --set has the last word. */
static bool make_machine(struct import_command *c, struct error *err)
{
	if (c->options.machine)
		return session_machine(&c->machine, &c->options, err);
	machine_defaults(&c->machine);
	snprintf(c->machine.name, sizeof c->machine.name, "as-observed");
	snprintf(c->machine.description, sizeof c->machine.description, "as a trace of %s shows it",
		 format_names[c->format]);
	return true;
}

static bool read_all(struct import_command *c, struct error *err)
{
	const struct options *o = &c->options;
	TRY(import_recognise(o->arguments[0], &c->format, err));
	if (o->ticks && c->format == IMPORT_KANATA)
		return error_set(err, ERROR_USAGE, "--ticks is for traces with ticks: a Kanata file has cycles");
	TRY(read_stages(c, err));
	TRY(make_machine(c, err));
	if (o->binary)
		TRY(import_code_read(&c->code, o->binary, err));
	struct memory_stream said;
	c->trace.place = o->arguments[0];
	c->trace.ticks = o->ticks;
	c->trace.said = memory_stream_open(&said);
	bool good = c->trace.said && read_trace(c, err) &&
		    import_build(&c->trace, o->binary ? &c->code : NULL, &c->machine, !o->machine, &c->result, err);
	c->said = memory_stream_close(&said);
	if (!c->trace.said || (good && !c->said))
		return error_set(err, ERROR_SYSTEM, "out of memory for what is said of the trace");
	TRY(good);
	for (size_t i = 0; !o->machine && i < o->sets.count; i++)
		TRY(machine_set(&c->machine, o->sets.items[i], err));
	return machine_check(&c->machine, c->machine.name, err);
}

/* --- what is written --- */

static bool fill_about(struct import_command *c, struct error *err)
{
	struct record_about *a = &c->about;
	const char *binary = c->options.binary;
	a->machine = machine_text(&c->machine);
	a->program = strdup(binary ? binary : c->options.arguments[0]);
	a->machine_name = strdup(c->machine.name);
	a->unknown = c->result.unknown;
	a->instructions = c->result.instructions;
	a->cycles = c->result.cycles;
	a->mappings = calloc(c->code.count + 1, sizeof *a->mappings);
	bool good = a->machine && a->program && a->machine_name && a->mappings;
	for (size_t i = 0; good && binary && i < c->code.count && i < SAMPLE_MAPPINGS_MAX; i++) {
		const struct import_segment *s = &c->code.segments[i];
		a->mappings[i] =
			(struct sample_mapping){.path = strdup(binary), .start = s->start, .end = s->start + s->size};
		good = a->mappings[i].path != NULL;
		a->mapping_count += good;
	}
	return good || error_set(err, ERROR_SYSTEM, "out of memory for the record file");
}

static int by_address(const void *a, const void *b)
{
	const struct record_code *x = a, *y = b;
	return x->pc < y->pc ? -1 : x->pc > y->pc;
}

static bool fill_code(struct import_command *c, struct error *err)
{
	struct record_about *a = &c->about;
	const uint64_t *addresses;
	size_t count = record_writer_addresses(c->writer, &addresses);
	a->code = calloc(count + 1, sizeof *a->code);
	if (!a->code)
		return error_set(err, ERROR_SYSTEM, "out of memory for code");
	for (size_t i = 0; i < count; i++) {
		const uint32_t bits = import_code_at(&c->code, addresses[i]);
		if (bits)
			a->code[a->code_count++] = (struct record_code){addresses[i], bits};
	}
	qsort(a->code, a->code_count, sizeof *a->code, by_address);
	return true;
}

static bool write_file(struct import_command *c, FILE *out, struct error *err)
{
	TRY(fill_about(c, err));
	TRY(c->writer = record_writer_create(&c->about, out, err));
	record_writer_records(c->writer, c->result.records, c->result.instructions);
	TRY(fill_code(c, err));
	return record_writer_finish(c->writer, err);
}

static void print_summary(const struct import_command *c, FILE *out)
{
	char instructions[64], cycles[64];
	const unsigned width = terminal_width(out);
	fprintf(out, "%s: %s, %s, from %s (%s)\n", c->options.output,
		format_counted(c->result.instructions, "instruction", instructions),
		format_counted(c->result.cycles, "cycle", cycles), c->options.arguments[0], format_names[c->format]);
	if (*c->said)
		fprintf(out, "  What was guessed, repaired or left out:\n");
	for (char *line = c->said, *end; (end = strchr(line, '\n')); line = end + 1) {
		*end = 0;
		terminal_wrap(line, 4, width, out);
	}
	if (c->result.unknown) {
		char names[600], line[660];
		fields_names(c->result.unknown, names, sizeof names);
		snprintf(line, sizeof line, "The records do not tell:%s", names);
		terminal_wrap(line, 2, width, out);
		fields_costs(c->result.unknown, out);
	}
	fprintf(out, "  next: culprit check %s; culprit analyse %s\n", c->options.output, c->options.output);
}

static bool import(void *state, int *status, struct error *err)
{
	struct import_command *c = state;
	struct output o;
	(void)status;
	TRY(check_options(c, err));
	TRY(read_all(c, err));
	TRY(output_open(&o, c->options.output, err));
	TRY(output_finish(&o, write_file(c, o.file, err), err));
	return REPORT_WRITE(NULL, stdout, print_summary, c, err);
}

static void destroy(void *state)
{
	struct import_command *c = state;
	import_destroy(&c->trace);
	import_stages_destroy(&c->stages);
	import_code_destroy(&c->code);
	free(c->result.records);
	record_writer_destroy(c->writer);
	record_about_destroy(&c->about);
	free(c->said);
}

const struct command command_import = {
	.user = FOR_IMPORT,
	.size = sizeof(struct import_command),
	.run = import,
	.destroy = destroy,
};
