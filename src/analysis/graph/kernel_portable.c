/* The graph's kernels with 16-byte vectors: whatever the build's baseline has (SSE2, NEON, or plain words). */
#include "analysis/graph/state.h"

#define TARGET
#define BLOCK_QUARTERS 1
#define VECTOR_BYTES 16

#define LANE uint16_t
#define NAME(x) narrow_##x
#include "analysis/graph/kernel_body.h"
#undef LANE
#undef NAME
#define LANE uint32_t
#define NAME(x) wide_##x
#include "analysis/graph/kernel_body.h"

static bool usable(void)
{
	return true;
}

const struct graph_kernels graph_kernels_portable = {"portable", &narrow_kernel, &wide_kernel, usable, false, false};
