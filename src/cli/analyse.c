/* culprit analyse, culprit check: analyses listen to a record file as they do to a simulation. */
#include "analysis/graph/machine.h"
#include "analysis/insn_cycles.h"
#include "analysis/record_fill.h"
#include "base/nearest.h"
#include "base/memory_stream.h"
#include "base/output.h"
#include "cli/commands.h"
#include "cli/recorded.h"
#include "export/recorded_names.h"
#include "provenance/provenance.h"
#include "record/record_file.h"
#include "report/check/report.h"
#include "report/format.h"
#include "report/terminal.h"
#include "run/places.h"
#include "with/analyses.h"

#include <stdlib.h>
#include <string.h>

struct analyse {
	struct options options; /* first */
	struct record_about about;
	struct record_reader *reader;
	struct machine machine;
	struct analyses analyses;
	struct pipe_reader listeners[PIPE_READERS_MOST];
	size_t listener_count;
	struct record_fill fill;
	culprit_field_set in_file; /* unknown; about.unknown has those of --unknown, too */
	struct graph_beyond beyond;
	struct symbols *symbols;
	struct lines *lines;
	struct insn_cycles insn_cycles; /* of the first screen */
	struct run_report screen;
	struct provenance provenance;
};

static bool hand_records(void *context, const struct culprit_record *records, size_t count)
{
	struct analyse *a = context;
	for (size_t i = 0; i < a->listener_count; i++)
		if (a->listeners[i].records)
			a->listeners[i].records(a->listeners[i].context, records, count);
	if (a->insn_cycles.pages)
		insn_cycles_push(&a->insn_cycles, records, count);
	return true;
}

static void take_records(void *context, const struct culprit_record *records, size_t count)
{
	record_fill_push(&((struct analyse *)context)->fill, records, count, hand_records, context);
}

static void take_log(void *context, const struct culprit_log_part *part)
{
	const struct analyse *a = context;
	for (size_t i = 0; i < a->listener_count; i++)
		if (a->listeners[i].log)
			a->listeners[i].log(a->listeners[i].context, part);
}

static bool read_to(struct analyse *a, struct pipe *pipe, struct error *err)
{
	struct record_part part = {.is_end = false};
	while (!part.is_end) {
		TRY(record_reader_next(a->reader, &part, err));
		if (part.is_log)
			pipe_put_log(pipe, &part.log);
		else
			pipe_put_records(pipe, part.records, part.record_count);
	}
	pipe_finish(pipe);
	return true;
}

/* The file is read beside the analyses, where there is a processor for it. */
static bool replay(struct analyse *a, struct error *err)
{
	const struct pipe_reader reader = {a, take_records, take_log, true};
	struct pipe *pipe = pipe_create(&reader, 1, pipe_processors() > 1, err);
	const bool good = pipe && read_to(a, pipe, err);
	pipe_destroy(pipe);
	return good && record_fill_finish(&a->fill, hand_records, a);
}

/* --- before and after --- */

static bool read_machine(struct analyse *a, const char *path, struct error *err)
{
	if (machine_parse(&a->machine, a->about.machine, strlen(a->about.machine), "its machine", err)) {
		snprintf(a->machine.name, sizeof a->machine.name, "%s", a->about.machine_name);
		return true;
	}
	err->code = ERROR_INPUT;
	return error_context(err, "%s", path);
}

/* --set: would the records fit another machine? */
static bool change_machine(struct analyse *a, struct error *err)
{
	for (size_t i = 0; i < a->options.sets.count; i++)
		TRY(machine_set(&a->machine, a->options.sets.items[i], err));
	return machine_check(&a->machine, a->machine.name, err);
}

/* What an analysis needs, the file has. */
static bool check_needs(const struct analyse *a, struct error *err)
{
	for (size_t i = 0; i < a->analyses.count; i++) {
		const struct analysis *row = a->analyses.rows[i];
		if (row->needs_guest)
			return error_set(err, ERROR_USAGE, "--with %s needs the program: culprit run has it",
					 row->name);
		if (row->log && !a->about.has_log)
			return error_set(err, ERROR_USAGE, "--with %s needs the pipeline log, which this file has not",
					 row->name);
	}
	return true;
}

static bool create_fill(struct analyse *a, struct error *err)
{
	struct culprit_graph_params params, told;
	graph_params_from_machine(&params, &a->machine);
	graph_params_beyond(&params, &a->beyond);
	told = params;
	record_fill_params(&told, a->in_file);
	record_fill_params(&params, a->about.unknown);
	params.decode_insns = told.decode_insns; /* from where the file's redirects count */
	return record_fill_create(&a->fill, &params, a->about.unknown) || error_set(err, ERROR_SYSTEM, "out of memory");
}

/* --unknown: fields to do without, beside those that the file has not. */
static bool forget(struct analyse *a, struct error *err)
{
	const char *list = a->options.unknown, *wrong = NULL;
	culprit_field_set set;
	struct culprit_field_info info;
	struct nearest near;
	if (!list)
		return true;
	if (!culprit_field_set_parse(list, &set, &wrong)) {
		nearest_begin(&near, wrong, strcspn(wrong, ","));
		for (unsigned i = 0; culprit_field_info(i, &info); i++)
			nearest_consider(&near, info.name);
		return error_set(err, ERROR_USAGE, "--unknown: no field '%.*s'%s", (int)strcspn(wrong, ","), wrong,
				 nearest_hint(&near));
	}
	for (unsigned i = 0; culprit_field_info(i, &info); i++)
		if (info.required && (set >> i & 1))
			return error_set(err, ERROR_USAGE, "--unknown %s: it is required: %s", info.name, info.without);
	a->about.unknown |= set;
	return true;
}

static bool begin(struct analyse *a, const char *with, struct error *err)
{
	const char *path = a->options.arguments[0];
	if (!path || a->options.arguments[1])
		return error_set(err, ERROR_USAGE, "one record file is needed: culprit %s FILE", a->options.words[0]);
	struct options chosen = a->options;
	chosen.with = with;
	TRY(options_check_analyses(&chosen, err) && options_check_outputs(&a->options, err));
	TRY(a->reader = record_reader_open(path, &a->about, err));
	TRY(read_machine(a, path, err));
	TRY(change_machine(a, err));
	a->in_file = a->about.unknown;
	a->beyond = a->about.graph;
	TRY(forget(a, err));
	const struct analysis_context context = {&a->options, &a->machine, a->about.unknown,
						 true,	      a->beyond,   !a->about.own};
	TRY(analyses_create(&a->analyses, with, &context, err));
	TRY(check_needs(a, err));
	TRY(analyses_start(&a->analyses, NULL, err));
	a->listener_count = analyses_readers(&a->analyses, false, a->listeners);
	return create_fill(a, err);
}

static bool load_symbols(struct analyse *a, struct error *err)
{
	TRY(a->symbols = symbols_create(err));
	TRY(a->lines = lines_create(err));
	return recorded_names_load(&a->about, a->symbols, a->lines, err);
}

static bool create_insn_cycles(struct analyse *a, struct error *err)
{
	const struct commit_stack_params params = commit_stack_of(&a->machine);
	struct symbol_range main_range = {0, 0};
	const bool found = symbols_range(a->symbols, "main", 0, &main_range);
	return insn_cycles_create(&a->insn_cycles, &params, found ? main_range.first : 0, err);
}

/* --- results --- */

/* Of `check`, and with no analysis, there is no screen: what it says is of the records, not of the program. */
static void print_check(const struct analyse *a, FILE *out)
{
	char instructions[64], cycles[64];
	const struct report_view view = {.width = terminal_width(out), .colour = terminal_colour(out), .verbose = true};
	fprintf(out, "%s on %s: %s, %s, from %s\n", a->about.program, a->about.machine_name,
		format_counted(a->about.instructions, "instruction", instructions),
		format_counted(a->about.cycles, "cycle", cycles), a->options.arguments[0]);
	if (a->about.cut)
		fprintf(out, REPORT_CUT_LINE, "interrupted");
	killed_head(&a->screen.killed, out);
	analyses_warn(&a->analyses, out);
	fields_text(a->about.unknown, out);
	analyses_text(&a->analyses, &view, out);
}

/* The first screen of `run`, and what the analyses say. */
static bool print_screen(const struct analyse *a, FILE *out, struct error *err)
{
	const unsigned width = terminal_width(out);
	struct report_view view = {.width = width < TERMINAL_NARROWEST ? TERMINAL_NARROWEST : width,
				   .colour = terminal_colour(out),
				   .brief = a->options.brief};
	struct terminal_folded folded;
	run_report_screen(&a->screen, &view, out);
	if (a->options.brief)
		return true;
	view.verbose = true;
	if (!terminal_fold_begin(&folded, out, err))
		return false;
	fields_text(a->about.unknown, folded.memory.file);
	return terminal_fold_end(&folded, err) && analyses_folded(&a->analyses, &view, out, err);
}

static bool write_text(const struct analyse *a, struct error *err)
{
	struct output out;
	if (!a->insn_cycles.pages)
		return REPORT_WRITE(a->options.output, stdout, print_check, a, err);
	TRY(output_open_or(&out, a->options.output, stdout, err));
	return output_finish(&out, print_screen(a, out.file, err), err);
}

/* --- the first screen --- */

static bool fill_stack(struct analyse *a, struct error *err)
{
	struct run_report *r = &a->screen;
	uint64_t rows[COMMIT_ROWS], sum = 0;
	insn_cycles_stack(&a->insn_cycles, r->cycles, rows);
	for (unsigned i = 0; i < COMMIT_ROWS; i++) {
		r->stack[r->stack_count++] =
			(struct report_stack_row){commit_row_name(i), commit_row_meaning(i), rows[i]};
		sum += rows[i];
	}
	r->has_stack = true;
	return sum == r->cycles ||
	       error_set(err, ERROR_INPUT, "%s: its instructions commit in %llu cycles, and its head says %llu",
			 r->records, (unsigned long long)sum, (unsigned long long)r->cycles);
}

/* Then hits and misses are one cause. */
static void warn_of_misses(const struct analyse *a, FILE *out)
{
	if (a->about.unknown & CULPRIT_FIELD_BIT(miss))
		fputs("  *** Loads: hit or miss is not known; all of their latency is one cause. ***\n", out);
}

static bool fill_warnings(struct analyse *a, struct error *err)
{
	struct memory_stream out;
	if (memory_stream_open(&out)) {
		analyses_warn(&a->analyses, out.file);
		warn_of_misses(a, out.file);
	}
	a->screen.warnings = memory_stream_close(&out);
	return a->screen.warnings || error_set(err, ERROR_SYSTEM, "out of memory for warnings");
}

static bool fill_screen(struct analyse *a, struct error *err)
{
	struct run_report *r = &a->screen;
	r->version = CULPRIT_VERSION;
	r->machine = a->about.machine_name;
	r->as_named = machine_as_named(&a->machine);
	r->foreign = !a->about.own;
	r->program = a->about.program;
	r->records = a->options.arguments[0];
	r->cut = a->about.cut ? "interrupted" : NULL;
	r->instructions = a->about.instructions;
	r->cycles = a->about.cycles;
	r->skipped = a->about.skipped;
	r->warmed = a->about.warmed;
	r->exit_status = -1;
	r->width = a->machine.commit_width;
	r->before_main = a->insn_cycles.watched_from;
	r->has_critical = analyses_have(&a->analyses, "critical");
	r->unknown = a->about.unknown;
	for (culprit_field_set unknown = r->unknown; unknown; unknown &= unknown - 1)
		r->lacking++;
	analyses_costs(&a->analyses, &r->costs);
	TRY(insn_cycles_whole(&a->insn_cycles, err) && fill_stack(a, err) && fill_warnings(a, err));
	return places_fill(r, &a->insn_cycles, a->symbols, a->lines, 0, err);
}

static bool write_json(struct analyse *a, struct error *err)
{
	const struct record_about *x = &a->about;
	if (!a->options.json)
		return true;
	json_t *root = json_pack("{s:s, s:s, s:s, s:b, s:b, s:I, s:I, s:I, s:I, s:o}", "culprit", CULPRIT_VERSION,
				 "machine", x->machine_name, "program", x->program, "complete", !x->cut, "own_core",
				 x->own, "skipped", (json_int_t)x->skipped, "warmed", (json_int_t)x->warmed,
				 "instructions", (json_int_t)x->instructions, "cycles", (json_int_t)x->cycles,
				 "not_known", fields_json(x->unknown));
	if (root) {
		json_object_set_new(root, "killed", killed_json(&a->screen.killed));
		if (a->screen.program_count)
			json_object_set_new(root, "programs", run_report_programs_json(&a->screen));
		analyses_json(&a->analyses, root);
	}
	if (!provenance_add_file(&a->provenance, "records", a->options.arguments[0], err)) {
		json_decref(root);
		return false;
	}
	return provenance_write(&a->provenance, &a->machine, root, a->options.json, err);
}

static bool work(struct analyse *a, const char *with, enum option_user user, struct error *err)
{
	provenance_begin(&a->provenance, &a->options, user);
	TRY(provenance_check(&a->provenance, err));
	TRY(begin(a, with, err));
	TRY(load_symbols(a, err) && recorded_report(&a->screen, &a->about, a->symbols, a->lines, err));
	const bool has_screen = user != FOR_CHECK && a->analyses.default_report;
	TRY(!has_screen || create_insn_cycles(a, err));
	TRY(replay(a, err));
	const struct analysis_totals totals = {a->about.cycles, a->about.instructions,	    a->symbols,
					       a->lines,	{&a->about, recorded_code}, NULL};
	TRY(analyses_finish(&a->analyses, &totals, err));
	TRY(!has_screen || fill_screen(a, err));
	TRY(write_text(a, err));
	return write_json(a, err);
}

static bool analyse(void *state, int *status, struct error *err)
{
	struct analyse *a = state;
	(void)status;
	return work(a, a->options.with ? a->options.with : "graph", FOR_ANALYSE, err);
}

static bool check(void *state, int *status, struct error *err)
{
	(void)status;
	return work(state, "check", FOR_CHECK, err);
}

static void destroy(void *state)
{
	struct analyse *a = state;
	analyses_destroy(&a->analyses);
	record_fill_destroy(&a->fill);
	record_reader_destroy(a->reader);
	insn_cycles_destroy(&a->insn_cycles);
	free(a->screen.sites);
	free(a->screen.warnings);
	free(a->screen.programs);
	record_about_destroy(&a->about);
	symbols_destroy(a->symbols);
	lines_destroy(a->lines);
	provenance_destroy(&a->provenance);
}

const struct command command_analyse = {
	.user = FOR_ANALYSE,
	.size = sizeof(struct analyse),
	.run = analyse,
	.destroy = destroy,
};

const struct command command_check = {
	.user = FOR_CHECK,
	.size = sizeof(struct analyse),
	.run = check,
	.destroy = destroy,
};
