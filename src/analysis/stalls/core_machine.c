/* The sensors' parameters on a machine; the rules are those of docs/core-timing.md. */
#include "analysis/stalls/core.h"
#include "machine/machine.h"

#include <stdio.h>

void stalls_core_params_from_machine(struct stalls_core_params *p, const struct machine *m)
{
	bool unlimited = m->ideal & CULPRIT_EVENT_BIT(bw);
	*p = (struct stalls_core_params){
		.commit_width = unlimited ? UINT32_MAX : m->commit_width,
		.dispatch_width = unlimited ? UINT32_MAX : m->dispatch_width,
		.fetch_width = unlimited ? UINT32_MAX : m->fetch_width,
		.frontend_stages = m->frontend_stages,
		/* dispatch comes after issue within a cycle: never both in the same */
		.dispatch_to_issue = m->issue_dispatch_to_issue ? m->issue_dispatch_to_issue : 1,
		.commit_delay = m->commit_delay,
		.forward_latency = m->ideal & CULPRIT_EVENT_BIT(dl1) ? 0 : m->lsq_forward_latency,
		.window = m->window_rob * (m->ideal & CULPRIT_EVENT_BIT(win) ? MACHINE_IDEAL_WINDOW : 1),
		.unit_count = m->unit_count,
		.queue_count = m->queue_count,
	};
	_Static_assert(STALLS_UNITS == (int)MACHINE_UNITS_MAX && STALLS_QUEUES == (int)MACHINE_QUEUES_MAX, "as many");
	for (uint32_t i = 0; i < m->unit_count; i++)
		snprintf(p->units[i], sizeof p->units[i], "%s", m->units[i].name);
	for (uint32_t i = 0; i < m->queue_count; i++)
		snprintf(p->queues[i], sizeof p->queues[i], "%s", m->queues[i].name);
}
