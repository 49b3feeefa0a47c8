/* The host's fused multiply-add instruction. On x86-64, where the baseline lacks it, these two functions alone are
 * compiled for processors that have it; fp_host_has_fma (fp.h) asks the processor before calling them. */
#include "riscv/fp.h"

#if defined(__x86_64__) && !defined(__FMA__)
#define FP_HOST_FMA __attribute__((target("fma")))
#else
#define FP_HOST_FMA
#endif

FP_HOST_FMA float fp32_host_fma(float a, float b, float c)
{
	return __builtin_fmaf(a, b, c);
}

FP_HOST_FMA double fp64_host_fma(double a, double b, double c)
{
	return __builtin_fma(a, b, c);
}
