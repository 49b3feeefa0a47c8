/* culprit profile: one functional pass over a region, and what the interval model has to know about it, in a file. */
#include "base/output.h"
#include "cli/commands.h"
#include "cli/killed.h"
#include "cli/profile_guest.h"
#include "cli/profile_text.h"
#include "cli/progress.h"
#include "cli/session.h"
#include "interval/profile/sampler.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	STEP = 4000000, /* instructions between looks at Ctrl-C */
	THREADS_MOST = 4,
	EVERY = 8, /* --sample */
	EVERY_MOST = 1 << 16,
	SHORT_REGION = 16000000, /* instructions; few stretches would be too few */
};

struct profile_run {
	struct options options;
	struct session session;
	struct profile_guest guest;
	struct interval_pass *pass;
	struct interval_profile *profile;
	double seconds; /* of the pass, warm-up included */
	uint64_t passed;
	int exit_status; /* of the guest; -1 = it has not ended */
	bool cut, ended;
	struct report_killed killed;
};

/* Up to `most` instructions, in steps, so that the user sees something and can stop it. */
static uint64_t advance(struct profile_run *run, const char *doing, uint64_t most, bool *reached)
{
	struct progress progress;
	uint64_t done = 0;
	progress_begin(&progress, doing, most == UINT64_MAX ? 0 : most, run->options.quiet);
	while (!run->ended && !*reached && done < most && !interrupt_seen()) {
		uint64_t executed, step = most - done < STEP ? most - done : STEP;
		run->ended = profile_guest_run(&run->guest, step, &executed, reached) != GUEST_RUNNING;
		done += executed;
		progress_update(&progress, done);
	}
	progress_end(&progress);
	run->cut = interrupt_seen();
	return done;
}

static unsigned thread_count(const struct options *o)
{
	long there = sysconf(_SC_NPROCESSORS_ONLN);
	uint64_t wanted = o->jobs ? o->jobs : there > 0 ? (uint64_t)there : 1;
	return (unsigned)(wanted < THREADS_MOST ? wanted : THREADS_MOST);
}

/* --sample: struct interval_sampling's `every`. */
static bool sampling(const struct options *o, uint64_t *every, struct error *err)
{
	*every = o->sample ? o->sample : o->max_insns && o->max_insns < SHORT_REGION ? 1 : EVERY;
	if (*every & (*every - 1) || *every > EVERY_MOST)
		return error_set(err, ERROR_USAGE, "profile: --sample takes a power of two up to %d", EVERY_MOST);
	return true;
}

static bool parse_stop(struct profile_run *run, struct error *err)
{
	if (!run->options.stop_at)
		return true;
	return session_place(&run->session, "stop-at", run->options.stop_at, &run->guest.stop_pc, err);
}

static bool measure(struct profile_run *run, struct error *err)
{
	const struct options *o = &run->options;
	bool reached = false;
	run->profile->skipped = run->session.skipped;
	struct interval_pass_options how = {.threads = thread_count(o), .tage = o->tage, .expected = o->max_insns};
	TRY(sampling(o, &how.every, err));
	TRY(run->pass = interval_pass_create(&run->session.machine, &how, err));
	TRY(profile_guest_create(&run->guest, run->session.guest, run->pass, err));
	double started = progress_clock();
	run->profile->warmed = run->session.warmed = advance(run, "warming up: ", o->warmup, &reached);
	if (run->ended && !run->cut)
		return session_too_short(&run->session, "warmup", o->warmup, err);
	interval_pass_begin(run->pass);
	interval_strays_begin(run->guest.strays, guest_hart(run->session.guest)->instret,
			      interval_sampler_first_every(o->max_insns));
	TRY(parse_stop(run, err));
	run->passed = run->profile->warmed + advance(run, "", o->max_insns ? o->max_insns : UINT64_MAX, &reached);
	interval_pass_finish(run->pass, run->profile);
	if (!interval_strays_finish(run->guest.strays, &run->profile->samples))
		return error_set(err, ERROR_SYSTEM, "out of memory for the wrong paths of the sample");
	run->seconds = progress_clock() - started;
	run->profile->ended = run->ended;
	if (run->ended)
		run->exit_status = guest_exit_status(run->session.guest);
	TRY(killed_find(&run->killed, run->session.guest, err));
	killed_say(&run->killed, o->arguments[0]);
	return true;
}

static void name_program(struct interval_profile *p, const char *program)
{
	const char *slash = strrchr(program, '/');
	strncpy(p->program, slash ? slash + 1 : program, sizeof p->program - 1);
}

static bool write_report(const struct profile_run *run, struct error *err)
{
	struct output o;
	struct profile_report r = {.profile = run->profile,
				   .seconds = run->seconds,
				   .passed = run->passed,
				   .cut = run->cut,
				   .killed = run->killed};
	if (!run->options.output) {
		profile_report_text(&r, stderr);
		return true;
	}
	TRY(output_open(&o, run->options.output, err));
	profile_report_text(&r, o.file);
	return output_commit(&o, err);
}

static bool profile(struct profile_run *run, struct error *err)
{
	const struct options *o = &run->options;
	TRY(options_check_outputs(o, err));
	TRY(session_machine(&run->session.machine, o, err));
	TRY(session_guest(&run->session, o, err));
	TRY(session_skip(&run->session, o, err));
	TRY(measure(run, err));
	name_program(run->profile, o->arguments[0]);
	if (o->profile)
		TRY(interval_write(run->profile, o->profile, err));
	return write_report(run, err);
}

/* --show FILE: the summary of a profile made before. */
static bool show(struct profile_run *run, struct error *err)
{
	if (run->options.arguments[0] || run->options.profile)
		return error_set(err, ERROR_USAGE, "profile: --show prints a file and runs nothing");
	TRY(interval_read(run->profile, run->options.show, err));
	struct profile_report r = {.profile = run->profile};
	if (!run->options.output) {
		profile_report_text(&r, stdout);
		return true;
	}
	return write_report(run, err);
}

static int exit_status(const struct profile_run *run)
{
	if (run->cut)
		return interrupt_status();
	return run->exit_status >= 0 ? run->exit_status : 0;
}

static void destroy(struct profile_run *run)
{
	interval_pass_destroy(run->pass);
	profile_guest_destroy(&run->guest);
	if (run->profile)
		interval_profile_clear(run->profile);
	free(run->profile);
	session_destroy(&run->session);
	options_destroy(&run->options);
	free(run);
}

int command_profile(char **argv)
{
	struct error err = {0};
	struct profile_run *run = calloc(1, sizeof *run);
	if (!run)
		return report_no_memory();
	run->exit_status = -1;
	run->profile = calloc(1, sizeof *run->profile);
	int status;
	interrupt_install();
	if (!run->profile) {
		error_set(&err, ERROR_SYSTEM, "out of memory for the profile");
		status = report_error(&err);
	} else if (!options_parse(&run->options, argv, FOR_PROFILE, &err)) {
		status = report_error(&err);
	} else if (run->options.help) {
		printf("culprit profile [OPTION...] -- PROG [ARG...]\nculprit profile --show FILE\n");
		options_help(FOR_PROFILE, stdout);
		status = 0;
	} else if (!(run->options.show ? show(run, &err) : profile(run, &err))) {
		status = report_error(&err);
	} else {
		status = exit_status(run);
	}
	destroy(run);
	return status;
}
