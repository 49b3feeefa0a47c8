/* Issue slots of sixteen lanes side by side: graph_slots_take with gathers and scatters, for graph_kernel_avx512.c.
 * A lane's cycles are apart from the others', so no two elements of a scatter meet. */
#ifndef CULPRIT_ANALYSIS_GRAPH_SLOTS_AVX512_H
#define CULPRIT_ANALYSIS_GRAPH_SLOTS_AVX512_H

#include "analysis/graph_slots.h"

#include <immintrin.h>

_Static_assert(GRAPH_SLOT_LANES == 16, "one 512-bit register of 32-bit times");

#define SLOTS_INLINE static inline __attribute__((always_inline)) TARGET

/* Where in the quarter's words the lanes' cycles t are. */
SLOTS_INLINE __m512i slots_places(__m512i t)
{
	const __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
	const __m512i base = _mm512_mullo_epi32(lane, _mm512_set1_epi32(GRAPH_SLOT_STRIDE));
	return _mm512_add_epi32(base, _mm512_and_si512(t, _mm512_set1_epi32(GRAPH_SLOT_SPAN - 1)));
}

SLOTS_INLINE __mmask16 slots_full(const struct graph_slot_use *u, __mmask16 asked, __m512i words)
{
	__m512i biased = _mm512_add_epi32(words, _mm512_set1_epi32((int)u->bias));
	return _mm512_mask_test_epi32_mask(asked, biased, _mm512_set1_epi32((int)u->full));
}

SLOTS_INLINE __m512i slots_beyond_run(__m512i t, __m512i first, __m512i end)
{
	__mmask16 inside = _mm512_cmpge_epu32_mask(t, first) & _mm512_cmplt_epu32_mask(t, end);
	return _mm512_mask_mov_epi32(t, inside, end);
}

/* Keep the longer of the run known and ready..t, or both as one where they meet. */
SLOTS_INLINE void slots_note_runs(struct graph_slot_runs *runs, __m512i ready, __m512i t)
{
	const __m512i first = _mm512_load_si512(runs->first), end = _mm512_load_si512(runs->end);
	__mmask16 meet = _mm512_cmple_epu32_mask(ready, end) & _mm512_cmpge_epu32_mask(t, end);
	__mmask16 longer = _mm512_cmpgt_epu32_mask(_mm512_sub_epi32(t, ready), _mm512_sub_epi32(end, first)) &
			   (__mmask16)~meet;
	__m512i begin = _mm512_mask_min_epu32(first, meet, first, ready);
	_mm512_store_si512(runs->first, _mm512_mask_mov_epi32(begin, longer, ready));
	_mm512_store_si512(runs->end, _mm512_mask_mov_epi32(end, meet | longer, t));
}

/* The lane's first cycle from t on with room, or one beyond the limit: sixteen cycles at a time. The words beyond the span are
 * always empty. */
SLOTS_INLINE uint32_t slots_scan(const struct graph_slot_use *u, const uint32_t *words, uint32_t t, uint32_t limit,
				 uint32_t first, uint32_t end)
{
	while (t < limit) {
		uint32_t at = t % GRAPH_SLOT_SPAN;
		unsigned room = (__mmask16)~slots_full(u, UINT16_MAX, _mm512_loadu_si512(words + at));
		uint32_t step = room ? (uint32_t)__builtin_ctz(room) : 16;
		if (room && at + step < GRAPH_SLOT_SPAN)
			return t + step;
		t += at + step < GRAPH_SLOT_SPAN ? step : GRAPH_SLOT_SPAN - at;
		t = t >= first && t < end ? end : t;
	}
	return limit;
}

/* Sixteen lanes between their readiness and their slots: the cycle that each has come to, its word, and the lanes whose
 * cycle has no room. Two quarters are probed before either goes on, so that neither waits for the other's memory. */
struct slots_probe {
	__m512i ready, t, word;
	__mmask16 kept, full, busy; /* `busy` as for graph_slots_take */
};

SLOTS_INLINE struct slots_probe slots_look(const struct graph_slot_use *u, size_t quarter, __m512i ready,
					   __mmask16 busy)
{
	const struct graph_slot_runs *runs = &u->runs[quarter];
	struct slots_probe p = {.ready = ready, .busy = busy};
	p.t = slots_beyond_run(ready, _mm512_load_si512(runs->first), _mm512_load_si512(runs->end));
	p.kept = _mm512_cmplt_epu32_mask(p.t, _mm512_loadu_si512(u->limits + quarter * GRAPH_SLOT_LANES));
	p.word = _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), p.kept, slots_places(p.t),
					     graph_slots_words(u, quarter * GRAPH_SLOT_LANES), 4);
	p.full = slots_full(u, p.kept, p.word);
	return p;
}

/* For the lanes without room, the first cycle from t + 1 on that has some. Lanes are put back into the registers one by one:
 * through memory they would wait for each other's stores. */
SLOTS_INLINE void slots_search(const struct graph_slot_use *u, size_t quarter, struct slots_probe *p)
{
	const struct graph_slot_runs *runs = &u->runs[quarter];
	uint32_t at[GRAPH_SLOT_LANES] __attribute__((aligned(64)));
	_mm512_store_si512(at, p->t);
	for (unsigned full = p->full; full; full &= full - 1) {
		unsigned i = (unsigned)__builtin_ctz(full);
		size_t lane = quarter * GRAPH_SLOT_LANES + i;
		const uint32_t *words = graph_slots_words(u, lane);
		uint32_t limit = u->limits[lane];
		uint32_t t = slots_scan(u, words, at[i] + 1, limit, runs->first[i], runs->end[i]);
		__mmask16 one = (__mmask16)(1u << i);
		p->t = _mm512_mask_set1_epi32(p->t, one, (int)t);
		p->word = _mm512_mask_set1_epi32(p->word, one, (int)words[t % GRAPH_SLOT_SPAN]);
		p->kept &= (__mmask16) ~(t < limit ? 0 : one);
	}
}

/* Operations that hold their unit are rare: lane by lane. */
SLOTS_INLINE __m512i slots_take_long(const struct graph_slot_use *u, size_t quarter, const struct slots_probe *p,
				     uint32_t interval)
{
	uint32_t t[GRAPH_SLOT_LANES] __attribute__((aligned(64)));
	_mm512_store_si512(t, p->ready);
	for (unsigned lane = 0; lane < GRAPH_SLOT_LANES; lane++)
		t[lane] = graph_slots_take(u, quarter * GRAPH_SLOT_LANES + lane, t[lane],
					   p->busy >> lane & 1 ? interval : 0);
	return _mm512_load_si512(t);
}

/* Takes the slots; the cycles that the lanes wait. */
SLOTS_INLINE __m512i slots_take(const struct graph_slot_use *u, size_t quarter, struct slots_probe *p,
				uint32_t interval)
{
	struct graph_slot_runs *runs = &u->runs[quarter];
	if (interval > 1)
		return slots_take_long(u, quarter, p, interval);
	if (p->full)
		slots_search(u, quarter, p);
	if (_mm512_cmpneq_epu32_mask(p->t, p->ready))
		slots_note_runs(runs, p->ready, p->t);
	__m512i word = _mm512_add_epi32(p->word, _mm512_set1_epi32((int)u->take));
	_mm512_mask_i32scatter_epi32(graph_slots_words(u, quarter * GRAPH_SLOT_LANES), p->kept, slots_places(p->t),
				     word, 4);
	return _mm512_sub_epi32(p->t, p->ready);
}

typedef uint16_t narrow_slots __attribute__((vector_size(64), aligned(64)));
typedef uint32_t wide_slots __attribute__((vector_size(64), aligned(64)));

SLOTS_INLINE struct slots_probe narrow_slot_look(const struct graph_step *s, size_t quarter, const narrow_slots *ready)
{
	const uint16_t *exec = (const uint16_t *)s->exec_mask + quarter * GRAPH_QUARTER;
	__m512i times = _mm512_cvtepu16_epi32(_mm512_castsi512_si256((__m512i)*ready));
	__m256i busy = _mm256_load_si256((const __m256i *)(const void *)exec);
	return slots_look(s->slots, quarter, times, _mm256_test_epi16_mask(busy, busy));
}

SLOTS_INLINE void narrow_slot_waits(const struct graph_step *s, size_t quarter, struct slots_probe *p,
				    narrow_slots *waits)
{
	__m256i w = _mm512_cvtepi32_epi16(slots_take(s->slots, quarter, p, s->interval));
	*waits = (narrow_slots)_mm512_broadcast_i64x4(w);
}

SLOTS_INLINE struct slots_probe wide_slot_look(const struct graph_step *s, size_t quarter, const wide_slots *ready)
{
	const uint32_t *exec = (const uint32_t *)s->exec_mask + quarter * GRAPH_QUARTER;
	__m512i busy = _mm512_load_si512(exec);
	return slots_look(s->slots, quarter, (__m512i)*ready, _mm512_test_epi32_mask(busy, busy));
}

SLOTS_INLINE void wide_slot_waits(const struct graph_step *s, size_t quarter, struct slots_probe *p, wide_slots *waits)
{
	*waits = (wide_slots)slots_take(s->slots, quarter, p, s->interval);
}

#endif
