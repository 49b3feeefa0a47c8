/* What a binary and a data sheet tell of a machine: figure 5b of Fields et al. 2003, items marked "S". */
#include "analysis/shotgun/machine.h"

#include "analysis/graph/machine.h"
#include "machine/machine_idealised.h"

static uint16_t clip(uint32_t v)
{
	return v > UINT16_MAX ? UINT16_MAX : (uint16_t)v;
}

void shotgun_machine_from_machine(struct culprit_shotgun_machine *s, const struct machine *m)
{
	struct machine_idealised d;
	machine_idealise(&d, m);
	*s = (struct culprit_shotgun_machine){.wakeup = clip(m->issue_wakeup),
					      .redirect = clip(m->frontend_redirect),
					      .decode_redirect = clip(m->frontend_decode_redirect)};
	uint8_t direct = (uint8_t)m->branch_l0_bubble;
	s->late[CULPRIT_BRANCH_CONDITIONAL] = s->late[CULPRIT_BRANCH_JUMP] = s->late[CULPRIT_BRANCH_CALL] = direct;
	s->late[CULPRIT_BRANCH_RETURN] = (uint8_t)m->branch_return_bubble;
	s->late[CULPRIT_BRANCH_INDIRECT_JUMP] = (uint8_t)m->branch_indirect_bubble;
	s->late[CULPRIT_BRANCH_INDIRECT_CALL] =
		(uint8_t)(m->branch_call_bubble ? m->branch_call_bubble : m->branch_indirect_bubble);
	graph_params_from_machine(&s->graph, m);
	s->graph.mshrs = s->graph.memory_interval = 0; /* nor what part of a miss was waiting for one */
	s->graph.rob_room = 0;
	s->graph.whole_groups = 0;	/* nor who was dispatched together */
	s->graph.store_set_entries = 0; /* fragments are too short to learn from */
	s->prefetches = m->l1d_prefetcher != prefetcher_none || m->l2_prefetcher != prefetcher_none ||
			m->l3_prefetcher != prefetcher_none;
	for (unsigned op = 0; op < CULPRIT_OP_COUNT; op++) {
		bool load = op == CULPRIT_OP_load || op == CULPRIT_OP_amo;
		s->latency[op] = clip(d.latency[op] + (load ? d.l1d_latency : 0));
		s->unit[op] = d.place[op].unit;
		s->queue[op] = d.place[op].queue;
	}
	for (uint32_t i = 0; i < m->queue_count; i++)
		s->queue_entries[i] = d.queue_entries[i] == UINT32_MAX ? 0 : d.queue_entries[i];
}
