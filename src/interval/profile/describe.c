/* What a profile says of its reference machine. */
#include "interval/profile/reference.h"

#include <string.h>

uint32_t interval_chain_line(const struct machine *m, enum interval_chain chain)
{
	if (chain == INTERVAL_CHAIN_walk)
		return m->tlb_page;
	if (chain == INTERVAL_CHAIN_l3_hit)
		return m->l2_line;
	return m->l3_size ? m->l3_line : m->l2_line;
}

void interval_reference_describe(const struct machine *m, struct interval_reference *to)
{
	*to = (struct interval_reference){
		.l1i = {m->l1i_size, m->l1i_ways, m->l1i_line},
		.l1d = {m->l1d_size, m->l1d_ways, m->l1d_line},
		.l2 = {m->l2_size, m->l2_ways, m->l2_line},
		.l3 = {m->l3_size, m->l3_ways, m->l3_line},
		.page = m->tlb_page,
		.i_entries = m->tlb_i_entries,
		.i_ways = m->tlb_i_ways,
		.d_entries = m->tlb_d_entries,
		.d_ways = m->tlb_d_ways,
		.l2_entries = m->tlb_l2_entries,
		.l2_ways = m->tlb_l2_ways,
		.l1d_latency = m->l1d_latency,
		.l2_latency = m->l2_latency,
		.l3_latency = m->l3_latency,
		.forward_latency = m->lsq_forward_latency,
	};
	memcpy(to->machine, m->name, sizeof to->machine - 1);
	for (size_t op = 0; op < CULPRIT_OP_COUNT; op++)
		to->latency[op] = m->latency[op];
}
