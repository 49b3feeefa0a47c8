/* Misses in flight, for one lane type and one vector width: part of kernel_body.h. See misses.h. */

INLINE bool NAME(any)(VEC v)
{
	typedef uint64_t words __attribute__((vector_size(VECTOR_BYTES)));
	words w = (words)v;
	uint64_t all = 0;
	for (unsigned i = 0; i < VECTOR_BYTES / sizeof all; i++)
		all |= w[i];
	return all;
}

INLINE VEC NAME(pick)(VEC mask, VEC a, VEC b)
{
	return (a & mask) | (b & ~mask);
}

#define MISS_ROW(miss, row) NAME(load)((miss) + (size_t)(row)*GRAPH_LANES * sizeof(LANE), lane)
#define SET_MISS_ROW(miss, row, v) NAME(store)((miss) + (size_t)(row)*GRAPH_LANES * sizeof(LANE), lane, v)

/* Where the miss is idealised it goes behind the others, to where no other has to move. */
INLINE VEC NAME(miss_key)(const struct graph_misses *m, size_t lane, VEC key, VEC live)
{
	VEC last = m->count ? MISS_ROW(graph_miss_at(m, m->count - 1), MISS_KEY) : (VEC){0};
	return NAME(pick)(live, key, last);
}

/* The cycle at which an access that comes at `key` and misses at `time` has an MSHR. *place: of all lanes the first in
 * which it belongs; those before it stay as they are. */
INLINE VEC NAME(miss_start)(const struct graph_misses *m, size_t lane, VEC key, VEC time, uint32_t *place)
{
	uint32_t at = m->count;
	VEC first = MISS_ROW(graph_miss_at(m, at), MISS_SERVERS);
	for (; at; at--) {
		const char *miss = graph_miss_at(m, at - 1);
		VEC later = (VEC)(MISS_ROW(miss, MISS_KEY) > key);
		if (!NAME(any)(later))
			break;
		first = NAME(pick)(later, MISS_ROW(miss, MISS_SERVERS), first);
	}
	*place = at;
	return MAX(time, first);
}

/* In the lanes of `moved`: what the next miss finds after this one has taken its MSHR. From the last that frees up on: those
 * free before the one taken stay as they are. */
INLINE void NAME(miss_serve)(const struct graph_misses *m, size_t lane, const char *miss, char *next, VEC moved)
{
	VEC time = MISS_ROW(miss, MISS_TIME), behind = (VEC){0} - (LANE)1, changes = moved;
	VEC done = MAX(time, MISS_ROW(miss, MISS_SERVERS)) + MISS_ROW(miss, MISS_HOLD);
	uint32_t n = MISS_SERVERS + m->servers;
	while (n > MISS_SERVERS && NAME(any)(changes)) {
		VEC server = MISS_ROW(miss, --n);
		VEC after = NAME(pick)(changes, MAX(server, NAME(min)(done, behind)), server);
		SET_MISS_ROW(next, n, NAME(pick)(moved, after, MISS_ROW(next, n)));
		changes &= (VEC)(server > time);
		behind = server;
	}
	while (n > MISS_SERVERS) {
		n--;
		SET_MISS_ROW(next, n, NAME(pick)(moved, MISS_ROW(miss, n), MISS_ROW(next, n)));
	}
}

/* Puts a miss where it belongs. */
INLINE void NAME(miss_insert)(const struct graph_misses *m, size_t lane, uint32_t place, VEC key, VEC time, VEC hold)
{
	VEC moved = (VEC){0};
	for (; place < m->count; place++) {
		char *miss = graph_miss_at(m, place);
		VEC k = MISS_ROW(miss, MISS_KEY), t = MISS_ROW(miss, MISS_TIME), h = MISS_ROW(miss, MISS_HOLD);
		moved |= (VEC)(key < k);
		SET_MISS_ROW(miss, MISS_KEY, NAME(pick)(moved, key, k));
		SET_MISS_ROW(miss, MISS_TIME, NAME(pick)(moved, time, t));
		SET_MISS_ROW(miss, MISS_HOLD, NAME(pick)(moved, hold, h));
		key = NAME(pick)(moved, k, key);
		time = NAME(pick)(moved, t, time);
		hold = NAME(pick)(moved, h, hold);
		NAME(miss_serve)(m, lane, miss, graph_miss_at(m, place + 1), moved);
	}
	char *miss = graph_miss_at(m, place);
	SET_MISS_ROW(miss, MISS_KEY, key);
	SET_MISS_ROW(miss, MISS_TIME, time);
	SET_MISS_ROW(miss, MISS_HOLD, hold);
	NAME(miss_serve)(m, lane, miss, graph_miss_at(m, place + 1), ~(VEC){0});
}

/* Issue -> completion of a load that takes an MSHR, for `lanes` lanes from `first` on. */
__attribute__((noinline)) TARGET static void NAME(miss_load)(const struct culprit_graph *g, const struct graph_step *s,
							     size_t first, size_t lanes, VEC *t)
{
	const struct graph_misses *m = &g->misses;
	for (size_t lane = first; lane < first + lanes; lane += ELEMENTS, t++) {
		VEC time = *t + NAME(load)(s->latency, lane), hold = NAME(load)(s->hold, lane);
		VEC live = (VEC)(hold != 0), key = NAME(miss_key)(m, lane, *t, live);
		uint32_t place;
		if (s->rare & STEP_P_ADD)
			time += NAME(load)(s->p_add, lane);
		VEC start = NAME(miss_start)(m, lane, key, time, &place);
		start += (LANE)s->unexplained & NAME(load)(s->miss_mask, lane);
		start = NAME(pick)(live, start, time);
		VEC done = start + hold;
		if (s->rare & STEP_P_FLOOR) {
			VEC alone = start + ((LANE)s->alone & NAME(load)(s->alone_mask, lane));
			done = MAX(done, NAME(min)(NAME(load)(s->p_floor, lane), alone));
		}
		NAME(miss_insert)(m, lane, place, key, time & live, (done - start) & live);
		*t = done;
	}
}

/* A store's write that takes one, from its commit on: a row in each half. */
TARGET static void NAME(miss_write)(const struct culprit_graph *g, const struct graph_step *s,
				    const void *const commit[2])
{
	const struct graph_misses *m = &g->misses;
	for (size_t lane = 0; lane < GRAPH_LANES; lane += ELEMENTS) {
		VEC time = NAME(load)(commit[lane / GRAPH_HALF], lane % GRAPH_HALF), key = time;
		VEC hold = (LANE)s->write_hold & NAME(load)(s->write_miss_mask, lane), live = (VEC)(hold != 0);
		uint32_t place;
		time += (LANE)g->params.write_hit & NAME(load)(s->hit_mask, lane);
		time += (LANE)s->write_dtlb & NAME(load)(s->write_dtlb_mask, lane);
		key = NAME(miss_key)(m, lane, key, live);
		NAME(miss_start)(m, lane, key, time, &place);
		NAME(miss_insert)(m, lane, place, key, time & live, hold);
	}
}

#undef MISS_ROW
#undef SET_MISS_ROW
