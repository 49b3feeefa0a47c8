/* The sensors' parameters on a machine. */
#include "analysis/stalls/core.h"
#include "machine/machine_idealised.h"

#include <stdio.h>
#include <string.h>

void stalls_core_params_from_machine(struct stalls_core_params *p, const struct machine *m)
{
	struct machine_idealised d;
	machine_idealise(&d, m);
	*p = (struct stalls_core_params){
		.commit_width = d.commit_width,
		.dispatch_width = d.dispatch_width,
		.fetch_width = d.fetch_width,
		.frontend_stages = m->frontend_stages,
		.recovery = m->dispatch_recovery,
		.recovery_data = m->dispatch_recovery_data,
		.dispatch_to_issue = m->issue_dispatch_to_issue,
		.commit_delay = m->commit_delay,
		.forward_latency = d.forward_latency,
		.window = d.window,
		.unit_count = m->unit_count,
		.queue_count = m->queue_count,
	};
	_Static_assert(STALLS_UNITS == (int)MACHINE_UNITS_MAX && STALLS_QUEUES == (int)MACHINE_QUEUES_MAX, "as many");
	memcpy(p->latency, d.latency, sizeof p->latency);
	for (uint32_t i = 0; i < m->unit_count; i++)
		snprintf(p->units[i], sizeof p->units[i], "%s", m->units[i].name);
	for (uint32_t i = 0; i < m->queue_count; i++)
		snprintf(p->queues[i], sizeof p->queues[i], "%s", m->queues[i].name);
}
