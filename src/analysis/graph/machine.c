/* The machine as idealised, in the graph's terms. Latencies and misses come with the records; widths and sizes do
 * not. */
#include "analysis/graph/machine.h"
#include "analysis/graph/slots.h"

#include "analysis/graph/misses.h"
#include "machine/machine_idealised.h"

enum {
	MOST_CAPACITY = 65536,
	MOST_WRITES = 512
}; /* that stores' writes are kept account of when the machine's window is idealised: a BOOM's 16 times 20 */

static uint32_t limited(uint32_t most)
{
	return most == UINT32_MAX ? 0 : most;
}

/* Entries of those that may have left count, too (params.released). */
static uint32_t limited_early(const struct machine_idealised *d, uint32_t most)
{
	return most == UINT32_MAX ? 0 : most + d->released;
}

/* An access asks for an MSHR when it has had the port, or an entry of lsq.waiting_loads, and records do not tell how
 * long that took. */
static uint32_t followed_mshrs(const struct machine *m)
{
	return m->l1d_mshrs <= GRAPH_MOST_MSHRS && !m->l1d_interval && !m->lsq_waiting_loads ? m->l1d_mshrs : 0;
}

static void copy_misses(struct culprit_graph_params *p, const struct machine *m)
{
	uint32_t l3 = m->l3_size ? m->l3_latency : 0;
	p->miss_cycles[CULPRIT_LEVEL_L2] = m->l2_latency;
	p->miss_cycles[CULPRIT_LEVEL_L3] = m->l2_latency + l3;
	p->miss_cycles[CULPRIT_LEVEL_MEMORY] = m->l2_latency + l3 + m->memory_latency;
	p->miss_line = m->l2_line;
}

/* Queues of an idealised window hardly ever fill: who freed the entry, as recorded, and which store is that far back
 * will do; account of two thousand entries in every lane would take most of the pass. */
static void copy_units(struct culprit_graph_params *p, const struct machine *m, const struct machine_idealised *d)
{
	p->unit_count = m->unit_count;
	for (uint32_t i = 0; i < m->unit_count && i < CULPRIT_GRAPH_UNITS; i++) {
		p->units[i].count = d->no_bandwidth ? 0 : m->units[i].count;
		p->units[i].queue = m->units[i].queue;
		p->unit_ops[i] = m->units[i].ops;
	}
	for (unsigned op = 0; op < CULPRIT_OP_COUNT; op++)
		p->interval[op] = d->interval[op];
	p->longest[CULPRIT_OP_int_div] = m->divide_bits ? d->latency[CULPRIT_OP_int_div] : 0;
	p->longest[CULPRIT_OP_fp_div] = m->divide_fp_bits ? d->latency[CULPRIT_OP_fp_div] : 0;
	p->longest[CULPRIT_OP_fp_sqrt] = m->divide_fp_bits ? d->latency[CULPRIT_OP_fp_sqrt] : 0;
	p->queue_count = m->queue_count;
	for (uint32_t i = 0; i < m->queue_count && i < CULPRIT_GRAPH_QUEUES; i++) {
		p->queue_width[i] = d->no_bandwidth ? 0 : m->queues[i].width;
		p->queue_entries[i] = d->larger_parts & CULPRIT_EVENT_BIT(iq) ? 0 : m->queues[i].entries;
		p->issue_queues = p->issue_queues || m->queues[i].entries;
	}
}

static void copy_store_sets(struct culprit_graph_params *p, const struct machine *m)
{
	if (m->lsq_disambiguation != disambiguation_store_sets)
		return;
	p->store_set_entries = m->lsq_ssit_entries;
	p->store_sets = m->lsq_lfst_entries;
	p->store_set_clear = m->lsq_ssit_clear;
	p->store_data_apart = m->lsq_store_data == store_data_apart;
	p->order_redirect = m->frontend_redirect + m->lsq_violation_delay;
}

/* Entries: records tell which instructions have none of their own. */
static uint32_t rob_entries(const struct machine_idealised *d)
{
	if (!d->rob_rows)
		return d->window;
	return d->fold ? d->rob_rows + d->released : d->rob_rows * d->dispatch_width + d->released;
}

void graph_params_from_machine(struct culprit_graph_params *p, const struct machine *m)
{
	struct machine_idealised d;
	machine_idealise(&d, m);
	*p = (struct culprit_graph_params){
		.fetch_width = limited(d.fetch_width),
		.taken_limit = limited(d.taken_limit),
		.fetch_line = d.fetch_block,
		.fetch_banked = d.fetch_bank != 0,
		.fetch_one_conditional = d.one_conditional,
		.frontend_stages = m->frontend_stages,
		.frontend_capacity = d.front_capacity < MOST_CAPACITY ? d.front_capacity : MOST_CAPACITY,
		.dispatch_width = limited(d.dispatch_width),
		.dispatch_rows = d.rob_rows && !d.fold,
		.whole_groups = d.whole_groups,
		.rob_room = d.whole_groups ? m->window_rob_room : 0,
		.recovery = m->dispatch_recovery,
		.squash_width = d.squash_width,
		.check_bytes = m->lsq_check_bytes,
		.late_addend = m->issue_late_addend,
		.split = m->lsq_split,
		.dispatch_to_issue = m->issue_dispatch_to_issue,
		.rob = rob_entries(&d),
		.released = d.released,
		.merged_stay = m->lsq_restart ? 2 : 0,
		.recovery_data = m->dispatch_recovery_data,
		.lq = limited_early(&d, d.lq),
		.sq = limited(d.sq),
		.lsq = limited_early(&d, d.lsq),
		.branches = limited_early(&d, d.branches),
		.int_regs = limited_early(&d, d.int_regs),
		.fp_regs = limited_early(&d, d.fp_regs),
		.commit_delay = m->commit_delay,
		.commit_width = limited(d.commit_width),
		.commit_stores = limited(d.commit_stores),
		.commit_branches = limited(d.commit_branches),
		/* a window that is idealised already is as large as it gets */
		.window_factor = d.larger_parts == MACHINE_WINDOW_PARTS ? 1 : MACHINE_IDEAL_WINDOW,
		.large = d.larger_parts,
		.ideal_capacity = m->frontend_stages + 1,
		.store_writes = !(d.larger_parts & CULPRIT_EVENT_BIT(lsq)) || limited(d.sq) <= MOST_WRITES,
		.mshrs = followed_mshrs(m),
		.memory_interval = m->memory_interval <= 4096 ? m->memory_interval : 0,
		.memory_latency = m->memory_latency,
		.walkers = m->tlb_walkers,
		.walk_latency = m->tlb_walk_latency,
		.page = m->tlb_page,
		.l1_line = m->l1d_line,
		.l1_prefetches = m->l1d_prefetcher != prefetcher_none,
		.write_hit = d.l1d_latency,
		.write_interval = d.line_interval,
		.load_hit = d.latency[CULPRIT_OP_load] + d.l1d_latency,
		.forward_latency = d.forward_latency,
		.ordered_loads = m->lsq_disambiguation == disambiguation_conservative,
		.issue_slots = true,
		.load_turns = m->lsq_fill || m->lsq_restart,
		.issue_width = limited(d.issue_width),
	};
	copy_store_sets(p, m);
	copy_units(p, m, &d);
	copy_misses(p, m);
	culprit_graph_base_classes(p);
}

/* Operations that every program is made of. */
#define OP_BIT(class) (1u << CULPRIT_OP_##class)
#define EVERYDAY (OP_BIT(int_alu) | OP_BIT(branch) | OP_BIT(load) | OP_BIT(store))

/* The longest that an operation holds a unit, of those that take everyday operations, too, or of the others. */
static uint32_t longest_interval(const struct machine *m, bool everyday)
{
	uint32_t longest = 0;
	for (uint32_t u = 0; u < m->unit_count; u++)
		for (unsigned op = 0; op < CULPRIT_OP_COUNT; op++)
			if (((m->units[u].ops & EVERYDAY) != 0) == everyday && (m->units[u].ops >> op & 1) &&
			    m->interval[op] > longest && !machine_op_is_ideal(m, op))
				longest = m->interval[op];
	return longest;
}

static bool lacks_slots(const struct machine *m)
{
	struct culprit_graph_params p;
	graph_params_from_machine(&p, m);
	return !graph_slots_suffice(&p);
}

size_t graph_gaps(const struct machine *m, const char **gaps, size_t most)
{
	size_t count = 0;
#define GRAPH_GAP(key, condition, why)   \
	if ((condition) && count < most) \
		gaps[count++] = key ": " why;
#include "analysis/graph/gap.def"
	return count;
}
