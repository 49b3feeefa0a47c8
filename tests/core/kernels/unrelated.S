/* The same, but the load reads another word: only a conservative machine makes it wait. */
#include "kernel.h"
	li	t1, 1
	loop_start
	div	t0, t2, t1
	sd	t0, 0(a1)
	ld	t2, 64(a1)
	loop_end
