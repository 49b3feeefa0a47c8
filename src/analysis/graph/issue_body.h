/* From dispatch to issue: operands, then slots, for one lane type and one vector width: part of kernel_body.h. */

/* When younger operations leave the unit to one that is ready at t. They took it in turns, from when the older ones
 * were done until it was ready; with none of it known, so long after it is ready. */
INLINE VEC NAME(held)(const struct graph_step *s, size_t lane, VEC t)
{
	const VEC cycles = (LANE)s->held & NAME(load)(s->held_mask, lane);
	if (!s->held_turns)
		return t + cycles;
	VEC free = NAME(load)(s->held_free, lane);
	const VEC held = (VEC)(cycles != 0) & (VEC)(t > free);
	for (uint32_t n = 0; n < s->held_turns; n++)
		free += cycles & (VEC)(t > free);
	return NAME(pick)(held, MAX(t, free), t);
}

INLINE void NAME(ready)(const struct NAME(nodes) * n, const size_t first, VEC *t)
{
	const struct graph_step *s = n->s;
	const LANE early = n->g->params.late_rename ? (LANE)record_renamed_early(&n->g->params) : 0;
	const LANE pipeline = (LANE)(s->dispatch_to_issue - early);
	if (n->g->params.late_rename)
		EACH t[k] = MAX(t[k] + early, ROW(n->g->scratch[SCRATCH_ROOM]));
	EACH
	{
		t[k] = MAX(t[k] + pipeline, WAKE_ROW(BACK_PRODUCERS));
		t[k] = MAX(t[k], WAKE_ROW(BACK_PRODUCERS + 1));
	}
	if (s->rare & STEP_PRODUCERS)
		EACH
		{
			t[k] = MAX(t[k], WAKE_ROW(BACK_PRODUCERS + 2));
			t[k] = MAX(t[k], WAKE_ROW(BACK_PRODUCERS + 3));
		}
	if (s->rare & STEP_E_FLOOR)
		EACH t[k] = MAX(t[k], ROW(s->e_floor));
	if (s->rare & STEP_HELD)
		EACH t[k] = NAME(held)(s, first + k * ELEMENTS, t[k]);
}

/* Vectors after which slot lanes repeat. */
#define SLOT_VECTORS (GRAPH_SLOT_LANES > ELEMENTS ? GRAPH_SLOT_LANES / ELEMENTS : 1)

#ifndef SLOTS_VECTOR
/* Issue slots for the first GRAPH_SLOT_LANES lanes of a quarter; the others wait as long as the lane does that differs
 * from theirs only in classes that hardly move contention (see slots.c). */
INLINE void NAME(slot_waits)(const struct graph_step *s, size_t quarter, const VEC *ready, const LANE *dispatch,
			     VEC *waits)
{
	const LANE *exec = (const LANE *)s->exec_mask + quarter * GRAPH_QUARTER, *from = (const LANE *)ready;
	LANE *out = (LANE *)waits;
	for (size_t i = 0; i < GRAPH_SLOT_LANES; i++)
		out[i] = (LANE)graph_slots_take(s->slots, quarter * GRAPH_SLOT_LANES + i, from[i],
						exec[i] ? s->interval : 0, s->contention);
}
#endif

/* The slots of the width that an instruction takes besides the one that it issues in. */
TARGET static __attribute__((noinline)) void NAME(slot_more)(const struct graph_step *s, size_t quarter,
							     const VEC *issue, const LANE *dispatch)
{
	const LANE *from = (const LANE *)issue;
	for (size_t i = 0; i < GRAPH_SLOT_LANES; i++)
		for (uint32_t n = 0; n < s->more; n++) {
			size_t lane = quarter * GRAPH_SLOT_LANES + i;
#ifdef SLOTS_VECTOR
			graph_planes_take(s->more_slots, lane, from[i], dispatch[i], 0);
#else
			(void)dispatch;
			graph_slots_take(s->more_slots, lane, from[i], 0, 0);
#endif
		}
}

INLINE void NAME(contend)(const struct NAME(nodes) * n, const size_t first, const bool split, VEC *t)
{
	const struct graph_step *s = n->s;
	const void *bw_mask = s->bw_mask;
	if (!s->slots) { /* mostly 0, but not predictably */
		const LANE contention = (LANE)s->contention;
		EACH if (!IDEAL_BW) t[k] += split ? (VEC){0} + contention : (contention & ROW(bw_mask));
		return;
	}
	EACH if (k % QUARTER_VECTORS == 0 && !IDEAL_BW)
	{
		const LANE *dispatch = (const LANE *)(const void *)n->d_out + first + k * ELEMENTS;
		VEC waits[SLOT_VECTORS];
		NAME(slot_waits)(s, first / GRAPH_QUARTER + k / QUARTER_VECTORS, &t[k], dispatch, waits);
		if (s->rare & STEP_MORE_SLOTS) {
			VEC issue[SLOT_VECTORS];
			for (unsigned i = 0; i < SLOT_VECTORS; i++)
				issue[i] = t[k + i] + waits[i];
			NAME(slot_more)(s, first / GRAPH_QUARTER + k / QUARTER_VECTORS, issue, dispatch);
		}
		for (unsigned i = 0; i < QUARTER_VECTORS; i++) {
			VEC wait = waits[i % SLOT_VECTORS];
			if (s->slot_mask)
				wait &= NAME(load)(s->slot_mask, first + (k + i) * ELEMENTS);
			t[k + i] += split ? wait : wait & NAME(load)(bw_mask, first + (k + i) * ELEMENTS);
		}
	}
}
