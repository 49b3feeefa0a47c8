/* Issue slots of sixteen lanes, for kernel_avx2.c: as slots_avx512.h, with four lanes in a register. AVX2 has neither
 * masks nor a count of zeros in 64 bits: which lanes are meant is said by words of ones, shifted into the cycles that
 * they ask for, and a cycle is found by counting the bits below it. A group of four that has its slots is done; only
 * the others ask the next word.
 *
 * Counts in packed words, lane by lane, took 2.1 times as long with bench_graph; with programs the pass gains 30% to 5%
 * by this and loses 8% with bzip2 (docs/decisions/graph-speed.md). */
#ifndef CULPRIT_ANALYSIS_GRAPH_SLOTS_AVX2_H
#define CULPRIT_ANALYSIS_GRAPH_SLOTS_AVX2_H

#include "analysis/graph/slots_few.h"

#include <immintrin.h>

enum { SLOTS_GROUPS = 4, SLOTS_GROUP = 4 };
_Static_assert(GRAPH_SLOT_LANES == SLOTS_GROUPS * SLOTS_GROUP, "four registers of 64-bit words");

#define SLOTS_INLINE static inline __attribute__((always_inline)) TARGET
#if defined(__clang__)
#define SLOTS_EACH _Pragma("clang loop unroll(full)") for (unsigned g = 0; g < SLOTS_GROUPS; g++)
#else
#define SLOTS_EACH _Pragma("GCC unroll 4") for (unsigned g = 0; g < SLOTS_GROUPS; g++)
#endif

SLOTS_INLINE __m256i slots_load(const uint64_t *lanes)
{
	return _mm256_load_si256((const void *)lanes);
}

SLOTS_INLINE __m256i slots_load_half(const uint32_t *lanes)
{
	return _mm256_cvtepu32_epi64(_mm_loadu_si128((const void *)lanes));
}

/* Bits of the lanes whose top bit is set. */
SLOTS_INLINE unsigned slots_lanes(__m256i top)
{
	return (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(top));
}

/* a where the mask's top bit is set, else b. */
SLOTS_INLINE __m256i slots_pick(__m256i mask, __m256i a, __m256i b)
{
	return _mm256_castpd_si256(
		_mm256_blendv_pd(_mm256_castsi256_pd(b), _mm256_castsi256_pd(a), _mm256_castsi256_pd(mask)));
}

/* How many bits are set in each word, which has no bit above one that is not set: a nibble is 0, 1, 3, 7 or 15. */
SLOTS_INLINE __m256i slots_bits(__m256i words)
{
	const __m256i table = _mm256_setr_epi8(0, 1, 0, 2, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 4, /* */
					       0, 1, 0, 2, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 4);
	const __m256i nibble = _mm256_set1_epi8(15);
	__m256i low = _mm256_shuffle_epi8(table, _mm256_and_si256(words, nibble));
	__m256i high = _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi32(words, 4), nibble));
	return _mm256_sad_epu8(_mm256_add_epi8(low, high), _mm256_setzero_si256());
}

typedef uint64_t slots_plane[GRAPH_SLOT_WORDS][GRAPH_SLOT_LANES];

/* One more in the cycles of `bits`, the carry going from plane to plane. */
SLOTS_INLINE void slots_count(const struct graph_slot_use *u, struct graph_slot_set *set, unsigned word, unsigned lane,
			      __m256i bits)
{
	const uint32_t fields = u->field_count;
	for (uint32_t f = 0; f < fields; f++) {
		const struct graph_slot_range range = u->fields[f];
		slots_plane *plane = &set->words[range.first], *end = &set->words[range.end];
		__m256i carry = bits;
		do {
			uint64_t *lanes = (*plane)[word] + lane;
			__m256i before = slots_load(lanes);
			_mm256_store_si256((void *)lanes, _mm256_xor_si256(before, carry));
			carry = _mm256_and_si256(before, carry);
		} while (++plane != end);
	}
}

/* Which of a word's cycles have no room. */
SLOTS_INLINE __m256i slots_full(const struct graph_slot_use *u, const struct graph_slot_set *set, unsigned word,
				unsigned lane)
{
	const uint32_t fields = u->field_count;
	__m256i full = slots_load(set->words[u->fields[0].end - 1][word] + lane);
	for (uint32_t f = 1; f < fields; f++)
		full = _mm256_or_si256(full, slots_load(set->words[u->fields[f].end - 1][word] + lane));
	return full;
}

/* Each lane takes the first of the cycles `from` of a word that has room, counted from `first`. Returns ones for the
 * lanes that stay without. */
SLOTS_INLINE __m256i slots_take_word(const struct graph_slot_use *u, struct graph_slot_set *set, unsigned word,
				     unsigned lane, __m256i from, __m256i first, __m256i *t)
{
	const __m256i none = _mm256_setzero_si256(), ones = _mm256_set1_epi64x(-1);
	__m256i room = _mm256_andnot_si256(slots_full(u, set, word, lane), from);
	__m256i missing = _mm256_cmpeq_epi64(room, none);
	__m256i below = _mm256_andnot_si256(room, _mm256_add_epi64(room, ones));
	slots_count(u, set, word, lane, _mm256_and_si256(room, _mm256_sub_epi64(none, room)));
	*t = slots_pick(missing, *t, _mm256_add_epi64(first, slots_bits(below)));
	return missing;
}

/* The cycles of a word from `behind` its first one on, in lanes where `who` is ones; none when that is not in it. */
SLOTS_INLINE __m256i slots_from(__m256i who, __m256i behind)
{
	return _mm256_sllv_epi64(who, behind);
}

/* ... and of the word after it, of which those whose first cycle is in the one before may have all. */
SLOTS_INLINE __m256i slots_from_next(__m256i who, __m256i behind, __m256i before)
{
	__m256i later = slots_from(who, _mm256_sub_epi64(behind, _mm256_set1_epi64x(GRAPH_SLOT_LINE)));
	__m256i all = _mm256_cmpgt_epi64(_mm256_setzero_si256(), before);
	return _mm256_or_si256(later, _mm256_and_si256(all, who));
}

/* Lanes in a run of cycles known to be full go on behind it. */
SLOTS_INLINE __m256i slots_skip_run(const struct graph_slot_runs *runs, unsigned lane, __m256i missing, __m256i t)
{
	__m256i first = slots_load_half(runs->first + lane), end = slots_load_half(runs->end + lane);
	__m256i inside = _mm256_andnot_si256(_mm256_cmpgt_epi64(first, t), _mm256_cmpgt_epi64(end, t));
	return slots_pick(_mm256_and_si256(inside, missing), end, t);
}

/* Four lanes of those without, for which window 0's first word has had no slot. `before`: the cycles that they asked
 * for there. Returns who is still without. */
SLOTS_INLINE __m256i slots_take_later(const struct graph_slot_use *u, struct graph_slot_set *set,
				      const struct graph_slot_runs *runs, unsigned lane, __m256i before,
				      __m256i missing, __m256i *t)
{
	const __m256i line = _mm256_set1_epi64x(GRAPH_SLOT_LINE);
	__m256i first = slots_load(set->first[0] + lane), behind = _mm256_sub_epi64(*t, first);
	__m256i from = slots_from_next(missing, behind, before);
	if (slots_lanes(from)) {
		__m256i without = slots_take_word(u, set, 1, lane, from, _mm256_add_epi64(first, line), t);
		missing = _mm256_and_si256(missing, without);
		if (!slots_lanes(missing))
			return missing;
		if (slots_lanes(_mm256_and_si256(from, missing)))
			*t = slots_skip_run(runs, lane, missing, *t);
	}
	first = slots_load(set->first[1] + lane);
	behind = _mm256_sub_epi64(*t, first);
	before = slots_from(missing, behind);
	from = slots_from_next(missing, behind, before);
	if (slots_lanes(before)) {
		__m256i without = slots_take_word(u, set, 2, lane, before, first, t);
		missing = _mm256_and_si256(missing, without);
		from = _mm256_and_si256(from, missing);
	}
	if (slots_lanes(from)) {
		__m256i without = slots_take_word(u, set, 3, lane, from, _mm256_add_epi64(first, line), t);
		missing = _mm256_and_si256(missing, without);
	}
	return missing;
}

/* In the first word of window 0, where most slots are, of all lanes together: a plane is a turn of the loop for all.
 * `from` gets the cycles that each asked for, `missing` ones for those without. */
SLOTS_INLINE void slots_take_first(const struct graph_slot_use *u, struct graph_slot_set *set, uint64_t *times,
				   __m256i *from, __m256i *missing)
{
	const uint32_t fields = u->field_count;
	const __m256i none = _mm256_setzero_si256(), ones = _mm256_set1_epi64x(-1);
	__m256i bits[SLOTS_GROUPS];
	SLOTS_EACH
	bits[g] = slots_load(set->words[u->fields[0].end - 1][0] + g * SLOTS_GROUP);
	for (uint32_t f = 1; f < fields; f++) {
		const uint64_t *lanes = set->words[u->fields[f].end - 1][0];
		SLOTS_EACH
		bits[g] = _mm256_or_si256(bits[g], slots_load(lanes + g * SLOTS_GROUP));
	}
	SLOTS_EACH
	{
		__m256i t = slots_load(times + g * SLOTS_GROUP), first = slots_load(set->first[0] + g * SLOTS_GROUP);
		from[g] = slots_from(ones, _mm256_sub_epi64(t, first));
		__m256i room = _mm256_andnot_si256(bits[g], from[g]);
		missing[g] = _mm256_cmpeq_epi64(room, none);
		__m256i below = _mm256_andnot_si256(room, _mm256_add_epi64(room, ones));
		t = slots_pick(missing[g], t, _mm256_add_epi64(first, slots_bits(below)));
		_mm256_store_si256((void *)(times + g * SLOTS_GROUP), t);
		bits[g] = _mm256_and_si256(room, _mm256_sub_epi64(none, room));
	}
	for (uint32_t f = 0; f < fields; f++) {
		const struct graph_slot_range range = u->fields[f];
		slots_plane *plane = &set->words[range.first], *end = &set->words[range.end];
		__m256i carry[SLOTS_GROUPS];
		SLOTS_EACH
		carry[g] = bits[g];
		do {
			SLOTS_EACH
			{
				uint64_t *lanes = (*plane)[0] + g * SLOTS_GROUP;
				__m256i before = slots_load(lanes);
				_mm256_store_si256((void *)lanes, _mm256_xor_si256(before, carry[g]));
				carry[g] = _mm256_and_si256(before, carry[g]);
			}
		} while (++plane != end);
	}
}

/* Takes a slot for each lane, ready at few->t, which becomes the cycle of its issue. Returns bits of those without. In
 * line in every block of lanes, the step was 83 KiB of code. */
static __attribute__((noinline)) TARGET unsigned slots_take(const struct graph_slot_use *u, size_t quarter,
							    struct slots_few *few)
{
	struct graph_slot_set *set = &u->planes->sets[quarter];
	const struct graph_slot_runs *runs = &u->runs[quarter];
	__m256i from[SLOTS_GROUPS], missing[SLOTS_GROUPS];
	unsigned left = 0, without = 0;
	slots_take_first(u, set, few->t, from, missing);
	SLOTS_EACH
	left |= slots_lanes(missing[g]) ? 1u << g : 0;
	for (; left; left &= left - 1) {
		const unsigned g = (unsigned)__builtin_ctz(left), lane = g * SLOTS_GROUP;
		__m256i t = slots_load(few->t + lane);
		__m256i still = slots_take_later(u, set, runs, lane, from[g], missing[g], &t);
		_mm256_store_si256((void *)(few->t + lane), t);
		without |= slots_lanes(still) << lane;
	}
	return without;
}

/* Window 0 goes on to the dispatch times, where nothing but the cycles that enter it has to be known, and these are
 * empty. */
SLOTS_INLINE void slots_follow(const struct graph_slot_planes *p, size_t quarter, const uint64_t *dispatch)
{
	struct graph_slot_set *set = &p->sets[quarter];
	const __m256i size = _mm256_set1_epi64x(GRAPH_SLOT_WINDOW), line = _mm256_set1_epi64x(GRAPH_SLOT_LINE);
	const __m256i none = _mm256_setzero_si256();
	for (unsigned lane = 0; lane < GRAPH_SLOT_LANES; lane += SLOTS_GROUP) {
		const __m256i to_first = slots_load(dispatch + lane);
		const __m256i first = slots_load(set->first[0] + lane), other = slots_load(set->first[1] + lane);
		const __m256i end = _mm256_add_epi64(first, size), by = _mm256_sub_epi64(to_first, first);
		const __m256i entered = _mm256_add_epi64(to_first, size);
		const __m256i limits = slots_load_half(p->limits + quarter * GRAPH_SLOT_LANES + lane);
		/* an unsigned `by` below the size; a window that is nowhere is far behind or far ahead */
		__m256i go = _mm256_andnot_si256(_mm256_cmpgt_epi64(none, by), _mm256_cmpgt_epi64(size, by));
		__m256i stay = _mm256_cmpgt_epi64(slots_load(set->reached + lane), end);
		stay = _mm256_or_si256(
			stay, _mm256_and_si256(_mm256_cmpgt_epi64(other, first), _mm256_cmpgt_epi64(entered, other)));
		stay = _mm256_or_si256(stay, _mm256_cmpgt_epi64(entered, limits));
		go = _mm256_andnot_si256(stay, go);
		if (!slots_lanes(go))
			continue;
		const __m256i back = _mm256_sub_epi64(line, by), later = _mm256_sub_epi64(by, line);
		const __m256i beyond = _mm256_sub_epi64(size, by);
		/* with the whole first word gone all of the second one is new from `beyond` its first cycle on */
		const __m256i enter = _mm256_andnot_si256(_mm256_cmpgt_epi64(none, back), back);
		for (uint32_t left = p->in_use; left; left &= left - 1) {
			unsigned plane = (unsigned)__builtin_ctz(left);
			uint64_t *low = set->words[plane][0] + lane, *high = set->words[plane][1] + lane;
			const __m256i a = slots_load(low), b = slots_load(high);
			const __m256i empty = _mm256_set1_epi64x((int64_t)p->empty[plane]);
			__m256i to = _mm256_or_si256(_mm256_srlv_epi64(a, by), _mm256_sllv_epi64(b, back));
			to = _mm256_or_si256(to, _mm256_srlv_epi64(b, later));
			to = _mm256_or_si256(to, _mm256_sllv_epi64(empty, beyond));
			_mm256_store_si256((void *)low, slots_pick(go, to, a));
			to = _mm256_or_si256(_mm256_srlv_epi64(b, by), _mm256_sllv_epi64(empty, enter));
			_mm256_store_si256((void *)high, slots_pick(go, to, b));
		}
		_mm256_store_si256((void *)(set->first[0] + lane), slots_pick(go, to_first, first));
	}
}

/* From readiness to issue. `busy`: lanes that hold a unit which is not pipelined. */
SLOTS_INLINE void slots_issue(const struct graph_step *s, size_t quarter, unsigned busy, struct slots_few *few)
{
	unsigned lanes = s->interval > 1 ? (1u << GRAPH_SLOT_LANES) - 1 : slots_take(s->slots, quarter, few);
	if (lanes)
		slots_take_few(s, quarter, lanes, busy, few);
}

typedef uint16_t narrow_slots __attribute__((vector_size(32), aligned(32)));
typedef uint32_t wide_slots __attribute__((vector_size(32), aligned(32)));

SLOTS_INLINE void narrow_slot_times(const uint16_t *row, uint64_t *t)
{
	SLOTS_EACH
	_mm256_store_si256((void *)(t + g * SLOTS_GROUP),
			   _mm256_cvtepu16_epi64(_mm_loadl_epi64((const void *)(row + g * SLOTS_GROUP))));
}

SLOTS_INLINE void wide_slot_times(const uint32_t *row, uint64_t *t)
{
	SLOTS_EACH
	_mm256_store_si256((void *)(t + g * SLOTS_GROUP), slots_load_half(row + g * SLOTS_GROUP));
}

/* The low halves of eight words. */
SLOTS_INLINE __m256i slots_low_halves(const uint64_t *t)
{
	__m256i a = slots_load(t), b = slots_load(t + SLOTS_GROUP);
	__m256 halves = _mm256_shuffle_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b), _MM_SHUFFLE(2, 0, 2, 0));
	return _mm256_permute4x64_epi64(_mm256_castps_si256(halves), _MM_SHUFFLE(3, 1, 2, 0));
}

SLOTS_INLINE void narrow_slot_waits(const struct graph_step *s, size_t quarter, const narrow_slots *ready,
				    const uint16_t *dispatch, narrow_slots *waits)
{
	const uint16_t *exec = (const uint16_t *)s->exec_mask + quarter * GRAPH_QUARTER;
	unsigned busy = 0;
	for (unsigned i = 0; s->interval > 1 && i < GRAPH_SLOT_LANES; i++)
		busy |= exec[i] ? 1u << i : 0;
	struct slots_few few;
	narrow_slot_times((const uint16_t *)(const void *)ready, few.t);
	narrow_slot_times(dispatch, few.dispatch);
	slots_issue(s, quarter, busy, &few);
	__m256i issue = _mm256_packus_epi32(slots_low_halves(few.t), slots_low_halves(few.t + 8));
	issue = _mm256_permute4x64_epi64(issue, _MM_SHUFFLE(3, 1, 2, 0));
	*waits = (narrow_slots)issue - ready[0];
}

SLOTS_INLINE void narrow_slot_follow(const struct graph_slot_planes *p, size_t quarter, const uint16_t *dispatch)
{
	uint64_t d[GRAPH_SLOT_LANES] __attribute__((aligned(32)));
	narrow_slot_times(dispatch, d);
	slots_follow(p, quarter, d);
}

SLOTS_INLINE void wide_slot_waits(const struct graph_step *s, size_t quarter, const wide_slots *ready,
				  const uint32_t *dispatch, wide_slots *waits)
{
	const uint32_t *exec = (const uint32_t *)s->exec_mask + quarter * GRAPH_QUARTER;
	unsigned busy = 0;
	for (unsigned i = 0; s->interval > 1 && i < GRAPH_SLOT_LANES; i++)
		busy |= exec[i] ? 1u << i : 0;
	struct slots_few few;
	wide_slot_times((const uint32_t *)(const void *)ready, few.t);
	wide_slot_times(dispatch, few.dispatch);
	slots_issue(s, quarter, busy, &few);
	waits[0] = (wide_slots)slots_low_halves(few.t) - ready[0];
	waits[1] = (wide_slots)slots_low_halves(few.t + 8) - ready[1];
}

SLOTS_INLINE void wide_slot_follow(const struct graph_slot_planes *p, size_t quarter, const uint32_t *dispatch)
{
	uint64_t d[GRAPH_SLOT_LANES] __attribute__((aligned(32)));
	wide_slot_times(dispatch, d);
	slots_follow(p, quarter, d);
}

#endif
