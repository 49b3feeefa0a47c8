/* One simulation of `culprit truth`, in a child process: the session is a private copy of the parent's. The base run is
 * the one that the user hears and whose files are written; all others are isolated. */
#include "run/killed.h"
#include "run/progress.h"
#include "truth/truth.h"
#include "with/places.h"

#include <string.h>

/* In line: other simulations have the other processors. */
static bool listen(struct truth *t, struct commit_stack *stack, struct error *why)
{
	struct session *s = &t->session;
	struct commit_stack_params params = commit_stack_of(&s->machine);
	commit_stack_init(stack, &params);
	s->stack = stack;
	TRY(truth_scores_create(t, why));
	return session_listen(s, false, why);
}

/* What the base run's listeners heard. No symbols are loaded: scores name no places. */
static bool finish_listening(struct truth *t, struct truth_outcome *out, struct error *why)
{
	struct symbols *none = symbols_create(why);
	struct analysis_totals totals = {.cycles = out->cycles,
					 .instructions = out->instructions,
					 .symbols = none,
					 .code = places_code(t->session.guest),
					 .guest = t->session.guest};
	bool good = none && truth_scores_hand_over(t, &totals, why);
	symbols_destroy(none);
	commit_stack_finish(t->session.stack, out->cycles);
	memcpy(out->stack, t->session.stack->cycles, sizeof out->stack);
	return good;
}

/* Each point of a sweep is a machine of its own, with its own warm-up. */
static bool build_point(struct truth *t, uint32_t point, struct error *why)
{
	TRY(truth_plan_apply(&t->plan, point, &t->session.machine, why));
	t->options.quiet = true; /* the parent draws */
	return session_core(&t->session, &t->options, why);
}

static bool look(void *context, uint64_t committed)
{
	return pool_report(context, committed);
}

static void take_outcome(const struct session *s, struct truth_outcome *out)
{
	const struct core_statistics *stats = core_statistics(s->core);
	out->instructions = stats->committed;
	out->cycles = stats->cycles;
	out->warmed = s->warmed;
	out->exit_status = core_guest_state(s->core) == GUEST_RUNNING ? -1 : guest_exit_status(s->guest);
}

static bool simulate(struct truth *t, struct pool *pool, size_t job, struct truth_outcome *out, struct error *why)
{
	const struct truth_job *j = &t->plan.jobs[job];
	struct session *s = &t->session;
	struct commit_stack stack;
	if (job)
		TRY(guest_isolate(s->guest, why));
	if (t->plan.sweep_count)
		TRY(build_point(t, j->point, why));
	if (j->ideal)
		TRY(core_idealise(s->core, j->ideal, why));
	if (!job)
		TRY(listen(t, &stack, why));
	TRY(session_run(s, PROGRESS_STEP, look, pool, why));
	if (pool->stopped)
		return false;
	take_outcome(s, out);
	TRY(guest_check(s->guest, why));
	return job || (killed_find(&out->killed, s->guest, why) && finish_listening(t, out, why));
}

/* Private copies of writable directories go with the session, and standard input is left where it was read to. */
bool truth_simulate(struct pool *pool, size_t job, void *result, struct error *why)
{
	struct truth *t = pool->context;
	bool good = simulate(t, pool, job, result, why);
	session_destroy(&t->session);
	return good;
}
