/* A chain of moves between FP registers, COPIES of them. */
#include "kernel.h"
	loop_start
	.rept	COPIES / 2
	fmv.d	ft1, ft0
	fmv.d	ft0, ft1
	.endr
	loop_end
