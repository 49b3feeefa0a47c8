/* See sweep.h. Tags are 32 bits, so that the order of a set is one line of the host's cache. Counts are made in 32
 * bits, accesses by turns in one of four tables, because the host waits for its last store to a count before the
 * next. */
#include "interval/profile/sweep.h"

#include <stdlib.h>
#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define ALWAYS_INLINE __attribute__((always_inline)) static inline

_Static_assert(INTERVAL_WAYS * sizeof(uint32_t) == 1 << LRU_LINE_SHIFT, "the offset of a set's order");

typedef uint32_t to_front(uint32_t *order, uint32_t tag);

/* The depth of `tag` in an order, INTERVAL_WAYS when it is not there; it goes to the front. */
ALWAYS_INLINE uint32_t to_front_plain(uint32_t *order, uint32_t tag)
{
	uint32_t depth = 0;
	while (depth < INTERVAL_WAYS && order[depth] != tag)
		depth++;
	uint32_t last = depth < INTERVAL_WAYS ? depth : INTERVAL_WAYS - 1;
	for (uint32_t d = last; d > 0; d--)
		order[d] = order[d - 1];
	order[0] = tag;
	return depth;
}

/* By depth * KINDS + kind. */
enum { TURNS = 4, KINDS = LRU_KIND_MASK + 1, COUNTS = (INTERVAL_WAYS + 1) * KINDS };

static void add_counts(uint32_t counts[TURNS][COUNTS], lru_depths depths)
{
	for (size_t d = 0; d <= INTERVAL_WAYS; d++)
		for (size_t k = 0; k < INTERVAL_KINDS; k++)
			for (size_t t = 0; t < TURNS; t++)
				depths[k][d] += counts[t][d * KINDS + k];
}

ALWAYS_INLINE size_t step(to_front *move, uint32_t *orders, uint32_t mask, lru_use *list, size_t count,
			  lru_depths depths)
{
	uint32_t counts[TURNS][COUNTS];
	size_t left = 0;
	for (size_t i = 0; i < COUNTS; i++)
		for (size_t t = 0; t < TURNS; t++)
			counts[t][i] = 0;
	for (size_t i = 0; i < count; i++) {
		lru_use use = list[i];
		uint32_t *order = orders + ((uint32_t)use & mask) / sizeof *order;
		uint32_t depth = move(order, (uint32_t)(use >> LRU_TAG_SHIFT));
		counts[i % TURNS][depth * KINDS + (use & LRU_KIND_MASK)]++;
		list[left] = use;
		left += depth != 0;
	}
	add_counts(counts, depths);
	return left;
}

static size_t step_plain(uint32_t *orders, uint32_t mask, lru_use *list, size_t count, lru_depths depths)
{
	return step(to_front_plain, orders, mask, list, count, depths);
}

/* As to_front_plain: few steps mostly; a call to move the others would cost more. */
static uint32_t full_plain(uint32_t *order, uint32_t tag)
{
	uint32_t depth = 0;
	while (depth < INTERVAL_PAGES_FULL && order[depth] != tag)
		depth++;
	for (uint32_t d = depth < INTERVAL_PAGES_FULL ? depth : INTERVAL_PAGES_FULL - 1; d > 0; d--)
		order[d] = order[d - 1];
	order[0] = tag;
	return depth;
}

#if defined(__x86_64__)
/* The same without branches on the depth, which the host cannot foresee: all 16 tags are compared at once, and every
 * tag up to the one found is replaced by its neighbour. */
__attribute__((target("avx2"), always_inline)) static inline uint32_t to_front_avx2(uint32_t *order, uint32_t tag)
{
	const __m256i turn = _mm256_setr_epi32(7, 0, 1, 2, 3, 4, 5, 6);
	__m256i *low_half = (__m256i *)(void *)order, *high_half = low_half + 1;
	__m256i wanted = _mm256_set1_epi32((int)tag);
	__m256i low = _mm256_load_si256(low_half), high = _mm256_load_si256(high_half);
	__m256i low_up = _mm256_permutevar8x32_epi32(low, turn), high_up = _mm256_permutevar8x32_epi32(high, turn);
	uint32_t found = (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(low, wanted))) |
			 (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(high, wanted))) << 8;
	uint32_t depth = (uint32_t)__builtin_ctz(found | 1u << INTERVAL_WAYS);
	__m256i behind = _mm256_set1_epi32((int)depth); /* lanes beyond it stay */
	__m256i low_stays = _mm256_cmpgt_epi32(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), behind);
	__m256i high_stays = _mm256_cmpgt_epi32(_mm256_setr_epi32(8, 9, 10, 11, 12, 13, 14, 15), behind);
	high_up = _mm256_blend_epi32(high_up, low_up, 1);
	low_up = _mm256_blend_epi32(low_up, wanted, 1);
	_mm256_store_si256(low_half, _mm256_blendv_epi8(low_up, low, low_stays));
	_mm256_store_si256(high_half, _mm256_blendv_epi8(high_up, high, high_stays));
	return depth;
}

__attribute__((target("avx2"))) static size_t step_avx2(uint32_t *orders, uint32_t mask, lru_use *list, size_t count,
							lru_depths depths)
{
	return step(to_front_avx2, orders, mask, list, count, depths);
}

/* An order is one register. */
__attribute__((target("avx512f,bmi"), always_inline)) static inline uint32_t to_front_avx512(uint32_t *order,
											     uint32_t tag)
{
	__m512i wanted = _mm512_set1_epi32((int)tag), old = _mm512_load_si512(order);
	uint32_t found = _mm512_cmpeq_epi32_mask(old, wanted);
	__mmask16 moves = (__mmask16)_blsmsk_u32(found); /* lanes up to it; all of them when it is not there */
	_mm512_store_si512(order, _mm512_mask_alignr_epi32(old, moves, old, wanted, INTERVAL_WAYS - 1));
	return (uint32_t)__builtin_ctz(found | 1u << INTERVAL_WAYS);
}

__attribute__((target("avx512f,bmi"))) static size_t step_avx512(uint32_t *orders, uint32_t mask, lru_use *list,
								 size_t count, lru_depths depths)
{
	return step(to_front_avx512, orders, mask, list, count, depths);
}

/* 16 ways at a time: what leaves one register enters the next. */
__attribute__((target("avx512f,bmi"))) static uint32_t full_avx512(uint32_t *order, uint32_t tag)
{
	const __m512i turn = _mm512_set1_epi32(INTERVAL_WAYS - 1);
	__m512i wanted = _mm512_set1_epi32((int)tag), enters = wanted;
	for (uint32_t at = 0; at < INTERVAL_PAGES_FULL; at += INTERVAL_WAYS) {
		__m512i old = _mm512_load_si512(order + at);
		uint32_t found = _mm512_cmpeq_epi32_mask(old, wanted);
		__mmask16 moves = (__mmask16)_blsmsk_u32(found);
		_mm512_store_si512(order + at, _mm512_mask_alignr_epi32(old, moves, old, enters, INTERVAL_WAYS - 1));
		if (found)
			return at + (uint32_t)__builtin_ctz(found);
		enters = _mm512_permutexvar_epi32(turn, old);
	}
	return INTERVAL_PAGES_FULL;
}

static lru_full_step *best_full(void)
{
	return __builtin_cpu_supports("avx512f") ? full_avx512 : full_plain;
}

static lru_sweep_step *best_step(void)
{
	return __builtin_cpu_supports("avx512f") ? step_avx512
	       : __builtin_cpu_supports("avx2")	 ? step_avx2
						 : step_plain;
}

bool lru_sweep_use_avx2(struct lru_sweep *s)
{
	s->step = step_avx2;
	return __builtin_cpu_supports("avx2");
}
#else
static lru_full_step *best_full(void)
{
	return full_plain;
}

static lru_sweep_step *best_step(void)
{
	return step_plain;
}

bool lru_sweep_use_avx2(struct lru_sweep *s)
{
	(void)s;
	return false;
}
#endif

bool lru_sweep_init(struct lru_sweep *s, uint32_t first, uint32_t sets, struct error *err)
{
	*s = (struct lru_sweep){.step = best_step(), .first = first, .sets = sets, .last = UINT64_MAX};
	for (uint32_t n = 0; n < sets; n++) {
		size_t bytes = (sizeof(uint32_t) * INTERVAL_WAYS) << (first + n);
		s->tags[n] = aligned_alloc(64, bytes);
		if (!s->tags[n])
			return error_set(err, ERROR_SYSTEM, "out of memory for the cache sweep");
		memset(s->tags[n], 0xff, bytes);
	}
	memset(s->newest, 0xff, sizeof s->newest);
	return true;
}

void lru_sweep_use_portable(struct lru_sweep *s)
{
	s->step = step_plain;
}

void lru_sweep_free(struct lru_sweep *s)
{
	for (uint32_t n = 0; n < INTERVAL_SETS; n++)
		free(s->tags[n]);
}

void lru_sweep_run(struct lru_sweep *s, lru_use *list, size_t count)
{
	for (uint32_t n = 0; n < s->sets && count; n++)
		count = s->step(s->tags[n], ((1u << (s->first + n)) - 1) << LRU_LINE_SHIFT, list, count, s->depths[n]);
}

void lru_sweep_access(struct lru_sweep *s, uint64_t line, enum interval_kind kind)
{
	lru_use list[1];
	s->accesses[kind]++;
	lru_sweep_run(s, list, lru_sweep_list(s, list, 0, line, kind));
}

void lru_sweep_restart(struct lru_sweep *s)
{
	memset(s->accesses, 0, sizeof s->accesses);
	memset(s->depths, 0, sizeof s->depths);
}

/* Whatever is not deeper in an order is at depth 0, whether it got as far as that order or not. */
uint64_t lru_sweep_hits(const struct lru_sweep *s, enum interval_kind kind, uint32_t sets, uint32_t depth)
{
	uint64_t newest = s->accesses[kind];
	if (depth)
		return s->depths[sets][kind][depth];
	for (uint32_t d = 1; d <= INTERVAL_WAYS; d++)
		newest -= s->depths[sets][kind][d];
	return newest;
}

void lru_full_init(struct lru_full *f)
{
	*f = (struct lru_full){.step = best_full()};
	memset(f->order, 0xff, sizeof f->order);
}

void lru_full_access(struct lru_full *f, uint32_t tag)
{
	uint32_t depth = f->step(f->order, tag);
	if (depth < INTERVAL_PAGES_FULL)
		f->hits[depth]++;
}

void lru_full_use_portable(struct lru_full *f)
{
	f->step = full_plain;
}
