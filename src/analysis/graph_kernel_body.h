/* The max-plus step over rows, for one lane type and one vector width. Included twice (16 and 32 bits) by each
 * graph_kernel_*.c with LANE, VECTOR_BYTES, TARGET and NAME(x) defined.
 *
 * Lanes are unsigned and never negative, so masking an edge's time to 0 removes the edge from a max. The loops over a
 * vector's elements compile to single instructions; they are written so because C has no vector maximum. */
typedef LANE NAME(vec) __attribute__((vector_size(VECTOR_BYTES), aligned(VECTOR_BYTES)));
#define VEC NAME(vec)
#define ELEMENTS (VECTOR_BYTES / sizeof(LANE))
#define INLINE static inline __attribute__((always_inline)) TARGET

INLINE VEC NAME(max)(VEC a, VEC b)
{
	VEC r;
	for (unsigned i = 0; i < ELEMENTS; i++)
		r[i] = a[i] > b[i] ? a[i] : b[i];
	return r;
}

INLINE VEC NAME(min)(VEC a, VEC b)
{
	VEC r;
	for (unsigned i = 0; i < ELEMENTS; i++)
		r[i] = a[i] < b[i] ? a[i] : b[i];
	return r;
}

INLINE VEC NAME(load)(const void *row, size_t lane)
{
	return *(const VEC *)((const LANE *)row + lane);
}

INLINE void NAME(store)(void *row, size_t lane, VEC v)
{
	*(VEC *)((LANE *)row + lane) = v;
}

/* How a block of lanes takes bandwidth edges. */
enum NAME(bandwidth) { NAME(LIMITED), NAME(IDEAL), NAME(MASKED) };

#define AT(row) NAME(load)(row, lane)	/* rows of half width */
#define FULL(row) NAME(load)(row, full) /* whole rows */
#define MAX NAME(max)
#define UNDER_BW(x) (bw == NAME(MASKED) ? ((x)&FULL(s->bw_mask)) : (x))

INLINE VEC NAME(fetch_dispatch)(const struct graph_step *s, const struct graph_step_half *h, size_t lane, size_t full,
				const enum NAME(bandwidth) bw)
{
	VEC f = AT(h->f_in);
	if (bw != NAME(IDEAL)) {
		VEC width = MAX(AT(h->f_width) + (LANE)1, AT(h->capacity));
		f = MAX(f, UNDER_BW(width));
	}
	if (bw != NAME(LIMITED))
		f = MAX(f, AT(h->ideal_capacity));
	if (s->f_floor)
		f = MAX(f, FULL(s->f_floor));
	if (s->f_add)
		f += FULL(s->f_add);
	NAME(store)(h->f_out, lane, f);

	VEC d = MAX(AT(h->d_in), f + (LANE)s->stages);
	if (bw != NAME(IDEAL)) {
		VEC width = AT(h->d_width) + (LANE)1;
		d = MAX(d, UNDER_BW(width));
	}
	d = MAX(d, AT(h->window));
	if (s->d_floor)
		d = MAX(d, FULL(s->d_floor));
	NAME(store)(h->d_out, lane, d);
	return d;
}

INLINE VEC NAME(issue)(const struct graph_step *s, const struct graph_step_half *h, VEC d, size_t lane, size_t full,
		       const enum NAME(bandwidth) bw)
{
	VEC e = d + (LANE)s->dispatch_to_issue;
	if (s->producers > 0)
		e = MAX(e, AT(h->producer[0]));
	if (s->producers > 1)
		e = MAX(e, AT(h->producer[1]));
	if (s->producers > 2)
		e = MAX(e, AT(h->producer[2]));
	if (s->producers > 3)
		e = MAX(e, AT(h->producer[3]));
	if (s->e_floor)
		e = MAX(e, FULL(s->e_floor));
	if (bw == NAME(LIMITED))
		e += (LANE)s->contention;
	else if (bw == NAME(MASKED))
		e += (LANE)s->contention & FULL(s->bw_mask);
	return e;
}

INLINE void NAME(complete_commit)(const struct graph_step *s, const struct graph_step_half *h, VEC e, size_t lane,
				  size_t full, const enum NAME(bandwidth) bw)
{
	if (h->e_out)
		NAME(store)(h->e_out, lane, e);
	VEC mask = FULL(s->exec_mask);
	VEC p = e + ((LANE)s->exec & mask);
	if (s->p_add)
		p += FULL(s->p_add);
	if (s->p_floor) {
		VEC alone = p + ((LANE)s->alone & FULL(s->alone_mask));
		p = MAX(p, NAME(min)(FULL(s->p_floor), alone));
	}
	if (s->p_out)
		NAME(store)(s->p_out, full, p);
	NAME(store)(h->w_out, lane, s->wake_apart ? MAX(p, e + ((LANE)s->wake & mask)) : p);
	VEC c = MAX(p + (LANE)s->delay, AT(h->c_in));
	if (bw != NAME(IDEAL)) {
		VEC width = AT(h->c_width) + (LANE)1;
		c = MAX(c, UNDER_BW(width));
	}
	if (s->c_floor)
		c = MAX(c, FULL(s->c_floor));
	NAME(store)(h->c_out, lane, c);
}

/* Issue slots for GRAPH_SLOT_LANES lanes of a quarter; the others wait as long as the lane does that differs from
 * theirs only in classes that hardly move contention (see graph_slots.c). */
INLINE void NAME(take_slots)(const struct graph_step *s, LANE *times, size_t half, size_t full, const bool masked)
{
	LANE waits[GRAPH_SLOT_LANES];
	const LANE *exec = (const LANE *)s->exec_mask + full;
	for (size_t i = 0; i < GRAPH_SLOT_LANES; i++)
		waits[i] = (LANE)graph_slots_take(&s->slots, half * GRAPH_SLOT_LANES + i, times[i], exec[i] != 0);
	for (size_t block = 0; block < GRAPH_QUARTER; block += GRAPH_SLOT_LANES)
		for (size_t i = 0; i < GRAPH_SLOT_LANES; i++)
			times[block + i] += masked ? waits[i] & ((const LANE *)s->bw_mask)[full + block + i] : waits[i];
}

INLINE void NAME(quarter)(const struct graph_step *s, const struct graph_step_half *h, size_t first, size_t full,
			  const enum NAME(bandwidth) bw)
{
	if (bw == NAME(IDEAL) || !s->slots.words) {
		for (size_t i = 0; i < GRAPH_QUARTER; i += ELEMENTS) {
			VEC d = NAME(fetch_dispatch)(s, h, first + i, full + i, bw);
			VEC e = NAME(issue)(s, h, d, first + i, full + i, bw);
			NAME(complete_commit)(s, h, e, first + i, full + i, bw);
		}
		return;
	}
	LANE times[GRAPH_QUARTER] __attribute__((aligned(GRAPH_ALIGN)));
	for (size_t i = 0; i < GRAPH_QUARTER; i += ELEMENTS) {
		VEC d = NAME(fetch_dispatch)(s, h, first + i, full + i, bw);
		NAME(store)(times, i, NAME(issue)(s, h, d, first + i, full + i, bw));
	}
	NAME(take_slots)(s, times, full / GRAPH_HALF, full, bw == NAME(MASKED));
	for (size_t i = 0; i < GRAPH_QUARTER; i += ELEMENTS)
		NAME(complete_commit)(s, h, NAME(load)(times, i), first + i, full + i, bw);
}

TARGET static void NAME(step)(const struct graph_step *s)
{
	for (unsigned half = 0; half < 2; half++) {
		const struct graph_step_half *h = &s->half[half];
		size_t full = half * GRAPH_HALF;
		if (s->split) {
			NAME(quarter)(s, h, 0, full, NAME(LIMITED));
			NAME(quarter)(s, h, GRAPH_QUARTER, full + GRAPH_QUARTER, NAME(IDEAL));
		} else {
			NAME(quarter)(s, h, 0, full, NAME(MASKED));
			NAME(quarter)(s, h, GRAPH_QUARTER, full + GRAPH_QUARTER, NAME(MASKED));
		}
	}
}

TARGET static void NAME(edge)(void *dst, const void *src, uint32_t add, const void *mask, bool first)
{
	for (size_t i = 0; i < GRAPH_HALF; i += ELEMENTS) {
		VEC v = (NAME(load)(src, i) + (LANE)add) & NAME(load)(mask, i);
		NAME(store)(dst, i, first ? v : MAX(v, NAME(load)(dst, i)));
	}
}

TARGET static void NAME(latency)(void *dst, uint32_t add, const void *mask, bool first)
{
	for (size_t i = 0; i < GRAPH_LANES; i += ELEMENTS) {
		VEC v = (LANE)add & NAME(load)(mask, i);
		NAME(store)(dst, i, first ? v : v + NAME(load)(dst, i));
	}
}

TARGET static void NAME(rebase)(void *rows, size_t count, size_t stride, const void *delta)
{
	for (size_t r = 0; r < count; r++) {
		void *row = (char *)rows + r * stride;
		for (size_t i = 0; i < GRAPH_HALF; i += ELEMENTS) {
			VEC by = NAME(load)(delta, i);
			NAME(store)(row, i, MAX(NAME(load)(row, i), by) - by);
		}
	}
}

TARGET static uint32_t NAME(largest)(const void *row)
{
	VEC v = NAME(load)(row, 0);
	for (size_t i = ELEMENTS; i < GRAPH_HALF; i += ELEMENTS)
		v = MAX(v, NAME(load)(row, i));
	LANE m = 0;
	for (unsigned i = 0; i < ELEMENTS; i++)
		m = v[i] > m ? v[i] : m;
	return m;
}

#define KERNEL                                                                                            \
	{                                                                                                 \
		.step = NAME(step), .edge = NAME(edge), .latency = NAME(latency), .rebase = NAME(rebase), \
		.largest = NAME(largest),                                                                 \
	}
static const struct graph_kernel NAME(kernel) = KERNEL;

#undef KERNEL
#undef AT
#undef FULL
#undef MAX
#undef UNDER_BW
#undef INLINE
#undef ELEMENTS
#undef VEC
