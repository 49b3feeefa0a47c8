/* culprit profile: one functional pass over a region, and what the interval model has to know about it, in a file. */
#include "base/output.h"
#include "base/plain.h"
#include "report/terminal.h"
#include "cli/commands.h"
#include "report/format.h"
#include "run/killed.h"
#include "run/profile_guest.h"
#include "run/progress.h"
#include "run/session.h"
#include "interval/profile/sampler.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	THREADS_MOST = 4,
	EVERY = 8, /* --sample */
	EVERY_MOST = 1 << 16,
	SHORT_REGION = 16000000, /* instructions; few stretches would be too few */
};

struct profile_run {
	struct options options; /* first */
	struct session session;
	struct profile_guest guest;
	struct interval_pass *pass;
	struct interval_profile *profile;
	double seconds; /* of the pass, warm-up included; 0 = read from a file */
	uint64_t passed;
	int exit_status; /* of the guest; -1 = it has not ended */
	bool cut, ended; /* interrupted; the program has ended */
	struct report_killed killed;
};

/* --- for people to read: the mix, the inherent ILP, misses of common sizes, predictors, overlap --- */

static double per_kilo(const struct interval_profile *p, uint64_t n)
{
	return format_ratio(1000.0 * (double)n, (double)p->instructions);
}

static void heading(const struct profile_run *r, FILE *out)
{
	const struct interval_profile *p = r->profile;
	char n[64], m[32];
	fprintf(out, "%s: %s", p->program, format_counted(p->instructions, "instruction", n));
	if (p->skipped)
		fprintf(out, ", after %s skipped", format_grouped((int64_t)p->skipped, n));
	if (p->warmed)
		fprintf(out, ", %s of warm-up", format_grouped((int64_t)p->warmed, n));
	fprintf(out, "%s; reference machine %s\n", p->ended == INTERVAL_END_INTERRUPTED ? " (interrupted)" : "",
		p->reference.machine);
	killed_head(&r->killed, out);
	if (p->sampling.every > 1)
		fprintf(out, "averages and m*(W) from %s of them: 1 stretch of %s in %llu\n",
			format_grouped((int64_t)p->sampling.instructions, n),
			format_grouped((int64_t)p->sampling.stretch, m), (unsigned long long)p->sampling.every);
	if (r->seconds > 0)
		fprintf(out, "%.2f seconds, %.1f million instructions a second\n", r->seconds,
			(double)r->passed / r->seconds / 1e6);
}

static void mix(const struct interval_profile *p, FILE *out)
{
	const struct interval_mix *m = &p->mix;
	uint64_t taken = 0;
	fprintf(out, "\nInstructions, %%\n");
	for (enum culprit_op_class op = 0; op < CULPRIT_OP_COUNT; op++)
		if (m->op[op])
			fprintf(out, "  %-10s %6.2f\n", culprit_op_name(op), per_kilo(p, m->op[op]) / 10);
	for (size_t b = 0; b < CULPRIT_BRANCH_COUNT; b++)
		taken += m->taken[b];
	fprintf(out, "  taken branches %.2f; %.2f bytes an instruction; %.1f%% of loads read a recent store's data\n",
		per_kilo(p, taken) / 10, format_ratio((double)m->bytes, (double)p->instructions),
		100 * format_ratio((double)m->forwarded, (double)m->window_loads));
}

/* alpha and beta of K(W) = W^(1/beta) / alpha, least squares over log-log points W = 16 .. 1024 (powers of two). */
static void fit(const struct interval_profile *p, FILE *out)
{
	double n = 0, x = 0, y = 0, xx = 0, xy = 0;
	for (uint32_t w = 16; w <= INTERVAL_WINDOW; w *= 2) {
		double k = interval_critical_path(p, INTERVAL_LATENCY_unit, w);
		if (k <= 0)
			continue;
		double a = log(w), b = log(k);
		n += 1, x += a, y += b, xx += a * a, xy += a * b;
	}
	double spread = n * xx - x * x;
	if (n < 2 || spread <= 0)
		return;
	double slope = (n * xy - x * y) / spread, level = (y - slope * x) / n;
	fprintf(out, "  K(W) = W^(1/beta) / alpha from W = 16: alpha %.2f, beta %.2f\n", exp(-level), 1 / slope);
}

enum { WINDOW_FIRST = 8 }; /* windows below it say little, and eight columns fit a screen */

static void paths(const struct interval_profile *p, FILE *out)
{
	fprintf(out, "\nCritical path K(W), cycles, by window W and what is counted\n  %-14s", "");
	for (uint32_t w = WINDOW_FIRST; w <= INTERVAL_WINDOW; w *= 2)
		fprintf(out, " %7u", w);
	fprintf(out, "\n");
	for (enum interval_latency s = 0; s < INTERVAL_LATENCIES; s++) {
		fprintf(out, "  %-14s", interval_latency_name(s));
		for (uint32_t w = WINDOW_FIRST; w <= INTERVAL_WINDOW; w *= 2)
			fprintf(out, " %7.2f", interval_critical_path(p, s, w));
		fprintf(out, "\n");
	}
	fit(p, out);
}

static void predictors(const struct interval_profile *p, FILE *out)
{
	fprintf(out, "\nBranches, per 1000 instructions\n  %-14s %9s %9s %8s %8s %9s\n", "predictor", "mispred.",
		"direction", "target", "return", "redirects");
	for (size_t i = 0; i < INTERVAL_PREDICTORS; i++) {
		const struct interval_predictor *b = &p->predictor[i];
		if (!*b->name)
			continue;
		fprintf(out, "  %-14s %9.3f %9.3f %8.3f %8.3f %9.3f\n", b->name,
			per_kilo(p, interval_mispredictions(b)), per_kilo(p, b->direction), per_kilo(p, b->target),
			per_kilo(p, b->return_), per_kilo(p, b->right_redirects));
	}
}

/* Misses of 4-way caches, per 1000 instructions, of one kind or (loads and stores) two. */
static void cache_row(const struct interval_profile *p, const struct interval_sweep *s, uint64_t size, uint64_t ways,
		      uint64_t line, FILE *out)
{
	uint64_t misses[INTERVAL_KINDS];
	fprintf(out, "  %7llu KB %2llu ways", (unsigned long long)size >> 10, (unsigned long long)ways);
	for (enum interval_kind k = 0; k < INTERVAL_KINDS; k++) {
		if (!interval_misses(s, k, size, ways, line, &misses[k], NULL))
			misses[k] = 0;
		fprintf(out, " %9.3f", per_kilo(p, misses[k]));
	}
	fprintf(out, "\n");
}

static void caches(const struct interval_profile *p, FILE *out)
{
	static const char columns[] = "fetch      load     store";
	fprintf(out, "\nMisses per 1000 instructions, LRU, 64-byte lines\n  L1I               %s\n", columns);
	for (uint64_t size = 8192; size <= 131072; size *= 2)
		cache_row(p, &p->l1i, size, 4, 64, out);
	fprintf(out, "  L1D               %s\n", columns);
	for (uint64_t size = 8192; size <= 131072; size *= 2)
		cache_row(p, &p->l1d, size, 4, 64, out);
	fprintf(out, "  L2                %s\n", columns);
	for (uint64_t size = 131072; size <= 8388608; size *= 2)
		cache_row(p, &p->l2, size, 8, 64, out);
	fprintf(out, "  TLB entries (full)   ITLB      DTLB\n");
	for (uint64_t entries = 16; entries <= INTERVAL_PAGES_FULL; entries *= 2) {
		uint64_t i, d;
		interval_page_misses(&p->itlb, entries, 0, &i, NULL);
		interval_page_misses(&p->dtlb, entries, 0, &d, NULL);
		fprintf(out, "  %7llu          %9.3f %9.3f\n", (unsigned long long)entries, per_kilo(p, i),
			per_kilo(p, d));
	}
}

static void overlap(const struct interval_profile *p, FILE *out)
{
	const struct interval_overlap *o = &p->overlap[INTERVAL_CHAIN_memory], *t = &p->overlap[INTERVAL_CHAIN_walk];
	fprintf(out,
		"\nLong misses of the reference machine, per 1000 instructions: loads from memory %.3f, page walks "
		"%.3f\n"
		"  not overlapped, m*(W), by window; \"broken\" by mispredictions that wait for a miss\n"
		"  %6s %10s %10s %10s\n",
		per_kilo(p, o->misses), per_kilo(p, t->misses), "W", "m*", "broken", "walks");
	for (size_t w = 0; w < INTERVAL_WINDOWS; w++)
		if (!(interval_windows[w] & (interval_windows[w] - 1)))
			fprintf(out, "  %6llu %10.3f %10.3f %10.3f\n", (unsigned long long)interval_windows[w],
				per_kilo(p, o->units[w]), per_kilo(p, o->broken[w]), per_kilo(p, t->units[w]));
}

static void print_report(const struct profile_run *r, FILE *out)
{
	heading(r, out);
	mix(r->profile, out);
	paths(r->profile, out);
	predictors(r->profile, out);
	caches(r->profile, out);
	overlap(r->profile, out);
}

/* --- the pass --- */

static enum guest_state forward(void *context, uint64_t step, uint64_t *executed, bool *there)
{
	return profile_guest_run(context, step, executed, there);
}

/* `most` more instructions of the program, if it has as many. */
static uint64_t advance(struct profile_run *run, const char *doing, uint64_t most, bool *reached)
{
	uint64_t done = 0;
	if (!run->ended && !*reached)
		run->ended = session_go_on(forward, &run->guest, &run->options, doing, most, &done, reached) !=
			     GUEST_RUNNING;
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
	TRY(session_stop(&run->session, o, &run->guest.stop, err));
	run->passed = run->profile->warmed + advance(run, "", o->max_insns ? o->max_insns : UINT64_MAX, &reached);
	interval_pass_finish(run->pass, run->profile);
	if (!interval_strays_finish(run->guest.strays, &run->profile->samples))
		return error_set(err, ERROR_SYSTEM, "out of memory for the wrong paths of the sample");
	run->seconds = progress_clock() - started;
	session_note_stop(&run->session, o);
	run->profile->ended = run->cut	   ? INTERVAL_END_INTERRUPTED
			      : run->ended ? INTERVAL_END_PROGRAM
					   : INTERVAL_END_ASKED;
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
	plain_make(p->program);
}

static bool profile(struct profile_run *run, struct error *err)
{
	const struct options *o = &run->options;
	TRY(options_check_outputs(o, err));
	TRY(session_machine(&run->session.machine, o, err));
	run->options.one_process = true; /* a profile is of one address space */
	TRY(session_guest(&run->session, o, err));
	TRY(session_skip(&run->session, o, err));
	TRY(measure(run, err));
	name_program(run->profile, o->arguments[0]);
	if (o->profile)
		TRY(interval_write(run->profile, o->profile, err));
	return REPORT_WRITE(o->output, stderr, print_report, run, err);
}

/* --show FILE: the summary of a profile made before. */
static bool show(struct profile_run *run, struct error *err)
{
	if (run->options.arguments[0] || run->options.profile)
		return error_set(err, ERROR_USAGE, "profile: --show prints a file and runs nothing");
	TRY(interval_read(run->profile, run->options.show, err));
	return REPORT_WRITE(run->options.output, stdout, print_report, run, err);
}

static int exit_status(const struct profile_run *run)
{
	if (run->cut)
		return interrupt_status();
	return run->exit_status >= 0 ? run->exit_status : 0;
}

static void destroy(void *state)
{
	struct profile_run *run = state;
	interval_pass_destroy(run->pass);
	profile_guest_destroy(&run->guest);
	if (run->profile)
		interval_profile_clear(run->profile);
	free(run->profile);
	session_destroy(&run->session);
}

static bool command(void *state, int *status, struct error *err)
{
	struct profile_run *run = state;
	run->exit_status = -1;
	run->profile = calloc(1, sizeof *run->profile);
	if (!run->profile)
		return error_set(err, ERROR_SYSTEM, "out of memory for the profile");
	TRY(run->options.show ? show(run, err) : profile(run, err));
	*status = exit_status(run);
	return true;
}

const struct command command_profile = {
	.user = FOR_PROFILE,
	.interruptible = true,
	.size = sizeof(struct profile_run),
	.run = command,
	.destroy = destroy,
};
