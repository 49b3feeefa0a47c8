/* The max-plus step over rows, for one lane type and one vector width. Included twice (16 and 32 bits) by each
 * graph_kernel_*.c with LANE, VECTOR_BYTES, BLOCK_QUARTERS, TARGET and NAME(x) defined; where SLOTS_VECTOR is, too, the
 * file brings its own NAME(slot_waits).
 *
 * Lanes are unsigned and never negative, so masking an edge's time to 0 removes the edge from a max. C has no maximum
 * of vectors: HOST_MAX, HOST_MIN and HOST_ANY are the host's own. (As loops over a vector's elements, gcc
 * 12 took half of the maxima of a step element by element with AVX2: a third of the step's time.) */
typedef LANE NAME(vec) __attribute__((vector_size(VECTOR_BYTES), aligned(VECTOR_BYTES)));
#define VEC NAME(vec)
#define ELEMENTS (VECTOR_BYTES / sizeof(LANE))
#define INLINE static inline __attribute__((always_inline)) TARGET

INLINE VEC NAME(load)(const void *row, size_t lane)
{
	return *(const VEC *)((const LANE *)row + lane);
}

INLINE void NAME(store)(void *row, size_t lane, VEC v)
{
	*(VEC *)((LANE *)row + lane) = v;
}

/* a where the mask is set, else b. */
INLINE VEC NAME(pick)(VEC mask, VEC a, VEC b)
{
	return (a & mask) | (b & ~mask);
}

INLINE VEC NAME(max)(VEC a, VEC b)
{
#ifdef HOST_MAX
	return (VEC)HOST_MAX(a, b);
#else
	return NAME(pick)((VEC)(a > b), a, b);
#endif
}

INLINE VEC NAME(min)(VEC a, VEC b)
{
#ifdef HOST_MIN
	return (VEC)HOST_MIN(a, b);
#else
	return NAME(pick)((VEC)(a > b), b, a);
#endif
}

/* Is any lane not 0? */
INLINE bool NAME(any)(VEC v)
{
#ifdef HOST_ANY
	return HOST_ANY(v);
#else
	typedef uint64_t words __attribute__((vector_size(VECTOR_BYTES)));
	words w = (words)v;
	uint64_t all = 0;
	for (unsigned i = 0; i < VECTOR_BYTES / sizeof all; i++)
		all |= w[i];
	return all;
#endif
}

#define MAX NAME(max)
#define OWNED(lane) (g->quarters >> (lane) / GRAPH_QUARTER & 1) /* a team shares out whole blocks */

#include "analysis/graph/misses_body.h"

#define QUARTER_VECTORS (GRAPH_QUARTER / ELEMENTS)
#define BLOCK (BLOCK_QUARTERS * QUARTER_VECTORS)
#if defined(__clang__)
#define EACH _Pragma("clang loop unroll(full)") for (unsigned k = 0; k < BLOCK; k++)
#else
#define EACH _Pragma("GCC unroll 16") for (unsigned k = 0; k < BLOCK; k++) /* else the block is kept in memory */
#endif
#define ROW(row) NAME(load)(row, first + k * ELEMENTS)	      /* vector k of the block, in a whole row */
#define HALF (first / GRAPH_HALF + k * ELEMENTS / GRAPH_HALF) /* the half that it lies in */
#define IN_HALF ((first + k * ELEMENTS) % GRAPH_HALF)	      /* ... and where there */
#define WAKE_ROW(back) NAME(load)(n->base[HALF] + n->source[HALF][back], IN_HALF)
#define COMMIT_ROW(back) NAME(load)(n->base[HALF] + n->source[HALF][back], GRAPH_HALF + IN_HALF)
#define IDEAL_BW (split && (first / GRAPH_QUARTER + k / QUARTER_VECTORS) % 2)
#define UNDER_BW(x) (split ? (x) : (x)&ROW(s->bw_mask))

/* Where the rows of one instruction are. */
struct NAME(nodes) {
	const struct culprit_graph *g;
	const struct graph_step *s;
	uint32_t source[2][BACK_COUNT] __attribute__((aligned(32))); /* rows of W and C by half: bytes from `base` */
	char *base[2], *wc_out[2];
	const char *f_in, *d_in, *d_width, *capacity;
	char *f_out, *d_out, *e_out, *arrived_out;
	LANE stages, delay;
};
typedef int32_t NAME(backs) __attribute__((vector_size(32)));

/* All sources at once. What is not within reach is taken from the row of zeros behind the ring. */
INLINE void NAME(find)(const struct culprit_graph *g, struct NAME(nodes) * n)
{
	const NAME(backs) back = *(const NAME(backs) *)(const void *)n->s->back;
	const int shift = __builtin_ctz(GRAPH_LANES * sizeof(LANE));
	for (unsigned h = 0; h < 2; h++) {
		const struct graph_ring *ring = &g->wc[h];
		uint32_t at = ring->at;
		/* else gcc loads it with its neighbours, before its own store has left the buffer */
		__asm__("" : "+r"(at));
		const int32_t rows = (int32_t)ring->rows;
		NAME(backs) row = (int32_t)at - back, found = (back > 0) & (back <= (int32_t)g->reach[h]);
		row += row >> 31 & rows;
		row = (row & found) | (rows & ~found);
		*(NAME(backs) *)(void *)n->source[h] = row << shift;
		n->base[h] = ring->base;
		n->wc_out[h] = ring->base + ((size_t)at << shift);
	}
	/* else gcc takes them out of the vector registers one by one, with the ports that the rows need */
	__asm__("" : "+m"(n->source));
}

INLINE char *NAME(node_row)(const struct graph_ring *ring, uint32_t number)
{
	return ring->base + (size_t)(number & (ring->rows - 1)) * GRAPH_LANES * sizeof(LANE);
}

INLINE void NAME(place)(const struct culprit_graph *g, struct NAME(nodes) * n)
{
	const struct culprit_graph_params *p = &g->params;
	const uint32_t number = (uint32_t)g->done;
	n->f_in = NAME(node_row)(&g->f, number - 1);
	n->f_out = NAME(node_row)(&g->f, number);
	n->arrived_out = n->s->rare & STEP_ARRIVED ? NAME(node_row)(&g->arrived, number) : NULL;
	n->d_in = NAME(node_row)(&g->d, number - 1);
	n->d_out = NAME(node_row)(&g->d, number);
	n->e_out = g->e.rows ? NAME(node_row)(&g->e, number) : NULL;
	/* rows of before the first instruction are 0 */
	n->d_width = p->dispatch_width ? NAME(node_row)(&g->d, number - p->dispatch_width) : g->scratch[SCRATCH_ZERO];
	if (n->s->rare & STEP_D_WIDTH)
		n->d_width = n->s->d_width;
	n->capacity = p->frontend_capacity ? NAME(node_row)(&g->d, number - p->frontend_capacity)
					   : g->scratch[SCRATCH_ZERO];
	n->stages = (LANE)p->frontend_stages;
	n->delay = (LANE)p->commit_delay;
}

INLINE void NAME(fetch)(const struct NAME(nodes) * n, const size_t first, const bool split, VEC *t)
{
	const struct graph_step *s = n->s;
	const void *in = n->f_in, *width = s->f_width, *capacity = n->capacity;
	void *out = n->f_out;
	EACH
	{
		t[k] = ROW(in);
		if (!IDEAL_BW) {
			VEC limit = MAX(ROW(width) + (LANE)1, ROW(capacity));
			t[k] = MAX(t[k], UNDER_BW(limit));
		}
	}
	if (s->rare & (STEP_AHEAD | STEP_F_FLOOR | STEP_F_ADD | STEP_ARRIVED)) {
		if (s->rare & STEP_AHEAD)
			EACH if (!split || IDEAL_BW) t[k] = MAX(t[k], NAME(load)(s->ahead[HALF], IN_HALF));
		if (s->rare & STEP_F_FLOOR)
			EACH t[k] = MAX(t[k], ROW(s->f_floor));
		if (s->rare & STEP_ARRIVED)
			EACH NAME(store)(out, first + k * ELEMENTS, t[k]);
		if (s->rare & STEP_F_BUS) {
			VEC all[BLOCK]; /* a copy, so that t itself may stay in registers */
			EACH all[k] = t[k];
			NAME(miss_fetch)(n->g, s, first, BLOCK * ELEMENTS, all);
			EACH t[k] = all[k];
		}
		if (s->rare & STEP_F_ADD)
			EACH t[k] += ROW(s->f_add);
		if (s->rare & STEP_ARRIVED) {
			out = n->arrived_out;
			EACH t[k] = MAX(t[k], ROW(s->arrived));
		}
	}
	EACH NAME(store)(out, first + k * ELEMENTS, t[k]);
}

#include "analysis/graph/rob_rows_body.h"

INLINE void NAME(dispatch)(const struct NAME(nodes) * n, const size_t first, const bool split, VEC *t)
{
	const struct graph_step *s = n->s;
	const void *in = n->d_in, *width = n->d_width;
	EACH
	{
		VEC room = HALF ? COMMIT_ROW(BACK_FAR) : COMMIT_ROW(BACK_NEAR);
		t[k] = MAX(MAX(ROW(in), t[k] + n->stages), room);
		if (!IDEAL_BW) {
			VEC limit = ROW(width) + (LANE)1;
			t[k] = MAX(t[k], UNDER_BW(limit));
		}
	}
	if (s->rare & (STEP_D_FREE | STEP_D_ENTRY | STEP_D_FLOOR | STEP_ROWS)) {
		if (s->rare & STEP_D_FREE)
			EACH if (HALF == 0) t[k] = MAX(t[k], ROW(s->d_free));
		if (s->rare & STEP_D_ENTRY)
			EACH t[k] = MAX(t[k], NAME(load)(s->entry[HALF], IN_HALF));
		if (s->rare & STEP_D_FLOOR)
			EACH t[k] = MAX(t[k], ROW(s->d_floor));
		if (s->rare & STEP_ROWS) {
			VEC all[BLOCK]; /* a copy, so that t itself may stay in registers */
			EACH all[k] = t[k];
			NAME(dispatch_rows)(n, first, BLOCK, split, all);
			EACH t[k] = all[k];
		}
	}
	void *out = n->d_out;
	EACH NAME(store)(out, first + k * ELEMENTS, t[k]);
}

#include "analysis/graph/issue_body.h"

INLINE void NAME(complete_latency)(const struct graph_step *s, const size_t first, VEC *t)
{
	if (s->rare & STEP_LEFT)
		EACH
		{
			VEC left = (VEC)(t[k] >= NAME(load)(s->left[HALF], IN_HALF));
			VEC more = NAME(pick)(left, (VEC){0} + (LANE)s->longer[1], (VEC){0} + (LANE)s->longer[0]);
			t[k] += more & ROW(s->exec_mask);
		}
	EACH t[k] += ROW(s->latency);
	if (s->rare & STEP_MISS)
		EACH t[k] += (LANE)s->miss & ROW(s->miss_mask);
	if (s->rare & STEP_P_ADD)
		EACH t[k] += ROW(s->p_add);
	if (s->rare & STEP_P_FLOOR)
		EACH
		{
			VEC alone = t[k] + ((LANE)s->alone & ROW(s->alone_mask));
			t[k] = MAX(t[k], NAME(min)(ROW(s->p_floor), alone));
		}
}

#include "analysis/graph/complete_body.h"

INLINE void NAME(complete)(const struct NAME(nodes) * n, const struct culprit_graph *g, const size_t first,
			   const bool split, VEC *t)
{
	const void *latency = n->s->latency;
	if (n->e_out)
		EACH NAME(store)(n->e_out, first + k * ELEMENTS, t[k]);
	if (n->s->rare & STEP_COMPLETE) {
		NAME(complete_rare)(n, g, first, split, t);
		return;
	}
	EACH
	{
		t[k] += ROW(latency);
		NAME(store)(n->wc_out[HALF], IN_HALF, t[k]);
	}
}

INLINE void NAME(commit)(const struct NAME(nodes) * n, const size_t first, const bool split, VEC *t)
{
	const struct graph_step *s = n->s;
	EACH
	{
		t[k] = MAX(t[k] + n->delay, COMMIT_ROW(BACK_LAST));
		if (!IDEAL_BW) {
			VEC limit = COMMIT_ROW(BACK_COMMIT) + (LANE)1;
			t[k] = MAX(t[k], UNDER_BW(limit));
		}
		NAME(store)(n->wc_out[HALF], GRAPH_HALF + IN_HALF, t[k]);
	}
}

/* All nodes of one instruction in BLOCK_QUARTERS quarters of the lanes, a node's time in registers until the next
 * one's. With whole rows (as many registers as AVX-512 has) each rarer edge is asked for once. */
INLINE void NAME(block)(const struct culprit_graph *g, const struct NAME(nodes) * n, const size_t first,
			const bool split)
{
	VEC t[BLOCK];
	NAME(fetch)(n, first, split, t);
	NAME(dispatch)(n, first, split, t);
	NAME(ready)(n, first, t);
	NAME(contend)(n, first, split, t);
	NAME(complete)(n, g, first, split, t);
	NAME(commit)(n, first, split, t);
}

TARGET static void NAME(step)(const struct culprit_graph *g, const struct graph_step *s)
{
	const size_t lanes = (size_t)BLOCK_QUARTERS * GRAPH_QUARTER;
	struct NAME(nodes) n;
	n.g = g;
	n.s = s;
	NAME(find)(g, &n);
	NAME(place)(g, &n);
	if (!g->split) {
		for (size_t first = 0; first < GRAPH_LANES; first += lanes)
			if (OWNED(first))
				NAME(block)(g, &n, first, false);
	} else { /* where a quarter lies is a constant for each, so that its bandwidth is one, too */
		if (OWNED(0))
			NAME(block)(g, &n, 0, true);
		if (lanes <= 2 * GRAPH_QUARTER && OWNED(2 * GRAPH_QUARTER))
			NAME(block)(g, &n, 2 * GRAPH_QUARTER, true);
		if (lanes <= GRAPH_QUARTER) {
			if (OWNED(GRAPH_QUARTER))
				NAME(block)(g, &n, GRAPH_QUARTER, true);
			if (OWNED(3 * GRAPH_QUARTER))
				NAME(block)(g, &n, 3 * GRAPH_QUARTER, true);
		}
	}
#ifdef SLOTS_VECTOR
	const LANE *dispatch = (const LANE *)(const void *)n.d_out;
	if (g->slots.planes && g->done % GRAPH_SLOT_FOLLOW == 0)
		for (size_t q = 0; q < GRAPH_SLOT_SETS; q += g->split ? 2 : 1)
			if (g->quarters >> q & 1)
				NAME(slot_follow)(g->slots.planes, q, dispatch + q * GRAPH_QUARTER);
#endif
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

TARGET static void NAME(add)(void *dst, const void *src)
{
	for (size_t i = 0; i < GRAPH_LANES; i += ELEMENTS)
		NAME(store)(dst, i, NAME(load)(dst, i) + NAME(load)(src, i));
}

TARGET static void NAME(rebase)(void *rows, size_t count, size_t stride, const void *delta, size_t lanes)
{
	for (size_t r = 0; r < count; r++) {
		void *row = (char *)rows + r * stride;
		for (size_t i = 0; i < lanes; i += ELEMENTS) {
			VEC by = NAME(load)(delta, i);
			NAME(store)(row, i, MAX(NAME(load)(row, i), by) - by);
		}
	}
}

TARGET static uint32_t NAME(largest)(const void *row, size_t lanes)
{
	VEC v = NAME(load)(row, 0);
	for (size_t i = ELEMENTS; i < lanes; i += ELEMENTS)
		v = MAX(v, NAME(load)(row, i));
	LANE m = 0;
	for (unsigned i = 0; i < ELEMENTS; i++)
		m = v[i] > m ? v[i] : m;
	return m;
}

TARGET static bool NAME(any_later)(const void *a, const void *b)
{
	VEC later = {0};
	for (size_t i = 0; i < GRAPH_HALF; i += ELEMENTS)
		later |= (VEC)(NAME(load)(a, i) > NAME(load)(b, i));
	LANE any = 0;
	for (unsigned i = 0; i < ELEMENTS; i++)
		any |= later[i];
	return any != 0;
}

#include "analysis/graph/pool_body.h"
#include "analysis/graph/posted_body.h"
#include "analysis/graph/swap_body.h"
#include "analysis/graph/writes_body.h"

#define KERNEL                                                                                                        \
	{                                                                                                             \
		.step = NAME(step), .edge = NAME(edge), .latency = NAME(latency), .add = NAME(add),                   \
		.rebase = NAME(rebase), .largest = NAME(largest), .write = NAME(write), .pool_take = NAME(pool_take), \
		.pool_merge = NAME(pool_merge), .miss_write = NAME(miss_write), .any_later = NAME(any_later),         \
		.posted = NAME(posted), .swap = NAME(swap),                                                           \
	}
static const struct graph_kernel NAME(kernel) = KERNEL;

#undef KERNEL
#undef EACH
#undef MAX
#undef ROW
#undef HALF
#undef IN_HALF
#undef WAKE_ROW
#undef COMMIT_ROW
#undef IDEAL_BW
#undef UNDER_BW
#undef OWNED
#undef SLOT_VECTORS
#undef QUARTER_VECTORS
#undef BLOCK
#undef INLINE
#undef ELEMENTS
#undef VEC
