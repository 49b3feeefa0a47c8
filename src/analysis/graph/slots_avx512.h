/* Issue slots of sixteen lanes side by side: graph_slots_take with gathers and scatters, for kernel_avx512.c.
 * A lane's cycles are apart from the others', so no two elements of a scatter meet. */
#ifndef CULPRIT_ANALYSIS_GRAPH_SLOTS_AVX512_H
#define CULPRIT_ANALYSIS_GRAPH_SLOTS_AVX512_H

#include "analysis/graph/slots.h"

#include <immintrin.h>

_Static_assert(GRAPH_SLOT_LANES == 16, "one 512-bit register of 32-bit times");

#define SLOTS_INLINE static inline __attribute__((always_inline)) TARGET

SLOTS_INLINE __m512i slots_all(uint32_t value)
{
	return _mm512_set1_epi32((int)value);
}

SLOTS_INLINE __m512i slots_down(__m512i v, uint32_t bits)
{
	return _mm512_srl_epi32(v, _mm_cvtsi32_si128((int)bits));
}

SLOTS_INLINE __m512i slots_up(__m512i v, uint32_t bits)
{
	return _mm512_sll_epi32(v, _mm_cvtsi32_si128((int)bits));
}

enum { SLOTS_ROUNDS = 16 }; /* 4: as much; 0: 5.2 instead of 5.7 million a second */

/* Where in the quarter's words the lanes' cycles t are. */
SLOTS_INLINE __m512i slots_places(const struct graph_slot_use *u, __m512i t)
{
	const __m512i lanes = _mm512_load_si512(u->lanes);
	return _mm512_add_epi32(lanes,
				slots_down(_mm512_and_si512(t, slots_all(GRAPH_SLOT_SPAN - 1)), u->layout.cycles_log));
}

/* As graph_slots_shift. */
SLOTS_INLINE __m512i slots_shift(const struct graph_slot_use *u, __m512i t)
{
	return slots_up(_mm512_and_si512(t, slots_all((1u << u->layout.cycles_log) - 1)), u->layout.bits_log);
}

/* As graph_slots_room, of all cycles of a word. */
SLOTS_INLINE __m512i slots_room(const struct graph_slot_use *u, __m512i words)
{
	const __m512i tops = slots_all(u->layout.tops), rest = slots_all(~u->layout.tops);
	__m512i filled = _mm512_and_si512(_mm512_add_epi32(words, slots_all(u->bias)), slots_all(u->full));
	filled = _mm512_or_si512(filled, _mm512_add_epi32(_mm512_and_si512(filled, rest), rest));
	return _mm512_andnot_si512(filled, tops);
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

/* Sixteen lanes between their readiness and their slots: the cycle that each has come to, its word, and the lanes that have
 * found no room yet. Two quarters are probed before either goes on, so that neither waits for the other's memory. */
struct slots_probe {
	__m512i ready, t, word;
	__mmask16 kept, full, busy; /* `busy` as for graph_slots_take */
};

/* Looks at the words of t and of what comes next. */
SLOTS_INLINE struct slots_probe slots_look(const struct graph_slot_use *u, size_t quarter, __m512i ready,
					   __mmask16 busy)
{
	const struct graph_slot_runs *runs = &u->runs[quarter];
	const uint32_t *base = graph_slots_words(u, quarter * GRAPH_SLOT_LANES);
	const __m512i none = _mm512_setzero_si512(), last = slots_all((1u << u->layout.cycles_log) - 1);
	const __m512i limits = _mm512_loadu_si512(u->limits + quarter * GRAPH_SLOT_LANES);
	struct slots_probe p = {.ready = ready, .busy = busy};
	const __m512i t = slots_beyond_run(ready, _mm512_load_si512(runs->first), _mm512_load_si512(runs->end));
	const __m512i next = _mm512_add_epi32(_mm512_or_si512(t, last), slots_all(1));
	p.kept = _mm512_cmplt_epu32_mask(t, limits);
	p.word = _mm512_mask_i32gather_epi32(none, p.kept, slots_places(u, t), base, 4);
	__m512i after = _mm512_mask_i32gather_epi32(none, p.kept, slots_places(u, next), base, 4);
	__m512i room = _mm512_and_si512(slots_room(u, p.word),
					_mm512_sllv_epi32(slots_all(u->layout.tops), slots_shift(u, t)));
	__mmask16 further = _mm512_testn_epi32_mask(room, room);
	room = _mm512_mask_mov_epi32(room, further, slots_room(u, after));
	p.word = _mm512_mask_mov_epi32(p.word, further, after);
	__m512i begin = _mm512_mask_mov_epi32(_mm512_andnot_si512(last, t), further, next);
	p.full = p.kept & _mm512_testn_epi32_mask(room, room);
	room = _mm512_and_si512(room, _mm512_sub_epi32(none, room));
	__m512i bit = _mm512_sub_epi32(slots_all(31), _mm512_lzcnt_epi32(room));
	__m512i found = _mm512_add_epi32(begin, slots_down(bit, u->layout.bits_log));
	found = _mm512_mask_mov_epi32(found, p.full, _mm512_add_epi32(begin, slots_all(1)));
	p.t = _mm512_mask_min_epu32(t, p.kept, found, limits);
	p.kept &= _mm512_cmplt_epu32_mask(p.t, limits);
	p.full &= p.kept;
	return p;
}

/* The lanes without room so far look at one word more, beyond what they know to be full. */
SLOTS_INLINE void slots_look_on(const struct graph_slot_use *u, size_t quarter, struct slots_probe *p)
{
	const struct graph_slot_runs *runs = &u->runs[quarter];
	const uint32_t *base = graph_slots_words(u, quarter * GRAPH_SLOT_LANES);
	const __m512i none = _mm512_setzero_si512(), last = slots_all((1u << u->layout.cycles_log) - 1);
	const __m512i limits = _mm512_loadu_si512(u->limits + quarter * GRAPH_SLOT_LANES);
	const __m512i t = slots_beyond_run(p->t, _mm512_load_si512(runs->first), _mm512_load_si512(runs->end));
	p->word = _mm512_mask_i32gather_epi32(p->word, p->full, slots_places(u, t), base, 4);
	__m512i room = _mm512_and_si512(slots_room(u, p->word),
					_mm512_sllv_epi32(slots_all(u->layout.tops), slots_shift(u, t)));
	__mmask16 without = _mm512_testn_epi32_mask(room, room);
	room = _mm512_and_si512(room, _mm512_sub_epi32(none, room));
	__m512i bit = _mm512_sub_epi32(slots_all(31), _mm512_lzcnt_epi32(room));
	__m512i found = _mm512_add_epi32(_mm512_andnot_si512(last, t), slots_down(bit, u->layout.bits_log));
	found = _mm512_mask_mov_epi32(found, without, _mm512_add_epi32(_mm512_or_si512(t, last), slots_all(1)));
	p->t = _mm512_mask_min_epu32(p->t, p->full, found, limits);
	__mmask16 within = _mm512_cmplt_epu32_mask(p->t, limits);
	p->kept &= within;
	p->full &= without & within;
}

/* The lane's first cycle from t on with room, or one beyond the limit, where a word is a cycle: sixteen at a time. The words
 * beyond the span are always empty. */
SLOTS_INLINE uint32_t slots_scan(const struct graph_slot_use *u, size_t lane, uint32_t t, uint32_t first, uint32_t end)
{
	const uint32_t *words = graph_slots_words(u, lane), limit = u->limits[lane];
	const __m512i bias = slots_all(u->bias), full = slots_all(u->full);
	while (t < limit) {
		uint32_t at = t % GRAPH_SLOT_SPAN;
		__m512i biased = _mm512_add_epi32(_mm512_loadu_si512(words + at), bias);
		unsigned room = _mm512_testn_epi32_mask(biased, full);
		uint32_t step = room ? (uint32_t)__builtin_ctz(room) : 16;
		if (room && at + step < GRAPH_SLOT_SPAN)
			return t + step;
		t += at + step < GRAPH_SLOT_SPAN ? step : GRAPH_SLOT_SPAN - at;
		t = t >= first && t < end ? end : t;
	}
	return limit;
}

/* For the lanes without room in two words, the first cycle beyond that has some: all together while that is cheaper. Then
 * lanes are put back into the registers one by one; through memory they would wait for each other's stores. */
SLOTS_INLINE void slots_search(const struct graph_slot_use *u, size_t quarter, struct slots_probe *p)
{
	const struct graph_slot_runs *runs = &u->runs[quarter];
	const bool packed = u->layout.cycles_log;
	for (unsigned round = 0; packed && round < SLOTS_ROUNDS && (p->full & (p->full - 1)); round++)
		slots_look_on(u, quarter, p);
	uint32_t at[GRAPH_SLOT_LANES] __attribute__((aligned(64)));
	_mm512_store_si512(at, p->t);
	for (unsigned full = p->full; full; full &= full - 1) {
		unsigned i = (unsigned)__builtin_ctz(full);
		size_t lane = quarter * GRAPH_SLOT_LANES + i;
		uint32_t t = packed ? graph_slots_scan(u, lane, at[i])
				    : slots_scan(u, lane, at[i], runs->first[i], runs->end[i]);
		__mmask16 one = (__mmask16)(1u << i);
		p->t = _mm512_mask_set1_epi32(p->t, one, (int)t);
		p->word = _mm512_mask_set1_epi32(p->word, one, (int)*graph_slots_word(u, lane, t));
		p->kept &= (__mmask16) ~(t < u->limits[lane] ? 0 : one);
	}
}

/* Operations that hold their unit are rare: lane by lane. */
SLOTS_INLINE __m512i slots_take_long(const struct graph_slot_use *u, size_t quarter, const struct slots_probe *p,
				     uint32_t interval)
{
	uint32_t t[GRAPH_SLOT_LANES] __attribute__((aligned(64)));
	_mm512_store_si512(t, p->ready);
	for (unsigned lane = 0; lane < GRAPH_SLOT_LANES; lane++)
		t[lane] = graph_slots_take_long(u, quarter * GRAPH_SLOT_LANES + lane, t[lane],
						p->busy >> lane & 1 ? interval : 0);
	return _mm512_load_si512(t);
}

/* Takes the slots; the cycles that the lanes wait. */
SLOTS_INLINE __m512i slots_take(const struct graph_slot_use *u, size_t quarter, struct slots_probe *p,
				uint32_t interval)
{
	if (interval > 1)
		return slots_take_long(u, quarter, p, interval);
	if (p->full) {
		slots_search(u, quarter, p);
		slots_note_runs(&u->runs[quarter], p->ready, p->t);
	}
	__m512i word = _mm512_add_epi32(p->word, _mm512_sllv_epi32(slots_all(u->take), slots_shift(u, p->t)));
	_mm512_mask_i32scatter_epi32(graph_slots_words(u, quarter * GRAPH_SLOT_LANES), p->kept, slots_places(u, p->t),
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
