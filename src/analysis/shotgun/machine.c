/* What a binary and a data sheet tell of a machine: figure 5b of Fields et al. 2003, items marked "S". */
#include "analysis/shotgun/machine.h"

#include "analysis/graph/machine.h"

static uint16_t clip(uint32_t v)
{
	return v > UINT16_MAX ? UINT16_MAX : (uint16_t)v;
}

void shotgun_machine_from_machine(struct culprit_shotgun_machine *s, const struct machine *m)
{
	*s = (struct culprit_shotgun_machine){.wakeup = clip(m->issue_wakeup),
					      .redirect = clip(m->frontend_redirect),
					      .decode_redirect = clip(m->frontend_decode_redirect)};
	graph_params_from_machine(&s->graph, m);
	s->graph.mshrs = s->graph.memory_interval = 0; /* nor what part of a miss was waiting for one */
	s->graph.store_writes = false;		       /* no sample says how long a write took */
	for (unsigned op = 0; op < CULPRIT_OP_COUNT; op++) {
		bool load = op == CULPRIT_OP_load || op == CULPRIT_OP_amo;
		s->latency[op] = clip(m->latency[op] + (load ? m->l1d_latency : 0));
		for (uint32_t u = 0; u < m->unit_count; u++) {
			if (!(m->units[u].ops & (1u << op)))
				continue;
			s->unit[op] = (uint8_t)u;
			s->queue[op] = (uint8_t)m->units[u].queue;
		}
	}
	for (uint32_t i = 0; i < m->queue_count; i++)
		s->queue_entries[i] = m->queues[i].entries;
}
