/* Which classes own an event of an instruction: by the event, and where a class has ranges by the address. Also the
 * misses that only happen in lanes where no wrong path has brought the line. */
#include "analysis/graph/plan.h"

/* Classes that own `event` of an instruction at this address. */
graph_owners graph_owners_at(const struct culprit_graph *g, enum culprit_event_class event, uint64_t pc)
{
	graph_owners owners = g->owners[event];
	graph_owners conditional = owners & (graph_owners)~g->everywhere;
	if (!conditional)
		return owners;
	owners &= g->everywhere;
	for (uint32_t c = 0; c < g->params.class_count; c++) {
		const struct culprit_graph_class *class = &g->classes[c];
		graph_owners bit = (graph_owners)(1u << g->internal_bit[c]);
		for (size_t i = 0; (conditional & bit) && i < class->range_count; i++) {
			if (pc >= class->ranges[i].first && pc < class->ranges[i].end) {
				owners |= bit;
				break;
			}
		}
	}
	return owners;
}

enum culprit_event_class graph_data_miss(uint8_t level)
{
	switch (level) {
	case CULPRIT_LEVEL_L3:
		return CULPRIT_EVENT_dl3;
	case CULPRIT_LEVEL_MEMORY:
		return CULPRIT_EVENT_dmem;
	default:
		return CULPRIT_EVENT_dl2;
	}
}

enum culprit_event_class graph_fetch_miss(uint8_t level)
{
	switch (level) {
	case CULPRIT_LEVEL_L3:
		return CULPRIT_EVENT_il3;
	case CULPRIT_LEVEL_MEMORY:
		return CULPRIT_EVENT_imem;
	default:
		return CULPRIT_EVENT_il2;
	}
}

/* --- lines that wrong paths bring --- */

/* With branches predicted right no wrong path fetches lines early, so the right path's first use of such a line is
 * a miss
 * again. Cycles beyond those `known` that this takes in lanes without mispredictions. Of a line of the next level,
 * only the first part comes from further away. */
uint32_t graph_stray_cycles(struct culprit_graph *g, uint64_t addr, uint8_t level, uint32_t known, uint64_t *recent)
{
	if (level == CULPRIT_LEVEL_NONE || level >= CULPRIT_LEVEL_COUNT || !g->owners[CULPRIT_EVENT_bmisp])
		return 0;
	uint64_t line = g->params.miss_line ? addr / g->params.miss_line + 1 : 0;
	uint64_t *slot = &recent[line % GRAPH_STRAY_LINES];
	if (level > CULPRIT_LEVEL_L2 && line && *slot == line)
		level = CULPRIT_LEVEL_L2;
	*slot = line;
	uint32_t cycles = g->params.miss_cycles[level];
	return cycles > known ? cycles - known : 0;
}

static const void *both_masks(struct culprit_graph *g, enum culprit_event_class miss, uint64_t pc, char flip)
{
	const char *has_miss = graph_mask_at(g, miss, pc), *has_bmisp = graph_mask_at(g, CULPRIT_EVENT_bmisp, pc);
	char *lanes = g->scratch[SCRATCH_MASK];
	for (size_t i = 0; i < (size_t)GRAPH_LANES * g->lane_bytes; i++)
		lanes[i] = (char)(has_miss[i] & (has_bmisp[i] ^ flip));
	return lanes;
}

const void *graph_stray_mask(struct culprit_graph *g, enum culprit_event_class miss, uint64_t pc)
{
	return both_masks(g, miss, pc, ~0);
}

const void *graph_mask_with_bmisp(struct culprit_graph *g, enum culprit_event_class miss, uint64_t pc)
{
	return both_masks(g, miss, pc, 0);
}
