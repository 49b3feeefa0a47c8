/* The max-plus step over rows, for one lane type and one vector width. Included twice (16 and 32 bits) by each
 * graph_kernel_*.c with LANE, VECTOR_BYTES, BLOCK_QUARTERS, TARGET and NAME(x) defined; where SLOTS_VECTOR is, too, the
 * file brings its own NAME(slot_waits).
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

#define QUARTER_VECTORS (GRAPH_QUARTER / ELEMENTS)
#define BLOCK (BLOCK_QUARTERS * QUARTER_VECTORS)
#if defined(__clang__)
#define EACH _Pragma("clang loop unroll(full)") for (unsigned k = 0; k < BLOCK; k++)
#else
#define EACH _Pragma("GCC unroll 16") for (unsigned k = 0; k < BLOCK; k++) /* else the block is kept in memory */
#endif
#define MAX NAME(max)
#define ROW(row) NAME(load)(row, first + k * ELEMENTS)	      /* vector k of the block, in a whole row */
#define HALF (first / GRAPH_HALF + k * ELEMENTS / GRAPH_HALF) /* the half that it lies in */
#define IN_HALF ((first + k * ELEMENTS) % GRAPH_HALF)	      /* ... and where there */
#define HALF_ROW(row) NAME(load)(s->half[HALF].row, IN_HALF)
#define COMMIT_ROW(row) NAME(load)(s->half[HALF].row, GRAPH_HALF + IN_HALF)
#define IDEAL_BW (split && (first / GRAPH_QUARTER + k / QUARTER_VECTORS) % 2)
#define UNDER_BW(x) (split ? (x) : (x)&ROW(bw_mask))

INLINE void NAME(fetch)(const struct graph_step *s, const size_t first, const bool split, VEC *t)
{
	const void *in = s->f_in, *width = s->f_width, *capacity = s->capacity, *bw_mask = s->bw_mask;
	EACH
	{
		t[k] = ROW(in);
		if (!IDEAL_BW) {
			VEC limit = MAX(ROW(width) + (LANE)1, ROW(capacity));
			t[k] = MAX(t[k], UNDER_BW(limit));
		}
		if (!split || IDEAL_BW)
			t[k] = MAX(t[k], HALF_ROW(ideal_capacity));
	}
	if (s->f_floor)
		EACH t[k] = MAX(t[k], ROW(s->f_floor));
	if (s->f_add)
		EACH t[k] += ROW(s->f_add);
	void *out = s->f_out;
	EACH NAME(store)(out, first + k * ELEMENTS, t[k]);
}

INLINE void NAME(dispatch)(const struct graph_step *s, const size_t first, const bool split, VEC *t)
{
	const void *in = s->d_in, *width = s->d_width, *bw_mask = s->bw_mask;
	const LANE stages = (LANE)s->stages;
	EACH
	{
		t[k] = MAX(MAX(ROW(in), t[k] + stages), COMMIT_ROW(window));
		if (!IDEAL_BW) {
			VEC limit = ROW(width) + (LANE)1;
			t[k] = MAX(t[k], UNDER_BW(limit));
		}
	}
	if (s->d_free)
		EACH if (HALF == 0) t[k] = MAX(t[k], ROW(s->d_free));
	if (s->d_floor)
		EACH t[k] = MAX(t[k], ROW(s->d_floor));
	void *out = s->d_out;
	EACH NAME(store)(out, first + k * ELEMENTS, t[k]);
}

#define PRODUCER(n)             \
	if (s->producers > (n)) \
	EACH t[k] = MAX(t[k], HALF_ROW(producer[n]))

INLINE void NAME(ready)(const struct graph_step *s, const size_t first, VEC *t)
{
	const LANE pipeline = (LANE)s->dispatch_to_issue;
	EACH t[k] += pipeline;
	PRODUCER(0);
	PRODUCER(1);
	PRODUCER(2);
	PRODUCER(3);
	if (s->e_floor)
		EACH t[k] = MAX(t[k], ROW(s->e_floor));
}

#ifndef SLOTS_VECTOR
#define SLOTS_PROBE NAME(slot_probe)
struct NAME(slot_probe) {
	const LANE *ready;
};

INLINE struct NAME(slot_probe) NAME(slot_look)(const struct graph_step *s, size_t quarter, const VEC *ready)
{
	return (struct NAME(slot_probe)){(const LANE *)ready};
}

/* Issue slots for the first GRAPH_SLOT_LANES lanes of a quarter; the others wait as long as the lane does that differs
 * from theirs only in classes that hardly move contention (see graph_slots.c). */
INLINE void NAME(slot_waits)(const struct graph_step *s, size_t quarter, const struct NAME(slot_probe) * p, VEC *waits)
{
	const LANE *exec = (const LANE *)s->exec_mask + quarter * GRAPH_QUARTER;
	LANE *out = (LANE *)waits;
	for (size_t i = 0; i < GRAPH_SLOT_LANES; i++)
		out[i] = (LANE)graph_slots_take(s->slots, quarter * GRAPH_SLOT_LANES + i, p->ready[i], exec[i] != 0);
}
#else
#define SLOTS_PROBE slots_probe
#endif

/* Vectors after which slot lanes repeat. */
#define SLOT_VECTORS (GRAPH_SLOT_LANES > ELEMENTS ? GRAPH_SLOT_LANES / ELEMENTS : 1)

INLINE void NAME(contend)(const struct graph_step *s, const size_t first, const bool split, VEC *t)
{
	const void *bw_mask = s->bw_mask;
	if (!s->slots) {
		const LANE contention = (LANE)s->contention;
		if (contention)
			EACH if (!IDEAL_BW) t[k] += split ? (VEC){0} + contention : (contention & ROW(bw_mask));
		return;
	}
	struct SLOTS_PROBE probes[BLOCK_QUARTERS];
	const size_t q = first / GRAPH_QUARTER;
	EACH if (k % QUARTER_VECTORS == 0 && !IDEAL_BW)
	{
		probes[k / QUARTER_VECTORS] = NAME(slot_look)(s, q + k / QUARTER_VECTORS, &t[k]);
	}
	EACH if (k % QUARTER_VECTORS == 0 && !IDEAL_BW)
	{
		VEC waits[SLOT_VECTORS];
		NAME(slot_waits)(s, q + k / QUARTER_VECTORS, &probes[k / QUARTER_VECTORS], waits);
		for (unsigned i = 0; i < QUARTER_VECTORS; i++)
			t[k + i] += split ? waits[i % SLOT_VECTORS]
					  : waits[i % SLOT_VECTORS] & NAME(load)(bw_mask, first + (k + i) * ELEMENTS);
	}
}

/* Completion into t; W follows from it and from the issue. */
INLINE void NAME(complete)(const struct graph_step *s, const size_t first, VEC *t)
{
	const void *mask = s->exec_mask;
	if (s->e_out)
		EACH NAME(store)(s->e_out, first + k * ELEMENTS, t[k]);
	const LANE exec = (LANE)s->exec;
	if (!s->wake_apart && !s->miss_mask && !s->p_add && !s->p_floor && !s->p_out && !s->stores) {
		EACH
		{
			t[k] += exec & ROW(mask);
			NAME(store)(s->half[HALF].wc_out, IN_HALF, t[k]);
		}
		return;
	}
	EACH
	{
		VEC latency = ROW(mask), wake = t[k] + ((LANE)s->wake & latency);
		t[k] += exec & latency;
		if (s->miss_mask)
			t[k] += (LANE)s->miss & ROW(s->miss_mask);
		if (s->p_add)
			t[k] += ROW(s->p_add);
		if (s->p_floor) {
			VEC alone = t[k] + ((LANE)s->alone & ROW(s->alone_mask));
			t[k] = MAX(t[k], NAME(min)(ROW(s->p_floor), alone));
		}
		if (s->p_out)
			NAME(store)(s->p_out, first + k * ELEMENTS, t[k]);
		wake = s->wake_apart ? MAX(t[k], wake) : t[k];
		NAME(store)(s->half[HALF].wc_out, IN_HALF, wake);
		if (s->stores)
			NAME(store)(s->stores, first + k * ELEMENTS, MAX(ROW(s->stores), wake));
	}
}

INLINE void NAME(commit)(const struct graph_step *s, const size_t first, const bool split, VEC *t)
{
	const void *bw_mask = s->bw_mask;
	const LANE delay = (LANE)s->delay;
	EACH
	{
		t[k] = MAX(t[k] + delay, COMMIT_ROW(c_in));
		if (!IDEAL_BW) {
			VEC limit = COMMIT_ROW(c_width) + (LANE)1;
			t[k] = MAX(t[k], UNDER_BW(limit));
		}
		NAME(store)(s->half[HALF].wc_out, GRAPH_HALF + IN_HALF, t[k]);
	}
}

/* All nodes of one instruction in BLOCK_QUARTERS quarters of the lanes, a node's time in registers until the next
 * one's. With whole rows (as many registers as AVX-512 has) each rarer edge is asked for once. */
INLINE void NAME(block)(const struct graph_step *s, const size_t first, const bool split)
{
	VEC t[BLOCK];
	NAME(fetch)(s, first, split, t);
	NAME(dispatch)(s, first, split, t);
	NAME(ready)(s, first, t);
	NAME(contend)(s, first, split, t);
	NAME(complete)(s, first, t);
	NAME(commit)(s, first, split, t);
}

TARGET static void NAME(step)(const struct graph_step *s)
{
	const size_t lanes = (size_t)BLOCK_QUARTERS * GRAPH_QUARTER;
	if (!s->split) {
		for (size_t first = 0; first < GRAPH_LANES; first += lanes)
			NAME(block)(s, first, false);
	} else { /* where a quarter lies is a constant for each, so that its bandwidth is one, too */
		NAME(block)(s, 0, true);
		if (lanes <= 2 * GRAPH_QUARTER)
			NAME(block)(s, 2 * GRAPH_QUARTER, true);
		if (lanes <= GRAPH_QUARTER) {
			NAME(block)(s, GRAPH_QUARTER, true);
			NAME(block)(s, 3 * GRAPH_QUARTER, true);
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
#undef EACH
#undef MAX
#undef ROW
#undef HALF
#undef IN_HALF
#undef HALF_ROW
#undef COMMIT_ROW
#undef IDEAL_BW
#undef UNDER_BW
#undef PRODUCER
#undef SLOT_VECTORS
#undef SLOTS_PROBE
#undef QUARTER_VECTORS
#undef BLOCK
#undef INLINE
#undef ELEMENTS
#undef VEC
