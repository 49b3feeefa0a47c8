/* A store, and, once it has committed, a load from the same line; the next ones a2 bytes on. */
#include "kernel.h"
	loop_start
	sd	x0, 0(a1)
	fence.i
	ld	t0, 8(a1)
	add	a1, a1, a2
	loop_end
