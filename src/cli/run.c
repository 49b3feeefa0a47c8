/* culprit run: one simulation, the report. The guest's own streams pass through untouched. */
#include "analysis/pipe.h"
#include "base/memory_stream.h"
#include "base/output.h"
#include "cli/commands.h"
#include "cli/sweep.h"
#include "page/page.h"
#include "run/code.h"
#include "run/killed.h"
#include "run/trace.h"
#include "run/parts.h"
#include "run/places.h"
#include "run/programs.h"
#include "run/progress.h"
#include "provenance/provenance.h"
#include "run/session.h"
#include "machine/plugin.h"
#include "report/format.h"
#include "report/record_names.h"
#include "report/run/report.h"
#include "report/terminal.h"
#include "with/places.h"

#include <stdlib.h>
#include <string.h>

struct run {
	struct options options; /* first */
	struct session session;
	struct insn_cycles insn_cycles;
	struct symbols *symbols;
	struct lines *lines;
	struct code code; /* --json-code */
	char plugins[800];
	char command[800], words[800]; /* its options that are no report's; the guest's command */
	bool threaded;
	struct parts parts; /* --jobs */
	struct run_report report;
	struct provenance provenance;
};

/* --- simulate --- */

static bool look(void *context, uint64_t committed)
{
	progress_update(context, committed);
	return !interrupt_seen();
}

static bool run_timed(struct run *run, struct error *err)
{
	if (run->options.parts)
		return parts_run(&run->session, &run->options, &run->parts, err);
	struct progress progress;
	progress_begin(&progress, "", run->options.max_insns, run->options.quiet);
	bool good = session_run(&run->session, PROGRESS_STEP, look, &progress, err);
	progress_end(&progress);
	session_note_stop(&run->session, &run->options);
	return good;
}

static bool run_functionally(struct run *run)
{
	enum guest_state state = session_functional(&run->session, &run->options, &run->report.instructions);
	if (state != GUEST_RUNNING)
		run->report.exit_status = guest_exit_status(run->session.guest);
	return true;
}

/* Before anything runs, so that a mistake shows at once. */
static bool create_analyses(struct run *run, struct error *err)
{
	const struct machine *m = &run->session.machine;
	bool otherwise = pipe_processors() > 1;
	TRY(options_switch("analysis-thread", run->options.analysis_thread, otherwise, &run->threaded, err));
	struct analysis_context context = {&run->options, m, 0, run->threaded && !run->options.parts, {0}, false};
	TRY(analyses_create(&run->session.analyses, run->options.with, &context, err));
	if (run->session.analyses.default_report)
		run->session.insn_cycles = &run->insn_cycles;
	return true;
}

/* The region is about to start: now the program's names are known. */
static bool create_insn_cycles(struct run *run, struct error *err)
{
	const struct commit_stack_params params = commit_stack_of(&run->session.machine);
	uint64_t main_pc = 0;
	if (!run->session.insn_cycles)
		return true;
	const bool found = guest_symbol_address(run->session.guest, "main", &main_pc);
	return insn_cycles_create(&run->insn_cycles, &params, found ? main_pc : 0, err);
}

/* --- fill the report --- */

static void add_cache(struct run_report *r, const char *name, const struct cache_statistics *c)
{
	r->caches[r->cache_count++] = (struct report_rate_row){name, c->accesses[0], c->misses[0], c->misses[1], true};
	r->prefetches += c->prefetches;
	r->prefetches_used += c->prefetches_used;
	r->prefetches_late += c->prefetches_late;
}

static void fill_caches(struct run_report *r, const struct machine *m, const struct hierarchy_statistics *h)
{
	add_cache(r, "l1i", &h->l1i);
	add_cache(r, "l1d", &h->l1d);
	add_cache(r, "l2", &h->l2);
	r->caches[r->cache_count++] = (struct report_rate_row){
		"l2_instructions", h->l1i.misses[0], h->l2_instruction_misses[0], h->l2_instruction_misses[1], true};
	r->caches[r->cache_count++] =
		(struct report_rate_row){"l2_data", h->l1d.misses[0], h->l2_data_misses[0], h->l2_data_misses[1], true};
	if (m->l3_size)
		add_cache(r, "l3", &h->l3);
	const struct {
		const char *name;
		const struct tlb_statistics *t;
	} tlbs[] = {{"itlb", &h->itlb}, {"dtlb", &h->dtlb}, {"tlb2", &h->tlb2}};
	for (size_t i = 0; i < 3; i++)
		if (tlbs[i].t->accesses[0])
			r->caches[r->cache_count++] = (struct report_rate_row){
				tlbs[i].name, tlbs[i].t->accesses[0], tlbs[i].t->misses[0], tlbs[i].t->misses[1], true};
	r->memory_reads = h->memory_reads;
	r->memory_writes = h->memory_writes;
}

static void fill_branches(struct run_report *r, const struct core_statistics *s)
{
	for (unsigned i = CULPRIT_BRANCH_CONDITIONAL; i < CULPRIT_BRANCH_COUNT; i++)
		r->branches[r->branch_count++] = (struct report_rate_row){record_name(RECORD_NAMES_branch, i),
									  s->branches[i], s->mispredicted[i], 0, true};
}

static void fill_counts(struct run_report *r, const struct core_statistics *s)
{
	r->instructions = s->committed;
	r->cycles = s->cycles;
	r->fetched = s->fetched;
	r->fetched_wrong_path = s->fetched_wrong_path;
	r->decode_redirects = s->decode_redirects;
	r->violations = s->violations;
	r->loads = s->loads;
	r->stores = s->stores;
	r->forwarded = s->forwarded;
	r->serialising = s->serialising;
}

static bool fill_stack(struct run *run, struct error *err)
{
	struct run_report *r = &run->report;
	uint64_t total = 0, cycles[COMMIT_ROWS];
	if (run->insn_cycles.out_of_memory)
		return error_set(err, ERROR_SYSTEM, "out of memory for the profile");
	insn_cycles_stack(&run->insn_cycles, r->cycles, cycles);
	for (unsigned i = 0; i < COMMIT_ROWS; i++) {
		r->stack[r->stack_count++] =
			(struct report_stack_row){commit_row_name(i), commit_row_meaning(i), cycles[i]};
		total += cycles[i];
	}
	r->has_stack = true;
	/* an interrupted run ends between commits; anything else must add up */
	if (total != r->cycles)
		return error_set(err, ERROR_INTERNAL, "the commit stack sums to %llu of %llu cycles",
				 (unsigned long long)total, (unsigned long long)r->cycles);
	return true;
}

static bool load_symbols(struct run *run, struct error *err)
{
	TRY(run->symbols = places_symbols(run->session.guest, &run->options, err));
	return (run->lines = places_lines(run->session.guest, &run->options, err)) != NULL;
}

static bool fill_places(struct run *run, struct error *err)
{
	enum { DEFAULT_SITES = 100 };
	struct options *o = &run->options;
	size_t sites = o->json_sites == OPTION_NOT_GIVEN ? DEFAULT_SITES : o->json_sites ? o->json_sites : SIZE_MAX;
	struct run_report *r = &run->report;
	r->width = run->session.machine.commit_width;
	r->before_main = run->insn_cycles.watched_from;
	r->has_critical = analyses_have(&run->session.analyses, "critical");
	return places_fill(r, &run->insn_cycles, run->symbols, run->lines, sites, err);
}

static bool fill_code(struct run *run, struct error *err)
{
	const struct options *o = &run->options;
	struct run_report *r = &run->report;
	if (o->json_code == OPTION_NOT_GIVEN || !run->session.analyses.default_report)
		return true;
	TRY(calls_finish(&run->session.calls, err));
	const struct code_parts parts = {
		.insns = &run->insn_cycles,
		.calls = r->program_count ? NULL : &run->session.calls, /* one stack would mix processes */
		.symbols = run->symbols,
		.lines = run->lines,
		.guest = run->session.guest,
		.functions = o->json_code ? o->json_code : SIZE_MAX,
		.outside = r->cycles - r->function_cycles,
		.source_dirs = o->source_dirs.items,
	};
	TRY(code_fill(&run->code, &parts, err));
	analyses_code(&run->session.analyses, &run->code);
	r->code = &run->code;
	r->result = o->json && strcmp(o->json, "-") != 0 ? o->json : NULL;
	return true;
}

static bool fill_warnings(struct run *run, struct error *err)
{
	struct memory_stream out;
	if (memory_stream_open(&out))
		analyses_warn(&run->session.analyses, out.file);
	run->report.warnings = memory_stream_close(&out);
	return run->report.warnings || error_set(err, ERROR_SYSTEM, "out of memory for warnings");
}

static bool fill_report(struct run *run, struct error *err)
{
	const uint64_t parts = run->report.parts = run->options.parts;
	run->report.more = run->parts.more;
	const struct core_statistics *s = parts ? &run->parts.core : core_statistics(run->session.core);
	fill_counts(&run->report, s);
	fill_caches(&run->report, &run->session.machine,
		    parts ? &run->parts.hierarchy : core_hierarchy_statistics(run->session.core));
	fill_branches(&run->report, s);
	if (guest_ended(run->session.guest))
		run->report.exit_status = guest_exit_status(run->session.guest);
	TRY(programs_fill(&run->report.programs, &run->report.program_count, run->session.guest, run->session.core,
			  err));
	TRY(load_symbols(run, err));
	if (run->session.analyses.default_report)
		TRY(fill_stack(run, err) && fill_places(run, err));
	struct analysis_totals totals = {
		s->cycles, s->committed, run->symbols, run->lines, places_code(run->session.guest), run->session.guest};
	bool good = analyses_finish(&run->session.analyses, &totals, err);
	analyses_costs(&run->session.analyses, &run->report.costs);
	struct error second = {0};
	good = fill_code(run, good ? err : &second) && good;
	return fill_warnings(run, good ? err : &second) && good;
}

/* --- write it --- */

static bool print_text(const struct run *run, FILE *out, struct error *err)
{
	const struct options *o = &run->options;
	const unsigned width = terminal_width(out);
	const struct report_view view = {.width = width < TERMINAL_NARROWEST ? TERMINAL_NARROWEST : width,
					 .colour = terminal_colour(out),
					 .verbose = o->verbose,
					 .brief = o->brief,
					 .show = o->sections};
	run_report_text(&run->report, &view, out);
	return analyses_folded(&run->session.analyses, &view, out, err);
}

static bool write_text(const struct run *run, struct error *err)
{
	struct output out;
	TRY(output_open_or(&out, run->options.output, stderr, err));
	return output_finish(&out, print_text(run, out.file, err), err);
}

/* The result as data: JSON, and the page that shows it. */
static bool write_data(struct run *run, struct error *err)
{
	const struct options *o = &run->options;
	if (!o->json && !o->html)
		return true;
	TRY(provenance_add_guest(&run->provenance, run->session.guest, err));
	json_t *report = run_report_json(&run->report);
	if (report)
		analyses_json(&run->session.analyses, report);
	const struct machine *machine = o->functional ? NULL : &run->session.machine;
	json_t *root = provenance_result(&run->provenance, machine, report, err);
	return page_write_result(root, run_report_legend(&run->report), o->html, o->json, err);
}

static bool check_conflicts(const struct options *o, struct error *err)
{
	if (o->functional && (o->machine || o->predictor || o->prefetchers.count || o->sets.count || o->ideal ||
			      o->warmup || o->with || o->stop_at))
		return error_set(
			err, ERROR_USAGE,
			"--functional has no machine: it takes no option of one, nor --warmup, --stop-at or --with");
	return options_check_analyses(o, err) && options_check_seed(o, err) && options_check_lists(o, err);
}

static bool check_options(const struct options *o, struct error *err)
{
	TRY(check_conflicts(o, err) && analyses_check_sections(o->sections, run_report_sections(), o->with, err));
	return options_check_outputs(o, err);
}

static bool reach_region(struct run *run, struct error *err)
{
	struct options *o = &run->options;
	TRY(check_options(o, err));
	if (!o->functional) {
		TRY(session_machine(&run->session.machine, o, err));
		TRY(create_analyses(run, err));
	}
	TRY(session_guest(&run->session, o, err));
	TRY(session_skip(&run->session, o, err));
	if (!o->functional) {
		TRY(session_core(&run->session, o, err));
		TRY(create_insn_cycles(run, err));
		TRY(analyses_start(&run->session.analyses, run->session.guest, err));
		TRY(o->parts || session_listen(&run->session, run->threaded, err));
	}
	return true;
}

static void head_report(struct run *run)
{
	struct run_report *r = &run->report;
	r->version = CULPRIT_VERSION;
	r->machine = run->session.machine.name;
	r->as_named = machine_as_named(&run->session.machine);
	r->validated = run->session.machine.validated;
	r->program = run->options.arguments[0];
	r->functional = run->options.functional;
	places_command(&run->options, FOR_RUN, run->command, sizeof run->command);
	places_words(&run->options, provenance_input(&run->provenance), run->words, sizeof run->words);
	r->command = run->command, r->words = run->words;
	r->plugins = plugins_lines(run->session.machine.plugins, run->plugins, sizeof run->plugins);
	trace_report(run->session.trace, &run->options, &r->trace);
	r->skipped = run->session.skipped, r->warmed = run->session.warmed;
}

/* The guest's own; 0 when the region ended before the program; an interrupted run ends as signals do. */
static int exit_status(const struct run_report *r)
{
	if (r->cut)
		return interrupt_status();
	return r->exit_status >= 0 ? r->exit_status : 0;
}

static bool simulate(void *state, int *status, struct error *err)
{
	struct run *run = state;
	run->report.exit_status = -1;
	if (run->options.machine && strchr(run->options.machine, ','))
		return sweep_run_machines(&run->options, status, err);
	if (run->options.results)
		return error_set(err, ERROR_USAGE, "--results needs several machines: -m A,B,C");
	options_page(&run->options);
	TRY(parts_check(&run->options, err));
	run->options.one_process = run->options.parts; /* a part does not know what each program took in the others */
	bool timed = !run->options.functional;
	provenance_begin(&run->provenance, &run->options, FOR_RUN);
	TRY(provenance_check(&run->provenance, err));
	TRY(session_checkpoint(&run->session, &run->options, err) && reach_region(run, err));
	double started = progress_clock();
	TRY(timed ? run_timed(run, err) : run_functionally(run));
	run->report.host_seconds = progress_clock() - started;
	if (interrupt_seen()) /* also where the program then ended: input that it waited for was cut off */
		run->report.cut = "interrupted";
	head_report(run);
	TRY(killed_find(&run->report.killed, run->session.guest, err));
	killed_say(&run->report.killed, run->report.program);
	/* what is good is shown even if an analysis or a file fails: the run may have taken hours */
	struct error second = {0};
	bool good = !timed || fill_report(run, err);
	good = write_text(run, good ? err : &second) && good;
	*status = exit_status(&run->report);
	return write_data(run, good ? err : &second) && good;
}

static void destroy(void *state)
{
	struct run *run = state;
	free(run->report.warnings);
	free(run->report.sites);
	free(run->report.programs);
	session_destroy(&run->session); /* first: its pipe ends */
	insn_cycles_destroy(&run->insn_cycles);
	symbols_destroy(run->symbols);
	lines_destroy(run->lines);
	code_destroy(&run->code);
	provenance_destroy(&run->provenance);
}

const struct command command_run = {
	.user = FOR_RUN,
	.interruptible = true,
	.size = sizeof(struct run),
	.run = simulate,
	.destroy = destroy,
};
