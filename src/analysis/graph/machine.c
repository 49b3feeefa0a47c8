/* The rules are those of docs/core-timing.md, in the graph's terms. Latencies and misses come with the records; widths and
 * sizes do not, so that what the machine idealises away of bw and win is taken out of the parameters, as the core does. */
#include "analysis/graph/machine.h"

#include "analysis/graph/misses.h"

enum { MOST_CAPACITY = 65536 };

static uint32_t beyond_architecture(uint32_t registers)
{
	return registers > 32 ? registers - 32 : 0;
}

static void copy_misses(struct culprit_graph_params *p, const struct machine *m)
{
	uint32_t l3 = m->l3_size ? m->l3_latency : 0;
	p->miss_cycles[CULPRIT_LEVEL_L2] = m->l2_latency;
	p->miss_cycles[CULPRIT_LEVEL_L3] = m->l2_latency + l3;
	p->miss_cycles[CULPRIT_LEVEL_MEMORY] = m->l2_latency + l3 + m->memory_latency;
	p->miss_line = m->l2_line;
}

static void copy_units(struct culprit_graph_params *p, const struct machine *m)
{
	p->unit_count = m->unit_count;
	for (uint32_t i = 0; i < m->unit_count && i < CULPRIT_GRAPH_UNITS; i++) {
		p->units[i].count = m->units[i].count;
		p->units[i].queue = m->units[i].queue;
		p->unit_ops[i] = m->units[i].ops;
	}
	for (unsigned op = 0; op < CULPRIT_OP_COUNT; op++)
		p->interval[op] = machine_op_is_ideal(m, op) ? 1 : (uint16_t)m->interval[op];
	p->queue_count = m->queue_count;
	for (uint32_t i = 0; i < m->queue_count && i < CULPRIT_GRAPH_QUEUES; i++) {
		p->queue_width[i] = m->queues[i].width;
		p->queue_entries[i] = m->queues[i].entries;
		p->issue_queues = p->issue_queues || m->queues[i].entries;
	}
}

enum {
	MOST_WRITES = 512
}; /* that stores' writes are kept account of when the machine's window is idealised: a BOOM's 16 times 20 */

/* The window is as large as it gets: idealising it in the graph too changes nothing. Queues that large hardly ever fill: who freed
 * the entry, as recorded, and which store is that far back will do; account of two thousand entries in every lane would take
 * most of the pass. */
static void idealise_window(struct culprit_graph_params *p)
{
	uint32_t *const sizes[] = {&p->rob, &p->lq, &p->sq, &p->lsq, &p->int_regs, &p->fp_regs};
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		*sizes[i] *= p->window_factor;
	for (uint32_t q = 0; q < p->queue_count; q++)
		p->queue_entries[q] = 0;
	p->store_writes = p->sq <= MOST_WRITES;
	p->window_factor = 1;
}

/* After the window: the front end holds as many instructions as fill it. */
static void idealise_bandwidth(struct culprit_graph_params *p)
{
	p->fetch_width = p->taken_limit = p->fetch_line = p->dispatch_width = 0;
	p->issue_width = p->commit_width = p->commit_stores = p->commit_branches = 0;
	for (uint32_t i = 0; i < p->unit_count && i < CULPRIT_GRAPH_UNITS; i++)
		p->units[i].count = 0;
	for (uint32_t i = 0; i < p->queue_count && i < CULPRIT_GRAPH_QUEUES; i++)
		p->queue_width[i] = 0;
	uint64_t capacity = (uint64_t)p->rob * p->ideal_capacity;
	p->frontend_capacity = capacity < MOST_CAPACITY ? (uint32_t)capacity : MOST_CAPACITY;
}

void graph_params_from_machine(struct culprit_graph_params *p, const struct machine *m)
{
	*p = (struct culprit_graph_params){
		.fetch_width = m->fetch_width,
		.taken_limit = m->fetch_taken_limit,
		.fetch_line = m->fetch_within_line ? m->l1i_line : 0,
		.frontend_stages = m->frontend_stages,
		.frontend_capacity = m->fetch_buffer + m->frontend_stages * m->dispatch_width,
		.dispatch_width = m->dispatch_width,
		/* dispatch comes after issue within a cycle: never both in the same */
		.dispatch_to_issue = m->issue_dispatch_to_issue ? m->issue_dispatch_to_issue : 1,
		.rob = m->window_rob,
		.lq = m->window_lq,
		.sq = m->window_sq,
		.lsq = m->window_lsq,
		.int_regs = beyond_architecture(m->window_int_regs),
		.fp_regs = beyond_architecture(m->window_fp_regs),
		.commit_delay = m->commit_delay,
		.commit_width = m->commit_width,
		.commit_stores = m->commit_stores,
		.commit_branches = m->commit_branches,
		.window_factor = MACHINE_IDEAL_WINDOW,
		.ideal_capacity = m->frontend_stages + 1,
		.store_writes = true,
		/* an access asks for an MSHR when it has had the port, and records do not tell how long that took */
		.mshrs = m->l1d_mshrs <= GRAPH_MOST_MSHRS && !m->l1d_interval ? m->l1d_mshrs : 0,
		.memory_interval = m->memory_interval <= 4096 ? m->memory_interval : 0,
		.memory_latency = m->memory_latency,
		.l1_line = m->l1d_line,
		.l1_prefetches = m->l1d_prefetcher != prefetcher_none,
		.write_hit = m->ideal & CULPRIT_EVENT_BIT(dl1) ? 0 : m->l1d_latency,
		.ordered_loads = m->lsq_disambiguation == disambiguation_conservative,
		.issue_slots = true,
		.issue_width = m->issue_width,
	};
	copy_units(p, m);
	copy_misses(p, m);
	if (m->ideal & CULPRIT_EVENT_BIT(win))
		idealise_window(p);
	if (m->ideal & CULPRIT_EVENT_BIT(bw))
		idealise_bandwidth(p);
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

size_t graph_gaps(const struct machine *m, const char **gaps, size_t most)
{
	size_t count = 0;
#define GRAPH_GAP(key, condition, why)   \
	if ((condition) && count < most) \
		gaps[count++] = key ": " why;
#include "analysis/graph/gap.def"
	return count;
}
