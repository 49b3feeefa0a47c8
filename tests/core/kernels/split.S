/* Loads from a place that is not a multiple of their size, within one line. */
#include "kernel.h"
	loop_start
	.rept	HEAD_OPS
	ld	t1, 4(a1)
	.endr
	loop_end
