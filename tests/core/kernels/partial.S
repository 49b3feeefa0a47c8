/* The same, but the store covers only half of what the load reads. */
#include "kernel.h"
	loop_start
	.rept	FORWARD_PAIRS
	sw	t0, 0(a1)
	ld	t0, 0(a1)
	.endr
	loop_end
