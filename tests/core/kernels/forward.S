/* A value goes round through one memory word: each load takes it from the store before it. */
#include "kernel.h"
	loop_start
	.rept	FORWARD_PAIRS
	sd	t0, 0(a1)
	ld	t0, 0(a1)
	.endr
	loop_end
