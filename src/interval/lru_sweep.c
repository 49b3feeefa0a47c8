/* See interval_sweep.h. Tags are 32 bits, so that the order of a set is one line of the host's cache. */
#include "interval/interval_sweep.h"

#include <stdlib.h>
#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

/* The order of the line's set, for the n-th number of sets. */
__attribute__((always_inline)) static inline uint32_t *order_of(const struct lru_sweep *s, uint64_t line, uint32_t n)
{
	return &s->tags[n][(line & ((1ull << (s->first + n)) - 1)) * INTERVAL_WAYS];
}

/* The depth of `tag` in an order, INTERVAL_WAYS when it is not there; it goes to the front. */
static uint32_t to_front(uint32_t *order, uint32_t tag)
{
	uint32_t depth = 1;
	while (depth < INTERVAL_WAYS && order[depth] != tag)
		depth++;
	uint32_t last = depth < INTERVAL_WAYS ? depth : INTERVAL_WAYS - 1;
	for (uint32_t d = last; d > 0; d--)
		order[d] = order[d - 1];
	order[0] = tag;
	return depth;
}

static void find_plain(struct lru_sweep *s, uint64_t line, uint32_t tag, enum interval_kind kind)
{
	uint32_t n = 0;
	for (uint32_t *order; n < s->sets && *(order = order_of(s, line, n)) != tag; n++)
		s->hits[kind][n][to_front(order, tag)]++;
	s->newest[kind][n]++;
}

#if defined(__x86_64__)
/* The same without branches on the depth, which the host cannot foresee: all 16 tags are compared at once, and every tag up
 * to the one found is replaced by its neighbour. */
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

__attribute__((target("avx2"))) static void find_avx2(struct lru_sweep *s, uint64_t line, uint32_t tag,
						      enum interval_kind kind)
{
	uint32_t n = 0;
	for (uint32_t *order; n < s->sets && *(order = order_of(s, line, n)) != tag; n++)
		s->hits[kind][n][to_front_avx2(order, tag)]++;
	s->newest[kind][n]++;
}

static lru_sweep_finder *best_finder(void)
{
	return __builtin_cpu_supports("avx2") ? find_avx2 : find_plain;
}
#else
static lru_sweep_finder *best_finder(void)
{
	return find_plain;
}
#endif

bool lru_sweep_init(struct lru_sweep *s, uint32_t first, uint32_t sets, struct error *err)
{
	*s = (struct lru_sweep){.find = best_finder(), .first = first, .sets = sets, .last = UINT64_MAX};
	for (uint32_t n = 0; n < sets; n++) {
		size_t bytes = (sizeof(uint32_t) * INTERVAL_WAYS) << (first + n);
		s->tags[n] = aligned_alloc(64, bytes);
		if (!s->tags[n])
			return error_set(err, ERROR_SYSTEM, "no memory for the cache sweep");
		memset(s->tags[n], 0xff, bytes);
	}
	return true;
}

void lru_sweep_use_portable(struct lru_sweep *s)
{
	s->find = find_plain;
}

void lru_sweep_free(struct lru_sweep *s)
{
	for (uint32_t n = 0; n < INTERVAL_SETS; n++)
		free(s->tags[n]);
}

void lru_sweep_restart(struct lru_sweep *s)
{
	memset(s->accesses, 0, sizeof s->accesses);
	memset(s->newest, 0, sizeof s->newest);
	memset(s->hits, 0, sizeof s->hits);
}

uint64_t lru_sweep_hits(const struct lru_sweep *s, enum interval_kind kind, uint32_t sets, uint32_t depth)
{
	uint64_t total = 0;
	if (depth)
		return s->hits[kind][sets][depth];
	for (uint32_t n = 0; n <= sets; n++)
		total += s->newest[kind][n];
	return total;
}
