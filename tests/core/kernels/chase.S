/* Pointer chase: a1 points into a ring of pointers. */
#include "kernel.h"
	loop_start
	.rept	CHAIN_OPS
	ld	a1, 0(a1)
	.endr
	loop_end
