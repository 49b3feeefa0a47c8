/* Completion of an instruction with more than a unit's latency, for one lane type and one vector width: part of
 * kernel_body.h. */

/* With bw idealised no lane waits. */
TARGET static __attribute__((noinline)) void NAME(take_ports)(const struct culprit_graph *g, const struct graph_step *s,
							      size_t first, size_t count, bool split, VEC *t)
{
	LANE *times = (LANE *)(void *)t;
	const LANE *limited = s->bw_mask;
	for (size_t i = 0; i < count; i++) {
		const size_t lane = first + i;
		if (split ? !(lane / GRAPH_QUARTER % 2) : limited[lane] != 0)
			times[i] = (LANE)(graph_ports_take(&g->ports, lane, g->base[lane] + times[i]) - g->base[lane]);
	}
}

/* Completion into t, of an instruction with more than a unit's latency; W follows from it and from the issue. */
INLINE void NAME(complete_rare)(const struct NAME(nodes) * n, const struct culprit_graph *g, const size_t first,
				const bool split, VEC *t)
{
	const struct graph_step *s = n->s;
	VEC wake[BLOCK];
	EACH wake[k] = t[k] + ((LANE)s->wake & ROW(s->exec_mask));
	if (s->rare & (STEP_MISS_LOAD | STEP_MISS_BUS | STEP_BELOW)) {
		VEC all[BLOCK]; /* a copy, so that t itself may stay in registers */
		EACH all[k] = t[k];
		NAME(miss_load)(g, s, first, BLOCK * ELEMENTS, all);
		EACH t[k] = all[k];
	} else {
		NAME(complete_latency)(s, first, t);
	}
	if (s->rare & STEP_PREFETCHED) {
		VEC all[BLOCK];
		EACH all[k] = t[k];
		NAME(miss_prefetched)(g, s, first, BLOCK * ELEMENTS, all);
		EACH t[k] = all[k];
	}
	if (s->rare & STEP_PORT) {
		VEC all[BLOCK];
		EACH all[k] = t[k];
		NAME(take_ports)(g, s, first, BLOCK * ELEMENTS, split, all);
		EACH t[k] = all[k];
	}
	if (s->rare & STEP_P_OUT)
		EACH NAME(store)(g->scratch[SCRATCH_LAST_P], first + k * ELEMENTS, t[k]);
	if (s->rare & STEP_WAKE)
		EACH wake[k] = MAX(t[k], wake[k]);
	else
		EACH wake[k] = t[k];
	EACH NAME(store)(n->wc_out[HALF], IN_HALF, wake[k]);
	if (s->rare & STEP_STORES)
		EACH
		{
			VEC before = NAME(load)(g->scratch[SCRATCH_STORES], first + k * ELEMENTS);
			NAME(store)(g->scratch[SCRATCH_STORES], first + k * ELEMENTS, MAX(before, t[k]));
		}
}
