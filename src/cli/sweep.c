/* culprit sweep: every point of a plan, as far as it has not been simulated before. `culprit run -m A,B,C` is the
 * same with a plan of its own. */
#include "cli/sweep.h"

#include "analysis/pipe.h"
#include "base/output.h"
#include "cli/commands.h"
#include "page/page.h"
#include "provenance/provenance.h"
#include "report/terminal.h"
#include "run/progress.h"
#include "run/session.h"
#include "sweep/sweep.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct command_sweep_state {
	const struct options *options;
	struct sweep sweep;
	struct provenance provenance;
	char results[4096]; /* the file */
	bool temporary;	    /* which goes with the command */
};

/* --- where results go --- */

/* PLAN.yaml -> PLAN.sqlite, beside it */
static void beside_plan(struct command_sweep_state *c, const char *plan)
{
	const char *slash = strrchr(plan, '/'), *dot = strrchr(plan, '.');
	bool ending = dot && (!slash || dot > slash + 1) && (!strcmp(dot, ".yaml") || !strcmp(dot, ".yml"));
	snprintf(c->results, sizeof c->results, "%.*s.sqlite", (int)(ending ? dot - plan : (long)strlen(plan)), plan);
}

static bool in_temporary(struct command_sweep_state *c, struct error *err)
{
	const char *parent = getenv("TMPDIR");
	snprintf(c->results, sizeof c->results, "%.4000s/culprit-sweep-XXXXXX", parent && *parent ? parent : "/tmp");
	int file = mkstemp(c->results);
	if (file < 0)
		return error_set(err, ERROR_SYSTEM, "%s: cannot write: %s", c->results, strerror(errno));
	close(file);
	c->temporary = true;
	return true;
}

static bool choose_results(struct command_sweep_state *c, const char *plan, struct error *err)
{
	const struct options *o = c->options;
	if (o->results)
		snprintf(c->results, sizeof c->results, "%s", o->results);
	else if (plan)
		beside_plan(c, plan);
	else
		TRY(in_temporary(c, err));
	snprintf(c->sweep.folder, sizeof c->sweep.folder, "%s.points", c->results);
	return true;
}

/* --- output --- */

static void print_text(const struct command_sweep_state *c, FILE *out)
{
	const unsigned width = terminal_width(out);
	const struct sweep_report_view view = {width < TERMINAL_WIDTH ? TERMINAL_WIDTH : width};
	sweep_report_text(&c->sweep.report, &view, out);
}

static void print_commands(const struct sweep *s, FILE *out)
{
	for (uint32_t i = 0; i < s->points.count; i++) {
		char *command = sweep_command(&s->points.all[i]);
		fprintf(out, "%s\n", command ? command : "out of memory");
		free(command);
	}
}

static bool write_data(struct command_sweep_state *c, const char *plan, struct error *err)
{
	const struct options *o = c->options;
	if (!o->json && !o->html)
		return true;
	if (plan)
		TRY(provenance_add_file(&c->provenance, "input", plan, err));
	json_t *root = provenance_result(&c->provenance, NULL, sweep_report_json(&c->sweep.report), err);
	return page_write_result(root, json_object(), o->html, o->json, err);
}

static bool write_all(struct command_sweep_state *c, const char *plan, struct error *err)
{
	const struct options *o = c->options;
	const struct sweep_report *r = &c->sweep.report;
	TRY(OUTPUT_WRITE(o->output, plan ? stdout : stderr, print_text, c, err));
	TRY(OUTPUT_WRITE(o->csv, NULL, sweep_report_csv, r, err));
	TRY(OUTPUT_WRITE(o->svg, NULL, sweep_report_svg, r, err));
	return write_data(c, plan, err);
}

/* --- the whole --- */

/* 125 when a point failed, or a plan's program was killed (`run` ends as its program does); an interrupted sweep ends
 * as signals do. */
static int exit_status(const struct sweep_report *r, bool of_plan)
{
	if (r->cut)
		return interrupt_status();
	return r->failed || (of_plan && r->killed) ? 125 : 0;
}

static bool simulate(struct command_sweep_state *c, struct error *err)
{
	struct sweep *s = &c->sweep;
	const struct options *o = c->options;
	s->quiet = o->quiet;
	s->slurm = o->slurm;
	s->at_once = o->jobs ? o->jobs : o->parts ? o->parts : pipe_processors(); /* sweep; run -m A,B,C */
	if (s->slurm && !o->jobs)
		s->at_once = s->points.count;
	if (s->at_once > s->points.count)
		s->at_once = s->points.count;
	TRY(s->store = sweep_store_open(c->results, err));
	return sweep_simulate(s, err);
}

static bool go(struct command_sweep_state *c, const char *plan, int *status, struct error *err)
{
	struct sweep *s = &c->sweep;
	const struct options *o = c->options;
	TRY(sweep_points_create(&s->points, &s->plan, err));
	TRY(options_check_outputs(o, err));
	if (o->list)
		return OUTPUT_WRITE(o->output, stdout, print_commands, s, err);
	TRY(choose_results(c, plan, err));
	TRY(simulate(c, err));
	TRY(sweep_fill(s, err));
	const bool kept = s->slurm || !sweep_store_useless(s->store);
	s->report.results = c->temporary || !kept ? NULL : c->results;
	s->report.cut = interrupt_seen() ? "interrupted" : NULL;
	*status = exit_status(&s->report, plan != NULL);
	return write_all(c, plan, err);
}

static void destroy_state(struct command_sweep_state *c)
{
	sweep_destroy(&c->sweep);
	if (c->temporary)
		unlink(c->results);
	provenance_destroy(&c->provenance);
}

/* Standard input as a file can be read by each; a pipe by one, so the others would have an empty one without a word. */
static bool take_input(struct sweep_program *p, struct error *err)
{
	struct stat st;
	char path[4096];
	if (fstat(STDIN_FILENO, &st) || S_ISCHR(st.st_mode))
		return session_refuse_terminal(err);
	if (!S_ISREG(st.st_mode))
		return error_set(err, ERROR_USAGE,
				 "-m A,B: standard input is a pipe, and each machine's program reads all of it: "
				 "give it as a file (< FILE), or none (< /dev/null)");
	ssize_t length = readlink("/proc/self/fd/0", path, sizeof path - 1);
	if (length > 0)
		p->input = strndup(path, (size_t)length);
	return p->input || error_set(err, ERROR_SYSTEM, "standard input: cannot find its file");
}

bool sweep_run_machines(const struct options *o, int *status, struct error *err)
{
	struct command_sweep_state c = {.options = o};
	c.sweep.heard = true;
	provenance_begin(&c.provenance, o, FOR_RUN);
	c.provenance.kind = "sweep";
	bool good = provenance_check(&c.provenance, err) && sweep_plan_of_run(&c.sweep.plan, o, err) &&
		    take_input(c.sweep.plan.programs, err) && go(&c, NULL, status, err);
	if (good && !*status && c.sweep.results && c.sweep.results[0].exit_status > 0)
		*status = c.sweep.results[0].exit_status;
	destroy_state(&c);
	return good;
}

struct sweep_command {
	struct options options; /* first */
	struct command_sweep_state state;
};

static bool sweep(void *state, int *status, struct error *err)
{
	struct sweep_command *s = state;
	struct command_sweep_state *c = &s->state;
	const char *plan = s->options.arguments[0];
	c->options = &s->options;
	if (!plan || s->options.arguments[1])
		return error_set(err, ERROR_USAGE, "sweep: one plan: culprit sweep [OPTION...] PLAN.yaml");
	provenance_begin(&c->provenance, &s->options, FOR_SWEEP);
	TRY(provenance_check(&c->provenance, err));
	return sweep_plan_read(&c->sweep.plan, plan, err) && go(c, plan, status, err);
}

static void destroy(void *state)
{
	destroy_state(&((struct sweep_command *)state)->state);
}

const struct command command_sweep = {
	.user = FOR_SWEEP,
	.interruptible = true,
	.size = sizeof(struct sweep_command),
	.run = sweep,
	.destroy = destroy,
};
