/* A replay's parameters on a machine. */
#include "analysis/replay/replay.h"
#include "machine/machine_idealised.h"

void replay_params_from_machine(struct replay_params *p, const struct machine *m)
{
	struct machine_idealised d;
	machine_idealise(&d, m);
	const bool speculative = m->lsq_disambiguation == disambiguation_speculative;
	*p = (struct replay_params){
		.window = d.window,
		.dispatch_to_issue = m->issue_dispatch_to_issue,
		.commit_delay = m->commit_delay,
		.store_sets = speculative || m->lsq_disambiguation == disambiguation_store_sets,
		.speculative = speculative,
		.queued = m->issue_bypass,
	};
}
