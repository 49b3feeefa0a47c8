/* The graph's kernels with 64-byte vectors, for x86-64 hosts with AVX-512BW. */
#include "analysis/graph/state.h"

#if defined(__x86_64__)
#if defined(__clang__)
#define TARGET __attribute__((target("avx512f,avx512bw,avx512vl,avx512cd")))
#else
#define TARGET __attribute__((target("avx512f,avx512bw,avx512vl,avx512cd,prefer-vector-width=512")))
#endif
#define VECTOR_BYTES 64

#define SLOTS_VECTOR
#include "analysis/graph/slots_avx512.h"

#define HOST_ANY(v) (_mm512_test_epi64_mask((__m512i)(v), (__m512i)(v)) != 0)
#define HOST_MAX(a, b) _mm512_max_epu16((__m512i)(a), (__m512i)(b))
#define HOST_MIN(a, b) _mm512_min_epu16((__m512i)(a), (__m512i)(b))
#define LANE uint16_t
#define NAME(x) narrow_##x
#define BLOCK_QUARTERS 2
#include "analysis/graph/kernel_body.h"
#undef LANE
#undef NAME
#undef BLOCK_QUARTERS
#undef HOST_MAX
#undef HOST_MIN
#define HOST_MAX(a, b) _mm512_max_epu32((__m512i)(a), (__m512i)(b))
#define HOST_MIN(a, b) _mm512_min_epu32((__m512i)(a), (__m512i)(b))
#define LANE uint32_t
#define NAME(x) wide_##x
#define BLOCK_QUARTERS 2
#include "analysis/graph/kernel_body.h"

static bool usable(void)
{
	return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
	       __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd");
}

const struct graph_kernels graph_kernels_avx512 = {"avx512", &narrow_kernel, &wide_kernel, usable, true, true, 0};
#else
static bool usable(void)
{
	return false;
}

const struct graph_kernels graph_kernels_avx512 = {"avx512", NULL, NULL, usable, true, true, 0};
#endif
