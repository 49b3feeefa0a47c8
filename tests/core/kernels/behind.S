/* A store behind a division, and a load of what it stores. Both wait for the load before: the division as long as it
 * takes, the load for a few additions. A short division lets the store leave before the load issues. */
#include "kernel.h"
	li	t3, 1
	loop_start
	div	t5, t2, t3
	sd	x0, 0(a1)
	.rept	BEHIND_ADDS
	addi	t2, t2, 1
	.endr
	and	t4, t2, x0
	add	t4, t4, a1
	ld	t2, 0(t4)
	loop_end
