/* Independent loads from a1 on, a2 bytes apart. */
#include "kernel.h"
	loop_start
	.rept	STREAM_LOADS
	ld	t0, 0(a1)
	add	a1, a1, a2
	.endr
	loop_end
