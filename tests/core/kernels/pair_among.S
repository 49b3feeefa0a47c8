/* Pointer chase as in line_pair.S, and behind each step loads of a2's word, which wait for nothing. */
#include "kernel.h"
	loop_start
	.rept	HEAD_OPS
	ld	t0, 8(a1)
	ld	a1, 0(a1)
	.rept	AMONG_LOADS
	ld	t1, 0(a2)
	.endr
	.endr
	loop_end
