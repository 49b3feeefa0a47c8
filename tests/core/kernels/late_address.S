/* The store's address comes late; the load after it reads the same word, and the next iteration's division waits for it. */
#include "kernel.h"
	li	t0, 3
	li	t1, 1
	loop_start
	div	t0, t0, t1
	andi	t2, t0, 0
	add	t2, t2, a1
	sd	t0, 0(t2)
	ld	t0, 0(a1)
	loop_end
