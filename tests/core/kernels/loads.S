/* Loads from one place, which nobody waits for. */
#include "kernel.h"
	loop_start
	.rept	HEAD_OPS
	ld	t0, 0(a1)
	.endr
	loop_end
