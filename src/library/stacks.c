/* "stacks": as `--with stacks`, from records and the pipeline log. */
#include "analysis/replay/replay.h"
#include "library/analysis.h"
#include "with/stacks_fill.h"

struct library_stacks {
	struct stacks *stacks;
	struct replay *replay;
	struct stacks_resolution resolution;
	struct stacks_report report;
};

static bool create(void *self, const struct machine *m, const struct culprit_graph_params *graph, struct error *err)
{
	struct library_stacks *s = self;
	struct stacks_params params;
	struct replay_params replay;
	stacks_params_from_machine(&params, m);
	replay_params_from_machine(&replay, m);
	replay.weighs = true;
	TRY(s->stacks = stacks_create(&params, err));
	return (s->replay = replay_create(&replay, stacks_observer(s->stacks), err)) != NULL;
}

static bool push(void *self, const struct culprit_record *records, size_t count, struct error *err)
{
	struct library_stacks *s = self;
	replay_records(s->replay, records, count);
	stacks_resolution_push(&s->resolution, records, count);
	return true;
}

static void log_part(void *self, const struct culprit_log_part *part)
{
	struct library_stacks *s = self;
	replay_log(s->replay, part);
}

static bool finish(void *self, const struct library_totals *totals, struct error *err)
{
	struct library_stacks *s = self;
	struct replay_slots slots;
	TRY(replay_finish(s->replay, err));
	if (replay_weighs(s->replay, &slots))
		stacks_weigh(s->stacks, slots.dispatch, slots.issue, slots.commit, slots.heavy);
	TRY(stacks_finish(s->stacks, totals->cycles, totals->instructions, err));
	stacks_fill(&s->report, s->stacks, &s->resolution, totals->cycles, totals->instructions);
	return true;
}

static json_t *json(void *self)
{
	struct library_stacks *s = self;
	return stacks_report_json(&s->report);
}

static void destroy(void *self)
{
	struct library_stacks *s = self;
	replay_destroy(s->replay);
	stacks_destroy(s->stacks);
}

const struct library_analysis library_stacks = {
	"stacks", sizeof(struct library_stacks), create, push, log_part, finish, json, destroy};
