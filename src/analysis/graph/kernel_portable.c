/* The graph's kernels with 16-byte vectors: whatever the build's baseline has (SSE2, NEON, or plain words). */
#include "analysis/graph/state.h"

#define TARGET
#define BLOCK_QUARTERS 1
#define VECTOR_BYTES 16

/* SSE2 has no maximum of unsigned words, but differences that end at 0. */
#if defined(__SSE2__)
#include <emmintrin.h>
#define HOST_MAX(a, b) _mm_add_epi16(_mm_subs_epu16((__m128i)(a), (__m128i)(b)), (__m128i)(b))
#define HOST_MIN(a, b) _mm_sub_epi16((__m128i)(a), _mm_subs_epu16((__m128i)(a), (__m128i)(b)))
#endif
#define LANE uint16_t
#define NAME(x) narrow_##x
#include "analysis/graph/kernel_body.h"
#undef LANE
#undef NAME
#undef HOST_MAX
#undef HOST_MIN
#define LANE uint32_t
#define NAME(x) wide_##x
#include "analysis/graph/kernel_body.h"

static bool usable(void)
{
	return true;
}

const struct graph_kernels graph_kernels_portable = {"portable", &narrow_kernel, &wide_kernel, usable, false, false, 0};
