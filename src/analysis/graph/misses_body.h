/* Misses in flight, for one lane type and one vector width: part of kernel_body.h. See misses.h. */

#define MISS_AT(number) graph_miss_at(m, (number), lane / GRAPH_QUARTER)
#define MISS_LANE(row) ((size_t)(row)*GRAPH_QUARTER + lane % GRAPH_QUARTER)
#define MISS_ROW(miss, row) NAME(load)((miss), MISS_LANE(row))
#define SET_MISS_ROW(miss, row, v) NAME(store)((miss), MISS_LANE(row), v)

/* Where the miss is idealised it goes behind the others, to where no other has to move. */
INLINE VEC NAME(miss_key)(const struct graph_misses *m, uint32_t count, size_t lane, VEC key, VEC live)
{
	VEC last = count ? MISS_ROW(MISS_AT(count - 1), MISS_KEY) : (VEC){0};
	return NAME(pick)(live, key, last);
}

/* The cycle at which an access that comes at `key` and misses at `time` has an MSHR. *place: of all lanes the first in
 * which it belongs; those before it stay as they are. */
INLINE VEC NAME(miss_start)(const struct graph_misses *m, uint32_t count, size_t lane, VEC key, VEC time,
			    uint32_t *place)
{
	uint32_t at = count;
	VEC first = MISS_ROW(MISS_AT(at), MISS_SERVERS);
	for (; at; at--) {
		const char *miss = MISS_AT(at - 1);
		VEC later = (VEC)(MISS_ROW(miss, MISS_KEY) > key);
		if (!NAME(any)(later))
			break;
		first = NAME(pick)(later, MISS_ROW(miss, MISS_SERVERS), first);
	}
	*place = at;
	if (!at && count >= m->kept - 1) /* before all that are kept: who was in its way then is forgotten */
		first = NAME(pick)((VEC)(MISS_ROW(MISS_AT(0), MISS_KEY) > key), (VEC){0}, first);
	return MAX(time, first);
}

/* In the lanes of `moved`, what the next miss finds after one of this time and hold has taken its MSHR: from the last
 * that frees up down to the one taken. Those free before it stay as they are. Returns the last row written. */
INLINE uint32_t NAME(miss_serve)(const struct graph_misses *m, size_t lane, const char *miss, char *next, VEC moved,
				 VEC time, VEC hold)
{
	VEC behind = (VEC){0} - (LANE)1, changes = moved & (VEC)(hold != 0);
	VEC done = MAX(time, MISS_ROW(miss, MISS_SERVERS)) + hold;
	uint32_t n = MISS_SERVERS + m->servers;
	while (n > MISS_SERVERS && NAME(any)(changes)) {
		VEC server = MISS_ROW(miss, --n);
		VEC after = NAME(pick)(changes, MAX(server, NAME(min)(done, behind)), server);
		SET_MISS_ROW(next, n, NAME(pick)(moved, after, MISS_ROW(next, n)));
		changes &= (VEC)(server > time);
		behind = server;
	}
	return n;
}

/* A miss that was at this place goes to the next one in the lanes of `moved`. */
struct NAME(miss) {
	VEC key, time, hold;
};

/* The rows below `row` of what the next miss finds. Only those from `low` on are not what they were in some lane, or
 * had been in the way of the miss that was here before. Returns the first that may differ now. */
INLINE uint32_t NAME(miss_copy)(size_t lane, const char *miss, char *next, VEC moved, const struct NAME(miss) * before,
				uint32_t row, uint32_t low)
{
	const VEC free = before->time | (VEC)(before->hold == 0);
	for (; row > MISS_SERVERS; row--) {
		VEC server = MISS_ROW(next, row - 1);
		if (row <= low && !NAME(any)(moved & (server ^ NAME(min)(server, free))))
			break;
		SET_MISS_ROW(next, row - 1, NAME(pick)(moved, MISS_ROW(miss, row - 1), server));
	}
	return row < low ? row : low;
}

/* Puts a miss where it belongs. One before all that are kept goes behind them, and takes nothing. */
INLINE void NAME(miss_insert)(const struct graph_misses *m, uint32_t count, size_t lane, uint32_t place, VEC key,
			      VEC time, VEC hold)
{
	VEC moved = (VEC){0};
	uint32_t low = MISS_SERVERS + m->servers;
	if (!place && count >= m->kept - 1) {
		const VEC forgotten = (VEC)(MISS_ROW(MISS_AT(0), MISS_KEY) > key);
		key = NAME(pick)(forgotten, MISS_ROW(MISS_AT(count - 1), MISS_KEY), key);
		hold &= ~forgotten;
		time &= ~forgotten;
	}
	for (; place < count; place++) {
		char *miss = MISS_AT(place), *next = MISS_AT(place + 1);
		const struct NAME(miss)
			before = {MISS_ROW(miss, MISS_KEY), MISS_ROW(miss, MISS_TIME), MISS_ROW(miss, MISS_HOLD)};
		moved |= (VEC)(key < before.key);
		VEC t = NAME(pick)(moved, time, before.time), h = NAME(pick)(moved, hold, before.hold);
		SET_MISS_ROW(miss, MISS_KEY, NAME(pick)(moved, key, before.key));
		SET_MISS_ROW(miss, MISS_TIME, t);
		SET_MISS_ROW(miss, MISS_HOLD, h);
		key = NAME(pick)(moved, before.key, key);
		time = NAME(pick)(moved, before.time, time);
		hold = NAME(pick)(moved, before.hold, hold);
		uint32_t row = NAME(miss_serve)(m, lane, miss, next, moved, t, h);
		low = NAME(miss_copy)(lane, miss, next, moved, &before, row, low);
	}
	char *miss = MISS_AT(place), *next = MISS_AT(place + 1);
	SET_MISS_ROW(miss, MISS_KEY, key);
	SET_MISS_ROW(miss, MISS_TIME, time);
	SET_MISS_ROW(miss, MISS_HOLD, hold);
	uint32_t row = NAME(miss_serve)(m, lane, miss, next, ~(VEC){0}, time, hold);
	for (; row > MISS_SERVERS; row--)
		SET_MISS_ROW(next, row - 1, MISS_ROW(miss, row - 1));
}

/* a wait, less what the account has too much of it */
INLINE VEC NAME(without)(VEC wait, uint32_t over)
{
	return MAX(wait, (VEC){0} + (LANE)over) - (LANE)over;
}

/* Where `live`, a line that the bus could start at `time`; the cycles it waits. */
INLINE VEC NAME(bus_wait)(const struct culprit_graph *g, uint32_t count, size_t lane, VEC time, VEC live, uint32_t over)
{
	const struct graph_misses *m = &g->bus;
	VEC key = NAME(miss_key)(m, count, lane, time, live);
	uint32_t place;
	VEC start = NAME(miss_start)(m, count, lane, key, time, &place);
	NAME(miss_insert)(m, count, lane, place, key, time & live, (LANE)g->params.memory_interval & live);
	return NAME(without)(start - time, over) & live;
}

/* A fetch that asks for a line at t waits for the bus, in `lanes` lanes from `first` on. */
__attribute__((noinline)) TARGET static void NAME(miss_fetch)(const struct culprit_graph *g, const struct graph_step *s,
							      size_t first, size_t lanes, VEC *t)
{
	for (size_t lane = first; lane < first + lanes; lane += ELEMENTS, t++) {
		VEC live = (VEC)(NAME(load)(s->f_bus, lane) != 0);
		VEC time = *t + NAME(load)(s->f_before, lane) + (LANE)g->bus_after;
		*t += NAME(bus_wait)(g, g->bus.count, lane, time, live, s->f_bus_over);
	}
}

/* What happened long before the instruction's fetch happened just then: see GRAPH_IN_TIME. */
INLINE VEC NAME(not_before)(const struct culprit_graph *g, size_t lane, VEC t)
{
	const VEC fetched = NAME(load)(graph_power_row(&g->f, (uint32_t)g->done), lane);
	const VEC in_time = (VEC){0} + (LANE)GRAPH_IN_TIME; /* lanes that are another graph's may be at 0 */
	return MAX(t, MAX(fetched, in_time) - in_time);
}

/* When the line that is used at t is there. `floor` (or NULL) tells when the prefetch brings it, at the latest at
 * `alone`; where that is not known the line has been there for `slack` cycles. */
INLINE VEC NAME(line_there)(const struct culprit_graph *g, const void *floor, size_t lane, VEC t, VEC alone,
			    uint32_t slack)
{
	VEC there = MAX(t, (VEC){0} + (LANE)slack) - (LANE)slack;
	if (floor) {
		VEC told = NAME(load)(floor, lane);
		there = NAME(pick)((VEC)(told != 0), NAME(min)(told, alone), there);
	}
	return NAME(not_before)(g, lane, there);
}

/* When the line that this load is done with at `done` is in the next level, whose prefetcher asked for it: at the
 * latest as if the load, which had its MSHR at `start`, brought it from memory. */
INLINE VEC NAME(line_below)(const struct culprit_graph *g, const struct graph_step *s, uint32_t count, size_t lane,
			    VEC done, VEC start)
{
	const VEC whole = (VEC){0} + (LANE)s->whole;
	const VEC there = NAME(line_there)(g, s->line_floor, lane, done, start + whole, s->slack);
	const VEC asked = MAX(there, whole) - whole + (LANE)g->bus_after;
	return there + NAME(bus_wait)(g, count, lane, asked, NAME(load)(s->prefetch_mask, lane), s->bus_over);
}

/* Issue -> completion of a load that takes an MSHR, for `lanes` lanes from `first` on. */
__attribute__((noinline)) TARGET static void NAME(miss_load)(const struct culprit_graph *g, const struct graph_step *s,
							     size_t first, size_t lanes, VEC *t)
{
	const struct graph_misses *m = &g->misses;
	const uint32_t count = m->count, bus = g->bus.count + (s->rare & STEP_F_BUS ? 1 : 0);
	for (size_t lane = first; lane < first + lanes; lane += ELEMENTS, t++) {
		VEC time = *t + NAME(load)(s->latency, lane), hold = NAME(load)(s->hold, lane);
		VEC live = (VEC)(hold != 0), key = NAME(miss_key)(m, count, lane, *t, live);
		uint32_t place = 0;
		if (s->rare & STEP_P_ADD)
			time += NAME(load)(s->p_add, lane);
		VEC start = time;
		if (s->rare & STEP_MISS_LOAD) {
			start = NAME(miss_start)(m, count, lane, key, time, &place);
			start = time + NAME(without)(start - time, s->mshr_over);
			start += (LANE)s->unexplained & NAME(load)(s->miss_mask, lane);
			start = NAME(pick)(live, start, time);
		}
		VEC done = start + hold;
		if (s->rare & STEP_MISS_BUS) {
			VEC asks = (VEC)(NAME(load)(s->bus, lane) != 0), at = start + (LANE)g->bus_after;
			if (!(s->rare & STEP_MISS_LOAD))
				at += (LANE)s->unexplained & NAME(load)(s->miss_mask, lane);
			done += NAME(bus_wait)(g, bus, lane, at, asks, s->bus_over);
		}
		if (s->rare & STEP_BELOW)
			done = MAX(done, NAME(line_below)(g, s, bus, lane, done, start));
		if (s->rare & STEP_P_FLOOR) {
			VEC alone = start + ((LANE)s->alone & NAME(load)(s->alone_mask, lane));
			done = MAX(done, NAME(min)(NAME(load)(s->p_floor, lane), alone));
		}
		if (s->rare & STEP_MISS_LOAD)
			NAME(miss_insert)(m, count, lane, place, key, time & live, (done - start) & live);
		*t = done;
	}
}

/* A line that a prefetch asked for, and that this load is the first to use, at `t`: it takes an MSHR and the bus. */
__attribute__((noinline)) TARGET static void
NAME(miss_prefetched)(const struct culprit_graph *g, const struct graph_step *s, size_t first, size_t lanes, VEC *t)
{
	const struct graph_misses *m = &g->misses;
	const uint32_t count = m->count, bus = g->bus.count + (s->rare & STEP_F_BUS ? 1 : 0);
	for (size_t lane = first; lane < first + lanes; lane += ELEMENTS, t++) {
		const VEC whole = (VEC){0} + (LANE)s->whole,
			  there = NAME(line_there)(g, s->line_floor, lane, *t, *t, s->slack);
		const VEC asked = MAX(there, whole) - whole;
		VEC live = NAME(load)(s->prefetch_mask, lane), start = asked, key = asked, done;
		uint32_t place = 0;
		if (m->servers) {
			key = NAME(miss_key)(m, count, lane, asked, live);
			start = NAME(miss_start)(m, count, lane, key, asked, &place);
			start = asked + (NAME(without)(start - asked, s->mshr_over) & live);
		}
		done = there + (start - asked);
		if (s->takes_bus)
			done += NAME(bus_wait)(g, bus, lane, start + (LANE)g->bus_after, live, s->bus_over);
		if (m->servers)
			NAME(miss_insert)(m, count, lane, place, key, asked & live, (done - start) & live);
		*t = MAX(*t, done);
	}
}

/* The cycles that a write with an MSHR at `start` waits for its line because of the bus. */
INLINE VEC NAME(write_line)(const struct culprit_graph *g, const struct graph_step *s, size_t lane, VEC start, VEC live)
{
	VEC asked = start + (LANE)g->bus_after;
	if (s->write_ahead) {
		const VEC ahead = (VEC){0} + (LANE)s->write_ahead;
		asked = NAME(not_before)(g, lane, MAX(start, ahead) - ahead) + (LANE)g->bus_after;
	}
	return NAME(without)(NAME(bus_wait)(g, g->bus.count, lane, asked, live, s->write_bus_over), s->write_slack);
}

/* A store's write that takes one, from its commit on: a row in each half. */
TARGET static void NAME(miss_write)(const struct culprit_graph *g, const struct graph_step *s,
				    const void *const commit[2])
{
	const struct graph_misses *m = &g->misses;
	const uint32_t count = m->count;
	for (size_t lane = 0; lane < GRAPH_LANES; lane += ELEMENTS) {
		if (!OWNED(lane)) /* there every write would come before all others, the most work that there is */
			continue;
		VEC time = NAME(load)(commit[lane / GRAPH_HALF], lane % GRAPH_HALF), key = time;
		VEC hold = (LANE)s->write_hold & NAME(load)(s->write_miss_mask, lane), live = (VEC)(hold != 0);
		uint32_t place = 0;
		time += (LANE)g->params.write_hit & NAME(load)(s->hit_mask, lane);
		time += (LANE)s->write_dtlb & NAME(load)(s->write_dtlb_mask, lane);
		VEC due = time, there = time;
		if (s->write_whole) {
			const VEC whole = (VEC){0} + (LANE)s->write_whole;
			live = NAME(load)(s->write_miss_mask, lane);
			due += hold;
			there = NAME(line_there)(g, s->line_floor, lane, due, time + whole, s->slack);
			key = time = MAX(there, whole) - whole;
			hold = whole & live;
		}
		VEC start = time;
		if (s->rare & STEP_MISS_WRITE) {
			key = NAME(miss_key)(m, count, lane, key, live);
			start = NAME(miss_start)(m, count, lane, key, time, &place);
			NAME(miss_insert)(m, count, lane, place, key, time & live, hold);
		}
		VEC wait = start - time;
		start += (LANE)s->write_waited & live;
		if (s->rare & STEP_WRITE_BUS)
			wait += NAME(write_line)(g, s, lane, start, live);
		there += NAME(without)(wait, s->write_over);
		NAME(store)(g->scratch[SCRATCH_WRITE_WAIT], lane, (MAX(there, due) - due) & live);
	}
}

#undef MISS_AT
#undef MISS_LANE
#undef MISS_ROW
#undef SET_MISS_ROW
