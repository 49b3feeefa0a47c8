/* Pointer chase: a1 points into a ring of pointers, and another word of each one's line is loaded three times first. */
#include "kernel.h"
	loop_start
	.rept	CHAIN_OPS
	ld	t0, 8(a1)
	ld	t1, 8(a1)
	ld	t2, 8(a1)
	ld	a1, 0(a1)
	.endr
	loop_end
