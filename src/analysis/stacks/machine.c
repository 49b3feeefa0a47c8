/* The architectures' parameters on a machine. */
#include "analysis/stacks/stacks.h"
#include "machine/machine.h"

#include <limits.h>

enum { LOCAL_COUNTER_BITS = 16 };

/* Most instructions between fetch and commit, idealised windows and widths included. */
static uint32_t in_flight(const struct machine *m, bool unlimited)
{
	uint64_t rob = m->window_rob;
	if (m->ideal & CULPRIT_EVENT_BIT(win))
		rob *= MACHINE_IDEAL_WINDOW;
	uint64_t front = m->fetch_buffer + (uint64_t)m->frontend_stages * m->dispatch_width;
	if (unlimited)
		front = rob * (m->frontend_stages + 1);
	return rob + front < INT_MAX ? (uint32_t)(rob + front) : INT_MAX;
}

void stacks_params_from_machine(struct stacks_params *p, const struct machine *m)
{
	bool unlimited = m->ideal & CULPRIT_EVENT_BIT(bw);
	*p = (struct stacks_params){
		.rob = m->window_rob,
		.dispatch_width = m->dispatch_width,
		.issue_width = m->issue_width,
		.commit_width = m->commit_width,
		.in_flight = in_flight(m, unlimited),
		.unlimited = unlimited,
		.front_pipeline = (m->frontend_stages - 1) * m->dispatch_width,
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
