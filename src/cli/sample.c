/* culprit sample: a long program from detailed samples, every figure with its confidence interval. */
#include "sample/again.h"
#include "sample/places.h"
#include "sample/training.h"
#include "sample/worker.h"

#include "analysis/pipe.h"
#include "base/output.h"
#include "cli/commands.h"
#include "report/terminal.h"
#include "run/killed.h"
#include "run/places.h"
#include "run/progress.h"

#include <stdlib.h>
#include <string.h>

enum {
	DEFAULT_INTERVAL = 10000000,
	DEFAULT_START = 1000000,
	DEFAULT_LENGTH = 10000,
	DEFAULT_WARMUP = 10000,
	DEFAULT_SAMPLES = 400
};
static const double DEFAULT_ERROR = 0.02, DEFAULT_CONFIDENCE = 0.95;

/* "1%", "99.7" -> 0.01, 0.997 */
static bool percent(const char *option, const char *text, double *part, struct error *err)
{
	const double least = 0.01, most = 99.99; /* beyond them no number of samples is of any use */
	char *end;
	double value = strtod(text, &end);
	if (end == text || (strcmp(end, "") != 0 && strcmp(end, "%") != 0) || !(value >= least && value <= most))
		return error_set(err, ERROR_USAGE, "--%s %s: expected a percentage from %g to %g", option, text, least,
				 most);
	*part = value / 100;
	return true;
}

/* One that is not asked for has a confidence of its own: who wants surer intervals wants no more samples. */
static bool choose_error(struct sample *s, struct error *err)
{
	const struct options *o = &s->options;
	s->asked = o->error != NULL;
	s->aimed = s->asked ? s->confidence : DEFAULT_CONFIDENCE;
	s->error = o->samples || o->sample_interval ? 0 : DEFAULT_ERROR;
	return !s->asked || percent("error", o->error, &s->error, err);
}

/* SimPoint's windows: nothing is left to choose but the warm-up. */
static bool choose_points(struct sample *s, struct error *err)
{
	const struct options *o = &s->options;
	if (!o->simpoints || !o->weights)
		return error_set(err, ERROR_USAGE, "--simpoints and --weights belong together, and --interval to them");
	if (o->samples || o->error || o->confidence || o->sample_interval || o->sample_length ||
	    o->sample_start != OPTION_NOT_GIVEN || o->sample_predictors != OPTION_NOT_GIVEN)
		return error_set(err, ERROR_USAGE,
				 "--simpoints says which windows are simulated: of the options of sampling only "
				 "--sample-warmup goes with it");
	s->length = o->interval ? o->interval : DEFAULT_INTERVAL;
	s->start = 0;
	s->schedule.interval = s->length;
	TRY(simpoints_load(&s->points, o->simpoints, o->weights, err));
	const struct simpoint *last = &s->points.points[s->points.count - 1];
	if (last->interval >= UINT64_MAX / s->length - 1)
		return error_set(err, ERROR_INPUT, "%s: interval %llu lies beyond every program", o->simpoints,
				 (unsigned long long)last->interval);
	return true;
}

static bool choose(struct sample *s, struct error *err)
{
	const struct options *o = &s->options;
	s->start = o->sample_start == OPTION_NOT_GIVEN ? DEFAULT_START : o->sample_start;
	s->length = o->sample_length ? o->sample_length : DEFAULT_LENGTH;
	s->warmup = o->sample_warmup == OPTION_NOT_GIVEN ? DEFAULT_WARMUP : o->sample_warmup;
	s->trained = o->sample_predictors == OPTION_NOT_GIVEN ? TRAINED_ALWAYS : o->sample_predictors;
	s->wanted = o->samples ? o->samples : DEFAULT_SAMPLES;
	s->confidence = DEFAULT_CONFIDENCE;
	s->jobs = o->jobs ? o->jobs : pipe_processors();
	if (o->simpoints || o->weights || o->interval)
		return choose_points(s, err);
	if (o->confidence)
		TRY(percent("confidence", o->confidence, &s->confidence, err));
	TRY(choose_error(s, err));
	if (o->sample_interval && (o->samples || o->error))
		return error_set(err, ERROR_USAGE,
				 "--sample-interval is fixed: it cannot be combined with --samples or "
				 "--error, which choose it");
	if (o->sample_interval && o->sample_interval < s->length)
		return error_set(err, ERROR_USAGE, "--sample-interval %llu is shorter than a sample, %llu",
				 (unsigned long long)o->sample_interval, (unsigned long long)s->length);
	if (o->sample_interval)
		s->wanted = UINT32_MAX;
	uint64_t interval = o->sample_interval ? o->sample_interval : AGAIN_NEAREST * (s->length + s->warmup);
	schedule_begin(&s->schedule, s->start, interval, s->length + s->warmup, o->seed);
	return true;
}

static bool reach_region(struct sample *s, struct error *err)
{
	const struct options *o = &s->options;
	struct session *session = &s->session;
	struct options core = *o;
	core.max_insns = 0; /* of the region, not of a sample */
	if (o->with && !strcmp(o->with, "none"))
		return error_set(err, ERROR_USAGE, "--with none: samples always have stack and functions");
	TRY(session_machine(&session->machine, o, err));
	if (s->trained != TRAINED_ALWAYS && session->machine.plugins)
		return error_set(err, ERROR_USAGE,
				 "--sample-predictors: what it costs cannot be measured with plug-ins");
	struct analysis_context context = {.options = o, .machine = &session->machine};
	TRY(analyses_create(&session->analyses, o->with, &context, err));
	for (size_t i = 0; i < session->analyses.count; i++)
		if (!sample_has(session->analyses.rows[i]->name))
			return error_set(err, ERROR_USAGE, "--with: sums over samples make no result of %s",
					 session->analyses.rows[i]->name);
	TRY(session_guest(session, o, err));
	TRY(session_skip(session, o, err));
	TRY(session_core(session, &core, err));
	return guest_prepare_fork(session->guest, err);
}

static bool print_text(const struct sample *s, FILE *out, struct error *err)
{
	const struct options *o = &s->options;
	const unsigned width = terminal_width(out);
	const struct report_view view = {.width = width < TERMINAL_NARROWEST ? TERMINAL_NARROWEST : width,
					 .colour = terminal_colour(out),
					 .brief = o->brief,
					 .verbose = o->verbose};
	struct terminal_folded folded;
	sample_report_head(&s->report, view.width, out);
	if (s->report.measured)
		run_report_behind(&s->screen, &view, out);
	if (!terminal_fold_begin(&folded, out, err))
		return false;
	sample_report_sections(&s->report, o->verbose, folded.memory.file);
	return terminal_fold_end(&folded, err);
}

static bool write_text(const struct sample *s, struct error *err)
{
	struct output out;
	TRY(output_open_or(&out, s->options.output, stderr, err));
	return output_finish(&out, print_text(s, out.file, err), err);
}

/* What its first screen says of the command. */
static void head_screen(struct sample *s)
{
	struct run_report *r = &s->screen;
	r->machine = s->report.machine;
	r->as_named = machine_as_named(&s->session.machine);
	r->program = s->report.program;
	r->cut = s->report.cut;
	/* what was simulated in full is for `run` to go on with */
	const enum option_user next = s->report.start < s->position ? FOR_SAMPLE : FOR_RUN;
	places_command(&s->options, next, s->command, sizeof s->command);
	places_words(&s->options, provenance_input(&s->provenance), s->words, sizeof s->words);
	r->command = s->command;
	r->words = s->words;
}

static bool write_json(struct sample *s, struct error *err)
{
	if (!s->options.json)
		return true;
	TRY(provenance_add_guest(&s->provenance, s->session.guest, err));
	return provenance_write(&s->provenance, &s->session.machine, sample_report_json(&s->report), s->options.json,
				err);
}

static bool run(void *state, int *status, struct error *err)
{
	struct sample *s = state;
	struct sample_report *r = &s->report;
	provenance_begin(&s->provenance, &s->options, FOR_SAMPLE);
	TRY(provenance_check(&s->provenance, err));
	TRY(choose(s, err));
	TRY(options_check_analyses(&s->options, err));
	TRY(options_check_outputs(&s->options, err));
	TRY(session_refuse_terminal(err));
	TRY(reach_region(s, err));
	double started = progress_clock();
	TRY(sample_take(s, err));
	r->host_seconds = progress_clock() - started;
	r->version = CULPRIT_VERSION;
	r->machine = s->session.machine.name;
	r->program = s->options.arguments[0];
	r->skipped = s->session.skipped;
	TRY(killed_find(&r->killed, s->session.guest, err));
	TRY(sample_fill(s, err));
	if (again_needed(s))
		return again_take(s, status, err);
	killed_say(&r->killed, r->program);
	head_screen(s);
	TRY(!r->measured || sample_screen(s, err));
	*status = r->cut ? interrupt_status() : r->exit_status >= 0 ? r->exit_status : 0;
	return write_text(s, err) && write_json(s, err);
}

static void destroy(void *state)
{
	struct sample *s = state;
	again_destroy(s);
	for (size_t i = 0; i < s->room; i++)
		sample_unit_destroy(&s->units[i]);
	sample_unit_destroy(&s->first);
	workers_destroy(s);
	simpoints_destroy(&s->points);
	free(s->units);
	sample_report_destroy(&s->report);
	session_destroy(&s->session);
	insn_cycles_destroy(&s->insn_cycles);
	insn_cycles_destroy(&s->whole);
	symbols_destroy(s->symbols);
	lines_destroy(s->lines);
	provenance_destroy(&s->provenance);
}

const struct command command_sample = {
	.user = FOR_SAMPLE,
	.interruptible = true,
	.size = sizeof(struct sample),
	.run = run,
	.destroy = destroy,
};
