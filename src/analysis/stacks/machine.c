/* The architectures' parameters on a machine. */
#include "analysis/stacks/stacks.h"
#include "machine/machine_idealised.h"

#include <limits.h>

enum { LOCAL_COUNTER_BITS = 16 };

void stacks_params_from_machine(struct stacks_params *p, const struct machine *m)
{
	struct machine_idealised d;
	machine_idealise(&d, m);
	uint64_t in_flight = (uint64_t)d.window + d.front_capacity;
	*p = (struct stacks_params){
		.rob = m->window_rob,
		.dispatch_width = m->dispatch_width,
		.issue_width = m->issue_width,
		.commit_width = m->commit_width,
		.in_flight = in_flight < INT_MAX ? (uint32_t)in_flight : INT_MAX,
		.stores = d.sq != UINT32_MAX ? d.sq : 0,
		.unlimited = d.no_bandwidth,
		.front_pipeline = m->frontend_stages * m->dispatch_width,
		/* half the ROB: more branches than that are in flight in the tightest loops only */
		.fmt_rows = m->window_rob / 2 > 16 ? m->window_rob / 2 : 16,
		.counter_bits = LOCAL_COUNTER_BITS,
		.l2_latency = m->l2_latency,
		.memory_latency = m->memory_latency,
		.walk_latency = m->tlb_walk_latency,
		.frontend_latency = m->frontend_redirect + m->frontend_stages,
		.itlb_hit_latency = m->tlb_l2_entries ? m->tlb_l2_latency : 0,
	};
}
