/* One simulation of `culprit truth`, in a child process: the session is a private copy of the parent's. The base run is
 * the one that the user hears and whose files are written; all others are isolated. */
#include "analysis/pipe.h"
#include "cli/killed.h"
#include "cli/truth.h"

enum { STEP = 200000 }; /* instructions between reports */

struct listener {
	struct commit_stack stack;
	struct truth_scores *scores;
	struct pipe *pipe;
};

static void on_records(void *context, const struct culprit_record *records, size_t count)
{
	struct listener *l = context;
	commit_stack_push(&l->stack, records, count);
	truth_scores_records(l->scores, records, count);
}

static void on_log(void *context, const struct culprit_log_part *part)
{
	struct listener *l = context;
	truth_scores_log(l->scores, part);
}

static bool listen(struct listener *l, struct truth *t, struct error *why)
{
	struct session *s = &t->session;
	struct commit_stack_params params = {s->machine.issue_dispatch_to_issue, s->machine.commit_delay};
	commit_stack_init(&l->stack, &params);
	l->scores = &t->scores;
	TRY(truth_scores_create(&t->scores, &(struct analysis_context){&t->options, &s->machine, false}, why));
	/* in line: other simulations have the other processors */
	struct pipe_reader reader = {l, on_records, t->scores.analyses.log ? on_log : NULL};
	l->pipe = pipe_create(&reader, false, why);
	if (!l->pipe)
		return false;
	core_log(s->core, pipe_log(l->pipe));
	core_observe(s->core, NULL, pipe_sink(l->pipe));
	return true;
}

/* What the base run's listeners heard. No symbols are loaded: scores name no places. */
static bool finish_listening(struct listener *l, struct truth *t, struct truth_outcome *out, struct error *why)
{
	pipe_finish(l->pipe);
	struct symbols *none = symbols_create(why);
	struct analysis_totals totals = {out->cycles, out->instructions, none, t->session.guest};
	bool good = none && truth_scores_hand_over(&t->scores, &totals, why);
	symbols_destroy(none);
	commit_stack_finish(&l->stack, out->cycles);
	for (unsigned i = 0; i < COMMIT_ROWS; i++)
		out->stack[i] = l->stack.cycles[i];
	return good;
}

/* Each point of a sweep is a machine of its own, with its own warm-up. */
static bool build_point(struct truth *t, uint32_t point, struct error *why)
{
	TRY(truth_plan_apply(&t->plan, point, &t->session.machine, why));
	t->options.quiet = true; /* the parent draws */
	return session_core(&t->session, &t->options, why);
}

static bool run(struct pool *pool, struct core *core, struct error *why)
{
	enum core_stop stop = CORE_STOP_COUNT;
	for (uint64_t goal = STEP; stop == CORE_STOP_COUNT; goal += STEP) {
		stop = core_run(core, goal, why);
		if (!pool_report(pool, core_statistics(core)->committed))
			return false;
	}
	core_flush_records(core);
	return stop != CORE_STOP_ERROR;
}

static void take_outcome(const struct session *s, struct truth_outcome *out)
{
	const struct core_statistics *stats = core_statistics(s->core);
	out->instructions = stats->committed;
	out->cycles = stats->cycles;
	out->warmed = s->warmed;
	out->exit_status = core_guest_state(s->core) == GUEST_RUNNING ? -1 : guest_exit_status(s->guest);
}

static bool simulate(struct truth *t, struct listener *l, struct pool *pool, size_t job, struct truth_outcome *out,
		     struct error *why)
{
	const struct truth_job *j = &t->plan.jobs[job];
	struct session *s = &t->session;
	if (job)
		TRY(guest_isolate(s->guest, why));
	if (t->plan.sweep_count)
		TRY(build_point(t, j->point, why));
	if (j->ideal)
		TRY(core_idealise(s->core, j->ideal, why));
	if (!job)
		TRY(listen(l, t, why));
	TRY(run(pool, s->core, why));
	take_outcome(s, out);
	TRY(guest_check(s->guest, why));
	return job || (killed_find(&out->killed, s->guest, why) && finish_listening(l, t, out, why));
}

bool truth_simulate(struct pool *pool, size_t job, void *result, struct error *why)
{
	struct truth *t = pool->context;
	struct listener listener = {.pipe = NULL};
	bool good = simulate(t, &listener, pool, job, result, why);
	pipe_destroy(listener.pipe);
	session_destroy(
		&t->session); /* private copies of writable directories go, standard input is left where it was read to */
	return good;
}
