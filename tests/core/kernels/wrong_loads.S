/* A branch that waits for a division and is always taken; its wrong path loads the line that the right path loads
 * later, and then meets a system call. */
#include "kernel.h"
	li	t0, 1
	li	t1, 1
	loop_start
	div	t0, t0, t1
	bnez	t0, 1f
	ld	t3, 0(a1)
	ecall
	.balign	128
1:	ld	t4, 0(a1)
	add	a1, a1, a2
	loop_end
