/* culprit truth: what each event class really costs, found by making it go away. The program is brought to the region
 * once; each simulation then goes on from there in a process of its own. */
#include "truth/truth.h"

#include "analysis/pipe.h"
#include "base/output.h"
#include "report/terminal.h"
#include "cli/commands.h"
#include "page/page.h"
#include "run/killed.h"
#include "run/progress.h"
#include "report/format.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Mistakes in a sweep's values show before anything runs. */
static bool check_points(const struct truth *t, struct error *err)
{
	for (uint32_t point = 0; point < t->plan.point_count; point++) {
		struct machine m = t->session.machine;
		TRY(truth_plan_apply(&t->plan, point, &m, err));
	}
	return true;
}

static bool reach_region(struct truth *t, struct error *err)
{
	struct session *s = &t->session;
	TRY(session_guest(s, &t->options, err));
	TRY(session_skip(s, &t->options, err));
	if (!t->plan.sweep_count)
		TRY(session_core(s, &t->options, err));
	return guest_prepare_fork(s->guest, err);
}

static bool run_jobs(struct truth *t, struct error *err)
{
	t->pool.at_once = t->options.jobs ? t->options.jobs : pipe_processors();
	t->pool.context = t;
	t->pool.work = truth_simulate;
	t->pool.watch = truth_progress;
	t->show = !t->options.quiet && isatty(STDERR_FILENO);
	t->started = progress_clock();
	t->drawn_at = t->started + 0.5; /* short ones show nothing */
	TRY(pool_create(&t->pool, t->plan.job_count, err));
	bool good = pool_run(&t->pool, err);
	truth_progress_end(t);
	t->report.host_seconds = progress_clock() - t->started;
	t->report.at_once = (unsigned)t->pool.at_once;
	t->report.cut = interrupt_seen() ? "interrupted" : NULL;
	return good;
}

/* --- write it --- */

static bool write_json(struct truth *t, struct error *err)
{
	if (!t->options.json && !t->options.html)
		return true;
	TRY(provenance_add_guest(&t->provenance, t->session.guest, err));
	json_t *root = provenance_result(&t->provenance, &t->session.machine, truth_report_json(&t->report), err);
	return page_write_result(root, json_object(), t->options.html, t->options.json, err);
}

/* 125 when something is missing, else the guest's own; an interrupted run ends as signals do. */
static int exit_status(const struct truth_report *r)
{
	if (r->cut)
		return interrupt_status();
	if (r->failed || (r->full && !r->identity_holds))
		return 125;
	return r->exit_status >= 0 ? r->exit_status : 0;
}

static bool truth(void *state, int *status, struct error *err)
{
	struct truth *t = state;
	provenance_begin(&t->provenance, &t->options, FOR_TRUTH);
	TRY(provenance_check(&t->provenance, err));
	if (t->options.svg && !t->options.sweeps.count)
		return error_set(err, ERROR_USAGE, "--svg draws the curves of --sweep");
	TRY(truth_scores_choose(&t->scores, &t->options, err));
	TRY(truth_plan_create(&t->plan, &t->options, err));
	TRY(session_machine(&t->session.machine, &t->options, err));
	TRY(check_points(t, err));
	TRY(options_check_outputs(&t->options, err));
	TRY(truth_scores_prepare(t, err));
	TRY(session_refuse_terminal(err));
	TRY(reach_region(t, err));
	t->report.version = CULPRIT_VERSION;
	t->report.machine = t->session.machine.name;
	t->report.program = t->options.arguments[0];
	t->report.skipped = t->session.skipped;
	t->report.warmed = t->session.warmed;
	TRY(run_jobs(t, err));
	TRY(truth_fill(t, err));
	TRY(truth_scores_fill(t, err));
	killed_say(&t->report.killed, t->report.program);
	TRY(write_json(t, err));
	TRY(OUTPUT_WRITE(t->options.csv, NULL, truth_report_csv, &t->report, err));
	TRY(OUTPUT_WRITE(t->options.svg, NULL, truth_curves_svg, &t->report, err));
	*status = exit_status(&t->report);
	return REPORT_WRITE(t->options.output, stderr, truth_report_text, &t->report, err);
}

static void destroy(void *state)
{
	struct truth *t = state;
	truth_fill_destroy(t);
	truth_scores_destroy(&t->scores);
	pool_destroy(&t->pool);
	truth_plan_destroy(&t->plan);
	session_destroy(&t->session);
	provenance_destroy(&t->provenance);
}

const struct command command_truth = {
	.user = FOR_TRUTH,
	.interruptible = true,
	.size = sizeof(struct truth),
	.run = truth,
	.destroy = destroy,
};
