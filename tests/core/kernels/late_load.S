/* A load of another word than the store's, whose own address is there only a cycle or two after the store has
 * issued. */
#include "kernel.h"
	li	t1, 1
	loop_start
	div	t0, t2, t1
	sd	t0, 0(a1)
	and	t3, t0, x0
	add	t3, t3, a1
	ld	t2, 64(t3)
	loop_end
