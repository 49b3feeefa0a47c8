/* Parameters that no machine can have, or that would take too much memory. */
#include "analysis/graph/state.h"

enum { MOST_ROWS = 1 << 20, MOST_RECENT = 1 << 22 };

/* The longest ring of the last entries of a kind. */
static uint64_t recent_reach(const struct culprit_graph_params *p, uint64_t factor)
{
	uint64_t most = 0;
#define RECENT_KIND(name, parameter, scope, of_it)                                            \
	{                                                                                     \
		uint64_t size = p->parameter * graph_recent_factor(p, RECENT_##name, factor); \
		most = RECENT_IN_##scope != RECENT_IN_FETCH && size > most ? size : most;     \
	}
#include "analysis/recent.def"
	return most;
}

const char *graph_params_wrong(const struct culprit_graph_params *p)
{
	if (!p->rob)
		return "rob: at least 1";
	if (p->released >= p->rob)
		return "released: less than rob";
	if (p->rob_room && (!p->whole_groups || p->rob_room > p->rob - p->released))
		return "rob_room: with whole_groups, at most rob less released";
	if (p->write_interval && (!p->l1_line || p->write_interval > 4096))
		return "write_interval: at most 4096, and with l1_line";
	if ((p->split & (p->split - 1)) || p->late_addend > 4096)
		return "split: a power of two; late_addend: at most 4096";
	uint64_t factor = p->window_factor ? p->window_factor : 1;
	if (p->rob * (p->large & CULPRIT_EVENT_BIT(rob) ? 1 : factor) > MOST_ROWS || factor > 1000)
		return "rob, window_factor: their product is at most 1048576";
	if (p->fetch_width > 4096 || p->dispatch_width > 4096 || p->commit_width > 4096 || p->taken_limit > 4096)
		return "fetch_width, dispatch_width, commit_width, taken_limit: at most 4096";
	if (p->frontend_capacity > 65536 || p->ideal_capacity > 1000)
		return "frontend_capacity: at most 65536; ideal_capacity: at most 1000";
	if (p->fetch_asked > CULPRIT_ASKED_MOST)
		return "fetch_asked: at most 4096";
	if (p->check_bytes > CULPRIT_BLOCK_MOST || (p->check_bytes & (p->check_bytes - 1)))
		return "check_bytes: a power of two, at most 4096";
	if (p->cracked > CULPRIT_CRACKED_MOST || p->decode_stages > CULPRIT_DECODE_MOST ||
	    p->decode_insns > CULPRIT_DECODE_MOST)
		return "cracked: at most 16; decode_stages, decode_insns: at most 4096";
	if (p->frontend_stages > 4096 || p->recovery > 4096 || p->dispatch_to_issue > 4096 || p->commit_delay > 4096)
		return "frontend_stages, recovery, dispatch_to_issue, commit_delay: at most 4096";
	if (p->select > CULPRIT_SELECT_RECORDED)
		return "select: a row of enum culprit_graph_select";
	if (p->rename_to_issue > CULPRIT_RENAME_MOST)
		return "rename_to_issue: at most 4096";
	if (p->completion_ports > CULPRIT_PORTS_MOST)
		return "completion_ports: at most 255";
	for (unsigned level = 0; level < CULPRIT_LEVEL_COUNT; level++)
		if (p->miss_cycles[level] > 1u << 24)
			return "miss_cycles: too large";
	if (p->queue_count > CULPRIT_GRAPH_QUEUES || p->unit_count > CULPRIT_GRAPH_UNITS)
		return "queue_count, unit_count: at most 8 and 16";
	for (uint32_t q = 0; q < p->queue_count; q++)
		if (p->queue_entries[q] > 65536)
			return "queue_entries: at most 65536";
	if (recent_reach(p, factor) > MOST_RECENT)
		return "lq, sq, lsq, branches, int_regs, fp_regs, regs, limits of commit: too large";
	if (p->mshrs > GRAPH_MOST_MSHRS)
		return "mshrs: at most 64";
	if (p->memory_interval > 4096 || p->memory_latency > p->miss_cycles[CULPRIT_LEVEL_MEMORY])
		return "memory_interval: at most 4096; memory_latency: part of miss_cycles";
	if (p->write_hit > 4096)
		return "write_hit: at most 4096";
	if (p->posted_writes > 1 || p->write_buffer > CULPRIT_BUFFER_MOST)
		return "posted_writes: 0 or 1; write_buffer: at most 1024";
	if (p->fetch_line & (p->fetch_line - 1))
		return "fetch_line: a power of two or 0";
	return graph_classes_check(p);
}
