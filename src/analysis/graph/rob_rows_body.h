/* Rows of the ROB at dispatch, for one lane type and one vector width: part of kernel_body.h. */

/* Lanes of one vector that begin a row, and those that do not before its row of the ROB is free. */
TARGET static VEC NAME(take_row)(const struct culprit_graph *g, const LANE *commit, size_t first, VEC begins, VEC waits,
				 VEC t)
{
	for (size_t i = 0; i < ELEMENTS; i++) {
		const size_t lane = first + i;
		if (!begins[i])
			continue;
		const uint64_t free = graph_rob_rows_take(&g->rob_rows, lane, GRAPH_LANES, g->base[lane] + commit[i]);
		const LANE from = free > g->base[lane] ? (LANE)(free - g->base[lane]) : 0;
		t[i] = waits[i] && from > t[i] ? from : t[i];
	}
	return t;
}

/* D into t where groups are of one row; lanes with bw idealised have none: every second quarter if `split`. */
TARGET static __attribute__((noinline)) void NAME(dispatch_rows)(const struct NAME(nodes) * n, size_t first,
								 size_t count, bool split, VEC *t)
{
	const struct culprit_graph *g = n->g;
	const struct graph_step *s = n->s;
	char *place = g->scratch[SCRATCH_ROW_PLACE], *formed = g->scratch[SCRATCH_ROW_FORMED];
	const LANE width = (LANE)g->params.dispatch_width;
	for (size_t k = 0; k < count; k++) {
		const size_t lane = first + k * ELEMENTS, half = lane / GRAPH_HALF, in_half = lane % GRAPH_HALF;
		const VEC rows = NAME(load)(s->rows_mask, lane), rob = NAME(load)(s->rob_mask, lane);
		const VEC kept = NAME(load)(s->rob_kept, lane);
		if (split && lane / GRAPH_QUARTER % 2)
			continue;
		const VEC had = NAME(load)(n->arrived_out ? n->arrived_out : n->f_out, lane) + n->stages,
			  next = NAME(load)(n->d_in, lane) + (LANE)1;
		const VEC at = NAME(load)(place, lane) & ~NAME(load)(s->rows_begin, lane);
		const VEC known = NAME(load)(formed, lane), begins = (VEC)(at == 0) | (VEC)(had > known);
		const VEC again = s->rows_again ? NAME(load)(s->rows_again, lane) : (VEC){0};
		NAME(store)(formed, lane, NAME(pick)(begins, MAX(MAX(had, next), again), known));
		NAME(store)(place, lane, (at + (LANE)1) & (VEC)(at + (LANE)1 != width));
		t[k] = MAX(t[k], next & begins & rows);
		if (NAME(any)(begins & kept)) {
			const char *commit = n->base[half] + n->source[half][BACK_LAST];
			t[k] = NAME(take_row)(g, (const LANE *)(const void *)commit + GRAPH_HALF + in_half, lane,
					      begins & kept, rob, t[k]);
		}
	}
}
