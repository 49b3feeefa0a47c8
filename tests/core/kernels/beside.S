/* A load that waits for a store to part of its bytes, which leaves after the division before it, or for a miss, whichever takes
 * longer. Another store writes close by, but none of its bytes. Both ways begin with the load of the last iteration. a1: a ring. */
#include "kernel.h"
	li	t3, 1
	loop_start
	div	t1, t2, t3
	sb	t0, 1(a2)
	sb	t0, 5(a2)
	and	t4, t2, x0
	add	a1, a1, t4
	ld	a1, 0(a1)
	and	t4, a1, x0
	add	t4, t4, a2
	lw	t2, 0(t4)
	loop_end
