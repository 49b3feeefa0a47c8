/* Issue slots of sixteen lanes side by side, for kernel_avx512.c: search and count in the lanes' windows
 * (slots_planes.h), eight lanes in a register. No lane is addressed by itself: gathers and scatters of packed
 * counts, two of the first and one of the other for sixteen lanes, were 50 ns of a record even where nothing waited,
 * on a Zen 5 core where this is 30. */
#ifndef CULPRIT_ANALYSIS_GRAPH_SLOTS_AVX512_H
#define CULPRIT_ANALYSIS_GRAPH_SLOTS_AVX512_H

#include "analysis/graph/slots_few.h"

#include <immintrin.h>

_Static_assert(GRAPH_SLOT_LANES == 16, "two registers of 64-bit words");

#define SLOTS_INLINE static inline __attribute__((always_inline)) TARGET
#if defined(__clang__)
#define SLOTS_HALVES _Pragma("clang loop unroll(full)") for (unsigned h = 0; h < 2; h++)
#else
#define SLOTS_HALVES _Pragma("GCC unroll 2") for (unsigned h = 0; h < 2; h++)
#endif

/* Sixteen lanes in two registers: the cycle that each has come to, and which are still without a slot. (Both sets of
 * a record in four registers, side by side, took 10 ns more: too few are left.) */
struct slots_lanes {
	struct graph_slot_set *set;
	const struct graph_slot_runs *runs;
	__m512i t[2];
	__mmask8 without[2];
};

SLOTS_INLINE __m512i slots_word(const uint64_t *lanes, unsigned h)
{
	return _mm512_load_si512(lanes + h * 8);
}

typedef uint64_t slots_plane[GRAPH_SLOT_WORDS][GRAPH_SLOT_LANES];

/* One more in the cycles of `bits` in as many words from `word` on, the carry going from plane to plane. */
SLOTS_INLINE void slots_count(const struct graph_slot_use *u, const struct slots_lanes *l, unsigned word,
			      unsigned words, __m512i (*bits)[2])
{
	const uint32_t fields = u->field_count;
	for (uint32_t f = 0; f < fields; f++) {
		const struct graph_slot_range range = u->fields[f];
		slots_plane *plane = &l->set->words[range.first], *end = &l->set->words[range.end];
		__m512i carry[2][2];
		SLOTS_HALVES
		for (unsigned w = 0; w < words; w++)
			carry[w][h] = bits[w][h];
		do {
			SLOTS_HALVES
			for (unsigned w = 0; w < words; w++) {
				uint64_t *lanes = (*plane)[word + w] + h * 8;
				__m512i before = _mm512_load_si512(lanes);
				_mm512_store_si512(lanes, _mm512_xor_si512(before, carry[w][h]));
				carry[w][h] = _mm512_and_si512(before, carry[w][h]);
			}
		} while (++plane != end);
	}
}

/* Which of a word's cycles have no room. */
SLOTS_INLINE void slots_full(const struct graph_slot_use *u, const struct slots_lanes *l, unsigned word, __m512i *full)
{
	const uint32_t fields = u->field_count;
	const uint64_t *lanes = l->set->words[u->fields[0].end - 1][word];
	SLOTS_HALVES
	full[h] = slots_word(lanes, h);
	for (uint32_t f = 1; f < fields; f++) {
		lanes = l->set->words[u->fields[f].end - 1][word];
		SLOTS_HALVES
		full[h] = _mm512_or_si512(full[h], slots_word(lanes, h));
	}
}

/* Lanes go to `at`, their slots, where they have found any. */
SLOTS_INLINE void slots_go(struct slots_lanes *l, unsigned h, __mmask8 found, __m512i first, __m512i at)
{
	l->t[h] = _mm512_mask_add_epi64(l->t[h], found, first, at);
	l->without[h] &= (__mmask8)~found;
}

/* The first cycle with room from `behind` its word's first one on; 64 or more: not in this word. */
SLOTS_INLINE void slots_take_word(const struct graph_slot_use *u, unsigned word, const __m512i *first,
				  const __m512i *behind, struct slots_lanes *l)
{
	__m512i full[2], bits[1][2];
	slots_full(u, l, word, full);
	SLOTS_HALVES
	{
		__m512i from = _mm512_maskz_sllv_epi64(l->without[h], _mm512_set1_epi64(-1), behind[h]);
		__m512i room = _mm512_andnot_si512(full[h], from);
		bits[0][h] = _mm512_and_si512(room, _mm512_sub_epi64(_mm512_setzero_si512(), room));
		__m512i at = _mm512_sub_epi64(_mm512_set1_epi64(63), _mm512_lzcnt_epi64(bits[0][h]));
		slots_go(l, h, _mm512_test_epi64_mask(room, room), first[h], at);
	}
	slots_count(u, l, word, 1, bits);
}

/* In window 0, where most slots are in the first word. True: it is full from some lane's readiness on. */
SLOTS_INLINE bool slots_take_near(const struct graph_slot_use *u, struct slots_lanes *l)
{
	const __m512i size = _mm512_set1_epi64(GRAPH_SLOT_WINDOW), line = _mm512_set1_epi64(GRAPH_SLOT_LINE);
	__m512i first[2], behind[2];
	__mmask8 inside[2];
	SLOTS_HALVES
	{
		first[h] = slots_word(l->set->first[0], h);
		behind[h] = _mm512_sub_epi64(l->t[h], first[h]);
		inside[h] = _mm512_cmplt_epu64_mask(behind[h], size);
	}
	slots_take_word(u, 0, first, behind, l);
	SLOTS_HALVES
	inside[h] &= l->without[h];
	if (!(inside[0] | inside[1]))
		return false;
	SLOTS_HALVES
	{
		first[h] = _mm512_add_epi64(first[h], line);
		__m512i later = _mm512_sub_epi64(_mm512_max_epu64(behind[h], line), line);
		behind[h] = _mm512_mask_mov_epi64(line, inside[h], later);
	}
	slots_take_word(u, 1, first, behind, l);
	return (inside[0] & l->without[0]) | (inside[1] & l->without[1]);
}

/* In window 1, both words at once. (With window 0 alike sqlite3 took 3 to 5 ns more a record; with the two words of
 * this one after the other, all programs.) */
SLOTS_INLINE void slots_take_far(const struct graph_slot_use *u, struct slots_lanes *l)
{
	const __m512i ones = _mm512_set1_epi64(-1), none = _mm512_setzero_si512();
	const __m512i line = _mm512_set1_epi64(GRAPH_SLOT_LINE), last = _mm512_set1_epi64(63);
	__m512i full[2][2], bits[2][2];
	slots_full(u, l, 2, full[0]);
	slots_full(u, l, 3, full[1]);
	SLOTS_HALVES
	{
		const __m512i first = slots_word(l->set->first[1], h), behind = _mm512_sub_epi64(l->t[h], first);
		__m512i later = _mm512_sub_epi64(_mm512_max_epu64(behind, line), line);
		__m512i low = _mm512_andnot_si512(full[0][h], _mm512_maskz_sllv_epi64(l->without[h], ones, behind));
		__m512i high = _mm512_andnot_si512(full[1][h], _mm512_maskz_sllv_epi64(l->without[h], ones, later));
		__mmask8 second = _mm512_testn_epi64_mask(low, low);
		bits[0][h] = _mm512_and_si512(low, _mm512_sub_epi64(none, low));
		bits[1][h] = _mm512_maskz_and_epi64(second, high, _mm512_sub_epi64(none, high));
		__m512i any = _mm512_or_si512(bits[0][h], bits[1][h]);
		__m512i at = _mm512_mask_add_epi64(last, second, last, line);
		at = _mm512_sub_epi64(at, _mm512_lzcnt_epi64(any));
		slots_go(l, h, _mm512_test_epi64_mask(any, any), first, at);
	}
	slots_count(u, l, 2, 2, bits);
}

/* Lanes in a run of cycles known to be full go on behind it. */
SLOTS_INLINE void slots_skip_runs(struct slots_lanes *l)
{
	SLOTS_HALVES
	{
		__m512i first = _mm512_cvtepu32_epi64(_mm256_load_si256((const void *)(l->runs->first + h * 8)));
		__m512i end = _mm512_cvtepu32_epi64(_mm256_load_si256((const void *)(l->runs->end + h * 8)));
		__mmask8 inside = l->without[h] & _mm512_cmpge_epu64_mask(l->t[h], first);
		l->t[h] = _mm512_mask_max_epu64(l->t[h], inside, l->t[h], end);
	}
}

/* Takes a slot for each lane, ready at l->t, which becomes the cycle of its issue. False: some lanes are still
 * without. */
SLOTS_INLINE bool slots_take(const struct graph_slot_use *u, struct slots_lanes *l)
{
	bool full = slots_take_near(u, l);
	if (!(l->without[0] | l->without[1]))
		return true;
	if (full)
		slots_skip_runs(l);
	slots_take_far(u, l);
	return !(l->without[0] | l->without[1]);
}

/* Window 0 goes on to the dispatch times, where nothing but the cycles that enter it has to be known, and these are
 * empty. */
SLOTS_INLINE void slots_follow(const struct graph_slot_planes *p, size_t quarter, const __m512i *dispatch)
{
	struct graph_slot_set *set = &p->sets[quarter];
	const __m512i size = _mm512_set1_epi64(GRAPH_SLOT_WINDOW), line = _mm512_set1_epi64(GRAPH_SLOT_LINE);
	SLOTS_HALVES
	{
		const __m512i first = slots_word(set->first[0], h), other = slots_word(set->first[1], h);
		const __m512i end = _mm512_add_epi64(first, size), by = _mm512_sub_epi64(dispatch[h], first);
		const __m512i entered = _mm512_add_epi64(dispatch[h], size);
		const __m512i limits = _mm512_cvtepu32_epi64(
			_mm256_loadu_si256((const void *)(p->limits + quarter * GRAPH_SLOT_LANES + h * 8)));
		__mmask8 go = _mm512_cmplt_epu64_mask(by, size);
		go &= _mm512_cmple_epu64_mask(slots_word(set->reached, h), end);
		go &= _mm512_cmple_epi64_mask(other, first) | _mm512_cmpge_epi64_mask(other, entered);
		go &= _mm512_cmple_epu64_mask(entered, limits);
		const __m512i back = _mm512_sub_epi64(line, by), later = _mm512_sub_epi64(by, line);
		const __m512i enter = _mm512_sub_epi64(line, _mm512_min_epu64(by, line)),
			      beyond = _mm512_sub_epi64(size, by);
		for (uint32_t left = p->in_use; left; left &= left - 1) {
			unsigned plane = (unsigned)__builtin_ctz(left);
			uint64_t *low = set->words[plane][0] + h * 8, *high = set->words[plane][1] + h * 8;
			const __m512i a = slots_word(low, 0), b = slots_word(high, 0);
			const __m512i empty = _mm512_set1_epi64((int64_t)p->empty[plane]);
			__m512i to = _mm512_or_si512(_mm512_srlv_epi64(a, by), _mm512_sllv_epi64(b, back));
			to = _mm512_or_si512(to, _mm512_srlv_epi64(b, later));
			_mm512_mask_store_epi64(low, go, _mm512_or_si512(to, _mm512_sllv_epi64(empty, beyond)));
			to = _mm512_or_si512(_mm512_srlv_epi64(b, by), _mm512_sllv_epi64(empty, enter));
			_mm512_mask_store_epi64(high, go, to);
		}
		_mm512_mask_store_epi64(set->first[0] + h * 8, go, dispatch[h]);
	}
}

/* From readiness to issue. `busy`: lanes that hold a unit which is not pipelined. */
SLOTS_INLINE void slots_issue(const struct graph_step *s, size_t quarter, unsigned busy, const __m512i *dispatch,
			      __m512i *t)
{
	struct slots_lanes l = {&s->slots->planes->sets[quarter], &s->slots->runs[quarter], {t[0], t[1]}, {0xff, 0xff}};
	if (s->interval > 1 || !slots_take(s->slots, &l)) {
		struct slots_few few;
		SLOTS_HALVES
		{
			_mm512_store_si512(few.t + h * 8, l.t[h]);
			_mm512_store_si512(few.dispatch + h * 8, dispatch[h]);
		}
		unsigned lanes = l.without[0] | (unsigned)l.without[1] << 8;
		slots_take_few(s, quarter, lanes, busy, &few);
		SLOTS_HALVES
		l.t[h] = slots_word(few.t, h);
	}
	SLOTS_HALVES
	t[h] = l.t[h];
}

typedef uint16_t narrow_slots __attribute__((vector_size(64), aligned(64)));
typedef uint32_t wide_slots __attribute__((vector_size(64), aligned(64)));

SLOTS_INLINE void narrow_slot_times(__m256i row, __m512i *t)
{
	t[0] = _mm512_cvtepu16_epi64(_mm256_castsi256_si128(row));
	t[1] = _mm512_cvtepu16_epi64(_mm256_extracti128_si256(row, 1));
}

SLOTS_INLINE void narrow_slot_waits(const struct graph_step *s, size_t quarter, const narrow_slots *ready,
				    const uint16_t *dispatch, narrow_slots *waits)
{
	const uint16_t *exec = (const uint16_t *)s->exec_mask + quarter * GRAPH_QUARTER;
	const __m256i busy = _mm256_load_si256((const void *)exec), from = _mm512_castsi512_si256((__m512i)*ready);
	__m512i t[2], d[2];
	narrow_slot_times(from, t);
	narrow_slot_times(_mm256_load_si256((const void *)dispatch), d);
	slots_issue(s, quarter, _mm256_test_epi16_mask(busy, busy), d, t);
	__m128i low = _mm512_cvtepi64_epi16(t[0]), high = _mm512_cvtepi64_epi16(t[1]);
	__m256i issue = _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
	*waits = (narrow_slots)_mm512_broadcast_i64x4(_mm256_sub_epi16(issue, from));
}

SLOTS_INLINE void narrow_slot_follow(const struct graph_slot_planes *p, size_t quarter, const uint16_t *dispatch)
{
	__m512i d[2];
	narrow_slot_times(_mm256_load_si256((const __m256i *)(const void *)dispatch), d);
	slots_follow(p, quarter, d);
}

SLOTS_INLINE void wide_slot_times(__m512i row, __m512i *t)
{
	t[0] = _mm512_cvtepu32_epi64(_mm512_castsi512_si256(row));
	t[1] = _mm512_cvtepu32_epi64(_mm512_extracti64x4_epi64(row, 1));
}

SLOTS_INLINE void wide_slot_waits(const struct graph_step *s, size_t quarter, const wide_slots *ready,
				  const uint32_t *dispatch, wide_slots *waits)
{
	const uint32_t *exec = (const uint32_t *)s->exec_mask + quarter * GRAPH_QUARTER;
	const __m512i busy = _mm512_load_si512(exec), from = (__m512i)*ready;
	__m512i t[2], d[2];
	wide_slot_times(from, t);
	wide_slot_times(_mm512_load_si512(dispatch), d);
	slots_issue(s, quarter, _mm512_test_epi32_mask(busy, busy), d, t);
	__m256i low = _mm512_cvtepi64_epi32(t[0]), high = _mm512_cvtepi64_epi32(t[1]);
	__m512i issue = _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
	*waits = (wide_slots)_mm512_sub_epi32(issue, from);
}

SLOTS_INLINE void wide_slot_follow(const struct graph_slot_planes *p, size_t quarter, const uint32_t *dispatch)
{
	__m512i d[2];
	wide_slot_times(_mm512_load_si512(dispatch), d);
	slots_follow(p, quarter, d);
}

#endif
