/* The graph's kernels with 32-byte vectors, for x86-64 hosts with AVX2. */
#include "analysis/graph/state.h"

#if defined(__x86_64__)
#define TARGET __attribute__((target("avx2")))
#define BLOCK_QUARTERS 1
#define VECTOR_BYTES 32

#define SLOTS_VECTOR
#include "analysis/graph/slots_avx2.h"

#define HOST_ANY(v) (!_mm256_testz_si256((__m256i)(v), (__m256i)(v)))
#define HOST_MAX(a, b) _mm256_max_epu16((__m256i)(a), (__m256i)(b))
#define HOST_MIN(a, b) _mm256_min_epu16((__m256i)(a), (__m256i)(b))
#define LANE uint16_t
#define NAME(x) narrow_##x
#include "analysis/graph/kernel_body.h"
#undef LANE
#undef NAME
#undef HOST_MAX
#undef HOST_MIN
#define HOST_MAX(a, b) _mm256_max_epu32((__m256i)(a), (__m256i)(b))
#define HOST_MIN(a, b) _mm256_min_epu32((__m256i)(a), (__m256i)(b))
#define LANE uint32_t
#define NAME(x) wide_##x
#include "analysis/graph/kernel_body.h"

static bool usable(void)
{
	return __builtin_cpu_supports("avx2");
}

const struct graph_kernels graph_kernels_avx2 = {"avx2", &narrow_kernel, &wide_kernel, usable, true, false, 8};
#else
static bool usable(void)
{
	return false;
}

const struct graph_kernels graph_kernels_avx2 = {"avx2", NULL, NULL, usable, true, false, 8};
#endif
