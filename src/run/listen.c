/* The simulation of a session's region, and the way of its records to those who listen. */
#include "analysis/pipe.h"
#include "run/session.h"

/* The default report. */
static void on_records(void *context, const struct culprit_record *records, size_t count)
{
	struct session *s = context;
	if (s->stack)
		commit_stack_push(s->stack, records, count);
	if (s->insn_cycles)
		insn_cycles_push(s->insn_cycles, records, count);
	calls_push(&s->calls, records, count);
}

bool session_listen(struct session *s, bool threaded, struct error *err)
{
	struct pipe_reader readers[PIPE_READERS_MOST] = {{s, on_records, NULL, false}};
	size_t count = s->stack || s->insn_cycles;
	count += analyses_readers(&s->analyses, threaded && pipe_processors() > 2, readers + count);
	if (!count)
		return true;
	TRY(s->pipe = pipe_create(readers, count, threaded, err));
	core_record(s->core, pipe_sink(s->pipe), pipe_log(s->pipe));
	return true;
}

bool session_run(struct session *s, uint64_t step, bool (*look)(void *context, uint64_t committed), void *context,
		 struct error *err)
{
	enum core_stop stop = CORE_STOP_COUNT;
	for (uint64_t goal = step; stop == CORE_STOP_COUNT; goal += step) {
		if (!look(context, core_statistics(s->core)->committed))
			break;
		stop = core_run(s->core, goal, err);
	}
	core_flush_records(s->core);
	if (s->pipe)
		pipe_finish(s->pipe);
	return stop != CORE_STOP_ERROR;
}
