/* A load that could have its data from a store, but waits for the address of a younger one, far away: with conservative
 * disambiguation only. By then the first has left. The next address depends on the load. */
#include "kernel.h"
	li	t3, 1
	loop_start
	sd	t0, 0(a1)
	div	t1, t2, t3
	and	t4, t1, x0
	add	t4, t4, a2
	sd	t0, 0(t4)
	ld	t2, 0(a1)
	loop_end
