/* Posted writes, for one lane type and one vector width: part of kernel_body.h. See writes.c. */

/* A write that asks the L1D at `asked` (`key`: less the lookup): when it has its MSHR. It holds it until the line is
 * there. */
INLINE VEC NAME(posted_serve)(const struct culprit_graph *g, const struct graph_step *s, size_t lane, VEC key,
			      VEC asked)
{
	const struct graph_misses *m = &g->misses;
	const VEC misses = NAME(load)(s->write_miss_mask, lane), hold = (LANE)s->write_hold & misses;
	const VEC live = (VEC)(hold != 0);
	VEC start = asked;
	uint32_t place = 0;
	if (s->rare & STEP_MISS_WRITE) {
		key = NAME(miss_key)(m, m->count, lane, key, live);
		start = NAME(miss_start)(m, m->count, lane, key, asked, &place);
		start = asked + (NAME(without)(start - asked, s->write_over) & live);
	}
	start += (LANE)s->write_waited & misses;
	VEC done = start + hold;
	if (s->rare & STEP_WRITE_BUS)
		done += NAME(write_line)(g, s, lane, start, live);
	if (s->rare & STEP_MISS_WRITE)
		NAME(miss_insert)(m, m->count, lane, place, key, asked & live, (done - start) & live);
	return start;
}

/* When the store's entry is free, and when it leaves the buffer: a row each. `commit`: a row in each half. */
TARGET static void NAME(posted)(const struct culprit_graph *g, const struct graph_step *s, const void *const commit[2])
{
	char *const *scratch = g->scratch;
	for (size_t lane = 0; lane < GRAPH_LANES; lane += ELEMENTS) {
		if (!OWNED(lane)) /* as in misses_body.h */
			continue;
		const VEC hit = (LANE)g->params.write_hit & NAME(load)(s->hit_mask, lane),
			  lookup = hit + ((LANE)s->write_dtlb & NAME(load)(s->write_dtlb_mask, lane));
		const VEC before = NAME(load)(scratch[SCRATCH_DONE], lane);
		VEC accepted = NAME(load)(commit[lane / GRAPH_HALF], lane % GRAPH_HALF);
		accepted = MAX(accepted, NAME(load)(s->buffer_left, lane));
		const VEC key = MAX(accepted, MAX(before, lookup) - lookup), asked = key + lookup;
		VEC served = asked + ((LANE)s->write_waited & NAME(load)(s->write_miss_mask, lane));
		if ((s->rare & (STEP_MISS_WRITE | STEP_WRITE_BUS)) && !s->write_whole)
			served = NAME(posted_serve)(g, s, lane, key, asked);
		NAME(store)(scratch[SCRATCH_ASKED], lane, key);
		NAME(store)(scratch[SCRATCH_DONE], lane, served);
		NAME(store)(scratch[SCRATCH_RELEASED], lane, g->params.write_buffer ? accepted : served);
	}
}
