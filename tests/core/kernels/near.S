/* The store's data come late; the load after it reads the next word, and nothing waits for it. */
#include "kernel.h"
	li	t0, 3
	li	t1, 1
	loop_start
	div	t0, t0, t1
	sd	t0, 0(a1)
	ld	t2, 8(a1)
	loop_end
