/* A replay's parameters on a machine. */
#include "analysis/replay/replay.h"
#include "machine/machine.h"

void replay_params_from_machine(struct replay_params *p, const struct machine *m)
{
	bool larger = m->ideal & CULPRIT_EVENT_BIT(win);
	*p = (struct replay_params){
		.window = larger ? m->window_rob * MACHINE_IDEAL_WINDOW : m->window_rob,
		.dispatch_to_issue = m->issue_dispatch_to_issue,
		.commit_delay = m->commit_delay,
		.store_sets = m->lsq_disambiguation == disambiguation_store_sets,
	};
}
